package config

import (
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/chart"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

const (
	profileGroup       = "config.projectsveltos.io"
	clusterProfileKind = "ClusterProfile"
	profileKind        = "Profile"

	libraryGroup     = "lib.projectsveltos.io"
	clusterSetKind   = "ClusterSet"
	namespaceSetKind = "Set"
	capiGroup        = "cluster.x-k8s.io"

	pausedKey = "profile.projectsveltos.io/paused"
)

// isProfile tells whether an item is a profile of any version. What we made
// ourselves configures nothing: a profile can deliver profiles.
func isProfile(item *krm.Item) bool {
	_, ours := item.Annotations[krm.OwnerKey]
	return !ours && isProfileID(item.Identity())
}

func isProfileID(id krm.Identity) bool {
	return id.Group == profileGroup && (id.Kind == clusterProfileKind || id.Kind == profileKind)
}

// profileDocuments gathers the profiles of files of `spec.configs` and of items,
// each identity once, sorted by it.
func (r *reader) profileDocuments() []document {
	docs := r.fileProfiles
	for _, item := range r.list.Items {
		if !isProfile(item) || !r.admits(item) {
			continue
		}
		if node, ok := item.Node(r.rep); ok {
			docs = append(docs, document{id: identityOf(item), node: node, item: item})
		}
	}
	for i := range docs {
		docs[i].position = i
	}
	return r.unique(docs)
}

// admits tells whether an item that looks like configuration is the platform
// team's, and reports one that is not, or of which nobody knows.
func (r *reader) admits(item *krm.Item) bool {
	switch {
	case r.isResource(item):
		warnResource(item, r.rep)
	case r.areas.cover(item, r.base):
		warnIgnored(item, r.rep)
	case r.lost && item.Path() != "":
		reportLost(item, r.rep)
	default:
		return true
	}
	return false
}

// profiles decodes profiles, sorted by kind, namespace and name, and the charts of
// each.
func (r *reader) profiles(docs []document) (profiles []profile.Profile, charts map[string][]chart.Chart) {
	charts = map[string][]chart.Chart{}
	for _, d := range docs {
		version := textOf(d.node.Get("apiVersion"))
		if version != profileGroup+"/v1beta1" && version != profileGroup+"/v1alpha1" {
			r.reportVersion(d.node.Pos, d.id.Kind, version, profileGroup+"/v1beta1")
			continue
		}
		wire := decode[clusterProfile](d.node, r.rep)
		p := profileReader{reader: r, document: d, wire: wire, alpha: strings.HasSuffix(version, "/v1alpha1")}
		read := p.profile()
		profiles = append(profiles, read)
		for i := range wire.Spec.HelmCharts {
			owner := read.String()
			charts[owner] = append(charts[owner], newChart(&wire.Spec.HelmCharts[i], r.rep))
		}
	}
	return profiles, charts
}

// profileReader is a profile being checked.
type profileReader struct {
	*reader
	document
	wire *clusterProfile
	// alpha is set for v1alpha1, whose selector is a text.
	alpha bool
}

func (p *profileReader) profile() profile.Profile {
	spec := &p.wire.Spec
	out := profile.Profile{
		Owner: profile.Owner{
			Kind: p.id.Kind, Namespace: p.id.Namespace, Name: p.id.Name,
			Tier:     spec.Tier.or(defaultTier),
			Position: p.position, ContinueOnConflict: spec.ContinueOnConflict.Value,
			TierField: "`spec.tier`",
			Pos:       p.pos(),
		},
		ClusterRefs:            p.clusterRefs(spec.ClusterRefs, p.id.Namespace),
		SetRefs:                strs(spec.SetRefs),
		DependsOn:              strs(spec.DependsOn),
		SyncMode:               krm.Str(spec.SyncMode),
		Deleted:                p.wire.Metadata.DeletionTimestamp != nil,
		ContinueOnError:        spec.ContinueOnError.Value,
		MaxConsecutiveFailures: spec.MaxConsecutiveFailures.or(0),
		ExtraLabels:            spec.ExtraLabels, ExtraAnnotations: spec.ExtraAnnotations,
	}
	_, out.Paused = p.wire.Metadata.Annotations[pausedKey]
	out.Selector = p.selector(spec.ClusterSelector)
	for i := range spec.PolicyRefs {
		if ref, ok := p.policy(&spec.PolicyRefs[i]); ok {
			out.Policies = append(out.Policies, ref)
		}
	}
	for i := range spec.KustomizationRefs {
		if ref, ok := p.kustomization(&spec.KustomizationRefs[i]); ok {
			out.Kustomizations = append(out.Kustomizations, ref)
		}
	}
	p.fillSources(&out)
	p.checkExtra()
	p.warnIgnoredFields()
	return out
}

// selector checks that a selector has the form of its API version.
func (p *profileReader) selector(s clusterSelector) profile.Selector {
	switch {
	case !s.Set:
	case p.alpha && s.Kind == krm.MapNode:
		p.rep.Errorf("config-type", s.Pos, "write a text such as `env=prod`, or `apiVersion: "+profileGroup+"/v1beta1`", "must be a string in v1alpha1, found a map")
	case !p.alpha && s.Kind == krm.StringNode:
		p.rep.Errorf("config-type", s.Pos, "write `matchLabels:` with the labels, or `apiVersion: "+profileGroup+"/v1alpha1`", "must be a map in v1beta1, found a string")
	}
	return s.Selector
}

func strs(names []subdomain) []krm.Str {
	var all []krm.Str
	for _, name := range names {
		all = append(all, krm.Str(name))
	}
	return all
}

// clusterRefs reads references to clusters; own is the namespace that a Profile
// and a Set are confined to.
func (r *reader) clusterRefs(refs []objectReference, own string) []profile.ClusterRef {
	var all []profile.ClusterRef
	for _, ref := range refs {
		kind := map[string]string{libraryGroup: profile.SveltosCluster, capiGroup: profile.CAPICluster}[krm.GroupOf(ref.APIVersion.Text)]
		namespace := orDefault(ref.Namespace.Text, orDefault(own, defaultNamespace))
		switch {
		case kind == "" || kind != ref.Kind.Text:
			r.rep.Errorf("config-value", ref.Pos, "write `kind: SveltosCluster` and `apiVersion: "+libraryGroup+"/v1beta1`, or `kind: Cluster` and `apiVersion: "+capiGroup+"/v1beta1`",
				"must name a cluster, found kind %q of %q", shown(ref.Kind.Text), shown(ref.APIVersion.Text))
		case own != "" && namespace != own:
			r.reportConfined(ref.Namespace, own)
		default:
			all = append(all, profile.ClusterRef{Destination: profile.Destination{Kind: kind, Namespace: namespace, Name: ref.Name.Text}, Pos: ref.Pos})
		}
	}
	return all
}

// addProfiles reads profiles and what they are matched with.
func (r *reader) addProfiles(p *Plan, docs []document) {
	p.TieBreak = profile.TieBreak(orDefault(string(r.tieBreak), string(profile.ByError)))
	if len(docs) == 0 {
		return
	}
	r.objects = r.newObjects()
	p.objects = r.objects
	p.Profiles, p.Charts = r.profiles(docs)
	p.Clusters, p.Sets = r.clusters(), r.clusterSets()
	r.checkClusters(p.Clusters, p.Profiles)
}
