package config

import (
	"fmt"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// spec is a generator's spec being checked.
type spec struct {
	*generator
	*reader
	aliases []string
	// captures are those of the path pattern.
	captures []string
	// broken is set when the pattern cannot be read, or its field is misspelt:
	// nobody knows its captures.
	broken bool
}

// pattern parses spec.pathPattern; empty text turns the feature off.
func (s *spec) pattern() *tenant.Pattern {
	text := krm.Str(s.Spec.PathPattern)
	if text.Text == "" {
		s.broken = misspells[generatorSpec](s.node.Get("spec"), "pathPattern")
		return nil
	}
	p, ok := tenant.ParsePattern(text, s.rep)
	if !ok {
		s.broken = true
		return nil
	}
	s.checkAlias(krm.Str{Text: p.Alias(), Pos: text.Pos})
	s.captures = p.Captures()
	return &p
}

// checkAlias reports an alias that is not in spec.sources.
func (s *spec) checkAlias(alias krm.Str) bool {
	misnamed := slices.ContainsFunc(s.Spec.Sources, func(r sourceReference) bool {
		return syntaxOf[aliasName]().mistake(r.Alias.Text) != ""
	})
	if slices.Contains(s.aliases, alias.Text) || misnamed || len(s.aliases) == 0 {
		return true // the mistake is in the sources, and reported there
	}
	hint := didYouMean(alias.Text, s.aliases)
	if hint == "" && len(s.aliases) > 0 {
		hint = "known aliases are " + listOf(s.aliases)
	}
	s.rep.Errorf("alias-unknown", alias.Pos, hint, "source alias %q is not in `spec.sources`", shown(alias.Text))
	return false
}

// template parses text that may hold captures.
func (s *spec) template(text krm.Str) (krm.Template, bool) {
	t, ok := krm.ParseTemplate(text, s.rep)
	return t, ok && (s.broken || t.CheckCaptures(s.captures, s.rep))
}

// nameTemplate is a template that becomes a name: as far as its literal text
// goes, it must be able to. What is wrong becomes the zero Template.
func (s *spec) nameTemplate(text krm.Str, valid syntax) krm.Template {
	t, ok := s.template(text)
	if !ok {
		return krm.Template{}
	}
	filled := map[string]string{}
	for _, capture := range t.Captures() {
		filled[capture] = "a"
	}
	if what := valid.mistake(t.Render(filled)); what != "" {
		if len(filled) > 0 {
			what = fmt.Sprintf("%s when its captures are %q", what, "a")
		}
		s.rep.Errorf("config-value", text.Pos, "", "must %s", what)
	}
	return t
}
