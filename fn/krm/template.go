package krm

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Template is text with `{capture}` placeholders.
type Template struct {
	text Str
	// literals has one entry more than holes: the text between the placeholders.
	literals []string
	holes    []hole
	captures []string
}

type hole struct {
	name string
	// offset is the byte offset of the opening brace in the text.
	offset int
}

// ParseTemplate checks the brace grammar (Flux ArtifactGenerator, path pattern
// captures): every brace belongs to a `{name}`, a name is
// `[A-Za-z_][A-Za-z0-9_]*`, and names may repeat. There is no escape. Mistakes
// are findings that give the column, in characters from 1, inside the value.
func ParseTemplate(s Str, rep *Report) (Template, bool) {
	t := Template{text: s}
	rest, offset, ok := s.Text, 0, true
	for {
		literal, name, length, mistake := cutHole(rest)
		if mistake != nil {
			mistake.report(s, offset, rep)
			ok = false
		}
		t.literals = append(t.literals, literal)
		if length == 0 {
			return t, ok
		}
		t.holes = append(t.holes, hole{name, offset + len(literal)})
		if !slices.Contains(t.captures, name) {
			t.captures = append(t.captures, name)
		}
		offset += len(literal) + length
		rest = rest[len(literal)+length:]
	}
}

// cutHole splits text at its first placeholder, which is length bytes long; a
// length of 0 ends the text.
func cutHole(text string) (literal, name string, length int, mistake *braceMistake) {
	at := strings.IndexAny(text, "{}")
	switch {
	case at < 0:
		return text, "", 0, nil
	case text[at] == '}':
		return text, "", 0, &braceMistake{at, "`}` has no opening brace", braceHint}
	}
	end := strings.IndexByte(text[at:], '}')
	if end < 0 {
		return text, "", 0, &braceMistake{at, "`{` has no closing brace", braceHint}
	}
	name, length = text[at+1:at+end], end+1
	if strings.HasPrefix(name, "{") && strings.HasPrefix(text[at+length:], "}") {
		length++ // `{{name}}` is one mistake
	}
	return text[:at], name, length, checkCaptureName(name, at)
}

type braceMistake struct {
	at         int
	what, hint string
}

const braceHint = "a capture is written `{name}`; there is no way to write a brace that is not part of one"

func (m *braceMistake) report(s Str, offset int, rep *Report) {
	rep.Errorf("capture-syntax", s.Pos, m.hint, "%s at column %d of the value %q", m.what, s.column(offset+m.at), shown(s.Text))
}

// checkCaptureName allows `[A-Za-z_][A-Za-z0-9_]*`.
func checkCaptureName(name string, at int) *braceMistake {
	switch {
	case name == "":
		return &braceMistake{at, "`{}` names no capture", braceHint}
	case strings.Contains(name, ","):
		return &braceMistake{
			at, "`{" + shown(name) + "}` is no capture",
			"braces hold one capture name, never alternatives: write one generator, or one copy operation, for each alternative",
		}
	case strings.HasPrefix(name, "{"):
		return &braceMistake{at, "`{{` opens no capture", "a capture has single braces: `{name}`"}
	case !isCaptureName(name):
		return &braceMistake{
			at, "`{" + shown(name) + "}` is no capture",
			"a capture name has letters, digits and `_` only, and does not start with a digit",
		}
	}
	return nil
}

func isCaptureName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// CheckCaptures tells whether every capture of the template is one of known,
// the captures of the generator's path pattern. Upstream finds out only when a
// directory matches; a spelling mistake must not wait for the first tenant.
func (t Template) CheckCaptures(known []string, rep *Report) bool {
	ok := true
	for _, h := range t.holes {
		if slices.Contains(known, h.name) {
			continue
		}
		ok = false
		hint := "the path pattern has no captures"
		if len(known) > 0 {
			hint = "use one of " + quotedList(known)
		}
		if near, found := Nearest(h.name, known); found {
			hint = "did you mean `{" + near + "}`?"
		}
		rep.Errorf("capture-unknown", t.text.Pos, hint,
			"capture `{%s}` at column %d of the value %q is not in `spec.pathPattern`", shown(h.name), t.text.column(h.offset), shown(t.text.Text))
	}
	return ok
}

// shown is a text as messages show it.
func shown(text string) string { return Short(text, 256) }

// column turns a byte offset in s into a column.
func (s Str) column(offset int) int { return utf8.RuneCountInString(s.Text[:offset]) + 1 }

func quotedList(names []string) string {
	return "`{" + strings.Join(names, "}`, `{") + "}`"
}

// Str is the template as written.
func (t Template) Str() Str { return t.text }

// IsZero tells whether t was never parsed; an empty text is a template.
func (t Template) IsZero() bool { return t.literals == nil }

// Captures are the names used, in order of first use, each once.
func (t Template) Captures() []string { return t.captures }

// Render puts values in the place of their captures.
func (t Template) Render(values map[string]string) string {
	return t.RenderQuoted(values, func(value string) string { return value })
}

// RenderQuoted is Render with each value passed through quote first: what a
// tenant named a directory must stay a literal in a glob.
func (t Template) RenderQuoted(values map[string]string, quote func(string) string) string {
	var b strings.Builder
	for i, literal := range t.literals {
		b.WriteString(literal)
		if i < len(t.holes) {
			b.WriteString(quote(values[t.holes[i].name]))
		}
	}
	return b.String()
}
