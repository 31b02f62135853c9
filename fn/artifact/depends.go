package artifact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Order is in which order the modules of a namespace want to be applied: their
// `dependsOn`. It warns about an entry that names no module of the namespace, and
// about modules that wait for each other. Entries with another `namespace` are not
// checked.
type Order struct {
	namespace string
	// modules are all of the namespace, sorted.
	modules []string
	waits   map[string][]dependency
	// files are those of the inputs.
	files map[string]string
	rep   *krm.Report
}

// NewOrder begins with all modules of a namespace.
func NewOrder(namespace string, modules []string, rep *krm.Report) *Order {
	return &Order{namespace, slices.Sorted(slices.Values(modules)), map[string][]dependency{}, map[string]string{}, rep}
}

// dependency is one entry of `dependsOn`. There can be many: it holds of its place
// what it needs.
type dependency struct {
	name         string
	line, column int
}

// maxUnknown bounds the warnings about the dependencies of one module.
const maxUnknown = 20

// Add takes over the `dependsOn` of a module's inputs.
func (o *Order) Add(module string, inputs *krm.Node) {
	var unknown []krm.Str
	for _, name := range o.dependencies(inputs) {
		if _, known := slices.BinarySearch(o.modules, name.Text); !known {
			unknown = append(unknown, name)
			continue
		}
		o.waits[module] = append(o.waits[module], dependency{name.Text, name.Pos.Line, name.Pos.Column})
		o.files[module] = name.Pos.File
	}
	for i, name := range unknown {
		if i == maxUnknown {
			o.rep.Warnf("depends-on-unknown", name.Pos, "", "module %q of namespace %q depends on %d more modules, which the namespace lacks",
				module, o.namespace, len(unknown)-maxUnknown)
			return
		}
		o.rep.Warnf("depends-on-unknown", name.Pos, nearestModule(name.Text, o.modules),
			"module %q of namespace %q depends on %q, which the namespace lacks", module, o.namespace, shown(name.Text))
	}
}

// dependencies reads `dependsOn: [{name: x}]` as far as it has that form: what
// inputs mean is for their reader to say.
func (o *Order) dependencies(inputs *krm.Node) []krm.Str {
	list := inputs.Get("dependsOn")
	if list == nil {
		return nil
	}
	var found []krm.Str
	seen := map[string]bool{}
	for _, entry := range list.Items {
		name, elsewhere := entry.Get("name"), entry.Get("namespace")
		if name == nil || name.Kind != krm.StringNode || elsewhere != nil && elsewhere.Text != o.namespace || seen[name.Text] {
			continue
		}
		seen[name.Text] = true
		found = append(found, name.Str())
	}
	return found
}

func nearestModule(name string, modules []string) string {
	if near, found := krm.Nearest(name, modules); found {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// Check walks from each module, by name, to what it waits for, and warns of the
// entries that lead back to a module on the way: for each such module the first
// one. All modules have been added.
func (o *Order) Check() {
	c := cycles{Order: o, seen: map[string]progress{}}
	for _, module := range o.modules {
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
	*Order
	seen map[string]progress
	way  []string
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
			c.warn(module, d)
		}
	}
	c.seen[module] = max(c.seen[module], done)
	c.way = c.way[:len(c.way)-1]
}

func (c *cycles) warn(module string, d dependency) {
	const most = 10
	cycle := slices.Clone(c.way[slices.Index(c.way, d.name):])
	if len(cycle) > most {
		cycle = append(cycle[:most], "…")
	}
	c.rep.Warnf("depends-on-cycle", krm.Pos{File: c.files[module], Line: d.line, Column: d.column}, "remove one of the dependencies",
		"modules of namespace %q wait for each other: %s", c.namespace, strings.Join(append(cycle, d.name), " -> "))
}
