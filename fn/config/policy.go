package config

import (
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// policy checks spec.managedNamespaces.
func (s *spec) policy(f *managedNamespaces, artifacts []Artifact) *tenant.Policy {
	fields := tenant.PolicyFields{
		Pos: f.Pos, Own: s.id.Namespace, Protected: s.protected, Captures: s.captures,
		AllowedNames: written(f.AllowedNames),
		Metadata:     s.metadataFields(f.Metadata),
	}
	if common := s.Spec.CommonMetadata; common != nil {
		fields.Common = tenant.Metadata{Labels: common.Labels, Annotations: common.Annotations}
	}
	for _, a := range artifacts {
		if !a.Names.Namespace.IsZero() {
			fields.Namespaces = append(fields.Namespaces, a.Names.Namespace)
		}
	}
	wanted := len(s.namespaced())
	if wanted == 0 && len(artifacts) > 0 {
		s.rep.Errorf("managed-namespaces-unused", f.Pos, "set `namespace` on an artifact, such as `namespace: \"{namespace}\"`",
			"`managedNamespaces` has no namespaces to manage: no artifact has a `namespace`")
	}
	if len(fields.AllowedNames) == 0 || wanted == 0 || s.broken {
		return nil // reported
	}
	if len(fields.Namespaces) < wanted {
		fields.Namespaces = []krm.Template{s.everyCapture()} // nobody knows which ones were meant
	}
	p, _ := tenant.NewPolicy(fields, s.rep)
	return p
}

// everyCapture is a template that holds all captures.
func (s *spec) everyCapture() krm.Template {
	text := "{" + strings.Join(s.captures, "}{") + "}"
	t, _ := krm.ParseTemplate(krm.Str{Text: text}, &krm.Report{})
	return t
}

// namespaced are the artifacts with a namespace, right or wrong.
func (s *spec) namespaced() []artifactSpec {
	return slices.DeleteFunc(slices.Clone(s.Spec.Artifacts), func(a artifactSpec) bool { return a.Namespace.Text == "" })
}

// metadataFields leaves out what was reported as missing.
func (s *spec) metadataFields(f *namespaceMetadata) *tenant.MetadataFields {
	if f == nil {
		return nil
	}
	fields := &tenant.MetadataFields{Pos: f.Pos}
	if from := f.FromSource; from != nil && from.Path != (sourcePath{}) {
		fields.FromSource = &tenant.FromSourceFields{
			Pos: from.Pos, Path: krm.Str(from.Path), AllowedLabels: from.AllowedLabels, AllowedAnnotations: from.AllowedAnnotations,
		}
		s.checkPathAlias(krm.Str(from.Path))
	}
	for _, op := range f.From {
		s.appliers.CheckAsks(op.Labels, s.rep)
		s.appliers.CheckAsks(op.Annotations, s.rep)
		if op.Strategy != (metadataStrategy{}) && op.Namespace != (namespaceOrAll{}) {
			fields.From = append(fields.From, tenant.OperationFields{
				Pos: op.Pos, Strategy: krm.Str(op.Strategy), Namespace: krm.Str(op.Namespace),
				Metadata: tenant.Metadata{Labels: op.Labels, Annotations: op.Annotations},
			})
		}
	}
	return fields
}

// checkPathAlias checks the alias of `@alias/path`; what is no such path is the
// constructor's to report.
func (s *spec) checkPathAlias(p krm.Str) {
	alias, _, found := strings.Cut(strings.TrimPrefix(p.Text, "@"), "/")
	if found && strings.HasPrefix(p.Text, "@") && alias != "" {
		s.checkAlias(krm.Str{Text: alias, Pos: p.Pos})
	}
}

// checkServiceAccount: nothing reaches into another namespace without an account
// that somebody chose (one of the two is required).
func (s *spec) checkServiceAccount(g Generator) {
	if g.ServiceAccount != "" {
		return
	}
	var pos krm.Pos
	switch artifacts := s.namespaced(); {
	case s.Spec.ManagedNamespaces != nil:
		pos = s.Spec.ManagedNamespaces.Pos
	case len(artifacts) > 0:
		pos = artifacts[0].Namespace.Pos
	default:
		return
	}
	s.rep.Errorf("service-account-missing", pos, "set `spec.serviceAccountName` on the generator, or `spec.defaultServiceAccount` on the ProvisionTenants",
		"generator %s reaches into other namespaces and names no service account", nameOf(s.id))
}

// written leaves out texts that were reported as no strings.
func written(texts []ruleText) []krm.Str {
	var all []krm.Str
	for _, text := range texts {
		if text != (ruleText{}) {
			all = append(all, krm.Str(text))
		}
	}
	return all
}
