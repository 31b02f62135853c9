// Package krm is the outside world's words: lists, objects, values, places and
// findings. It is the only package that knows YAML and the functions SDK.
package krm

import (
	"cmp"
	"strings"
)

// Identity is what makes an object one object in a cluster, whatever version of
// its API it is written in. Namespace is empty for cluster-scoped objects.
type Identity struct {
	Group, Kind, Namespace, Name string
}

// String renders `group/Kind/namespace/name`; the value of our `name`
// annotation. The group of core kinds and the namespace of cluster-scoped kinds
// are empty: `/Namespace//tenant-a`.
func (id Identity) String() string {
	if id == (Identity{}) {
		return ""
	}
	return id.Group + "/" + id.Kind + "/" + id.Namespace + "/" + id.Name
}

// Title names the object as people do: `Namespace tenant-a`, `ExternalArtifact
// tenant-a/web`.
func (id Identity) Title() string {
	if id.Namespace == "" {
		return id.Kind + " " + id.Name
	}
	return id.Kind + " " + id.Namespace + "/" + id.Name
}

// Compare orders identities by group, kind, namespace and name.
func (id Identity) Compare(other Identity) int {
	return cmp.Or(
		cmp.Compare(id.Group, other.Group),
		cmp.Compare(id.Kind, other.Kind),
		cmp.Compare(id.Namespace, other.Namespace),
		cmp.Compare(id.Name, other.Name),
	)
}

// GroupOf returns the group of an apiVersion: "" for `v1`.
func GroupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// Object is an object that we emit. It is written directly, never through a
// YAML library: keys sorted, every string that any YAML version could read as
// something else in quotes.
type Object struct {
	APIVersion, Kind, Namespace, Name string
	Labels, Annotations               map[string]string
	// Meta holds further fields of the metadata, Rest further fields of the object.
	// They, Data, Spec and Status are left out when empty.
	Meta, Rest   Encoded
	Data         map[string]string
	Spec, Status Encoded
}

// NewObject returns an object for a map that has the shape of one: `apiVersion`,
// `kind` and `metadata.name` are strings, `metadata.namespace` is one or missing,
// labels and annotations are maps of strings or missing. Nothing else is looked
// at, and nothing is lost.
func NewObject(n *Node) *Object {
	meta := n.Get("metadata")
	return &Object{
		APIVersion: n.Get("apiVersion").text(), Kind: n.Get("kind").text(),
		Namespace: meta.Get("namespace").text(), Name: meta.Get("name").text(),
		Labels: meta.Get("labels").texts(), Annotations: meta.Get("annotations").texts(),
		Meta: meta.without("name", "namespace", "labels", "annotations").encodeFields(),
		Rest: n.without("apiVersion", "kind", "metadata").encodeFields(),
	}
}

// Identity returns the object's identity.
func (o *Object) Identity() Identity {
	return Identity{GroupOf(o.APIVersion), o.Kind, o.Namespace, o.Name}
}
