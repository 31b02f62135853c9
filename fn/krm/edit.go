package krm

import (
	"maps"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// WithLocalConfig returns the item with `config.kubernetes.io/local-config:
// "true"` added to its text, which changes nowhere else. An item that has the
// annotation, with whatever value, is returned as it is. A flow style map on the
// way to the annotation is the exception: then the item is written anew.
func (i *Item) WithLocalConfig() *Item {
	if _, there := i.Annotations[LocalConfigKey]; there {
		return i
	}
	text, ok := insertLocalConfig(i.text)
	if !ok {
		text, ok = rewriteLocalConfig(i.text)
	}
	if !ok {
		return i
	}
	edited := *i
	edited.text = text
	edited.Annotations = map[string]string{LocalConfigKey: "true"}
	maps.Copy(edited.Annotations, i.Annotations)
	return &edited
}

// insertLocalConfig adds the lines to a text in plain block style.
func insertLocalConfig(text string) (string, bool) {
	const entry = LocalConfigKey + `: "true"`
	spots, ok := scan(&Item{text: text}, rootOf(text))
	switch {
	case !ok:
		return "", false
	case spots.annotations.after > 0:
		return insertBelow(text, spots.annotations, entry)
	case spots.annotations.after == 0 && spots.metadata.after > 0:
		return insertBelow(text, spots.metadata, "annotations:", "  "+entry)
	}
	return "", false
}

// insertBelow adds lines as the first entries of the map below a key.
func insertBelow(text string, key spot, added ...string) (string, bool) {
	column := key.column + 2
	for _, line := range lines(text[key.after:]) {
		indent, content := indentation(line)
		if content == "" || content[0] == '#' {
			continue
		}
		if indent >= key.column && isDash(content) {
			return "", false
		}
		if indent > key.column {
			column = indent
		}
		break
	}
	var b strings.Builder
	b.WriteString(text[:key.after])
	for _, line := range added {
		b.WriteString(strings.Repeat(" ", column) + line + "\n")
	}
	b.WriteString(text[key.after:])
	return b.String(), true
}

// rootOf is the list or the map that a text is an entry of.
func rootOf(text string) frame {
	for _, line := range lines(text) {
		column, content := indentation(line)
		if content != "" && content[0] != '#' {
			return frame{indent: column, list: isDash(content)}
		}
	}
	return frame{}
}

// rewriteLocalConfig adds the annotation by the library. It refuses an item that
// has it already, and one whose metadata or annotations are no map.
func rewriteLocalConfig(text string) (string, bool) {
	docs, err := decodeYAML([]byte(text))
	if err != nil || len(docs) != 1 {
		return "", false
	}
	root, err := copyNode(docs[0].Content[0])
	if err != nil || len(root.Content) == 0 {
		return "", false
	}
	metadata := childMap(root.Content[len(root.Content)-1], "metadata")
	annotations := childMap(metadata, "annotations")
	if annotations == nil || lookup(annotations, LocalConfigKey) != nil {
		return "", false
	}
	annotations.Content = append(annotations.Content, stringNode(LocalConfigKey, 0), stringNode("true", yaml.DoubleQuotedStyle))
	rewritten, err := encodeBlock(root)
	if err != nil {
		return "", false
	}
	return indentBy(rewritten, rootOf(text).indent), true
}

// childMap returns the map below a key, made where there is none; nil when
// there is something else.
func childMap(parent *yaml.Node, key string) *yaml.Node {
	if parent == nil || parent.Kind != yaml.MappingNode {
		return nil
	}
	child := lookup(parent, key)
	switch {
	case child == nil:
		child = &yaml.Node{Kind: yaml.MappingNode}
		parent.Content = append(parent.Content, stringNode(key, 0), child)
	case isNull(child):
		*child = yaml.Node{Kind: yaml.MappingNode}
	case child.Kind != yaml.MappingNode:
		return nil
	}
	return child
}

func stringNode(text string, style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: style}
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
