package e2e

import (
	"fmt"
	"testing"
)

// kptLive renders in place and applies the package with its inventory.
var kptLive = applier{
	name:     "`kpt live apply`",
	destroys: "`kpt live destroy`",
	needs:    []string{"kpt"},
	open: func(t *testing.T, f *fleet) session {
		t.Helper()
		f.kpt = true
		must(t, f.dir, "kpt live init . --namespace default --name "+f.name)
		wait := fmt.Sprintf(" --reconcile-timeout=%[1]s --prune-timeout=%[1]s", patience)
		return session{
			apply: func() {
				t.Helper()
				must(t, f.dir, "kpt live apply"+wait)
			},
			destroy: func() { t.Helper(); must(t, f.dir, "kpt live destroy") },
		}
	},
}
