// Package resourceset renders ResourceSets on the inputs that their providers
// export. What a tenant exports is data: it fills values, and never becomes
// structure.
package resourceset

import (
	"fmt"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/template"
)

const (
	apiVersion   = "fluxcd.controlplane.io/v1"
	setKind      = "ResourceSet"
	providerKind = "ResourceSetInputProvider"
)

// Set is a valid ResourceSet.
type Set struct {
	Name, Namespace string
	// Owner is the value of our `owner` annotation: `ResourceSet/<namespace>/<name>`.
	Owner string
	Pos   krm.Pos
	// Tier decides who gets an object that several want: the lowest.
	Tier int
	// Origin is the `origin` of what inline inputs make.
	Origin string
	// Item is nil unless the set is an item of the list.
	Item *krm.Item
	// AllowEmpty lets `inputsFrom` come to nothing.
	AllowEmpty bool

	labels, annotations map[string]krm.Str
	inputs              []map[string]any
	from                []Reference
	permute             bool
	includeEmpty        bool
	units               []*unit
	// current are the inputs that templates see.
	current any
}

// Fields are what a ResourceSet says.
type Fields struct {
	Name, Namespace string
	Pos             krm.Pos
	Tier            int
	Origin          string
	Item            *krm.Item
	AllowEmpty      bool
	// Labels and Annotations are spec.commonMetadata.
	Labels, Annotations map[string]krm.Str
	// Inputs are maps.
	Inputs                []*krm.Node
	From                  []Reference
	Permute, IncludeEmpty bool
	Parts                 []Part
}

// Part is a `resources` and a `resourcesTemplate` that stand together: those of
// the spec, or of a step.
type Part struct {
	// Step is "" outside of steps.
	Step      string
	Resources []*krm.Node
	Template  krm.Str
}

// Reference is an entry of spec.inputsFrom: a name, or a selector.
type Reference struct {
	Name     krm.Str
	Selector *Selector
	Pos      krm.Pos
}

// unit is one template: an entry of `resources`, or a `resourcesTemplate`.
type unit struct {
	set      *Set
	pos      krm.Pos
	template *template.Template
	// text is the template, which for an entry of `resources` we have written.
	text string
	// object is the entry of `resources`, nil for a `resourcesTemplate`.
	object *krm.Node
	// step is the place of the unit's step, "" outside of steps.
	step string
	// mistakes and warnings count what went wrong, so that one template cannot flood
	// the report.
	mistakes, warnings int
}

// New checks a ResourceSet and parses its templates.
func New(f Fields, rep *krm.Report) (*Set, bool) {
	s := &Set{
		Name: f.Name, Namespace: f.Namespace, Owner: setKind + "/" + f.Namespace + "/" + f.Name,
		Pos: f.Pos, Tier: f.Tier, Origin: f.Origin, Item: f.Item, AllowEmpty: f.AllowEmpty,
		labels: f.Labels, annotations: f.Annotations, from: f.From, permute: f.Permute, includeEmpty: f.IncludeEmpty,
	}
	ok := true
	for _, n := range f.Inputs {
		values, good := inputValues(n, rep)
		s.inputs = append(s.inputs, values)
		ok = ok && good
	}
	steps := 0
	for _, part := range f.Parts {
		if part.Step != "" {
			steps++
		}
		ok = s.addPart(steps, part, rep) && ok
	}
	if len(s.units) == 0 && ok {
		rep.Errorf("resourceset-empty", s.Pos.At("spec"), "add `resources`, `resourcesTemplate` or `steps`", "ResourceSet %s has no templates", s.id())
		return s, false
	}
	return s, ok
}

func (s *Set) id() string { return s.Namespace + "/" + s.Name }

// inputValues turns inline inputs into values.
func inputValues(n *krm.Node, rep *krm.Report) (map[string]any, bool) {
	values, err := template.Values(n)
	if err != nil {
		rep.Errorf("resourceset-inputs", n.Pos, "put it in quotes", "%s", err)
		return nil, false
	}
	return values.(map[string]any), true
}

func (s *Set) addPart(number int, part Part, rep *krm.Report) bool {
	ok, step := true, ""
	if part.Step != "" {
		step = fmt.Sprintf("%d/%s", number, part.Step)
	}
	for _, n := range part.Resources {
		if !unambiguous(n, rep) {
			ok = false
			continue
		}
		text, err := n.EncodePlain()
		if err != nil {
			rep.Errorf("resourceset-object", n.Pos, "", "cannot be written as YAML: %v", err)
			ok = false
			continue
		}
		ok = s.addUnit(&unit{pos: n.Pos, text: text, object: n, step: step}, rep) && ok
	}
	if part.Template.Text != "" {
		ok = s.addUnit(&unit{pos: part.Template.Pos, text: part.Template.Text, step: step}, rep) && ok
	}
	return ok
}

// unambiguous refuses what two versions of YAML read as different values: it would
// be written as one of them.
func unambiguous(n *krm.Node, rep *krm.Report) bool {
	if n.Ambiguous != "" {
		rep.Errorf("resourceset-object", n.Pos, "put it in quotes if it is text", "the value %q is %s for YAML 1.1 and something else for YAML 1.2", krm.Short(n.Written, 64), n.Ambiguous)
		return false
	}
	ok := true
	for _, item := range n.Items {
		ok = unambiguous(item, rep) && ok
	}
	for _, value := range fieldsOf(n) {
		ok = unambiguous(value, rep) && ok
	}
	return ok
}

func (s *Set) addUnit(u *unit, rep *krm.Report) bool {
	u.set = s
	t, mistake := template.Parse(u.text, template.Angles, map[string]any{"inputs": func() any { return s.current }})
	if mistake != nil {
		u.report(mistake, "", rep)
		return false
	}
	u.template = t
	s.units = append(s.units, u)
	return true
}

// report reports a mistake where its author wrote it.
func (u *unit) report(m *template.Mistake, with string, rep *krm.Report) {
	pos, at := u.place(m)
	at.Report(pos, " of ResourceSet "+u.set.id()+with, rep)
}

// last ends the last mistake of a template that is reported.
func (u *unit) last() string {
	if u.mistakes < maxMistakes {
		return ""
	}
	return ", and no further inputs are tried"
}

// mayWarn tells whether there is room for one more warning about the template.
func (u *unit) mayWarn() bool {
	u.warnings++
	return u.warnings <= maxMistakes
}

// place finds the field of an entry of `resources` that a mistake is about, and
// its line and column in the text of that field.
func (u *unit) place(m *template.Mistake) (krm.Pos, *template.Mistake) {
	if u.object == nil || m.Line == 0 {
		return u.pos, m
	}
	root, ok := krm.ParseAt(krm.Pos{File: "template", Line: 1}, []byte(u.text), &krm.Report{})
	if !ok || root == nil {
		return u.pos, m
	}
	scalar := lastBefore(root, nil, m.Line, m.Column)
	if scalar == nil {
		return u.pos, m
	}
	inside := *m
	if inside.Line == scalar.Pos.Line {
		inside.Line, inside.Column = 1, m.Column-scalar.Pos.Column+1
	} else {
		inside.Line, inside.Column = m.Line-scalar.Pos.Line, m.Column-indentOf(u.text, scalar.Pos.Line+1)
	}
	if before := written(u.object, root, scalar); before != nil {
		return before.Pos, &inside
	}
	return u.pos.At(scalar.Pos.Field), &inside
}

// written is the value, in what the author wrote, that has become a scalar of our
// text of it.
func written(object, text, scalar *krm.Node) *krm.Node {
	if text == scalar {
		return object
	}
	for i := range min(len(object.Items), len(text.Items)) {
		if found := written(object.Items[i], text.Items[i], scalar); found != nil {
			return found
		}
	}
	for key, value := range fieldsOf(text) {
		if before := object.Get(key.Text); before != nil {
			if found := written(before, value, scalar); found != nil {
				return found
			}
		}
	}
	return nil
}

// lastBefore is the last scalar that begins at or before a place.
func lastBefore(n, best *krm.Node, line, column int) *krm.Node {
	if n.Kind != krm.MapNode && n.Kind != krm.ListNode {
		before := n.Pos.Line < line || n.Pos.Line == line && n.Pos.Column <= column
		if before && (best == nil || n.Pos.Line > best.Pos.Line || n.Pos.Line == best.Pos.Line && n.Pos.Column > best.Pos.Column) {
			return n
		}
		return best
	}
	for _, item := range n.Items {
		best = lastBefore(item, best, line, column)
	}
	for _, value := range n.Fields() {
		best = lastBefore(value, best, line, column)
	}
	return best
}

// indentOf is how many spaces a line begins with.
func indentOf(text string, line int) int {
	for i, l := range strings.Split(text, "\n") {
		if i == line-1 {
			return len(l) - len(strings.TrimLeft(l, " "))
		}
	}
	return 0
}
