package fn

import (
	"cmp"
	"maps"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// granted are the objects of all claims that were granted, in the order in which
// they are applied, those of one cluster after those of another.
func granted(claims []*profile.Claim, profiles *deployment, list *krm.List) []*krm.Object {
	objects := profiles.objects()
	profiles.tellDependencies()
	checkable := len(objects) > 0
	for _, c := range claims {
		if c.Cluster == (profile.Destination{}) && c.State == profile.Deployed {
			maps.Copy(c.Object.Annotations, c.Verdict())
			objects = append(objects, c.Object)
		}
	}
	if checkable {
		checkPlaces(objects, profiles.rep)
		profiles.checkStream(list, objects)
	}
	slices.SortFunc(objects, byPlace)
	return objects
}

// byPlace is the order in which objects are applied, those of one cluster after
// those of another.
func byPlace(a, b *krm.Object) int {
	return cmp.Or(cmp.Compare(a.Annotations[krm.ClusterKey], b.Annotations[krm.ClusterKey]), krm.ApplyOrder(a, b))
}

// byCluster are the objects of each cluster.
func byCluster(objects []*krm.Object) map[string][]*krm.Object {
	groups := map[string][]*krm.Object{}
	for _, o := range objects {
		groups[o.Annotations[krm.ClusterKey]] = append(groups[o.Annotations[krm.ClusterKey]], o)
	}
	return groups
}

// newReport says what became of what profiles wanted: a ConfigMap that no applier
// touches, like the inventory, and like that not under kustomize.
func newReport(list *krm.List, plan *config.Plan, claims []*profile.Claim) []*krm.Object {
	if plan.Echo != nil || list.Bare || len(plan.Profiles) == 0 {
		return nil
	}
	o := &krm.Object{
		APIVersion: "v1", Kind: "ConfigMap", Namespace: plan.Namespace, Name: plan.Name + "-report",
		Annotations: plan.Appliers.NoSubstitution(map[string]string{krm.LocalConfigKey: "true"}),
		Data:        map[string]string{"report.yaml": profile.Rows(claims), "table.txt": profile.Table(claims)},
	}
	signed(o, ownerOf(plan), cmp.Or(plan.Dir, "."))
	return []*krm.Object{o}
}
