package krm

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// listSeeds are whole lists, and items in all the styles that the scanner must
// either read as YAML does or leave alone.
func listSeeds() []string {
	seeds := []string{
		"", "\n", "# only a comment\n", "null\n", "[]\n", "{}\n", "--- x\n", "text", "a: [", "\t", "%YAML 1.1\n---\n",
		header1, header1 + "items:\n", header1 + "items: null\n", header1 + "items: {}\n", header1 + "items: []\n\n", header1 + "items:\n- metadata: ~ ",
		header1 + "items:\n# nothing\n", header1 + "items: []\nresults: []\n", header1 + "results:\n", header1 + "functionConfig: {}\n",
		"---\n" + header1 + "items:\n- {}\n", header1 + "---\nitems: []\n", header1 + "...\n", header1 + "---\n",
		"\ufeff" + header1, strings.ReplaceAll(header1+"items:\n- a: b\n", "\n", "\r\n"), header1 + "items:\n- a: b\r\n- c: d\r",
		`{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "annotations": {"b": "c"}}}]}`,
		header1 + "items: [{a: b}, {c: d}]\n", header1 + "items:\n- &x {a: b}\n- *x\n", header1 + "x: &x 1\nitems:\n- a: *x\n",
		header1 + "kind: Twice\n", header1 + "items: []\nitems: []\n", "apiVersion: v1\nkind: List\nitems: []\n", "kind: ResourceList\nitems: []\n",
		"# top\n" + header1 + "# of items\nitems:\n# of the first\n- a: 1\n\n# of the second\n\n# as well\n- a: 2\n# end\n# of config\nfunctionConfig:\n  kind: X\n# last\n",
		header1 + "items:\n  # wide\n  - kind: A\n   # odd\n  - kind: B\n # end\nfunctionConfig:\n    kind: Wide\n",
		header1 + "items:\n- a\n-\n- - b\n- null\n", header1 + "items:\n- a: 'x\n\n- b'\n- c: \"\n- d\"\n",
		header1 + "items: # comment\n- a: b\n", header1 + "items:\n-   a: b\n    c: d\n- \n  e: f\n-\n  g: h\n",
		header1 + "items:\n- a: |+\n    text\n\n\n# comment\n- b: >2\n      text\n\n  more\n- c: |-\n\n\n    text\n     \n   \n", header1 + "items:\n- a: |\n    text",
		header1 + "items:\n- metadata:\n    name: a\n  metadata:\n    name: b\n- metadata:\n    name: a\n    name: b\n    annotations:\n      a: b\n      a: c\n      d:\n      e: 1\n      f: yes\n      g: null\n",
		header1 + "items:\n- metadata: &m {name: a, annotations: {<<: {a: b}, c: d}}\n  spec: *m\n- <<: {kind: A}\n  metadata:\n    <<: [{name: n}, {uid: u}]\n",
		header1 + "items:\n- metadata: &m\n    annotations: &a\n      <<: *a\n    <<: *m\n",
		header1 + "results:\n- message: kept\n  tags: {source: other}\n- message: ours\n  tags: {source: provision-tenants, code: x}\nitems: []\n",
		header1 + "items: # why\n- a: b\n", header1 + "items: [] # why\n", header1 + "items:  \n- a: b\n", header1 + "items:\n- {a: [b, # c\n}\n",
		header1 + "items:\n- {a: b,\n# c\nd: [\n- e\n]\n}\n- f: g\n", header1 + "items:\n- a: b\n---\n- c: d\n", header1 + "items:\n- a: b\n...\nx: y\n",
		header1 + "items:\n- a: \"b\n- c: d\n\"\n- e: f\n", header1 + "items:\n- a: |\n    x\u2028    y\n  b: 'x\u0085\n    y'\n  c: \ufeffz\n- d: e\n",
		header1 + "items:\n- a: b\u2028- c: d\n- e: f\n", header1 + "items:\n- a: b\u2028kind: Other\n- e: f\n", header1 + "# x\u2028items: []\nitems:\n- a: b\n",
		header1 + "items:\n- a: b\n# x\u2028- c: d\n", header1 + "items:\n# x\u2028- c: d\n- a: b\n", header1 + "items: # x\u2028- c: d\n- a: b\n",
		header1 + "items:\n- ? [a, b]\n  : c\n  ? d\n  : !!binary |\n    aGk=\n  e: &x {f: g}\n  h: *x\n  <<: *x\n- !!map\n  t: !x |\n    \tq\n",
		header1 + "items:\n- a: \u2028- b\n- c: d\u0085\n", header1 + "items:\n- a: \"\\uD83D\"\n", header1 + "items:\n- a: b\n c: d\n", header1 + " items: []\n",
	}
	for _, value := range scalarSeeds {
		seeds = append(seeds,
			header1+"items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: "+value+"\n    annotations:\n      a: "+value+"\n      b: c\n  data:\n    x: y\n",
			header1+"items:\n- kind: "+value+"\n- spec:\n  - "+value+"\n  - a: "+value+"\n    b: c\n",
		)
	}
	return seeds
}

const header1 = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

var scalarSeeds = []string{
	"plain", "two words", "a: b", "a:b", "a:", "a #b", "a # b", "a#b", "#b", "-", "- a", "-a", "? a", "?a", ": a", ":a", "*a", "&a", "&a b", "!a", "!!str 1", "%a", "@a", "`a",
	"1", "0x1f", "1e3", ".5", ".inf", "~", "null", "Null", "yes", "y", "True", "2001-01-01", "12:30:45", "=", "<<", "<", ">", ">-", "|", "|-", "|+", "|2", "| # c", "|x", "",
	`"double"`, `"a\nb"`, `"a\qb"`, `"\u00e9\U0001F600\x41\e"`, `"\uD83D"`, `"open`, `"a" # c`, `"a"# c`, `"a": b`, `"a" b`, `""`, `"#"`,
	`'single'`, `'it''s'`, `'open`, `'a' # c`, `'a'b`, `''`, `'''`,
	"[]", "{}", "{ }", "[a, b]", `["*", 'x', 1]`, "[a,b]", "[a, [b, {c: d}]]", "{a: b, \"c\": 'd'}", "[a", "[a, ]", "{a}", "{a, b: c}", "[a: b]", `[ns.startsWith("a-") || x > 'y', it's]`, "[a b , c]", "[a%@`*&!| ]", "[a\tb]", "[a ?]", "[*a]", "{a: (\"b\")}", "[é]", "[a'b\", c]", "{}x", "[] # c", "[a # c", `{"a":1}`, "[\"a\":1]",
	"|\n        text\n          more\n\n        end", "|\n\n        text", ">-\n        folded\n        text", "|\n  text", "|\n\ttext", "\n        nested: a", "\n        - nested", "\n      more", "\"a\n\n        b\"", "a\n        b",
	"é", "a é", "\u00a0", "\ufeff", "\u200b", "😀", "\x7f", "\x00", "\u0085", "\t", "a\tb", "a\t# c",
	strings.Repeat("k", 1100) + ": v", "\"" + strings.Repeat("k", 1100) + "\": v",
	strings.Repeat("- ", 70) + "a", strings.Repeat("[", 70) + strings.Repeat("]", 70), strings.Repeat("{a: ", 70) + strings.Repeat("}", 70),
}

func FuzzRead(f *testing.F) {
	for _, seed := range listSeeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(checkRead)
}

// checkRead compares what Read says with what the library says, and what Render
// writes with what came in.
func checkRead(t *testing.T, data []byte) {
	list, err := Read(data)
	docs, yamlErr := decodeYAML(data)
	if err != nil {
		assert.Nil(t, list)
		assert.NotContains(t, err.Error(), "\n")
		return
	}
	require.NoError(t, yamlErr)
	require.Len(t, docs, 1)
	checkItems(t, list, itemNodes(docs[0].Content[0]))

	text := rendered(list, list.Items, nil, nil)
	again, err := Read(text)
	require.NoError(t, err, "%s", text)
	if _, block := readBlock(string(data)); block {
		require.Equal(t, texts(list), texts(again))
	}
	checkItems(t, again, itemNodes(docs[0].Content[0]))
	require.Equal(t, list.Config == nil, again.Config == nil)
	if list.Config != nil {
		require.Equal(t, list.Config.Pos(), again.Config.Pos())
		require.Equal(t, list.Config.Annotations, again.Config.Annotations)
	}
	require.Equal(t, list.foreign, again.foreign)
	if _, block := readBlock(string(text)); !block {
		return // comments may move each time the library writes them
	}
	require.Equal(t, string(text), string(rendered(again, again.Items, nil, nil)))
	checkResults(t, list)
	for _, item := range list.Items {
		checkLocalConfig(t, item)
	}
}

// itemNodes are the items of a list as the library reads it.
func itemNodes(root *yaml.Node) []*yaml.Node {
	items := lookup(root, "items")
	if items == nil {
		return nil
	}
	return items.Content
}

func checkItems(t *testing.T, list *List, nodes []*yaml.Node) {
	require.Len(t, list.Items, len(nodes))
	for i, item := range list.Items {
		require.Equal(t, newItem(item.text, resolve(nodes[i])), item)
		alone, err := decodeEntry(item.text)
		require.NoError(t, err)
		requireSame(t, nodes[i], alone)
	}
}

// requireSame compares two trees with their aliases expanded, where that is
// possible.
func requireSame(t *testing.T, a, b *yaml.Node) {
	a, errA := copyNode(a)
	b, errB := copyNode(b)
	require.Equal(t, errA == nil, errB == nil)
	if errA == nil {
		require.True(t, sameNode(a, b))
	}
}

func texts(list *List) []string {
	texts := make([]string, len(list.Items))
	for i, item := range list.Items {
		texts[i] = item.text
	}
	return texts
}

// checkResults tells that results and objects of ours replace each other and
// that nothing else changes.
func checkResults(t *testing.T, list *List) {
	object := &Object{APIVersion: "v1", Kind: "Namespace", Name: "made"}
	finding := Finding{Warning, "some-code", Pos{File: "a.yaml", Line: 1}, "some message", "do this", ""}
	once := rendered(list, list.Items, []*Object{object}, []Finding{finding})
	again, err := Read(once)
	require.NoError(t, err, "%s", once)
	require.Len(t, again.Items, len(list.Items)+1)
	require.Equal(t, texts(list), texts(again)[:len(list.Items)])
	require.Equal(t, object.Identity(), again.Items[len(list.Items)].Identity())
	require.Equal(t, string(once), string(rendered(again, again.Items[:len(list.Items)], []*Object{object}, []Finding{finding})))
}

func checkLocalConfig(t *testing.T, item *Item) {
	edited := item.WithLocalConfig()
	value, err := decodeEntry(edited.text)
	require.NoError(t, err, "%s", edited.text)
	require.Equal(t, newItem(edited.text, value), edited)
	require.Same(t, edited, edited.WithLocalConfig())
	if edited == item {
		return
	}
	require.Equal(t, "true", edited.Annotations[LocalConfigKey])
	value, err = copyNode(value) // an alias would be edited with its anchor
	require.NoError(t, err)
	removeLocalConfig(value)
	was, err := decodeEntry(item.text)
	require.NoError(t, err)
	was, err = copyNode(was)
	require.NoError(t, err)
	removeEmpty(value)
	removeEmpty(was)
	requireSame(t, was, value)
}

// removeLocalConfig takes the annotation out again.
func removeLocalConfig(item *yaml.Node) {
	annotations := lookup(lookup(item, "metadata"), "annotations")
	for i := 0; i < len(annotations.Content); i += 2 {
		if annotations.Content[i].Value == LocalConfigKey {
			annotations.Content = slices.Delete(annotations.Content, i, i+2)
			return
		}
	}
}

// removeEmpty takes out annotations and metadata that are empty or null, which
// the edit may have made.
func removeEmpty(item *yaml.Node) {
	removeEmptyKey(lookup(item, "metadata"), "annotations")
	removeEmptyKey(item, "metadata")
}

func removeEmptyKey(node *yaml.Node, key string) {
	if node == nil || node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(node.Content); i += 2 {
		if value := node.Content[i+1]; node.Content[i].Value == key && len(value.Content) == 0 && (value.Value == "" || isNull(value)) {
			node.Content = slices.Delete(node.Content, i, i+2)
			return
		}
	}
}

func TestReadAgreesWithYAML(t *testing.T) {
	for _, seed := range listSeeds() {
		t.Run("", func(t *testing.T) { checkRead(t, []byte(seed)) })
	}
}
