package krm

import (
	"bytes"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// EncodePlain writes a value as tools of Kubernetes do: keys sorted, strings
// without quotes wherever YAML reads them as strings, several lines as a block.
// Text templates in its strings then stand in plain YAML. The error says that the
// library cannot write the value.
func (n *Node) EncodePlain() (string, error) {
	var buf bytes.Buffer
	encoder := yaml.NewEncoder(&buf)
	if err := encoder.Encode(n.toYAML()); err != nil {
		return "", err
	}
	err := encoder.Close()
	return buf.String(), err
}

// toYAML is the value as the library has it.
func (n *Node) toYAML() *yaml.Node {
	switch n.Kind {
	case MapNode:
		y := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for key, value := range n.Fields() {
			y.Content = append(y.Content, stringNode(key.Text, 0), value.toYAML())
		}
		return y
	case ListNode:
		y := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range n.Items {
			y.Content = append(y.Content, item.toYAML())
		}
		return y
	case StringNode:
		return stringNode(n.Text, 0)
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: n.Text}
	}
}
