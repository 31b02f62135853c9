package resourceset

import (
	"fmt"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/template"
)

// compare finds inputs that become structure where text is substituted: Flux
// Operator does that, with the rights of whoever runs it. What it would render is
// compared with what the inputs as data give: documents, keys and types must be
// the same, and so must every value that no odd text explains.
func (e *evaluation) compare(u *unit, in *inputSet, out *template.Output, want []*krm.Node) {
	if out.Plain() {
		return
	}
	got, what := parseText(out.Text())
	if what == "" {
		what = difference(want, got, isFixed)
	}
	if what == "" {
		return
	}
	u.mistakes++
	if u.mistakes > maxMistakes {
		return
	}
	hint := "write `| quote` behind the input, or `| toYaml` where it is a list or a map"
	for _, printed := range out.Printed() {
		if inner := guilty(printed); inner != "" {
			pos, at := u.place(printed.Place())
			e.rep.Errorf("input-injection", in.artifact.File, hint, "`%s` in line %d, column %d of the template at `%s` of ResourceSet %s: %s%s",
				printed.Source(), at.Line, at.Column, pos.Field, u.set.id(), inner, u.last())
			return
		}
	}
	e.rep.Errorf("input-injection", in.artifact.File, hint, "with the inputs of %s, the template at `%s` of ResourceSet %s: %s%s", in.about, u.pos.Field, u.set.id(), what, u.last())
}

// guilty tells what a value does to the rendering when it alone is text.
func guilty(p template.Printed) string {
	want, wrong := parseText(p.Skeleton())
	if wrong != "" {
		return "" // the template is at fault
	}
	got, wrong := parseText(p.Text())
	if wrong != "" {
		return wrong
	}
	return difference(want, got, func(n *krm.Node) bool { return !p.In(n.Text) })
}

// isFixed tells whether text substitution must leave a value as it is: what the
// template's author wrote, and text in which YAML sees nothing but text. In a flow
// collection an input can end with a comment that hides its neighbours, whose keys
// it brings itself.
func isFixed(n *krm.Node) bool {
	return n.Pos.Line > 0 || n.Kind == krm.StringNode && !strings.ContainsAny(n.Text, "\"'\\# \t\n\r\u0085\u2028\u2029")
}

func parseText(text string) ([]*krm.Node, string) {
	rep := krm.Report{}
	documents, ok := krm.ParseFiles("", []byte(text), &rep)
	if !ok {
		return nil, "substituted as text it breaks the YAML: " + rep.Findings()[0].Message
	}
	return documents, ""
}

// difference says how documents differ in number, keys, types or fixed values; ""
// when they do not.
func difference(want, got []*krm.Node, fixed func(*krm.Node) bool) string {
	if len(want) != len(got) {
		return fmt.Sprintf("substituted as text it changes the number of documents from %d to %d", len(want), len(got))
	}
	for i := range want {
		if what := differs(want[i], got[i], fixed); what != "" {
			return "substituted as text it " + what
		}
	}
	return ""
}

func differs(want, got *krm.Node, fixed func(*krm.Node) bool) string {
	switch {
	case got.Ambiguous != want.Ambiguous && got.Ambiguous != "":
		return fmt.Sprintf("becomes %s at `%s`", got.Ambiguous, got.Pos.Field)
	case want.Kind != got.Kind:
		return fmt.Sprintf("becomes %s at `%s`", describe(got), got.Pos.Field)
	case want.Text != got.Text && fixed(want):
		return fmt.Sprintf("changes `%s` from %q to %q", got.Pos.Field, krm.Short(want.Text, 64), krm.Short(got.Text, 64))
	case len(want.Items) != len(got.Items):
		return fmt.Sprintf("changes the number of entries of `%s` from %d to %d", got.Pos.Field, len(want.Items), len(got.Items))
	}
	for i := range want.Items {
		if what := differs(want.Items[i], got.Items[i], fixed); what != "" {
			return what
		}
	}
	for key, value := range fieldsOf(got) {
		wanted := want.Get(key.Text)
		if wanted == nil {
			return fmt.Sprintf("adds the key `%s`", key.Pos.Field)
		}
		if what := differs(wanted, value, fixed); what != "" {
			return what
		}
	}
	for key := range fieldsOf(want) {
		if got.Get(key.Text) == nil {
			return fmt.Sprintf("removes the key %q of `%s`", krm.Short(key.Text, 128), got.Pos.Field)
		}
	}
	return ""
}

func describe(n *krm.Node) string {
	switch n.Kind {
	case krm.NullNode:
		return "null"
	case krm.BoolNode:
		return "the boolean " + n.Text
	case krm.IntNode, krm.FloatNode:
		return "the number " + krm.Short(n.Text, 64)
	case krm.ListNode:
		return "a list"
	case krm.MapNode:
		return "a map"
	default:
		return "a string"
	}
}
