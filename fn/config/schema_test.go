package config_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

func TestSchemas(t *testing.T) {
	var paths []string
	for _, s := range config.Schemas() {
		paths = append(paths, s.Path)
		var schema map[string]any
		require.NoError(t, json.Unmarshal(s.Data, &schema))
		assert.Equal(t, "https://json-schema.org/draft/2020-12/schema", schema["$schema"])
		assert.Equal(t, false, schema["additionalProperties"])
		checkDescribed(t, s.Kind, schema)
	}
	assert.Equal(t, []string{
		"source.extensions.fluxcd.io/artifactgenerator_v1beta1.json",
		"config.projectsveltos.io/clusterprofile_v1beta1.json",
		"source.extensions.fluxcd.io/namespacemetadata_v1beta1.json",
		"config.projectsveltos.io/profile_v1beta1.json",
		"fn.kpt.dev/provisiontenants_v1alpha1.json",
		"fluxcd.controlplane.io/resourceset_v1.json",
		"fluxcd.controlplane.io/resourcesetinputprovider_v1.json",
	}, paths)
}

// checkDescribed finds properties without a description, and objects that let
// any property through.
func checkDescribed(t *testing.T, at string, schema map[string]any) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	if schema["type"] == "object" {
		assert.Contains(t, schema, "additionalProperties", at)
		for name, property := range properties {
			described := property.(map[string]any)
			if either, nullable := described["oneOf"].([]any); nullable && described["description"] == nil {
				described = either[0].(map[string]any)
			}
			assert.NotEmpty(t, described["description"], "%s.%s", at, name)
		}
	}
	for name, property := range properties {
		if inner, ok := property.(map[string]any); ok {
			checkDescribed(t, at+"."+name, inner)
		}
	}
	definitions, _ := schema["$defs"].(map[string]any)
	for name, definition := range definitions {
		checkDescribed(t, name, definition.(map[string]any))
	}
}

func TestFields(t *testing.T) {
	var paths []string
	for _, f := range config.Fields("ProvisionTenants") {
		assert.True(t, strings.HasSuffix(f.About, "."), f.Path)
		paths = append(paths, f.Path)
	}
	assert.Equal(t, []string{
		"apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations",
		"spec", "spec.sources", "spec.sources[].alias", "spec.sources[].directory", "spec.sources[].revision", "spec.sources[].originRevision",
		"spec.configs", "spec.generators", "spec.defaultServiceAccount", "spec.protectedNames",
		"spec.cluster", "spec.cluster.kind", "spec.cluster.namespace", "spec.cluster.name", "spec.cluster.labels", "spec.tieBreak",
		"spec.deletion", "spec.deletion.baseline", "spec.deletion.maxNamespaces", "spec.deletion.allowEmpty",
		"spec.resourceSets", "spec.publish", "spec.publish.baseURL", "spec.publish.lastUpdateTime",
	}, paths)
	required := map[string]bool{}
	for _, f := range config.Fields("ArtifactGenerator") {
		required[f.Path] = f.Required
	}
	assert.True(t, required["spec.managedNamespaces.prune"])
	assert.False(t, required["spec.managedNamespaces.metadata.fromSource.allowedLabels"])
	assert.Contains(t, required, "spec.artifacts[].copy[].optional")
	assert.Nil(t, config.Fields("Namespace"))
}

// TestSamplesOfTheSchema shows that the function accepts and refuses what the
// schemas do: the same files go through kubeconform.
func TestSamplesOfTheSchema(t *testing.T) {
	for directory, good := range map[string]bool{"good": true, "bad": false} {
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "schema", directory, "*.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			rep := &krm.Report{}
			if strings.HasPrefix(filepath.Base(file), "namespacemetadata") {
				readMetadata(t, data, rep)
			} else {
				readConfig(t, string(data), rep)
			}
			assert.Equal(t, good, !rep.Failed(), "%s: %+v", file, rep.Findings())
		}
	}
}

// readConfig passes a file as functionConfig.
func readConfig(t *testing.T, text string, rep *krm.Report) {
	t.Helper()
	in, err := krm.Read([]byte(listOf(text)))
	require.NoError(t, err)
	config.Parse(in, rep)
}

// readMetadata reads a tenant's file as the worked example's generator does.
func readMetadata(t *testing.T, data []byte, rep *krm.Report) {
	t.Helper()
	in, err := krm.Read([]byte(listOf(example)))
	require.NoError(t, err)
	policy := planOf(t, in).Generators[0].Managed
	trees := map[string]*source.Tree{"repo": source.Memory("repo", map[string]source.Content{
		"tenants/tenant-a/namespace-metadata.yaml": {Data: data},
	})}
	tenants := []tenant.Tenant{{Namespace: "tenant-a", Raw: map[string]string{"namespace": "tenant-a", "module": "m"}}}
	policy.Metadata(trees, tenants, func(*tenant.Tenant) int { return 0 }, rep)
}

// TestSchemaAndSyntaxAgree compares the limits that both sides state.
func TestSchemaAndSyntaxAgree(t *testing.T) {
	data := config.Schemas()[0].Data
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Pattern              string
				MinLength, MaxLength int
				MinItems, MaxItems   int
				Enum                 []string
			}
			Required []string
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(data, &schema))
	source := schema.Defs["sourceReference"].Properties
	assert.Equal(t, `^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$`, source["alias"].Pattern)
	assert.Equal(t, 63, source["alias"].MaxLength)
	assert.Equal(t, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, source["name"].Pattern)
	assert.Equal(t, 253, source["name"].MaxLength)
	assert.Equal(t, []string{"Bucket", "GitRepository", "OCIRepository", "HelmChart", "ExternalArtifact"}, source["kind"].Enum)
	spec := schema.Defs["generatorSpec"].Properties
	assert.Equal(t, [2]int{1, 1000}, [2]int{spec["sources"].MinItems, spec["sources"].MaxItems})
	assert.Equal(t, [2]int{1, 1000}, [2]int{spec["artifacts"].MinItems, spec["artifacts"].MaxItems})
	assert.Equal(t, 1024, spec["pathPattern"].MaxLength)
	operation := schema.Defs["copyOperation"].Properties
	assert.Equal(t, [2]int{1, 1024}, [2]int{operation["from"].MinLength, operation["from"].MaxLength})
	assert.Equal(t, 100, operation["exclude"].MaxItems)
	assert.Equal(t, []string{"allowedNames", "prune"}, schema.Defs["managedNamespaces"].Required)
	assert.Equal(t, []string{"allowedNames", "metadata", "prune"}, slices.Sorted(maps.Keys(schema.Defs["managedNamespaces"].Properties)))
}
