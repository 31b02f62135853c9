package artifact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// What an object with inputs is. Hosts that accept nothing but objects, as kpt
// does, accept it in the place of a plain map.
const (
	inputsGroup      = "fn.kpt.dev"
	inputsAPIVersion = inputsGroup + "/v1alpha1"
	inputsKind       = "Inputs"
)

// unwrap takes the map out of an Inputs object. A plain map is the inputs itself.
func unwrap(n *krm.Node, rep *krm.Report) (*krm.Node, bool) {
	switch {
	case !isObject(n):
		return n, true
	case textOf(n.Get("apiVersion")) != inputsAPIVersion || textOf(n.Get("kind")) != inputsKind:
		rep.Errorf("inputs-object", n.Pos, fmt.Sprintf("write `apiVersion: %s` and `kind: %s`, and the inputs in `spec`", inputsAPIVersion, inputsKind),
			"an object with inputs must be %s %s, found %q %q", inputsAPIVersion, inputsKind, shown(textOf(n.Get("apiVersion"))), shown(textOf(n.Get("kind"))))
		return nil, false
	case !checkInputsMeta(n.Get("metadata"), rep), !checkFields(n, rep, "apiVersion", "kind", "metadata", "spec"):
		return nil, false
	case n.Get("spec") == nil:
		rep.Errorf("inputs-object", n.Pos.At("spec"), "write `spec: {}` for no inputs", "`spec` is missing, it must be the map of the inputs")
		return nil, false
	}
	return n.Get("spec"), true
}

// isObject tells whether a map is, or is meant to be, an object: nobody exports an
// `apiVersion`, a `kind` and `metadata`.
func isObject(n *krm.Node) bool {
	apiVersion, kind, meta := textOf(n.Get("apiVersion")), textOf(n.Get("kind")), n.Get("metadata")
	return kind == inputsKind || krm.GroupOf(apiVersion) == inputsGroup ||
		apiVersion != "" && kind != "" && meta != nil && meta.Kind == krm.MapNode
}

func textOf(n *krm.Node) string {
	if n == nil || n.Kind != krm.StringNode {
		return ""
	}
	return n.Text
}

// checkInputsMeta checks the metadata, of which nothing is exported.
func checkInputsMeta(meta *krm.Node, rep *krm.Report) bool {
	switch {
	case meta == nil || meta.Kind == krm.NullNode:
		return true
	case meta.Kind != krm.MapNode:
		rep.Errorf("inputs-object", meta.Pos, "", "`metadata` must be a map, found %s", describeKind(meta.Kind))
		return false
	}
	return checkFields(meta, rep, "name", "namespace", "labels", "annotations")
}

// checkFields reports the keys of a map that are not known.
func checkFields(n *krm.Node, rep *krm.Report, known ...string) bool {
	ok := true
	for key := range n.Fields() {
		if slices.Contains(known, key.Text) {
			continue
		}
		hint := "the fields are `" + strings.Join(known, "`, `") + "`"
		if near, found := krm.Nearest(key.Text, known); found {
			hint = fmt.Sprintf("did you mean `%s`?", near)
		}
		rep.Errorf("inputs-object", key.Pos, hint, "unknown field %q", shown(key.Text))
		ok = false
	}
	return ok
}
