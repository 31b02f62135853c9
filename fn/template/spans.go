package template

import (
	"strings"
	"text/template/parse"
)

// span is an action with its delimiters, as offsets of the template.
type span struct{ start, end int }

// spans finds the actions of a template. What is never closed ends with the text.
func (t *Template) spans() []span {
	var all []span
	for at := 0; ; {
		next := strings.Index(t.text[at:], t.delims.Left)
		if next < 0 {
			return all
		}
		start := at + next
		at = t.endOf(start + len(t.delims.Left))
		all = append(all, span{start, at})
	}
}

// endOf is the offset behind the right delimiter of an action whose inside begins
// at an offset.
func (t *Template) endOf(at int) int {
	inner := strings.TrimLeft(strings.TrimPrefix(t.text[at:], "-"), " \t\r\n")
	if strings.HasPrefix(inner, "/*") {
		if end := strings.Index(t.text[at:], "*/"); end >= 0 {
			at += end + 2
		}
	}
	for at < len(t.text) {
		switch c := t.text[at]; {
		case strings.HasPrefix(t.text[at:], t.delims.Right):
			return at + len(t.delims.Right)
		case c == '"' || c == '\'' || c == '`':
			at = endOfQuote(t.text, at)
		default:
			at++
		}
	}
	return at
}

func endOfQuote(text string, at int) int {
	quote := text[at]
	for at++; at < len(text); at++ {
		switch {
		case text[at] == '\\' && quote != '`':
			at++
		case text[at] == quote:
			return at + 1
		}
	}
	return len(text)
}

// guilty is the offset of the first action with which the text does not parse any
// more; for a block without an end, that of the block.
func (t *Template) guilty(line int) int {
	spans := t.spans()
	low, high := 0, len(spans)
	for low < high {
		if middle := (low + high) / 2; t.breaks(t.text[:spans[middle].end]) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if low < len(spans) {
		return spans[low].start
	}
	if open := t.unclosed(spans); open >= 0 {
		return open
	}
	return lineStart(t.text, line)
}

// breaks tells whether a part of the text is wrong whatever follows.
func (t *Template) breaks(text string) bool {
	tree := parse.New(rootName)
	tree.Mode = parse.SkipFuncCheck
	_, err := tree.Parse(text, t.delims.Left, t.delims.Right, map[string]*parse.Tree{})
	return err != nil && !strings.HasSuffix(err.Error(), "unexpected EOF")
}

// unclosed is the offset of the innermost block without an end, -1 when there is
// none.
func (t *Template) unclosed(spans []span) int {
	var open []int
	for _, s := range spans {
		switch word, _, _ := strings.Cut(t.source(s.start), " "); word {
		case "if", "range", "with", "define", "block":
			open = append(open, s.start)
		case "end":
			open = open[:max(0, len(open)-1)]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}
