package krm

import (
	"maps"
	"slices"
	"strings"
)

// AppendYAML appends the object in block style and returns the longer buffer.
// The object begins where the buffer ends; its further lines are indented by
// indent spaces, and the last one ends in LF.
//
// Strings are plain only where every version of YAML reads them as strings; the
// values of labels, annotations and data are always in quotes. What is written
// comes out of a yaml.v3 round trip, such as kpt's, byte for byte, except for
// invisible characters, which yaml.v3 does not escape. All text must be valid
// UTF-8, which the parsers here guarantee.
func (o *Object) AppendYAML(buf []byte, indent int) []byte {
	w := blockWriter{buf: buf, inLine: true}
	w.optional(indent, "apiVersion", o.APIVersion)
	w.optional(indent, "kind", o.Kind)
	w.metadata(indent, o)
	w.lines(indent, o.Rest)
	w.data(indent, o.Data)
	w.encoded(indent, "spec", o.Spec)
	w.encoded(indent, "status", o.Status)
	return w.buf
}

// Encoded is a map as YAML. What we emit is held so: a tree of Nodes, which know
// their positions, is thirty times as large.
type Encoded string

// Encode returns a map as it is written.
func (n *Node) Encode() Encoded { return Encoded(n.AppendYAML(nil, 0)) }

// encodeFields returns the fields of a map as they are written, "" for none.
func (n *Node) encodeFields() Encoded {
	if n.Len() == 0 {
		return ""
	}
	return n.Encode()
}

// encoded writes a part of the object unless it is empty.
func (w *blockWriter) encoded(indent int, key string, value Encoded) {
	if value == "" {
		return
	}
	w.key(indent, key)
	w.raw(":\n")
	w.lines(indent+2, value)
}

// lines writes what has been encoded.
func (w *blockWriter) lines(indent int, value Encoded) {
	for line := range strings.Lines(string(value)) {
		w.line(indent)
		w.raw(line)
	}
}

// AppendYAML appends a value in block style; it begins where the buffer ends, and
// its further lines are indented by indent spaces.
func (n *Node) AppendYAML(buf []byte, indent int) []byte {
	w := blockWriter{buf: buf, inLine: true}
	switch {
	case n.Kind == MapNode && n.Len() > 0:
		w.fields(indent, n)
	case n.Kind == ListNode && len(n.Items) > 0:
		w.list(indent, n)
	default:
		w.scalar(n)
	}
	return w.buf
}

// blockWriter writes YAML in block style, lists in the column of their key.
type blockWriter struct {
	buf []byte
	// inLine is set while the next line has been begun already: behind a dash.
	inLine bool
}

func (w *blockWriter) metadata(indent int, o *Object) {
	if o.Name == "" && o.Namespace == "" && len(o.Labels)+len(o.Annotations)+len(o.Meta) == 0 {
		return
	}
	w.key(indent, "metadata")
	w.raw(":\n")
	w.optional(indent+2, "name", o.Name)
	w.optional(indent+2, "namespace", o.Namespace)
	w.strings(indent+2, "labels", o.Labels)
	w.strings(indent+2, "annotations", o.Annotations)
	w.lines(indent+2, o.Meta)
}

// optional writes a string unless it is empty.
func (w *blockWriter) optional(indent int, key, value string) {
	if value == "" {
		return
	}
	w.key(indent, key)
	w.raw(": ")
	w.buf = appendText(w.buf, value)
	w.raw("\n")
}

// strings writes a map of strings in quotes unless it is empty.
func (w *blockWriter) strings(indent int, key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	w.key(indent, key)
	w.raw(":\n")
	for _, key := range slices.Sorted(maps.Keys(values)) {
		w.colon(indent+2, key)
		w.raw(" ")
		w.buf = appendQuoted(w.buf, values[key])
		w.raw("\n")
	}
}

// data writes the data of a ConfigMap: as strings, but lines as they are.
func (w *blockWriter) data(indent int, values map[string]string) {
	if len(values) == 0 {
		return
	}
	w.key(indent, "data")
	w.raw(":\n")
	for _, key := range slices.Sorted(maps.Keys(values)) {
		w.colon(indent+2, key)
		if isLines(values[key]) {
			w.literal(indent+4, values[key])
			continue
		}
		w.raw(" ")
		w.buf = appendQuoted(w.buf, values[key])
		w.raw("\n")
	}
}

func (w *blockWriter) fields(indent int, n *Node) {
	for key, value := range n.Fields() {
		if w.colon(indent, key.Text) {
			w.behindColon(indent, value)
			continue
		}
		w.raw(" ")
		w.behindDash(indent, value)
	}
}

// colon writes a key and its colon. It tells whether the key stands on the
// colon's line: a long one, or one with line ends, does not (yaml.v3 does the
// same, and parsers give up on 1024 characters).
func (w *blockWriter) colon(indent int, key string) bool {
	const longest = 128
	if len(key) <= longest && !hasLineEnd(key) {
		w.key(indent, key)
		w.raw(":")
		return true
	}
	w.line(indent)
	w.raw("? ")
	w.buf = appendText(w.buf, key)
	w.raw("\n")
	w.line(indent)
	w.raw(":")
	return false
}

func (w *blockWriter) key(indent int, key string) {
	w.line(indent)
	w.buf = appendText(w.buf, key)
}

// behindColon writes the value of a key that stands in column indent.
func (w *blockWriter) behindColon(indent int, n *Node) {
	switch {
	case n.Kind == MapNode && n.Len() > 0:
		w.raw("\n")
		w.fields(indent+2, n)
	case n.Kind == ListNode && len(n.Items) > 0:
		w.raw("\n")
		w.list(indent, n)
	case n.Kind == StringNode && isLines(n.Text):
		w.literal(indent+2, n.Text)
	default:
		w.raw(" ")
		w.scalar(n)
	}
}

// literal writes lines as they are.
func (w *blockWriter) literal(indent int, text string) {
	w.raw(" |\n")
	for line := range strings.Lines(text) {
		w.buf = appendSpaces(w.buf, indent)
		w.raw(line)
	}
}

// isLines tells whether a text is several lines that a literal block shows as
// they are: none of them empty, none beginning or ending with a space, and no
// character that would need an escape.
func isLines(text string) bool {
	if strings.Count(text, "\n") < 2 || !strings.HasSuffix(text, "\n") {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c != '\n' && (c < ' ' || c > '~') {
			return false
		}
	}
	return !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "\n") &&
		!strings.Contains(text, " \n") && !strings.Contains(text, "\n\n")
}

// behindDash writes a value behind a sign in column indent, and the space after
// it.
func (w *blockWriter) behindDash(indent int, n *Node) {
	switch {
	case n.Kind == MapNode && n.Len() > 0:
		w.inLine = true
		w.fields(indent+2, n)
	case n.Kind == ListNode && len(n.Items) > 0:
		w.inLine = true
		w.list(indent+2, n)
	default:
		w.scalar(n)
	}
}

func (w *blockWriter) list(indent int, n *Node) {
	for _, item := range n.Items {
		w.line(indent)
		w.raw("- ")
		w.behindDash(indent, item)
	}
}

// scalar writes a value that has no lines of its own, and ends the line.
func (w *blockWriter) scalar(n *Node) {
	switch n.Kind {
	case MapNode:
		w.raw("{}")
	case ListNode:
		w.raw("[]")
	case StringNode:
		w.buf = appendText(w.buf, n.Text)
	case NullNode:
		w.raw("null")
	default:
		w.raw(n.Text)
	}
	w.raw("\n")
}

func (w *blockWriter) raw(text string) { w.buf = append(w.buf, text...) }

// line begins a line, unless it has been begun.
func (w *blockWriter) line(indent int) {
	if !w.inLine {
		w.buf = appendSpaces(w.buf, indent)
	}
	w.inLine = false
}
