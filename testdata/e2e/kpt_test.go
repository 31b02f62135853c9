package e2e

import "testing"

// kptLive renders in place and applies the package with its inventory.
var kptLive = applier{
	name:     "`kpt live apply`",
	destroys: "`kpt live destroy`",
	needs:    []string{"kpt"},
	open: func(t *testing.T, f *fleet) session {
		t.Helper()
		f.kpt = true
		must(t, f.dir, "kpt live init . --namespace default --name "+f.name)
		const wait = " --reconcile-timeout=1m --prune-timeout=1m"
		return session{
			apply: func() {
				t.Helper()
				must(t, f.dir, "kpt live apply"+wait)
			},
			destroy: func() { t.Helper(); must(t, f.dir, "kpt live destroy") },
		}
	},
}
