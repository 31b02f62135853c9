package chart

import "github.com/provision-tenants/provision-tenants/fn/krm"

// Render fills in the templates of a chart: name for what names a ConfigMap or a
// Secret, text for everything else. The original stays as it is.
func (c *Chart) Render(text, name func(krm.Str) krm.Str) Chart {
	out := *c
	for _, s := range []*krm.Str{
		&out.RepositoryURL, &out.RepositoryName, &out.ChartName, &out.Version, &out.ReleaseNamespace, &out.ReleaseName,
		&out.Values, &out.CredentialsKey,
	} {
		*s = text(*s)
	}
	out.ValuesFrom = nil
	for i := range c.ValuesFrom {
		out.ValuesFrom = append(out.ValuesFrom, *c.ValuesFrom[i].render(name))
	}
	out.Credentials, out.CA = c.Credentials.render(name), c.CA.render(name)
	out.Signature = c.Signature.render(text, name)
	return out
}

func (r *Reference) render(name func(krm.Str) krm.Str) *Reference {
	if r == nil {
		return nil
	}
	out := *r
	out.Namespace, out.Name = name(r.Namespace), name(r.Name)
	return &out
}

func (s *Signature) render(text, name func(krm.Str) krm.Str) *Signature {
	if s == nil {
		return nil
	}
	out := Signature{Pos: s.Pos, Secret: s.Secret.render(name)}
	for _, id := range s.Identities {
		out.Identities = append(out.Identities, SignatureIdentity{text(id.Issuer), text(id.Subject)})
	}
	return &out
}
