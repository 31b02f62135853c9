package krm

import (
	"errors"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
)

// JSONPatch applies a JSON patch (RFC 6902), a list of operations, to an object.
// To remove what is not there changes nothing. The error says which operation
// fails.
func (n *Node) JSONPatch(patch *Node) (*Node, error) {
	operations, err := jsonpatch.DecodePatch(patch.AppendJSON(nil))
	if err != nil {
		return nil, fmt.Errorf("it is no JSON patch: %w", err)
	}
	options := jsonpatch.NewApplyOptions()
	options.AllowMissingPathOnRemove = true
	patched, err := operations.ApplyWithOptions(n.AppendJSON(nil), options)
	if err != nil {
		return nil, err
	}
	return n.reparse(patched)
}

// MergePatch applies a strategic merge patch, as kustomize does: lists of objects
// that Kubernetes knows are merged by their keys, `$patch` directives count.
func (n *Node) MergePatch(patch *Node) (*Node, error) {
	target, err := yaml.Parse(string(n.AppendYAML(nil, 0)))
	if err != nil {
		return nil, err
	}
	source, err := yaml.Parse(string(patch.AppendYAML(nil, 0)))
	if err != nil {
		return nil, err
	}
	merged, err := merge2.Merge(source, target, yaml.MergeOptions{ListIncreaseDirection: yaml.MergeOptionsListPrepend})
	if err != nil {
		return nil, err
	}
	if merged == nil || merged.YNode() == nil {
		return nil, errors.New("it deletes the object")
	}
	text, err := merged.String()
	if err != nil {
		return nil, err
	}
	return n.reparse([]byte(text))
}

// reparse reads what has been made of an object.
func (n *Node) reparse(text []byte) (*Node, error) {
	rep := &Report{}
	made, ok := ParseAt(Pos{}, text, rep)
	if !ok || made == nil {
		return nil, errors.New("the result is no object")
	}
	made.Pos = n.Pos
	return made, nil
}
