package fn

import (
	"maps"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/resourceset"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// resourceSets is the API group of a ResourceSet, which is written
// `ResourceSet/<namespace>/<name>` where its UID is not known.
const resourceSets = "fluxcd.controlplane.io"

// custody is who may delete each namespace.
type custody struct {
	plan *config.Plan
	// generators are those of the run by what they write into the owner annotation,
	// and owners is everybody who writes there.
	generators map[string]*config.Generator
	owners     map[string]bool
	// selves are the ResourceSets that declare a namespace as theirs to delete, by
	// namespace.
	selves   resourceset.Finalized
	refusals handoff.Refusals
	rep      *krm.Report
}

func newCustody(plan *config.Plan, owners map[string]bool, selves resourceset.Finalized, rep *krm.Report) *custody {
	c := &custody{plan, map[string]*config.Generator{}, owners, selves, handoff.Refusals{}, rep}
	for i := range plan.Generators {
		c.generators[plan.Generators[i].Owner] = &plan.Generators[i]
	}
	return c
}

// finalizer is who deletes a namespace in the applier's place; the zero one is
// nobody.
type finalizer struct {
	// name is a reference, or the owner of a ResourceSet.
	name string
	// group is the API group.
	group string
}

// finalizer asks the cluster first, which knows the object itself, then the
// ResourceSets of this run.
func (c *custody) finalizer(namespace string) finalizer {
	r, refusal := c.plan.State.Finalizer(namespace)
	switch {
	case r != handoff.Reference{}:
		c.refusals[namespace] = refusal
		return finalizer{r.String(), r.Group}
	case c.selves[namespace].Owner != "":
		return finalizer{c.selves[namespace].Owner, resourceSets}
	}
	c.refusals[namespace] = refusal
	return finalizer{}
}

// handOver sees to the namespaces that are asked for: a live one that is not ours
// must not be taken by accident, and one that somebody else deletes must be kept by
// the appliers. before is the previous output.
func (c *custody) handOver(objects []*krm.Object, before history) {
	handed, lost, unseen := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, o := range objects {
		c.refuseFinalizer(o)
		g := c.generators[o.Annotations[krm.OwnerKey]]
		if g == nil || o.Identity() != (krm.Identity{Kind: "Namespace", Name: o.Name}) {
			continue
		}
		c.adopt(o, g, before)
		f, told := c.finalizer(o.Name), handed
		if was := before.finalizer(o.Name); f.name == "" && was != "" && c.refusals[o.Name] == (handoff.Refusal{}) {
			if f, told = c.unseen(o.Name, was), unseen; f.name == "" {
				lost[was] = append(lost[was], o.Name)
			}
		}
		if f.name == "" {
			continue
		}
		told[f.name] = append(told[f.name], o.Name)
		o.Annotations = c.plan.Appliers.Except(f.group).Keep(o.Annotations)
		o.Annotations[krm.FinalizedByKey] = f.name
		checkSize(o, g.Pos, "shorten the metadata of the namespace", c.rep)
	}
	for _, name := range slices.Sorted(maps.Keys(handed)) {
		c.rep.Infof("finalizer-found", krm.Pos{}, "", "%s is in charge of deleting %s, and appliers are told not to", krm.Short(name, 512), handoff.Listed("namespace", handed[name]))
		if self := c.selves[handed[name][0]]; self.Local && self.Owner == name {
			c.rep.Warnf("finalizer-local", self.Pos, "leave the set to Flux Operator (`resourceSets: Passthrough`, no `"+krm.LocalConfigKey+"`), or remove the declaration: then appliers delete what leaves",
				"nobody deletes %s: %s declares that it does, and reaches no cluster", handoff.Listed("namespace", handed[name]), krm.Short(name, 512))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unseen)) {
		c.rep.Warnf("finalizer-unknown", krm.Pos{}, "export the namespaces again for `spec.state`",
			"the previous output says that %s deletes %s, and no state shows it: appliers are still told to keep it", krm.Short(name, 512), handoff.Listed("namespace", unseen[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		c.rep.Warnf("finalizer-unknown", krm.Pos{}, "export the namespaces again for `spec.state`",
			"nobody but the applier deletes %s: the previous output says that %s does, and nothing shows it any more", handoff.Listed("namespace", lost[name]), krm.Short(name, 512))
	}
}

// unseen is who the last run knew to delete a namespace that no state shows. That
// one export lacks it proves nothing, and without their keep metadata appliers would
// delete it as soon as it leaves. A ResourceSet without a UID would be in this run.
func (c *custody) unseen(namespace, record string) finalizer {
	r, err := handoff.ParseReference(record)
	if _, live := c.plan.State.Namespace(namespace); live || err != nil {
		return finalizer{}
	}
	return finalizer{record, r.Group}
}

// finalizer is the record of who deletes a namespace, "" when there is none.
func (h history) finalizer(namespace string) string {
	if p := h[namespace]; p != nil {
		return p.item.Annotations[krm.FinalizedByKey]
	}
	return ""
}

// refuseFinalizer is the last of the checks that keep a handoff from being forged:
// whatever wrote the key, it is not for us to say who deletes a namespace.
func (c *custody) refuseFinalizer(o *krm.Object) {
	_, label := o.Labels[handoff.FinalizerKey]
	_, annotation := o.Annotations[handoff.FinalizerKey]
	if label || annotation {
		c.rep.Errorf("metadata-forbidden-key", krm.Pos{Object: o.Identity(), APIVersion: o.APIVersion}, "remove it from what "+o.Annotations[krm.OwnerKey]+" makes",
			"`%s` must not be set here: who deletes a namespace is for the live object to say", handoff.FinalizerKey)
	}
}

// adopt refuses a live namespace that nobody of this run has made, unless it is
// named. A generator that was renamed finds its own in the previous output.
func (c *custody) adopt(o *krm.Object, g *config.Generator, before history) {
	live, there := c.plan.State.Namespace(o.Name)
	if !there {
		return
	}
	owner := live.Annotations[krm.OwnerKey]
	switch {
	case c.owners[owner] || owner != "" && before[o.Name] != nil:
	case slices.Contains(g.Adopt, o.Name):
		c.rep.Infof("namespace-adopted", live.Pos, "", "%s takes over namespace %q, which %s", g.Owner, o.Name, madeBy(owner))
	default:
		c.rep.Errorf("namespace-not-adopted", g.Pos, "give the directory another name or, to take over the namespace with all that is in it, name it in the annotation `"+krm.AdoptKey+"` of the generator",
			"%q asks for namespace %q, which is in the cluster and which %s",
			o.Annotations[krm.OriginKey], o.Name, madeBy(owner))
	}
}

func madeBy(owner string) string {
	if owner == "" {
		return "nobody here has made"
	}
	return krm.Short(owner, 512) + " has made"
}

// keeps tells whether a namespace outlives its leaving, and why: by `prune: false`,
// or because the platform team's metadata asks for it.
func (c *custody) keeps(g *config.Generator, namespace string) (why string) {
	if g == nil || g.Managed == nil {
		return ""
	}
	gone := []tenant.Tenant{{Namespace: namespace}}
	g.Managed.Metadata(nil, gone, func(*tenant.Tenant) int { return 0 }, &krm.Report{})
	switch {
	case !g.Prune:
		return "`prune` is false"
	case slices.Contains(handoff.Asks(gone[0].Labels, gone[0].Annotations), handoff.Keep):
		return "the platform team's metadata asks for it"
	}
	return ""
}
