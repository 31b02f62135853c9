package krm

// Template is text with `{capture}` placeholders.
type Template struct {
	text Str
	// literals has one entry more than captures: text between the placeholders.
	literals, captures []string
}

// ParseTemplate checks the brace grammar (flux.md 1.2 and 1.4).
func ParseTemplate(s Str, rep *Report) (Template, bool) { return Template{}, false }

// Str is the template as written.
func (t Template) Str() Str { return t.text }

// Captures are the names used, in order of first use, each once.
func (t Template) Captures() []string { return t.captures }

// Render puts values in the place of their captures.
func (t Template) Render(values map[string]string) string { return "" }

// RenderQuoted is Render with each value passed through quote first: what a
// tenant named a directory must stay a literal in a glob.
func (t Template) RenderQuoted(values map[string]string, quote func(string) string) string { return "" }
