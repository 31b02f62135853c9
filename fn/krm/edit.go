package krm

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// WithLocalConfig returns the item with `config.kubernetes.io/local-config:
// "true"` as its first annotation; its text changes nowhere else. An item that
// has the annotation, with whatever value, is returned as it is. Only an item
// without metadata, and one where an alias stands in the way, is written anew.
func (i *Item) WithLocalConfig() *Item {
	if _, there := i.Annotations[LocalConfigKey]; there {
		return i
	}
	text, ok := addLocalConfig(i.text)
	if !ok {
		return i
	}
	edited := *i
	edited.text = text
	edited.Annotations = map[string]string{LocalConfigKey: "true"}
	maps.Copy(edited.Annotations, i.Annotations)
	return &edited
}

// addLocalConfig puts the annotation into the text of an item, where the
// library's positions say, and believes them only if the outcome is what was
// wanted.
func addLocalConfig(text string) (string, bool) {
	root, err := decodeRoot(text)
	if err != nil {
		return "", false
	}
	wanted, ok := withAnnotation(root)
	if !ok {
		return "", false
	}
	for edited := range insertions(text, root) {
		if got, err := decodeRoot(edited); err == nil {
			if got, err = copyNode(got); err == nil && sameNode(got, wanted) {
				return edited, true
			}
		}
	}
	written, err := encodeBlock(wanted)
	return indentBy(written, indentOf(text)), err == nil
}

// withAnnotation is a copy of a list or map of one item, with the annotation. It
// refuses an item that has it already, and one whose metadata or annotations are
// no map.
func withAnnotation(root *yaml.Node) (*yaml.Node, bool) {
	root, err := copyNode(root)
	if err != nil || len(root.Content) == 0 {
		return nil, false
	}
	item := root.Content[len(root.Content)-1]
	metadata := childMap(item, "metadata", len(item.Content))
	annotations := childMap(metadata, "annotations", 0)
	if annotations == nil || lookup(annotations, LocalConfigKey) != nil {
		return nil, false
	}
	insertPair(annotations, 0, LocalConfigKey, stringNode("true", yaml.DoubleQuotedStyle))
	return root, true
}

// childMap returns the map below a key, made at an index of Content where there
// is none; nil when there is something else.
func childMap(parent *yaml.Node, key string, at int) *yaml.Node {
	if parent == nil || parent.Kind != yaml.MappingNode {
		return nil
	}
	child := lookup(parent, key)
	switch {
	case child == nil:
		child = &yaml.Node{Kind: yaml.MappingNode}
		insertPair(parent, at, key, child)
	case isNull(child):
		*child = yaml.Node{Kind: yaml.MappingNode}
	case child.Kind != yaml.MappingNode:
		return nil
	}
	return child
}

func insertPair(parent *yaml.Node, at int, key string, value *yaml.Node) {
	parent.Content = slices.Insert(parent.Content, at, stringNode(key, 0), value)
}

func stringNode(text string, style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: style}
}

// insertions are texts with the annotation at places that are probably right.
func insertions(text string, root *yaml.Node) iter.Seq[string] {
	const entry = LocalConfigKey + `: "true"`
	metadataKey, metadata := pair(root.Content[len(root.Content)-1], "metadata")
	annotationsKey, annotations := pair(metadata, "annotations")
	if annotations == nil {
		return insertionsBelow(text, metadataKey, metadata, "annotations: {"+entry+"}", "annotations:", "  "+entry)
	}
	return insertionsBelow(text, annotationsKey, annotations, entry, entry)
}

// pair returns a key of a map, not those that it merges, and its value; nil when
// there is none.
func pair(node *yaml.Node, key string) (k, value *yaml.Node) {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}

// insertionsBelow put a first entry into the map below a key: inline into a flow
// map or in the place of null, else as lines of their own, behind the key or in
// front of the first entry.
func insertionsBelow(text string, key, value *yaml.Node, inline string, added ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		switch {
		case value == nil:
		case value.Style&yaml.FlowStyle != 0:
			yield(insertInFlow(text, value, inline))
		case value.Value != "":
			at := offsetOf(text, value.Line, value.Column)
			yield(splice(text, at, len(value.Value), "{"+inline+"}"))
		case len(value.Content) == 0:
			yield(splice(text, offsetOf(text, key.Line+1, 1), 0, linesAt(key.Column+2, added)))
		default:
			first := value.Content[0]
			lines := linesAt(first.Column, added)
			_ = yield(splice(text, offsetOf(text, key.Line+1, 1), 0, lines)) &&
				yield(splice(text, offsetOf(text, first.Line, 1), 0, lines))
		}
	}
}

// insertInFlow puts an entry behind the brace of a flow map. Where it has an
// anchor or a tag, its position is theirs.
func insertInFlow(text string, value *yaml.Node, entry string) string {
	at := offsetOf(text, value.Line, value.Column)
	if brace := strings.IndexByte(text[max(at, 0):], '{'); brace >= 0 {
		at = max(at, 0) + brace + 1
	}
	if len(value.Content) > 0 {
		entry += ", "
	}
	return splice(text, at, 0, entry)
}

// linesAt are lines that begin in a column, counted from 1.
func linesAt(column int, added []string) string {
	indent := strings.Repeat(" ", max(column-1, 0))
	return indent + strings.Join(added, "\n"+indent) + "\n"
}

// splice replaces n bytes of a text; where they are not in it, nothing.
func splice(text string, at, n int, by string) string {
	if at < 0 || at+n > len(text) {
		return text
	}
	return text[:at] + by + text[at+n:]
}

// offsetOf is the offset of a line and column as the library counts them, -1
// when there is no such place. YAML 1.1 has five more line ends than LF.
func offsetOf(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		end := strings.IndexAny(text[at:], "\n\r\u0085\u2028\u2029")
		if end < 0 {
			return -1
		}
		at += end
		if strings.HasPrefix(text[at:], "\r\n") {
			at++
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	for ; column > 1 && at < len(text); column-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// indentOf is the column of the list or map that a text is an entry of.
func indentOf(text string) int {
	for _, line := range lines(text) {
		column, content := indentation(line)
		if content != "" && content[0] != '#' {
			return column
		}
	}
	return 0
}

// indentBy moves all lines of a block to the right.
func indentBy(text string, columns int) string {
	var b strings.Builder
	for _, line := range lines(text) {
		if line != "" {
			b.WriteString(strings.Repeat(" ", columns) + line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
