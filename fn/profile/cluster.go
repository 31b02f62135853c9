package profile

import (
	"maps"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// The kinds of clusters, by which a Destination tells them apart.
const (
	// CAPICluster is Cluster API's.
	CAPICluster = "Cluster"
	// SveltosCluster is any other one.
	SveltosCluster = "SveltosCluster"
)

// Cluster is a managed cluster.
type Cluster struct {
	Destination
	Labels map[string]string
	// Object is what templates see as `.Cluster`.
	Object *krm.Node
	// Paused clusters get nothing new; deleted ones nothing at all.
	Paused, Deleted bool
	// Down is what a Sveltos cluster says that cannot be reached: no set selects it.
	Down bool
	Pos  krm.Pos
}

// Set is a ClusterSet, or a Set of one namespace.
type Set struct {
	// Namespace is empty for a ClusterSet.
	Namespace, Name string
	Selector        Selector
	Refs            []ClusterRef
	// Max is how many clusters the set selects; 0 selects none.
	Max int
	// Selected are those that the set says it selected; nil where it does not say.
	Selected []ClusterRef
	Pos      krm.Pos
}

// ClusterRef names a cluster.
type ClusterRef struct {
	Destination
	Pos krm.Pos
}

// fleet is what profiles are matched with.
type fleet struct {
	clusters []Cluster
	sets     []Set
	rep      *krm.Report
}

// Match says which clusters each profile is for: those that its selector selects,
// those that it names, those of its sets, and those of all profiles that depend on
// it. The clusters of a profile are sorted by type, namespace and name.
func Match(profiles []Profile, clusters []Cluster, sets []Set, rep *krm.Report) [][]*Cluster {
	f := fleet{clusters, sets, rep}
	matched := make([]map[*Cluster]bool, len(profiles))
	for i := range profiles {
		matched[i] = f.own(&profiles[i])
	}
	spread(profiles, matched, rep)
	found := make([][]*Cluster, len(profiles))
	for i := range profiles {
		found[i] = slices.SortedFunc(maps.Keys(matched[i]), func(a, b *Cluster) int { return a.compare(b.Destination) })
	}
	return found
}

// own are the clusters that a profile asks for itself.
func (f fleet) own(p *Profile) map[*Cluster]bool {
	found := map[*Cluster]bool{}
	if p.Deleted {
		return found
	}
	for i := range f.clusters {
		c := &f.clusters[i]
		if !c.Deleted && p.mayUse(c) && (p.Selector.Matches(c.Labels) || names(p.ClusterRefs, c)) {
			found[c] = true
		}
	}
	f.reportUnknown(p.ClusterRefs)
	for _, name := range p.SetRefs {
		i := slices.IndexFunc(f.sets, func(s Set) bool { return s.Name == name.Text && s.Namespace == p.Namespace })
		if i < 0 {
			f.rep.Warnf("set-missing", name.Pos, "pass it among the items", "%s is not in the input, and selects no cluster", p.setTitle(name.Text))
			continue
		}
		for _, c := range f.selected(&f.sets[i]) {
			if !c.Deleted && p.mayUse(c) {
				found[c] = true
			}
		}
	}
	return found
}

func (p *Profile) setTitle(name string) string {
	if p.Namespace == "" {
		return "ClusterSet " + name
	}
	return "Set " + p.Namespace + "/" + name
}

// mayUse: a Profile is for clusters of its own namespace only.
func (p *Profile) mayUse(c *Cluster) bool { return p.Namespace == "" || p.Namespace == c.Namespace }

func names(refs []ClusterRef, c *Cluster) bool {
	return slices.ContainsFunc(refs, func(r ClusterRef) bool { return r.Destination == c.Destination })
}

// reportUnknown warns about clusters that are named and not there. With one
// cluster, the run is for that one, and the others are none of its business.
func (f fleet) reportUnknown(refs []ClusterRef) {
	for _, ref := range refs {
		known := slices.ContainsFunc(f.clusters, func(c Cluster) bool { return c.Destination == ref.Destination })
		if !known && len(f.clusters) != 1 {
			f.rep.Warnf("cluster-unknown", ref.Pos, "pass it among the items", "%s %s is not in the input", ref.Kind, ref)
		}
	}
}

// selected are the clusters of a set: those in its status, else the first ones up
// to its maximum. Sveltos keeps those that it has selected before; without the
// status nobody knows them.
func (f fleet) selected(s *Set) []*Cluster {
	var found []*Cluster
	for i := range f.clusters {
		c := &f.clusters[i]
		switch {
		case s.Selected != nil && names(s.Selected, c),
			s.Selected == nil && !c.Down && (s.Namespace == "" || s.Namespace == c.Namespace) && (s.Selector.Matches(c.Labels) || names(s.Refs, c)):
			found = append(found, c)
		}
	}
	if s.Selected != nil {
		return found
	}
	slices.SortFunc(found, func(a, b *Cluster) int { return a.compare(b.Destination) })
	f.rep.Infof("set-guessed", s.Pos, "pass the set with its `status.selectedClusterRefs`",
		"the set does not say which clusters it selected: the first %d of %d that match are taken, by type, namespace and name", min(s.Max, len(found)), len(found))
	return found[:min(s.Max, len(found))]
}

// spread gives each profile the clusters of those that depend on it. A dependency
// that is missing, or that comes back to itself, is an error: Sveltos would wait
// for ever.
func spread(profiles []Profile, matched []map[*Cluster]bool, rep *krm.Report) {
	s := spreader{profiles, matched, rep, make([]int, len(profiles)), nil}
	for i := range profiles {
		s.visit(i)
	}
	for _, i := range slices.Backward(s.order) { // dependents come first
		for _, j := range s.needs(i) {
			maps.Copy(matched[j], matched[i])
		}
	}
	for i := range profiles {
		for c := range matched[i] {
			if !profiles[i].mayUse(c) || profiles[i].Deleted {
				delete(matched[i], c)
			}
		}
	}
}

// spreader walks dependencies, depth first.
type spreader struct {
	profiles []Profile
	matched  []map[*Cluster]bool
	rep      *krm.Report
	// seen is 1 for a profile on the way, 2 for one that is done.
	seen []int
	// order has each profile behind those that it depends on.
	order []int
}

func (s *spreader) visit(i int) {
	s.seen[i] = 1
	for _, name := range s.profiles[i].DependsOn {
		j := s.find(&s.profiles[i], name.Text)
		switch {
		case j < 0:
			s.rep.Errorf("dependency-missing", name.Pos, "remove the dependency, or pass the profile", "%s depends on %s, which is not in the input",
				&s.profiles[i].Owner, s.profiles[i].sibling(name.Text))
		case s.seen[j] == 1:
			s.rep.Errorf("dependency-cycle", name.Pos, "remove one of the dependencies", "%s and %s wait for each other, directly or through others",
				&s.profiles[i].Owner, &s.profiles[j].Owner)
		case s.seen[j] == 0:
			s.visit(j)
		}
	}
	s.seen[i] = 2
	s.order = append(s.order, i)
}

func (s *spreader) needs(i int) []int {
	var found []int
	for _, name := range s.profiles[i].DependsOn {
		if j := s.find(&s.profiles[i], name.Text); j >= 0 {
			found = append(found, j)
		}
	}
	return found
}

// find is the profile of the same kind and namespace.
func (s *spreader) find(p *Profile, name string) int {
	i, found := slices.BinarySearchFunc(s.profiles, p.sibling(name), func(q Profile, o *Owner) int {
		return q.compareNames(o)
	})
	if !found {
		return -1
	}
	return i
}

// sibling is a profile of the same kind and namespace.
func (p *Profile) sibling(name string) *Owner {
	return &Owner{Kind: p.Kind, Namespace: p.Namespace, Name: name}
}
