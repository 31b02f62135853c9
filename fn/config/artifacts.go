package config

import (
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/artifact"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// artifact checks an entry of spec.artifacts.
func (s *spec) artifact(f *artifactSpec) Artifact {
	a := Artifact{Pos: f.Pos}
	if name := krm.Str(f.Name); name.Pos != (krm.Pos{}) {
		a.Names.Name = s.nameTemplate(name, syntaxOf[subdomain]())
	}
	if namespace := krm.Str(f.Namespace); namespace.Text != "" {
		a.Names.Namespace = s.nameTemplate(namespace, syntaxOf[labelName]())
	}
	a.Revision = s.revision(krm.Str(f.Revision))
	a.OriginRevision = s.originRevision(krm.Str(f.OriginRevision))
	if from := krm.Str(f.InputsFrom); from.Text != "" {
		a.Inputs = s.inputs(from)
	}
	for i := range f.Copy {
		if op, ok := s.operation(&f.Copy[i]); ok {
			a.Copy = append(a.Copy, op)
		}
	}
	return a
}

// inputs checks an `inputsFrom`; nil when it is wrong.
func (s *spec) inputs(text krm.Str) *artifact.InputsFrom {
	from, ok := artifact.ParseInputsFrom(text, s.rep)
	switch {
	case !ok:
		return nil
	case !from.FromArtifact():
		s.checkAlias(from.Alias())
	case slices.Contains(s.aliases, from.Alias().Text):
		s.rep.Errorf("alias-reserved", text.Pos, "give the source another alias",
			"%q is a file of the artifact or of the source %q", shown(text.Text), from.Alias().Text)
	}
	if !s.broken && !from.CheckCaptures(s.captures, s.rep) {
		return nil
	}
	return &from
}

func (s *spec) operation(f *copyOperation) (artifact.Operation, bool) {
	if f.From == (copyFrom{}) || f.To == (copyTo{}) {
		return artifact.Operation{}, false // reported as missing
	}
	fields := artifact.Fields{
		From: krm.Str(f.From), To: krm.Str(f.To), Strategy: krm.Str(f.Strategy), Optional: f.Optional.Value, Pos: f.Pos,
	}
	for _, exclude := range f.Exclude {
		fields.Exclude = append(fields.Exclude, krm.Str(exclude))
	}
	op, ok := artifact.ParseOperation(fields, s.rep)
	if !ok {
		return op, false
	}
	s.checkAlias(op.Alias())
	return op, s.broken || op.CheckCaptures(s.captures, s.rep)
}

// checkDuplicates finds artifacts that would get one name for every match.
func (s *spec) checkDuplicates(artifacts []Artifact) {
	first := map[[2]string]bool{}
	for _, a := range artifacts {
		name, namespace := a.Names.Name.Str(), a.Names.Namespace.Str().Text
		key := [2]string{orDefault(namespace, s.id.Namespace), name.Text}
		if name.Text == "" {
			continue // reported
		}
		if first[key] {
			s.rep.Errorf("artifact-duplicate", name.Pos, "give one of the two another `name` or `namespace`",
				"two artifacts have the name %q in the namespace %q", shown(name.Text), shown(key[0]))
		}
		first[key] = true
	}
}
