// Package tenant finds who asks for a namespace: the path pattern, discovery,
// the allow-lists, and the metadata a namespace ends up with.
package tenant

import (
	"fmt"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Names are the templates of one artifact.
type Names struct {
	Name      krm.Template
	Namespace krm.Template // the zero Template: the generator's own namespace
}

// Module is one artifact to build.
type Module struct {
	Match Match
	// Artifact is the index in the generator's spec.artifacts.
	Artifact int
	Name     string
}

// Tenant is a namespace and what is wanted in it.
type Tenant struct {
	Namespace string
	// Own marks the generator's own namespace, for artifacts that name none: it is
	// never managed.
	Own bool
	// Dir is the directory of the tenant: the longest common directory of its
	// matches, which end here at the last capture that the namespace was made of.
	Dir string
	// Pos is where findings about the tenant stand: at Dir, or at the template of
	// the namespace when that has no captures.
	Pos krm.Pos
	// Modules are sorted by name.
	Modules []Module
	// Raw are the raw captures that the namespace was made of.
	Raw map[string]string
	// Labels and Annotations are the namespace's metadata, without any of ours.
	Labels, Annotations map[string]string
}

// asker is who asks for the namespace.
func (t *Tenant) asker() string {
	if len(t.Raw) == 0 {
		return "an artifact"
	}
	return fmt.Sprintf("the directory %q", shortName(t.Dir))
}
