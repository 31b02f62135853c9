package config

import (
	"github.com/provision-tenants/provision-tenants/fn/artifact"
	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// Plan is everything that a run was asked for. All of it is valid: nothing that
// needs no file is checked again later.
type Plan struct {
	// Name and Namespace are the configuration's: the functionConfig's, else
	// those of the first generator. Namespace is never empty.
	Name, Namespace string
	// Dir is the directory of the configuration's file, relative to the root of
	// the list, "" for the root itself. What a run generates goes to
	// `<Dir>/generated/`.
	Dir string
	// Base is the directory that relative paths start from: the absolute package
	// path that `kpt fn render` names, "." (the working directory) otherwise.
	Base string
	// Sources are the trees behind the aliases of all Generators, sorted by
	// alias, each alias once.
	Sources []Source
	// Generators are sorted by namespace and name.
	Generators []Generator
	// ProtectedNames are namespace names that are refused besides the built-in
	// ones, sorted.
	ProtectedNames []string
	// Appliers are those that the output is for.
	Appliers handoff.Appliers
	// State is what is known of the cluster.
	State    handoff.State
	Deletion Deletion
	// Publish says where the archives are served; nil when nobody does that.
	Publish *Publish
	// Consumed are the items that were read as configuration and lack
	// `config.kubernetes.io/local-config`: left alone, they would reach a cluster
	// and do there what was done here.
	Consumed []*krm.Item
	// Live are the items that are part of the State.
	Live map[*krm.Item]bool
	// Echo is the copy of the functionConfig that kustomize puts among the items;
	// nil under other hosts. It is not emitted.
	Echo *krm.Item

	base     base
	areas    areas
	accepted map[*krm.Item]bool
}

// Source is the tree behind an alias.
type Source struct {
	Alias string
	// Directory is a path for the disk, already joined with Plan.Base; Place is
	// the same as its author wrote it, for messages.
	Directory, Place string
	// Skip is the directory of this tree that holds what we generate, "" when
	// there is none in it. Discovery must not enter it.
	Skip string
	// Pos is where Directory was written, or the source of the generator that
	// names the alias.
	Pos krm.Pos
}

// Generator is a valid ArtifactGenerator.
type Generator struct {
	// Namespace is never empty.
	Name, Namespace string
	// Owner is the value of our `owner` annotation: `ArtifactGenerator/<namespace>/<name>`.
	Owner string
	Pos   krm.Pos
	// Tier decides who gets a namespace that two generators want: the lowest.
	Tier int
	// Pattern is nil when the feature is off: the Artifacts then have no captures
	// and are built once.
	Pattern   *tenant.Pattern
	Artifacts []Artifact
	// Managed is nil unless the generator manages namespaces. Prune says then
	// whether they may be deleted.
	Managed *tenant.Policy
	Prune   bool
	// Labels and Annotations are spec.commonMetadata.
	Labels, Annotations map[string]krm.Str
	// ServiceAccount is spec.serviceAccountName, else the default one, else "".
	ServiceAccount string
	// AllowEmpty lets the pattern match nothing.
	AllowEmpty bool
	// Adopt are namespaces that it may take over although it did not make them.
	Adopt []string
}

// Artifact is an entry of spec.artifacts.
type Artifact struct {
	Names tenant.Names
	// Revision replaces the default, `latest@<digest>`, unless it is "".
	Revision string
	// OriginRevision is left out when it is "".
	OriginRevision string
	// Inputs is nil without inputsFrom.
	Inputs *artifact.InputsFrom
	Copy   []artifact.Operation
	Pos    krm.Pos
}

// Publish is where the archives of the artifacts can be fetched.
type Publish struct {
	// BaseURL has no slash at its end.
	BaseURL string
	// LastUpdateTime is RFC 3339 in UTC, in seconds.
	LastUpdateTime string
}

// Deletion says how many namespaces may leave between two runs.
type Deletion struct {
	// Baseline is the previous output, a slash-separated path below Plan.Base, ""
	// when there is none.
	Baseline krm.Str
	// Max is the most that may leave.
	Max Limit
	// AllowEmpty lets all of them leave, and patterns match nothing.
	AllowEmpty bool
	Names      OptionNames
}

// OptionNames are what the kind of configuration in use calls the options of
// Deletion, for hints: "`spec.deletion.baseline`", "the annotation `…`".
type OptionNames struct{ Baseline, Max, AllowEmpty string }

// Limit is a number, or a share of a number.
type Limit struct {
	Number  int
	Percent bool
	// Pos is where it was written; zero when it is the default.
	Pos krm.Pos
}

// Of is the limit for a baseline of n namespaces: a share is rounded down, and
// the default is at least 1.
func (l Limit) Of(n int) int {
	switch {
	case !l.Percent:
		return l.Number
	case l.Pos == krm.Pos{}:
		return max(1, n*l.Number/100)
	}
	return n * l.Number / 100
}
