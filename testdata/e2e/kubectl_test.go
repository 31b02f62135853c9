package e2e

import "testing"

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

// kubectlApplySet deletes what is in the set and not in the file.
var kubectlApplySet = applier{
	name:  "`kubectl apply --prune --applyset`",
	needs: []string{"kubectl"},
	open: func(t *testing.T, f *fleet) session {
		t.Helper()
		f.write("set.yaml", "apiVersion: platform.example.org/v1\nkind: ApplySet\nmetadata:\n  name: "+f.name+"\n")
		must(t, f.dir, "kubectl apply -f set.yaml")
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
