package tenant

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// strs gives each value the place of its key.
func strs(field string, entries m) map[string]krm.Str {
	values := map[string]krm.Str{}
	for key, value := range entries {
		values[key] = krm.Str{Text: value, Pos: krm.Pos{Field: field}.Key(key)}
	}
	return values
}

func operation(strategy, namespace string, labels, annotations m) OperationFields {
	return OperationFields{
		Pos: krm.Pos{Field: "from[0]"}, Strategy: at("from[0].strategy", strategy), Namespace: at("from[0].namespace", namespace),
		Metadata: Metadata{strs("from[0].labels", labels), strs("from[0].annotations", annotations)},
	}
}

func fromSource(path string, labels, annotations m) *FromSourceFields {
	return &FromSourceFields{
		Pos: krm.Pos{Field: "fromSource"}, Path: at("fromSource.path", path),
		AllowedLabels: strs("fromSource.allowedLabels", labels), AllowedAnnotations: strs("fromSource.allowedAnnotations", annotations),
	}
}

const metadataPath = "@repo/tenants/{namespace}/namespace-metadata.yaml"

func TestNewPolicy(t *testing.T) {
	var rep krm.Report
	p, ok := NewPolicy(PolicyFields{
		Pos: krm.Pos{Field: "managedNamespaces"}, AllowedNames: []krm.Str{at("allowedNames[0]", "ns.startsWith('tenant-')")},
		Metadata: &MetadataFields{
			FromSource: fromSource(metadataPath, nil, m{"my.org.io/observability": "value in ['Enabled']"}),
			From:       []OperationFields{operation("Merge", "*", m{"tier": "standard"}, nil), operation("Reset", "tenant-b", nil, nil)},
		},
		Captures: []string{"namespace", "module"}, Namespaces: []krm.Template{template(t, "{namespace}"), template(t, "{namespace}-{module}")},
		Own: "flux-system",
	}, &rep)
	require.True(t, ok)
	assert.Empty(t, rep.Findings())
	assert.Equal(t, "repo", p.FromSource.Alias)
	assert.Equal(t, "tenants/x/namespace-metadata.yaml", p.FromSource.Path.Render(m{"namespace": "x"}))
	assert.Equal(t, []Strategy{Merge, Reset}, []Strategy{p.From[0].Strategy, p.From[1].Strategy})
}

func TestNewPolicyMistakes(t *testing.T) {
	tests := map[string]struct {
		change               func(*PolicyFields)
		code, field, message string
		hint                 string
	}{
		"no names":         {func(f *PolicyFields) { f.AllowedNames = nil }, "policy-incomplete", "managedNamespaces.allowedNames", "`allowedNames` needs at least one expression", "ns.startsWith"},
		"not boolean":      {func(f *PolicyFields) { f.AllowedNames = []krm.Str{at("allowedNames[0]", "ns")} }, "expression-not-boolean", "allowedNames[0]", "", ""},
		"empty metadata":   {func(f *PolicyFields) { *f.Metadata = MetadataFields{Pos: krm.Pos{Field: "metadata"}} }, "policy-incomplete", "metadata", "`metadata` needs `fromSource` or an entry in `from`", ""},
		"nothing allowed":  {func(f *PolicyFields) { f.Metadata.FromSource = fromSource(metadataPath, nil, nil) }, "policy-incomplete", "fromSource", "needs an entry in `allowedLabels` or `allowedAnnotations`", ""},
		"value rule":       {func(f *PolicyFields) { f.Metadata.FromSource.AllowedLabels = strs("l", m{"k": "ns == 'a'"}) }, "expression-syntax", `l["k"]`, "undeclared reference to 'ns'", "the only variable here is `value`"},
		"path":             {func(f *PolicyFields) { f.Metadata.FromSource.Path.Text = "tenants/x.yaml" }, "source-path", "fromSource.path", "does not begin with `@`", "@alias/"},
		"path of the root": {func(f *PolicyFields) { f.Metadata.FromSource.Path.Text = "@repo/" }, "source-path", "fromSource.path", "empty", ""},
		"path dots":        {func(f *PolicyFields) { f.Metadata.FromSource.Path.Text = "@repo/{namespace}/../x.yaml" }, "source-path", "fromSource.path", "holds an empty, `.` or `..` segment", ""},
		"path of a dir":    {func(f *PolicyFields) { f.Metadata.FromSource.Path.Text = "@repo/{namespace}/" }, "source-path", "fromSource.path", "ends in a slash", ""},
		"path braces":      {func(f *PolicyFields) { f.Metadata.FromSource.Path.Text = "@repo/{a,b}/x" }, "capture-syntax", "fromSource.path", "`{a,b}` is no capture at column 7", ""},
		"path capture":     {func(f *PolicyFields) { f.Metadata.FromSource.Path.Text = "@repo/{namespce}/x" }, "capture-unknown", "fromSource.path", "`{namespce}` at column 7", "did you mean `{namespace}`?"},
		"path per module":  {func(f *PolicyFields) { f.Metadata.FromSource.Path.Text = "@repo/{namespace}/{module}/x" }, "source-path", "fromSource.path", "the capture `{module}` would give one namespace several files", ""},
		"one of them only": {func(f *PolicyFields) { f.Namespaces = append(f.Namespaces, template(t, "{module}")) }, "source-path", "fromSource.path", "the capture `{namespace}` would give one namespace several files", ""},
		"control label": {
			func(f *PolicyFields) {
				f.Metadata.FromSource.AllowedLabels = strs("l", m{"kustomize.toolkit.fluxcd.io/prune": "true"})
			},
			"allow-list-control-key", `l["kustomize.toolkit.fluxcd.io/prune"]`, "a tenant must not set it", "",
		},
		"finalizer": {
			func(f *PolicyFields) {
				f.Metadata.FromSource.AllowedAnnotations = strs("a", m{"source.extensions.fluxcd.io/externalFinalizer": "value == 'x'"})
			},
			"allow-list-control-key", `a["source.extensions.fluxcd.io/externalFinalizer"]`, "", "",
		},
		"key syntax":  {func(f *PolicyFields) { f.Metadata.FromSource.AllowedLabels = strs("l", m{"a b": "value == 'x'"}) }, "metadata-key-syntax", `l["a b"]`, "\"a b\" cannot be the key of a label", ""},
		"strategy":    {func(f *PolicyFields) { f.Metadata.From[0].Strategy.Text = "merge" }, "from-strategy", "from[0].strategy", "unknown `strategy` \"merge\"", "did you mean `Merge`?"},
		"no strategy": {func(f *PolicyFields) { f.Metadata.From[0].Strategy.Text = "" }, "from-strategy", "from[0].strategy", "", "use Reset, Override or Merge"},
		"glob":        {func(f *PolicyFields) { f.Metadata.From[0].Namespace.Text = "tenant-*" }, "from-namespace", "from[0].namespace", "", "or `*` for all of them"},
		"no target":   {func(f *PolicyFields) { f.Metadata.From[0].Namespace.Text = "" }, "from-namespace", "from[0].namespace", "must not be empty", ""},
		"local-config": {
			func(f *PolicyFields) {
				f.Metadata.From = []OperationFields{operation("Merge", "*", nil, m{"config.kubernetes.io/local-config": "true"})}
			},
			"metadata-forbidden-key", `from[0].annotations["config.kubernetes.io/local-config"]`, "must not be set here", "",
		},
		"finalizer in from": {
			func(f *PolicyFields) {
				f.Metadata.From = []OperationFields{operation("Override", "*", nil, m{"source.extensions.fluxcd.io/externalFinalizer": "x"})}
			},
			"metadata-forbidden-key", `from[0].annotations["source.extensions.fluxcd.io/externalFinalizer"]`, "", "",
		},
		"label value": {func(f *PolicyFields) {
			f.Metadata.From = []OperationFields{operation("Merge", "*", m{"k": "a b"}, nil)}
		}, "metadata-value-syntax", `from[0].labels["k"]`, "the label \"k\" cannot be \"a b\"", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := PolicyFields{
				Pos: krm.Pos{Field: "managedNamespaces"}, AllowedNames: []krm.Str{at("allowedNames[0]", "ns.startsWith('tenant-')")},
				Metadata: &MetadataFields{
					FromSource: fromSource(metadataPath, m{"team": "value == 'x'"}, nil),
					From:       []OperationFields{operation("Merge", "*", m{"tier": "standard"}, nil)},
				},
				Captures: []string{"namespace", "module"}, Namespaces: []krm.Template{template(t, "{namespace}")}, Own: "flux-system",
			}
			test.change(&f)
			var rep krm.Report
			_, ok := NewPolicy(f, &rep)
			require.False(t, ok)
			finding := the(t, &rep, test.code)
			assert.Equal(t, krm.Error, finding.Severity)
			assert.Equal(t, test.field, finding.Pos.Field)
			assert.Contains(t, finding.Message, test.message)
			assert.Contains(t, finding.Hint, test.hint)
		})
	}
}

func TestNewPolicyReportsAllMistakes(t *testing.T) {
	var rep krm.Report
	_, ok := NewPolicy(PolicyFields{
		AllowedNames: []krm.Str{at("allowedNames[0]", "ns"), at("allowedNames[1]", "foo")},
		Metadata:     &MetadataFields{FromSource: fromSource("x", m{"kpt.dev/x": "1"}, m{"y": "("}), From: []OperationFields{operation("Rest", "a*", nil, nil)}},
		Namespaces:   []krm.Template{template(t, "{namespace}")},
	}, &rep)
	assert.False(t, ok)
	var codes []string
	for _, f := range rep.Findings() {
		codes = append(codes, f.Code)
	}
	assert.Subset(t, codes, []string{"expression-not-boolean", "expression-syntax", "source-path", "allow-list-control-key", "from-strategy", "from-namespace"})
}

func TestNewPolicyWarnings(t *testing.T) {
	var rep krm.Report
	_, ok := NewPolicy(PolicyFields{
		Pos: krm.Pos{Field: "managedNamespaces"}, AllowedNames: []krm.Str{at("allowedNames[0]", "true")},
		Common: Metadata{Labels: strs("commonMetadata.labels", m{"team": "a"})},
		Metadata: &MetadataFields{
			FromSource: fromSource("@repo/meta.yaml", m{"team": "value == 'x'", "pod-security.kubernetes.io/enforce": "value == 'baseline'"}, m{"team": "value == 'y'"}),
			From:       []OperationFields{operation("Merge", "*", nil, nil), operation("Override", "a", nil, nil), operation("Reset", "a", nil, nil)},
		},
	}, &rep)
	require.True(t, ok)
	assert.Equal(t, []string{
		"expression-always-true allowedNames[0]: the CEL expression is `true`: every namespace name is admitted",
		`allow-list-pod-security fromSource.allowedLabels["pod-security.kubernetes.io/enforce"]: the label "pod-security.kubernetes.io/enforce" lets tenants choose what their pods may do`,
		"allow-list-common-key fromSource.allowedLabels[\"team\"]: tenants may replace the label \"team\" of `spec.commonMetadata`",
		"from-empty from[0]: the operation sets nothing",
	}, warnings(&rep))
}

func TestNewPolicyNamesForbiddenKeysOnce(t *testing.T) {
	entries := m{finalizer: "value != ''", "provision-tenants.fn.kpt.dev/owner": "value != ''", "a b": "value != ''", "team": "value != ''"}
	var rep krm.Report
	_, ok := NewPolicy(PolicyFields{
		AllowedNames: []krm.Str{at("allowedNames[0]", "ns != ''")}, Common: Metadata{Annotations: strs("common", entries)},
		Metadata: &MetadataFields{FromSource: fromSource("@repo/meta.yaml", nil, entries)},
	}, &rep)
	assert.False(t, ok)
	assert.Equal(t, `fromSource.allowedAnnotations["team"]`, the(t, &rep, "allow-list-common-key").Pos.Field, "only where keeping one of the two would help")
	assert.Len(t, errs(&rep), 3)
}

func TestCheckCommon(t *testing.T) {
	var rep krm.Report
	ok := CheckCommon(Metadata{
		Labels:      strs("labels", m{"my.org.io/provisioner": "monorepo", "empty": "", "argocd.argoproj.io/instance": "x"}),
		Annotations: strs("annotations", m{"any": "text, of any: kind\nat all", "Upper.example.org/x": "1", "kustomize.toolkit.fluxcd.io/prune": "disabled"}),
	}, &rep)
	assert.True(t, ok)
	assert.Empty(t, rep.Findings())

	ok = CheckCommon(Metadata{
		Labels: strs("labels", m{
			"Upper.example.org/x": "1", "k": "v v", "kubernetes.io/metadata.name": "x", "app.kubernetes.io/managed-by": "me", "/x": "y",
		}),
		Annotations: strs("annotations", m{
			"a b": "1", "config.kubernetes.io/local-config": "true", "internal.config.kubernetes.io/path": "x", "kustomize.config.k8s.io/behavior": "merge",
			"provision-tenants.fn.kpt.dev/owner": "x", "source.extensions.fluxcd.io/externalFinalizer": "x",
		}),
	}, &rep)
	assert.False(t, ok)
	assert.Equal(t, []string{
		`metadata-key-syntax annotations["a b"]: "a b" cannot be the key of an annotation: the name part of a key must not contain ' ' (character 2)`,
		`metadata-forbidden-key annotations["config.kubernetes.io/local-config"]: the annotation "config.kubernetes.io/local-config" must not be set here: hosts, appliers or this function go by it`,
		`metadata-forbidden-key annotations["internal.config.kubernetes.io/path"]: the annotation "internal.config.kubernetes.io/path" must not be set here: hosts, appliers or this function go by it`,
		`metadata-forbidden-key annotations["kustomize.config.k8s.io/behavior"]: the annotation "kustomize.config.k8s.io/behavior" must not be set here: hosts, appliers or this function go by it`,
		`metadata-forbidden-key annotations["provision-tenants.fn.kpt.dev/owner"]: the annotation "provision-tenants.fn.kpt.dev/owner" must not be set here: hosts, appliers or this function go by it`,
		`metadata-forbidden-key annotations["source.extensions.fluxcd.io/externalFinalizer"]: the annotation "source.extensions.fluxcd.io/externalFinalizer" must not be set here: hosts, appliers or this function go by it`,
		`metadata-key-syntax labels["/x"]: "/x" cannot be the key of a label: the prefix of a key must not be empty`,
		`metadata-key-syntax labels["Upper.example.org/x"]: "Upper.example.org/x" cannot be the key of a label: the prefix of a key must not contain 'U' (character 1)`,
		`metadata-forbidden-key labels["app.kubernetes.io/managed-by"]: the label "app.kubernetes.io/managed-by" must not be set here: hosts, appliers or this function go by it`,
		`metadata-value-syntax labels["k"]: the label "k" cannot be "v v": a label value must not contain ' ' (character 2)`,
		`metadata-forbidden-key labels["kubernetes.io/metadata.name"]: the label "kubernetes.io/metadata.name" must not be set here: hosts, appliers or this function go by it`,
	}, errs(&rep))
}
