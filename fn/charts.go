package fn

import (
	"cmp"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/chart"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// releases are the claims of a profile's charts for a cluster. What makes a
// release one release is known when its templates are filled in.
func (d *deployment) releases(r *round) []*profile.Claim {
	var claims []*profile.Claim
	for _, entry := range d.plan.Charts[r.String()] {
		good := true
		fill := func(with func(krm.Str) (krm.Str, bool)) func(krm.Str) krm.Str {
			return func(text krm.Str) krm.Str {
				filled, ok := with(text)
				good = good && ok
				return filled
			}
		}
		rendered := entry.Render(fill(r.view.Text), fill(r.view.Name))
		if !good {
			continue
		}
		release := rendered.Release()
		c := &profile.Claim{
			Owner: &r.Owner, Feature: profile.Helm, Cluster: r.cluster.Destination, To: r.cluster.Destination,
			Identity: profile.Release(release.Namespace, release.Name),
			Absent:   rendered.Uninstall, Version: rendered.Version.Text, Pos: rendered.Pos,
			Origin: r.Pos.File,
		}
		r.charts[c] = rendered
		claims = append(claims, c)
	}
	return claims
}

// charts are the Flux objects of all releases that were granted.
func (d *deployment) charts() []*krm.Object {
	var objects []*krm.Object
	for _, c := range d.clusters {
		set := chart.NewSet(chart.Place{Namespace: fluxNamespace}, d.rep)
		owners := map[chart.Release]*profile.Claim{}
		for _, r := range d.in[c] {
			if len(r.charts) == 0 || r.mode() != profile.Active {
				continue
			}
			granted := r.granted(owners)
			granted.DependsOn = d.releasesBefore(r)
			granted.Find = d.findFor(c)
			set.Add(granted)
		}
		for _, made := range set.Objects() {
			objects = append(objects, d.chartObject(made, owners))
		}
	}
	return objects
}

// granted are the charts that a profile deploys, and what it says about them.
func (r *round) granted(owners map[chart.Release]*profile.Claim) chart.Profile {
	p := chart.Profile{
		Namespace: cmp.Or(r.Namespace, r.cluster.Namespace), Confined: r.Confined(),
		ExtraLabels: r.ExtraLabels, ExtraAnnotations: r.ExtraAnnotations,
		SyncMode: r.SyncMode, ContinueOnError: r.ContinueOnError, MaxConsecutiveFailures: r.MaxConsecutiveFailures,
		Render: r.view.Data,
	}
	for _, c := range r.claims {
		entry, isChart := r.charts[c]
		if isChart && (c.State == profile.Deployed || c.State == profile.Gone) {
			p.Charts = append(p.Charts, entry)
			owners[entry.Release()] = c
		}
	}
	for _, patch := range r.patches {
		p.Patches = append(p.Patches, chart.Patch{Patch: patch.Patch, Target: chartTarget(patch.Target)})
	}
	for _, exclusion := range r.DriftExclusions {
		p.DriftExclusions = append(p.DriftExclusions, chart.DriftExclusion{Paths: exclusion.Paths, Target: chartTarget(exclusion.Target)})
	}
	return p
}

func chartTarget(t *profile.Target) *chart.Target {
	if t == nil {
		return nil
	}
	out := chart.Target(*t)
	return &out
}

// findFor looks up what charts refer to. It is in the cluster already only where
// the items are for that cluster.
func (d *deployment) findFor(c *profile.Cluster) func(krm.Identity) (*krm.Node, bool) {
	return func(id krm.Identity) (*krm.Node, bool) {
		node, found := d.plan.Find(id)
		return node, found && c.Destination == d.home && d.plan.Applied(id)
	}
}

// releasesBefore are the releases of the profiles that one depends on.
func (d *deployment) releasesBefore(r *round) []chart.Release {
	if len(r.DependsOn) == 0 {
		return nil
	}
	var before []chart.Release
	for _, other := range d.in[r.cluster] {
		needed := slices.ContainsFunc(r.DependsOn, func(name krm.Str) bool {
			return other.Kind == r.Kind && other.Namespace == r.Namespace && other.Name == name.Text
		})
		if !needed {
			continue
		}
		for _, c := range other.claims {
			if entry, isChart := other.charts[c]; isChart && c.State == profile.Deployed {
				before = append(before, entry.Release())
			}
		}
	}
	return before
}

// chartObject says whose an object is: that of its release, or, of one that
// releases share, of the best tier among them.
func (d *deployment) chartObject(made chart.Made, owners map[chart.Release]*profile.Claim) *krm.Object {
	best := owners[made.Releases[0]]
	for _, release := range made.Releases[1:] {
		if c := owners[release]; cmp.Or(cmp.Compare(c.Owner.Tier, best.Owner.Tier), cmp.Compare(c.Owner.String(), best.Owner.String())) < 0 {
			best = c
		}
	}
	if made.Object.Kind != "HelmRelease" {
		return d.finish(made.Object, best, nil)
	}
	o := d.finish(made.Object, best, best.Verdict())
	o.Annotations[krm.IdentityKey] = "helm:" + best.Identity.Namespace + "/" + best.Identity.Name
	return o
}
