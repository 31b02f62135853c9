package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const kustomizeGroup = "kustomize.toolkit.fluxcd.io"

// Kustomizations are the claims of a profile's kustomizationRefs for a cluster:
// Flux Kustomizations in the namespace flux, which build what nobody sees here.
func (e *Expander) Kustomizations(p *Profile, c *Cluster, v *View, flux string) []*Claim {
	var claims []*Claim
	for i := range p.Kustomizations {
		if claim, ok := e.kustomization(p, c, v, &p.Kustomizations[i], flux); ok {
			claims = append(claims, claim)
		}
	}
	if len(claims) > 0 {
		e.rep.Warnf("kustomization-unseen", claims[0].Pos, "put what others deploy, too, into `policyRefs`",
			"what the Kustomizations of %s build is not known here, nor whether others deploy it, too", &p.Owner)
	}
	return claims
}

func (e *Expander) kustomization(p *Profile, c *Cluster, v *View, ref *KustomizationRef, flux string) (*Claim, bool) {
	namespace, name, ok := e.names(p, c, v, ref.Namespace, ref.Name)
	dir, good := v.Text(ref.Path)
	if !ok || !good {
		return nil, false
	}
	from := Reference{Kind: ref.Kind, Namespace: namespace, Name: name, Path: dir.Text, Tier: ref.Tier, Local: ref.Local}
	spec := map[string]*krm.Node{
		"interval":  krm.NewString("10m"),
		"path":      krm.NewString("./" + strings.TrimPrefix(path.Clean("/"+dir.Text), "/")),
		"prune":     {Kind: krm.BoolNode, Text: "true"},
		"sourceRef": krm.NewStringMap(map[string]string{"kind": ref.Kind, "namespace": namespace, "name": name}),
	}
	if ref.Force {
		spec["force"] = &krm.Node{Kind: krm.BoolNode, Text: "true"}
	}
	if ref.TargetNamespace.Text != "" {
		spec["targetNamespace"] = krm.NewString(ref.TargetNamespace.Text)
	}
	if common := commonMetadata(p); common.Len() > 0 {
		spec["commonMetadata"] = common
	}
	components := krm.NewList()
	for _, component := range ref.Components {
		filled, filledIn := v.Text(component)
		components.Items, ok = append(components.Items, krm.NewString(filled.Text)), ok && filledIn
	}
	if len(components.Items) > 0 {
		spec["components"] = components
	}
	o := &krm.Object{
		APIVersion: kustomizeGroup + "/v1", Kind: "Kustomization", Namespace: flux, Name: kustomizationName(p, from),
		Labels: map[string]string{}, Annotations: map[string]string{},
	}
	var needs []string
	for _, need := range p.DependsOn {
		needs = append(needs, p.sibling(need.Text).String())
	}
	return &Claim{
		Owner: &p.Owner, Feature: Kustomize, Cluster: c.Destination, To: c.destination(ref.Local), Identity: o.Identity(), Ref: from,
		Object: o, spec: spec, needs: needs, Pos: ref.Pos, Origin: from.identity().Kind + "/" + namespace + "/" + path.Join(name, dir.Text),
	}, ok
}

// commonMetadata are the labels and annotations of everything that a Kustomization
// builds.
func commonMetadata(p *Profile) *krm.Node {
	fields := map[string]*krm.Node{}
	for key, texts := range map[string]map[string]krm.Str{"labels": p.ExtraLabels, "annotations": p.ExtraAnnotations} {
		values := map[string]string{}
		for name, value := range texts {
			values[name] = value.Text
		}
		if len(values) > 0 {
			fields[key] = krm.NewStringMap(values)
		}
	}
	return krm.NewMap(fields)
}

// chain lets each Kustomization wait for those of the profiles that its own one
// depends on, in the same cluster.
func chain(claims []*Claim) {
	type profileIn struct {
		owner string
		to    Destination
	}
	names := map[profileIn][]*krm.Node{}
	for _, c := range claims {
		if c.spec != nil {
			key := profileIn{c.Owner.String(), c.To}
			names[key] = append(names[key], krm.NewStringMap(map[string]string{"name": c.Object.Name}))
		}
	}
	for _, c := range claims {
		if c.spec == nil {
			continue
		}
		list := krm.NewList()
		for _, need := range c.needs {
			list.Items = append(list.Items, names[profileIn{need, c.To}]...)
		}
		if len(list.Items) > 0 {
			c.spec["dependsOn"] = list
		}
		c.Object.Spec = krm.NewMap(c.spec).Encode()
	}
}

// kustomizationName is unique for a profile and a reference, and stays the same
// whatever else the profile has. Names that Kubernetes does not take are cut and
// get a digest.
func kustomizationName(p *Profile, r Reference) string {
	parts := []string{p.Name, r.Name}
	if p.Confined() {
		parts = []string{"p-", p.Name, r.Name}
	}
	for part := range strings.SplitSeq(path.Clean("/"+r.Path), "/") {
		if part != "" {
			parts = append(parts, part)
		}
	}
	name := strings.Join(parts, "-")
	const longest = 63
	if len(name) <= longest && isLabel(name) {
		return name
	}
	sum := sha256.Sum256([]byte(p.String() + "\n" + r.Kind + "\n" + r.Namespace + "\n" + name))
	return strings.TrimRight(p.Name[:min(len(p.Name), 40)], "-.") + "-" + hex.EncodeToString(sum[:6])
}

// isLabel tells whether a text can be the name of a Kustomization, which appears
// in labels.
func isLabel(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return name != "" && name[0] != '-' && name[len(name)-1] != '-'
}
