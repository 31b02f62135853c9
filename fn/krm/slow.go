package krm

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// header is what says that a text is a ResourceList.
type header struct {
	apiVersion, kind string
}

func (h *header) set(key string, value *yaml.Node) {
	switch key {
	case "apiVersion":
		h.apiVersion = scalarText(value)
	case "kind":
		h.kind = scalarText(value)
	}
}

// check refuses what is no ResourceList of a version that the specification
// knows.
func (h *header) check() error {
	switch {
	case h.kind == "" && h.apiVersion == "":
		return errors.New("the input is not a ResourceList, it has no `apiVersion` and no `kind`")
	case h.kind != "ResourceList":
		return fmt.Errorf("the input is not a ResourceList, its `kind` is %q (`apiVersion` %q)", shown(h.kind), shown(h.apiVersion))
	}
	switch h.apiVersion {
	case "config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1":
		return nil
	}
	return fmt.Errorf("the `apiVersion` of the ResourceList must be %q, not %q", "config.kubernetes.io/v1", shown(h.apiVersion))
}

// readAny reads a list by the library, whatever its style. Its items are
// written anew in block style; aliases become copies, because one may stand in
// another item than its anchor.
func readAny(data []byte) (*List, error) {
	docs, err := decodeStrictly(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the input is not YAML: %s", shown(strings.TrimPrefix(err.Error(), "yaml: ")))
	case len(docs) == 0:
		return nil, errors.New("the input is empty, a ResourceList must come in")
	case len(docs) > 1:
		return nil, fmt.Errorf("the input has %d YAML documents, it must be one ResourceList", len(docs))
	}
	root, err := copyNode(docs[0].Content[0])
	if err != nil {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("the input is not a ResourceList, it is %s", describe(root))
	}
	return readRoot(root)
}

func readRoot(root *yaml.Node) (*List, error) {
	list := &List{}
	header := header{}
	for i := 0; i < len(root.Content); i += 2 {
		header.set(root.Content[i].Value, root.Content[i+1])
	}
	if err := header.check(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key := root.Content[i].Value
		if seen[key] {
			return nil, fmt.Errorf("the key %q is there twice in the ResourceList", shown(key))
		}
		seen[key] = true
		if err := list.addSection(root.Content[i], root.Content[i+1]); err != nil {
			return nil, err
		}
	}
	list.complete()
	return list, nil
}

func (l *List) addSection(key, value *yaml.Node) error {
	lead := ""
	if key.HeadComment != "" {
		lead, key.HeadComment = key.HeadComment+"\n", ""
	}
	if key.Value == "items" {
		l.sections = append(l.sections, section{key: "items", lead: lead})
		return l.setItems(value)
	}
	text, err := encodeBlock(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}})
	if err != nil {
		return fmt.Errorf("`%s` of the ResourceList: %w", shown(key.Value), err)
	}
	l.sections = append(l.sections, section{key: key.Value, lead: lead, text: text})
	switch key.Value {
	case "functionConfig":
		return l.setConfig(text, value)
	case "results":
		return l.setResults(value)
	}
	return nil
}

func (l *List) setItems(value *yaml.Node) error {
	switch {
	case isNull(value):
		return nil
	case value.Kind != yaml.SequenceNode:
		return fmt.Errorf("`items` of the ResourceList must be a list, it is %s", describe(value))
	}
	var body strings.Builder
	for i, node := range value.Content {
		if node.Kind != yaml.MappingNode {
			return fmt.Errorf("`items[%d]` of the ResourceList must be an object, it is %s", i, describe(node))
		}
		text, err := encodeBlock(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{node}})
		if err != nil {
			return fmt.Errorf("`items[%d]` of the ResourceList: %w", i, err)
		}
		body.WriteString(text)
	}
	// Cut as readBlock would, so that it finds every comment where it is now.
	_, texts, rest, _ := splitItems(body.String())
	if len(texts) != len(value.Content) {
		return errors.New("`items` of the ResourceList cannot be written in block style")
	}
	l.section("items").text = rest
	for i, node := range value.Content {
		l.Items = append(l.Items, newItem(texts[i], node))
	}
	return nil
}

// setConfig takes the functionConfig; null and an empty map mean that there is
// none.
func (l *List) setConfig(text string, value *yaml.Node) error {
	switch {
	case isNull(value):
		return nil
	case value.Kind != yaml.MappingNode:
		return fmt.Errorf("`functionConfig` of the ResourceList must be an object, it is %s", describe(value))
	case len(value.Content) > 0:
		l.Config = newItem(text, value)
	}
	return nil
}

// newItem reads the fields of an item from its node. A field of the wrong type
// is as good as none: hosts pass files that are no complete objects, and it is
// theirs to refuse them.
func newItem(text string, node *yaml.Node) *Item {
	metadata := lookup(node, "metadata")
	item := &Item{
		text:       text,
		APIVersion: scalarText(lookup(node, "apiVersion")),
		Kind:       scalarText(lookup(node, "kind")),
		Name:       scalarText(lookup(metadata, "name")),
		Namespace:  scalarText(lookup(metadata, "namespace")),
		UID:        scalarText(lookup(metadata, "uid")),
	}
	seen := map[string]bool{}
	for key, value := range entries(lookup(metadata, "annotations")) {
		if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!str" && !seen[key] {
			if item.Annotations == nil {
				item.Annotations = map[string]string{}
			}
			item.Annotations[key] = value.Value
		}
		seen[key] = true
	}
	return item
}

// lookup returns the value of a key, nil when node is no map or has no such
// key. Of two equal keys the first counts, as it does for the hosts' library.
func lookup(node *yaml.Node, key string) *yaml.Node {
	for k, value := range entries(node) {
		if k == key {
			return value
		}
	}
	return nil
}

// entries iterates over a map's entries, aliases resolved: its own first, then
// those of its merge keys.
func entries(node *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		visitEntries(node, map[*yaml.Node]bool{}, yield)
	}
}

// visitEntries visits every node once: merge keys can form a circle, and a
// second visit adds nothing.
func visitEntries(node *yaml.Node, visited map[*yaml.Node]bool, yield func(string, *yaml.Node) bool) bool {
	node = resolve(node)
	if node == nil || node.Kind != yaml.MappingNode || visited[node] {
		return true
	}
	visited[node] = true
	var merged []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := resolve(node.Content[i])
		switch {
		case key.Kind != yaml.ScalarNode:
		case key.ShortTag() == yaml.MergeTag:
			merged = append(merged, mergeSources(node.Content[i+1])...)
		case !yield(key.Value, resolve(node.Content[i+1])):
			return false
		}
	}
	for _, source := range merged {
		if !visitEntries(source, visited, yield) {
			return false
		}
	}
	return true
}

// mergeSources are the maps behind a merge key: one, or a list of them.
func mergeSources(value *yaml.Node) []*yaml.Node {
	value = resolve(value)
	if value.Kind == yaml.SequenceNode {
		return value.Content
	}
	return []*yaml.Node{value}
}

func resolve(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// scalarText is the text of a scalar whatever its type, "" for null and for
// what is no scalar.
func scalarText(node *yaml.Node) string {
	if node == nil || node.Kind != yaml.ScalarNode || isNull(node) {
		return ""
	}
	return node.Value
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

func describe(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a map"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(node):
		return "null"
	case node.ShortTag() == "!!str":
		return fmt.Sprintf("the string %.40q", node.Value)
	}
	return fmt.Sprintf("%.40q", node.Value)
}

// decodeEntry parses a text that is a list or a map with one entry, and returns
// that entry's value.
func decodeEntry(text string) (*yaml.Node, error) {
	root, err := decodeRoot(text)
	if err != nil {
		return nil, err
	}
	return resolve(root.Content[len(root.Content)-1]), nil
}

// decodeRoot parses a text that is a list or a map with one entry.
func decodeRoot(text string) (*yaml.Node, error) {
	docs, err := decodeYAML([]byte(text))
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, errors.New("there must be one document")
	}
	root := docs[0].Content[0]
	switch {
	case root.Kind == yaml.SequenceNode && len(root.Content) == 1, root.Kind == yaml.MappingNode && len(root.Content) == 2:
		return root, nil
	}
	return nil, errors.New("there must be one entry")
}
