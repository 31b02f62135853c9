package krm

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const pluginConfig = "# mine\n---\napiVersion: fn.kpt.dev/v1alpha1\nkind: ProvisionTenants\nmetadata:\n  name: monorepo\n"

func TestReadDocuments(t *testing.T) {
	for name, want := range map[string]string{
		"plain":           "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  text: |\n    --- x\n\n      y\n---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: b\n  annotations:\n    config.kubernetes.io/path: theirs.yaml\n",
		"lists":           "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\nsecrets:\n- name: b\n- name: c\n",
		"flow":            "{apiVersion: v1, kind: Namespace, metadata: {name: b}}\n",
		"comments inside": "apiVersion: v1\n# c\nkind: Namespace\nmetadata:\n  # d\n  name: b\n",
		"none":            "",
	} {
		list, err := ReadDocuments([]byte(pluginConfig), []byte(want))
		require.NoError(t, err, name)
		assert.Equal(t, Identity{Group: "fn.kpt.dev", Kind: "ProvisionTenants", Name: "monorepo"}, list.Config.Identity(), name)
		var out bytes.Buffer
		require.NoError(t, list.Render(&out, list.Items, nil, []Finding{{Code: "x", Message: "m"}}))
		assert.Equal(t, want, out.String(), name)
	}
}

// Text that only the library understands is written anew.
func TestReadDocumentsOfOddStyle(t *testing.T) {
	list, err := ReadDocuments([]byte(pluginConfig), []byte("a: &x 1\napiVersion: v1\nkind: \"Name\\\n  space\"\nmetadata: {name: b}\nb: *x\n"))
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	var out bytes.Buffer
	require.NoError(t, list.Render(&out, list.Items, nil, nil))
	again, err := ReadDocuments([]byte(pluginConfig), out.Bytes())
	require.NoError(t, err, out.String())
	assert.Equal(t, Identity{Kind: "Namespace", Name: "b"}, again.Items[0].Identity(), out.String())
}

func TestRenderDocumentsLeavesFilesOut(t *testing.T) {
	list, err := ReadDocuments([]byte(pluginConfig), []byte("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n"))
	require.NoError(t, err)
	object := &Object{APIVersion: "v1", Kind: "Namespace", Name: "b", Annotations: map[string]string{PathKey: "generated/b.yaml", IndexKey: "0", OwnerKey: "o"}}
	var out bytes.Buffer
	require.NoError(t, list.Render(&out, []*Item{list.Items[0].WithLocalConfig()}, []*Object{object}, nil))
	assert.Equal(t, `apiVersion: v1
kind: Namespace
metadata:
  annotations:
    config.kubernetes.io/local-config: "true"
  name: a
---
apiVersion: v1
kind: Namespace
metadata:
  name: b
  annotations:
    provision-tenants.fn.kpt.dev/owner: "o"
`, out.String())
	assert.Contains(t, object.Annotations, PathKey)
}

func TestReadDocumentsRefuses(t *testing.T) {
	const list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
	for _, test := range []struct{ config, items, want string }{
		{"", "", "the configuration has 0 YAML documents, it must be one"},
		{pluginConfig + "---\na: b\n", "", "the configuration has 2 YAML documents, it must be one"},
		{"some text\n", "", "must be an object"},
		{"name: x\n", "", "the configuration is no Kubernetes object, it must have `apiVersion` and `kind`"},
		{"{}\n", "", "the configuration is no Kubernetes object"},
		{"a: [b\n", "", "the configuration is not YAML: "},
		{pluginConfig, "a: [b\n", "stdin is not YAML: "},
		{pluginConfig, "- a\n", "must be an object"},
		{pluginConfig, list, "stdin is a ResourceList"},
	} {
		_, err := ReadDocuments([]byte(test.config), []byte(test.items))
		assert.ErrorContains(t, err, test.want, test.config+test.items)
	}
}

// What is written as documents is read as the same objects.
func FuzzReadDocuments(f *testing.F) {
	f.Add("apiVersion: v1\nkind: A\nmetadata: {name: b}\n---\n# c\na:\n- b\n- |\n  c\n\n  d\n# e\n")
	f.Add("a: \"b\n  c\"\n--- {d: e}\n---\n? f\n: g\n")
	f.Add("a: &x b\nc: *x\nd: >+\n  e\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadDocuments([]byte(pluginConfig), []byte(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		require.NoError(t, list.Render(&out, list.Items, nil, nil))
		again, err := ReadDocuments([]byte(pluginConfig), out.Bytes())
		require.NoError(t, err, out.String())
		require.Len(t, again.Items, len(list.Items), out.String())
		for i, item := range list.Items {
			before, err := decodeEntry(item.text)
			require.NoError(t, err)
			after, err := decodeEntry(again.Items[i].text)
			require.NoError(t, err)
			assert.True(t, sameNode(before, after), out.String())
		}
	})
}
