package e2e

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestGoldensAreAccepted asks the API server, which has Flux's definitions, about
// every Namespace and every object of Flux that a golden case makes. What else a
// case emits is a stand-in for somebody's file.
func TestGoldensAreAccepted(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, "testdata/golden/*.txtar"))
	require.NoError(t, err)
	kinds := map[string]int{}
	for _, file := range files {
		for _, o := range made(t, file) {
			kinds[o.GetKind()]++
			name := title(o)
			namespaced, err := cluster.IsObjectNamespaced(o)
			if err == nil && namespaced {
				o.SetNamespace("default") // those of the cases are not there
			}
			if err == nil {
				err = cluster.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(o), client.DryRunAll, client.FieldOwner("golden"))
			}
			assert.NoError(t, err, "%s: %s", filepath.Base(file), name)
		}
	}
	t.Log(kinds)
	assert.NotZero(t, kinds[namespaces.Kind])
	assert.NotZero(t, kinds[artifacts.Kind])
}

// made are the objects in the output of a case that are for a cluster, ours and
// new.
func made(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	type list struct{ Items []map[string]any }
	var before, after list
	for _, section := range archive.Files {
		var items list
		switch {
		case yaml.Unmarshal(section.Data, &items) != nil: // no list
		case section.Name == "want/stdout.yaml":
			after = items
		case !strings.HasPrefix(section.Name, "want/"):
			before.Items = append(before.Items, items.Items...)
		}
	}
	var objects []*unstructured.Unstructured
	for _, item := range after.Items {
		o := &unstructured.Unstructured{Object: item}
		annotations, group := o.GetAnnotations(), o.GroupVersionKind().Group
		ours := annotations["provision-tenants.fn.kpt.dev/owner"] != "" && annotations["config.kubernetes.io/local-config"] == ""
		known := o.GroupVersionKind() == namespaces || strings.HasSuffix(group, ".toolkit.fluxcd.io")
		was := slices.ContainsFunc(before.Items, func(b map[string]any) bool { return reflect.DeepEqual(b, item) })
		if ours && known && !was {
			objects = append(objects, o)
		}
	}
	return objects
}
