package fn

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/chart"
	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// fluxNamespace is where Flux objects for a cluster go.
const fluxNamespace = "flux-system"

// deployment is what the profiles of a run want, and where.
type deployment struct {
	plan *config.Plan
	rep  *krm.Report
	// rounds are a profile and a cluster each, sorted by profile and cluster.
	rounds []*round
	// clusters are those that any profile is for, in is which rounds are for each.
	clusters []*profile.Cluster
	in       map[*profile.Cluster][]*round
	// home is the destination of generators, and of what goes to `generated/`
	// itself: the only cluster, of several the management cluster.
	home profile.Destination
}

// round is a profile for a cluster.
type round struct {
	*profile.Profile
	cluster *profile.Cluster
	view    *profile.View
	// claims are all that the profile wants there; charts are those of releases.
	claims []*profile.Claim
	charts map[*profile.Claim]chart.Chart
	// patches are for charts.
	patches []profile.Patch
}

// newDeployment matches profiles with clusters.
func newDeployment(plan *config.Plan, rep *krm.Report) *deployment {
	d := &deployment{plan: plan, rep: rep, in: map[*profile.Cluster][]*round{}}
	if len(plan.Profiles) == 0 {
		return d
	}
	matched := profile.Match(plan.Profiles, plan.Clusters, plan.Sets, rep)
	for i := range plan.Profiles {
		p := &plan.Profiles[i]
		for _, c := range matched[i] {
			if d.in[c] == nil {
				d.clusters = append(d.clusters, c)
			}
			r := &round{Profile: p, cluster: c, charts: map[*profile.Claim]chart.Chart{}}
			d.rounds, d.in[c] = append(d.rounds, r), append(d.in[c], r)
		}
		if len(matched[i]) == 0 && !p.Deleted {
			rep.Infof("profile-unmatched", p.Pos, "", "%s is for none of the clusters", &p.Owner)
		}
		d.tellRuntimeLabels(p)
	}
	switch len(d.clusters) {
	case 0:
	case 1:
		d.home = d.clusters[0].Destination
	default:
		d.home = profile.Management
	}
	return d
}

// tellRuntimeLabels: Sveltos puts some labels on clusters itself, and files may
// lack them.
func (d *deployment) tellRuntimeLabels(p *profile.Profile) {
	for _, key := range p.Selector.Keys() {
		ownLabel := strings.HasPrefix(key, "projectsveltos.io/") || key == "sveltos-agent"
		missing := slices.ContainsFunc(d.plan.Clusters, func(c profile.Cluster) bool { _, there := c.Labels[key]; return !there })
		if ownLabel && missing {
			d.rep.Infof("selector-runtime-label", p.Pos.At("spec.clusterSelector"), "write the label on the clusters in the input",
				"Sveltos puts the label %q on clusters, and not all clusters in the input have it", key)
		}
	}
}

// claims expands all profiles.
func (d *deployment) claims(trees trees, held holdings) []*profile.Claim {
	if len(d.rounds) == 0 {
		return nil
	}
	held.checkPlaced(d)
	expander := profile.NewExpander(d.input(trees), d.rep)
	var all []*profile.Claim
	for _, r := range d.rounds {
		r.claims = d.expand(expander, r, held)
		all = append(all, r.claims...)
	}
	expander.Settle(all)
	for _, r := range d.rounds {
		if r.mode() == profile.DryRun {
			r.claims = append(r.claims, held.others(r)...)
		}
	}
	return d.all()
}

func (d *deployment) all() []*profile.Claim {
	var all []*profile.Claim
	for _, r := range d.rounds {
		all = append(all, r.claims...)
	}
	return all
}

// mode is how a profile takes part for a cluster.
func (r *round) mode() profile.Mode {
	switch {
	case r.Paused || r.cluster.Paused:
		return profile.Paused
	case r.SyncMode.Text == profile.DryRunMode:
		return profile.DryRun
	}
	return profile.Active
}

// expand is for one profile and one cluster. One that is paused wants what it has.
func (d *deployment) expand(expander *profile.Expander, r *round, held holdings) []*profile.Claim {
	if r.mode() == profile.Paused {
		return held.of(r)
	}
	view, ok := expander.View(r.Profile, r.cluster)
	if !ok {
		return nil
	}
	r.view = view
	claims := slices.Concat(
		expander.Objects(r.Profile, r.cluster, view),
		d.releases(r),
		expander.Kustomizations(r.Profile, r.cluster, view, fluxNamespace))
	if len(r.charts) > 0 {
		r.patches = expander.Patches(r.Profile, r.cluster, view)
	}
	for _, c := range claims {
		c.Mode = r.mode()
	}
	return claims
}

// objects are those of claims that were granted, with all that says whose they are.
func (d *deployment) objects() []*krm.Object {
	var objects []*krm.Object
	for _, r := range d.rounds {
		for _, c := range r.claims {
			if c.State == profile.Deployed && c.Object != nil {
				c.Stamp(r.Profile)
				objects = append(objects, d.finish(c.Object, c, c.Verdict()))
			}
		}
	}
	return append(objects, d.charts()...)
}

// tellDependencies warns of profiles that wait for one which does not get all that
// it wants: Sveltos would not deploy them.
func (d *deployment) tellDependencies() {
	for _, r := range d.rounds {
		for _, name := range r.DependsOn {
			for _, needed := range d.in[r.cluster] {
				lost := slices.ContainsFunc(needed.claims, func(c *profile.Claim) bool { return c.State == profile.Lost || c.State == profile.Blocked })
				if needed.Kind == r.Kind && needed.Namespace == r.Namespace && needed.Name == name.Text && lost {
					d.rep.Warnf("dependency-in-conflict", name.Pos, "give what it needs to "+needed.String()+" alone, or let nobody depend on it",
						"%s depends on %s, which does not get all that it wants for %s: Sveltos would wait, and here nothing does", &r.Owner, &needed.Owner, r.cluster)
				}
			}
		}
	}
}

// finish puts on an object what all of ours carry. Sveltos substitutes nothing
// behind its templates, so neither does Flux.
func (d *deployment) finish(o *krm.Object, c *profile.Claim, verdict map[string]string) *krm.Object {
	annotations := map[string]string{}
	maps.Copy(annotations, o.Annotations)
	maps.Copy(annotations, verdict)
	o.Annotations = d.plan.Appliers.NoSubstitution(annotations)
	if c.To != d.home {
		o.Annotations[krm.ClusterKey] = c.To.String()
	}
	signed(o, c.Owner.String(), cmp.Or(c.Origin, c.Owner.String()))
	checkSize(o, c.Pos, "shorten them", d.rep)
	return o
}

// checkPlaces reports two objects of one identity for one place, which no claims
// were: what a chart needs, and what somebody delivers.
func checkPlaces(objects []*krm.Object, rep *krm.Report) {
	seen := map[spot]*krm.Object{}
	for _, o := range objects {
		at := spotOf(o.Identity(), o.Annotations)
		if first := seen[at]; first != nil {
			rep.Errorf("identity-conflict", krm.Pos{Object: o.Identity(), APIVersion: o.APIVersion}, "rename one of the two",
				"%s is made twice, for %s and for %s", o.Identity().Title(), first.Annotations[krm.OwnerKey], o.Annotations[krm.OwnerKey])
		}
		seen[at] = o
	}
}

// spot is where an object is. The cluster that generators are for is "".
type spot struct {
	cluster string
	id      krm.Identity
}

// spotOf reads the stamps of an object; nobody else's annotation counts.
func spotOf(id krm.Identity, annotations map[string]string) spot {
	if annotations[krm.OwnerKey] == "" {
		return spot{id: id}
	}
	return spot{annotations[krm.ClusterKey], id}
}

// checkStream: a stream of objects goes to one cluster.
func (d *deployment) checkStream(list *krm.List, objects []*krm.Object) {
	if d.plan.Echo == nil && !list.Bare {
		return
	}
	var clusters []string
	for _, o := range objects {
		clusters = append(clusters, cmp.Or(o.Annotations[krm.ClusterKey], d.home.String()))
	}
	slices.Sort(clusters)
	if clusters = slices.Compact(clusters); len(clusters) > 1 {
		d.rep.Errorf("clusters-in-one-stream", krm.Pos{}, "set `spec.cluster` of a ProvisionTenants, and run once for each cluster; for `deploymentType: Local` use kpt",
			"the output is for %d clusters (%s), and kustomize cannot tell them apart", len(clusters), abridged(clusters))
	}
}
