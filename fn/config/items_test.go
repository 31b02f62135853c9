package config_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// itemsConfig reads the tree from the items.
const itemsConfig = `apiVersion: fn.kpt.dev/v1alpha1
kind: ProvisionTenants
metadata:
  name: run
spec:
  sources: [{items: {}}]
  generators:
  - metadata: {name: a}
    spec:
      pathPattern: "@repo/tenants/{x}"
      sources: [{alias: repo, kind: Bucket, name: b}]
      artifacts: [{name: "{x}", copy: [{from: "@repo/tenants/{x}/**", to: "@artifact/"}]}]
`

func configMap(name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
}

// filesOf are the paths of the tree, sorted.
func filesOf(plan *config.Plan) []string {
	return slices.Sorted(maps.Keys(plan.Sources[0].Items))
}

// What configures a run and what it makes are not in the tree: the next run would
// read something else. Everything else with a path is.
func TestItemsAreFiles(t *testing.T) {
	own := annotated(t, configMap("made"), krm.OwnerKey, "ArtifactGenerator/default/other")
	plan, findings := parse(t, listOf(itemsConfig, root(t),
		withPath(t, itemsConfig, "fn.yaml"),
		withPath(t, named(t, "b", "@repo/apps/{x}"), "platform/b.yaml"),
		withPath(t, own, "namespaces/made.yaml"),
		withPath(t, configMap("x"), "tenants/acme/x.yaml"),
		withPath(t, kptfile, "tenants/acme/Kptfile"),
		withPath(t, named(t, "evil", "@repo/{x}"), "tenants/acme/generator.yaml"),
		withPath(t, configMap("shared"), "./shared//y.yaml"),
		configMap("z"),
	))
	assert.Equal(t, []string{"warning source-ambiguous spec.sources[0].alias", "warning tenant-configuration-ignored "}, codes(findings))
	assert.Equal(t, []string{"shared/y.yaml", "tenants/acme/Kptfile", "tenants/acme/generator.yaml", "tenants/acme/x.yaml"}, filesOf(plan))
	assert.Equal(t, "generated", plan.Sources[0].Skip)
	assert.True(t, plan.IsItems("repo"))
}

// Under kpt fn render paths start in the package of the item, and the tree in that
// of the configuration.
func TestItemsOfPackages(t *testing.T) {
	files := func(config string) []string {
		plan, findings := parse(t, listOf(config,
			withPackage(t, kptfile, "/src/pkg", "Kptfile"),
			withPackage(t, configMap("a"), "/src/pkg", "tenants/a/x.yaml"),
			withPackage(t, configMap("b"), "/src/pkg/tenants/b", "x.yaml"),
			withPackage(t, configMap("c"), "/src/pkg/sub", "tenants/c/x.yaml"),
			withPath(t, configMap("d"), "tenants/d/x.yaml"),
		))
		require.Empty(t, problems(findings))
		return filesOf(plan)
	}
	assert.Equal(t, []string{"sub/tenants/c/x.yaml", "tenants/a/x.yaml", "tenants/b/x.yaml", "tenants/d/x.yaml"},
		files(withPackage(t, itemsConfig, "/src/pkg", "fn.yaml")))
	assert.Equal(t, []string{"tenants/c/x.yaml", "tenants/d/x.yaml"}, files(withPackage(t, itemsConfig, "/src/pkg/sub", "fn.yaml")),
		"of the other packages none is below the configuration's")
}

// No path makes an item a file of another tenant.
func TestItemsWithHostilePaths(t *testing.T) {
	for _, path := range []string{
		"../tenants/acme/x.yaml", "tenants/evil/../acme/x.yaml", "/tenants/acme/x.yaml", "..", "/", "tenants/acme/..", "./../tenants/acme/x.yaml",
		`tenants\acme\x.yaml`, `tenants/evil\..\acme/x.yaml`, "tenants/acme", "tenants/acme/", "tenants/acme/x.yaml/y",
	} {
		plan, findings := parse(t, listOf(itemsConfig, root(t), withPath(t, configMap("good"), "tenants/acme/x.yaml"), withPath(t, configMap("evil"), path)))
		if plan == nil {
			assert.Regexp(t, "^error items-(path|conflict) ", strings.Join(codes(findings), "; "), path)
			continue
		}
		assert.ElementsMatch(t, []string{path, "tenants/acme/x.yaml"}, filesOf(plan), path)
		assert.Contains(t, path, `\`, path)
	}
}

func TestItemsConflict(t *testing.T) {
	indexed := func(name, path, index string) string {
		return annotated(t, withPath(t, configMap(name), path), "internal.config.kubernetes.io/index", index)
	}
	plan, findings := parse(t, listOf(itemsConfig, root(t), indexed("b", "x.yaml", "10"), indexed("a", "x.yaml", "9"), withPath(t, configMap("c"), "x.yaml")))
	require.Empty(t, problems(findings))
	file, err := plan.Sources[0].Items["x.yaml"].Read()
	require.NoError(t, err)
	assert.Equal(t, configMap("c")+"---\n"+configMap("a")+"---\n"+configMap("b"), string(file), "documents are in the order of their index, 0 without one")

	_, findings = parse(t, listOf(itemsConfig, root(t), indexed("b", "x.yaml", "1"), indexed("a", "x.yaml", "1")))
	require.Equal(t, []string{"error items-conflict "}, codes(findings))
	assert.Equal(t, `ConfigMap a and ConfigMap b both are document 1 of the file "x.yaml"`, findings[0].Message)
}

// kustomize passes on whatever annotations an author writes: a path is none of the
// host's, and neither is a package.
func TestItemsOfKustomize(t *testing.T) {
	gathered := func(text string) string { return annotated(t, text, "kustomize.config.k8s.io/id", "kind: x") }
	held := func(path string) string {
		return gathered(annotated(t, configMap("held"), krm.LocalConfigKey, "true", krm.FileKey, path)) + "data:\n  f: hello\n"
	}
	forged := gathered(withPackage(t, configMap("evil"), "/evil", "tenants/acme/x.yaml"))
	plan, findings := parse(t, listOf(itemsConfig, held("tenants/acme/y.yaml"), forged, gathered(withPackage(t, kptfile, "/evil", "Kptfile"))))
	require.Empty(t, problems(findings))
	assert.Equal(t, []string{"tenants/acme/y.yaml"}, filesOf(plan))
	assert.Equal(t, ".", plan.Base)
	assert.True(t, plan.Kustomize)
	assert.True(t, plan.HasPaths)
	file, err := plan.Sources[0].Items["tenants/acme/y.yaml"].Read()
	require.NoError(t, err)
	assert.Equal(t, "hello", string(file))

	plan, findings = parse(t, listOf(itemsConfig, root(t), gathered(withPath(t, configMap("x"), "tenants/evil/x.yaml")), withPath(t, held("tenants/acme/y.yaml"), "tenants/evil/y.yaml")))
	require.Empty(t, problems(findings))
	assert.Equal(t, []string{"tenants/evil/x.yaml", "tenants/evil/y.yaml"}, filesOf(plan), "under kpt an item is the file at its path and no other")
	assert.False(t, plan.Kustomize)

	plan, _ = parse(t, listOf(itemsConfig, forged))
	assert.False(t, plan.HasPaths)
}

// The area of tenants is below the prefix, from the root of the list.
func TestItemsTrust(t *testing.T) {
	plan, findings := parse(t, listOf(itemsConfig, root(t),
		withPath(t, configMap("x"), "tenants/acme/x.yaml"), withPath(t, configMap("y"), "platform/y.yaml")))
	require.Empty(t, problems(findings))
	items := itemsIn(t, itemsConfig, root(t), withPath(t, configMap("x"), "tenants/acme/x.yaml"), withPath(t, configMap("y"), "platform/y.yaml"))
	assert.True(t, plan.TenantData(items[1]))
	assert.False(t, plan.TenantData(items[2]))
	_, findings = parse(t, listOf(itemsConfig, root(t), withPath(t, annotated(t, configMap("x"), krm.OwnerKey, "x"), "tenants/acme/x.yaml")))
	assert.Equal(t, []string{`error forged-owner metadata.annotations["provision-tenants.fn.kpt.dev/owner"]`}, codes(findings))
}

func itemsIn(t *testing.T, config string, items ...string) []*krm.Item {
	t.Helper()
	list, err := krm.Read([]byte(listOf(config, items...)))
	require.NoError(t, err)
	return list.Items
}
