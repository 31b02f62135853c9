package template

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

func (t *Template) mistake(offset int, code, hint, format string, args ...any) *Mistake {
	before := t.text[:min(max(offset, 0), len(t.text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return &Mistake{
		Code: code, Hint: hint, What: fmt.Sprintf(format, args...),
		Line: strings.Count(before, "\n") + 1, Column: utf8.RuneCountInString(before[start:]) + 1,
	}
}

var (
	syntaxError    = regexp.MustCompile(`(?s)^template: ` + rootName + `:(\d+): (.*)$`)
	executionError = regexp.MustCompile(`(?s)^template: .*?:(\d+):(\d+): executing .*? at <.*?>: (.*)$`)
	callError      = regexp.MustCompile(`(?s)^error calling [^ :]+: (.*)$`)
)

// syntaxMistake finds the action that an error of the parser is about: it knows
// the line only.
func (t *Template) syntaxMistake(err error) *Mistake {
	m := syntaxError.FindStringSubmatch(err.Error())
	if m == nil {
		return t.mistake(0, "template-syntax", "", "%s", krm.Short(err.Error(), 256))
	}
	line, _ := strconv.Atoi(m[1])
	return t.mistake(t.guilty(line), "template-syntax", "", "%s", krm.Short(m[2], 256))
}

// executionMistake turns an error of the interpreter into a Mistake.
func (t *Template) executionMistake(err error) *Mistake {
	if t.run.limit != nil {
		return t.at(err, "template-limit", "", t.run.limit.Error())
	}
	var failed template.ExecError
	what := err.Error()
	if errors.As(err, &failed) {
		what = failed.Err.Error()
	}
	if m := executionError.FindStringSubmatch(what); m != nil {
		what = m[3]
	}
	if m := callError.FindStringSubmatch(what); m != nil {
		what = m[1]
	}
	hint := ""
	if strings.HasPrefix(what, "map has no entry for key") {
		hint = "a name that may be missing is read with `get`: `get inputs \"name\" | default \"value\"`"
	}
	return t.at(err, "template-failed", hint, what)
}

// at is a mistake in the action where an execution failed.
func (t *Template) at(err error, code, hint, what string) *Mistake {
	m := executionError.FindStringSubmatch(err.Error())
	if m == nil {
		return t.mistake(0, code, hint, "%s", krm.Short(what, 512))
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	offset := lineStart(t.text, line) + column
	return t.mistake(offset, code, hint, "%s`%s`: %s", "in ", t.source(offset), krm.Short(what, 512))
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
