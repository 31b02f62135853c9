package fn

import (
	"cmp"
	"errors"
	"maps"

	"github.com/provision-tenants/provision-tenants/fn/artifact"
	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
	"github.com/provision-tenants/provision-tenants/fn/source"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// originRevision is where the Open Container Initiative keeps the revision that
// something was built from.
const originRevision = "org.opencontainers.image.revision"

const externalArtifactKind = "ExternalArtifact"

// generation is one generator at work.
type generation struct {
	*config.Generator
	owner profile.Owner
	home  profile.Destination
	plan  *config.Plan
	trees trees
	// publish is nil unless archives are wanted.
	publish archiveSink
	exports exports
	rep     *krm.Report
	// spec is the same for all artifacts.
	spec krm.Encoded
}

// generate makes what a generator asks for: a Namespace for each tenant that it
// manages, an ExternalArtifact for each module.
func generate(g *config.Generator, home profile.Destination, plan *config.Plan, trees trees, publish archiveSink, exported exports, rep *krm.Report) []*profile.Claim {
	gen := &generation{g, ownerOfGenerator(g), home, plan, trees, publish, exported, rep, externalArtifactSpec(g)}
	var claims []*profile.Claim
	for _, t := range gen.tenants() {
		if gen.Managed != nil && !t.Own {
			claims = append(claims, gen.claim(gen.namespace(&t)))
		}
		claims = append(claims, gen.modules(&t)...)
	}
	return claims
}

// tenants finds who asks for a namespace, lets in those who may, and settles the
// metadata of their namespaces.
func (g *generation) tenants() []tenant.Tenant {
	var tree *source.Tree
	var pattern tenant.Pattern
	matches := []tenant.Match{{}} // without a pattern every artifact is made once
	if g.Pattern != nil {
		pattern, tree = *g.Pattern, g.trees[g.Pattern.Alias()]
		var seen bool
		if matches, seen = tenant.Discover(tree, pattern, g.rep); seen && len(matches) == 0 && !g.AllowEmpty {
			g.rep.Stopf("no-match", g.Pos.At("spec.pathPattern"), g.noMatchHint(),
				"no directory matches, so everything that was made before would leave: %s", pattern.NoMatch(tree))
		}
	}
	tenants := tenant.Resolve(tree, pattern, matches, g.names(), g.Namespace, g.rep)
	if g.Managed != nil {
		tenants = g.Managed.Admit(tenants, g.rep)
		g.Managed.Metadata(g.trees, tenants, g.reserve, g.rep)
		return tenants
	}
	return tenant.RefuseReserved(tenants, g.Namespace, g.plan.ProtectedNames, g.rep)
}

// noMatchHint says where to look for what is not there.
func (g *generation) noMatchHint() string {
	look, start := "correct the pattern, the directory of the source or, in a container, the mount", "a relative directory starts from "+g.plan.Start()
	if g.plan.IsItems(g.Pattern.Alias()) {
		look, start = "correct the pattern, or what the host hands over: only YAML and JSON files are items, and none that a `.krmignore` names", "paths start from the root of the list, under `kpt fn render` the package of the configuration"
	}
	return look + "; if this is meant, set " + g.plan.Deletion.Names.AllowEmpty + " to true; " + start
}

func (g *generation) names() []tenant.Names {
	var names []tenant.Names
	for _, a := range g.Artifacts {
		names = append(names, a.Names)
	}
	return names
}

// reserve is the size of the annotations that a Namespace gets from us.
func (g *generation) reserve(t *tenant.Tenant) int {
	size := 0
	for key, value := range g.namespace(t).Annotations {
		if _, theirs := t.Annotations[key]; !theirs {
			size += len(key) + len(value)
		}
	}
	return size
}

// ownerOfGenerator is the generator as one of those whose tiers decide. It never
// stops at a conflict: each of its objects is another tenant's.
func ownerOfGenerator(g *config.Generator) profile.Owner {
	return profile.Owner{
		Kind: "ArtifactGenerator", Namespace: g.Namespace, Name: g.Name, Tier: g.Tier, Position: g.Position,
		ContinueOnConflict: true, TierField: "the annotation `" + krm.TierKey + "`", Pos: g.Pos,
	}
}

func (g *generation) claim(o *krm.Object) *profile.Claim {
	return &profile.Claim{Owner: &g.owner, Feature: profile.Resources, To: g.home, Identity: o.Identity(), Object: o, Pos: g.Pos}
}

// namespace makes the Namespace of an admitted tenant.
func (g *generation) namespace(t *tenant.Tenant) *krm.Object {
	asks := handoff.Asks(t.Labels, t.Annotations)
	if !g.Prune {
		asks = append(asks, handoff.Keep)
	}
	annotations := g.plan.Appliers.Tell(t.Annotations, asks...)
	o := &krm.Object{
		APIVersion: "v1", Kind: "Namespace", Name: t.Namespace,
		Labels:      managed(t.Labels),
		Annotations: g.plan.Appliers.NoSubstitution(annotations),
	}
	o.Annotations[krm.DigestKey] = tenant.Digest(t.Labels, t.Annotations)
	o.Annotations[krm.ServiceAccountKey] = g.ServiceAccount
	signed(o, g.Owner, cmp.Or(t.Dir, "."))
	return o
}

// managed adds the label that says who makes an object.
func managed(labels map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, labels)
	all[krm.ManagedByKey] = krm.ManagedBy
	return all
}

// modules makes the ExternalArtifacts of a tenant.
func (g *generation) modules(t *tenant.Tenant) []*profile.Claim {
	var claims []*profile.Claim
	var names []string
	for _, m := range t.Modules {
		names = append(names, m.Name)
	}
	order := artifact.NewOrder(t.Namespace, names, g.rep)
	for _, m := range t.Modules {
		if o, ok := g.externalArtifact(t, &m, order); ok {
			claims = append(claims, g.claim(o))
		}
	}
	order.Check()
	return claims
}

// externalArtifact builds one module. Its inputs are read even where it cannot be
// built: all mistakes are reported in one run.
func (g *generation) externalArtifact(t *tenant.Tenant, m *tenant.Module, order *artifact.Order) (*krm.Object, bool) {
	spec := &g.Artifacts[m.Artifact]
	built, ok := artifact.Build(t.Namespace+"/"+m.Name, spec.Copy, m.Match.Raw, g.trees, g.rep)
	defer built.Release()
	o := &krm.Object{
		APIVersion: "source.toolkit.fluxcd.io/v1", Kind: externalArtifactKind, Namespace: t.Namespace, Name: m.Name,
		Labels:      g.labels(m),
		Annotations: g.annotations(spec),
		Spec:        g.spec,
	}
	o.Annotations[krm.DigestKey] = built.Digest
	signed(o, g.Owner, cmp.Or(m.Match.Dir, "."))
	checkSize(o, g.Pos.At("spec.commonMetadata.annotations"), "shorten `commonMetadata`", g.rep)
	if ok && g.publish != nil {
		g.publish(o, built)
	}
	status := map[string]*krm.Node{}
	var inputs *krm.Node
	if spec.Inputs != nil {
		var read bool
		if inputs, read = spec.Inputs.Load(built, m.Match.Raw, g.trees, g.rep); !read {
			return nil, false
		}
		order.Add(m.Name, inputs)
		status["exportedInputs"] = inputs
	}
	if ok {
		g.exports.add(g.Generator, o, spec, built, inputs, g.rep)
	}
	if ok && g.plan.Publish != nil {
		status["artifact"] = artifactStatus(g.plan.Publish, o, spec, built)
	}
	if len(status) > 0 {
		o.Status = krm.NewMap(status).Encode()
	}
	return o, ok
}

// maxAnnotations is what the API server takes, keys and values together, in bytes.
const maxAnnotations = 256 << 10

// checkSize is for what a tenant has no part in: that is checked where it is read.
func checkSize(o *krm.Object, pos krm.Pos, hint string, rep *krm.Report) {
	size := 0
	for key, value := range o.Annotations {
		size += len(key) + len(value)
	}
	if size > maxAnnotations {
		rep.Errorf("annotations-too-large", pos, hint,
			"the annotations of %s have %d bytes, ours included, and %d are allowed", o.Identity().Title(), size, maxAnnotations)
	}
}

// labels are commonMetadata, then the captures, then ours: a later one wins.
func (g *generation) labels(m *tenant.Module) map[string]string {
	labels := map[string]string{}
	for key, value := range g.Labels {
		labels[key] = value.Text
	}
	maps.Copy(labels, m.Match.Lower)
	return managed(labels)
}

func (g *generation) annotations(spec *config.Artifact) map[string]string {
	annotations := map[string]string{}
	for key, value := range g.Annotations {
		annotations[key] = value.Text
	}
	setIf(annotations, originRevision, spec.OriginRevision)
	return g.plan.Appliers.NoSubstitution(annotations)
}

// externalArtifactSpec refers to the generator, as upstream does.
func externalArtifactSpec(g *config.Generator) krm.Encoded {
	return krm.NewMap(map[string]*krm.Node{"sourceRef": krm.NewStringMap(map[string]string{
		"apiVersion": "source.extensions.fluxcd.io/v1beta1",
		"kind":       "ArtifactGenerator",
		"name":       g.Name,
		"namespace":  g.Namespace,
	})}).Encode()
}

// trees are the sources by alias.
type trees map[string]*source.Tree

func (t trees) close() {
	for _, tree := range t {
		tree.Close()
	}
}

// openTrees opens what is behind every alias. A source that is missing or cannot
// be read is an error, never an empty tree: what is not seen would be deleted.
func openTrees(plan *config.Plan, rep *krm.Report) (trees, bool) {
	opened, all := trees{}, true
	for _, s := range plan.Sources {
		tree, ok := openTree(s, plan, rep)
		if ok {
			tree.Hide(s.Skip)
			spare(tree.Held)
			opened[s.Alias] = tree
		}
		all = all && ok
	}
	return opened, all
}

// openTree opens a source: where its files come from is decided here and nowhere
// else.
func openTree(s config.Source, plan *config.Plan, rep *krm.Report) (*source.Tree, bool) {
	switch {
	case s.Items != nil && !plan.HasPaths:
		rep.Errorf("items-empty", s.Pos, "kpt gives every item a path; kustomize gives none: name the configuration under `transformers:`, and make each file a local-config ConfigMap with the annotation `"+krm.FileKey+"`",
			"the files of source %q are not there: no item has a path", s.Alias)
		return nil, false
	case s.Items != nil:
		return source.Items(s.Place, s.Items), true
	}
	open, file := source.Open, s.Directory
	if s.Archive != "" {
		open, file = source.OpenArchive, s.Archive
	}
	tree, err := open(file, s.Place)
	if err != nil {
		tellUnreadable(s, err, plan, rep)
	}
	return tree, err == nil
}

func tellUnreadable(s config.Source, err error, plan *config.Plan, rep *krm.Report) {
	if _, found := errors.AsType[*source.ArchiveError](err); found {
		rep.Errorf("source-archive", s.Pos, source.Cure(err), "the files of source %q are not there: %v", s.Alias, err)
		return
	}
	rep.Errorf("source-unreadable", s.Pos, cmp.Or(source.Cure(err), "a relative path starts from "+plan.Start()+", and a container sees only what is mounted"), "the files of source %q are not there: %v", s.Alias, err)
}
