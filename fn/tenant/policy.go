package tenant

import (
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// PolicyFields is spec.managedNamespaces as written, with what it is checked
// against.
type PolicyFields struct {
	// Pos is spec.managedNamespaces.
	Pos          krm.Pos
	AllowedNames []krm.Str
	// Metadata is nil without spec.managedNamespaces.metadata.
	Metadata *MetadataFields

	// Common is spec.commonMetadata; CheckCommon has seen it.
	Common Metadata
	// Captures are those of the path pattern.
	Captures []string
	// Namespaces are the templates spec.artifacts[].namespace, those that are set.
	Namespaces []krm.Template
	// Own is the generator's namespace, Protected are the names that are refused
	// besides the built-in ones.
	Own       string
	Protected []string
}

// Metadata is labels and annotations as an admin wrote them.
type Metadata struct {
	Labels, Annotations map[string]krm.Str
}

// MetadataFields is spec.managedNamespaces.metadata as written.
type MetadataFields struct {
	Pos krm.Pos
	// FromSource is nil when it is left out.
	FromSource *FromSourceFields
	From       []OperationFields
}

// FromSourceFields is spec.managedNamespaces.metadata.fromSource as written. The
// maps give the CEL expression of each allowed key.
type FromSourceFields struct {
	Pos krm.Pos
	// Path is `@alias/path`; the caller checks that the alias is known.
	Path                              krm.Str
	AllowedLabels, AllowedAnnotations map[string]krm.Str
}

// OperationFields is one entry of spec.managedNamespaces.metadata.from as
// written.
type OperationFields struct {
	Pos krm.Pos
	// Strategy is Reset, Override or Merge; Namespace a name or `*`.
	Strategy, Namespace krm.Str
	Metadata
}

// NewPolicy checks everything about spec.managedNamespaces that needs no file.
// All mistakes are reported; with an error the result is (nil, false).
func NewPolicy(f PolicyFields, rep *krm.Report) (*Policy, bool) { return nil, false }

// CheckCommon checks spec.commonMetadata, which reaches Namespaces and
// ExternalArtifacts: the syntax of labels and annotations, and the keys that
// only appliers and orchestrators may set. pos is spec.commonMetadata.
func CheckCommon(m Metadata, rep *krm.Report) bool { return false }

var _ = maps.Keys[map[string]int]
var _ = slices.Max[[]int]
var _ = strings.Cut
