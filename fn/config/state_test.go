package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// live is an exported Namespace.
const live = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: tenant-a\n  uid: a1\n"

// Items with a UID are state unless a tenant may have written them.
func TestStateFromItems(t *testing.T) {
	generator := named(t, "a", "@repo/tenants/{namespace}")
	for name, tc := range map[string]struct {
		item        string
		codes       []string
		state, live bool
	}{
		"beside the tenants":             {withPath(t, live, "live/a.yaml"), nil, true, true},
		"without a file":                 {live, nil, true, true},
		"without a UID":                  {withPath(t, edit(t, live, "  uid: a1\n", ""), "live/a.yaml"), nil, false, false},
		"in a tenant's directory":        {withPath(t, live, "tenants/x/a.yaml"), nil, false, false},
		"on a detour":                    {withPath(t, live, "live/../tenants/x/a.yaml"), nil, false, false},
		"one of kustomize's resources":   {annotated(t, live, "kustomize.config.k8s.io/id", "x"), []string{"warning state-ignored "}, false, false},
		"not an object":                  {"metadata:\n  uid: x\n", nil, false, false},
		"with the name of our directory": {withPath(t, live, "generated/tenant-a/x.yaml"), nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			plan, findings := parse(t, listOf(generator, root(t), tc.item))
			assert.Equal(t, tc.codes, codes(findings))
			_, known := plan.State.Namespace("tenant-a")
			assert.Equal(t, tc.state, known)
			assert.Equal(t, tc.live, len(plan.Live) == 1)
		})
	}
}

// What configures a controller is for the cluster as it is, with a UID or without;
// an artifact is not.
func TestConfigurationWithAUID(t *testing.T) {
	for text, isLive := range map[string]bool{
		"apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata:\n  name: x\n  uid: u\n":                                                                  false,
		"apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: x\n  uid: u\n":                                                              false,
		"apiVersion: config.projectsveltos.io/v1beta1\nkind: ClusterProfile\nmetadata:\n  name: x\n  uid: u\nspec:\n  clusterSelector:\n    matchLabels: {env: fv}\n": false,
		"apiVersion: source.toolkit.fluxcd.io/v1\nkind: ExternalArtifact\nmetadata:\n  name: x\n  uid: u\n":                                                           true,
		"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: x\n  uid: u\n":                                                           true,
		"apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata:\n  name: x\n  uid: u\n":                                                  false,
	} {
		cluster := "apiVersion: lib.projectsveltos.io/v1beta1\nkind: SveltosCluster\nmetadata:\n  name: west\n  namespace: default\n  labels: {env: fv}\n"
		plan, findings := parse(t, listOf(named(t, "a", "@repo/tenants/{namespace}"), root(t), cluster, text))
		assert.Empty(t, codes(findings))
		assert.Equal(t, isLive, len(plan.Live) == 1, text)
	}
}

// Nobody says where the paths of the list start from.
func TestStateOfALostList(t *testing.T) {
	plan, findings := parse(t, listOf(named(t, "a", "@repo/tenants/{namespace}"), withPath(t, live, "x/a.yaml")))
	assert.Equal(t, []string{"warning state-ignored "}, codes(findings))
	_, known := plan.State.Namespace("tenant-a")
	assert.False(t, known)
}

// Two exports of one object: hosts put annotations of their own on one of them.
func TestStateTwice(t *testing.T) {
	generator := named(t, "a", "@repo/tenants/{namespace}")
	for name, tc := range map[string]struct {
		second string
		codes  []string
	}{
		"the same":           {withPath(t, live, "live/b.yaml"), nil},
		"of another time":    {edit(t, live, "  uid: a1\n", "  uid: a1\n  resourceVersion: \"7\"\n"), nil},
		"kept from appliers": {annotated(t, live, "config.kubernetes.io/local-config", "true"), nil},
		"another UID":        {edit(t, live, "a1", "a2"), []string{"error state-conflict "}},
		"another annotation": {annotated(t, live, "x", "y"), []string{"error state-conflict "}},
		"another finalizer":  {annotated(t, live, "source.extensions.fluxcd.io/externalFinalizer", "self"), []string{"error state-conflict "}},
		"a finalizer label":  {edit(t, live, "  uid: a1\n", "  uid: a1\n  labels: {source.extensions.fluxcd.io/externalFinalizer: self}\n"), []string{"error state-conflict "}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, items := range [][]string{{live, tc.second}, {tc.second, live}} {
				in, err := krm.Read([]byte(listOf(generator, append(items, root(t))...)))
				require.NoError(t, err)
				rep := &krm.Report{}
				config.Parse(in, rep)
				assert.Equal(t, tc.codes, codes(rep.Findings()))
			}
		})
	}
}
