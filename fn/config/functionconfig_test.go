package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const full = `apiVersion: fn.kpt.dev/v1alpha1
kind: ProvisionTenants
metadata:
  name: monorepo
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  sources:
  - alias: repo
    directory: ../..
    revision: main@sha1:4f1c
    originRevision: v1.2.3@sha1:4f1c
  generators:
  - metadata: {name: apps, namespace: flux-system}
    spec:
      pathPattern: "@repo/tenants/{namespace}/{module}"
      sources: [{alias: repo, kind: GitRepository, name: monorepo}]
      artifacts:
      - name: "{module}"
        namespace: "{namespace}"
        revision: "@repo"
        originRevision: "@repo"
        copy: [{from: "@repo/tenants/{namespace}/{module}/**", to: "@artifact/"}]
      managedNamespaces: {allowedNames: ["ns.startsWith('tenant-')"], prune: false}
  defaultServiceAccount: flux-applier
  protectedNames: [cilium-system, cert-manager, cert-manager]
  deletion:
    baseline: rendered/
    maxNamespaces: 10%
    allowEmpty: false
`

func codes(findings []krm.Finding) []string {
	var out []string
	for _, f := range problems(findings) {
		out = append(out, summary(f))
	}
	return out
}

func TestProvisionTenants(t *testing.T) {
	plan, findings := parse(t, listOf(full))
	require.Empty(t, findings)
	assert.Equal(t, "monorepo", plan.Name)
	assert.Equal(t, "default", plan.Namespace)
	assert.Equal(t, ".", plan.Base)
	assert.Equal(t, []string{"cert-manager", "cilium-system"}, plan.ProtectedNames)
	assert.Equal(t, "rendered", plan.Deletion.Baseline.Text)
	assert.Equal(t, "spec.deletion.baseline", plan.Deletion.Baseline.Pos.Field)
	assert.False(t, plan.Deletion.AllowEmpty)
	require.Len(t, plan.Generators, 1)
	g := plan.Generators[0]
	assert.Equal(t, "flux-applier", g.ServiceAccount)
	assert.False(t, g.Prune)
	assert.Equal(t, 100, g.Tier)
	assert.Equal(t, "main@sha1:4f1c", g.Artifacts[0].Revision)
	assert.Equal(t, "v1.2.3@sha1:4f1c", g.Artifacts[0].OriginRevision)
	assert.Equal(t, "spec.generators[0].spec.artifacts[0]", g.Artifacts[0].Pos.Field)
	assert.Equal(t, []string{"cert-manager", "cilium-system"}, g.Managed.Protected)
}

func TestProvisionTenantsRules(t *testing.T) {
	for name, tc := range map[string]struct{ old, replacement, want, hint string }{
		"apiVersion":          {"fn.kpt.dev/v1alpha1", "fn.kpt.dev/v1", "error config-version apiVersion", "write `apiVersion: fn.kpt.dev/v1alpha1`"},
		"group":               {"fn.kpt.dev/v1alpha1", "fn.kpt.de/v1alpha1", "error config-version apiVersion", ""},
		"kind":                {"kind: ProvisionTenants", "kind: ProvisionTenant", "error config-kind kind", "did you mean `ProvisionTenants`?"},
		"no name":             {"  name: monorepo\n", "", "error config-required metadata.name", ""},
		"unknown field":       {"protectedNames", "protectednames", "error config-unknown-field spec.protectednames", "did you mean `protectedNames`?"},
		"field of no version": {"protectedNames: [cilium-system, cert-manager, cert-manager]", "colour: {}", "error config-unknown-field spec.colour", "known fields are `sources`"},
		"annotation of a generator": {
			"    config.kubernetes.io/local-config: \"true\"", "    provision-tenants.fn.kpt.dev/directory: x",
			`error config-annotation metadata.annotations["provision-tenants.fn.kpt.dev/directory"]`, "fields of `spec`",
		},
		"unknown annotation": {
			"    config.kubernetes.io/local-config: \"true\"", "    provision-tenants.fn.kpt.dev/adopt: x",
			`error config-annotation metadata.annotations["provision-tenants.fn.kpt.dev/adopt"]`, "fields of `spec`",
		},
		"annotation that is ours":        {"    config.kubernetes.io/local-config: \"true\"", "    provision-tenants.fn.kpt.dev/origin: x", "", ""},
		"a misspelt pattern":             {"pathPattern:", "pathPatern:", "error config-unknown-field spec.generators[0].spec.pathPatern", "did you mean `pathPattern`?"},
		"no directory":                   {"    directory: ../..\n", "", "error config-required spec.sources[0].directory", ""},
		"empty directory":                {"directory: ../..", `directory: ""`, "error config-value spec.sources[0].directory", ""},
		"absolute directory":             {"directory: ../..", "directory: /repo", "", ""},
		"no alias":                       {"- alias: repo\n    directory", "- directory", "", ""},
		"alias syntax":                   {"- alias: repo\n    directory", "- alias: Repo\n    directory", "error config-value spec.sources[0].alias", ""},
		"misspelt alias":                 {"- alias: repo\n    directory", "- alias: rpo\n    directory", "error source-unmapped spec.generators[0].spec.sources[0].alias; warning source-unused spec.sources[0].alias", "did you mean `rpo`?"},
		"revision with a space":          {"revision: main@sha1:4f1c", "revision: main sha1", "error config-value spec.sources[0].revision", ""},
		"revision is a number":           {"revision: main@sha1:4f1c", "revision: 1", "error revision-unknown spec.generators[0].spec.artifacts[0].revision; error config-type spec.sources[0].revision", ""},
		"no revisions":                   {"    revision: main@sha1:4f1c\n    originRevision: v1.2.3@sha1:4f1c\n", "", "error revision-unknown spec.generators[0].spec.artifacts[0].revision", "set `revision`"},
		"two entries":                    {"  generators:", "  - {alias: other, directory: x}\n  generators:", "warning source-unused spec.sources[1].alias", ""},
		"one alias, two entries":         {"  generators:", "  - {alias: repo, directory: x}\n  generators:", "error config-duplicate spec.sources[1].alias", ""},
		"two entries, one without alias": {"  generators:", "  - {directory: x}\n  generators:", "error config-required spec.sources[1].alias", ""},
		"protected name":                 {"cilium-system", "Cilium", "error config-value spec.protectedNames[0]", ""},
		"default service account":        {"flux-applier", "Flux", "error config-value spec.defaultServiceAccount", ""},
		"no service account":             {"  defaultServiceAccount: flux-applier\n", "", "error service-account-missing spec.generators[0].spec.managedNamespaces", "defaultServiceAccount"},
		"baseline above":                 {"rendered/", "../rendered", "error config-path spec.deletion.baseline", ""},
		"baseline absolute":              {"rendered/", "/rendered", "error config-path spec.deletion.baseline", ""},
		"baseline with dots inside":      {"rendered/", "a/../b", "error config-path spec.deletion.baseline", ""},
		"no limit at all":                {"    maxNamespaces: 10%\n", "", "", ""},
		"limit":                          {"10%", "5", "", ""},
		"limit zero":                     {"10%", "0", "", ""},
		"limit negative":                 {"10%", "-1", "error config-value spec.deletion.maxNamespaces", ""},
		"limit above 100%":               {"10%", "101%", "error config-value spec.deletion.maxNamespaces", ""},
		"limit negative percentage":      {"10%", "-5%", "error config-value spec.deletion.maxNamespaces", ""},
		"limit with a fraction":          {"10%", "2.5%", "error config-value spec.deletion.maxNamespaces", ""},
		"limit is a fraction":            {"10%", "2.5", "error config-type spec.deletion.maxNamespaces", "10%"},
		"limit is text":                  {"10%", "all", "error config-type spec.deletion.maxNamespaces", ""},
		"limit is a quoted number":       {"10%", `"10"`, "error config-type spec.deletion.maxNamespaces", ""},
		"limit is huge":                  {"10%", "99999999999999999999", "error config-value spec.deletion.maxNamespaces", ""},
		"allowEmpty is a string":         {"allowEmpty: false", `allowEmpty: "false"`, "error config-type spec.deletion.allowEmpty", "without quotes: false"},
		"spec is missing":                {"spec:\n", "spec: null\nx:\n", "error config-required spec; error config-unknown-field x", ""},
		"generator of another version": {
			"  - metadata: {name: apps", "  - apiVersion: source.extensions.fluxcd.io/v1\n    metadata: {name: apps",
			"error config-version spec.generators[0].apiVersion", "v1beta1",
		},
		"generator of another kind": {"  - metadata: {name: apps", "  - kind: ArtifactGen\n    metadata: {name: apps", "error config-kind spec.generators[0].kind", ""},
		"generator with both":       {"  - metadata: {name: apps", "  - apiVersion: source.extensions.fluxcd.io/v1beta1\n    kind: ArtifactGenerator\n    metadata: {name: apps", "", ""},
		"generator without a name":  {"{name: apps, namespace: flux-system}", "{namespace: flux-system}", "error config-required spec.generators[0].metadata.name", ""},
		"generator with a directory": {
			"{name: apps, namespace: flux-system}", "{name: apps, namespace: flux-system, annotations: {provision-tenants.fn.kpt.dev/directory: x}}",
			`warning config-annotation-ignored spec.generators[0].metadata.annotations["provision-tenants.fn.kpt.dev/directory"]`, "functionConfig",
		},
		"config above":         {"  defaultServiceAccount", "  configs: [../x.yaml]\n  defaultServiceAccount", "error config-path spec.configs[0]", ""},
		"config not there":     {"  defaultServiceAccount", "  configs: [nothing/*.yaml]\n  defaultServiceAccount", "error config-not-found spec.configs[0]", "base directory"},
		"appliers":             {"  defaultServiceAccount", "  appliers: [Flux, Kubectl]\n  defaultServiceAccount", "", ""},
		"an unknown applier":   {"  defaultServiceAccount", "  appliers: [flux]\n  defaultServiceAccount", "error config-value spec.appliers[0]", "did you mean `Flux`?"},
		"no appliers":          {"  defaultServiceAccount", "  appliers: []\n  defaultServiceAccount", "error config-limit spec.appliers", ""},
		"an applier twice":     {"  defaultServiceAccount", "  appliers: [Helm, Flux, Helm]\n  defaultServiceAccount", "error config-duplicate spec.appliers[2]", ""},
		"adopt":                {"{name: apps, namespace: flux-system}", "{name: apps, namespace: flux-system, annotations: {provision-tenants.fn.kpt.dev/adopt: \"tenant-a, tenant-b\"}}", "", ""},
		"adopt everything":     {"{name: apps, namespace: flux-system}", "{name: apps, namespace: flux-system, annotations: {provision-tenants.fn.kpt.dev/adopt: \"*\"}}", `error config-value spec.generators[0].metadata.annotations["provision-tenants.fn.kpt.dev/adopt"]`, "commas"},
		"adopt nothing":        {"{name: apps, namespace: flux-system}", "{name: apps, namespace: flux-system, annotations: {provision-tenants.fn.kpt.dev/adopt: \"\"}}", `error config-value spec.generators[0].metadata.annotations["provision-tenants.fn.kpt.dev/adopt"]`, ""},
		"state above":          {"  defaultServiceAccount", "  state: [../x.yaml]\n  defaultServiceAccount", "error config-path spec.state[0]", ""},
		"state not there":      {"  defaultServiceAccount", "  state: [nothing/*.yaml]\n  defaultServiceAccount", "error config-not-found spec.state[0]", "base directory"},
		"state is text":        {"  defaultServiceAccount", "  state: live\n  defaultServiceAccount", "error config-type spec.state", ""},
		"config with bad glob": {"  defaultServiceAccount", "  configs: [\"[\"]\n  defaultServiceAccount", "error config-unreadable spec.configs[0]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := edit(t, full, tc.old, tc.replacement)
			_, findings := parse(t, listOf(text))
			assert.Equal(t, tc.want, strings.Join(codes(findings), "; "))
			if tc.hint != "" {
				require.NotEmpty(t, problems(findings))
				assert.Contains(t, problems(findings)[0].Hint, tc.hint)
			}
		})
	}
}

func TestWrongTypes(t *testing.T) {
	const head = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ProvisionTenants\n"
	for text, want := range map[string]string{
		"metadata: x\nspec: {}":                               `metadata must be a map, found the string "x"`,
		"metadata: {name: a}\nspec: []":                       `spec must be a map, found a list`,
		"metadata: {name: a}\nspec: {sources: {}}":            `spec.sources must be a list, found a map`,
		"metadata: {name: a}\nspec: {sources: [1]}":           `spec.sources[0] must be a map, found the integer 1`,
		"metadata: {name: a}\nspec: {sources: [null]}":        `spec.sources[0] must be a map, found null`,
		"metadata: {name: a}\nspec: {generators: {a: b}}":     `spec.generators must be a list, found a map`,
		"metadata: {name: a}\nspec: {generators: [1.5]}":      `spec.generators[0] must be a map, found the number 1.5`,
		"metadata: {name: a}\nspec: {configs: [true]}":        `spec.configs[0] must be a string, found the boolean true`,
		"metadata: {name: a}\nspec: {protectedNames: kube}":   `spec.protectedNames must be a list, found the string "kube"`,
		"metadata: {name: a}\nspec: {deletion: 10%}":          `spec.deletion must be a map, found the string "10%"`,
		"metadata: {name: a}\nspec: {protectedNames: [on]}":   "spec.protectedNames[0] must be a string, found on, which YAML 1.1 reads as the boolean true",
		"metadata: {name: a, labels: [a]}\nspec: {}":          `metadata.labels must be a map, found a list`,
		"metadata: {name: a, annotations: {b: 12}}\nspec: {}": `metadata.annotations.b must be a string, found the integer 12`,
	} {
		_, findings := parse(t, listOf(head+text))
		var messages []string
		for _, f := range problems(findings) {
			assert.Equal(t, "config-type", f.Code)
			messages = append(messages, f.Pos.Field+" "+f.Message)
		}
		assert.Equal(t, []string{want}, messages)
	}
}

func TestConfigMap(t *testing.T) {
	const cm = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\n"
	item := withPath(t, example, "platform/ag.yaml")
	for text, want := range map[string]string{
		cm: "",
		"apiVersion: v1\nkind: ConfigMap\ndata: {directory: x}\n": "",
		cm + "data: {directory: ., allowEmpty: \"true\"}\n":       "",
		cm + "data: {directory: ., allowEmpty: true}\n":           "error config-type data.allowEmpty",
		cm + "data: {allowEmpty: \"yes\"}\n":                      "error config-value data.allowEmpty",
		cm + "data: {directry: .}\n":                              "error config-unknown-field data.directry",
		cm + "data: {baseline: .}\n":                              "error config-unknown-field data.baseline",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input, annotations: {provision-tenants.fn.kpt.dev/tier: \"1\"}}\n": `error config-annotation metadata.annotations["provision-tenants.fn.kpt.dev/tier"]`,
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input, annotations: {provision-tenants.fn.kpt.dev/x: \"1\"}}\n":    `error config-annotation metadata.annotations["provision-tenants.fn.kpt.dev/x"]`,
		cm + "binaryData: {a: b}\n":                                         "error config-unknown-field binaryData.a",
		"apiVersion: v2\nkind: ConfigMap\nmetadata: {name: function-input}": "error config-version apiVersion",
	} {
		plan, findings := parse(t, listOf(text, item))
		assert.Equal(t, want, strings.Join(codes(findings), "; "), text)
		if plan != nil {
			assert.Equal(t, "function-input", plan.Name)
			assert.Equal(t, "default", plan.Namespace)
			assert.Equal(t, "ArtifactGenerator/flux-system/monorepo-tenants", plan.Generators[0].Owner)
		}
	}
	plan, _ := parse(t, listOf(cm+"data: {directory: ../x, allowEmpty: \"true\"}\n", item))
	assert.Equal(t, "../x", plan.Sources[0].Directory)
	assert.True(t, plan.Deletion.AllowEmpty)
	assert.True(t, plan.Generators[0].AllowEmpty)
}

func TestNoGenerator(t *testing.T) {
	for name, list := range map[string]string{
		"nothing":         listOf(""),
		"a full one":      listOf("apiVersion: fn.kpt.dev/v1alpha1\nkind: ProvisionTenants\nmetadata: {name: a}\nspec: {}"),
		"a ConfigMap":     listOf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"),
		"another group's": listOf("", "apiVersion: example.org/v1\nkind: ArtifactGenerator\nmetadata: {name: a}"),
	} {
		_, findings := parse(t, list)
		require.Len(t, findings, 1, name)
		assert.Equal(t, "config-missing", findings[0].Code, name)
	}
}

func TestShortFormNeedsOneAlias(t *testing.T) {
	two := edit(t, example, "  artifacts:\n", "    - {alias: other, kind: Bucket, name: b}\n  artifacts:\n")
	_, findings := parse(t, listOf(two))
	assert.Equal(t, []string{"error source-unmapped spec.sources[0].alias", "error source-unmapped spec.sources[1].alias"}, codes(findings))

	_, findings = parse(t, listOf(edit(t, two, "namespace: flux-system\nspec", "namespace: flux-system\n  annotations: {provision-tenants.fn.kpt.dev/directory: x}\nspec")))
	assert.Equal(t, []string{
		`error source-unmapped metadata.annotations["provision-tenants.fn.kpt.dev/directory"]`,
	}, codes(findings)[:1])
}

func TestLimit(t *testing.T) {
	for _, tc := range []struct {
		limit string
		of    int
		want  int
	}{
		{"", 100, 10},
		{"", 109, 10},
		{"", 9, 1},
		{"", 0, 1},
		{"    maxNamespaces: 10%\n", 9, 0},
		{"    maxNamespaces: 10%\n", 25, 2},
		{"    maxNamespaces: 100%\n", 7, 7},
		{"    maxNamespaces: 5\n", 2, 5},
		{"    maxNamespaces: 0\n", 1000, 0},
		{"    maxNamespaces: 0%\n", 1000, 0},
	} {
		plan, findings := parse(t, listOf(edit(t, full, "    maxNamespaces: 10%\n", tc.limit)))
		require.Empty(t, findings)
		assert.Equal(t, tc.want, plan.Deletion.Max.Of(tc.of), "%q of %d", tc.limit, tc.of)
	}
}
