package fn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// schemaLocation is where kubeconform looks for what `schema --out` writes.
const schemaLocation = "-schema-location '{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json'"

// The samples name the schemas of the repository in their first lines.
func TestSchemasOfTheRepositoryAreCurrent(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, "0\n", runMain(nil, "schema", "--out", dir)["status"])
	written := snapshot(t, dir)
	require.Len(t, written, 7)
	for name, text := range written {
		assert.Equal(t, read(t, "../testdata/schema", name), text, "run `provision-tenants schema --out testdata/schema`")
	}
}

func TestSchemaVerb(t *testing.T) {
	list := runMain(nil, "schema")
	assert.Equal(t, "ArtifactGenerator\nClusterProfile\nNamespaceMetadata\nProfile\nProvisionTenants\nResourceSet\nResourceSetInputProvider\n", list["stdout.yaml"])
	one := runMain(nil, "schema", "NamespaceMetadata")
	assert.Equal(t, read(t, "../testdata/schema", "source.extensions.fluxcd.io/namespacemetadata_v1beta1.json"), one["stdout.yaml"])
	dir := t.TempDir()
	assert.Equal(t, "0\n", runMain(nil, "schema", "--out="+dir, "ProvisionTenants")["status"])
	assert.Len(t, snapshot(t, dir), 1)
	assert.FileExists(t, filepath.Join(dir, "fn.kpt.dev/provisiontenants_v1alpha1.json"))
	for _, args := range [][]string{{"schema", "Namespacemetadata"}, {"schema", "--out"}, {"schema", "a", "b"}, {"schema", "--output", dir}, {"shema"}, {"version", "x"}} {
		r := runMain(nil, args...)
		assert.Equal(t, "2\n", r["status"], args)
		assert.Empty(t, r["stdout.yaml"], args)
		assert.Contains(t, r["stderr"], "error: ", args)
	}
	assert.Contains(t, runMain(nil, "schema", "Namespacemetadata")["stderr"], `did you mean "NamespaceMetadata"?`)
	assert.Contains(t, runMain(nil, "shema")["stderr"], `did you mean "schema"?`)
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		r := runMain(nil, args...)
		assert.Equal(t, "0\n", r["status"])
		assert.Contains(t, r["stdout.yaml"], "Usage:\n")
	}
	assert.Regexp(t, `^provision-tenants \S+\n$`, runMain(nil, "version")["stdout.yaml"])
}

func TestKubeconform(t *testing.T) {
	needs(t, "kubeconform")
	schemas := filepath.Join(repository(t), "testdata/schema")
	conforms := func(file string) result {
		return run(t, schemas, "kubeconform -strict "+schemaLocation+" '"+file+"'")
	}
	for _, pattern := range []string{"good/*.yaml", "../../function-config.yaml", "../demo/function-config.yaml", "../hosts/*/function-config.yaml", "../publish/function-config.yaml", "../demo/tenants/*/namespace-metadata.yaml"} {
		files, err := filepath.Glob(filepath.Join(schemas, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			r := conforms(file)
			assert.Zero(t, r.status, "%s\n%s%s", file, r.stdout, r.stderr)
		}
	}
	bad, err := filepath.Glob(filepath.Join(schemas, "bad/*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, bad)
	for _, file := range bad {
		r := conforms(file)
		assert.Equal(t, 1, r.status, file)
		assert.Contains(t, r.stdout+r.stderr, "is invalid", file)
	}
}

// The sample of the demo is the sample at the top, but for the way to the schema.
func TestSamplesAreOne(t *testing.T) {
	top, inDemo := read(t, "..", "function-config.yaml"), read(t, "../testdata/demo", "function-config.yaml")
	_, top, _ = strings.Cut(top, "\n")
	_, inDemo, _ = strings.Cut(inDemo, "\n")
	assert.Equal(t, top, inDemo)
	_, err := os.Stat("../testdata/schema/fn.kpt.dev/provisiontenants_v1alpha1.json")
	assert.NoError(t, err, "the first line of the samples names it")
}
