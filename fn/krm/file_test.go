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
