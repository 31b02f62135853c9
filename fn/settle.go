package fn

import (
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/resourceset"
)

// settle decides who may delete each namespace, and tells the appliers. To the
// objects that were asked for it adds those that must not leave yet. selves are
// the ResourceSets that declare a namespace as theirs to delete, by namespace.
func settle(objects []*krm.Object, p *previous, plan *config.Plan, selves resourceset.Finalized, rep *krm.Report) []*krm.Object {
	before := p.history(plan, rep)
	c := newCustody(plan, p.owners, selves, rep)
	c.handOver(objects, before)
	now := newFleet(objects, p.passing(plan, func(item *krm.Item) bool { return isNamespace(item.Identity()) }))
	gone := before.without(now)
	if rep.Worst() < krm.Error { // a tenant with an error has not left
		p.refuseForeign(before, now, plan, rep)
		refuseNewer(gone, rep)
	}
	if rep.Worst() < krm.Error {
		guardDeletions(before.wanted(c.retains), now, plan.Deletion, rep)
		objects = append(objects, c.leave(gone, p.usersOf(gone, objects, plan))...)
		slices.SortFunc(objects, byPlace)
		p.tellNoBaseline(objects, plan, rep)
	}
	c.refusals.Report(rep)
	for _, group := range byCluster(objects) {
		plan.Appliers.Order(group)
	}
	plan.Appliers.CheckKept(objects, rep)
	return objects
}

// passing are the wanted items among those that pass through to a cluster and that
// no tenant wrote.
func (p *previous) passing(plan *config.Plan, wanted func(*krm.Item) bool) []*krm.Item {
	var items []*krm.Item
	for _, item := range p.rest {
		local, there := item.Annotations[krm.LocalConfigKey]
		if wanted(item) && (!there || local == "false") && !plan.TenantData(item) {
			items = append(items, item)
		}
	}
	return items
}

// usersOf are the objects of the output in namespaces that leave.
func (p *previous) usersOf(gone []*past, objects []*krm.Object, plan *config.Plan) map[string][]user {
	users := map[string][]user{}
	for _, past := range gone {
		users[past.name] = nil
	}
	in := func(namespace string) bool {
		_, leaves := users[namespace]
		return leaves
	}
	for _, o := range objects {
		if at := placed(o.Namespace, o.Annotations); in(at) {
			users[at] = append(users[at], user{o.Identity(), o.Annotations[krm.OwnerKey]})
		}
	}
	for _, item := range p.passing(plan, func(item *krm.Item) bool { return in(placed(item.Namespace, item.Annotations)) }) {
		at := placed(item.Namespace, item.Annotations)
		users[at] = append(users[at], user{item.Identity(), item.Annotations[krm.OwnerKey]})
	}
	return users
}

// tellNoBaseline says what nobody sees without the previous output.
func (p *previous) tellNoBaseline(objects []*krm.Object, plan *config.Plan, rep *krm.Report) {
	if plan.Deletion.Baseline.Text != "" || len(p.made) > 0 {
		return
	}
	hint := "set " + plan.Deletion.Names.Baseline + " to the previous output, unless this is the first"
	rep.Infof("no-baseline", krm.Pos{}, hint, "no deletion safeguard is active: without the previous output nobody sees what leaves it")
	if !plan.Appliers.Prunes() {
		return
	}
	prunes := map[string]bool{}
	for _, g := range plan.Generators {
		prunes[g.Owner] = g.Prune
	}
	var kept []string
	for _, o := range objects {
		asked := slices.Contains(handoff.Asks(o.Labels, o.Annotations), handoff.Keep)
		if prune, ours := prunes[o.Annotations[krm.OwnerKey]]; isNamespace(o.Identity()) && ours && (!prune || asked) && o.Annotations[krm.FinalizedByKey] == "" {
			kept = append(kept, o.Name)
		}
	}
	if len(kept) > 0 {
		rep.Warnf("kubectl-prunes", krm.Pos{}, hint+": what must survive then stays in the output", "kubectl's prunes delete whatever leaves the output, and %s must survive", handoff.Listed("namespace", kept))
	}
}
