package resourceset

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const benchResources = `
- apiVersion: v1
  kind: ServiceAccount
  metadata: {name: flux, namespace: << inputs.namespace >>}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: RoleBinding
  metadata: {name: flux, namespace: << inputs.namespace >>}
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
  subjects: [{kind: ServiceAccount, name: flux, namespace: << inputs.namespace >>}]
- apiVersion: kustomize.toolkit.fluxcd.io/v1
  kind: Kustomization
  metadata: {name: << inputs.name >>, namespace: << inputs.namespace >>}
  spec:
    sourceRef: {kind: ExternalArtifact, name: << inputs.name >>}
    dependsOn: << get inputs "dependsOn" | default list | toYaml | nindent 4 >>
    timeout: << inputs.timeout >>
    prune: true
`

// BenchmarkArtifacts evaluates a set of three objects on the inputs of artifacts.
// x/1000 is the time for each artifact, in times of that with 1,000 of them: about
// 1 while the time is linear.
func BenchmarkArtifacts(b *testing.B) {
	for _, mode := range []string{"render", "check"} {
		var each time.Duration
		for _, n := range []int{1000, 10_000} {
			b.Run(fmt.Sprintf("%s/artifacts=%d", mode, n), func(b *testing.B) {
				rep := &krm.Report{}
				list, ok := krm.ParseAt(krm.Pos{}, []byte(benchResources), rep)
				require.True(b, ok, "%v", rep.Findings())
				artifacts := make([]*Artifact, n)
				for i := range artifacts {
					artifacts[i] = &Artifact{
						Namespace: fmt.Sprintf("tenant-%05d", i/3), Name: fmt.Sprintf("m%d", i%3), Revision: "latest@sha256:0", Labels: map[string]string{"module": "m"},
						Inputs: map[string]any{"timeout": "10m", "dependsOn": []any{map[string]any{"name": fmt.Sprintf("m%d", i%2)}}},
					}
				}
				provider := &Provider{Name: "p", Namespace: "default", Type: TypeArtifact, Limit: 10_000, Selectors: []ArtifactSelector{{Namespace: "*"}}}
				none := func(string) bool { return false }
				b.ReportAllocs()
				for b.Loop() {
					set, ok := New(Fields{Name: "s", Namespace: "default", From: []Reference{{Name: krm.Str{Text: "p"}}}, Parts: []Part{{Resources: list.Items}}}, rep)
					require.True(b, ok)
					result := Evaluate([]*Set{set}, Environment{Render: mode == "render", Providers: []*Provider{provider}, Artifacts: artifacts, Control: none, Forbidden: none}, rep)
					require.False(b, rep.Failed(), "%v", rep.Findings())
					require.True(b, mode == "check" || len(result.Objects) == n+2*((n+2)/3))
				}
				took := b.Elapsed() / time.Duration(b.N*n)
				if n == 1000 {
					each = took
				}
				b.ReportMetric(float64(took.Nanoseconds())/1000, "µs/artifact")
				b.ReportMetric(float64(took)/float64(each), "x/1000")
			})
		}
	}
}
