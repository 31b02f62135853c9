package config_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const ignored = "warning tenant-configuration-ignored "

// What hosts do with paths must not make a tenant's file look like one outside of
// the tenants' directories.
func TestRootOfTheList(t *testing.T) {
	evil := func(path string) string { return withPath(t, named(t, "evil", "@repo/other/{x}"), path) }
	a := named(t, "a", "@repo/tenants/{x}")
	fleet := edit(t, full, "directory: ../..", "directory: fleet")
	const ambiguous = "error tenant-configuration-ambiguous "
	for name, tc := range map[string]struct {
		config string
		items  []string
		codes  string
		want   string // names of the generators
	}{
		"the tenants' directory":                {a, []string{evil("acme/evil.yaml"), tenantItem(t, "acme/cm.yaml")}, ambiguous, ""},
		"a tenant's directory":                  {a, []string{evil("evil.yaml")}, ambiguous, ""},
		"a tenant's directory of that name":     {a, []string{evil("acme/evil.yaml"), tenantItem(t, "acme/tenants/cm.yaml")}, ambiguous, ""},
		"a tenant's copy of the configuration":  {a, []string{evil("acme/evil.yaml"), withPath(t, a, "acme/fn.yaml")}, ambiguous, ""},
		"a tenant's Kptfile":                    {a, []string{evil("acme/evil.yaml"), withPath(t, kptfile, "acme/Kptfile")}, ambiguous, ""},
		"something called Kptfile":              {a, []string{evil("acme/evil.yaml"), tenantItem(t, "Kptfile")}, ambiguous, ""},
		"above the base directory":              {a, []string{evil("fleet/tenants/acme/evil.yaml"), root(t)}, ignored, "a"},
		"a source below the base directory":     {fleet, []string{evil("acme/evil.yaml")}, ambiguous, ""},
		"that source":                           {fleet, []string{evil("tenants/acme/evil.yaml")}, ignored, "apps"},
		"above the base directory, full form":   {fleet, []string{evil("x/fleet/tenants/acme/evil.yaml"), root(t)}, ignored, "apps"},
		"on the way to the tenants":             {named(t, "a", "@repo/clusters/tenants/{x}"), []string{evil("tenants/acme/evil.yaml"), root(t)}, ignored, "a"},
		"a copy of the configuration":           {a, []string{withPath(t, a, "platform/a.yaml")}, "", "a"},
		"a Kptfile":                             {a, []string{root(t), evil("platform/b.yaml")}, "", "a evil"},
		"the configuration's file in the root":  {a, []string{withPath(t, a, "fn.yaml"), evil("platform/b.yaml")}, "", "a evil"},
		"the configuration's file, named":       {withPath(t, a, "sub/fn.yaml"), []string{withPath(t, a, "sub/fn.yaml"), evil("platform/b.yaml")}, "", "a evil"},
		"the way to the tenants":                {a, []string{tenantItem(t, "tenants/acme/cm.yaml"), evil("platform/b.yaml")}, "", "a evil"},
		"the way to the tenants, in the source": {fleet, []string{tenantItem(t, "tenants/acme/cm.yaml"), evil("platform/b.yaml")}, "", "apps evil"},
		"no tenants' directory":                 {named(t, "a", ""), []string{evil("platform/b.yaml")}, "", "a evil"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, findings := parse(t, listOf(tc.config, tc.items...))
			assert.Equal(t, tc.codes, strings.Join(codes(findings), "; "))
			require.Equal(t, tc.want == "", plan == nil)
			if plan == nil {
				return
			}
			var names []string
			for _, g := range plan.Generators {
				names = append(names, g.Name)
			}
			slices.Sort(names)
			assert.Equal(t, tc.want, strings.Join(names, " "))
			assert.NotEqual(t, "acme", plan.Dir)
		})
	}
}

func TestLostListNamesTheCure(t *testing.T) {
	_, findings := parse(t, listOf(named(t, "a", "@repo/tenants/{x}"), withPath(t, named(t, "evil", "@repo/x/{x}"), "acme/evil.yaml")))
	require.Len(t, findings, 1)
	assert.Equal(t, "acme/evil.yaml", findings[0].Pos.File)
	assert.Equal(t, "ArtifactGenerator default/evil may be a tenant's: nothing shows that the items' paths start outside of the tenants' directories", findings[0].Message)
	assert.Contains(t, findings[0].Hint, "root of the package")
}

// Under kpt render the package path says what is where, whatever the names.
func TestPackagePathsAreExact(t *testing.T) {
	a := withPackage(t, named(t, "a", "@repo/tenants/{x}"), "/pkg", "fn.yaml")
	plan, findings := parse(t, listOf(a, withPackage(t, named(t, "b", "@repo/other/{x}"), "/pkg", "platform/tenants/b.yaml")))
	require.Empty(t, findings)
	assert.Len(t, plan.Generators, 2)
}

// What kustomize has gathered may come from a tenant's `resources:`.
func TestResourcesOfKustomize(t *testing.T) {
	resource := func(text string) string { return annotated(t, text, "kustomize.config.k8s.io/id", "x") }
	a, b := named(t, "a", "@repo/tenants/{x}"), named(t, "b", "@repo/other/{x}")
	changed := edit(t, a, "name: x", "name: y")
	configMap := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\n"
	for name, tc := range map[string]struct {
		config string
		item   string
		codes  string
		want   int
	}{
		"another generator":               {a, resource(b), ignored, 1},
		"one of an earlier run":           {a, resource(withPath(t, b, "artifactgenerator_b.yaml")), ignored, 1},
		"of the same name":                {a, resource(changed), ignored, 1},
		"the same":                        {full, resource(a), ignored, 1},
		"the full form of an earlier run": {full, resource(edit(t, full, "rendered/", "x")), "", 1},
		"the functionConfig brings none":  {configMap, resource(b), "", 1},
		"no functionConfig":               {"", resource(b), "", 1},
		"from a pipe":                     {a, b, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			plan, findings := parse(t, listOf(tc.config, tc.item))
			assert.Equal(t, tc.codes, strings.Join(codes(findings), "; "))
			assert.Len(t, plan.Generators, tc.want)
		})
	}

	source := "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: monorepo\nstatus: {artifact: {revision: main@sha1:aa}}\n"
	wants := edit(t, a, "{name: x, copy", `{name: x, revision: "@repo", copy`)
	_, findings := parse(t, listOf(wants, resource(source)))
	assert.Equal(t, []string{"error revision-unknown spec.artifacts[0].revision"}, codes(findings))
	_, findings = parse(t, listOf("", wants, resource(source)))
	assert.Empty(t, codes(findings))
}

func TestRealListOfATransformer(t *testing.T) {
	text, err := os.ReadFile("../../testdata/lists/kustomize-transformer.yaml")
	require.NoError(t, err)
	_, findings := parse(t, string(text))
	assert.Contains(t, codes(findings), ignored)
	for _, f := range findings {
		assert.False(t, f.Severity == krm.Error && f.Pos.Object.Name != "tr", "%v", f)
	}
}

// A tenant's copy of the configuration stays the tenant's data.
func TestCopyOfAWholeSource(t *testing.T) {
	whole := named(t, "a", "@repo/{x}")
	in, err := krm.Read([]byte(listOf(whole, withPath(t, whole, "acme/fn.yaml"), root(t))))
	require.NoError(t, err)
	plan := planOf(t, in)
	assert.Empty(t, plan.Consumed)
	assert.True(t, plan.TenantData(in.Items[0]))
	assert.Empty(t, plan.Dir)
}
