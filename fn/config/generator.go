package config

import (
	"slices"
	"strings"
	"time"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// generator is an ArtifactGenerator as a file has it.
type generator struct {
	document
	options
	Metadata objectMeta
	Spec     generatorSpec
}

// decodeAll decodes generators; a broken one is left out and reported.
func (r *reader) decodeAll(docs []document) []*generator {
	var all []*generator
	for _, d := range docs {
		if g, ok := r.decodeGenerator(d); ok {
			g.options = readOptions(g.Metadata.Annotations, r.rep)
			r.checkFluxAnnotations(g)
			all = append(all, g)
		}
	}
	return all
}

func (r *reader) decodeGenerator(d document) (*generator, bool) {
	if d.inline != nil {
		return &generator{document: d, Metadata: d.inline.Metadata, Spec: d.inline.Spec}, true
	}
	if d.unread {
		if _, ok := d.item.Node(r.rep); !ok {
			return nil, false
		}
	}
	if version := textOf(d.node.Get("apiVersion")); version != generatorVersion {
		r.reportVersion(d.node.Pos, generatorKind, version, generatorVersion)
		return nil, false
	}
	wire := decode[artifactGenerator](d.node, r.rep)
	return &generator{document: d, Metadata: wire.Metadata, Spec: wire.Spec}, true
}

// checkFluxAnnotations reads Flux's annotations on a generator. Upstream, a
// disabled generator leaves in the cluster what it made; here that would be an
// output without it, which is what deleting looks like.
func (r *reader) checkFluxAnnotations(g *generator) {
	if value, there := g.Metadata.Annotations[reconcileKey]; there && strings.EqualFold(value.Text, "disabled") {
		r.rep.Errorf("generator-disabled", value.Pos, "remove the annotation; to stop rendering, do not run the function",
			"generator %s is disabled, and leaving out what it makes would delete that", nameOf(g.id))
	}
	if value, there := g.Metadata.Annotations[reconcileEveryKey]; there {
		if every, err := time.ParseDuration(value.Text); err != nil || every <= 0 {
			r.rep.Warnf("generator-interval", value.Pos, "write a duration such as 10m", "%q is no duration, Flux will use its default", shown(value.Text))
		}
	}
}

// newGenerator checks a generator and everything in it.
func (r *reader) newGenerator(g *generator) Generator {
	out := Generator{
		Name: g.id.Name, Namespace: g.id.Namespace,
		Owner:          generatorKind + "/" + g.id.Namespace + "/" + g.id.Name,
		Pos:            g.pos(),
		Tier:           g.tier,
		ServiceAccount: orDefault(g.Spec.ServiceAccountName.Text, r.defaultServiceAccount),
		AllowEmpty:     g.allowEmpty || r.allowEmpty,
		Adopt:          g.adopt,
	}
	s := spec{generator: g, reader: r, aliases: g.aliases(r.rep)}
	out.Pattern = s.pattern()
	if common := g.Spec.CommonMetadata; common != nil {
		out.Labels, out.Annotations = common.Labels, common.Annotations
		tenant.CheckCommon(tenant.Metadata{Labels: out.Labels, Annotations: out.Annotations}, r.rep)
		r.appliers.CheckAsks(out.Labels, r.rep)
		r.appliers.CheckAsks(out.Annotations, r.rep)
	}
	for i := range g.Spec.Artifacts {
		out.Artifacts = append(out.Artifacts, s.artifact(&g.Spec.Artifacts[i]))
	}
	s.checkDuplicates(out.Artifacts)
	if managed := g.Spec.ManagedNamespaces; managed != nil {
		out.Managed, out.Prune = s.policy(managed, out.Artifacts), managed.Prune.Value
	}
	s.checkServiceAccount(out)
	return out
}

// aliases are the source aliases, in order.
func (g *generator) aliases(rep *krm.Report) []string {
	var aliases []string
	for _, source := range g.Spec.Sources {
		switch {
		case source.Alias.Text == "":
		case slices.Contains(aliases, source.Alias.Text):
			rep.Errorf("config-duplicate", source.Alias.Pos, "give one of the two another alias", "source alias %q is there twice", shown(source.Alias.Text))
		default:
			aliases = append(aliases, source.Alias.Text)
		}
	}
	return aliases
}
