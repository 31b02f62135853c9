package artifact

import (
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// CheckDependsOn warns about the `dependsOn` of a namespace's exported inputs:
// an entry that names no module of the namespace, and modules that wait for each
// other. inputs has a key for every module of the namespace, nil for one without
// inputs. Entries with another `namespace` are not checked.
func CheckDependsOn(namespace string, inputs map[string]*krm.Node, rep *krm.Report) {
	waits := map[string][]dependency{}
	for _, module := range slices.Sorted(maps.Keys(inputs)) {
		for _, d := range dependencies(namespace, inputs[module]) {
			if _, known := inputs[d.name]; !known {
				rep.Warnf("depends-on-unknown", d.pos, nearestModule(d.name, inputs),
					"module %q of namespace %q depends on %q, which the namespace lacks", module, namespace, shown(d.name))
				continue
			}
			waits[module] = append(waits[module], d)
		}
	}
	warnCycles(namespace, waits, rep)
}

// dependency is one entry of `dependsOn`.
type dependency struct {
	name string
	pos  krm.Pos
}

// dependencies reads `dependsOn: [{name: x}]` as far as it has that form: what
// inputs mean is for their reader to say.
func dependencies(namespace string, inputs *krm.Node) []dependency {
	list := inputs.Get("dependsOn")
	if list == nil {
		return nil
	}
	var found []dependency
	seen := map[string]bool{}
	for _, entry := range list.Items {
		name, elsewhere := entry.Get("name"), entry.Get("namespace")
		if name == nil || name.Kind != krm.StringNode || elsewhere != nil && elsewhere.Text != namespace || seen[name.Text] {
			continue
		}
		seen[name.Text] = true
		found = append(found, dependency{name.Text, name.Pos})
	}
	return found
}

func nearestModule(name string, inputs map[string]*krm.Node) string {
	if near, found := krm.Nearest(name, slices.Sorted(maps.Keys(inputs))); found {
		return "did you mean " + near + "?"
	}
	return ""
}

// warnCycles walks from each module, by name, to what it waits for, and reports
// the entries that lead back to a module on the way: for each such module the
// first one.
func warnCycles(namespace string, waits map[string][]dependency, rep *krm.Report) {
	c := cycles{namespace: namespace, waits: waits, rep: rep, seen: map[string]progress{}}
	for _, module := range slices.Sorted(maps.Keys(waits)) {
		c.visit(module)
	}
}

type progress int

const (
	onTheWay progress = 1 + iota
	done
	reported
)

type cycles struct {
	namespace string
	waits     map[string][]dependency
	rep       *krm.Report
	seen      map[string]progress
	way       []string
}

func (c *cycles) visit(module string) {
	if c.seen[module] != 0 {
		return
	}
	c.seen[module] = onTheWay
	c.way = append(c.way, module)
	for _, d := range c.waits[module] {
		c.visit(d.name)
		if c.seen[d.name] == onTheWay {
			c.seen[d.name] = reported
			c.warn(d)
		}
	}
	c.seen[module] = max(c.seen[module], done)
	c.way = c.way[:len(c.way)-1]
}

func (c *cycles) warn(d dependency) {
	const most = 10
	cycle := slices.Clone(c.way[slices.Index(c.way, d.name):])
	if len(cycle) > most {
		cycle = append(cycle[:most], "…")
	}
	c.rep.Warnf("depends-on-cycle", d.pos, "remove one of the dependencies",
		"modules of namespace %q wait for each other: %s", c.namespace, strings.Join(append(cycle, d.name), " -> "))
}
