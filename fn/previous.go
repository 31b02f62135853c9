package fn

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// previous is the input, sorted by whose it is.
type previous struct {
	// rest is what passes through, in input order.
	rest []*krm.Item
	// made is what an earlier run of this configuration emitted; it is made anew.
	made []*krm.Item
	// live are the items of rest that show what the cluster has; none of them is for
	// a cluster.
	live map[*krm.Item]bool
	// owners are those of this run.
	owners map[string]bool
	// done is what to tell once it is certain that something is emitted.
	done krm.Report
	// order is the place of each item in the input, and kept are those of ours that
	// stay as they are.
	order map[*krm.Item]int
	kept  map[*krm.Item]bool
	// gone are releases that must not be there, as an owner of the run wants it.
	gone map[spot]bool
}

// split takes our previous output out of the input: file-backed, outside every
// tenant's area, owned by this run, and still under the name that it was given.
// An item without a path is never taken out: under kustomize it may belong to
// another base.
func split(list *krm.List, plan *config.Plan) previous {
	p := previous{live: map[*krm.Item]bool{}, owners: map[string]bool{ownerOf(plan): true}, order: map[*krm.Item]int{}, kept: map[*krm.Item]bool{}, gone: map[spot]bool{}}
	for _, g := range plan.Generators {
		p.owners[g.Owner] = true
	}
	for i := range plan.Profiles {
		p.owners[plan.Profiles[i].String()] = true
	}
	if plan.RenderSets {
		for _, s := range plan.ResourceSets {
			p.owners[s.Owner] = true
		}
	}
	for i, item := range list.Items {
		p.order[item] = i
		switch {
		case item == plan.Echo:
		case plan.Live[item]:
			p.live[p.localize(item, "the live object")] = true
		case item.Path() != "" && p.owners[item.Annotations[krm.OwnerKey]] && !plan.TenantData(item) &&
			item.Annotations[krm.NameKey] == item.Identity().String():
			p.made = append(p.made, item)
		case slices.Contains(plan.Consumed, item):
			p.localize(item, "the configuration")
		default:
			p.rest = append(p.rest, item)
		}
	}
	return p
}

// localize lets an item pass, and keeps it from every cluster.
func (p *previous) localize(item *krm.Item, what string) *krm.Item {
	local := item.WithLocalConfig()
	p.rest, p.order[local] = append(p.rest, local), p.order[item]
	if local != item {
		p.done.Infof("local-config-added", item.Pos(), "", "added `%s` to %s, which must not reach a cluster", krm.LocalConfigKey, what)
	}
	return local
}

// files finds the file of each object that was made before. Of two copies the one
// under generated/ counts, and the other one goes.
func (p *previous) files(plan *config.Plan, rep *krm.Report) map[spot]*krm.Item {
	moved := func(item *krm.Item) int {
		if isOwnPath(item, plan) {
			return 0
		}
		return 1
	}
	slices.SortFunc(p.made, func(a, b *krm.Item) int {
		return cmp.Or(moved(a)-moved(b), cmp.Compare(a.Path(), b.Path()), cmp.Compare(a.Index(), b.Index()))
	})
	files := map[spot]*krm.Item{}
	for _, item := range p.made {
		at := spotOf(item.Identity(), item.Annotations)
		if first := files[at]; first != nil {
			rep.Warnf("generated-twice", item.Pos(), "keep one file", "%s is in %q, too, and stays there", item.Identity().Title(), first.Path())
			continue
		}
		files[at] = item
	}
	return files
}

// isOwnPath tells whether an item is where it was put at first.
func isOwnPath(item *krm.Item, plan *config.Plan) bool {
	at := spotOf(item.Identity(), item.Annotations)
	return slices.Contains(generatedPaths(at, plan), plan.Listed(item))
}

// hold lets items of ours pass through as they are: those of a profile that is
// paused, or that does not get as far as them. It remembers which releases must go.
func (p *previous) hold(claims []*profile.Claim, held holdings, home profile.Destination) {
	for _, c := range claims {
		switch {
		case c.State != profile.Gone:
		case c.To == home:
			p.gone[spot{"", c.Identity}] = true
		default:
			p.gone[spot{c.To.String(), c.Identity}] = true
		}
	}
	for _, item := range held.kept(claims) {
		p.made = slices.DeleteFunc(p.made, func(other *krm.Item) bool { return other == item })
		p.rest = append(p.rest, item)
		p.kept[item] = true
	}
	slices.SortStableFunc(p.rest, func(a, b *krm.Item) int { return cmp.Compare(p.order[a], p.order[b]) })
}

// releaseOf is the release that an item of ours stands for.
func releaseOf(item *krm.Item) spot {
	release, _ := strings.CutPrefix(item.Annotations[krm.IdentityKey], "helm:")
	namespace, name, _ := strings.Cut(release, "/")
	return spot{item.Annotations[krm.ClusterKey], profile.Release(namespace, name)}
}

// staying are the items of ours that stay as they are, by identity.
func (p *previous) staying() []*krm.Item {
	kept := slices.DeleteFunc(slices.Clone(p.rest), func(item *krm.Item) bool { return !p.kept[item] })
	slices.SortStableFunc(kept, func(a, b *krm.Item) int {
		return cmp.Or(a.Identity().Compare(b.Identity()), cmp.Compare(a.Path(), b.Path()))
	})
	return kept
}

// place gives each new object its file: the one it was in, else its own under
// generated/. What stands in its way is taken over when it is ours, and an error
// when it is not.
func (p *previous) place(objects []*krm.Object, plan *config.Plan, rep *krm.Report) {
	files := p.files(plan, rep)
	ours := map[spot]*krm.Object{}
	for _, o := range objects {
		ours[spotOf(o.Identity(), o.Annotations)] = o
	}
	p.rest = slices.DeleteFunc(p.rest, func(item *krm.Item) bool {
		at := spotOf(item.Identity(), item.Annotations)
		taken := p.meets(item, ours[at], plan, rep)
		if taken && files[at] == nil {
			files[at] = item
		}
		return taken
	})
	occupied := map[string]*krm.Item{}
	for _, item := range p.rest {
		occupied[plan.Listed(item)] = item
	}
	used := map[string]bool{}
	objects = slices.DeleteFunc(slices.Clone(objects), func(o *krm.Object) bool {
		was := files[spotOf(o.Identity(), o.Annotations)]
		if !inFile(o, was, plan) {
			return false
		}
		p.tellOwner(o, was)
		used[plan.Listed(was)] = true
		return true
	})
	for _, o := range objects {
		at := spotOf(o.Identity(), o.Annotations)
		paths := generatedPaths(at, plan)
		file := paths[max(0, slices.IndexFunc(paths, func(path string) bool { return !used[path] }))]
		used[file] = true
		o.Annotations[krm.PathKey] = file
		o.Annotations[krm.IndexKey] = "0"
		if other := occupied[file]; other != nil && (other.Identity() != o.Identity() || p.live[other]) {
			rep.Errorf("path-conflict", other.Pos(), "move it to another file; if it is a generated object that was renamed, undo that", "%s is in the file that %s goes to", other.Identity().Title(), o.Identity().Title())
		}
	}
}

// tellOwner says when an object went from one owner of the run to another: it
// stays in its file, so that an applier changes it and deletes nothing.
func (p *previous) tellOwner(o *krm.Object, was *krm.Item) {
	if owner := was.Annotations[krm.OwnerKey]; p.owners[owner] && owner != o.Annotations[krm.OwnerKey] {
		p.done.Infof("owner-changed", was.Pos(), "", "%s went from %q to %q", o.Identity().Title(), owner, o.Annotations[krm.OwnerKey])
	}
}

// meets handles an item that is not our previous output, next to mine, our
// object of the same identity or nil. It tells whether the item is taken over.
func (p *previous) meets(item *krm.Item, mine *krm.Object, plan *config.Plan, rep *krm.Report) bool {
	owner, stamped := item.Annotations[krm.OwnerKey]
	stamped = stamped && !plan.TenantData(item)
	switch {
	case p.live[item]:
	case mine == nil && p.kept[item]:
	case mine == nil && stamped && p.gone[releaseOf(item)]:
		return true
	case mine == nil && stamped && item.Path() != "" && p.owners[owner]:
		rep.Warnf("orphan", item.Pos(), "delete it when nothing needs it any more",
			"%s was made as %q and renamed, and stays as it is", item.Identity().Title(), item.Annotations[krm.NameKey])
	case mine == nil && stamped && item.Path() != "":
		rep.Warnf("orphan", item.Pos(), "if no other function of the package makes it, delete it once nothing needs it",
			"%s was made for %q, which is not part of this run, and stays as it is", item.Identity().Title(), owner)
	case mine != nil && stamped:
		if owner != mine.Annotations[krm.OwnerKey] {
			p.done.Infof("owner-changed", item.Pos(), "", "%s went from %q to %q", item.Identity().Title(), owner, mine.Annotations[krm.OwnerKey])
		}
		return true
	case mine != nil:
		rep.Errorf("identity-conflict", item.Pos(), "remove one of the two",
			"%s is also what %s makes of %q", item.Identity().Title(), mine.Annotations[krm.OwnerKey], mine.Annotations[krm.OriginKey])
	}
	return false
}

// inFile puts an object where it was: it takes over the annotations by which the
// host places it. It tells whether it was in a file.
func inFile(o *krm.Object, was *krm.Item, plan *config.Plan) bool {
	if was == nil || was.Path() == "" {
		return false
	}
	host := was.HostAnnotations()
	for _, key := range []string{krm.PathKey, krm.InternalPathKey} {
		if _, there := host[key]; there && was.PackagePath() != "" {
			host[key] = plan.Listed(was)
		}
	}
	maps.Copy(o.Annotations, host)
	return true
}
