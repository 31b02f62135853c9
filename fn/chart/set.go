package chart

import (
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Made is an object, and the releases that it is for, sorted: one, but for
// sources and copies, which releases share. Stamps are the caller's to put on.
type Made struct {
	Object   *krm.Object
	Releases []Release
}

// Set is the charts of one cluster.
type Set struct {
	place    Place
	rep      *krm.Report
	releases []*release
	pool     pool
}

// release is a HelmRelease in the making: what it shares has no name yet.
type release struct {
	Release
	pos    krm.Pos
	spec   fields
	origin origin
	values []valuesKey
	// after are the releases to wait for, in this order.
	after []Release
}

// NewSet begins without charts. What is wrong with charts goes to rep.
func NewSet(place Place, rep *krm.Report) *Set {
	if place.ReleaseInterval == "" {
		place.ReleaseInterval = "10m"
	}
	if place.SourceInterval == "" {
		place.SourceInterval = "1h"
	}
	return &Set{place: place, rep: rep, pool: pool{}}
}

// Add takes over the charts of a profile. A release must not be in two of them.
func (s *Set) Add(p Profile) {
	if p.SyncMode.Text == "DryRun" {
		return
	}
	var before []Release
	for i := range p.Charts {
		c := &p.Charts[i]
		a := adder{Set: s, profile: &p, chart: c, release: c.Release()}
		a.checkRelease()
		if c.Uninstall {
			continue
		}
		a.add(slices.Concat(before, slices.SortedFunc(slices.Values(p.DependsOn), compare)))
		if !p.ContinueOnError {
			before = []Release{a.release}
		}
	}
}

// adder adds one chart.
type adder struct {
	*Set
	profile *Profile
	chart   *Chart
	release Release
}

func (a *adder) add(after []Release) {
	r := &release{Release: a.release, pos: a.chart.Pos, spec: a.spec(), after: after}
	if inline := a.values(r); inline != nil {
		r.spec["values"] = inline
	}
	var ok bool
	if r.origin, ok = a.origin(); ok {
		a.releases = append(a.releases, r)
	}
}

// Objects are all of the set, sorted by identity. They do not depend on the order
// in which profiles were added.
func (s *Set) Objects() []Made {
	all := s.pool.objects(s.place.Namespace)
	emitted := map[Release]bool{}
	for _, r := range s.releases {
		emitted[r.Release] = true
	}
	for _, r := range s.releases {
		all = append(all, Made{r.object(s.place.Namespace, emitted), []Release{r.Release}})
	}
	slices.SortFunc(all, func(a, b Made) int {
		if order := a.Object.Identity().Compare(b.Object.Identity()); order != 0 {
			return order
		}
		return slices.CompareFunc(a.Releases, b.Releases, compare)
	})
	return s.checkNames(all)
}

// object is the HelmRelease, once everything that it shares has a name.
func (r *release) object(namespace string, emitted map[Release]bool) *krm.Object {
	field, source := r.origin()
	r.spec[field] = source
	if len(r.values) > 0 {
		r.spec["valuesFrom"] = list(r.values, valuesKey.node)
	}
	var after []Release
	for _, other := range r.after {
		if emitted[other] && other != r.Release && !slices.Contains(after, other) {
			after = append(after, other)
		}
	}
	if len(after) > 0 {
		r.spec["dependsOn"] = list(after, func(other Release) *krm.Node { return fields{"name": text(other.ObjectName())}.node() })
	}
	return &krm.Object{
		APIVersion: "helm.toolkit.fluxcd.io/v2", Kind: "HelmRelease", Namespace: namespace, Name: r.ObjectName(),
		Spec: r.spec.node().Encode(),
	}
}

// checkNames reports objects of one name, and keeps one of them: `a-b` in `c` and
// `b` in `c-a` would be one HelmRelease. Names that dodge that would change with
// the other release, and Flux would install again what is called otherwise.
func (s *Set) checkNames(sorted []Made) []Made {
	var kept []Made
	for _, m := range sorted {
		if last := len(kept) - 1; last < 0 || kept[last].Object.Identity() != m.Object.Identity() {
			kept = append(kept, m)
			continue
		}
		first := kept[len(kept)-1]
		s.rep.Errorf("chart-name-collision", s.posOf(m.Releases[0]), "give one of the releases another `releaseName`",
			"the releases %s and %s would both have the %s", names(first.Releases), names(m.Releases), m.Object.Identity().Title())
	}
	return kept
}

func (s *Set) posOf(r Release) krm.Pos {
	i := slices.IndexFunc(s.releases, func(other *release) bool { return other.Release == r })
	if i < 0 {
		return krm.Pos{}
	}
	return s.releases[i].pos
}

func names(releases []Release) string {
	all := make([]string, len(releases))
	for i, r := range releases {
		all[i] = r.String()
	}
	return strings.Join(all, ", ")
}
