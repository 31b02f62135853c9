package config

import (
	"maps"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

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
