package krm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadObjects(t *testing.T) {
	cm := Identity{Kind: "ConfigMap", Namespace: "n", Name: "a"}
	ns := Identity{Kind: "Namespace", Name: "b"}
	for name, text := range map[string]string{
		"documents": "# head\n---\n# c\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: n\ndata:\n  text: |\n    --- x\n    y\n" +
			"---\n# only a comment\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n",
		"CRLF":       "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: a\r\n  namespace: n\r\n---\r\napiVersion: v1\r\nkind: Namespace\r\nmetadata:\r\n  name: b\r\n",
		"without LF": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: n\n--- {apiVersion: v1, kind: Namespace, metadata: {name: b}}",
		"a v1 List":  "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n    namespace: n\nkind: List\nmetadata:\n  resourceVersion: \"\"\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n",
		"a v1 List, JSON": `{"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}},` +
			` {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "b"}}], "kind": "List", "metadata": {"resourceVersion": ""}}`,
		"a ResourceList": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n    namespace: n\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: b\n",
	} {
		rep := &Report{}
		items, ok := ReadObjects("f", []byte(text), rep)
		require.True(t, ok, "%s %v", name, rep.Findings())
		require.Len(t, items, 2, name)
		assert.Equal(t, cm, items[0].Identity(), name)
		assert.Equal(t, ns, items[1].Identity(), name)
	}
	rep := &Report{}
	items, ok := ReadObjects("f", []byte("# nothing\n---\n"), rep)
	assert.True(t, ok)
	assert.Empty(t, items)
}

func TestReadObjectsReportsWhereItIs(t *testing.T) {
	for text, want := range map[string]string{
		"a: b\n---\nc: [d\n":                     "f:3:1",
		"a: b\n---\n- c\n":                       "f:3:1",
		"apiVersion: v1\nkind: Pod\nkind: Pod\n": "",
	} {
		rep := &Report{}
		_, ok := ReadObjects("f", []byte(text), rep)
		if want == "" {
			assert.True(t, ok, "a foreign object may be odd")
			continue
		}
		assert.False(t, ok)
		require.Len(t, rep.Findings(), 1, text)
		assert.Equal(t, want, rep.Findings()[0].Pos.Place())
	}
}
