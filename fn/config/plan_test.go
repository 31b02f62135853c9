package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// withConfigs is a ProvisionTenants that reads files.
func withConfigs(more string, patterns ...string) string {
	return "apiVersion: fn.kpt.dev/v1alpha1\nkind: ProvisionTenants\nmetadata:\n  name: run\nspec:\n" +
		fmt.Sprintf("  configs: [%s]\n", `"`+strings.Join(patterns, `", "`)+`"`) + more
}

func TestConfigFiles(t *testing.T) {
	plan, findings := parse(t, listOf(withConfigs("", "testdata/configs/*.yaml", "testdata/**/apps.yaml")))
	require.Empty(t, problems(findings))
	require.Len(t, plan.Generators, 1)
	g := plan.Generators[0]
	assert.Equal(t, "ArtifactGenerator/flux-system/apps", g.Owner)
	assert.Equal(t, "testdata/configs/apps.yaml", g.Pos.File)
	assert.Equal(t, krm.Pos{
		File: "testdata/configs/apps.yaml", Line: 13, Column: 7, Field: "spec.artifacts[0]", APIVersion: "source.extensions.fluxcd.io/v1beta1",
		Object: krm.Identity{Group: "source.extensions.fluxcd.io", Kind: "ArtifactGenerator", Namespace: "flux-system", Name: "apps"},
	}, g.Artifacts[0].Pos)
	assert.Equal(t, "main@sha1:28deef92", g.Artifacts[0].Revision)
	assert.Equal(t, "main@sha1:28deef92", g.Artifacts[0].OriginRevision, "falls back to the revision")
	assert.Empty(t, plan.Consumed)
	assert.Empty(t, plan.Dir)
}

func TestMistakesInConfigFiles(t *testing.T) {
	_, findings := parse(t, listOf(withConfigs("", "testdata/odd/broken.yaml", "testdata/odd/other.yaml", "testdata/odd/syntax.yaml")))
	var places []string
	for _, f := range problems(findings) {
		places = append(places, f.Code+" "+f.Pos.String())
	}
	assert.Equal(t, []string{
		"config-value testdata/odd/broken.yaml:8:13: spec.sources[0].kind",
		"config-unknown-field testdata/odd/broken.yaml:10:3: spec.artefacts",
		"config-kind testdata/odd/other.yaml:1:1: kind",
		"config-type testdata/odd/other.yaml:6:1",
		"yaml-duplicate-key testdata/odd/syntax.yaml:2:1: kind",
	}, places)
}

func TestConfigFileInTenantDirectory(t *testing.T) {
	text := withConfigs("  generators:\n  - metadata: {name: a}\n    spec:\n      pathPattern: \"@repo/testdata/{x}\"\n"+
		"      sources: [{alias: repo, kind: Bucket, name: a}]\n      artifacts: [{name: \"{x}\", copy: [{from: \"@repo/x\", to: \"@artifact/\"}]}]\n",
		"testdata/configs/*.yaml")
	_, findings := parse(t, listOf(text))
	require.Equal(t, []string{
		"error config-in-tenant-directory spec.configs[0]", "error config-in-tenant-directory spec.configs[0]", "warning source-ambiguous spec.sources[0].alias",
	}, codes(findings))
	assert.Contains(t, findings[0].Message, `"testdata/configs/apps.yaml"`)
	assert.Contains(t, findings[1].Message, `"testdata/configs/sources.yaml"`, "a source decides about revisions")
	assert.Contains(t, findings[0].Hint, "narrow the pattern")

	_, findings = parse(t, listOf(edit(t, text, "@repo/testdata/{x}", "@repo/{x}")))
	assert.NotContains(t, strings.Join(codes(findings), "; "), "config-in-tenant-directory", "where all is a tenant's, nothing else is left")
}

func TestConfigFileThatIsAnItemToo(t *testing.T) {
	const text = `apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata:
  name: apps
  namespace: flux-system
spec:
  artifacts:
    - name: "{app}"
      revision: "@repo"
      originRevision: "@repo"
      copy:
        - from: "@repo/apps/{app}/**"
          to: "@artifact/"
  pathPattern: "@repo/apps/{app}"
  sources:
    - {alias: repo, kind: GitRepository, name: monorepo}
`
	in, err := krm.Read([]byte(listOf(withConfigs("", "testdata/configs/*.yaml"), withPath(t, text, "testdata/configs/apps.yaml"))))
	require.NoError(t, err)
	plan := planOf(t, in)
	require.Len(t, plan.Generators, 1)
	assert.Equal(t, in.Items, plan.Consumed)

	_, findings := parse(t, listOf(withConfigs("", "testdata/configs/*.yaml"), root(t), withPath(t, edit(t, text, "name: monorepo", "name: other"), "testdata/configs/apps.yaml")))
	assert.Contains(t, codes(findings), "error config-conflict ")
}

func TestRevisionFromItems(t *testing.T) {
	source := func(namespace, status string) string {
		return "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata:\n  name: monorepo\n  namespace: " + namespace + "\nstatus:\n  artifact: " + status + "\n"
	}
	text := edit(t, example, `originRevision: "@repo"`, `originRevision: "@repo"`+"\n      revision: \"@repo\"")
	both := `{revision: latest@sha256:aa, metadata: {org.opencontainers.image.revision: v1@sha1:bb}}`
	for name, tc := range map[string]struct {
		item             string
		revision, origin string
		code             string
	}{
		"both":                  {source("flux-system", both), "latest@sha256:aa", "v1@sha1:bb", ""},
		"without a file":        {withPath(t, source("flux-system", both), "platform/repo.yaml"), "latest@sha256:aa", "v1@sha1:bb", ""},
		"no origin":             {source("flux-system", "{revision: latest@sha256:aa}"), "latest@sha256:aa", "latest@sha256:aa", ""},
		"another namespace":     {source("default", both), "", "", "error revision-unknown spec.artifacts[0].revision"},
		"a tenant's":            {withPath(t, source("flux-system", both), "tenants/acme/repo.yaml"), "", "", "error revision-unknown spec.artifacts[0].revision"},
		"one that we made":      {annotated(t, source("flux-system", both), krm.OwnerKey, "x"), "", "", "error revision-unknown spec.artifacts[0].revision"},
		"a status of something": {source("flux-system", "[1]"), "", "", "error revision-unknown spec.artifacts[0].revision"},
		"a revision of nothing": {source("flux-system", "{revision: 1}"), "", "", "error revision-unknown spec.artifacts[0].revision"},
	} {
		plan, findings := parse(t, listOf(text, root(t), tc.item))
		assert.Equal(t, tc.code, strings.Join(codes(findings), "; "), name)
		if plan != nil {
			assert.Equal(t, tc.revision, plan.Generators[0].Artifacts[0].Revision, name)
			assert.Equal(t, tc.origin, plan.Generators[0].Artifacts[0].OriginRevision, name)
		}
	}
	// Without `revision`, an unknown origin is left out.
	plan, findings := parse(t, listOf(example))
	require.Len(t, findings, 1)
	assert.Equal(t, "info origin-revision-unknown spec.artifacts[0].originRevision", summary(findings[0]))
	assert.Empty(t, plan.Generators[0].Artifacts[0].OriginRevision)
}

func TestSeveralAliases(t *testing.T) {
	other := strings.ReplaceAll(named(t, "other", "@infra/apps/{x}"), "repo", "infra")
	sources := func(entries string) string {
		return "apiVersion: fn.kpt.dev/v1alpha1\nkind: ProvisionTenants\nmetadata: {name: run}\nspec: {sources: [" + entries + "]}\n"
	}
	for entries, want := range map[string]string{
		"{alias: repo, directory: a}, {alias: infra, directory: b}": "",
		"{alias: repo, directory: a}":                               "error source-unmapped spec.sources[0].alias",
		"{directory: a}":                                            "error source-unmapped spec.sources[0].directory; error source-unmapped spec.sources[0].directory",
		"":                                                          "error source-unmapped spec.sources[0].alias; error source-unmapped spec.sources[0].alias",
	} {
		plan, findings := parse(t, listOf(sources(entries), named(t, "a", "@repo/tenants/{x}"), other))
		assert.Equal(t, want, strings.Join(codes(findings), "; "), entries)
		if plan != nil {
			assert.Equal(t, []string{"infra b", "repo a"}, []string{
				plan.Sources[0].Alias + " " + plan.Sources[0].Directory, plan.Sources[1].Alias + " " + plan.Sources[1].Directory,
			})
		}
	}
}

func TestOneDocumentForEachIdentity(t *testing.T) {
	a := named(t, "a", "@repo/tenants/{x}")
	changed := edit(t, a, "name: x", "name: y")
	inDefault := edit(t, a, "name: a\n", "namespace: default\n  name: a\n")
	sugared := annotated(t, a, "config.kubernetes.io/local-config", "true", "config.kubernetes.io/function", "exec: {path: x}",
		"internal.config.kubernetes.io/index", "3", "config.k8s.io/id", "4", "kustomize.config.k8s.io/id", "1") + "status: {x: 1}\n"
	for name, tc := range map[string]struct {
		config string
		items  []string
		codes  string
	}{
		"twice the same":                 {"", []string{a, a}, ""},
		"what hosts add":                 {"", []string{a, sugared}, ""},
		"the default namespace":          {"", []string{a, inDefault}, ""},
		"functionConfig and item":        {a, []string{withPath(t, sugared, "a.yaml")}, ""},
		"two contents":                   {"", []string{a, changed}, "error config-conflict "},
		"two contents with files":        {"", []string{withPath(t, a, "a.yaml"), withPath(t, changed, "b.yaml")}, "error config-conflict "},
		"functionConfig and another":     {a, []string{changed}, "error config-conflict "},
		"functionConfig and a tenant's":  {a, []string{withPath(t, changed, "tenants/acme/ag.yaml")}, "warning tenant-configuration-ignored "},
		"a copy in a tenant's directory": {a, []string{withPath(t, a, "tenants/acme/ag.yaml")}, "warning tenant-configuration-ignored "},
		"own annotations count":          {"", []string{a, annotated(t, a, "provision-tenants.fn.kpt.dev/tier", "5")}, "error config-conflict "},
		"the full form and another":      {full, []string{root(t), withPath(t, edit(t, full, "rendered/", "x"), "other.yaml")}, "error config-conflict "},
		"the full form and its file":     {full, []string{withPath(t, full, "fn.yaml")}, ""},
		"the full form and a tenant's":   {full, []string{withPath(t, edit(t, full, "rendered/", "x"), "tenants/acme/fn.yaml")}, ""},
		"inline and an item": {full, []string{`apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: {name: apps, namespace: flux-system}
spec: {}
`}, "error config-conflict "},
	} {
		t.Run(name, func(t *testing.T) {
			plan, findings := parse(t, listOf(tc.config, tc.items...))
			assert.Equal(t, tc.codes, strings.Join(codes(findings), "; "))
			if plan != nil {
				assert.Len(t, plan.Generators, 1)
			}
		})
	}
}

func TestConflictNamesBothPlaces(t *testing.T) {
	_, findings := parse(t, listOf("",
		withPath(t, named(t, "a", "@repo/x/{x}"), "a.yaml"), withPath(t, named(t, "a", "@repo/y/{x}"), "b.yaml")))
	require.Len(t, findings, 1)
	assert.Equal(t, "b.yaml", findings[0].Pos.File)
	assert.Contains(t, findings[0].Message, "a.yaml")
}

func TestEchoAndConsumed(t *testing.T) {
	local := func(text string) string { return annotated(t, text, "config.kubernetes.io/local-config", "true") }
	a := named(t, "a", "@repo/tenants/{x}")
	whole := named(t, "a", "@repo/{x}")
	wholeFull := edit(t, full, "@repo/tenants/{namespace}/{module}\"", "@repo/{namespace}/{module}\"")
	for name, tc := range map[string]struct {
		config   string
		items    []string
		echo     int // index, -1 for none
		consumed []int
		dir      string
	}{
		"kustomize, short form":      {local(a), []string{local(a)}, 0, nil, ""},
		"kustomize, full form":       {full, []string{full}, 0, nil, ""},
		"kustomize as transformer":   {full, []string{a, full}, 1, []int{0}, ""},
		"kpt, short form":            {withPath(t, a, "sub/fn.yaml"), []string{withPath(t, a, "sub/fn.yaml")}, -1, []int{0}, "sub"},
		"kpt, marked":                {withPath(t, local(a), "fn.yaml"), []string{withPath(t, local(a), "fn.yaml")}, -1, nil, ""},
		"kpt, full form":             {withPath(t, full, "x/y/fn.yaml"), []string{withPath(t, full, "x/y/fn.yaml")}, -1, nil, "x/y"},
		"kpt eval, short form":       {a, []string{withPath(t, a, "sub/fn.yaml"), root(t)}, -1, []int{0}, "sub"},
		"kpt eval, full form":        {full, []string{withPath(t, full, "sub/fn.yaml"), root(t)}, -1, nil, "sub"},
		"kpt eval, in the root":      {a, []string{withPath(t, a, "fn.yaml")}, -1, []int{0}, ""},
		"kpt eval, a tenant's copy":  {full, []string{withPath(t, full, "tenants/a/fn.yaml"), withPath(t, full, "z/fn.yaml")}, -1, nil, "z"},
		"kpt eval, copies elsewhere": {full, []string{withPath(t, full, "z/fn.yaml"), withPath(t, full, "a/b/fn.yaml"), root(t)}, -1, nil, ""},
		"kpt eval of the tenants":    {full, []string{withPath(t, full, "acme/fn.yaml")}, -1, nil, ""},
		"a whole source, a copy":     {whole, []string{withPath(t, whole, "acme/fn.yaml"), root(t)}, -1, nil, ""},
		"a whole source, its file":   {withPath(t, whole, "sub/fn.yaml"), []string{withPath(t, whole, "acme/fn.yaml"), withPath(t, whole, "sub/fn.yaml")}, -1, []int{1}, "sub"},
		"a whole source, full form":  {wholeFull, []string{withPath(t, wholeFull, "acme/fn.yaml")}, -1, nil, ""},
		"kustomize, a resource":      {a, []string{annotated(t, a, "kustomize.config.k8s.io/id", "x", "config.kubernetes.io/path", "acme/x.yaml")}, -1, []int{0}, ""},
		"two items":                  {"", []string{withPath(t, named(t, "b", "@repo/x/{x}"), "p/b.yaml"), withPath(t, a, "q/a.yaml")}, -1, []int{0, 1}, "q"},
		"a generator without a file": {"", []string{a}, -1, []int{0}, ""},
		"a tenant's generator":       {a, []string{withPath(t, named(t, "b", "@repo/x/{x}"), "tenants/b.yaml")}, -1, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in, err := krm.Read([]byte(listOf(tc.config, tc.items...)))
			require.NoError(t, err)
			plan := planOf(t, in)
			var echo *krm.Item
			if tc.echo >= 0 {
				echo = in.Items[tc.echo]
			}
			assert.Same(t, echo, plan.Echo)
			var consumed []*krm.Item
			for _, i := range tc.consumed {
				consumed = append(consumed, in.Items[i])
			}
			assert.Equal(t, consumed, plan.Consumed)
			assert.Equal(t, tc.dir, plan.Dir)
		})
	}
}

func TestNameWithoutFunctionConfig(t *testing.T) {
	plan, findings := parse(t, listOf("", named(t, "b", "@repo/x/{x}"), named(t, "a", "@repo/y/{x}")))
	require.Empty(t, findings)
	assert.Equal(t, "a", plan.Name)
	assert.Equal(t, "default", plan.Namespace)
	assert.Equal(t, []string{"a", "b"}, []string{plan.Generators[0].Name, plan.Generators[1].Name})
}

func TestShortFormAmongItems(t *testing.T) {
	own := annotated(t, named(t, "a", "@repo/tenants/{x}"), "provision-tenants.fn.kpt.dev/directory", "../x", "provision-tenants.fn.kpt.dev/allow-empty", "true")
	plan, findings := parse(t, listOf("", own))
	require.Empty(t, findings)
	assert.Equal(t, "../x", plan.Sources[0].Directory, "the only generator is the configuration")
	assert.True(t, plan.Deletion.AllowEmpty)

	plan, findings = parse(t, listOf("", own, named(t, "b", "@repo/x/{x}")))
	assert.Equal(t, []string{`warning config-annotation-ignored metadata.annotations["provision-tenants.fn.kpt.dev/directory"]`}, codes(findings))
	assert.Equal(t, ".", plan.Sources[0].Directory)
	assert.False(t, plan.Deletion.AllowEmpty)
	assert.True(t, plan.Generators[0].AllowEmpty)
	assert.False(t, plan.Generators[1].AllowEmpty)
}

func TestSkip(t *testing.T) {
	for _, tc := range []struct{ pkg, file, directory, skip string }{
		{"", "", ".", "generated"},
		{"", "sub/fn.yaml", ".", "sub/generated"},
		{"", "sub/fn.yaml", "sub", "generated"},
		{"", "sub/fn.yaml", "other", ""},
		{"", "sub/fn.yaml", "../..", ""},
		{"/repo/clusters/prod", "fn.yaml", "../..", "clusters/prod/generated"},
		{"/repo/clusters/prod", "fn.yaml", "/repo", "clusters/prod/generated"},
		{"/repo/clusters/prod", "fn.yaml", "/elsewhere", ""},
		{"/repo/clusters/prod", "fn.yaml", ".", "generated"},
	} {
		text := edit(t, full, "directory: ../..", "directory: "+tc.directory)
		if tc.file != "" {
			text = withPath(t, text, tc.file)
		}
		if tc.pkg != "" {
			text = annotated(t, text, "internal.config.kubernetes.io/package-path", tc.pkg)
		}
		plan, findings := parse(t, listOf(text))
		require.Empty(t, findings)
		assert.Equal(t, tc.skip, plan.Sources[0].Skip, "%+v", tc)
	}
}

func FuzzConfig(f *testing.F) {
	for _, text := range []string{example, full, withConfigs("", "testdata/**"), kptfile, "apiVersion: v1\nkind: ConfigMap\ndata: {directory: .}"} {
		f.Add(text, uint8(0))
		f.Add(text, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, where uint8) {
		list := listOf(text)
		if where%2 == 1 {
			list = listOf(full, text)
		}
		in, err := krm.Read([]byte(list))
		if err != nil {
			return
		}
		rep := &krm.Report{}
		plan, ok := config.Parse(in, rep)
		if ok == rep.Failed() || ok != (plan != nil) {
			t.Fatalf("ok is %v, the report %+v", ok, rep.Findings())
		}
		if !ok {
			return
		}
		for _, item := range in.Items {
			plan.TenantData(item)
		}
		for _, g := range plan.Generators {
			if g.Name == "" || g.Namespace == "" || len(g.Artifacts) == 0 {
				t.Fatalf("a generator that is not valid: %+v", g)
			}
		}
	})
}

// A conflict is reported where it can be mended: at the file, not at the
// functionConfig that a host passed without one.
func TestConflictWithTheFunctionConfigIsTheItems(t *testing.T) {
	changed := edit(t, example, "prune: true", "prune: false")
	for name, tc := range map[string]struct{ config, item, message string }{
		"generator": {example, changed, "ArtifactGenerator flux-system/monorepo-tenants is there twice with different contents, first as the functionConfig"},
		"full form": {full, edit(t, full, "rendered/", "x"), "ProvisionTenants monorepo is there twice with different contents, first as the functionConfig"},
	} {
		t.Run(name, func(t *testing.T) {
			_, findings := parse(t, listOf(tc.config, root(t), withPath(t, tc.item, "aaa.yaml")))
			conflicts := slices.DeleteFunc(findings, func(f krm.Finding) bool { return f.Code != "config-conflict" })
			require.Len(t, conflicts, 1)
			assert.Equal(t, "aaa.yaml", conflicts[0].Pos.File)
			assert.Equal(t, tc.message, conflicts[0].Message)
		})
	}
}

// Hints name the options in the words of the configuration in use.
func TestOptionNames(t *testing.T) {
	const elsewhere = "`spec.deletion.maxNamespaces` of a ProvisionTenants"
	sugar := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\ndata: {directory: .}\n"
	second := edit(t, example, "name: monorepo", "name: second")
	for name, tc := range map[string]struct {
		config string
		items  []string
		want   config.OptionNames
	}{
		"full form":     {full, nil, config.OptionNames{Baseline: "`spec.deletion.baseline`", Max: "`spec.deletion.maxNamespaces`", AllowEmpty: "`spec.deletion.allowEmpty`"}},
		"short form":    {example, []string{second}, shortNames},
		"one item":      {"", []string{example}, shortNames},
		"kpt's sugar":   {sugar, []string{example}, config.OptionNames{Baseline: "`spec.deletion.baseline` of a ProvisionTenants", Max: elsewhere, AllowEmpty: "`data.allowEmpty`"}},
		"several items": {"", []string{example, second}, config.OptionNames{Baseline: "`spec.deletion.baseline` of a ProvisionTenants", Max: elsewhere, AllowEmpty: "`spec.deletion.allowEmpty` of a ProvisionTenants"}},
	} {
		t.Run(name, func(t *testing.T) {
			plan, findings := parse(t, listOf(tc.config, tc.items...))
			require.Empty(t, problems(findings))
			assert.Equal(t, tc.want, plan.Deletion.Names)
		})
	}
}

var shortNames = config.OptionNames{
	Baseline:   "the annotation `provision-tenants.fn.kpt.dev/baseline`",
	Max:        "the annotation `provision-tenants.fn.kpt.dev/max-namespaces`",
	AllowEmpty: "the annotation `provision-tenants.fn.kpt.dev/allow-empty`",
}

// Whatever somebody writes, what is said about it stays short.
func TestFindingsAreShort(t *testing.T) {
	long := strings.Repeat("Äb", 1<<17)
	for _, old := range []string{
		"monorepo", "alias: repo", "kind: OCIRepository", "name: monorepo\n  artifacts", `"{module}"`, `"{namespace}"`, `originRevision: "@repo"`, "@repo/tenants", "@artifact/",
		"prune: true", "source.extensions.fluxcd.io/v1beta1", "ArtifactGenerator", "spec:", "provision-tenants.fn.kpt.dev/tier",
	} {
		if !strings.Contains(example, old) {
			continue
		}
		for _, text := range []string{strings.Replace(example, old, strings.TrimRight(old, `":`)+long, 1), strings.Replace(example, old, "? "+long+"\n", 1)} {
			list, err := krm.Read([]byte(listOf(text)))
			if err != nil {
				assert.Less(t, len(err.Error()), 1000)
				continue
			}
			rep := &krm.Report{}
			config.Parse(list, rep)
			for _, f := range rep.Findings() {
				assert.Less(t, len(f.Message)+len(f.Hint), 3000, "%s after %s", f.Code, old)
			}
		}
	}
}
