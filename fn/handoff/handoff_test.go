package handoff

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

type m = map[string]string

func TestKeepSpeaksToEveryDefaultApplier(t *testing.T) {
	in := m{"a": "b", "kustomize.toolkit.fluxcd.io/prune": "enabled"}
	assert.Equal(t, m{
		"a":                               "b",
		"argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
		"client.lifecycle.config.k8s.io/deletion": "detach",
		"fluxcd.controlplane.io/prune":            "disabled",
		"helm.sh/resource-policy":                 "keep",
		"kustomize.toolkit.fluxcd.io/prune":       "disabled",
	}, Default().Keep(in))
	assert.Equal(t, "enabled", in["kustomize.toolkit.fluxcd.io/prune"])
}

func TestAppliers(t *testing.T) {
	assert.Equal(t, "Flux, KptLive, ArgoCD, Helm, ConfigSync, FluxOperator", Default().String())
	assert.Equal(t, []string{"Flux", "KptLive", "ArgoCD", "Helm", "ConfigSync", "FluxOperator", "Kubectl"}, Names())
	assert.Equal(t, "Flux, Kubectl", Named([]string{"Kubectl", "Flux"}).String())
	assert.False(t, Default().Prunes())
	assert.True(t, Named([]string{"Kubectl"}).Prunes())
	assert.Equal(t, "Flux, KptLive, ArgoCD, Helm, ConfigSync", Default().Except("fluxcd.controlplane.io").String())
}

// Each applier is told in its own words, and in no one else's.
func TestTell(t *testing.T) {
	const fluxSSA, mutation = "kustomize.toolkit.fluxcd.io/ssa", "client.lifecycle.config.k8s.io/mutation"
	for name, want := range map[string]map[Ask]m{
		"Flux": {
			Keep: {"kustomize.toolkit.fluxcd.io/prune": "disabled"}, Merge: {fluxSSA: "Merge"}, CreateOnly: {fluxSSA: "IfNotPresent"},
			Ignore: {fluxSSA: "Ignore"}, Pause: {"kustomize.toolkit.fluxcd.io/reconcile": "disabled"},
		},
		"KptLive":      {Keep: {"client.lifecycle.config.k8s.io/deletion": "detach"}, CreateOnly: {mutation: "ignore"}, Ignore: {mutation: "ignore"}, Pause: {mutation: "ignore"}},
		"ArgoCD":       {Keep: {"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"}},
		"Helm":         {Keep: {"helm.sh/resource-policy": "keep"}},
		"ConfigSync":   {Keep: {"client.lifecycle.config.k8s.io/deletion": "detach"}, CreateOnly: {mutation: "ignore"}, Ignore: {mutation: "ignore"}, Pause: {mutation: "ignore"}},
		"FluxOperator": {Keep: {"fluxcd.controlplane.io/prune": "disabled"}},
		"Kubectl":      {},
	} {
		for ask := Keep; ask <= Pause; ask++ {
			wanted := want[ask]
			if wanted == nil {
				wanted = m{}
			}
			assert.Equal(t, wanted, Named([]string{name}).Tell(nil, ask), "%s %s", name, ask)
		}
	}
}

func TestTellLeavesWhatWasSaidToOneApplier(t *testing.T) {
	own := m{"kustomize.toolkit.fluxcd.io/ssa": "Override"}
	assert.Equal(t, own, Named([]string{"Flux"}).Tell(own, CreateOnly))
}

func TestKeepLeavesOtherSyncOptions(t *testing.T) {
	for have, want := range (m{
		"":                              "Prune=false,Delete=false",
		"ServerSideApply=true":          "ServerSideApply=true,Prune=false,Delete=false",
		"Prune=confirm, Replace=true":   " Replace=true,Prune=false,Delete=false",
		"Prune=false,Delete=false":      "Prune=false,Delete=false",
		"PruneLast=true,Delete=confirm": "PruneLast=true,Prune=false,Delete=false",
	}) {
		assert.Equal(t, want, Default().Keep(m{syncOptions: have})[syncOptions], have)
	}
}

func TestNoSubstitutionWins(t *testing.T) {
	in := m{substitute: "enabled"}
	assert.Equal(t, m{substitute: "disabled"}, Default().NoSubstitution(in))
	assert.Equal(t, "enabled", in[substitute])
	assert.Equal(t, in, Named([]string{"KptLive"}).NoSubstitution(in), "nobody substitutes")
}

func TestKeeping(t *testing.T) {
	kept := Default().Keep(m{syncOptions: "Replace=true"})
	assert.True(t, Default().Keeps(kept))
	for key := range kept {
		less := maps.Clone(kept)
		delete(less, key)
		assert.False(t, Default().Keeps(less), key)
	}
	kept[syncOptions] = "Prune=false"
	assert.Equal(t, "Flux, KptLive, Helm, ConfigSync, FluxOperator", Default().Keeping(kept).String())

	// Flux compares without regard to case, the others do not (hosts documentation).
	assert.True(t, Named([]string{"Flux"}).Keeps(m{"kustomize.toolkit.fluxcd.io/prune": "Disabled"}))
	assert.False(t, Named([]string{"KptLive"}).Keeps(m{"client.lifecycle.config.k8s.io/deletion": "Detach"}))
	assert.True(t, Named([]string{"ArgoCD"}).Keeps(m{syncOptions: "Delete=false, Prune=false"}))

	all := Named([]string{"Flux", "Kubectl"})
	assert.True(t, all.Keeps(m{"kustomize.toolkit.fluxcd.io/prune": "disabled"}), "kubectl cannot be told")
	assert.Equal(t, "Flux", all.Keeping(m{"kustomize.toolkit.fluxcd.io/prune": "disabled"}).String())
}

func TestUnread(t *testing.T) {
	assert.Empty(t, Default().Unread(m{"kustomize.toolkit.fluxcd.io/ssa": "Merge", "kustomize.toolkit.fluxcd.io/reconcile": "enabled"}))
	assert.Equal(t, []string{"kustomize.toolkit.fluxcd.io/ssa"}, Named([]string{"Flux"}).Unread(m{"kustomize.toolkit.fluxcd.io/ssa": "ifnotpresent"}))
	assert.Contains(t, Default().Unread(m{"kustomize.toolkit.fluxcd.io/reconcile": "disabled"}), "kustomize.toolkit.fluxcd.io/reconcile")
	assert.Empty(t, Named([]string{"Helm"}).Unread(m{"kustomize.toolkit.fluxcd.io/ssa": "Ignore"}))
}

func TestAsks(t *testing.T) {
	const ssa, reconcile, prune = "source.extensions.fluxcd.io/ssa", "source.extensions.fluxcd.io/reconcile", "source.extensions.fluxcd.io/prune"
	for _, tc := range []struct {
		labels, annotations m
		want                []Ask
	}{
		{nil, nil, nil},
		{nil, m{prune: "Disabled"}, []Ask{Keep}},
		{m{prune: "disabled"}, nil, []Ask{Keep}},
		{nil, m{prune: "enabled", ssa: "Override", reconcile: "ENABLED"}, nil},
		{nil, m{ssa: "merge"}, []Ask{Merge}},
		{nil, m{ssa: "IfNotPresent"}, []Ask{CreateOnly}},
		{nil, m{ssa: "ignore"}, []Ask{Keep, Ignore}},
		{m{reconcile: "Disabled"}, m{ssa: "Ignore", prune: "Disabled"}, []Ask{Keep, Ignore, Pause}},
		{nil, m{prune: "", ssa: "x"}, nil},
	} {
		assert.Equal(t, tc.want, Asks(tc.labels, tc.annotations))
	}
}

func TestCheckAsks(t *testing.T) {
	const ssa, prune = "source.extensions.fluxcd.io/ssa", "source.extensions.fluxcd.io/prune"
	for _, tc := range []struct {
		appliers   string
		key, value string
		code, says string
	}{
		{"Flux", prune, "Disabled", "", ""},
		{"Kubectl", prune, "Disabled", "", ""},
		{"Flux", prune, "disable", "lifecycle-value", "did you mean `Disabled`?"},
		{"Flux", prune, "", "lifecycle-value", "must be one of `Enabled`, `Disabled`, found \"\""},
		{"Flux", ssa, "IfNotPresnt", "lifecycle-value", "did you mean `IfNotPresent`?"},
		{"Flux", ssa, "IfNotPresent", "", ""},
		{"ConfigSync", ssa, "IfNotPresent", "", ""},
		{"KptLive", ssa, "IfNotPresent", "lifecycle-untranslated", "KptLive: kpt 1.0.0-beta.56 does not read it"},
		{"ConfigSync", ssa, "Ignore", "lifecycle-untranslated", "ConfigSync: creates it"},
		{"ArgoCD", ssa, "Ignore", "lifecycle-untranslated", "nothing like it for ArgoCD"},
		{"Helm", ssa, "Merge", "", ""},
		{"FluxOperator", ssa, "Merge", "lifecycle-untranslated", "nothing like it for FluxOperator"},
		{"Flux", "source.extensions.fluxcd.io/prunne", "Disabled", "lifecycle-key", "did you mean `source.extensions.fluxcd.io/prune`?"},
		{"Flux", "source.extensions.fluxcd.io/Prune", "Disabled", "lifecycle-key", "did you mean `source.extensions.fluxcd.io/prune`?"},
		{"Flux", "source.extensions.fluxcd.io/reconcileEvery", "5m", "", ""},
		{"Flux", "my.org/prune", "x", "", ""},
	} {
		rep := &krm.Report{}
		Named([]string{tc.appliers}).CheckAsks(map[string]krm.Str{tc.key: {Text: tc.value}}, rep)
		if tc.code == "" {
			assert.Empty(t, rep.Findings(), "%s %s: %s", tc.appliers, tc.key, tc.value)
			continue
		}
		if assert.Len(t, rep.Findings(), 1, "%s %s: %s", tc.appliers, tc.key, tc.value) {
			assert.Equal(t, tc.code, rep.Findings()[0].Code)
			assert.Contains(t, rep.Findings()[0].String(), tc.says)
		}
	}
}

func TestParseReference(t *testing.T) {
	for _, text := range []string{
		"fluxcd.controlplane.io/v1/ResourceSet/flux-system/tenants/0d3c-1",
		"/v1/ConfigMap/ns/n/uid",                               // the core group
		"example.org/v1beta2/ClusterThing//n/uid",              // cluster-scoped
		"rbac.authorization.k8s.io/v1/ClusterRole//system:x/u", // a name that is no DNS name
	} {
		r, err := ParseReference(text)
		assert.NoError(t, err, text)
		assert.Equal(t, text, r.String())
	}
	for text, says := range (m{
		"":                           "6 fields",
		"self":                       "the word",
		"v1/ConfigMap/a/b/c":         "found 5",
		"g/v1/K/n/n/u/x":             "found 7",
		"G/v1/K/n/n/u":               "group",
		"g/1/K/n/n/u":                "version",
		"g/v1gamma1/K/n/n/u":         "version",
		"g/v1/kind/n/n/u":            "kind",
		"g/v1/K/N/n/u":               "namespace",
		"g/v1/K/n//u":                "name",
		"g/v1/K/n/../u":              "name",
		"g/v1/K/n/a%2fb/u":           "name",
		"g/v1/K/n/n/":                "uid",
		"g/v1/K/n/n/ u":              "uid",
		" g/v1/K/n/n/u":              "group",
		"g/v1/K/n/n/u\n":             "uid",
		"g/v1/K/n/n/\u202eu":         "uid",
		"g/v1/K/n/n/\u200b":          "uid",
		"example..org/v1/K/n/n/uuid": "group",
	}) {
		_, err := ParseReference(text)
		assert.ErrorContains(t, err, says, "%q", text)
	}
}
