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
	// Data, Spec and Status are left out when empty.
	Data         map[string]string
	Spec, Status Encoded
}

// Identity returns the object's identity.
func (o *Object) Identity() Identity {
	return Identity{GroupOf(o.APIVersion), o.Kind, o.Namespace, o.Name}
}
