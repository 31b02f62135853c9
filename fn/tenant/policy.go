package tenant

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// PolicyFields is spec.managedNamespaces as written, with what it is checked
// against.
type PolicyFields struct {
	// Pos is spec.managedNamespaces.
	Pos          krm.Pos
	AllowedNames []krm.Str
	// Metadata is nil without spec.managedNamespaces.metadata.
	Metadata *MetadataFields

	// Common is spec.commonMetadata; CheckCommon has seen it.
	Common Metadata
	// Captures are those of the path pattern.
	Captures []string
	// Namespaces are the templates spec.artifacts[].namespace, those that are set;
	// without any there is nothing to manage, which the caller reports.
	Namespaces []krm.Template
	// Own is the generator's namespace, Protected are the names that are refused
	// besides the built-in ones.
	Own       string
	Protected []string
}

// Metadata is labels and annotations with the places they come from.
type Metadata struct {
	Labels, Annotations map[string]krm.Str
}

// MetadataFields is spec.managedNamespaces.metadata as written.
type MetadataFields struct {
	Pos krm.Pos
	// FromSource is nil when it is left out.
	FromSource *FromSourceFields
	From       []OperationFields
}

// FromSourceFields is spec.managedNamespaces.metadata.fromSource as written. The
// maps give the CEL expression of each allowed key.
type FromSourceFields struct {
	Pos krm.Pos
	// Path is `@alias/path`; the caller checks that the alias is known.
	Path                              krm.Str
	AllowedLabels, AllowedAnnotations map[string]krm.Str
}

// OperationFields is one entry of spec.managedNamespaces.metadata.from as
// written.
type OperationFields struct {
	Pos krm.Pos
	// Strategy is Reset, Override or Merge; Namespace a name or `*`.
	Strategy, Namespace krm.Str
	Metadata
}

// Policy is spec.managedNamespaces, valid.
type Policy struct {
	Allowed []Rule
	// Common is spec.commonMetadata.
	Common     Metadata
	FromSource *FromSource
	From       []Operation
	// Own and Protected are names that are refused besides the built-in ones.
	Own       string
	Protected []string
}

// FromSource is spec.managedNamespaces.metadata.fromSource.
type FromSource struct {
	Alias               string
	Path                krm.Template // below the alias root
	Labels, Annotations map[string]Rule
}

// Strategy is how an Operation meets what is there.
type Strategy int

// The strategies of spec.managedNamespaces.metadata.from.
const (
	// Reset drops everything that was collected before, then sets its own.
	Reset Strategy = iota
	// Override sets, Merge sets what is absent.
	Override
	Merge
)

var strategies = map[string]Strategy{"Reset": Reset, "Override": Override, "Merge": Merge}

// anyNamespace is how an Operation applies to all namespaces.
const anyNamespace = "*"

// Operation is one entry of spec.managedNamespaces.metadata.from.
type Operation struct {
	Strategy Strategy
	// Namespace is a name or `*`.
	Namespace           krm.Str
	Labels, Annotations map[string]krm.Str
}

// NewPolicy checks everything about spec.managedNamespaces that needs no file.
// All mistakes are reported; with an error the result is (nil, false).
func NewPolicy(f PolicyFields, rep *krm.Report) (*Policy, bool) {
	c := policyCheck{f, rep, true}
	p := &Policy{Common: f.Common, Own: f.Own, Protected: f.Protected, Allowed: c.allowed()}
	if m := f.Metadata; m != nil {
		if m.FromSource == nil && len(m.From) == 0 {
			c.errorf("policy-incomplete", m.Pos, "add one of them or leave `metadata` out", "`metadata` needs `fromSource` or an entry in `from`")
		}
		p.FromSource = c.fromSource(m.FromSource)
		p.From = c.from(m.From)
	}
	if !c.ok {
		return nil, false
	}
	return p, true
}

// policyCheck turns fields into a Policy.
type policyCheck struct {
	PolicyFields
	rep *krm.Report
	ok  bool
}

func (c *policyCheck) errorf(code string, pos krm.Pos, hint, format string, args ...any) {
	c.ok = false
	c.rep.Errorf(code, pos, hint, format, args...)
}

func (c *policyCheck) allowed() []Rule {
	if len(c.AllowedNames) == 0 {
		c.errorf("policy-incomplete", c.Pos.At("allowedNames"), "write a CEL expression such as `ns.startsWith('tenant-')`",
			"`allowedNames` needs at least one expression")
	}
	var rules []Rule
	for _, expression := range c.AllowedNames {
		rules = append(rules, c.rule(expression, "ns"))
	}
	return rules
}

func (c *policyCheck) rule(expression krm.Str, variable string) Rule {
	rule, ok := ParseRule(expression, variable, c.rep)
	c.ok = c.ok && ok
	return rule
}

func (c *policyCheck) fromSource(f *FromSourceFields) *FromSource {
	if f == nil {
		return nil
	}
	if len(f.AllowedLabels)+len(f.AllowedAnnotations) == 0 {
		c.errorf("policy-incomplete", f.Pos, "name the keys that tenants may set, or leave `fromSource` out",
			"`fromSource` needs an entry in `allowedLabels` or `allowedAnnotations`")
	}
	alias, template := c.path(f.Path)
	return &FromSource{
		Alias: alias, Path: template,
		Labels:      c.allowList(f.AllowedLabels, c.Common.Labels, labelPart(nil)),
		Annotations: c.allowList(f.AllowedAnnotations, c.Common.Annotations, annotationPart(nil)),
	}
}

// path checks `@alias/path`. The path must be the same for every artifact of a
// namespace, or a tenant would have several files.
func (c *policyCheck) path(s krm.Str) (string, krm.Template) {
	parts := aliasPath.FindStringSubmatch(s.Text)
	if parts == nil {
		c.errorf("source-path", s.Pos, "write it as `@alias/tenants/{namespace}/namespace-metadata.yaml`",
			"the path %q does not begin with `@`, a source alias and `/`", shortName(s.Text))
		return "", krm.Template{}
	}
	whole, ok := krm.ParseTemplate(s, c.rep)
	if !ok {
		c.ok = false
		return "", krm.Template{}
	}
	if clean := path.Clean("/" + parts[2]); clean != "/"+parts[2] || clean == "/" {
		c.errorf("source-path", s.Pos, "write the path of one file, from the root of the source",
			"the path %q holds an empty, `.` or `..` segment, or ends in a slash", shortName(s.Text))
	}
	c.ok = whole.CheckCaptures(c.Captures, c.rep) && c.ok
	template, _ := krm.ParseTemplate(krm.Str{Text: parts[2], Pos: s.Pos}, c.rep)
	for _, capture := range template.Captures() {
		if slices.Contains(c.Captures, capture) && !c.inEveryNamespace(capture) {
			c.errorf("source-path", s.Pos, "use only captures that occur in every `spec.artifacts[].namespace`",
				"the capture `{%s}` would give one namespace several files", capture)
		}
	}
	return parts[1], template
}

func (c *policyCheck) inEveryNamespace(capture string) bool {
	return !slices.ContainsFunc(c.Namespaces, func(t krm.Template) bool { return !slices.Contains(t.Captures(), capture) })
}

// allowList compiles the rule of every key that a tenant may set.
func (c *policyCheck) allowList(expressions, common map[string]krm.Str, s part) map[string]Rule {
	rules := make(map[string]Rule, len(expressions))
	for _, key := range slices.Sorted(maps.Keys(expressions)) {
		expression := expressions[key]
		switch problem := s.key(key); {
		case IsControl(key):
			c.errorf("allow-list-control-key", expression.Pos, "remove it from the allow-list",
				"the %s %q tells appliers what to do with the namespace, a tenant must not set it", s.what, shortName(key))
		case problem != "":
			c.errorf("metadata-key-syntax", expression.Pos, "", "%q cannot be the key of %s %s: %s", shortName(key), article(s.what), s.what, problem)
		case strings.HasPrefix(key, "pod-security.kubernetes.io/"):
			c.rep.Warnf("allow-list-pod-security", expression.Pos, "set it in `metadata.from` instead",
				"the %s %q lets tenants choose what their pods may do", s.what, shortName(key))
		}
		if _, there := common[key]; there && s.may(key) {
			c.rep.Warnf("allow-list-common-key", expression.Pos, "keep the key in one of the two",
				"tenants may replace the %s %q of `spec.commonMetadata`", s.what, shortName(key))
		}
		rules[key] = c.rule(expression, "value")
	}
	return rules
}

// may tells whether an admin and a tenant may both set the key: what is
// forbidden is an error of its own.
func (s part) may(key string) bool {
	return s.key(key) == "" && !IsControl(key) && !AdminForbidden(key)
}

func article(what string) string {
	if what == annotation {
		return "an"
	}
	return "a"
}

func (c *policyCheck) from(fields []OperationFields) []Operation {
	var operations []Operation
	for _, f := range fields {
		strategy := c.strategy(f.Strategy)
		c.target(f.Namespace)
		if strategy != Reset && len(f.Labels)+len(f.Annotations) == 0 {
			c.rep.Warnf("from-empty", f.Pos, "add `labels` or `annotations`", "the operation sets nothing")
		}
		c.ok = CheckCommon(f.Metadata, c.rep) && c.ok
		operations = append(operations, Operation{strategy, f.Namespace, f.Labels, f.Annotations})
	}
	return operations
}

func (c *policyCheck) strategy(s krm.Str) Strategy {
	strategy, known := strategies[s.Text]
	if !known {
		hint := "use Reset, Override or Merge"
		if near, found := krm.Nearest(s.Text, slices.Sorted(maps.Keys(strategies))); found {
			hint = fmt.Sprintf("did you mean `%s`?", near)
		}
		c.errorf("from-strategy", s.Pos, hint, "unknown `strategy` %q", short(s.Text))
	}
	return strategy
}

// target checks the namespace of an operation: there are no globs.
func (c *policyCheck) target(s krm.Str) {
	if s.Text == anyNamespace {
		return
	}
	if problem := dnsLabel.problem(s.Text); problem != "" {
		c.errorf("from-namespace", s.Pos, "write the name of one namespace, or `*` for all of them",
			"the `namespace` %q of the operation is no name: %s", short(s.Text), problem)
	}
}

// CheckCommon checks metadata of an admin, spec.commonMetadata or that of an
// entry of metadata.from: the syntax of labels and annotations, and the keys
// that only orchestrators and appliers may set. The findings stand at the
// values.
func CheckCommon(m Metadata, rep *krm.Report) bool {
	labels := checkAdmin(m.Labels, labelPart(nil), rep)
	return checkAdmin(m.Annotations, annotationPart(nil), rep) && labels
}

func checkAdmin(entries map[string]krm.Str, s part, rep *krm.Report) bool {
	ok := true
	for key, value := range entries {
		keyProblem, valueProblem := s.key(key), s.value(value.Text)
		switch {
		case AdminForbidden(key):
			rep.Errorf("metadata-forbidden-key", value.Pos, "remove it",
				"the %s %q must not be set here: hosts, appliers or this function go by it", s.what, shortName(key))
		case keyProblem != "":
			rep.Errorf("metadata-key-syntax", value.Pos, "", "%q cannot be the key of %s %s: %s", shortName(key), article(s.what), s.what, keyProblem)
		case valueProblem != "":
			rep.Errorf("metadata-value-syntax", value.Pos, "", "the %s %q cannot be %q: %s", s.what, shortName(key), short(value.Text), valueProblem)
		default:
			continue
		}
		ok = false
	}
	return ok
}
