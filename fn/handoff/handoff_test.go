package handoff

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKeepSpeaksToEveryDefaultApplier(t *testing.T) {
	assert.Equal(t, map[string]string{
		"a":                               "b",
		"argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
		"client.lifecycle.config.k8s.io/deletion": "detach",
		"fluxcd.controlplane.io/prune":            "disabled",
		"helm.sh/resource-policy":                 "keep",
		"kustomize.toolkit.fluxcd.io/prune":       "disabled",
	}, Keep(map[string]string{"a": "b", "kustomize.toolkit.fluxcd.io/prune": "enabled"}, Dialects()))
}

func TestKeepLeavesOtherSyncOptions(t *testing.T) {
	for have, want := range map[string]string{
		"":                              "Prune=false,Delete=false",
		"ServerSideApply=true":          "ServerSideApply=true,Prune=false,Delete=false",
		"Prune=confirm, Replace=true":   " Replace=true,Prune=false,Delete=false",
		"Prune=false,Delete=false":      "Prune=false,Delete=false",
		"PruneLast=true,Delete=confirm": "PruneLast=true,Prune=false,Delete=false",
	} {
		assert.Equal(t, want, Keep(map[string]string{syncOptions: have}, Dialects())[syncOptions], have)
	}
}

func TestNoSubstitutionWins(t *testing.T) {
	in := map[string]string{substitute: "enabled"}
	assert.Equal(t, map[string]string{substitute: "disabled"}, NoSubstitution(in))
	assert.Equal(t, "enabled", in[substitute])
}

func TestKeepAsked(t *testing.T) {
	assert.True(t, KeepAsked(map[string]string{"source.extensions.fluxcd.io/prune": "Disabled"}))
	assert.False(t, KeepAsked(map[string]string{"source.extensions.fluxcd.io/prune": "enabled"}))
	assert.False(t, KeepAsked(nil))
}

func TestKeeps(t *testing.T) {
	kept := Keep(map[string]string{syncOptions: "Replace=true"}, Dialects())
	assert.True(t, Keeps(kept, Dialects()))
	for key := range kept {
		less := maps.Clone(kept)
		delete(less, key)
		assert.False(t, Keeps(less, Dialects()), key)
	}
	kept[syncOptions] = "Prune=false"
	assert.False(t, Keeps(kept, Dialects()))
}
