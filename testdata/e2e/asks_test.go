package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// asks are what a platform team can ask of appliers besides keeping a namespace.
var asks = []string{"ssa: Merge", "ssa: IfNotPresent", "ssa: Ignore", "reconcile: Disabled"}

// TestAsks holds the README's table of what appliers can be asked against what
// they do: Flux does as it is asked, and nobody else can be asked.
func TestAsks(t *testing.T) {
	t.Parallel()
	for i, a := range []applier{kubectlApply, kptLive, flux, fluxOperator, helm} {
		for j, ask := range asks {
			t.Run(a.name+"/"+ask, func(t *testing.T) {
				needs(t, a.needs...)
				t.Parallel()
				f := newFleet(t, fmt.Sprintf("ask-%d%d", i, j), options{prune: true}, "reef", "tide")
				session := a.open(t, f)
				f.deliver(session)
				name := f.namespace("reef")
				o, _ := live(t, name)
				note := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"annotations": {"note": "by hand"}}}`))
				require.NoError(t, cluster.Patch(context.Background(), o, note, client.FieldOwner("kubectl-annotate")))

				key, value, _ := strings.Cut(ask, ": ")
				f.options.from = fmt.Sprintf(`{strategy: Override, namespace: "*", labels: {asked: "true"}, annotations: {source.extensions.fluxcd.io/%s: %s}}`, key, value)
				f.configure()
				f.deliver(session)
				o, there := live(t, name)
				require.True(t, there)
				leftAlone := a.name == flux.name && ask != "ssa: Merge"
				assert.Equal(t, leftAlone, o.GetLabels()["asked"] == "", "not updated")
				assert.Equal(t, a.name == fluxOperator.name, o.GetAnnotations()["note"] == "", "fields of other managers removed")

				f.leave("reef")
				f.deliver(session) // appliers that were told to leave it alone learn that they must keep it
				f.deliver(session)
				_, there = live(t, name)
				keeps := ask == "ssa: Ignore" || ask == "reconcile: Disabled"
				assert.Equal(t, keeps || a.name == kubectlApply.name, there, "stays")
			})
		}
	}
}

// TestOnceMore stops pruning in the revision that removes a directory, which is
// too late for what appliers read from the live object: the namespace stays in the
// output until they know.
func TestOnceMore(t *testing.T) {
	t.Parallel()
	for i, a := range []applier{kubectlPrune, kubectlApplySet, kptLive, flux, fluxOperator, helm} {
		t.Run(a.name, func(t *testing.T) {
			needs(t, a.needs...)
			t.Parallel()
			f := newFleet(t, fmt.Sprintf("once-%d", i), options{prune: true}, "reef", "tide")
			session := a.open(t, f)
			f.deliver(session)
			f.options.prune = false
			f.configure()
			f.leave("reef")
			for _, stays := range []bool{true, !strings.Contains(a.name, "--prune")} { // kubectl's prunes cannot be told
				f.deliver(session)
				_, there := live(t, f.namespace("reef"))
				assert.Equal(t, stays, there, "stays")
			}
			assert.NotContains(t, f.titles(), "Namespace /"+f.namespace("reef"), "it has left the output")
		})
	}
}

// titles are those of what was rendered last.
func (f *fleet) titles() []string {
	f.Helper()
	var titles []string
	for _, o := range f.objects() {
		titles = append(titles, title(o))
	}
	return titles
}
