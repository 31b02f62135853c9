package fn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// release finds the HelmRelease of a release, nil when it was not emitted.
func (o outcome) release(namespace, name string) *object {
	for i, e := range o.objects {
		if e.Kind == "HelmRelease" && e.annotation("identity") == "helm:"+namespace+"/"+name {
			return &o.objects[i]
		}
	}
	return nil
}

// version is that of the chart of a release, "" when it was not emitted.
func (o outcome) version(namespace, name string) string {
	e := o.release(namespace, name)
	if e == nil {
		return ""
	}
	return fmt.Sprint(e.Spec.(map[string]any)["chart"].(map[string]any)["spec"].(map[string]any)["version"])
}

// fleet is a configuration for one cluster.
func fleetConfig(labels, more string) string {
	return `apiVersion: fn.kpt.dev/v1alpha1
kind: ProvisionTenants
metadata: {name: fleet}
spec:
  cluster: {kind: Cluster, namespace: default, name: clusterapi-workload, labels: {` + labels + `}}
` + more
}

func TestFixture12TieredProfiles(t *testing.T) {
	fixture(t, "12")
	run := func(files ...string) outcome {
		return observe(t, wrap([]byte(fleetConfig("env: prod", "  configs: [profiles/"+strings.Join(files, ".yaml, profiles/")+".yaml]\n"))))
	}
	for _, order := range [][]string{{"base", "west"}, {"west", "base"}} {
		o := run(order...)
		require.Equal(t, exitOK, o.status, o.stderr)
		assert.Equal(t, "1.1.0", o.version("policy", "policy"))
		assert.Equal(t, "ClusterProfile/west@50", o.release("policy", "policy").annotation("winner"))
		assert.Equal(t, "ClusterProfile/base@100", o.release("policy", "policy").annotation("losers"))
		assert.Equal(t, "2.0.0", o.version("metrics", "metrics"))
		assert.Empty(t, o.release("metrics", "metrics").annotation("winner"))
		message := o.the(t, "tier-lost").Message
		assert.Contains(t, message, "ClusterProfile/base with tier 100 does not get helm release policy/policy")
		assert.Contains(t, message, "ClusterProfile/west claims with tier 50")
	}

	o := run("base", "west", "alpha-same-tier")
	assert.Equal(t, exitErrors, o.status)
	message := o.the(t, "tier-tie").Message
	assert.Contains(t, message, "ClusterProfile/alpha")
	assert.Contains(t, message, "ClusterProfile/west")
	assert.Contains(t, message, "tier 50")

	o = run("base", "zero")
	assert.Equal(t, exitErrors, o.status)
	assert.Equal(t, []string{"error config-value profiles/zero.yaml:7:9"}, o.found("error"))
}

// chartProfile is a ClusterProfile with a chart for each name@version.
func chartProfile(name, spec string, charts ...string) string {
	text := "apiVersion: config.projectsveltos.io/v1beta1\nkind: ClusterProfile\nmetadata:\n  name: " + name +
		"\nspec:\n  clusterSelector: {matchLabels: {env: fv}}\n" + spec
	if len(charts) > 0 {
		text += "  helmCharts:\n"
	}
	for _, chart := range charts {
		release, version, _ := strings.Cut(chart, "@")
		text += fmt.Sprintf("  - {repositoryURL: https://charts.example.org, repositoryName: acme, chartName: %s, chartVersion: %s, releaseName: %s, releaseNamespace: %s}\n", release, version, release, release)
	}
	return text
}

// again is the items of an output with other configuration in front: of the items
// that came in last time, those without a path are left out.
func again(t *testing.T, o outcome, config string, items ...string) []byte {
	t.Helper()
	list := string(listOf(config, items...))
	var kept strings.Builder
	for item := range strings.SplitSeq(itemsText(o.stdout), "\n- ") {
		if strings.Contains(item, "provision-tenants.fn.kpt.dev/owner:") {
			kept.WriteString("- " + strings.TrimPrefix(strings.TrimSuffix(item, "\n"), "- ") + "\n")
		}
	}
	head, tail, found := strings.Cut(list, "functionConfig:\n")
	require.True(t, found)
	return []byte(head + kept.String() + "functionConfig:\n" + tail)
}

func TestWhoWasFirstCountsWhereTiesAreBroken(t *testing.T) {
	first := chartProfile("zeta", "", "web@1.0.0")
	second := chartProfile("alpha", "", "web@2.0.0")
	for mode, want := range map[string]string{"InputOrder": "1.0.0", "Name": "2.0.0"} {
		config := fleetConfig("env: fv", "  tieBreak: "+mode+"\n")
		o := observe(t, listOf(config, first, second))
		require.Equal(t, exitOK, o.status, o.stderr)
		assert.Equal(t, want, o.version("web", "web"), mode)
		assert.Contains(t, o.the(t, "tie-broken").Message, "tieBreak: "+mode)
	}

	alone := observe(t, listOf(fleetConfig("env: fv", "  tieBreak: Name\n"), first))
	require.Equal(t, exitOK, alone.status, alone.stderr)
	both := observe(t, again(t, alone, fleetConfig("env: fv", "  tieBreak: Name\n"), second, first))
	require.Equal(t, exitOK, both.status, both.stderr)
	assert.Equal(t, "1.0.0", both.version("web", "web"), "zeta had it before alpha was there")

	strict := observe(t, again(t, alone, fleetConfig("env: fv", ""), second, first))
	assert.Equal(t, exitErrors, strict.status, "without a tie-break history does not count")
	strict.the(t, "tier-tie")
}

// An object that goes from one profile to another stays in its file: an applier
// changes it in place.
func TestObjectsChangeHandsInPlace(t *testing.T) {
	base := chartProfile("base", "  continueOnConflict: true\n", "web@1.0.0", "db@1.0.0")
	config := fleetConfig("env: fv", "")
	before := observe(t, listOf(config, base))
	require.Equal(t, exitOK, before.status, before.stderr)

	after := observe(t, again(t, before, config, base, chartProfile("west", "  tier: 50\n", "web@2.0.0")))
	require.Equal(t, exitOK, after.status, after.stderr)
	assert.Equal(t, "2.0.0", after.version("web", "web"))
	assert.Equal(t, before.release("web", "web").Metadata.Name, after.release("web", "web").Metadata.Name)
	assert.Equal(t, []string{
		"info owner-changed generated/flux-system/helmrelease-web-web.yaml",
		"info owner-changed generated/flux-system/helmrepository-acme.yaml",
	}, slices.DeleteFunc(after.found("info"), func(f string) bool { return !strings.Contains(f, "owner-changed") }))
	assert.NotContains(t, codesOf(after), "orphan")

	fallback := observe(t, again(t, after, config, base))
	require.Equal(t, exitOK, fallback.status, fallback.stderr)
	assert.Equal(t, "1.0.0", fallback.version("web", "web"), "without west, base has it again")
	assert.Equal(t, "ClusterProfile/base", fallback.release("web", "web").annotation("owner"))
}

func TestPausedProfilesKeepWhatTheyHave(t *testing.T) {
	web := chartProfile("web", "", "web@1.0.0", "db@1.0.0")
	config := fleetConfig("env: fv", "")
	before := observe(t, listOf(config, web))
	require.Equal(t, exitOK, before.status, before.stderr)

	paused := strings.Replace(chartProfile("web", "", "web@9.9.9", "cache@9.9.9"), "  name: web\n", "  name: web\n  annotations: {profile.projectsveltos.io/paused: \"true\"}\n", 1)
	o := observe(t, again(t, before, config, paused, chartProfile("better", "  tier: 50\n", "db@2.0.0")))
	require.Equal(t, exitOK, o.status, o.stderr)
	assert.Equal(t, "1.0.0", o.version("web", "web"), "it stays as it was")
	assert.Equal(t, "2.0.0", o.version("db", "db"), "a better tier takes it over")
	assert.Nil(t, o.release("cache", "cache"), "nothing new")
	assert.Contains(t, o.the(t, "profile-paused").Message, "ClusterProfile/web is paused")

	dry := observe(t, again(t, before, config, chartProfile("web", "  syncMode: DryRun\n", "web@9.9.9")))
	require.Equal(t, exitOK, dry.status, dry.stderr)
	assert.Equal(t, "1.0.0", dry.version("web", "web"))
	assert.Equal(t, "1.0.0", dry.version("db", "db"), "what a dry run does not ask for any more stays, too")
}

// A tenant is nobody's rival: its objects are data, whatever their stamps say.
func TestProfilesWithoutGenerators(t *testing.T) {
	o := observe(t, listOf("", chartProfile("web", "", "web@1.0.0"), "apiVersion: lib.projectsveltos.io/v1beta1\nkind: SveltosCluster\nmetadata: {name: a, namespace: default, labels: {env: fv}}\n"))
	require.Equal(t, exitOK, o.status, o.stderr)
	assert.Equal(t, "1.0.0", o.version("web", "web"))
}

// With several clusters the layout is per cluster; when all but one leave, what is
// left goes back to where a single cluster has it.
func TestFromOneClusterToTwoAndBack(t *testing.T) {
	cluster := func(name string) string {
		return "apiVersion: lib.projectsveltos.io/v1beta1\nkind: SveltosCluster\nmetadata: {name: " + name + ", namespace: default, labels: {env: fv}}\n"
	}
	config := "apiVersion: fn.kpt.dev/v1alpha1\nkind: ProvisionTenants\nmetadata: {name: fleet}\nspec: {tieBreak: Error}\n"
	web := chartProfile("web", "", "web@1.0.0")
	path := func(o outcome) []string {
		var paths []string
		for _, e := range o.objects {
			if e.Kind == "HelmRelease" {
				paths = append(paths, e.Metadata.Annotations["config.kubernetes.io/path"])
			}
		}
		return paths
	}
	one := observe(t, listOf(config, web, cluster("a")))
	assert.Equal(t, []string{"generated/flux-system/helmrelease-web-web.yaml"}, path(one))
	two := observe(t, again(t, one, config, web, cluster("a"), cluster("b")))
	require.Equal(t, exitOK, two.status, two.stderr)
	assert.Equal(t, []string{"generated/clusters/default/a/flux-system/helmrelease-web-web.yaml", "generated/clusters/default/b/flux-system/helmrelease-web-web.yaml"}, path(two))
	back := observe(t, again(t, two, config, web, cluster("a")))
	require.Equal(t, exitOK, back.status, back.stderr)
	assert.Equal(t, path(one), path(back))
	assert.NotContains(t, codesOf(back), "orphan")
}
