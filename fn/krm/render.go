package krm

import (
	"bufio"
	"io"
	"slices"
)

// Render writes the list with these items and objects, in this order, and
// these findings in the place of our earlier ones. The items are items of this
// list; `Render(w, l.Items, nil, findings)` is the list as it came in, with
// results.
//
// Items and other top-level entries keep their text. `items` is always written
// (KRM functions specification; a list without it is taken for a resource by
// hosts), `results` only when there are any. A list of bare documents has no
// place for them. The error is that of w.
func (l *List) Render(w io.Writer, items []*Item, objects []*Object, findings []Finding) error {
	if l.Bare {
		return l.renderDocuments(w, items, objects)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for _, s := range l.sections {
		_, _ = out.WriteString(s.lead)
		switch s.key {
		case "items":
			l.writeItems(out, items, objects)
			_, _ = out.WriteString(s.text)
		case "results":
			_, _ = out.Write(l.appendResults(nil, s.text, findings))
		default:
			_, _ = out.WriteString(s.text)
		}
	}
	return out.Flush() // and the first error of all writes
}

func (l *List) writeItems(out *bufio.Writer, items []*Item, objects []*Object) {
	if len(items)+len(objects) == 0 {
		_, _ = out.WriteString("items: []" + l.behindItems + "\n")
		return
	}
	_, _ = out.WriteString("items:" + l.behindItems + "\n")
	for _, item := range items {
		_, _ = out.WriteString(item.text)
	}
	var buf []byte
	for _, object := range objects {
		buf = append(appendSpaces(buf[:0], l.indent), "- "...)
		buf = object.AppendYAML(buf, l.indent+2)
		_, _ = out.Write(buf)
	}
}

// appendResults writes the results of other functions and ours. Where nothing
// of ours comes or goes the section stays as it came.
func (l *List) appendResults(buf []byte, text string, findings []Finding) []byte {
	switch {
	case len(findings)+len(l.foreign) == 0:
		return buf
	case len(findings) == 0 && !l.replaced:
		return append(buf, text...)
	}
	buf = append(buf, "results:\n"...)
	for _, result := range l.foreign {
		buf = append(buf, result...)
	}
	for _, finding := range findings {
		buf = appendResult(buf, newResult(finding))
	}
	return buf
}

func (l *List) section(key string) *section {
	i := slices.IndexFunc(l.sections, func(s section) bool { return s.key == key })
	if i < 0 {
		return nil
	}
	return &l.sections[i]
}

// complete adds the sections that Render needs where the list lacks them:
// `items` before the functionConfig, `results` at the end.
func (l *List) complete() {
	if l.section("") == nil {
		l.sections = append(l.sections, section{})
	}
	l.insert("results", "")
	l.insert("items", "functionConfig", "results")
}

// insert adds an empty section before the first of some others.
func (l *List) insert(key string, before ...string) {
	if l.section(key) != nil {
		return
	}
	at := slices.IndexFunc(l.sections, func(s section) bool { return slices.Contains(before, s.key) })
	l.sections = slices.Insert(l.sections, at, section{key: key})
}

// appendSpaces appends an indentation.
func appendSpaces(buf []byte, n int) []byte {
	const spaces = "                                "
	for ; n > len(spaces); n -= len(spaces) {
		buf = append(buf, spaces...)
	}
	return append(buf, spaces[:max(n, 0)]...)
}
