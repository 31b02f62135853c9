package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// example is the generator that the function was designed around, with its
// placeholders filled in.
const example = `apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata:
  name: monorepo-tenants
  namespace: flux-system
spec:
  serviceAccountName: flux-operator
  pathPattern: "@repo/tenants/{namespace}/modules/{module}"
  commonMetadata:
    labels:
      my.org.io/provisioner: "monorepo"
  sources:
    - alias: repo
      kind: OCIRepository
      name: monorepo
  artifacts:
    - name: "{module}"
      namespace: "{namespace}"
      inputsFrom: "@repo/tenants/{namespace}/modules/{module}/applier-inputs.yaml"
      originRevision: "@repo"
      copy:
        - from: "@repo/tenants/{namespace}/modules/{module}/manifests/**"
          to: "@artifact/"
  managedNamespaces:
    allowedNames: [ns.startsWith("tenant-")] # To allow any namespaces use ["true"].
    prune: true
    metadata:
      fromSource:
        path: "@repo/tenants/{namespace}/namespace-metadata.yaml"
        allowedAnnotations:
          my.org.io/observability: "value.matches('^(Enabled|Disabled)$')"
        allowedLabels:
          my.org.io/team: "value.matches('^[a-z]+$')"
      from:
        - strategy: Override
          namespace: my-namespace
          annotations:
            foo: bar
          labels:
            baz: qux
status:
  inventory:
    - kind: Namespace
      name: some-tenant
      digest: sha256:589303e73217c92ae0d20d90d425cd143459e2ddc488aa38684d5e69e8c9b4b9
    - kind: ExternalArtifact
      name: some-module
      namespace: some-tenant
      filename: 1.tar.gz
      digest: sha256:dbfd4d986dbccf080479534d20e1c6c6b5893a7378a2dda4038f307e25462b57
`

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// listOf is a ResourceList. An empty functionConfig is none.
func listOf(functionConfig string, items ...string) string {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, item := range items {
		b.WriteString("-" + indent(item)[1:] + "\n")
	}
	if len(items) == 0 {
		b.WriteString("  []\n")
	}
	if functionConfig != "" {
		b.WriteString("functionConfig:\n" + indent(functionConfig) + "\n")
	}
	return b.String()
}

func parse(t *testing.T, list string) (*config.Plan, []krm.Finding) {
	t.Helper()
	in, err := krm.Read([]byte(list))
	require.NoError(t, err, "%s", list)
	rep := &krm.Report{}
	plan, ok := config.Parse(in, rep)
	require.Equal(t, !rep.Failed(), ok)
	return plan, rep.Findings()
}

func TestSeedWorksAsItStands(t *testing.T) {
	plan, findings := parse(t, listOf(example))
	for _, f := range findings {
		assert.Equal(t, "origin-revision-unknown", f.Code, "%+v", f)
	}
	require.NotNil(t, plan)
	assert.Equal(t, "monorepo-tenants", plan.Name)
	assert.Equal(t, "flux-system", plan.Namespace)
}

// planOf is the plan of a list with nothing wrong in it.
func planOf(t *testing.T, in *krm.List) *config.Plan {
	t.Helper()
	rep := &krm.Report{}
	plan, ok := config.Parse(in, rep)
	require.True(t, ok, "%+v", rep.Findings())
	return plan
}
