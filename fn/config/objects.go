package config

import (
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// objects are all that configuration may refer to: the platform team's items, and
// what files of `spec.configs` hold. A tenant's item is none, nor is one that we
// made.
type objects struct {
	rep   *krm.Report
	nodes map[krm.Identity][]*krm.Node
	items map[krm.Identity][]*krm.Item
	// hidden are those of tenants, for hints.
	hidden map[krm.Identity]bool
	found  map[krm.Identity]*krm.Node
}

func (r *reader) newObjects() *objects {
	o := &objects{r.rep, map[krm.Identity][]*krm.Node{}, map[krm.Identity][]*krm.Item{}, map[krm.Identity]bool{}, map[krm.Identity]*krm.Node{}}
	for _, node := range r.fileObjects {
		id := nodeIdentity(node)
		o.nodes[id] = append(o.nodes[id], node)
	}
	for _, item := range r.list.Items {
		id := namespaced(item.Identity())
		switch _, ours := item.Annotations[krm.OwnerKey]; {
		case ours:
		case !r.isFree(item, r.areas) || r.isResource(item):
			o.hidden[id] = true
		default:
			o.items[id] = append(o.items[id], item)
		}
	}
	return o
}

// namespaced is an identity as references write it: what has no namespace is in
// the default one, unless its kind has none.
func namespaced(id krm.Identity) krm.Identity {
	clusterScoped := id.Group == profileGroup && id.Kind == clusterProfileKind || id.Group == libraryGroup && id.Kind == clusterSetKind
	if id.Namespace == "" && !clusterScoped {
		id.Namespace = defaultNamespace
	}
	return id
}

// identities are those of a kind, sorted.
func (o *objects) identities(of func(krm.Identity) bool) []krm.Identity {
	var all []krm.Identity
	for id := range o.nodes {
		if of(id) {
			all = append(all, id)
		}
	}
	for id := range o.items {
		if of(id) && o.nodes[id] == nil {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, krm.Identity.Compare)
	return all
}

func (o *objects) has(id krm.Identity) bool { return o.nodes[id] != nil || o.items[id] != nil }

// find reads an object. Two that differ under one identity are an error.
func (o *objects) find(id krm.Identity) (*krm.Node, bool) {
	if node, read := o.found[id]; read {
		return node, node != nil
	}
	nodes := slices.Clone(o.nodes[id])
	for _, item := range o.items[id] {
		if node, ok := item.Node(o.rep); ok {
			nodes = append(nodes, node)
		}
	}
	for _, node := range nodes[min(1, len(nodes)):] {
		if !(document{node: nodes[0]}).same(document{node: node}) {
			o.rep.Errorf("config-conflict", node.Pos, "remove one of the two", "%s is there twice with different contents, first in %s", id.Title(), nodes[0].Pos.Place())
		}
	}
	o.found[id] = nil
	if len(nodes) > 0 {
		o.found[id] = nodes[0]
	}
	return o.found[id], len(nodes) > 0
}
