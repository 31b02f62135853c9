package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
	t.Parallel()
	var rows [][]string
	t.Run("cells", func(t *testing.T) {
		for i, a := range appliers {
			for j, w := range a.ways() {
				row := make([]string, len(situations)+1)
				row[0], rows = w.name, append(rows, row)
				for k, s := range situations {
					t.Run(w.name+"/"+s.name, func(t *testing.T) {
						needs(t, a.needs...)
						t.Parallel()
						f := newFleet(t, fmt.Sprintf("cell-%d%d%d", i, j, k), options{prune: s.prune, state: s.handed, appliers: a.appliers}, "reef", "tide")
						row[k+1] = observe(f, a.open(t, f), s, w)
					})
				}
			}
		}
	})
	heads := []string{"a namespace leaves"}
	for _, s := range situations {
		heads = append(heads, s.name)
	}
	assertTable(t, heads, rows)
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
	if s.handed && !s.lost {
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
	ctx := context.Background()
	set := f.resourceSet()
	require.NoError(f, cluster.Create(ctx, set))
	reference := "fluxcd.controlplane.io/v1/ResourceSet/flux-system/" + f.name + "/" + string(set.GetUID())
	claim := fmt.Sprintf(`{"metadata": {"annotations": {%q: %q}}}`, externalFinalizer, reference)
	o, _ := live(f.T, namespace)
	require.NoError(f, cluster.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(claim)), client.FieldOwner("resourceset")))
	f.deliver(session)
	o, there := live(f.T, namespace)
	require.True(f, there)
	assert.Equal(f, reference, o.GetAnnotations()[externalFinalizer], "the applier must not take it away")
	assert.Equal(f, reference, o.GetAnnotations()[finalizedBy])
}

func (f *fleet) resourceSet() *unstructured.Unstructured {
	set := &unstructured.Unstructured{}
	set.SetGroupVersionKind(sets)
	set.SetNamespace("flux-system")
	set.SetName(f.name)
	return set
}

// loseFinalizer deletes the ResourceSet before it has deleted the namespace. The
// applier is in charge again, and the next revision tells it.
func (f *fleet) loseFinalizer(session session, namespace string) {
	f.Helper()
	require.NoError(f, cluster.Delete(context.Background(), f.resourceSet()))
	f.deliver(session)
	o, there := live(f.T, namespace)
	require.True(f, there)
	assert.NotContains(f, o.GetAnnotations(), finalizedBy)
}

// finalize does what the ResourceSet does in the end, and shows that nobody makes
// the namespace anew.
func (f *fleet) finalize(session session, namespace string) {
	f.Helper()
	o, _ := live(f.T, namespace)
	require.NoError(f, cluster.Delete(context.Background(), o))
	require.NoError(f, poll(func() (bool, error) { _, err := get(namespaces, "", namespace); return apierrors.IsNotFound(err), nil }))
	if _, there := live(f.T, f.namespace("tide")); there { // all of it has not been deleted
		f.deliver(session)
	}
	_, there := live(f.T, namespace)
	assert.False(f, there, "it must not be made anew")
}

var observed = regexp.MustCompile(`(?m)^<!-- observed -->\n(?:\n?\|.*\n)*`)

// assertTable compares with the table of the README, or rewrites it. Rows without
// all their cells, because a host is missing or something else was asked for, are
// let off.
func assertTable(t *testing.T, heads []string, rows [][]string) {
	t.Helper()
	path := filepath.Join(repository, "README.md")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	before := observed.FindAllString(string(data), -1)
	require.Len(t, before, 1)
	table, complete := "<!-- observed -->\n\n| "+strings.Join(heads, " | ")+" |\n|"+strings.Repeat("---|", len(heads))+"\n", true
	for _, row := range rows {
		line := "| " + strings.Join(row, " | ") + " |\n"
		table += line
		if slices.Contains(row, "") {
			complete = false
		} else if !*update {
			assert.Contains(t, before[0], line)
		}
	}
	switch {
	case !complete:
	case *update:
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(data), before[0], table, 1)), 0o644))
	default:
		assert.Equal(t, table, before[0], "run make e2e ARGS=-update")
	}
}
