package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A way is how a namespace leaves: a row of the table.
type way struct {
	name  string
	leave func(*fleet, session)
}

// ways are how a namespace leaves an applier: with its directory, or with all
// that the applier applied.
func (a applier) ways() []way {
	ways := []way{{a.name, func(f *fleet, s session) { f.leave("reef"); f.deliver(s) }}}
	if a.destroys != "" {
		ways = append(ways, way{a.destroys, func(_ *fleet, s session) { s.destroy() }})
	}
	return ways
}

// A situation is a column: what a namespace is when it leaves.
type situation struct {
	name  string
	prune bool
	// handed is set when a ResourceSet has taken over, lost when it has gone then.
	handed, lost bool
}

var situations = []situation{
	{name: "`prune: true`", prune: true},
	{name: "`prune: false`"},
	{name: "handed to a ResourceSet", prune: true, handed: true},
	{name: "handed to one that has gone", prune: true, handed: true, lost: true},
}

// TestNamespacesThatLeave fills the table of the README: for each applier what
// became of a namespace that left, by its directory or with all that it came
// with.
func TestNamespacesThatLeave(t *testing.T) {
	var table strings.Builder
	row := func(cells ...string) { table.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	heads, rule := []string{"a namespace leaves"}, "|---|"
	for _, s := range situations {
		heads, rule = append(heads, s.name), rule+"---|"
	}
	row(heads...)
	table.WriteString(rule + "\n")
	complete := true
	for i, a := range appliers {
		for j, w := range a.ways() {
			cells := []string{w.name}
			for k, s := range situations {
				t.Run(w.name+"/"+s.name, func(t *testing.T) {
					needs(t, a.needs...)
					f := newFleet(t, fmt.Sprintf("cell-%d%d%d", i, j, k), options{prune: s.prune, state: s.handed, appliers: a.appliers}, "reef", "tide")
					cells = append(cells, observe(f, a.open(t, f), s, w))
				})
			}
			complete = complete && len(cells) == len(heads)
			row(cells...)
		}
	}
	if complete {
		assertTable(t, table.String())
	}
}

// observe tells what becomes of a namespace.
func observe(f *fleet, session session, s situation, w way) string {
	f.Helper()
	f.deliver(session)
	name := f.namespace("reef")
	before, there := live(f.T, name)
	require.True(f, there, "applied")
	if s.handed {
		f.handOver(session, name)
	}
	if s.lost {
		f.loseFinalizer(session, name)
	}
	w.leave(f, session)
	after, there := live(f.T, name)
	if !there {
		return "deleted"
	}
	assert.Equal(f, before.GetUID(), after.GetUID())
	if s.handed {
		assert.Equal(f, after.GetAnnotations()[externalFinalizer], after.GetAnnotations()[finalizedBy], "the record says who deletes it")
		f.finalize(session, name)
	}
	return "stays"
}

const (
	externalFinalizer = "source.extensions.fluxcd.io/externalFinalizer"
	finalizedBy       = "provision-tenants.fn.kpt.dev/finalized-by"
)

// handOver lets a ResourceSet take over a namespace: it writes a reference to
// itself, and the next revision tells the applier.
func (f *fleet) handOver(session session, namespace string) {
	f.Helper()
	f.write("set.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: flux-system}\n---\n"+
		"apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: "+f.name+", namespace: flux-system}\n")
	must(f.T, f.dir, "kubectl apply -f set.yaml")
	set, err := get(sets, "flux-system", f.name)
	require.NoError(f, err)
	reference := "fluxcd.controlplane.io/v1/ResourceSet/flux-system/" + f.name + "/" + string(set.GetUID())
	must(f.T, f.dir, "kubectl annotate --field-manager=resourceset namespace "+namespace+" "+externalFinalizer+"="+reference)
	f.deliver(session)
	o, there := live(f.T, namespace)
	require.True(f, there)
	assert.Equal(f, reference, o.GetAnnotations()[externalFinalizer], "the applier must not take it away")
	assert.Equal(f, reference, o.GetAnnotations()[finalizedBy])
}

// loseFinalizer deletes the ResourceSet before it has deleted the namespace. The
// applier is in charge again, and the next revision tells it.
func (f *fleet) loseFinalizer(session session, namespace string) {
	f.Helper()
	must(f.T, f.dir, "kubectl delete resourceset -n flux-system "+f.name)
	f.deliver(session)
	o, there := live(f.T, namespace)
	require.True(f, there)
	assert.NotContains(f, o.GetAnnotations(), finalizedBy)
}

// finalize does what the ResourceSet does in the end, and shows that nobody makes
// the namespace anew.
func (f *fleet) finalize(session session, namespace string) {
	f.Helper()
	must(f.T, f.dir, "kubectl delete namespace "+namespace)
	if _, there := live(f.T, f.namespace("tide")); there { // all of it has not been deleted
		f.deliver(session)
	}
	_, there := live(f.T, namespace)
	assert.False(f, there, "it must not be made anew")
}

var observed = regexp.MustCompile(`(?m)^<!-- observed -->\n(?:\n?\|.*\n)*`)

func assertTable(t *testing.T, table string) {
	t.Helper()
	path := filepath.Join(repository, "README.md")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, observed.FindAll(data, -1), 1)
	current := observed.ReplaceAllLiteralString(string(data), "<!-- observed -->\n\n"+table)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(current), 0o644))
		return
	}
	assert.Equal(t, current, string(data), "run make e2e ARGS=-update")
}
