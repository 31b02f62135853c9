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
	// before happens while the namespace is there, after it was first applied.
	before func(*fleet, session)
}

var situations = []situation{
	{name: "`prune: true`", prune: true},
	{name: "`prune: false`"},
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
					f := newFleet(t, fmt.Sprintf("cell-%d%d%d", i, j, k), options{prune: s.prune}, "reef", "tide")
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
	if s.before != nil {
		s.before(f, session)
	}
	w.leave(f, session)
	after, there := live(f.T, name)
	if !there {
		return "deleted"
	}
	assert.Equal(f, before.GetUID(), after.GetUID())
	return "stays"
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
