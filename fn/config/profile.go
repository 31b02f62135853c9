package config

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/chart"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
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

// reportConfined: what a Profile refers to is in its own namespace.
func (r *reader) reportConfined(namespace krm.Str, own string) {
	r.rep.Errorf("profile-confined", namespace.Pos, "leave the namespace out, or use a ClusterProfile",
		"a Profile in %q must not reach into the namespace %q", own, shown(namespace.Text))
}

// confined checks a namespace that a profile refers to; a template is checked
// where it is filled in.
func (p *profileReader) confined(namespace krm.Str) {
	if own := p.id.Namespace; own != "" && namespace.Text != "" && namespace.Text != own && !strings.Contains(namespace.Text, "{{") {
		p.reportConfined(namespace, own)
	}
}

// policy reads an entry of policyRefs.
func (p *profileReader) policy(wire *policyReference) (profile.PolicyRef, bool) {
	ref := profile.PolicyRef{
		Pos: wire.Pos, Kind: wire.Kind.Text, Namespace: wire.Namespace, Name: wire.Name, Path: wire.Path,
		Tier:  wire.Tier.or(defaultTier),
		Local: wire.DeploymentType.Text == "Local", Optional: wire.Optional.Value,
	}
	p.confined(wire.Namespace)
	p.ignored(wire.Force.Value, wire.Force.Pos, "force")
	p.ignored(wire.SkipNamespaceCreation.Value, wire.SkipNamespaceCreation.Pos, "skipNamespaceCreation")
	switch {
	case wire.RemoteURL != nil && wire.Optional.Value:
		p.rep.Warnf("reference-skipped", wire.RemoteURL.Pos, "", "`remoteURL` needs the network, and its objects are left out")
		return ref, false
	case wire.RemoteURL != nil:
		p.rep.Errorf("reference-unsupported", wire.RemoteURL.Pos, "put the objects into a ConfigMap, or declare a Flux source in `spec.sources` of the ProvisionTenants", "`remoteURL` needs the network")
		return ref, false
	case wire.Kind.Text == "":
		p.rep.Errorf("config-required", wire.Pos.At("kind"), "", "`kind` is required")
		return ref, false
	case wire.Name.Text == "":
		p.rep.Errorf("config-required", wire.Pos.At("name"), "", "`name` is required")
		return ref, false
	}
	return ref, true
}

// kustomization reads an entry of kustomizationRefs, which Flux must be able to
// express.
func (p *profileReader) kustomization(wire *kustomizationRef) (profile.KustomizationRef, bool) {
	force := wire.Force
	wire.Force = flag{}
	ref, ok := p.policy(&wire.policyReference)
	out := profile.KustomizationRef{PolicyRef: ref, TargetNamespace: wire.TargetNamespace, Force: force.Value}
	for _, c := range wire.Components {
		out.Components = append(out.Components, krm.Str(c))
	}
	if !ok {
		return out, false
	}
	if !isSourceKind(ref.Kind) {
		p.rep.Errorf("reference-unsupported", wire.Kind.Pos, "put the directory into a Flux source", "a Flux Kustomization cannot read a %s", ref.Kind)
		ok = false
	}
	if len(wire.Values)+len(wire.ValuesFrom) > 0 {
		p.rep.Errorf("reference-unsupported", wire.Pos, "write the values into the directory, or use `postBuild` of a Flux Kustomization of your own", "a Flux Kustomization cannot fill `{{ }}` with `values` or `valuesFrom`")
		ok = false
	}
	return out, ok
}

// checkExtra: what goes onto every object must be no stamp.
func (p *profileReader) checkExtra() {
	for key, value := range p.wire.Spec.ExtraLabels {
		p.checkNoStamp(key, value.Pos)
	}
	for key, value := range p.wire.Spec.ExtraAnnotations {
		p.checkNoStamp(key, value.Pos)
	}
	labels := maps.Clone(p.wire.Spec.ExtraLabels)
	delete(labels, krm.ManagedByKey)
	tenant.CheckCommon(tenant.Metadata{Labels: labels, Annotations: p.wire.Spec.ExtraAnnotations}, p.rep)
}

func (p *profileReader) checkNoStamp(key string, pos krm.Pos) {
	if strings.HasPrefix(key, "projectsveltos.io/") {
		p.rep.Errorf("metadata-forbidden-key", pos, "remove it", "%q must not be set here: it says whose an object is", shown(key))
	}
}

// fillSources reads patches and what templates see.
func (p *profileReader) fillSources(out *profile.Profile) {
	spec := &p.wire.Spec
	for i := range spec.Patches {
		out.Patches = append(out.Patches, profile.Patch{Patch: krm.Str(spec.Patches[i].Patch), Target: spec.Patches[i].Target.target()})
	}
	for _, from := range spec.PatchesFrom {
		p.confined(from.Namespace)
		out.PatchesFrom = append(out.PatchesFrom, profile.Source{
			Pos: from.Pos, Kind: from.Kind.Text, Namespace: from.Namespace, Name: krm.Str(from.Name), Optional: from.Optional.Value,
		})
	}
	for _, exclusion := range spec.DriftExclusions {
		var paths []krm.Str
		for _, path := range exclusion.Paths {
			paths = append(paths, krm.Str(path))
		}
		out.DriftExclusions = append(out.DriftExclusions, profile.DriftExclusion{Paths: paths, Target: exclusion.Target.target()})
	}
	for _, ref := range spec.TemplateResourceRefs {
		p.confined(ref.Resource.Namespace)
		out.TemplateResources = append(out.TemplateResources, profile.TemplateResource{
			Pos: ref.Pos, APIVersion: ref.Resource.APIVersion.Text, Kind: ref.Resource.Kind.Text,
			Namespace: ref.Resource.Namespace, Name: ref.Resource.Name,
			Identifier: krm.Str(ref.Identifier), Optional: ref.Optional.Value,
		})
	}
}

func (t *patchTarget) target() *profile.Target {
	if t == nil {
		return nil
	}
	return &profile.Target{
		Pos: t.Pos, Group: t.Group, Version: t.Version, Kind: t.Kind, Namespace: t.Namespace, Name: t.Name,
		LabelSelector: t.LabelSelector, AnnotationSelector: t.AnnotationSelector,
	}
}

// ignored names a field that does nothing here.
func (p *profileReader) ignored(set bool, pos krm.Pos, field string) {
	if set {
		p.rep.Infof("profile-field-ignored", pos, "", "`%s` is a matter of running in a cluster, and does nothing here", field)
	}
}

// warnIgnoredFields names what Sveltos knows and nothing here does, and what
// cannot be had from files.
func (p *profileReader) warnIgnoredFields() {
	spec := &p.wire.Spec
	for field, n := range map[string]*krm.Node{
		"maxUpdate": spec.MaxUpdate, "transitionFrom": spec.TransitionFrom,
		"validateHealths": spec.ValidateHealths, "preDeployChecks": spec.PreDeployChecks,
		"preDeleteChecks": spec.PreDeleteChecks, "postDeleteChecks": spec.PostDeleteChecks,
	} {
		if n != nil {
			p.ignored(true, n.Pos, field)
		}
	}
	p.ignored(spec.Reloader.Value, spec.Reloader.Pos, "reloader")
	if len(spec.DriftExclusions) > 0 && len(spec.PolicyRefs) > 0 {
		p.rep.Infof("profile-field-ignored", spec.DriftExclusions[0].Pos, "", "`driftExclusions` count for charts, and do nothing for objects of `policyRefs`")
	}
	if len(spec.KustomizationRefs) > 0 && len(spec.Patches)+len(spec.PatchesFrom) > 0 {
		p.rep.Warnf("profile-field-limited", spec.KustomizationRefs[0].Pos, "write the patches into the directory", "patches do not count for what `kustomizationRefs` build, in Sveltos either")
	}
	for _, key := range []string{"projectsveltos.io/serviceaccount-name", "projectsveltos.io/serviceaccount-namespace"} {
		label, there := p.wire.Metadata.Labels[key]
		p.ignored(there, label.Pos, key)
	}
	if spec.SyncMode.Text == profile.OneTime {
		p.rep.Warnf("profile-field-limited", spec.SyncMode.Pos, "", "`syncMode: OneTime` is rendered in every run: nobody here knows the first one")
	}
	if spec.StopMatchingBehavior.Text == "LeavePolicies" {
		p.rep.Warnf("profile-field-limited", spec.StopMatchingBehavior.Pos, "turn pruning off where the output is applied, if that must not happen",
			"`stopMatchingBehavior: LeavePolicies` does not keep what leaves the output: the applier deletes it")
	}
}

// usesSources tells whether a profile reads the tree of a Flux source.
func usesSources(profiles []profile.Profile) bool {
	return slices.ContainsFunc(profiles, func(p profile.Profile) bool {
		return slices.ContainsFunc(p.Policies, func(ref profile.PolicyRef) bool { return isSourceKind(ref.Kind) })
	})
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

// sourceAliases says by which alias the tree of a Flux source is known: that of a
// generator which names the source, else, without kind and namespace, its name.
func (r *reader) sourceAliases(generators []*generator, sources []Source) map[krm.Identity]string {
	aliases := map[krm.Identity]string{}
	for _, s := range sources {
		aliases[krm.Identity{Name: s.Alias}] = s.Alias
	}
	for _, g := range generators {
		for _, s := range g.Spec.Sources {
			aliases[krm.Identity{Kind: s.Kind.Text, Namespace: orDefault(s.Namespace.Text, g.id.Namespace), Name: s.Name.Text}] = s.Alias.Text
		}
	}
	return aliases
}

// SourceAlias is the alias of a Flux source that a profile refers to.
func (p *Plan) SourceAlias(kind, namespace, name string) (alias string, found bool) {
	if alias, found = p.sourceAliases[krm.Identity{Kind: kind, Namespace: namespace, Name: name}]; found {
		return alias, true
	}
	alias, found = p.sourceAliases[krm.Identity{Name: name}]
	return alias, found
}

// Find looks up an object that a profile refers to.
func (p *Plan) Find(id krm.Identity) (*krm.Node, bool) { return p.objects.find(namespaced(id)) }

// IsTenants tells whether a tenant has an object of this identity, which Find
// therefore does not see.
func (p *Plan) IsTenants(id krm.Identity) bool { return p.objects.hidden[namespaced(id)] }

// Definitions are the CustomResourceDefinitions that say which kinds have a
// namespace.
func (p *Plan) Definitions() []*krm.Node {
	var all []*krm.Node
	for _, id := range p.objects.identities(func(id krm.Identity) bool {
		return id.Group == "apiextensions.k8s.io" && id.Kind == "CustomResourceDefinition"
	}) {
		if node, ok := p.objects.find(id); ok {
			all = append(all, node)
		}
	}
	return all
}

// Applied tells whether an object that Find finds is emitted as it is: an item
// that no applier is told to leave alone.
func (p *Plan) Applied(id krm.Identity) bool {
	items := p.objects.items[namespaced(id)]
	return slices.ContainsFunc(items, func(item *krm.Item) bool {
		_, local := item.Annotations[krm.LocalConfigKey]
		return !local && item.UID == ""
	})
}

// TenantFile tells whether a file of a source lies where a generator looks for
// tenants.
func (p *Plan) TenantFile(alias, file string) bool {
	for _, g := range p.Generators {
		if g.Pattern == nil {
			continue
		}
		for _, s := range p.Sources {
			for _, of := range p.Sources {
				if s.Alias == alias && of.Alias == g.Pattern.Alias() && below(path.Join(s.Directory, file), path.Join(of.Directory, g.Pattern.Prefix())) {
					return true
				}
			}
		}
	}
	return false
}
