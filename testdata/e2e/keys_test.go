package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKeysOfAppliersThatDoNotRunHere has the exact keys and values that the code
// of Argo CD and of Config Sync looks for on a live object.
func TestKeysOfAppliersThatDoNotRunHere(t *testing.T) {
	keep := map[string]string{
		"argocd.argoproj.io/sync-options":         "Prune=false,Delete=false", // Argo CD: sync, and deletion of the application
		"client.lifecycle.config.k8s.io/deletion": "detach",                   // Config Sync
	}
	for _, prune := range []bool{false, true} {
		f := newFleet(t, "keys", options{prune: prune}, "reef")
		f.render()
		for _, o := range f.objects() {
			for key, value := range keep {
				if prune || o.GetKind() != namespaces.Kind {
					assert.NotContains(t, o.GetAnnotations(), key, title(o))
				} else {
					assert.Equal(t, value, o.GetAnnotations()[key], title(o))
				}
			}
		}
	}
}
