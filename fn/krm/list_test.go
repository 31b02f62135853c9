package krm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mustRead(t *testing.T, text string) *List {
	t.Helper()
	list, err := Read([]byte(text))
	require.NoError(t, err)
	return list
}

// What hosts send is read without the library, down to the items that hosts
// leave in flow style, and comes out byte for byte.
func TestReadTextOfHosts(t *testing.T) {
	slow := map[string][]string{
		"kpt-render.yaml": {"foo2"}, "kpt-source.yaml": {"foo2"}, "kustomize-generator.yaml": nil, "kustomize-transformer.yaml": nil,
	}
	files, err := filepath.Glob("../../testdata/lists/*.yaml")
	require.NoError(t, err)
	require.Len(t, files, len(slow))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			list, ok := readBlock(string(data))
			require.True(t, ok)
			var notScanned []string
			for _, item := range list.Items {
				if !scanItem(&Item{text: item.text}, frame{indent: list.indent, list: true}) {
					notScanned = append(notScanned, item.Name)
				}
			}
			assert.Equal(t, slow[filepath.Base(file)], notScanned)
			assert.Equal(t, string(data), string(rendered(list, list.Items, nil, nil)))
			checkRead(t, data)
		})
	}
}

// Where it is certain that a line begins an item, all items come out byte for
// byte, whatever YAML they are written in.
func TestReadKeepsItemsOfAnyStyle(t *testing.T) {
	items := []string{
		"- {apiVersion: v1, # c1\n  kind: ConfigMap, metadata: {name: a},\n  # c2\n  data: {b: [c, # c3\n      d]}}\n",
		"- kind: A\n  spec: {a: b, c: [d, \"e\"], f: (g), h: i'j}\n",
		"- kind: B\n  a: [x,\n    y]\n  b: 'x\n\n    y'\n  c: \"x\\\n    \\ y\\r\\n\"\n  d: x\n    y\n",
		"- kind: C\n  a: {\n# c\n  b: [\nc\n]\n}\n",
		"- kind: D\n  a: &x {b: c}\n  d: *x\n  <<: *x\n",
		"- !!map\n  kind: E\n  a: !!binary |\n    aGk=\n  b: !x {c: d}\n  !!str e: f\n",
		"- kind: F\n  ? [a]\n  : b\n  ? |\n    c\n  : - d\n",
		"- kind: G\n  a: |\n    x\n    \t- y\n  b: |2-\n      z\n\n  c: >+\n    f\n\n",
		"-   kind: H\n    a: " + strings.Repeat("word ", 60) + "\n",
		"- kind: I\n  a: |\n    x\u2028    y\n  b: 'x\u0085 y'\n  c: x\ufeffy\r\n  d: e\r\n",
		"-\n  kind: J\n",
	}
	for _, head := range []string{"items:\n", "items: # why\n", "items:  \n"} {
		text := header1 + head + strings.Join(items, "# of the next\n") + "# end\n# config\nfunctionConfig: {kind: K,\n  metadata: {name: k}}\n"
		list, ok := readBlock(text)
		require.True(t, ok)
		require.Len(t, list.Items, len(items))
		assert.Equal(t, "J", list.Items[len(items)-1].Kind)
		assert.Equal(t, "k", list.Config.Name)
		assert.Equal(t, text, string(rendered(list, list.Items, nil, nil)))
		assert.Equal(t, strings.Replace(head, "items:", "items: []", 1), string(rendered(list, nil, nil, nil))[len(header1):][:len(head)+3])
		checkRead(t, []byte(text))
	}
}

// Lines that only look like the beginning of an item or a key are none.
func TestReadLeavesUncertainBordersToTheLibrary(t *testing.T) {
	for _, text := range []string{
		"items:\n- a: 'x\n- b: y'\n- c: d\n", "items:\n- a: {b: c,\nkind: x}\n", "items:\n- a: &x b\n- c: *x\n",
		"items:\n- a: b\n---\nx: y\n", "items:\n- a: b\u2028- c: d\n- e: f\n", "# \u2028items: []\n", "items: # \u2028- a: b\n- c: d\n",
		"items:\n- a: b\n# \u2028- c: d\n", "kind\u2028: x\n", "items:\n- a: b",
	} {
		_, ok := readBlock(header1 + text)
		assert.False(t, ok, "%q", text)
		checkRead(t, []byte(header1+text))
	}
}

func TestReadKptRender(t *testing.T) {
	data, err := os.ReadFile("../../testdata/lists/kpt-render.yaml")
	require.NoError(t, err)
	list := mustRead(t, string(data))
	require.Len(t, list.Items, 6)
	item := list.Items[1]
	assert.Equal(t, Identity{"", "ConfigMap", "", "foo"}, item.Identity())
	assert.Equal(t, "a.yaml", item.Path())
	assert.Equal(t, 0, item.Index())
	assert.Equal(t, 1, list.Items[2].Index())
	assert.Equal(t, "/src/pkg", item.PackagePath())
	assert.Equal(t, Pos{File: "a.yaml", Object: item.Identity(), APIVersion: "v1"}, item.Pos())
	assert.Equal(t, map[string]string{
		"config.kubernetes.io/index": "0", "config.kubernetes.io/path": "a.yaml", "config.k8s.io/id": "2",
		"internal.config.kubernetes.io/index": "0", "internal.config.kubernetes.io/path": "a.yaml",
		"internal.config.kubernetes.io/seqindent":                         "compact",
		"internal.config.kubernetes.io/annotations-migration-resource-id": "1",
		"internal.config.kubernetes.io/id":                                "2",
	}, item.HostAnnotations())
	assert.Equal(t, "x", item.Annotations["a"])
	require.NotNil(t, list.Config)
	assert.Equal(t, Identity{"source.extensions.fluxcd.io", "ArtifactGenerator", "", "gen"}, list.Config.Identity())
	assert.Equal(t, "exec:\n  path: provision-tenants\n", list.Config.Annotations["config.kubernetes.io/function"])
}

func TestItemPath(t *testing.T) {
	for _, tc := range []struct {
		annotations map[string]string
		path        string
		index       int
	}{
		{nil, "", 0},
		{map[string]string{"config.kubernetes.io/path": "a/b.yaml", "config.kubernetes.io/index": "2"}, "a/b.yaml", 2},
		{map[string]string{"config.kubernetes.io/path": "old", "internal.config.kubernetes.io/path": "new"}, "new", 0},
		{map[string]string{"config.kubernetes.io/index": "1", "internal.config.kubernetes.io/index": "3"}, "", 3},
		{map[string]string{"config.kubernetes.io/path": `a\b//./c/../d.yaml`, "config.kubernetes.io/index": "x"}, `a\b/d.yaml`, 0},
		{map[string]string{"config.kubernetes.io/path": `..\x`}, `..\x`, 0},
		{map[string]string{"config.kubernetes.io/path": "/abs/./x"}, "/abs/x", 0},
	} {
		item := &Item{Annotations: tc.annotations}
		assert.Equal(t, tc.path, item.Path())
		assert.Equal(t, tc.index, item.Index())
	}
}

func TestReadRefuses(t *testing.T) {
	for input, want := range map[string]string{
		"":                      "the input is empty, a ResourceList must come in",
		"\n# comment\n---\n":    "the input is empty, a ResourceList must come in",
		"a: [":                  "the input is not YAML: line 1: did not find expected node content",
		"\xff\xfea\x00":         "the input is not UTF-8 text",
		"hello\n":               `the input is not a ResourceList, it is the string "hello"`,
		"- a\n":                 "the input is not a ResourceList, it is a list",
		"a: b\n":                "the input is not a ResourceList, it has no `apiVersion` and no `kind`",
		"null\n":                "the input is not a ResourceList, it is null",
		header1 + "---\na: b\n": "the input has 2 YAML documents, it must be one ResourceList",
		"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n":              "the input is not a ResourceList, its `kind` is \"Namespace\" (`apiVersion` \"v1\")",
		"apiVersion: config.kubernetes.io/v2\nkind: ResourceList\nitems: []\n": "the `apiVersion` of the ResourceList must be \"config.kubernetes.io/v1\", not \"config.kubernetes.io/v2\"",
		"kind: ResourceList\nitems: []\n":                                      "the `apiVersion` of the ResourceList must be \"config.kubernetes.io/v1\", not \"\"",
		header1 + "items: {a: b}\n":                                            "`items` of the ResourceList must be a list, it is a map",
		header1 + "items: some\n":                                              "`items` of the ResourceList must be a list, it is the string \"some\"",
		header1 + "items:\n- a: b\n- c\n":                                      "`items[1]` of the ResourceList must be an object, it is the string \"c\"",
		header1 + "items:\n- a: b\n-\n":                                        "`items[1]` of the ResourceList must be an object, it is null",
		header1 + "items:\n- - a\n":                                            "`items[0]` of the ResourceList must be an object, it is a list",
		header1 + "items:\n- 7\n":                                              "`items[0]` of the ResourceList must be an object, it is \"7\"",
		header1 + "functionConfig: []\n":                                       "`functionConfig` of the ResourceList must be an object, it is a list",
		header1 + "results: {}\n":                                              "`results` of the ResourceList must be a list, it is a map",
		header1 + "kind: ResourceList\nitems: []\n":                            "the key \"kind\" is there twice in the ResourceList",
		header1 + "items: &a [*a]\n":                                           "the alias \"a\" contains itself",
		header1 + "items:\n- a: \"open\n":                                      "the input is not YAML: line 4: found unexpected end of stream",
		header1 + "items:\n- a: *nowhere\n":                                    "the input is not YAML: unknown anchor 'nowhere' referenced",
		header1 + "items: [" + strings.Repeat("[", 20_000):                     "the input is not YAML: line 3: exceeded max depth of 10000",
		header1 + aliasBomb("x", "[a]"):                                        "the aliases expand to more than 10000 values",
	} {
		list, err := Read([]byte(input))
		require.Error(t, err, "%.200s", input)
		assert.Nil(t, list)
		assert.Equal(t, want, err.Error())
	}
}

// aliasBomb are keys of which each has nine aliases of the one before.
func aliasBomb(key, first string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s0: &b0 %s\n", key, first)
	for i := 1; i <= 9; i++ {
		alias := fmt.Sprintf("*b%d", i-1)
		fmt.Fprintf(&b, "%s%d: &b%d [%s%s]\n", key, i, i, alias, strings.Repeat(", "+alias, 8))
	}
	return b.String()
}

// A bomb inside an item is the business of who reads the item: it passes as
// text, and Node refuses it.
func TestReadLeavesABombInsideAnItemAlone(t *testing.T) {
	bomb := strings.ReplaceAll(strings.TrimSuffix(aliasBomb("x", "[a]"), "\n"), "\n", "\n  ")
	text := header1 + "items:\n- " + bomb + "\n  kind: Bomb\n- kind: Next\n"
	list := mustRead(t, text)
	assert.Equal(t, text, string(rendered(list, list.Items, nil, nil)))
	assert.Equal(t, "Bomb", list.Items[0].Kind)
	rep := &Report{}
	_, ok := list.Items[0].Node(rep)
	assert.False(t, ok)
	assert.Equal(t, "yaml-alias-limit", rep.Findings()[0].Code)
}

// A short text of deep maps must not become a huge one in block style.
func TestReadBoundsBlockStyle(t *testing.T) {
	deep := `{"a":` + strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9001)
	list := mustRead(t, `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[`+deep+`]}`)
	assert.Less(t, len(rendered(list, list.Items, nil, nil)), 2*len(deep))
}

func TestReadVersionsAndEmptyItems(t *testing.T) {
	for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
		for _, items := range []string{"", "items:\n", "items: []\n", "items: null\n", "items: ~\n"} {
			list := mustRead(t, "apiVersion: config.kubernetes.io/"+version+"\nkind: ResourceList\n"+items)
			assert.Empty(t, list.Items)
			assert.Nil(t, list.Config)
			assert.Equal(t, "apiVersion: config.kubernetes.io/"+version+"\nkind: ResourceList\nitems: []\n", string(rendered(list, nil, nil, nil)))
		}
	}
	for _, config := range []string{"null", "{}", ""} {
		assert.Nil(t, mustRead(t, header1+"functionConfig: "+config+"\n").Config)
	}
}

func TestReadJSON(t *testing.T) {
	list := mustRead(t, `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[
  {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{"on":"y","n":1}},"data":{"k":"1"},"list":[1,[],{}]}],
  "functionConfig":{"kind":"X"}}`)
	assert.Equal(t, map[string]string{"on": "y"}, list.Items[0].Annotations)
	assert.Equal(t, header1Quoted+`items:
- apiVersion: "v1"
  kind: "ConfigMap"
  metadata:
    name: "a"
    annotations:
      "on": "y"
      "n": 1
  data:
    k: "1"
  list:
  - 1
  - []
  - {}
functionConfig:
  kind: "X"
`, string(rendered(list, list.Items, nil, nil)))
}

const header1Quoted = "apiVersion: \"config.kubernetes.io/v1\"\nkind: \"ResourceList\"\n"

// Hosts pass files that are no complete objects; the fields that cannot be read
// are as good as none.
func TestReadToleratesIncompleteItems(t *testing.T) {
	for text, want := range map[string]Item{
		"metadata:\n    annotations:\n      config.kubernetes.io/path: 'x.yaml'\n  replicas: 3\n":                    {Annotations: map[string]string{"config.kubernetes.io/path": "x.yaml"}},
		"bareSeqNodeWrappingKey:\n  - a\n  - b\n":                                                                    {},
		"kind: X\n  metadata:\n    name: 123\n    namespace: null\n    uid: {}\n":                                    {Kind: "X", Name: "123"},
		"kind: [X]\n  apiVersion: ~\n  metadata: name\n":                                                             {},
		"metadata:\n    name: a\n    annotations:\n":                                                                 {Name: "a"},
		"metadata:\n    name: a\n    annotations: null\n":                                                            {Name: "a"},
		"metadata:\n    annotations: {a: 1, b: yes, c: null, d: [], e: x, f: ''}\n":                                  {Annotations: map[string]string{"b": "yes", "e": "x", "f": ""}},
		"metadata:\n    annotations:\n      a: 1\n      b: \"1\"\n      c: |\n        x\n      d: |-\n        y\n\n": {Annotations: map[string]string{"b": "1", "c": "x\n", "d": "y"}},
		"metadata:\n    annotations:\n      a: |+\n         x\n           y\n\n         z\n\n\n":                     {Annotations: map[string]string{"a": "x\n  y\n\nz\n\n\n"}},
		"metadata:\n    annotations:\n    - a\n":                                                                     {},
		"metadata:\n  - name: a\n":                                                                                   {},
		"metadata:\n    name: first\n    name: second\n":                                                             {Name: "first"},
		"metadata:\n    name: a\n  spec:\n    metadata:\n      name: b\n    name: c\n    kind: D\n":                  {Name: "a"},
	} {
		list := mustRead(t, header1+"items:\n- "+text)
		item := *list.Items[0]
		item.text = ""
		assert.Equal(t, want, item, "%s", text)
		assert.Equal(t, header1+"items:\n- "+text, string(rendered(list, list.Items, nil, nil)))
	}
}

// Comments go with the item that follows them, and stay where they are.
func TestRenderDropsAnItemWithItsComments(t *testing.T) {
	list := mustRead(t, `# head
apiVersion: config.kubernetes.io/v1
kind: ResourceList
# of the items
items:
  # of a
  - kind: A # inline
    text: |
      a

      # no comment

  # of b

  # as well
  - kind: B
# at the end
# of the config
functionConfig:
  kind: C
other:
- x
# last
`)
	assert.Equal(t, `# head
apiVersion: config.kubernetes.io/v1
kind: ResourceList
# of the items
items:
  # of b

  # as well
  - kind: B
  - apiVersion: v1
    kind: Namespace
    metadata:
      name: made
# at the end
# of the config
functionConfig:
  kind: C
other:
- x
results:
- message: "a.yaml: sorry [some-code]"
  severity: error
  file:
    path: a.yaml
  tags:
    code: "some-code"
    source: "provision-tenants"
# last
`, string(rendered(list, list.Items[1:], []*Object{{APIVersion: "v1", Kind: "Namespace", Name: "made"}},
		[]Finding{{Error, "some-code", Pos{File: "a.yaml"}, "sorry", "", ""}})))
}

func TestItemNode(t *testing.T) {
	list := mustRead(t, header1+"items:\n  # comment\n  - kind: A\n    metadata:\n      name: a\n    spec: {list: [{x: y}]}\n  - {kind: B, kind: B}\nfunctionConfig:\n  spec: {z: 1}\n")
	rep := &Report{}
	node, ok := list.Items[0].Node(rep)
	require.True(t, ok)
	x := node.Get("spec").Get("list").Items[0].Get("x")
	assert.Equal(t, "y", x.Text)
	assert.Equal(t, Pos{Object: Identity{"", "A", "", "a"}, Field: "spec.list[0].x"}, x.Pos)
	config, ok := list.Config.Node(rep)
	require.True(t, ok)
	assert.Equal(t, "1", config.Get("spec").Get("z").Text)
	assert.Empty(t, rep.Findings())
	_, ok = list.Items[1].Node(rep)
	assert.False(t, ok)
	assert.Equal(t, "yaml-duplicate-key", rep.Findings()[0].Code)
	_, ok = (&Item{}).Node(rep)
	assert.False(t, ok)
}

// rendered is what Render writes.
func rendered(l *List, items []*Item, objects []*Object, findings []Finding) []byte {
	var b bytes.Buffer
	if err := l.Render(&b, items, objects, findings); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

func TestItemPathIsTheFirstThatIsNotEmpty(t *testing.T) {
	for _, annotations := range []string{
		"internal.config.kubernetes.io/path: ''\n      config.kubernetes.io/path: a/b.yaml\n      internal.config.kubernetes.io/index: ''\n      config.kubernetes.io/index: '2'",
		"internal.config.kubernetes.io/path: a/b.yaml\n      config.kubernetes.io/path: other.yaml\n      internal.config.kubernetes.io/index: '2'\n      config.kubernetes.io/index: '3'",
	} {
		list, err := Read([]byte(header1 + "items:\n- kind: A\n  metadata:\n    annotations:\n      " + annotations + "\n"))
		require.NoError(t, err)
		assert.Equal(t, "a/b.yaml", list.Items[0].Path())
		assert.Equal(t, 2, list.Items[0].Index())
	}
}

// In flow style the library reads the list, and aliases become copies.
func TestReadBoundsAliases(t *testing.T) {
	_, err := Read([]byte(header1 + "x: &a " + strings.Repeat("x", 71_000) + "\nitems: [{b: [" + strings.Repeat("*a, ", 9_990) + "]}]\n"))
	require.EqualError(t, err, "the aliases expand to more than 1048576 bytes")
	_, err = Read([]byte(strings.Repeat("%TAG !a! tag:x\n", 68_000) + "---\n" + header1 + "items: []\n"))
	require.EqualError(t, err, "the input is not YAML: line 11: more than 10 lines begin with `%`")
}
