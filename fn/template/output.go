package template

import (
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Output is one rendering: template text with tokens where values go.
type Output struct {
	template *Template
	skeleton string
	tokens   []token
}

// token is a value that an action printed.
type token struct {
	value any
	// form is how the skeleton shows it.
	form form
	// indent is the number of spaces that the token's line begins with.
	indent int
	// action is an index of Template.actions.
	action int
}

// form says how the skeleton shows a value, so that it is parsed as what the value
// stands for.
type form int

const (
	// scalarForm is a plain scalar.
	scalarForm form = iota
	// entriesForm is an entry of a map: the entries of the value take its place.
	entriesForm
	// itemsForm is an entry of a list.
	itemsForm
)

// show is what the skeleton has for the token.
func (f form) show(mark string) string {
	switch f {
	case entriesForm:
		return mark + ": " + mark
	case itemsForm:
		return "- " + mark
	case scalarForm:
	}
	return mark
}

// print takes what an action prints. It is the last function of every action that
// prints, and prints nothing itself.
func (r *run) print(action int, v any) (string, error) {
	if text, mine := v.(literal); mine {
		return "", r.raw(string(text))
	}
	m, err := r.measure(v)
	if err != nil {
		return "", err
	}
	t := token{value: v, action: action}
	if l, laid := v.(*layout); laid {
		head := l.lead + strings.Repeat(" ", l.first)
		m.size += strings.Count(l.text, "\n") * max(l.hang, 0)
		if err := r.raw(head); err != nil {
			return "", err
		}
		t.form = l.form(r.line)
	}
	if err := r.output(m.size); err != nil {
		return "", err
	}
	t.indent = len(r.line) - len(strings.TrimLeft(r.line, " "))
	shown := t.form.show(r.marks.token(len(r.tokens)))
	r.tokens = append(r.tokens, t)
	r.skeleton.WriteString(shown)
	r.mark(shown)
	return "", nil
}

// form is how a value is shown behind what its line begins with: where a line
// begins, YAML in block style stands among its neighbours.
func (l *layout) form(line string) form {
	switch {
	case !l.block || strings.Trim(line, " -") != "" || strings.Contains(line, "--"):
		return scalarForm
	case l.value.Kind == krm.MapNode:
		return entriesForm
	case l.value.Kind == krm.ListNode:
		return itemsForm
	}
	return scalarForm
}

// text is the value as text/template prints it.
func (t *token) text() string {
	if l, laid := t.value.(*layout); laid { // its head is in the skeleton
		body := *l
		body.lead, body.first = "", 0
		return body.String()
	}
	return textOf(t.value)
}

// Text is the rendering that text substitution gives: values become template text.
func (o *Output) Text() string {
	var b strings.Builder
	o.fill(&b, o.skeleton, func(b *strings.Builder, t *token) { b.WriteString(t.text()) })
	return b.String()
}

// fill writes a text with values in place of the tokens in it.
func (o *Output) fill(b *strings.Builder, text string, write func(*strings.Builder, *token)) {
	for {
		before, i, after, found := o.cut(text)
		if !found {
			b.WriteString(text)
			return
		}
		t := &o.tokens[i]
		if t.form == itemsForm {
			before = strings.TrimSuffix(before, "- ")
		}
		b.WriteString(before)
		write(b, t)
		if text = after; t.form == entriesForm {
			text = strings.TrimPrefix(text, ": "+o.template.marks.token(i))
		}
	}
}

// cut splits a text at its first token.
func (o *Output) cut(text string) (before string, token int, after string, found bool) {
	before, rest, found := strings.Cut(text, o.template.marks.open)
	if !found {
		return text, 0, "", false
	}
	digits, after, _ := strings.Cut(rest, o.template.marks.close)
	for _, d := range []byte(digits) {
		token = token*10 + int(d-'0')
	}
	return before, token, after, true
}

// whole is the token that a text consists of.
func (o *Output) whole(text string) (*token, bool) {
	if !strings.HasPrefix(text, o.template.marks.open) {
		return nil, false
	}
	_, i, after, _ := o.cut(text)
	return &o.tokens[i], after == ""
}

// mistake is about what an action printed.
func (o *Output) mistake(code string, t *token, hint, format string, args ...any) *Mistake {
	offset := int(o.template.actions[t.action])
	return o.template.mistake(code, offset, hint, "in `%s`: "+format, append([]any{o.template.source(offset)}, args...)...)
}
