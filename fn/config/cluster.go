package config

import (
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// clusters are those that profiles can be for: the one of `spec.cluster`, else
// all in the input, sorted by type, namespace and name.
func (r *reader) clusters() []profile.Cluster {
	if r.cluster != nil {
		return []profile.Cluster{r.onlyCluster()}
	}
	var all []profile.Cluster
	for _, id := range r.objects.identities(isClusterID) {
		if c, ok := r.readCluster(id); ok {
			all = append(all, c)
		}
	}
	return all
}

func isClusterID(id krm.Identity) bool {
	return id.Group == libraryGroup && id.Kind == profile.SveltosCluster || id.Group == capiGroup && id.Kind == profile.CAPICluster
}

// readCluster reads as much of a cluster as matters here; the rest is none of our
// business.
func (r *reader) readCluster(id krm.Identity) (profile.Cluster, bool) {
	node, ok := r.objects.find(id)
	if !ok {
		return profile.Cluster{}, false
	}
	meta := node.Get("metadata")
	c := profile.Cluster{
		Destination: profile.Destination{Kind: id.Kind, Namespace: id.Namespace, Name: id.Name},
		Labels:      labelsOf(meta.Get("labels")),
		Object:      node,
		Deleted:     meta.Get("deletionTimestamp") != nil,
		Pos:         node.Pos,
	}
	if paused := node.Get("spec").Get("paused"); paused != nil {
		c.Paused = paused.Text == "true"
	}
	c.Down = textOf(node.Get("status").Get("connectionStatus")) == "Down"
	return c, true
}

func labelsOf(n *krm.Node) map[string]string {
	labels := map[string]string{}
	if n != nil && n.Kind == krm.MapNode {
		for key, value := range n.Fields() {
			labels[key.Text] = value.Text
		}
	}
	return labels
}

// onlyCluster is that of `spec.cluster`. What it does not say, the cluster's own
// object may.
func (r *reader) onlyCluster() profile.Cluster {
	group, version := libraryGroup, "/v1beta1"
	kind := orDefault(r.cluster.Kind.Text, profile.SveltosCluster)
	if kind == profile.CAPICluster {
		group = capiGroup
	}
	id := krm.Identity{Group: group, Kind: kind, Namespace: orDefault(r.cluster.Namespace.Text, defaultNamespace), Name: r.cluster.Name.Text}
	c, found := profile.Cluster{}, false
	if r.objects.has(id) {
		c, found = r.readCluster(id)
	}
	if found && r.cluster.Labels == nil {
		return c
	}
	c.Destination = profile.Destination{Kind: kind, Namespace: id.Namespace, Name: id.Name}
	c.Pos, c.Labels = r.cluster.Pos, map[string]string{}
	for key, value := range r.cluster.Labels {
		c.Labels[key] = value.Text
	}
	if !found {
		c.Object = krm.NewMap(map[string]*krm.Node{
			"apiVersion": krm.NewString(group + version), "kind": krm.NewString(kind),
			"metadata": krm.NewMap(map[string]*krm.Node{
				"namespace": krm.NewString(id.Namespace), "name": krm.NewString(id.Name), "labels": krm.NewStringMap(c.Labels),
			}),
		})
	}
	return c
}

// checkClusters: without a cluster a profile means nothing, and two of one name
// would get into each other's way.
func (r *reader) checkClusters(clusters []profile.Cluster, profiles []profile.Profile) {
	if len(profiles) > 0 && len(clusters) == 0 {
		r.rep.Errorf("cluster-missing", profiles[0].Pos, "set `spec.cluster` of a ProvisionTenants, or pass SveltosCluster or Cluster objects",
			"there are profiles, and no cluster that they could be for")
	}
	for i, c := range clusters {
		for _, other := range clusters[:i] {
			if other.Namespace == c.Namespace && other.Name == c.Name {
				r.rep.Errorf("cluster-ambiguous", c.Pos, "set `spec.cluster` to the one that is meant", "%s %s and %s %s have one name", other.Kind, other, c.Kind, c)
			}
		}
	}
}

// sets are all ClusterSets and Sets in the input.
func (r *reader) clusterSets() []profile.Set {
	var all []profile.Set
	for _, id := range r.objects.identities(isSetID) {
		node, ok := r.objects.find(id)
		if !ok {
			continue
		}
		wire := decode[clusterSet](node, r.rep)
		all = append(all, profile.Set{
			Namespace: id.Namespace, Name: id.Name,
			Selector: wire.Spec.ClusterSelector.Selector,
			Refs:     r.clusterRefs(wire.Spec.ClusterRefs, id.Namespace),
			Max:      wire.Spec.MaxReplicas.or(0),
			Selected: r.selectedRefs(node.Get("status").Get("selectedClusterRefs")),
			Pos:      node.Pos,
		})
	}
	return all
}

func isSetID(id krm.Identity) bool {
	return id.Group == libraryGroup && (id.Kind == clusterSetKind || id.Kind == namespaceSetKind)
}

// selectedRefs are the clusters in the status of a set; nil where there are none.
func (r *reader) selectedRefs(list *krm.Node) []profile.ClusterRef {
	if list == nil || list.Kind != krm.ListNode {
		return nil
	}
	all := []profile.ClusterRef{}
	for _, n := range list.Items {
		if n.Kind == krm.MapNode {
			all = append(all, r.clusterRefs([]objectReference{*decode[objectReference](n, r.rep)}, "")...)
		}
	}
	return slices.Clip(all)
}
