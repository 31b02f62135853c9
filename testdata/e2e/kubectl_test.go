package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"testing"
)

// kubectl apply without prune removes nothing.
var kubectlApply = applier{
	name:  "`kubectl apply --server-side`",
	needs: []string{"kubectl"},
	open: func(t *testing.T, f *fleet) session {
		return session{apply: func() {
			t.Helper()
			must(t, f.dir, "kubectl apply --server-side -f rendered/rendered.yaml")
		}}
	},
}

// kubectlPrune deletes what has the fleet's label and is not in the file.
var kubectlPrune = applier{
	name:  "`kubectl apply --prune -l`",
	needs: []string{"kubectl"},
	open: func(t *testing.T, f *fleet) session {
		return session{apply: func() {
			t.Helper()
			must(t, f.dir, "kubectl apply --prune -l platform.example.org/fleet="+f.name+
				" --prune-allowlist=core/v1/Namespace --prune-allowlist=source.toolkit.fluxcd.io/v1/ExternalArtifact -f rendered/rendered.yaml")
		}}
	},
}

// kubectlApplySet deletes what is in the set and not in the file. Objects in
// several namespaces need a parent that is in none, and that is there with what
// kubectl would write on it.
var kubectlApplySet = applier{
	name:  "`kubectl apply --prune --applyset`",
	needs: []string{"kubectl"},
	open: func(t *testing.T, f *fleet) session {
		t.Helper()
		id := sha256.Sum256([]byte(f.name + "..ApplySet.platform.example.org"))
		f.write("applyset.yaml", fmt.Sprintf(`apiVersion: platform.example.org/v1
kind: ApplySet
metadata:
  name: %s
  labels: {applyset.kubernetes.io/id: applyset-%s-v1}
  annotations: {applyset.kubernetes.io/tooling: kubectl/v1.36, applyset.kubernetes.io/contains-group-kinds: ""}
`, f.name, base64.RawURLEncoding.EncodeToString(id[:])))
		must(t, f.dir, "kubectl create -f applyset.yaml")
		return session{apply: func() {
			t.Helper()
			must(t, f.dir, "KUBECTL_APPLYSET=true kubectl apply --server-side --prune --applyset=applysets.platform.example.org/"+f.name+" -f rendered/rendered.yaml")
		}}
	},
}

// named is an applier that the configuration names in `spec.appliers`.
func named(a applier) applier {
	a.name += ", with `Kubectl` among the appliers"
	a.appliers = "[Flux, Kubectl]"
	return a
}
