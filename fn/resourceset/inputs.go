package resourceset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// maxPermutations is how many combinations Permute may have (Flux Operator).
const maxPermutations = 10_000

// source is what exports inputs: the set itself, or a provider.
type source struct {
	name string
	sets []inputSet
}

// inputSets are the inputs that the templates are rendered on, in order. known is
// false where they cannot be known here, which has been reported.
func (e *evaluation) inputSets(s *Set) (sets []inputSet, known bool) {
	if len(s.inputs)+len(s.from) == 0 {
		return []inputSet{{about: "no inputs", origin: s.Origin}}, true
	}
	sources, known := e.sources(s)
	if !known {
		return nil, false
	}
	if s.permute {
		sets, known = e.permuted(s, sources)
	} else {
		for _, from := range sources {
			sets = append(sets, from.sets...)
		}
	}
	for i := range sets {
		if sets[i].origin == "" {
			sets[i].origin = s.Origin
		}
	}
	if known && len(sets) == 0 && !e.Partial {
		e.reportNoInputs(s)
	}
	return sets, known
}

// reportNoInputs: a set whose providers export nothing makes nothing, which deletes
// all that it has made.
func (e *evaluation) reportNoInputs(s *Set) {
	const hint = "check the selectors of the providers; if this is meant, set `deletion.allowEmpty` or the annotation `" + krm.Prefix + "allow-empty` to true"
	switch {
	case s.AllowEmpty:
	case e.Render:
		e.rep.Stopf("resourceset-no-inputs", s.Pos.At("spec.inputsFrom"), hint, "ResourceSet %s gets no inputs, so everything that it made would leave", s.id())
	default:
		e.rep.Warnf("resourceset-no-inputs", s.Pos.At("spec.inputsFrom"), hint, "ResourceSet %s gets no inputs here: Flux Operator deletes everything that a set without inputs has made", s.id())
	}
}

// sources are the set's own inputs, then its providers by namespace and name.
func (e *evaluation) sources(s *Set) ([]source, bool) {
	var sources []source
	if len(s.inputs) > 0 {
		own := source{name: s.Name}
		for i, values := range s.inputs {
			values = maps.Clone(values)
			values["provider"] = providerValue(setKind, s.Namespace, s.Name)
			own.sets = append(own.sets, inputSet{values: values, about: fmt.Sprintf("`spec.inputs[%d]`", i)})
		}
		sources = append(sources, own)
	}
	providers, known := e.providersOf(s)
	for _, p := range providers {
		sets, good := e.exported(p)
		sources = append(sources, source{p.Name, sets})
		known = known && good
	}
	return sources, known
}

// providersOf are the providers that a set refers to: those of its own namespace.
func (e *evaluation) providersOf(s *Set) ([]*Provider, bool) {
	var found []*Provider
	known := true
	for _, ref := range s.from {
		before := len(found)
		for _, p := range e.Providers {
			if p.Namespace == s.Namespace && ref.refersTo(p) {
				found = append(found, p)
			}
		}
		if len(found) == before && ref.Selector == nil {
			known = false
			e.unknown("provider-missing", ref.Pos, "pass the provider among the items or name its file in `spec.configs`",
				"ResourceSet %s: there is no provider %q in namespace %q", s.id(), ref.Name.Text, s.Namespace)
		}
	}
	slices.SortFunc(found, func(a, b *Provider) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(found), known
}

func (r *Reference) refersTo(p *Provider) bool {
	if r.Selector != nil {
		return r.Selector.Matches(p.Labels)
	}
	return r.Name.Text == p.Name
}

// unknown says that something is not known here: nothing can be rendered without
// it, and nothing be checked.
func (e *evaluation) unknown(code string, pos krm.Pos, hint, format string, args ...any) {
	if e.Render {
		e.rep.Errorf(code, pos, hint, format, args...)
		return
	}
	e.rep.Warnf(code, pos, hint, format+", so the templates that need it are not checked", args...)
}

// exported are the inputs of a provider, made once.
func (e *evaluation) exported(p *Provider) ([]inputSet, bool) {
	if sets, done := e.exports[p]; done {
		return sets, sets != nil
	}
	sets := e.export(p)
	e.exports[p] = sets
	return sets, sets != nil
}

// export returns nil where the inputs cannot be known.
func (e *evaluation) export(p *Provider) []inputSet {
	switch {
	case p.Disabled:
		e.unknown("provider-disabled", p.Pos, "remove the annotation", "provider %s/%s is disabled, so nobody knows what it exports", p.Namespace, p.Name)
		return nil
	case p.Type != TypeArtifact && p.Type != TypeStatic:
		e.unknown("provider-network", p.Pos.At("spec.type"), "use a provider of type ExternalArtifact or Static, or `inputs`",
			"provider %s/%s has the type %q, which asks the network", p.Namespace, p.Name, krm.Short(p.Type, 64))
		return nil
	}
	return p.export(e.Environment, e.rep)
}

// permuted combines each input of a source with each of every other one.
func (e *evaluation) permuted(s *Set, sources []source) ([]inputSet, bool) {
	var used []source
	names := map[string]bool{}
	total := 1
	for _, from := range sources {
		from.name = normalised(from.name)
		switch {
		case len(from.sets) == 0 && !s.includeEmpty:
			continue
		case names[from.name] || from.name == "" || from.name == "id":
			e.rep.Errorf("resourceset-inputs", s.Pos.At("spec.inputStrategy"), "rename one of the providers", "ResourceSet %s: two sources of inputs are called %q", s.id(), from.name)
			return nil, false
		}
		names[from.name] = true
		if total *= len(from.sets); total > maxPermutations {
			e.rep.Errorf("resourceset-inputs", s.Pos.At("spec.inputStrategy"), "select less, or use Flatten", "ResourceSet %s: the inputs have more than %d combinations", s.id(), maxPermutations)
			return nil, false
		}
		used = append(used, from)
	}
	if len(used) == 0 {
		return nil, true
	}
	combined := make([]inputSet, 0, total)
	for i := range total {
		combined = append(combined, combination(used, i, total))
	}
	return combined, true
}

// combination is one of all: the last source changes fastest.
func combination(sources []source, number, total int) inputSet {
	out := inputSet{values: map[string]any{}}
	var id, about []string
	for _, from := range sources {
		total /= len(from.sets)
		at := number / total
		number %= total
		set := from.sets[at]
		out.values[from.name] = set.values
		id = append(id, fmt.Sprintf("%s=%d", from.name, at))
		about = append(about, set.about)
		if out.artifact == nil {
			out.artifact, out.origin = set.artifact, set.origin
		}
	}
	out.values["id"] = idOf(strings.Join(id, "/"))
	out.about = strings.Join(about, " and ")
	return out
}

// normalised is the name of a source as an input: lower case, words joined by `_`.
func normalised(name string) string {
	var kept strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			kept.WriteRune(r)
		case r == ' ' || r < 0x80:
			kept.WriteByte('_')
		}
	}
	return strings.Join(strings.FieldsFunc(kept.String(), func(r rune) bool { return r == '_' }), "_")
}
