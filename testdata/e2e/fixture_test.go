package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const lifecycle = repository + "/testdata/fixtures/20-lifecycle-before-after"

// changes are the trees that come after `before`, and who is there then. A tree
// that the function refuses changes nothing: what was rendered before is what is
// applied again.
var changes = []struct {
	after   string
	status  int
	tenants []string
}{
	{"after-rename", 0, []string{"a/m", "bee/m", "c/m"}},
	{"after-delete-one", 0, []string{"a/m", "c/m"}},
	{"after-modules-gone", 0, []string{"a/m", "b/m"}},
	{"after-delete-all", 3, []string{"a/m", "b/m", "c/m"}},
	{"not-cloned", 1, []string{"a/m", "b/m", "c/m"}},
}

// TestFixture20 applies the tree `before`, then one of those after it, which may
// be missing.
func TestFixture20(t *testing.T) {
	for _, a := range appliers {
		if a.destroys == "" {
			continue // the next change needs an empty cluster
		}
		for _, change := range changes {
			t.Run(a.name+"/"+change.after, func(t *testing.T) {
				needs(t, append(a.needs, "kubectl")...)
				f := newFleet(t, "tenant", options{})
				config, err := os.ReadFile(filepath.Join(lifecycle, "function-config.yaml"))
				require.NoError(t, err)
				tree := func(name string) {
					f.remove("tenants")
					require.NoError(t, os.CopyFS(f.dir, os.DirFS(filepath.Join(lifecycle, name))))
				}
				f.write("function-config.yaml", string(config))
				tree("before")
				keepBystanders(t, f)
				session := a.open(t, f)
				f.deliver(session)
				f.assertHere(f.expected([]string{"a/m", "b/m", "c/m"}), "before")

				if change.after == "not-cloned" {
					f.write("function-config.yaml", strings.Replace(string(config), "directory: .", "directory: not-cloned", 1))
				} else {
					tree(change.after)
				}
				r := run(t, f.dir, f.rendering())
				if !f.kpt { // which has statuses of its own
					assert.Equal(t, change.status, r.status, r.stderr)
				}
				assert.Equal(t, change.status == 0, r.status == 0)
				session.apply()
				f.assertHere(f.expected(change.tenants), change.after)

				session.destroy()
				require.NoError(t, poll(func() (bool, error) { return f.gone(), nil }), "all of it must go")
			})
		}
	}
}

// gone tells whether nothing of the fleet is left in the cluster.
func (f *fleet) gone() bool {
	f.Helper()
	return !slices.ContainsFunc(list(f.T, namespaces), func(o unstructured.Unstructured) bool { return strings.HasPrefix(o.GetName(), f.name+"-") })
}
