package profile

import "github.com/provision-tenants/provision-tenants/fn/krm"

// Profile is a ClusterProfile, or a Profile of one namespace
// (`config.projectsveltos.io`).
type Profile struct {
	Owner
	Selector    Selector
	ClusterRefs []ClusterRef
	SetRefs     []krm.Str
	// DependsOn are names of profiles of the same kind and namespace.
	DependsOn []krm.Str
	// SyncMode is one of the constants below.
	SyncMode krm.Str
	// Paused profiles keep what they have; deleted ones want nothing.
	Paused, Deleted bool
	ContinueOnError bool
	// MaxConsecutiveFailures is 0 for no limit.
	MaxConsecutiveFailures int

	Policies                      []PolicyRef
	Kustomizations                []KustomizationRef
	Patches                       []Patch
	PatchesFrom                   []Source
	DriftExclusions               []DriftExclusion
	ExtraLabels, ExtraAnnotations map[string]krm.Str
	TemplateResources             []TemplateResource
}

// The sync modes of Sveltos.
const (
	OneTime            = "OneTime"
	Continuous         = "Continuous"
	ContinuousAndDrift = "ContinuousWithDriftDetection"
	DryRunMode         = "DryRun"
)

// Confined tells whether a profile is limited to its own namespace.
func (p *Profile) Confined() bool { return p.Namespace != "" }

// PolicyRef is an entry of `policyRefs`: where objects come from.
type PolicyRef struct {
	Pos krm.Pos
	// Kind is ConfigMap, Secret, GitRepository, OCIRepository or Bucket.
	Kind string
	// Namespace, Name and Path may be templates.
	Namespace, Name, Path krm.Str
	Tier                  int
	Local, Optional       bool
}

// KustomizationRef is an entry of `kustomizationRefs`.
type KustomizationRef struct {
	PolicyRef
	Components      []krm.Str
	TargetNamespace krm.Str
	Force           bool
}

// Source names a ConfigMap or a Secret whose data counts.
type Source struct {
	Pos             krm.Pos
	Kind            string
	Namespace, Name krm.Str
	Optional        bool
}

// TemplateResource is an object that templates see by its identifier.
type TemplateResource struct {
	Pos              krm.Pos
	APIVersion, Kind string
	// Namespace and Name may be templates.
	Namespace, Name krm.Str
	Identifier      krm.Str
	Optional        bool
}

// Patch is a strategic merge patch or a JSON patch, and what it is for.
type Patch struct {
	Patch  krm.Str
	Target *Target
}

// Target selects objects. Group to Name are regular expressions for the whole
// text.
type Target struct {
	Pos                                                                      krm.Pos
	Group, Version, Kind, Namespace, Name, LabelSelector, AnnotationSelector krm.Str
}

// DriftExclusion are JSON pointers into objects whose drift does not count.
type DriftExclusion struct {
	Paths  []krm.Str
	Target *Target
}
