package config_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// annotated adds annotations to an object in block style that has a metadata
// block with a name.
func annotated(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "    %s: %q\n", pairs[i], pairs[i+1])
	}
	if strings.Contains(text, "\n  annotations:\n") {
		return strings.Replace(text, "\n  annotations:\n", "\n  annotations:\n"+b.String(), 1)
	}
	return edit(t, text, "metadata:\n", "metadata:\n  annotations:\n"+b.String())
}

func withPath(t *testing.T, text, path string) string {
	t.Helper()
	return annotated(t, text, "internal.config.kubernetes.io/path", path, "config.kubernetes.io/path", path)
}

func withPackage(t *testing.T, text, pkg, path string) string {
	t.Helper()
	return annotated(t, withPath(t, text, path), "internal.config.kubernetes.io/package-path", pkg)
}

// named is a generator with another name and pattern.
func named(t *testing.T, name, pattern string) string {
	t.Helper()
	return fmt.Sprintf(`apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata:
  name: %s
spec:
  pathPattern: %q
  sources: [{alias: repo, kind: GitRepository, name: monorepo}]
  artifacts: [{name: x, copy: [{from: "@repo/x", to: "@artifact/"}]}]
`, name, pattern)
}

// root is the Kptfile in the root of the list, which shows that the root is not in
// a tenant's directory.
func root(t *testing.T) string {
	t.Helper()
	return withPath(t, kptfile, "Kptfile")
}

const kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n"

func TestTrust(t *testing.T) {
	ag := func(name, path, pattern string) string { return withPath(t, named(t, name, pattern), path) }
	for name, tc := range map[string]struct {
		config string
		items  []string
		want   []string // names of the generators
		codes  string
	}{
		"items without files are the platform team's": {
			items: []string{named(t, "a", "@repo/{x}"), named(t, "b", "@repo/a/{x}")}, want: []string{"a", "b"},
		},
		"outside of every area": {
			items: []string{ag("a", "platform/a.yaml", "@repo/tenants/{x}"), ag("b", "platform/b.yaml", "@repo/apps/{x}")},
			want:  []string{"a", "b"},
		},
		"covered by the functionConfig": {
			config: named(t, "a", "@repo/tenants/{x}"),
			items:  []string{ag("evil", "tenants/acme/ag.yaml", "@repo/other/{x}")},
			want:   []string{"a"}, codes: "warning tenant-configuration-ignored ",
		},
		"covered by an item without a file": {
			items: []string{named(t, "a", "@repo/tenants/{x}"), ag("evil", "tenants/acme/ag.yaml", "@repo/other/{x}")},
			want:  []string{"a"}, codes: "warning tenant-configuration-ignored ",
		},
		"covered by a trusted item": {
			items: []string{ag("evil", "tenants/acme/ag.yaml", "@repo/other/{x}"), ag("a", "a.yaml", "@repo/tenants/{x}")},
			want:  []string{"a"}, codes: "warning tenant-configuration-ignored ",
		},
		"the pattern of an ignored one does not count": {
			items: []string{ag("a", "a.yaml", "@repo/tenants/{x}"), ag("evil", "tenants/acme/ag.yaml", "@repo/platform/{x}"), ag("b", "platform/b.yaml", "@repo/apps/{x}")},
			want:  []string{"a", "b"}, codes: "warning tenant-configuration-ignored ",
		},
		"an imitation of the platform's generator": {
			items: []string{ag("a", "a.yaml", "@repo/tenants/{x}"), ag("a", "tenants/acme/ag.yaml", "@repo/tenants/{x}")},
			want:  []string{"a"}, codes: "warning tenant-configuration-ignored ",
		},
		"a tenant's empty prefix, under a trusted one": {
			items: []string{ag("a", "a.yaml", "@repo/tenants/{x}"), ag("evil", "tenants/acme/ag.yaml", "@repo/{x}")},
			want:  []string{"a"}, codes: "warning tenant-configuration-ignored ",
		},
		"an empty prefix covers itself": {
			items: []string{ag("a", "a.yaml", "@repo/{x}")}, codes: "error config-missing ; warning tenant-configuration-ignored ",
		},
		"its own area": {
			items: []string{ag("a", "tenants/a.yaml", "@repo/tenants/{x}")}, codes: "error config-missing ; warning tenant-configuration-ignored ",
		},
		"an empty prefix in the functionConfig": {
			config: named(t, "a", "@repo/{x}"), items: []string{ag("b", "platform/b.yaml", "@repo/tenants/{x}")},
			want: []string{"a"}, codes: "warning tenant-configuration-ignored ",
		},
		"two cover each other": {
			items: []string{ag("a", "x/a.yaml", "@repo/y/{x}"), ag("b", "y/b.yaml", "@repo/x/{x}")},
			codes: "error tenant-configuration-ambiguous ; error tenant-configuration-ambiguous ",
		},
		"two cover each other, a third covers both": {
			items: []string{ag("a", "t/x/a.yaml", "@repo/t/y/{x}"), ag("b", "t/y/b.yaml", "@repo/t/x/{x}"), ag("c", "c.yaml", "@repo/t/{x}")},
			want:  []string{"c"}, codes: "warning tenant-configuration-ignored ; warning tenant-configuration-ignored ",
		},
		"what an ignored one that covers itself covers": {
			items: []string{ag("a", "platform/a.yaml", "@repo/{x}"), ag("evil", "tenants/acme/ag.yaml", "@repo/other/{x}")},
			codes: "error tenant-configuration-ambiguous ; warning tenant-configuration-ignored ",
		},
		"a tenant's broken generator": {
			config: named(t, "a", "@repo/tenants/{x}"),
			items:  []string{withPath(t, "apiVersion: source.extensions.fluxcd.io/v9\nkind: ArtifactGenerator\nmetadata:\n  name: evil\nspec: [1, {a: b}]\n", "tenants/acme/ag.yaml")},
			want:   []string{"a"}, codes: "warning tenant-configuration-ignored ",
		},
		"the platform team's broken generator": {
			config: named(t, "a", "@repo/tenants/{x}"),
			items:  []string{root(t), withPath(t, "apiVersion: source.extensions.fluxcd.io/v9\nkind: ArtifactGenerator\nmetadata:\n  name: b\nspec: {}\n", "b.yaml")},
			codes:  "error config-version apiVersion",
		},
		"a path that pretends to be elsewhere": {
			config: named(t, "a", "@repo/tenants/{x}"),
			items:  []string{ag("evil", "platform/../tenants/acme/ag.yaml", "@repo/other/{x}")},
			want:   []string{"a"}, codes: "warning tenant-configuration-ignored ",
		},
		"beside the area": {
			config: named(t, "a", "@repo/tenants/{x}"), items: []string{root(t), ag("b", "tenants-2/b.yaml", "@repo/other/{x}")},
			want: []string{"a", "b"},
		},
		"a pattern without a capture": {
			config: named(t, "a", "@repo/tenants/acme"), items: []string{root(t), ag("b", "tenants/b.yaml", "@repo/other/{x}")},
			want: []string{"a", "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 5 {
				rand.Shuffle(len(tc.items), func(i, j int) { tc.items[i], tc.items[j] = tc.items[j], tc.items[i] })
				plan, findings := parse(t, listOf(tc.config, tc.items...))
				assert.Equal(t, tc.codes, strings.Join(codes(findings), "; "))
				var names []string
				if plan != nil {
					for _, g := range plan.Generators {
						names = append(names, g.Name)
					}
				}
				assert.Equal(t, tc.want, names)
			}
		})
	}
}

func TestAmbiguityNamesBothAndTheCure(t *testing.T) {
	_, findings := parse(t, listOf("",
		withPath(t, named(t, "a", "@repo/y/{x}"), "x/a.yaml"), withPath(t, named(t, "b", "@repo/x/{x}"), "y/b.yaml")))
	require.Len(t, findings, 2)
	assert.Equal(t, "x/a.yaml", findings[0].Pos.File)
	assert.Contains(t, findings[0].Message, "y/b.yaml")
	assert.Equal(t, "y/b.yaml", findings[1].Pos.File)
	assert.Contains(t, findings[1].Message, "x/a.yaml")
	assert.Contains(t, findings[0].Hint, "`spec.configs`")
}

// tenantItem is a tenant's file.
func tenantItem(t *testing.T, path string) string {
	t.Helper()
	return withPath(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\n", path)
}

func TestTenantData(t *testing.T) {
	withDirectory := func(directory, pattern string) string {
		return annotated(t, named(t, "a", pattern), "provision-tenants.fn.kpt.dev/directory", directory)
	}
	for _, tc := range []struct {
		directory, pattern string
		tenants, others    []string
	}{
		{".", "@repo/tenants/{x}", []string{"tenants/a/cm.yaml", "tenants/cm.yaml"}, []string{"cm.yaml", "generated/a/cm.yaml", "my-tenants/a/cm.yaml"}},
		// Or above the base directory, or on the way to the area.
		{".", "@repo/tenants/{x}", []string{"fleet/tenants/a/cm.yaml", "repo/fleet/tenants/cm.yaml"}, []string{"fleet/cm.yaml", "fleet/tenants"}},
		{".", "@repo/clusters/prod/tenants/{x}", []string{"prod/tenants/a/cm.yaml", "tenants/a/cm.yaml", "x/clusters/prod/tenants/cm.yaml"}, []string{"x/tenants/cm.yaml", "prod/cm.yaml"}},
		{".", "@repo/tenants/eu/t-{x}", []string{"tenants/eu/cm.yaml", "eu/cm.yaml"}, []string{"tenants/us/cm.yaml", "x/eu/cm.yaml"}},
		{".", "@repo/{x}", []string{"cm.yaml", "a/b/cm.yaml"}, []string{"generated/a/cm.yaml"}},
		// The root of the list may be the base directory, the source's, or between.
		{"a/b", "@repo/tenants/{x}", []string{"a/b/tenants/cm.yaml", "b/tenants/cm.yaml", "tenants/cm.yaml"}, []string{"a/tenants/cm.yaml", "a/b/cm.yaml"}},
		{"a/b", "@repo/{x}", []string{"a/b/cm.yaml", "b/cm.yaml", "cm.yaml"}, []string{"generated/cm.yaml"}},
		{"../..", "@repo/tenants/{x}", []string{"tenants/a/cm.yaml"}, []string{"cm.yaml", "generated/cm.yaml"}},
		{"../..", "@repo/clusters/prod/tenants/{x}", []string{"clusters/prod/tenants/cm.yaml", "prod/tenants/cm.yaml", "tenants/cm.yaml"}, []string{"prod/cm.yaml", "clusters/cm.yaml"}},
		{"../x", "@repo/t/{x}", []string{"x/t/cm.yaml", "t/cm.yaml"}, []string{"x/cm.yaml"}},
		{"/", "@repo/home/tenants/{x}", []string{"home/tenants/cm.yaml", "tenants/cm.yaml"}, []string{"cm.yaml"}},
		{"/repo", "@repo/clusters/tenants/{x}", []string{"clusters/tenants/cm.yaml", "tenants/cm.yaml"}, []string{"cm.yaml", "clusters/cm.yaml"}},
	} {
		var items []string
		all := append(append([]string{}, tc.tenants...), tc.others...)
		for i, path := range all {
			items = append(items, edit(t, tenantItem(t, path), "name: cm", fmt.Sprintf("name: cm%d", i)))
		}
		text := listOf(withDirectory(tc.directory, tc.pattern), items...)
		in, err := krm.Read([]byte(text))
		require.NoError(t, err)
		plan := planOf(t, in)
		for i, item := range in.Items {
			assert.Equal(t, i < len(tc.tenants), plan.TenantData(item), "%s from %s, item %s", tc.pattern, tc.directory, all[i])
		}
	}
}

func TestItemsWithoutFileAreNoTenantData(t *testing.T) {
	in, err := krm.Read([]byte(listOf(named(t, "a", "@repo/{x}"), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\n")))
	require.NoError(t, err)
	assert.False(t, planOf(t, in).TenantData(in.Items[0]))
}

func TestForgedOwner(t *testing.T) {
	forged := annotated(t, tenantItem(t, "tenants/acme/ns.yaml"), krm.OwnerKey, "ArtifactGenerator/flux-system/monorepo-tenants")
	_, findings := parse(t, listOf(example, forged))
	require.Len(t, problems(findings), 1)
	f := problems(findings)[0]
	assert.Equal(t, "forged-owner", f.Code)
	assert.Equal(t, "tenants/acme/ns.yaml", f.Pos.File)
	assert.Equal(t, `metadata.annotations["provision-tenants.fn.kpt.dev/owner"]`, f.Pos.Field)

	outside := annotated(t, tenantItem(t, "elsewhere/ns.yaml"), krm.OwnerKey, "ArtifactGenerator/flux-system/monorepo-tenants")
	_, findings = parse(t, listOf(example, outside))
	assert.Empty(t, problems(findings))
}

func TestPackagePaths(t *testing.T) {
	item := func(pkg, path string) string {
		return withPackage(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\n", pkg, path)
	}
	for name, tc := range map[string]struct {
		config string
		items  []string
		base   string
		tenant []bool
	}{
		"on the functionConfig": {
			config: withPackage(t, named(t, "a", "@repo/tenants/{x}"), "/pkg", "fn.yaml"),
			items:  []string{item("/pkg", "tenants/cm.yaml"), item("/pkg/tenants/acme", "cm.yaml"), item("/pkg/platform", "tenants/cm.yaml")},
			base:   "/pkg", tenant: []bool{true, true, false},
		},
		"an item with none": {
			config: withPackage(t, named(t, "a", "@repo/tenants/{x}"), "/pkg", "fn.yaml"),
			items:  []string{tenantItem(t, "tenants/cm.yaml"), item("/elsewhere", "tenants/cm.yaml")},
			base:   "/pkg", tenant: []bool{true, true},
		},
		"on all items": {
			items: []string{withPackage(t, kptfile, "/pkg", "Kptfile"), withPackage(t, named(t, "a", "@repo/tenants/{x}"), "/pkg", "ag.yaml"), item("/pkg/sub", "tenants/cm.yaml")},
			base:  "/pkg", tenant: []bool{false, false, false},
		},
		"on some items": {
			items: []string{withPath(t, kptfile, "Kptfile"), withPath(t, named(t, "a", "@repo/tenants/{x}"), "ag.yaml"), item("/pkg/sub", "tenants/cm.yaml")},
			base:  ".", tenant: []bool{false, false, true},
		},
		"without a Kptfile": {
			items: []string{withPackage(t, named(t, "a", "@repo/tenants/{x}"), "/pkg", "ag.yaml"), item("/pkg/sub", "tenants/cm.yaml")},
			base:  ".", tenant: []bool{false, true},
		},
		"with a Kptfile further in": {
			items: []string{withPackage(t, kptfile, "/pkg/sub", "Kptfile"), withPackage(t, named(t, "a", "@repo/tenants/{x}"), "/pkg", "ag.yaml")},
			base:  ".", tenant: []bool{false, false},
		},
		"in two trees": {
			items: []string{withPackage(t, kptfile, "/pkg", "Kptfile"), withPackage(t, named(t, "a", "@repo/tenants/{x}"), "/pkg", "ag.yaml"), item("/etc/sub", "cm.yaml")},
			base:  ".", tenant: []bool{false, false, false},
		},
		"relative": {
			items: []string{withPackage(t, kptfile, "pkg", "Kptfile"), withPackage(t, named(t, "a", "@repo/tenants/{x}"), "pkg", "ag.yaml")},
			base:  ".", tenant: []bool{false, false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, err := krm.Read([]byte(listOf(tc.config, tc.items...)))
			require.NoError(t, err)
			plan := planOf(t, in)
			assert.Equal(t, tc.base, plan.Base)
			assert.Equal(t, tc.base, plan.Sources[0].Directory)
			for i, want := range tc.tenant {
				assert.Equal(t, want, plan.TenantData(in.Items[i]), "item %d", i)
			}
		})
	}
}

// Nothing says which directory was packed into an archive: what any reading of
// its path makes a tenant's file is one.
func TestFilesOfAPackedDirectory(t *testing.T) {
	item := func(pkg, path string) string {
		return withPackage(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\n", pkg, path)
	}
	text := edit(t, full, "directory: ../..", "archive: ../x.tgz")
	for pkg, items := range map[string][]string{
		"/pkg": {item("/pkg", "tenants/cm.yaml"), item("/pkg", "sub/tenants/a/cm.yaml"), item("/pkg/sub", "tenants/cm.yaml"), item("/pkg/tenants/a", "cm.yaml"), item("/pkg/sub/tenants", "a/cm.yaml")},
		"":     {tenantItem(t, "tenants/cm.yaml"), tenantItem(t, "sub/tenants/a/cm.yaml")},
	} {
		config := text
		if pkg != "" {
			config = withPackage(t, text, pkg, "fn.yaml")
		}
		for _, outside := range []string{"cm.yaml", "generated/tenants/cm.yaml", "sub/cm.yaml"} {
			if pkg != "" {
				items = append(items, item(pkg, outside))
			} else {
				items = append(items, tenantItem(t, outside))
			}
		}
		in, err := krm.Read([]byte(listOf(config, items...)))
		require.NoError(t, err)
		plan := planOf(t, in)
		for i, item := range in.Items {
			assert.Equal(t, i < len(items)-3, plan.TenantData(item), "%s: item %d", pkg, i)
		}
	}
}
