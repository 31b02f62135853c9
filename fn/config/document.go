package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const (
	generatorKind    = "ArtifactGenerator"
	generatorGroup   = "source.extensions.fluxcd.io"
	generatorVersion = generatorGroup + "/v1beta1"
	sourceGroup      = "source.toolkit.fluxcd.io"
	functionGroup    = "fn.kpt.dev"
	functionVersion  = functionGroup + "/v1alpha1"
	functionKind     = "ProvisionTenants"

	defaultNamespace = "default"
)

// document is a configuration object that has not been decoded yet.
type document struct {
	id   krm.Identity
	node *krm.Node
	// item is nil for what is inline or in a file of `spec.configs`.
	item *krm.Item
	// isConfig is set for the functionConfig itself.
	isConfig bool
	// inline is an entry of spec.generators, which has been decoded.
	inline *inlineGenerator
	// file is the path, from the base directory, of a file of spec.configs.
	file string
	// unread is set while nobody has been told what is wrong with the item's YAML.
	unread bool
	// position is the place of a profile in the input.
	position int
}

// rank puts the functionConfig first, then what was asked for by name, then what
// was found.
func (d document) rank() int {
	switch {
	case d.isConfig:
		return 0
	case d.item == nil:
		return 1
	}
	return 2
}

// where says, behind "first" and the like, where the document is.
func (d document) where() string {
	if d.isConfig {
		return "as the functionConfig"
	}
	return "in " + d.place()
}

// place says where the document is, for messages and for a stable order.
func (d document) place() string {
	if d.item != nil && d.item.Path() != "" {
		return d.item.Pos().Place()
	}
	return d.node.Pos.String()
}

// pos is the document's own position.
func (d document) pos() krm.Pos {
	if d.item != nil {
		return d.item.Pos()
	}
	return d.node.Pos
}

// same tells whether two documents say the same: what hosts add does not count,
// nor what a server keeps in `status`.
func (d document) same(other document) bool {
	return content(d.node).Equal(content(other.node))
}

// content is a document without what does not configure anything.
func content(n *krm.Node) *krm.Node {
	entries := map[string]*krm.Node{"apiVersion": krm.NewString(generatorVersion), "kind": krm.NewString(generatorKind)}
	for key, value := range n.Fields() {
		switch key.Text {
		case "metadata":
			entries["metadata"] = ownMetadata(value)
		case "status":
		default:
			entries[key.Text] = value
		}
	}
	return krm.NewMap(entries)
}

func ownMetadata(n *krm.Node) *krm.Node {
	if n.Kind != krm.MapNode {
		return n
	}
	entries := map[string]*krm.Node{"namespace": krm.NewString(defaultNamespace)}
	for key, value := range n.Fields() {
		switch {
		case value.Kind == krm.NullNode:
		case key.Text == "annotations" && value.Kind == krm.MapNode:
			if own := ownAnnotations(value); own.Len() > 0 {
				entries["annotations"] = own
			}
		default:
			entries[key.Text] = value
		}
	}
	return krm.NewMap(entries)
}

func ownAnnotations(n *krm.Node) *krm.Node {
	entries := map[string]*krm.Node{}
	for key, value := range n.Fields() {
		if prefix, _, _ := strings.Cut(key.Text, "/"); !slices.Contains(hostPrefixes, prefix) {
			entries[key.Text] = value
		}
	}
	return krm.NewMap(entries)
}

// hostPrefixes are those of annotations that hosts add and take away, and of
// what tells hosts about the function itself (kustomize, kpt).
var hostPrefixes = []string{
	"config.kubernetes.io", "internal.config.kubernetes.io", "config.k8s.io", "kustomize.config.k8s.io", "internal.kpt.dev",
}

// identityOf is an item's identity; configuration without a namespace counts as
// being in the default one.
func identityOf(item *krm.Item) krm.Identity {
	id := item.Identity()
	if isGenerator(item) || isProfileID(id) || isSet(item) {
		return namespaced(id)
	}
	return id
}

// byIdentity orders documents by identity, then by place.
func byIdentity(a, b document) int {
	return cmp.Or(a.id.Compare(b.id), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.place(), b.place()))
}

// isGenerator tells whether an item is an ArtifactGenerator of any version.
func isGenerator(item *krm.Item) bool {
	return item.Kind == generatorKind && krm.GroupOf(item.APIVersion) == generatorGroup
}

// nodeIdentity is the identity of a document that is no item.
func nodeIdentity(n *krm.Node) krm.Identity {
	meta := n.Get("metadata")
	return namespaced(krm.Identity{
		Group:     krm.GroupOf(textOf(n.Get("apiVersion"))),
		Kind:      textOf(n.Get("kind")),
		Namespace: textOf(meta.Get("namespace")),
		Name:      textOf(meta.Get("name")),
	})
}
