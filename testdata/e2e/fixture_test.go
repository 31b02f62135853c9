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

// TestFixture20 goes from the tree `before` to each of the others, which may be
// missing, and back.
func TestFixture20(t *testing.T) {
	t.Parallel()
	for _, a := range appliers {
		if a.destroys == "" {
			continue // the next applier needs an empty cluster
		}
		t.Run(a.name, func(t *testing.T) {
			needs(t, append(a.needs, "kubectl")...)
			keepBystanders(t)
			f := newFleet(t, "tenant", options{})
			config, err := os.ReadFile(filepath.Join(lifecycle, "function-config.yaml"))
			require.NoError(t, err)
			session := a.open(t, f)
			before := func(when string) {
				t.Helper()
				f.settle()
				f.write("function-config.yaml", string(config))
				f.tree("before")
				f.deliver(session)
				f.assertHere(f.expected([]string{"a/m", "b/m", "c/m"}), when)
			}
			before("first")
			for _, change := range changes {
				if change.after == "not-cloned" {
					f.write("function-config.yaml", strings.Replace(string(config), "directory: .", "directory: not-cloned", 1))
				} else {
					f.tree(change.after)
				}
				r := run(t, f.dir, f.rendering())
				if f.kpt && change.status != 0 { // which has statuses of its own
					assert.NotZero(t, r.status)
				} else {
					assert.Equal(t, change.status, r.status, r.stderr)
				}
				session.apply()
				f.assertHere(f.expected(change.tenants), change.after)
				before("after " + change.after)
			}
			session.destroy()
			f.settle()
			assert.Empty(t, f.here())
		})
	}
}

// tree replaces the tenants by those of a tree of the fixture.
func (f *fleet) tree(name string) {
	f.Helper()
	f.remove("tenants")
	require.NoError(f, os.CopyFS(f.dir, os.DirFS(filepath.Join(lifecycle, name))))
}

// settle waits until namespaces of the fleet that are on their way out have gone.
func (f *fleet) settle() {
	f.Helper()
	require.NoError(f, poll(func() (bool, error) {
		return !slices.ContainsFunc(list(f.T, namespaces), func(o unstructured.Unstructured) bool {
			return strings.HasPrefix(o.GetName(), f.name+"-") && o.GetDeletionTimestamp() != nil
		}), nil
	}))
}
