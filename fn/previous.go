package fn

import (
	"cmp"
	"maps"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
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
}

// split takes our previous output out of the input: file-backed, outside every
// tenant's area, owned by this run, and still under the name that it was given.
// An item without a path is never taken out: under kustomize it may belong to
// another base.
func split(list *krm.List, plan *config.Plan) previous {
	p := previous{live: map[*krm.Item]bool{}, owners: map[string]bool{ownerOf(plan): true}}
	for _, g := range plan.Generators {
		p.owners[g.Owner] = true
	}
	for _, item := range list.Items {
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
	p.rest = append(p.rest, local)
	if local != item {
		p.done.Infof("local-config-added", item.Pos(), "", "added `%s` to %s, which must not reach a cluster", krm.LocalConfigKey, what)
	}
	return local
}

// files finds the file of each object that was made before. Of two copies the one
// under generated/ counts, and the other one goes.
func (p *previous) files(plan *config.Plan, rep *krm.Report) map[krm.Identity]*krm.Item {
	moved := func(item *krm.Item) int {
		if plan.Listed(item) == generatedPath(item.Identity(), plan) {
			return 0
		}
		return 1
	}
	slices.SortFunc(p.made, func(a, b *krm.Item) int {
		return cmp.Or(moved(a)-moved(b), cmp.Compare(a.Path(), b.Path()), cmp.Compare(a.Index(), b.Index()))
	})
	files := map[krm.Identity]*krm.Item{}
	for _, item := range p.made {
		if first := files[item.Identity()]; first != nil {
			rep.Warnf("generated-twice", item.Pos(), "keep one file", "%s is in %q, too, and stays there", item.Identity().Title(), first.Path())
			continue
		}
		files[item.Identity()] = item
	}
	return files
}

// place gives each new object its file: the one it was in, else its own under
// generated/. What stands in its way is taken over when it is ours, and an error
// when it is not.
func (p *previous) place(objects []*krm.Object, plan *config.Plan, rep *krm.Report) {
	files := p.files(plan, rep)
	ours := map[krm.Identity]*krm.Object{}
	for _, o := range objects {
		ours[o.Identity()] = o
	}
	p.rest = slices.DeleteFunc(p.rest, func(item *krm.Item) bool {
		mine := ours[item.Identity()]
		taken := p.meets(item, mine, plan, rep)
		if taken && files[item.Identity()] == nil {
			files[item.Identity()] = item
		}
		return taken
	})
	occupied := map[string]*krm.Item{}
	for _, item := range p.rest {
		occupied[plan.Listed(item)] = item
	}
	for _, o := range objects {
		if inFile(o, files[o.Identity()], plan) {
			continue
		}
		file := generatedPath(o.Identity(), plan)
		o.Annotations[krm.PathKey] = file
		o.Annotations[krm.IndexKey] = "0"
		if other := occupied[file]; other != nil && (other.Identity() != o.Identity() || p.live[other]) {
			rep.Errorf("path-conflict", other.Pos(), "move it to another file; if it is a generated object that was renamed, undo that", "%s is in the file that %s goes to", other.Identity().Title(), o.Identity().Title())
		}
	}
}

// meets handles an item that is not our previous output, next to mine, our
// object of the same identity or nil. It tells whether the item is taken over.
func (p *previous) meets(item *krm.Item, mine *krm.Object, plan *config.Plan, rep *krm.Report) bool {
	owner, stamped := item.Annotations[krm.OwnerKey]
	stamped = stamped && !plan.TenantData(item)
	switch {
	case p.live[item]:
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
