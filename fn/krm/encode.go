package krm

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxBlockDepth is how deep flow lists and maps are written in block style.
// Every level indents all deeper ones, so without a limit a short text could
// become a huge one.
const maxBlockDepth = 64

// copyNode copies a tree: aliases become copies of what they stand for, and what
// is in flow style becomes block style.
func copyNode(node *yaml.Node) (*yaml.Node, error) {
	c := copier{newExpansion()}
	return c.node(node, 0)
}

type copier struct{ expansion }

func (c *copier) node(node *yaml.Node, depth int) (*yaml.Node, error) {
	c.count(node)
	if limit := c.exceeded(); limit != "" {
		return nil, fmt.Errorf("the aliases expand to more than %s", limit)
	}
	if node.Kind == yaml.AliasNode {
		return c.alias(node, depth)
	}
	copied := *node
	copied.Anchor, copied.Content = "", make([]*yaml.Node, len(node.Content))
	if depth < maxBlockDepth {
		copied.Style &^= yaml.FlowStyle
	}
	for i, child := range node.Content {
		child, err := c.node(child, depth+1)
		if err != nil {
			return nil, err
		}
		if node.Kind == yaml.MappingNode && i%2 == 0 && isPlainString(child.Value) && isPlainText(child.Value+"\n") {
			child.Style &^= yaml.DoubleQuotedStyle
		}
		copied.Content[i] = child
	}
	return &copied, nil
}

func (c *copier) alias(node *yaml.Node, depth int) (*yaml.Node, error) {
	if c.open[node.Alias] {
		return nil, fmt.Errorf("the alias %q contains itself", shown(node.Value))
	}
	c.open[node.Alias] = true
	defer delete(c.open, node.Alias)
	return c.node(node.Alias, depth)
}

// encodeBlock writes a node as hosts write it. The library does not always
// write what it has read, mostly because of comments: what comes out is read
// again, and written without comments if it is not the same.
func encodeBlock(node *yaml.Node) (string, error) {
	text, err := encodeAndCheck(node)
	if err != nil {
		text, err = encodeAndCheck(withoutComments(node))
	}
	return text, err
}

func encodeAndCheck(node *yaml.Node) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	var buf bytes.Buffer
	encoder := yaml.NewEncoder(&buf)
	if err := errors.Join(encoder.Encode(node), encoder.Close()); err != nil {
		return "", err
	}
	docs, err := decodeYAML(buf.Bytes())
	if err != nil || len(docs) != 1 || !sameNode(node, docs[0].Content[0]) {
		return "", errors.New("cannot be written in block style")
	}
	return buf.String(), nil
}

// sameNode compares two trees without their styles and comments.
func sameNode(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Kind == yaml.ScalarNode && (a.Value != b.Value || a.ShortTag() != b.ShortTag()) {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, sameNode)
}

func withoutComments(node *yaml.Node) *yaml.Node {
	bare := *node
	bare.HeadComment, bare.LineComment, bare.FootComment = "", "", ""
	bare.Content = make([]*yaml.Node, len(node.Content))
	for i, child := range node.Content {
		bare.Content[i] = withoutComments(child)
	}
	return &bare
}
