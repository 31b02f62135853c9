package template

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Mistake is what is wrong with a template, or with a rendering of it.
type Mistake struct {
	// Code is template-syntax, template-function, template-failed, template-limit,
	// template-value or template-yaml.
	Code string
	// Line and Column are in the template, from 1; 0 where the mistake has no place
	// in it. Columns count characters.
	Line, Column int
	What, Hint   string
	// Missing is the key that a map lacks, where that is the mistake.
	Missing string
}

// Report reports the mistake of a template that stands at pos. with says what it
// was rendered with, such as ` with the inputs of …`; it may be empty.
func (m *Mistake) Report(pos krm.Pos, with string, rep *krm.Report) {
	place := ""
	if m.Line > 0 {
		place = fmt.Sprintf(" in line %d, column %d", m.Line, m.Column)
	}
	rep.Errorf(m.Code, pos, m.Hint, "the template%s%s: %s", place, with, m.What)
}

func (t *Template) mistake(code string, offset int, hint, format string, args ...any) *Mistake {
	before := t.text[:min(max(offset, 0), len(t.text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return &Mistake{
		Code: code, Hint: hint, What: fmt.Sprintf(format, args...),
		Line: strings.Count(before, "\n") + 1, Column: utf8.RuneCountInString(before[start:]) + 1,
	}
}

// What the errors of the library look like. Nobody needs them until there is one.
var (
	syntaxError    = lazily(`(?s)^template: ` + regexp.QuoteMeta(rootName) + `:(\d+): (.*)$`)
	executionError = lazily(`(?s)^template: .*?:(\d+):(\d+): executing .*? at <.*?>: (.*)$`)
	missingKey     = lazily(`^map has no entry for key (".*")$`)
	callError      = lazily(`(?s)^error calling [^ :]+: (.*)$`)
)

func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// syntaxMistake finds the action that an error of the parser is about: it knows
// the line only.
func (t *Template) syntaxMistake(err error) *Mistake {
	m := syntaxError().FindStringSubmatch(err.Error())
	if m == nil {
		return t.mistake("template-syntax", 0, "", "%s", krm.Short(err.Error(), 256))
	}
	line, _ := strconv.Atoi(m[1])
	what := strings.NewReplacer("{{", t.delims.Left, "}}", t.delims.Right).Replace(m[2])
	return t.mistake("template-syntax", t.guilty(line), "", "%s", krm.Short(what, 256))
}

// executionMistake turns an error of the interpreter into a Mistake.
func (t *Template) executionMistake(err error) *Mistake {
	if t.run.limit != nil {
		return t.mistake("template-limit", t.placeOf(err), "", "%s%s", t.inSource(err), t.run.limit)
	}
	what := err.Error()
	if failed, found := errors.AsType[template.ExecError](err); found {
		what = failed.Err.Error()
	}
	if m := executionError().FindStringSubmatch(what); m != nil {
		what = m[3]
	}
	if m := callError().FindStringSubmatch(what); m != nil {
		what = m[1]
	}
	hint, missing := "", missingKey().FindStringSubmatch(what)
	if missing != nil {
		hint = "a name that may be missing is read with `get`: `get inputs \"name\" | default \"value\"`"
	}
	mistake := t.mistake("template-failed", t.placeOf(err), hint, "%s%s", t.inSource(err), krm.Short(what, 512))
	if missing != nil {
		mistake.Missing, _ = strconv.Unquote(missing[1])
	}
	return mistake
}

// placeOf is the offset where an execution failed.
func (t *Template) placeOf(err error) int {
	m := executionError().FindStringSubmatch(err.Error())
	if m == nil {
		return 0
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	return lineStart(t.text, line) + column
}

// inSource names the action where an execution failed, with a colon.
func (t *Template) inSource(err error) string {
	if source := t.source(t.placeOf(err)); source != "" {
		return "in `" + source + "`: "
	}
	return ""
}

// source is the action around an offset, without its delimiters.
func (t *Template) source(offset int) string {
	spans := t.spans()
	i := slices.IndexFunc(spans, func(s span) bool { return s.start <= offset && offset < s.end })
	if i < 0 {
		return ""
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(t.text[spans[i].start:spans[i].end], t.delims.Left), t.delims.Right)
	return krm.Short(strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(inner, "- "), " -")), 128)
}

func lineStart(text string, line int) int {
	at := 0
	for range line - 1 {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return at
		}
		at += next + 1
	}
	return at
}
