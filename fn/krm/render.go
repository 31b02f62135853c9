package krm

import (
	"slices"
)

// Render writes the list with these items and objects, in this order, and
// these findings in the place of our earlier ones. The items are items of this
// list; `Render(l.Items, nil, findings)` is the list as it came in, with
// results.
//
// Items and other top-level entries keep their text. `items` is always written
// (KRM functions specification; a list without it is taken for a resource by
// hosts), `results` only when there are any.
func (l *List) Render(items []*Item, objects []*Object, findings []Finding) []byte {
	buf := make([]byte, 0, l.sizeHint(items, objects, findings))
	for _, s := range l.sections {
		buf = append(buf, s.lead...)
		switch s.key {
		case "items":
			buf = l.appendItems(buf, items, objects)
			buf = append(buf, s.text...)
		case "results":
			buf = l.appendResults(buf, s.text, findings)
		default:
			buf = append(buf, s.text...)
		}
	}
	return buf
}

// sizeHint is about the size of the output; our objects have half a kilobyte.
func (l *List) sizeHint(items []*Item, objects []*Object, findings []Finding) int {
	size := 1024 * (1 + len(objects) + len(findings))
	for _, item := range items {
		size += len(item.text)
	}
	for _, s := range l.sections {
		size += len(s.lead) + len(s.text)
	}
	return size
}

func (l *List) appendItems(buf []byte, items []*Item, objects []*Object) []byte {
	if len(items)+len(objects) == 0 {
		return append(buf, "items: []"+l.behindItems+"\n"...)
	}
	buf = append(buf, "items:"+l.behindItems+"\n"...)
	for _, item := range items {
		buf = append(buf, item.text...)
	}
	for _, object := range objects {
		buf = appendSpaces(buf, l.indent)
		buf = append(buf, "- "...)
		buf = object.AppendYAML(buf, l.indent+2)
	}
	return buf
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
