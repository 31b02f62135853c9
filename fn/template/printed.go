package template

import (
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Printed is one value of a rendering, in its place.
type Printed struct {
	output *Output
	token  int
}

// Printed are the values of the rendering in their order. The author's own text is
// not among them.
func (o *Output) Printed() []Printed {
	all := make([]Printed, len(o.tokens))
	for i := range all {
		all[i] = Printed{o, i}
	}
	return all
}

// Source is the action that printed it.
func (p Printed) Source() string { return p.output.template.source(p.offset()) }

// Place is where the action stands, as a Mistake without text.
func (p Printed) Place() *Mistake { return p.output.template.mistake("", p.offset(), "", "") }

func (p Printed) offset() int { return int(p.output.template.actions[p.output.tokens[p.token].action]) }

// Skeleton is the rendering with a word in place of every value.
func (p Printed) Skeleton() string { return p.output.skeleton }

// In tells whether a text of the Skeleton has this value in it.
func (p Printed) In(text string) bool {
	return strings.Contains(text, p.output.template.marks.token(p.token))
}

// Text is the Skeleton with this value as text.
func (p Printed) Text() string {
	t := &p.output.tokens[p.token]
	shown := t.form.show(p.output.template.marks.token(p.token))
	return strings.Replace(p.output.skeleton, shown, t.text(), 1)
}

// Plain tells whether text substitution gives the same documents, keys and types
// for certain: every value is one plain word, or stands alone and is no string. It
// is false where that takes a closer look.
func (o *Output) Plain() bool {
	p := o.parse()
	flow := strings.ContainsAny(o.skeleton, "{[")
	for i := range o.tokens {
		if !p.plain || !o.tokens[i].isPlain(flow) {
			return false
		}
	}
	return true
}

func (t *token) isPlain(flow bool) bool {
	switch v := t.value.(type) {
	case string:
		if !flow && !strings.HasSuffix(v, ":") {
			v = strings.NewReplacer("@", "a", ":", "a").Replace(v)
		}
		return krm.IsPlainWord(v) && v[0] == t.text()[0]
	case *layout:
		return !v.block && v.value != nil && v.value.Kind == krm.StringNode && isQuotedWord(v.text)
	}
	return false
}

// isQuotedWord tells whether a text is letters, digits, `.`, `_`, `-`, `/`, `:` and
// `@` in double quotes.
func isQuotedWord(text string) bool {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return false
	}
	return strings.IndexFunc(text[1:len(text)-1], func(r rune) bool {
		return (r >= 0x80 || !isLetter(byte(r)) && (r < '0' || r > '9')) && !strings.ContainsRune("._-/:@", r)
	}) < 0
}

// takesWords tells whether a plain word is a string in every place of a token: where
// a scalar has text of its own, that must rule out that the whole is a word with a
// meaning.
func (o *Output) takesWords(documents []*krm.Node) bool {
	for _, n := range documents {
		if !o.takesWord(n) {
			return false
		}
	}
	return true
}

func (o *Output) takesWord(n *krm.Node) bool {
	switch n.Kind {
	case krm.MapNode:
		for key, value := range n.Fields() {
			if strings.Contains(key.Text, o.template.marks.open) || !o.takesWord(value) {
				return false
			}
		}
		return true
	case krm.ListNode:
		return o.takesWords(n.Items)
	case krm.StringNode:
		if n.Quoted || !strings.Contains(n.Text, o.template.marks.open) {
			return true
		}
		_, whole := o.whole(n.Text)
		return whole || (isLetter(n.Text[0]) || strings.HasPrefix(n.Text, o.template.marks.open)) && strings.ContainsAny(n.Text, "-_/.") && !strings.ContainsAny(n.Text, " :#")
	default:
		return true
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
