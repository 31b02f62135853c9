package template

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// literal is a string that the author of the template wrote. Printed, it is
// template text like the text around the action.
type literal string

// layout is a value and how its text is laid out: what `toYaml`, `toJson`, `quote`
// and `indent` return. Where it is all that a plain scalar holds it stands for its
// value, elsewhere for its text. For functions that know nothing of it, it is its
// text.
type layout struct {
	// value is nil where the text is the value.
	value *krm.Node
	text  string
	// block is set for YAML in block style, whose lines may stand among others.
	block bool
	// lead are line ends before the first line, first the spaces before it, and hang
	// those before every further one; -1 where nobody said.
	lead        string
	first, hang int
}

func textLayout(text string) *layout { return &layout{text: text, hang: -1} }

// String is the text, laid out.
func (l *layout) String() string {
	text := l.text
	if l.hang > 0 {
		text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", l.hang))
	}
	return l.lead + strings.Repeat(" ", l.first) + text
}

// node is what a plain scalar becomes.
func (l *layout) node() *krm.Node {
	if l.value != nil {
		return l.value
	}
	return krm.NewString(l.text)
}

// indented is a value for indent: of the author's text, the text.
func indented(spaces int, v any) (any, error) {
	if spaces < 0 {
		return nil, fmt.Errorf("`indent` wants a number from 0, found %d", spaces)
	}
	var l layout
	switch v := v.(type) {
	case literal:
		pad := strings.Repeat(" ", spaces)
		return literal(pad + strings.ReplaceAll(string(v), "\n", "\n"+pad)), nil
	case string:
		l = *textLayout(v)
	case *layout:
		l = *v
	default:
		return nil, fmt.Errorf("`indent` wants a string, found %s", describe(v))
	}
	if l.lead != "" { // the lines before the first one are indented, too
		pad := strings.Repeat(" ", spaces)
		l.lead = pad + strings.ReplaceAll(l.lead, "\n", "\n"+pad)
		l.lead, l.first = l.lead[:strings.LastIndexByte(l.lead, '\n')+1], l.first+spaces
	} else {
		l.first += spaces
	}
	l.hang = max(l.hang, 0) + spaces
	return &l, nil
}

func nindented(spaces int, v any) (any, error) {
	switch v := v.(type) {
	case literal:
		return indentedLiteral(spaces, v)
	default:
		laid, err := indented(spaces, v)
		if err != nil {
			return nil, err
		}
		l := laid.(*layout)
		l.lead = "\n" + l.lead
		return l, nil
	}
}

func indentedLiteral(spaces int, v literal) (any, error) {
	text, err := indented(spaces, v)
	if err != nil {
		return nil, err
	}
	return "\n" + text.(literal), nil
}

// trimmed is a value for the functions that cut from the ends of a text: of a value
// laid out, they cut the layout.
func trimmed(v any, cut func(string) string) (any, error) {
	switch v := v.(type) {
	case literal:
		return literal(cut(string(v))), nil
	case string:
		return cut(v), nil
	case *layout:
		return v.trimmed(cut), nil
	}
	return nil, fmt.Errorf("`trim` wants a string, found %s", describe(v))
}

// trimmed keeps the value only where nothing but spaces and line ends are cut.
func (l *layout) trimmed(cut func(string) string) any {
	text := l.String()
	left := cut(text)
	if strings.TrimSpace(left) != strings.TrimSpace(text) || l.value == nil && l.text != strings.TrimSpace(l.text) {
		return left
	}
	start := strings.Index(text, left)
	out := *l
	out.text = strings.TrimRight(l.text, " \n")
	head := text[:len(l.lead)+l.first][min(start, len(l.lead)+l.first):]
	out.lead = head[:strings.LastIndexByte(head, '\n')+1]
	out.first = len(head) - len(out.lead)
	return &out
}

// quoted is a value in quotes: a string whatever it looks like. Of several, the
// text. Null has no text.
func quoted(values []any, quote func(any) string) any {
	var texts []string
	for _, v := range values {
		if v != nil {
			texts = append(texts, quote(v))
		}
	}
	switch {
	case len(texts) == 0:
		return literal("")
	case len(values) > 1:
		return strings.Join(texts, " ")
	}
	return &layout{value: krm.NewString(textOf(values[0])), text: texts[0], hang: -1}
}

// textOf is a value as text/template prints it.
func textOf(v any) string {
	switch v := plain(v).(type) {
	case nil:
		return "<no value>"
	case string:
		return v
	case error:
		return v.Error()
	default:
		return fmt.Sprint(plainAll(v))
	}
}

// isNil knows the nil of any type.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Map, reflect.Slice, reflect.Pointer:
		return r.IsNil()
	default:
		return false
	}
}
