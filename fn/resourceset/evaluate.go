package resourceset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/template"
)

// Environment is what ResourceSets are evaluated in.
type Environment struct {
	// Render makes objects; without it the templates are only checked, because Flux
	// Operator will render them.
	Render bool
	// Providers are sorted by namespace and name, and so are the Artifacts.
	Providers []*Provider
	Artifacts []*Artifact
	// Partial is set when artifacts are missing because of errors: then it is no news
	// that nothing is selected.
	Partial bool
	// Control tells whether a label or annotation is an instruction that no tenant
	// may give; Forbidden, whether nobody but hosts and this function may.
	Control, Forbidden func(key string) bool
	// Find finds an object of the list that is no tenant's; nil when it is not there.
	Find func(id krm.Identity) *krm.Node
}

// Object is what a ResourceSet renders.
type Object struct {
	*krm.Object
	Set *Set
	// Origin is the `origin` annotation.
	Origin string
	// Tenant is set when it carries text of a tenant.
	Tenant bool
	// Step is where in the order of `steps` it is applied, "" without steps.
	Step string
}

// Finalized are the namespaces that ResourceSets delete in the generator's place,
// by name.
type Finalized map[string]Finalizer

// Finalizer is the ResourceSet that deletes a namespace.
type Finalizer struct {
	Owner string
	Pos   krm.Pos
	// Local is set when the ResourceSet is an item that reaches no cluster, so that
	// nobody there deletes the namespace.
	Local bool
}

// Result is what ResourceSets come to.
type Result struct {
	// Objects are empty unless the environment renders.
	Objects   []Object
	Finalized Finalized
}

// Evaluate renders ResourceSets, or checks them, in the order in which they are
// given.
func Evaluate(sets []*Set, env Environment, rep *krm.Report) Result {
	e := evaluation{Environment: env, rep: rep, exports: map[*Provider][]inputSet{}, kept: map[krm.Identity]*draft{}, result: Result{Finalized: Finalized{}}}
	for _, s := range sets {
		e.set(s)
	}
	e.fill()
	for _, d := range e.drafts {
		e.result.Objects = append(e.result.Objects, d.finished())
	}
	return e.result
}

// evaluation is an Evaluate at work.
type evaluation struct {
	Environment
	rep     *krm.Report
	exports map[*Provider][]inputSet
	drafts  []*draft
	// kept are the drafts that still have their trees.
	kept   map[krm.Identity]*draft
	result Result
}

// draft is an object that is not finished: others may still fill it.
type draft struct {
	// node is nil once the object has been written.
	node   *krm.Node
	object *krm.Object
	set    *Set
	unit   *unit
	inputs *inputSet
	// copied is set when it carries what a tenant's inputs have made elsewhere.
	copied bool
}

func (d *draft) isTenants() bool { return d.copied || d.inputs.artifact != nil }

// finished is the object, written.
func (d *draft) finished() Object {
	d.write()
	return Object{Object: d.object, Set: d.set, Origin: d.inputs.origin, Tenant: d.isTenants(), Step: d.unit.step}
}

// write turns the tree into text, which is much smaller.
func (d *draft) write() {
	if d.node != nil {
		d.object, d.node = krm.NewObject(d.node), nil
	}
}

// set evaluates one ResourceSet. The order of objects is Flux Operator's: for each
// entry of `resources` each input, then the template for each input.
func (e *evaluation) set(s *Set) {
	sets, known := e.inputSets(s)
	if !known {
		return
	}
	first := map[krm.Identity]*draft{}
	for _, u := range s.units {
		for i := range sets {
			for _, d := range e.render(s, u, &sets[i]) {
				e.add(d, first)
			}
		}
	}
}

// maxMistakes is how many mistakes of one template are reported. After them it is
// not tried with further inputs.
const maxMistakes = 20

// render renders one template on one set of inputs.
func (e *evaluation) render(s *Set, u *unit, in *inputSet) []*draft {
	if u.mistakes >= maxMistakes {
		return nil
	}
	s.current = in.values
	if u.template.Calls("set") || u.template.Calls("unset") {
		s.current = copied(in.values) // what one template does to its inputs is no other's business
	}
	out, mistake := u.template.Execute(nil)
	if mistake != nil {
		e.mistake(u, in, mistake)
		return nil
	}
	documents, mistakes := out.Documents()
	for _, m := range mistakes {
		e.mistake(u, in, m)
	}
	if len(mistakes) > 0 {
		return nil
	}
	if !e.Render && in.artifact != nil {
		e.compare(u, in, out, documents)
	}
	return e.draftsOf(s, u, in, documents)
}

// mistake reports what went wrong with a template. Names that an artifact does not
// export are only a warning while nothing is rendered here: others may.
func (e *evaluation) mistake(u *unit, in *inputSet, m *template.Mistake) {
	if u.mistakes++; m.Code == "template-limit" {
		u.mistakes += maxMistakes/2 - 1 // which took its time
	}
	with := " with " + in.title() + u.last()
	if m.Missing == "" {
		u.report(m, with, e.rep)
		return
	}
	names := slices.Sorted(maps.Keys(in.values))
	m.Hint = "known names are " + listed(names) + "; " + m.Hint
	if near, found := krm.Nearest(m.Missing, names); found && len(m.Missing) > 2 {
		m.Hint = "did you mean `" + near + "`? " + m.Hint
	}
	if e.Render {
		u.report(m, with, e.rep)
		return
	}
	pos, at := u.place(m)
	e.rep.Warnf("inputs-unknown", pos, m.Hint, "the template in line %d, column %d of ResourceSet %s%s: %s", at.Line, at.Column, u.set.id(), with, at.What)
}

// title names the inputs: `the inputs of ExternalArtifact tenant-a/web`.
func (in *inputSet) title() string {
	if in.values == nil {
		return in.about
	}
	return "the inputs of " + in.about
}

// listed joins names as messages show them.
func listed(names []string) string {
	const most = 20
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, "`"+krm.Short(name, 64)+"`")
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// copied is a value of its own.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for key := range v {
			all[key] = copied(v[key])
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = copied(v[i])
		}
		return all
	}
	return v
}

// add keeps the first object of each identity, as Flux Operator does, which looks
// at no version. What differs is lost, and said. In steps no object may be in two.
func (e *evaluation) add(d *draft, first map[krm.Identity]*draft) {
	before := first[d.id()]
	switch {
	case before == nil:
		first[d.id()] = d
		e.keep(d)
	case before.unit.step != d.unit.step:
		e.rep.Errorf("resourceset-duplicate", d.unit.pos, "keep it in one step", "%s is in step %q, too", d.id().Title(), before.unit.step)
	case !before.same(d):
		e.reportDuplicate(before, d)
	}
}

// reportDuplicate reports an object that is lost. One tenant must not take it from
// another.
func (e *evaluation) reportDuplicate(before, d *draft) {
	const hint, what = "put what differs into the name", "%s made with %s is dropped: the template at `%s` made it with %s, and differently"
	args := []any{d.id().Title(), d.inputs.title(), before.unit.pos.Field, before.inputs.title()}
	a, b := before.inputs.artifact, d.inputs.artifact
	switch {
	case !d.unit.mayWarn():
	case a != nil && b != nil && a.Namespace != b.Namespace:
		e.rep.Errorf("resourceset-duplicate", d.unit.pos, hint, what, args...)
	default:
		e.rep.Warnf("resourceset-duplicate", d.unit.pos, hint, what, args...)
	}
}

func (d *draft) id() krm.Identity {
	if d.node != nil {
		return identityOf(d.node)
	}
	return d.object.Identity()
}

// same tells whether two objects would be written the same.
func (d *draft) same(other *draft) bool { return d.text() == other.text() }

func (d *draft) text() string {
	o := d.object
	if d.node != nil {
		o = krm.NewObject(d.node)
	}
	return string(o.AppendYAML(nil, 0))
}
