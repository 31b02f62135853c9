package handoff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// extensions is the prefix of the annotations by which a platform team says what
// is to be done with a namespace, whoever applies it (Flux: ArtifactGenerator with
// managed namespaces). A label of that key does the same.
const extensions = "source.extensions.fluxcd.io/"

// lifecycle are the keys and their values, with what each asks; the first value of
// a key asks for nothing.
var lifecycle = map[string][]struct {
	value string
	asks  []Ask
}{
	extensions + "ssa":       {{"Override", nil}, {"Merge", []Ask{Merge}}, {"IfNotPresent", []Ask{CreateOnly}}, {"Ignore", []Ask{Keep, Ignore}}},
	extensions + "reconcile": {{"Enabled", nil}, {"Disabled", []Ask{Keep, Pause}}},
	extensions + "prune":     {{"Enabled", nil}, {"Disabled", []Ask{Keep}}},
}

// Asks are what labels and annotations of an object ask, each once and sorted.
// Values are compared without regard to case, as Flux does.
func Asks(labels, annotations map[string]string) []Ask {
	var asks []Ask
	for key := range lifecycle {
		for _, value := range []string{labels[key], annotations[key]} {
			of, _ := asksOf(key, value)
			asks = append(asks, of...)
		}
	}
	slices.Sort(asks)
	return slices.Compact(asks)
}

func asksOf(key, value string) (asks []Ask, known bool) {
	for _, v := range lifecycle[key] {
		if strings.EqualFold(v.value, value) {
			return v.asks, true
		}
	}
	return nil, false
}

// CheckAsks checks what a platform team asks in labels or annotations: a value
// that nobody knows would silently leave a namespace unprotected. What an applier
// cannot be asked is a warning.
func (as Appliers) CheckAsks(entries map[string]krm.Str, rep *krm.Report) {
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		value := entries[key]
		asks, known := asksOf(key, value.Text)
		switch {
		case known:
			for _, ask := range asks {
				as.checkAnswers(ask, value.Pos, rep)
			}
		case lifecycle[key] != nil:
			values := valuesOf(key)
			hint := ""
			if near, found := krm.Nearest(value.Text, values); found {
				hint = fmt.Sprintf("did you mean `%s`?", near)
			}
			rep.Errorf("lifecycle-value", value.Pos, hint, "`%s` must be one of `%s`, found %q", key, strings.Join(values, "`, `"), krm.Short(value.Text, 256))
		default:
			checkKey(key, value.Pos, rep)
		}
	}
}

func valuesOf(key string) []string {
	var values []string
	for _, v := range lifecycle[key] {
		values = append(values, v.value)
	}
	return values
}

// checkKey warns about a key that probably means one of ours: a namespace would
// be without the protection that somebody believes it has.
func checkKey(key string, pos krm.Pos, rep *krm.Report) {
	if !strings.HasPrefix(strings.ToLower(key), extensions) {
		return
	}
	if near, found := krm.Nearest(key, slices.Sorted(maps.Keys(lifecycle))); found {
		rep.Warnf("lifecycle-key", pos, fmt.Sprintf("did you mean `%s`?", near), "nobody reads `%s`", krm.Short(key, 256))
	}
}

// checkAnswers warns about appliers that do something else than they are asked.
// That kubectl keeps nothing is seen to elsewhere.
func (as Appliers) checkAnswers(ask Ask, pos krm.Pos, rep *krm.Report) {
	var deaf, others []string
	for _, d := range as {
		answer, known := d.Answers[ask]
		switch {
		case !known && ask != Keep:
			deaf = append(deaf, d.Name)
		case answer.But != "":
			others = append(others, d.Name+": "+answer.But)
		}
	}
	if len(deaf) > 0 {
		others = append([]string{"there is nothing like it for " + strings.Join(deaf, ", ")}, others...)
	}
	if len(others) > 0 {
		rep.Warnf("lifecycle-untranslated", pos, "name the appliers that you use in `spec.appliers`", "`%s`: %s", ask, strings.Join(others, "; "))
	}
}
