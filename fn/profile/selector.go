package profile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Selector selects clusters by their labels: all requirements must hold. One
// without requirements selects nothing (Sveltos, both API versions).
type Selector struct{ requirements []requirement }

// requirement is one of `key in (values)`, `key notin (values)`, `key`, `!key`.
type requirement struct {
	key    string
	negate bool
	// values are nil where the key alone counts.
	values []string
}

// Empty tells whether the selector selects nothing.
func (s Selector) Empty() bool { return len(s.requirements) == 0 }

// Matches tells whether labels meet all requirements. What a negative one forbids
// is not there where the key is not.
func (s Selector) Matches(labels map[string]string) bool {
	for _, r := range s.requirements {
		value, there := labels[r.key]
		if met := there && (r.values == nil || slices.Contains(r.values, value)); met == r.negate {
			return false
		}
	}
	return !s.Empty()
}

// Keys are the labels that the selector looks at.
func (s Selector) Keys() []string {
	var keys []string
	for _, r := range s.requirements {
		keys = append(keys, r.key)
	}
	return keys
}

// The forms of a requirement, in Kubernetes' label selector syntax.
var (
	setBased = regexp.MustCompile(`^(\S+)\s+(in|notin)\s*\(([^()]*)\)$`)
	equality = regexp.MustCompile(`^([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)$`)
	presence = regexp.MustCompile(`^(!?)\s*([^\s=!]+)$`)
	numeric  = regexp.MustCompile(`^[^\s<>]+\s*[<>]`)

	labelKey   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
)

// ParseSelector reads a label selector as text: requirements between commas,
// `k=v`, `k!=v`, `k in (a,b)`, `k notin (a,b)`, `k` and `!k`.
func ParseSelector(text krm.Str, rep *krm.Report) (Selector, bool) {
	var s Selector
	if strings.TrimSpace(text.Text) == "" {
		return s, true
	}
	for _, part := range splitRequirements(text.Text) {
		r, wrong := parseRequirement(strings.TrimSpace(part))
		if wrong != "" {
			rep.Errorf("selector-syntax", text.Pos, "write requirements such as `env=prod`, `env in (prod,test)`, `env` or `!env` between commas",
				"the selector %q %s", krm.Short(text.Text, 256), wrong)
			return Selector{}, false
		}
		s.requirements = append(s.requirements, r)
	}
	return s, s.check(text.Pos, rep)
}

// splitRequirements cuts at commas outside of parentheses.
func splitRequirements(text string) []string {
	var parts []string
	start, inside := 0, false
	for i := range len(text) {
		switch {
		case text[i] == '(' || text[i] == ')':
			inside = text[i] == '('
		case text[i] == ',' && !inside:
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	return append(parts, text[start:])
}

// parseRequirement returns what is wrong, behind "the selector …".
func parseRequirement(text string) (r requirement, wrong string) {
	switch {
	case setBased.MatchString(text):
		m := setBased.FindStringSubmatch(text)
		r = requirement{m[1], m[2] == "notin", []string{}}
		for value := range strings.SplitSeq(m[3], ",") {
			r.values = append(r.values, strings.TrimSpace(value))
		}
	case equality.MatchString(text):
		m := equality.FindStringSubmatch(text)
		r = requirement{m[1], m[2] == "!=", []string{m[3]}}
	case numeric.MatchString(text):
		return r, fmt.Sprintf("compares numbers in %q, which Sveltos dropped", text)
	case presence.MatchString(text):
		m := presence.FindStringSubmatch(text)
		r = requirement{m[2], m[1] == "!", nil}
	case text == "":
		return r, "has nothing between two commas"
	default:
		return r, fmt.Sprintf("has %q, which is no requirement", text)
	}
	return r, r.mistake()
}

func (r requirement) mistake() string {
	if len(r.key) > 317 || !labelKey.MatchString(r.key) {
		return fmt.Sprintf("has %q, which is no key of a label", r.key)
	}
	for _, value := range r.values {
		if !labelValue.MatchString(value) {
			return fmt.Sprintf("has %q, which is no value of a label", value)
		}
	}
	return ""
}

// Expression is an entry of `matchExpressions`.
type Expression struct {
	Key, Operator krm.Str
	Values        []krm.Str
	Pos           krm.Pos
}

// NewSelector puts together `matchLabels` and `matchExpressions`.
func NewSelector(labels map[string]krm.Str, expressions []Expression, pos krm.Pos, rep *krm.Report) (Selector, bool) {
	var s Selector
	ok := true
	add := func(r requirement, at krm.Pos) {
		if wrong := r.mistake(); wrong != "" {
			rep.Errorf("selector-syntax", at, "", "the selector %s", wrong)
			ok = false
		}
		s.requirements = append(s.requirements, r)
	}
	for key, value := range labels {
		add(requirement{key, false, []string{value.Text}}, value.Pos)
	}
	slices.SortFunc(s.requirements, func(a, b requirement) int { return strings.Compare(a.key, b.key) })
	for _, e := range expressions {
		r, wrong := e.requirement()
		if wrong != "" {
			rep.Errorf("selector-syntax", e.Pos, "", "the expression for %q %s", krm.Short(e.Key.Text, 256), wrong)
			ok = false
			continue
		}
		add(r, e.Key.Pos)
	}
	return s, ok && s.check(pos, rep)
}

func (e Expression) requirement() (r requirement, wrong string) {
	r = requirement{key: e.Key.Text}
	for _, value := range e.Values {
		r.values = append(r.values, value.Text)
	}
	switch e.Operator.Text {
	case "In", "NotIn":
		r.negate = e.Operator.Text == "NotIn"
		if len(r.values) == 0 {
			return r, "must have `values` with the operator " + e.Operator.Text
		}
	default:
		r.negate = e.Operator.Text == "DoesNotExist"
		if len(r.values) > 0 {
			return r, "must have no `values` with the operator " + e.Operator.Text
		}
	}
	return r, ""
}

// check refuses requirements of one key that no label can meet.
func (s Selector) check(pos krm.Pos, rep *krm.Report) bool {
	wanted := map[string]string{}
	for _, r := range s.requirements {
		if r.negate || len(r.values) != 1 {
			continue
		}
		if first, twice := wanted[r.key]; twice && first != r.values[0] {
			rep.Errorf("selector-syntax", pos, "write `"+r.key+" in ("+first+","+r.values[0]+")` if either will do",
				"no cluster can have %q both as %q and as %q", r.key, first, r.values[0])
			return false
		}
		wanted[r.key] = r.values[0]
	}
	return true
}
