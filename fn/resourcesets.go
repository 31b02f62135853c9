package fn

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/artifact"
	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
	"github.com/provision-tenants/provision-tenants/fn/resourceset"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// exports are the artifacts that ResourceSets can get inputs from. It is nil while
// there are no ResourceSets.
type exports map[krm.Identity]export

type export struct {
	*resourceset.Artifact
	tier int
}

func newExports(plan *config.Plan) exports {
	if len(plan.ResourceSets) == 0 {
		return nil
	}
	return exports{}
}

// add adds an artifact that a generator makes. Of one that several make, the one
// with the lowest tier will be there.
func (e exports) add(g *config.Generator, o *krm.Object, spec *config.Artifact, built *artifact.Artifact, inputs *krm.Node, rep *krm.Report) {
	if before, twice := e[o.Identity()]; e == nil || twice && before.tier <= g.Tier {
		return
	}
	made := &resourceset.Artifact{
		Namespace: o.Namespace, Name: o.Name, Revision: revisionOf(spec, built),
		Labels: o.Labels, Origin: o.Annotations[krm.OriginKey], File: krm.Pos{File: o.Annotations[krm.OriginKey]},
	}
	made.Take(inputs, rep)
	e[o.Identity()] = export{made, g.Tier}
}

// revisionOf is the revision that an artifact has.
func revisionOf(spec *config.Artifact, built *artifact.Artifact) string {
	return cmp.Or(spec.Revision, "latest@"+built.Digest)
}

// addForeign adds the artifacts among the items that somebody else makes. What a
// tenant can have written is none.
func (e exports) addForeign(list *krm.List, plan *config.Plan, rep *krm.Report) {
	if e == nil {
		return
	}
	for _, item := range list.Items {
		id := item.Identity()
		_, ours := item.Annotations[krm.OwnerKey]
		if id.Kind != externalArtifactKind || id.Group != "source.toolkit.fluxcd.io" || ours {
			continue
		}
		if !plan.Trusted(item) {
			if !plan.TenantData(item) {
				rep.Warnf("tenant-configuration-ignored", item.Pos(), "run the function on the root of the package, which a Kptfile shows",
					"%s may be a tenant's, and ResourceSets get no inputs from it", id.Title())
			}
			continue
		}
		if _, made := e[id]; made {
			continue
		}
		if node, ok := item.Node(rep); ok {
			e[id] = export{foreignArtifact(item, node, rep), 0}
		}
	}
}

func foreignArtifact(item *krm.Item, n *krm.Node, rep *krm.Report) *resourceset.Artifact {
	o := krm.NewObject(n)
	a := &resourceset.Artifact{
		Namespace: o.Namespace, Name: o.Name, Labels: o.Labels, File: item.Pos(), Origin: cmp.Or(item.Path(), "."),
	}
	if revision := n.Get("status").Get("artifact").Get("revision"); revision != nil {
		a.Revision = revision.Text
	}
	a.Take(n.Get("status").Get("exportedInputs"), rep)
	return a
}

// sorted are the artifacts by namespace and name.
func (e exports) sorted() []*resourceset.Artifact {
	var all []*resourceset.Artifact
	for _, id := range slices.SortedFunc(maps.Keys(e), krm.Identity.Compare) {
		all = append(all, e[id].Artifact)
	}
	return all
}

// evaluateSets renders the ResourceSets, or checks them.
func evaluateSets(list *krm.List, plan *config.Plan, exported exports, rep *krm.Report) resourceset.Result {
	if exported == nil {
		return resourceset.Result{}
	}
	partial := rep.Worst() >= krm.Error
	exported.addForeign(list, plan, rep)
	env := resourceset.Environment{
		Render: plan.RenderSets, Providers: plan.Providers, Artifacts: exported.sorted(), Partial: partial,
		Control: tenant.IsControl, Forbidden: forbiddenInTemplates,
		Find: func(id krm.Identity) *krm.Node { return findItem(list, plan, id, rep) },
	}
	return resourceset.Evaluate(plan.ResourceSets, env, rep)
}

// forbiddenInTemplates are keys that not even a template of the platform team may
// set. Who manages an object, it may say.
func forbiddenInTemplates(key string) bool {
	return tenant.AdminForbidden(key) && key != krm.ManagedByKey
}

// findItem finds an object that neither a tenant nor an earlier run has made.
func findItem(list *krm.List, plan *config.Plan, id krm.Identity, rep *krm.Report) *krm.Node {
	for _, item := range list.Items {
		if _, ours := item.Annotations[krm.OwnerKey]; item.Identity() == id && !ours && plan.Trusted(item) {
			if node, ok := item.Node(rep); ok {
				return node
			}
		}
	}
	return nil
}

// setClaims are the claims of the ResourceSets on what they render.
func setClaims(result resourceset.Result, home profile.Destination, plan *config.Plan, rep *krm.Report) []*profile.Claim {
	claims := make([]*profile.Claim, 0, len(result.Objects))
	owners := map[string]*profile.Owner{}
	for _, o := range result.Objects {
		if o.Tenant {
			o.Annotations = plan.Appliers.NoSubstitution(o.Annotations)
		}
		setIf(o.Annotations, krm.StepKey, o.Step)
		signed(o.Object, o.Set.Owner, o.Origin)
		checkSize(o.Object, o.Set.Pos, "shorten the template, or what it takes from the inputs", rep)
		owner := owners[o.Set.Owner]
		if owner == nil {
			owner = ownerOfSet(o.Set)
			owners[o.Set.Owner] = owner
		}
		claims = append(claims, &profile.Claim{
			Owner: owner, Feature: profile.Resources, To: home, Identity: o.Identity(), Object: o.Object, Pos: o.Set.Pos,
		})
	}
	return claims
}

// ownerOfSet is a ResourceSet as one of those whose tiers decide.
func ownerOfSet(s *resourceset.Set) *profile.Owner {
	kind, rest, _ := strings.Cut(s.Owner, "/")
	namespace, name, _ := strings.Cut(rest, "/")
	return &profile.Owner{
		Kind: kind, Namespace: namespace, Name: name, Tier: s.Tier, ContinueOnConflict: true,
		TierField: "the annotation `" + krm.TierKey + "`", Pos: s.Pos,
	}
}

// warnUnmanaged warns of declarations about namespaces that nothing here makes.
func warnUnmanaged(finalized resourceset.Finalized, claims []*profile.Claim, plan *config.Plan, rep *krm.Report) {
	if !plan.RenderSets || len(finalized) == 0 {
		return
	}
	made := map[string]bool{}
	for _, c := range claims {
		if c.Identity.Kind == "Namespace" {
			made[c.Identity.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(finalized)) {
		if f := finalized[name]; !made[name] {
			rep.Warnf("finalizer-unmanaged", f.Pos, "manage the namespace with a generator, or declare it without the annotation",
				"%s declares that it deletes Namespace %q, which no generator makes", f.Owner, name)
		}
	}
}
