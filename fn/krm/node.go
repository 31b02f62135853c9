package krm

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a Node's value, as YAML 1.2 and JSON know it.
type Kind int

// The kinds of a Node.
const (
	NullNode Kind = iota
	BoolNode
	IntNode
	FloatNode
	StringNode
	ListNode
	MapNode
)

// Node is a YAML value that knows its position. Aliases are resolved, keys are
// unique strings, and a scalar that two YAML versions read differently says so
// in Ambiguous.
type Node struct {
	Kind Kind
	Pos  Pos
	// Text is the value of a scalar: the string itself, `true` or `false`, an
	// integer in plain decimal of any size, a float as a JSON number, `null`.
	Text string
	// Ambiguous is set on a plain scalar that YAML 1.1 and YAML 1.2 read as
	// different values (`yes`, `0744`, `12:30:45`): what YAML 1.1 makes of it.
	// Kind and Text then follow YAML 1.2.
	Ambiguous string
	// Written is what the file has for an ambiguous scalar, `0644` where Text is 644.
	Written string
	// Quoted is set on a string that is one whatever it looks like: in quotes, in a
	// block, or with the tag `!!str`.
	Quoted bool
	// Items are the entries of a ListNode.
	Items []*Node
	// fields are the entries of a MapNode, in the order of the file.
	fields []field
}

type field struct {
	key   Str
	value *Node
}

// NewString returns a string without a position.
func NewString(text string) *Node { return &Node{Kind: StringNode, Text: text} }

// NewInt returns an integer without a position.
func NewInt(n int64) *Node { return &Node{Kind: IntNode, Text: strconv.FormatInt(n, 10)} }

// NewList returns a list without a position.
func NewList(items ...*Node) *Node { return &Node{Kind: ListNode, Items: items} }

// NewMap returns a map without a position.
func NewMap(entries map[string]*Node) *Node {
	n := &Node{Kind: MapNode}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		n.fields = append(n.fields, field{Str{Text: key}, entries[key]})
	}
	return n
}

// Entry is an entry of a map.
type Entry struct {
	Key   Str
	Value *Node
}

// NewEntries returns a map of entries, whose keys are unique and keep their
// positions.
func NewEntries(pos Pos, entries []Entry) *Node {
	n := &Node{Kind: MapNode, Pos: pos, fields: make([]field, 0, len(entries))}
	for _, e := range entries {
		n.fields = append(n.fields, field{e.Key, e.Value})
	}
	return n
}

// NewStringMap returns a map of strings without positions.
func NewStringMap(entries map[string]string) *Node {
	n := &Node{Kind: MapNode}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		n.fields = append(n.fields, field{Str{Text: key}, NewString(entries[key])})
	}
	return n
}

// In says of a value, and of all in it, which object it is part of.
func (n *Node) In(object Identity, apiVersion string) {
	n.Pos.Object, n.Pos.APIVersion = object, apiVersion
	for _, item := range n.Items {
		item.In(object, apiVersion)
	}
	for i := range n.fields {
		n.fields[i].key.Pos.Object, n.fields[i].key.Pos.APIVersion = object, apiVersion
		n.fields[i].value.In(object, apiVersion)
	}
}

// Str returns a scalar with its position.
func (n *Node) Str() Str { return Str{n.Text, n.Pos} }

// Get returns the value of a key, nil when n is no map or has no such key.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.fields {
		if n.fields[i].key.Text == key {
			return n.fields[i].value
		}
	}
	return nil
}

// text is that of a scalar, "" for nil.
func (n *Node) text() string {
	if n == nil {
		return ""
	}
	return n.Text
}

// texts are the scalars of a map, which is never nil.
func (n *Node) texts() map[string]string {
	all := map[string]string{}
	if n != nil {
		for _, f := range n.fields {
			all[f.key.Text] = f.value.Text
		}
	}
	return all
}

// without returns a map that lacks some keys; nil has none.
func (n *Node) without(keys ...string) *Node {
	rest := &Node{Kind: MapNode}
	if n == nil {
		return rest
	}
	rest.Pos = n.Pos
	for _, f := range n.fields {
		if !slices.Contains(keys, f.key.Text) {
			rest.fields = append(rest.fields, f)
		}
	}
	return rest
}

// Len is the number of entries of a map.
func (n *Node) Len() int { return len(n.fields) }

// Fields iterates over the entries of a map, sorted by key.
func (n *Node) Fields() iter.Seq2[Str, *Node] {
	byKey := func(a, b field) int { return strings.Compare(a.key.Text, b.key.Text) }
	sorted := n.fields
	if !slices.IsSortedFunc(sorted, byKey) {
		sorted = slices.SortedFunc(slices.Values(sorted), byKey)
	}
	return func(yield func(Str, *Node) bool) {
		for _, f := range sorted {
			if !yield(f.key, f.value) {
				return
			}
		}
	}
}

// Equal tells whether two nodes hold the same value; positions do not count.
func (n *Node) Equal(other *Node) bool {
	switch {
	case n == nil || other == nil:
		return n == other
	case n.Kind != other.Kind || n.Text != other.Text || len(n.fields) != len(other.fields):
		return false
	case !slices.EqualFunc(n.Items, other.Items, (*Node).Equal):
		return false
	}
	for _, f := range n.fields {
		if !f.value.Equal(other.Get(f.key.Text)) || other.Get(f.key.Text) == nil {
			return false
		}
	}
	return true
}
