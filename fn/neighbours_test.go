package fn

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// handOver is the list that a host makes of the files of a package; false when it
// refuses one.
func handOver(t *testing.T, files map[string]string) ([]byte, bool) {
	t.Helper()
	var all []*yaml.RNode
	for name, text := range files {
		reader := kio.ByteReader{
			Reader: strings.NewReader(text), PreserveSeqIndent: true, WrapBareSeqNode: true,
			SetAnnotations: map[string]string{krm.PathKey: name, krm.InternalPathKey: name},
		}
		nodes, err := reader.Read()
		if err != nil {
			return nil, false
		}
		all = append(all, nodes...)
	}
	var list bytes.Buffer
	err := kio.ByteWriter{
		Writer: &list, KeepReaderAnnotations: true, WrappingKind: kio.ResourceListKind, WrappingAPIVersion: kio.ResourceListAPIVersion,
		FunctionConfig: yaml.MustParse(files["function-config.yaml"]),
	}.Write(all)
	return list.Bytes(), err == nil
}

// objectsOf are the objects of a namespace as they are written, "" when the run
// fails.
func objectsOf(t *testing.T, list []byte, namespace string) string {
	t.Helper()
	in, err := krm.Read(list)
	require.NoError(t, err)
	rep := &krm.Report{}
	_, objects := render(in, nil, rep)
	var text []byte
	if rep.Failed() {
		return ""
	}
	for _, o := range objects {
		if o.Namespace == namespace || o.Name == namespace {
			text = o.AppendYAML(text, 0)
		}
	}
	return string(text)
}

// Whatever a tenant writes, the objects of another tenant stay what they are, the
// digests of its files among them. The list comes as hosts write it.
func TestItemsOfANeighbour(t *testing.T) {
	sample := snapshot(t, "../testdata/hosts/kpt-render-container")
	want, ok := handOver(t, sample)
	require.True(t, ok)
	reef := objectsOf(t, want, "tenant-reef")
	require.Equal(t, 2, strings.Count(reef, "\nkind: "))
	for _, text := range []string{
		"a: b\n", "- a\n", "{\"a\": [1, {\"b\": null}]}", "a: &x {b: c}\nd: *x\n", "a: \"\\u2028\\x85\"\nb: é\n", "a: 1\na: 2\n", "? [a]\n: b\n",
		"# x\n\n# y\na: b # z\n\n# end\n", "a: |2\n   x\n\n\nb: >+\n  y\n\n", "<<: {a: b}\n", "a: !!binary aGk=\n", "---\na: b\n---\n- c\n...\n",
		"metadata:\n  annotations:\n    config.kubernetes.io/path: tenants/tenant-reef/namespace-metadata.yaml\n    kustomize.config.k8s.io/id: x\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  annotations: {config.kubernetes.io/local-config: \"true\", provision-tenants.fn.kpt.dev/path: tenants/tenant-reef/namespace-metadata.yaml}\ndata: {a: b}\n",
		"items:\n- a\nfunctionConfig: {}\nresults: []\n",
	} {
		files := maps.Clone(sample)
		files["tenants/tenant-tide/modules/web/manifests/evil.yaml"] = text
		got, ok := handOver(t, files)
		require.True(t, ok, text)
		assert.Equal(t, reef, objectsOf(t, got, "tenant-reef"), text)
	}
}
