package krm

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// The tests here do with the library of the hosts what hosts do with a file: read
// it, hand it over as items, and write it.

// readAsHost reads the documents of a file.
func readAsHost(name, text string) ([]*yaml.RNode, error) {
	reader := kio.ByteReader{
		Reader: strings.NewReader(text), PreserveSeqIndent: true, WrapBareSeqNode: true,
		SetAnnotations: map[string]string{InternalPathKey: name, PathKey: name, packagePathAnnotation: "/src/pkg"},
	}
	return reader.Read()
}

// writeAsHost is the file that comes of its documents.
func writeAsHost(nodes []*yaml.RNode) (string, error) {
	var b bytes.Buffer
	err := kio.ByteWriter{Writer: &b, ClearAnnotations: []string{InternalPathKey, PathKey, packagePathAnnotation}}.Write(nodes)
	return b.String(), err
}

// handOver is the list that a function gets.
func handOver(t *testing.T, nodes []*yaml.RNode) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, kio.ByteWriter{
		Writer: &b, KeepReaderAnnotations: true, WrappingKind: kio.ResourceListKind, WrappingAPIVersion: kio.ResourceListAPIVersion,
	}.Write(nodes))
	return b.String()
}

// fileIn is the file that all items of a list are.
func fileIn(t *testing.T, name, list string) string {
	t.Helper()
	in, err := Read([]byte(list))
	require.NoError(t, err, list)
	text, err := NewFile(name, in.Items).Read()
	require.NoError(t, err, list)
	return string(text)
}

func TestFilesAreWhatHostsWrite(t *testing.T) {
	for name, text := range map[string]string{
		"a.yaml":         "# head\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x # line\ndata:\n  # deep\n  a: b\n  lit: |\n    a\n     b\n\n    c\n  trail: \"x  \\n y\"\n  q: 'single'\n",
		"wide.yaml":      "a:\n  - b:\n      - c\n    d: [1, 2]\n",
		"compact.yaml":   "a:\n- b:\n  - c\n",
		"documents.yaml": "a: 1\n---\nb:\n  - 2\n---\nc:\n- 3\n",
		"flow.yaml":      "{a: b, c: [d]}\n",
		"empty.yaml":     "{}\n",
		"list.yaml":      "- a\n- b: c\n",
		"own.yaml":       "metadata:\n  name: x\n  annotations:\n    config.kubernetes.io/local-config: \"true\"\n    config.kubernetes.io/depends-on: y\n    a: b\n",
		"labels.yaml":    "metadata:\n  labels: {a: b}\nx: 1\n",
		"anchor.yaml":    "a: &x\n  b: c\nd: *x\n",
		"a.json":         "{\n  \"apiVersion\": \"v1\",\n  \"data\": {\n    \"a\": \"\\u003cb\\u003e\",\n    \"n\": 1.5\n  }\n}\n",
		"unicode.yaml":   "a: \"\\U0001F600 é\"\nb: é\nc: \"tab\\t\"\n",
	} {
		nodes, err := readAsHost(name, text)
		require.NoError(t, err, name)
		written, err := writeAsHost(nodes)
		require.NoError(t, err, name)
		require.Equal(t, text, written, "%s must be in the form in which hosts write", name)
		assert.Equal(t, text, fileIn(t, name, handOver(t, nodes)), name)
	}
}

// FuzzFile: a file in the form in which hosts write it gives itself.
func FuzzFile(f *testing.F) {
	for _, text := range []string{"a: b\n", "- a\n- b: [c]\n", "# x\n\na:\n  - b # c\n---\nd: e\n", "{a: {b: c}}", "metadata: {annotations: {a: b}}\nx: |\n  y\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, _ := pass(t, text)
		twice, list := pass(t, once)
		if once == twice && once != "" { // else it is no form that lasts
			assert.Equal(t, once, fileIn(t, "f.yaml", list))
		}
	})
}

// pass is what becomes of a file when a host hands it to a function that changes
// nothing, and the list that the function got; "" for what hosts cannot read.
func pass(t *testing.T, text string) (written, list string) {
	t.Helper()
	nodes, err := readAsHost("f.yaml", text)
	if err != nil || len(nodes) == 0 {
		return "", ""
	}
	list = handOver(t, nodes)
	back, err := (&kio.ByteReader{Reader: strings.NewReader(list), OmitReaderAnnotations: true}).Read()
	if err != nil {
		return "", ""
	}
	written, err = writeAsHost(back)
	if err != nil {
		return "", ""
	}
	return written, list
}

// However a file is written, its text is not needed to know that it is large.
func TestLeast(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		text.WriteString("- " + string(rune('a'+i%26)) + "\n")
	}
	nodes, err := readAsHost("f.yaml", text.String())
	require.NoError(t, err)
	in, err := Read([]byte(handOver(t, nodes)))
	require.NoError(t, err)
	least := NewFile("f.yaml", in.Items).Least()
	assert.LessOrEqual(t, least, int64(text.Len()))
	assert.Greater(t, least, int64(text.Len()/4))
}

// A short file must not become a long one.
func TestFileOfAliases(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	item := "- a: &a [" + long + "]\n  b: [" + strings.TrimSuffix(strings.Repeat("*a, ", 1000), ", ") + "]\n"
	in, err := Read([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + item))
	require.NoError(t, err)
	_, err = NewFile("f.json", in.Items).Read()
	require.ErrorContains(t, err, "the aliases expand to more than")
	text, err := NewFile("f.yaml", in.Items).Read()
	require.NoError(t, err)
	assert.Less(t, len(text), 2*len(long))
}

// FuzzItemsAsFiles: no item makes a run fail in any other way than by an error.
func FuzzItemsAsFiles(f *testing.F) {
	for _, text := range []string{"a: b", "- a", "{a: &a [b], c: *a}", "apiVersion: v1\nkind: ConfigMap\nmetadata: {annotations: {config.kubernetes.io/local-config: x}}\ndata: {a: b}", "binaryData: {a: //4A}", "data: &d\n  <<: *d\n", "metadata: &m {annotations: *m}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in, err := Read([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"))
		if err != nil {
			return
		}
		for _, item := range in.Items {
			before := item.text
			for _, name := range []string{"f.yaml", "f.json"} {
				first, err := NewFile(name, []*Item{item}).Read()
				second, again := NewFile(name, []*Item{item}).Read()
				assert.Equal(t, first, second)
				assert.Equal(t, err == nil, again == nil)
			}
			if held, err := item.HeldFile(); err == nil {
				assert.False(t, held.Rewritten())
			}
			assert.Equal(t, before, item.text)
		}
	})
}
