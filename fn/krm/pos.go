package krm

import (
	"fmt"
	"strings"
)

// Pos says where something stands, in the words its author would use.
//
// Tenant files and files read through `spec.configs` have File, Line and
// Column. Items of a ResourceList have Object, Field and, from hosts that write
// files, File and Index: the host has re-serialised them, so a line number
// would be a number in a text that nobody has.
type Pos struct {
	// File is a slash-separated path, relative to the base directory where possible.
	File string
	// Index is the object's place in its file, as the host's annotation gives it.
	Index int
	// Line and Column are 1-based; 0 means unknown. Column counts characters.
	Line, Column int
	// Object is the object that Field is a path into; zero when there is none.
	Object Identity
	// APIVersion is the object's version where it is known; results name it.
	APIVersion string
	// Field is a path such as `spec.artifacts[0].copy[1].from`. The middle of a
	// long one is left out.
	Field string
}

// maxField bounds Field, in bytes: a tenant says how deep lists nest and how long
// keys are, and every value below has the path again.
const maxField = 200

// At returns the position of a field below p: `p.Field` + "." + name.
func (p Pos) At(field string) Pos {
	switch {
	case p.Field == "":
		p.Field = field
	case strings.HasPrefix(field, "["):
		p.Field += field
	default:
		p.Field += "." + field
	}
	p.Field = Short(p.Field, maxField)
	return p
}

// Key returns the position of a map entry whose key is free text, such as
// `labels["app.kubernetes.io/name"]`.
func (p Pos) Key(key string) Pos { return p.At(fmt.Sprintf("[%q]", Short(key, maxField))) }

// Item returns the position of list entry i.
func (p Pos) Item(i int) Pos { return p.At(fmt.Sprintf("[%d]", i)) }

// Place renders `file:line:column`, as far as it is known. Without a file it
// names the object.
func (p Pos) Place() string {
	switch {
	case p.File == "" && p.Object == Identity{}:
		return ""
	case p.File == "":
		return shown(p.Object.Title())
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// String renders the place and, where there is one, the field path.
func (p Pos) String() string {
	place := p.Place()
	switch {
	case p.Field == "":
		return place
	case place == "":
		return p.Field
	}
	return place + ": " + p.Field
}

// Str is a string that remembers where it was written.
type Str struct {
	Text string
	Pos  Pos
}
