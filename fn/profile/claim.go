// Package profile says which cluster a profile is for, what it wants there, and
// who gets an object that several want: the lowest tier.
package profile

import (
	"cmp"
	"strconv"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Owner is who wants objects: a profile, or a generator.
type Owner struct {
	Kind, Namespace, Name string
	// Tier decides between owners: the lowest wins.
	Tier int
	// Position is the place in the input; it counts for InputOrder alone.
	Position int
	// ContinueOnConflict goes on behind an object that somebody else has.
	ContinueOnConflict bool
	// TierField is what to change for another tier, in the words of hints.
	TierField string
	Pos       krm.Pos
}

// String is the value of the `owner` annotation: `ClusterProfile/kyverno`,
// `Profile/eng/kyverno`.
func (o *Owner) String() string {
	if o.Namespace == "" {
		return o.Kind + "/" + o.Name
	}
	return o.Kind + "/" + o.Namespace + "/" + o.Name
}

// compareNames orders owners by kind, namespace and name: a ClusterProfile comes
// before a Profile.
func (o *Owner) compareNames(other *Owner) int {
	return cmp.Or(cmp.Compare(o.Kind, other.Kind), cmp.Compare(o.Namespace, other.Namespace), cmp.Compare(o.Name, other.Name))
}

// Destination is where an object goes: a managed cluster, the management cluster,
// or, in a run without clusters, the only place there is, which is zero.
type Destination struct{ Kind, Namespace, Name string }

// Management is the cluster that `deploymentType: Local` means. All clusters
// share it.
var Management = Destination{Name: "management"}

// String is `namespace/name`.
func (d Destination) String() string {
	if d.Namespace == "" {
		return d.Name
	}
	return d.Namespace + "/" + d.Name
}

// compare orders destinations by type (Cluster API before Sveltos), namespace and
// name.
func (d Destination) compare(other Destination) int {
	return cmp.Or(cmp.Compare(d.Kind, other.Kind), cmp.Compare(d.Namespace, other.Namespace), cmp.Compare(d.Name, other.Name))
}

// Feature is a part of a profile. A conflict in one does not stop the others.
type Feature string

// The features, in the order of reports.
const (
	Helm      Feature = "Helm"
	Resources Feature = "Resources"
	Kustomize Feature = "Kustomize"
)

// Reference is the object that a profile's object comes from. Its tier decides
// between references of one profile only.
type Reference struct {
	Kind, Namespace, Name, Path string
	Tier                        int
	// Local goes to the management cluster.
	Local bool
}

// String is `ConfigMap default/nginx`, "" for none.
func (r Reference) String() string {
	switch {
	case r.Kind == "":
		return ""
	case r.Path != "":
		return r.Kind + " " + r.Namespace + "/" + r.Name + " path " + strconv.Quote(r.Path)
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// same tells whether two references name one object; tiers do not count.
func (r Reference) same(other Reference) bool {
	return r.Kind == other.Kind && r.Namespace == other.Namespace && r.Name == other.Name && r.Path == other.Path
}

// Mode is how a claim takes part.
type Mode int

const (
	// Active claims are decided.
	Active Mode = iota
	// DryRun claims get nothing new: they say what they would get.
	DryRun
	// Paused claims get nothing new.
	Paused
)

// Claim is an object or a release, who wants it, and, after Resolve, who got it.
type Claim struct {
	Owner   *Owner
	Feature Feature
	// Cluster is the one that the owner is for, To where the object goes.
	Cluster, To Destination
	// Identity is that of the object; of a release it is Release's.
	Identity krm.Identity
	Ref      Reference
	Mode     Mode
	// Absent claims want a release to be gone.
	Absent bool
	// Object is nil for a release.
	Object *krm.Object
	// Origin is the file that the object comes from, or the ConfigMap or Secret.
	Origin string
	// node is what the object is made of; of a Kustomization that is spec, and needs
	// are the owners whose Kustomizations come before it.
	node  *krm.Node
	spec  map[string]*krm.Node
	needs []string
	// Version is what the report shows for a release.
	Version string
	// Pos is where the claim is made.
	Pos krm.Pos

	Outcome
}

// Release is what stands for a Helm release where objects have their identity.
func Release(namespace, name string) krm.Identity {
	return krm.Identity{Kind: releaseKind, Namespace: namespace, Name: name}
}

const releaseKind = "helm release"

// State is what became of a claim.
type State string

// The states, as reports show them.
const (
	Deployed   State = "deployed"
	Gone       State = "absent"
	Lost       State = "lost"
	Blocked    State = "blocked"
	Superseded State = "superseded"
	Evaluated  State = "dryrun"
	// Kept is what an owner keeps as it was: it is paused, or cannot get at it.
	Kept State = "kept"
	// Skipped claims of a paused owner were never its own.
	Skipped State = "paused"
)

// Reason is why a claim was lost.
type Reason string

// The reasons, as reports show them.
const (
	ByTier      Reason = "tier"
	ByTie       Reason = "tie"
	ByReference Reason = "reference-tier"
	ByConflict  Reason = "blocked"
	ByDuplicate Reason = "duplicate"
)

// Outcome is what Resolve decided about a claim.
type Outcome struct {
	State  State
	Reason Reason
	// By is the claim that has the object, or that stopped this one; nil where what
	// has it is an incumbent.
	By *Claim
	// Holder and HolderRef say who has the object, where somebody else has it, or
	// had it before a dry run would take it.
	Holder    *Owner
	HolderRef Reference
	// Losers are claims of others that this one prevailed over, by a tier.
	Losers []*Claim
}

// Incumbent is an object that an owner had before, according to its stamps.
type Incumbent struct {
	// Owner is the owner's String.
	Owner    string
	To       Destination
	Identity krm.Identity
	Ref      Reference
}

// TieBreak decides between equal tiers.
type TieBreak string

// The ways to decide. Under ByError nobody wins, and history does not count.
const (
	ByError      TieBreak = "Error"
	ByInputOrder TieBreak = "InputOrder"
	ByName       TieBreak = "Name"
)
