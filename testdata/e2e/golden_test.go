package e2e

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/fluxcd/pkg/ssa/utils"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestGoldensAreAccepted asks the API server, which has Flux's definitions, about
// every object that a golden case emits.
func TestGoldensAreAccepted(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, "testdata/golden/*.txtar"))
	require.NoError(t, err)
	kinds := map[string]int{}
	for _, file := range files {
		for _, o := range emitted(t, file) {
			namespaced, err := cluster.IsObjectNamespaced(o)
			if !assert.NoError(t, err, "%s: %s: install its definition", filepath.Base(file), title(o)) {
				continue
			}
			kinds[o.GetKind()]++
			name := title(o)
			if namespaced {
				o.SetNamespace("default") // those of the cases are not there
			}
			assert.NoError(t, cluster.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(o), client.DryRunAll, client.FieldOwner("golden")), "%s: %s", filepath.Base(file), name)
		}
	}
	t.Log(kinds)
	assert.NotZero(t, kinds[namespaces.Kind])
	assert.NotZero(t, kinds[artifacts.Kind])
}

// emitted are the objects of ours, and for a cluster, in the output of a case.
func emitted(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	sections := map[string][]byte{}
	for _, section := range archive.Files {
		sections[section.Name] = section.Data
	}
	if string(bytes.TrimSpace(sections["want/status"])) != "0" {
		return nil
	}
	var output struct{ Items []map[string]any }
	if yaml.Unmarshal(sections["want/stdout.yaml"], &output) != nil {
		return nil // bare documents
	}
	var objects []*unstructured.Unstructured
	for _, item := range output.Items {
		o := &unstructured.Unstructured{Object: item}
		annotations := o.GetAnnotations()
		if annotations["provision-tenants.fn.kpt.dev/owner"] != "" && annotations["config.kubernetes.io/local-config"] == "" && !utils.IsKustomization(o) {
			objects = append(objects, o)
		}
	}
	return objects
}
