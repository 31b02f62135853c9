package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// edit replaces text that must be there.
func edit(t *testing.T, text, old, replacement string) string {
	t.Helper()
	require.Contains(t, text, old)
	return strings.Replace(text, old, replacement, 1)
}

// problems are the findings that are no infos.
func problems(findings []krm.Finding) []krm.Finding {
	var out []krm.Finding
	for _, f := range findings {
		if f.Severity != krm.Info {
			out = append(out, f)
		}
	}
	return out
}

// summary is what a table can compare.
func summary(f krm.Finding) string {
	return fmt.Sprintf("%s %s %s", map[krm.Severity]string{
		krm.Info: "info", krm.Warning: "warning", krm.Safeguard: "stop", krm.Error: "error",
	}[f.Severity], f.Code, f.Pos.Field)
}

func TestGeneratorRules(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, tc := range map[string]struct {
		old, replacement string
		want             string // summary; "" when there is nothing wrong
		hint             string
	}{
		// Flux ArtifactGenerator, CRD validation: sources.
		"alias with underscore":  {"alias: repo", "alias: re_po", "error source-unmapped", ""},
		"alias in upper case":    {"alias: repo", "alias: Repo", "error config-value spec.sources[0].alias", ""},
		"alias ends in a dash":   {"alias: repo", "alias: repo-", "error config-value spec.sources[0].alias", ""},
		"alias too long":         {"alias: repo", "alias: " + long(64), "error config-value spec.sources[0].alias", ""},
		"alias missing":          {"- alias: repo\n      kind", "- kind", "error config-required spec.sources[0].alias", ""},
		"alias empty":            {"alias: repo", `alias: ""`, "error config-value spec.sources[0].alias", ""},
		"alias twice":            {"      name: monorepo\n", "      name: monorepo\n    - {alias: repo, kind: Bucket, name: b}\n", "error config-duplicate spec.sources[1].alias", "another alias"},
		"source kind":            {"kind: OCIRepository", "kind: OciRepositry", "error config-value spec.sources[0].kind", "did you mean `OCIRepository`?"},
		"source kind HelmChart":  {"kind: OCIRepository", "kind: HelmChart", "", ""},
		"source kind Artifact":   {"kind: OCIRepository", "kind: ExternalArtifact", "", ""},
		"source name with a dot": {"name: monorepo\n  artifacts", "name: mono.repo\n  artifacts", "error config-value spec.sources[0].name", ""},
		"source name of 100":     {"name: monorepo\n  artifacts", "name: " + long(100) + "\n  artifacts", "", ""},
		"source name of 254":     {"name: monorepo\n  artifacts", "name: " + long(254) + "\n  artifacts", "error config-value spec.sources[0].name", ""},
		"source namespace":       {"name: monorepo\n  artifacts", "name: monorepo\n      namespace: A\n  artifacts", "error config-value spec.sources[0].namespace", ""},
		"source namespace too long": {
			"name: monorepo\n  artifacts", "name: monorepo\n      namespace: " + long(64) + "\n  artifacts",
			"error config-value spec.sources[0].namespace", "",
		},
		"source with a url":  {"name: monorepo\n  artifacts", "name: monorepo\n      url: x\n  artifacts", "error config-unknown-field spec.sources[0].url", "known fields are `alias`"},
		"sources is a map":   {"    - alias: repo\n", "      alias: repo\n", "error config-type spec.sources", ""},
		"sources is empty":   {"sources:\n    - alias: repo\n      kind: OCIRepository\n      name: monorepo\n", "sources: []\n", "error config-limit spec.sources", ""},
		"sources is missing": {"  sources:\n    - alias: repo\n      kind: OCIRepository\n      name: monorepo\n", "", "error config-required spec.sources", ""},

		// Artifacts.
		"artifact name with an upper-case letter": {`name: "{module}"`, `name: "X{module}"`, "error config-value spec.artifacts[0].name", ""},
		"artifact name with a suffix":             {`name: "{module}"`, `name: "{module}.v1"`, "", ""},
		"artifact name too long":                  {`name: "{module}"`, `name: "` + long(254) + `"`, "error config-value spec.artifacts[0].name", ""},
		"artifact name missing":                   {`name: "{module}"` + "\n      namespace", "namespace", "error config-required spec.artifacts[0].name", ""},
		"artifact name empty":                     {`name: "{module}"`, `name: ""`, "error config-value spec.artifacts[0].name", ""},
		"artifact name with an unknown capture":   {`name: "{module}"`, `name: "{modul}"`, "error capture-unknown spec.artifacts[0].name", "did you mean `{module}`?"},
		"artifact name with a stray brace":        {`name: "{module}"`, `name: "{module"`, "error capture-syntax spec.artifacts[0].name", ""},
		"artifact namespace with a dot":           {`namespace: "{namespace}"`, `namespace: "{namespace}.x"`, "error config-value spec.artifacts[0].namespace", ""},
		"artifact namespace with a prefix":        {`namespace: "{namespace}"`, `namespace: "team-{namespace}"`, "", ""},
		"artifact namespace with unknown capture": {`namespace: "{namespace}"`, `namespace: "{ns}"`, "error capture-unknown spec.artifacts[0].namespace", ""},
		"artifacts is empty":                      {"  artifacts:\n", "  artifacts: []\n  x:\n", "error config-limit spec.artifacts; error config-unknown-field spec.x", ""},
		"revision of a known alias":               {`originRevision: "@repo"`, `originRevision: "@rpo"`, "error alias-unknown spec.artifacts[0].originRevision", "did you mean `repo`?"},
		"originRevision without @":                {`originRevision: "@repo"`, `originRevision: repo`, "error config-value spec.artifacts[0].originRevision", ""},
		"originRevision with a path":              {`originRevision: "@repo"`, `originRevision: "@repo/x"`, "error config-value spec.artifacts[0].originRevision", ""},
		"originRevision too long":                 {`originRevision: "@repo"`, `originRevision: "@` + long(64) + `"`, "error config-value spec.artifacts[0].originRevision", ""},
		"revision unknown alias":                  {`originRevision: "@repo"`, `revision: "@x"`, "error alias-unknown spec.artifacts[0].revision", "known aliases are `repo`"},
		"revision not known":                      {`originRevision: "@repo"`, `revision: "@repo"`, "error revision-unknown spec.artifacts[0].revision", "set `revision`"},
		"inputsFrom of an unknown alias":          {`inputsFrom: "@repo`, `inputsFrom: "@x`, "error alias-unknown spec.artifacts[0].inputsFrom", ""},
		"inputsFrom of the artifact":              {`inputsFrom: "@repo/tenants/{namespace}/modules/{module}/`, `inputsFrom: "@artifact/`, "", ""},
		"inputsFrom of a wildcard":                {"modules/{module}/applier-inputs.yaml", "modules/*", "error inputs-from spec.artifacts[0].inputsFrom", ""},
		"inputsFrom with an unknown capture":      {"{module}/applier-inputs.yaml", "{mod}/applier-inputs.yaml", "error capture-unknown spec.artifacts[0].inputsFrom", ""},
		"inputsFrom is a number":                  {`inputsFrom: "@repo/tenants/{namespace}/modules/{module}/applier-inputs.yaml"`, "inputsFrom: 1", "error config-type spec.artifacts[0].inputsFrom", "quotes"},
		"unknown field of an artifact":            {"inputsFrom:", "inputFrom:", "error config-unknown-field spec.artifacts[0].inputFrom", "did you mean `inputsFrom`?"},

		// Copy operations.
		"copy empty":                     {"copy:\n        - from: \"@repo/tenants/{namespace}/modules/{module}/manifests/**\"\n          to: \"@artifact/\"\n", "copy: []\n", "error config-limit spec.artifacts[0].copy", ""},
		"copy missing":                   {"      copy:\n        - from: \"@repo/tenants/{namespace}/modules/{module}/manifests/**\"\n          to: \"@artifact/\"\n", "", "error config-required spec.artifacts[0].copy", ""},
		"from missing":                   {"- from: \"@repo/tenants/{namespace}/modules/{module}/manifests/**\"\n          to", "- to", "error config-required spec.artifacts[0].copy[0].from", ""},
		"to missing":                     {"manifests/**\"\n          to: \"@artifact/\"\n", "manifests/**\"\n", "error config-required spec.artifacts[0].copy[0].to", ""},
		"from of an unknown alias":       {`from: "@repo/`, `from: "@ropo/`, "error alias-unknown spec.artifacts[0].copy[0].from", "did you mean `repo`?"},
		"from with an unknown capture":   {"{module}/manifests/**", "{m}/manifests/**", "error capture-unknown spec.artifacts[0].copy[0].from", ""},
		"from without an alias":          {`from: "@repo/`, `from: "repo/`, "error copy-from spec.artifacts[0].copy[0].from", ""},
		"to with an unknown capture":     {`to: "@artifact/"`, `to: "@artifact/{x}"`, "error capture-unknown spec.artifacts[0].copy[0].to", ""},
		"strategy":                       {`to: "@artifact/"`, "to: \"@artifact/\"\n          strategy: Merg", "error copy-strategy spec.artifacts[0].copy[0].strategy", ""},
		"101 excludes":                   {`to: "@artifact/"`, "to: \"@artifact/\"\n          exclude: [" + strings.Repeat("x,", 101) + "]", "error copy-exclude spec.artifacts[0].copy[0].exclude", ""},
		"100 excludes":                   {`to: "@artifact/"`, "to: \"@artifact/\"\n          exclude: [" + strings.Repeat("x,", 100) + "]", "", ""},
		"optional":                       {`to: "@artifact/"`, "to: \"@artifact/\"\n          optional: true", "", ""},
		"optional is a string":           {`to: "@artifact/"`, "to: \"@artifact/\"\n          optional: \"true\"", "error config-type spec.artifacts[0].copy[0].optional", "without quotes: true"},
		"excludes instead of exclude":    {`to: "@artifact/"`, "to: \"@artifact/\"\n          excludes: [a]", "error config-unknown-field spec.artifacts[0].copy[0].excludes", "did you mean `exclude`?"},
		"path pattern of unknown alias":  {`pathPattern: "@repo/`, `pathPattern: "@rep/`, "error alias-unknown spec.pathPattern", "did you mean `repo`?"},
		"path pattern misspelt":          {"pathPattern:", "pathPatern:", "error config-unknown-field spec.pathPatern", "did you mean `pathPattern`?"},
		"artifacts misspelt":             {"  artifacts:\n", "  artefacts:\n", "error config-unknown-field spec.artefacts", "did you mean `artifacts`?"},
		"prune misspelt":                 {"prune: true", "prun: true", "error config-unknown-field spec.managedNamespaces.prun", "did you mean `prune`?"},
		"path pattern without an alias":  {`pathPattern: "@repo/`, `pathPattern: "repo/`, "error pattern-syntax spec.pathPattern", ""},
		"path pattern with a bad name":   {"@repo/tenants/{namespace}/modules/{module}\"\n  common", "@repo/tenants/{name-space}/modules/{module}\"\n  common", "error capture-syntax spec.pathPattern", ""},
		"unknown field of spec":          {"  managedNamespaces:", "  namespaces:", "error config-unknown-field spec.namespaces", "did you mean `managedNamespaces`?"},
		"service account name":           {"serviceAccountName: flux-operator", "serviceAccountName: Flux", "error config-value spec.serviceAccountName", ""},
		"no service account":             {"  serviceAccountName: flux-operator\n", "", "error service-account-missing spec.managedNamespaces", "spec.defaultServiceAccount"},
		"service account misspelt":       {"serviceAccountName:", "serviceAccount:", "error service-account-missing spec.managedNamespaces; error config-unknown-field spec.serviceAccount", ""},
		"metadata name":                  {"name: monorepo-tenants", "name: Monorepo", "error config-value metadata.name", ""},
		"metadata namespace":             {"namespace: flux-system", "namespace: flux.system", "error config-value metadata.namespace", ""},
		"unknown field of metadata":      {"namespace: flux-system", "namespce: flux-system", "error config-unknown-field metadata.namespce", "did you mean `namespace`?"},
		"what a server adds to metadata": {"namespace: flux-system", "namespace: flux-system\n  uid: a\n  creationTimestamp: null\n  generation: 3\n  finalizers: [x]", "", ""},
		"unknown field of the object":    {"\nstatus:\n", "\nstat:\n", "error config-unknown-field stat", ""},
		"status null":                    {"\nstatus:\n  inventory:\n", "\nstatus:\n  conditions:\n", "", ""},

		// managedNamespaces.
		"prune missing":               {"    prune: true\n", "", "error config-required spec.managedNamespaces.prune", ""},
		"prune is a string":           {"prune: true", `prune: "yes"`, "error config-type spec.managedNamespaces.prune", ""},
		"prune null":                  {"prune: true", "prune:", "error config-required spec.managedNamespaces.prune", ""},
		"allowedNames is a boolean":   {`[ns.startsWith("tenant-")]`, "[true]", "error config-type spec.managedNamespaces.allowedNames[0]", "quotes"},
		"allowedNames is empty":       {`[ns.startsWith("tenant-")]`, "[]", "error config-limit spec.managedNamespaces.allowedNames", ""},
		"allowedNames is a string":    {`[ns.startsWith("tenant-")]`, `ns == "a"`, "error config-type spec.managedNamespaces.allowedNames", ""},
		"allowedNames is missing":     {`    allowedNames: [ns.startsWith("tenant-")]`, "   ", "error config-required spec.managedNamespaces.allowedNames", ""},
		"fromSource of unknown alias": {`path: "@repo/`, `path: "@repos/`, "error alias-unknown spec.managedNamespaces.metadata.fromSource.path", "did you mean `repo`?"},
		"fromSource without a path":   {"        path: \"@repo/tenants/{namespace}/namespace-metadata.yaml\"\n", "", "error config-required spec.managedNamespaces.metadata.fromSource.path", ""},
		"operation without strategy":  {"- strategy: Override\n          namespace", "- namespace", "error config-required spec.managedNamespaces.metadata.from[0].strategy", ""},
		"operation without namespace": {"          namespace: my-namespace\n", "", "error config-required spec.managedNamespaces.metadata.from[0].namespace", ""},
		"operation with a number":     {"baz: qux", "baz: 1", "error config-type spec.managedNamespaces.metadata.from[0].labels.baz", "quotes"},
		"label that YAML 1.1 changes": {"baz: qux", "baz: yes", "error config-type spec.managedNamespaces.metadata.from[0].labels.baz", "quotes"},
		"no artifact has a namespace": {"      namespace: \"{namespace}\"\n", "", "error managed-namespaces-unused spec.managedNamespaces", "set `namespace`"},
		"placeholder left":            {"        allowedLabels:\n          my.org.io/team: \"value.matches('^[a-z]+$')\"\n", "        allowedLabels:\n          ...\n", "error config-type spec.managedNamespaces.metadata.fromSource.allowedLabels", ""},
		"allowedLabels null":          {"        allowedLabels:\n          my.org.io/team: \"value.matches('^[a-z]+$')\"\n", "        allowedLabels:\n", "", ""},

		// Annotations.
		"disabled":              {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {source.extensions.fluxcd.io/reconcile: Disabled}\nspec", `error generator-disabled metadata.annotations["source.extensions.fluxcd.io/reconcile"]`, "remove the annotation"},
		"enabled":               {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {source.extensions.fluxcd.io/reconcile: enabled}\nspec", "", ""},
		"interval":              {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {source.extensions.fluxcd.io/reconcileEvery: 10m}\nspec", "", ""},
		"interval wrong":        {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {source.extensions.fluxcd.io/reconcileEvery: often}\nspec", `warning generator-interval metadata.annotations["source.extensions.fluxcd.io/reconcileEvery"]`, ""},
		"annotation is boolean": {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {a: true}\nspec", "error config-type metadata.annotations.a", "quotes"},
		"option misspelt":       {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {provision-tenants.fn.kpt.dev/allow-emty: \"true\"}\nspec", `error config-annotation metadata.annotations["provision-tenants.fn.kpt.dev/allow-emty"]`, "did you mean `allow-empty`?"},
		"tier":                  {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {provision-tenants.fn.kpt.dev/tier: \"0\"}\nspec", `error config-value metadata.annotations["provision-tenants.fn.kpt.dev/tier"]`, ""},
		"allow-empty":           {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {provision-tenants.fn.kpt.dev/allow-empty: \"yes\"}\nspec", `error config-value metadata.annotations["provision-tenants.fn.kpt.dev/allow-empty"]`, ""},
		"baseline elsewhere":    {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {provision-tenants.fn.kpt.dev/baseline: ../x}\nspec", `error config-path metadata.annotations["provision-tenants.fn.kpt.dev/baseline"]`, ""},
		"max-namespaces":        {"  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations: {provision-tenants.fn.kpt.dev/max-namespaces: 101%}\nspec", `error config-value metadata.annotations["provision-tenants.fn.kpt.dev/max-namespaces"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := edit(t, example, tc.old, tc.replacement)
			if name == "alias with underscore" {
				text = strings.ReplaceAll(text, "@repo", "@re_po")
				tc.want = ""
			}
			_, findings := parse(t, listOf(text))
			found := problems(findings)
			if tc.want == "" {
				assert.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			var summaries []string
			for _, f := range found {
				summaries = append(summaries, summary(f))
			}
			require.Equal(t, tc.want, strings.Join(summaries, "; "))
			assert.Contains(t, found[0].Hint, tc.hint)
		})
	}
}

func TestListLimits(t *testing.T) {
	entries := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const source = "    - alias: repo\n      kind: OCIRepository\n      name: monorepo\n"
	for field, tc := range map[string]struct{ old, entry string }{
		"spec.sources":   {source, "    - {alias: a%d, kind: Bucket, name: b}\n"},
		"spec.artifacts": {"  artifacts:\n", "    - {name: x%d, copy: [{from: \"@repo/x\", to: \"@artifact/\"}]}\n"},
	} {
		for n, wrong := range map[int]bool{999: false, 1000: true} {
			_, findings := parse(t, listOf(edit(t, example, tc.old, tc.old+entries(tc.entry, n))))
			limits := 0
			for _, f := range findings {
				if f.Code == "config-limit" {
					assert.Equal(t, field, f.Pos.Field)
					assert.Equal(t, "must have at most 1000 entries, found 1001", f.Message)
					limits++
				}
			}
			assert.Equal(t, wrong, limits == 1, "%s %d", field, n)
		}
	}
}

func TestASourceCalledArtifact(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(example, "@repo", "@artifact"), "alias: repo", "alias: artifact")
	_, findings := parse(t, listOf(text))
	assert.Equal(t, []string{"error alias-reserved spec.artifacts[0].inputsFrom"}, codes(findings))
}

func TestWithoutPathPatternNamesAreStatic(t *testing.T) {
	const static = `apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: {name: apps}
spec:
  sources: [{alias: repo, kind: GitRepository, name: apps}]
  artifacts:
  - name: web
    copy: [{from: "@repo/web/**", to: "@artifact/"}]
  - name: shop
    copy: [{from: "@repo/shop/**", to: "@artifact/"}]
`
	for name, tc := range map[string]struct{ old, replacement, want string }{
		"as it is":                        {"web\n", "web\n", ""},
		"a capture":                       {"name: web", `name: "{web}"`, "error capture-unknown spec.artifacts[0].name"},
		"a capture in a path":             {"@repo/web/**", "@repo/{web}/**", "error capture-unknown spec.artifacts[0].copy[0].from"},
		"no DNS subdomain":                {"name: web", "name: my_web", "error config-value spec.artifacts[0].name"},
		"one name twice":                  {"name: shop", "name: web", "error artifact-duplicate spec.artifacts[1].name"},
		"one name, two namespaces":        {"name: shop", "name: web\n    namespace: other", "error service-account-missing spec.artifacts[1].namespace"},
		"one name, its own namespace":     {"name: shop", "name: web\n    namespace: default", "error artifact-duplicate spec.artifacts[1].name; error service-account-missing spec.artifacts[1].namespace"},
		"an empty pattern is none at all": {"spec:\n", "spec:\n  pathPattern: \"\"\n", ""},
		"two namespaces and an account":   {"spec:\n", "spec:\n  serviceAccountName: x\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			plan, findings := parse(t, listOf(edit(t, static, tc.old, tc.replacement)))
			var summaries []string
			for _, f := range problems(findings) {
				summaries = append(summaries, summary(f))
			}
			assert.Equal(t, tc.want, strings.Join(summaries, "; "))
			if plan != nil {
				require.Len(t, plan.Generators, 1)
				g := plan.Generators[0]
				assert.Nil(t, g.Pattern)
				assert.Nil(t, g.Managed)
				assert.Equal(t, "default", g.Namespace)
				assert.Equal(t, "ArtifactGenerator/default/apps", g.Owner)
				assert.Len(t, g.Artifacts, 2)
				assert.Len(t, g.Artifacts[1].Copy, 1)
			}
		})
	}
}

func TestGeneratorInThePlan(t *testing.T) {
	text := edit(t, example, "  namespace: flux-system\nspec", "  namespace: flux-system\n  annotations:\n"+
		"    provision-tenants.fn.kpt.dev/tier: \"50\"\n"+
		"    provision-tenants.fn.kpt.dev/allow-empty: \"true\"\n"+
		"    provision-tenants.fn.kpt.dev/directory: ../..\n"+
		"    provision-tenants.fn.kpt.dev/baseline: rendered/\n"+
		"    provision-tenants.fn.kpt.dev/max-namespaces: \"3\"\nspec")
	plan, findings := parse(t, listOf(text))
	require.Empty(t, problems(findings))
	require.Len(t, plan.Generators, 1)
	g := plan.Generators[0]
	assert.Equal(t, "monorepo-tenants", g.Name)
	assert.Equal(t, "flux-system", g.Namespace)
	assert.Equal(t, "ArtifactGenerator/flux-system/monorepo-tenants", g.Owner)
	assert.Equal(t, 50, g.Tier)
	assert.True(t, g.AllowEmpty)
	assert.True(t, g.Prune)
	assert.Equal(t, "flux-operator", g.ServiceAccount)
	assert.Equal(t, "monorepo", g.Labels["my.org.io/provisioner"].Text)
	assert.Equal(t, "spec.commonMetadata.labels[\"my.org.io/provisioner\"]", g.Labels["my.org.io/provisioner"].Pos.Field)
	require.NotNil(t, g.Pattern)
	assert.Equal(t, "repo", g.Pattern.Alias())
	assert.Equal(t, []string{"namespace", "module"}, g.Pattern.Captures())
	require.NotNil(t, g.Managed)
	assert.Len(t, g.Managed.Allowed, 1)
	assert.Equal(t, "flux-system", g.Managed.Own)
	require.Len(t, g.Artifacts, 1)
	a := g.Artifacts[0]
	assert.Equal(t, "{module}", a.Names.Name.Str().Text)
	assert.Equal(t, "{namespace}", a.Names.Namespace.Str().Text)
	require.NotNil(t, a.Inputs)
	assert.Equal(t, "repo", a.Inputs.Alias().Text)
	require.Len(t, a.Copy, 1)
	assert.Equal(t, "spec.artifacts[0]", a.Pos.Field)
	assert.Empty(t, a.Revision)
	assert.Empty(t, a.OriginRevision)

	require.Len(t, plan.Sources, 1)
	assert.Equal(t, "../..", plan.Sources[0].Directory)
	assert.Equal(t, "../..", plan.Sources[0].Place)
	assert.Equal(t, "rendered", plan.Deletion.Baseline.Text)
	assert.Equal(t, 3, plan.Deletion.Max.Of(100))
	assert.True(t, plan.Deletion.AllowEmpty)
}

func TestAllMistakesOfOneRun(t *testing.T) {
	text := edit(t, example, "alias: repo", "alias: repo\n      x: 1")
	text = edit(t, text, "prune: true", "prune: 1")
	text = edit(t, text, "strategy: Override", "strategy: Ovrride")
	text = edit(t, text, `[ns.startsWith("tenant-")]`, "[ns.startsWith(]")
	text = edit(t, text, "{module}/manifests/**", "{mod}/manifests/**")
	_, findings := parse(t, listOf(text))
	fields := map[string]bool{}
	for _, f := range problems(findings) {
		fields[f.Pos.Field] = true
	}
	for _, field := range []string{
		"spec.sources[0].x", "spec.managedNamespaces.prune", "spec.managedNamespaces.metadata.from[0].strategy",
		"spec.managedNamespaces.allowedNames[0]", "spec.artifacts[0].copy[0].from",
	} {
		assert.True(t, fields[field], "%s in %v", field, fields)
	}
}
