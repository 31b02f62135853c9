package config

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// fluxSchemas are the schemas of Flux's CRDs, as an API server checks them.
type fluxSchemas struct {
	// dir is where kubeconform finds them as JSON Schemas that know no other fields.
	dir string
	// byKind are the schemas as they are, for their rules.
	byKind map[string]map[string]any
}

func newFluxSchemas(t *testing.T) fluxSchemas {
	t.Helper()
	bin, err := filepath.Abs("../../bin")
	require.NoError(t, err)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if _, err := exec.LookPath("kubeconform"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("kubeconform is not installed")
		}
		t.Skip("kubeconform is not installed")
	}
	f := fluxSchemas{t.TempDir(), map[string]map[string]any{}}
	files, err := filepath.Glob("testdata/crds/*.yaml")
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var crd struct {
			Spec struct {
				Names    struct{ Kind string }
				Versions []struct {
					Schema struct{ OpenAPIV3Schema map[string]any }
				}
			}
		}
		require.NoError(t, yaml.Unmarshal(data, &crd))
		schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		f.byKind[crd.Spec.Names.Kind] = schema
		closed, err := json.Marshal(knowNothingElse(schema))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(f.dir, strings.ToLower(crd.Spec.Names.Kind)+".json"), closed, 0o600))
	}
	return f
}

// knowNothingElse refuses unknown fields, which a server would drop.
func knowNothingElse(schema map[string]any) map[string]any {
	closed := map[string]any{}
	for key, value := range schema {
		switch value := value.(type) {
		case map[string]any:
			if key == "properties" {
				properties := map[string]any{}
				for name, property := range value {
					properties[name] = knowNothingElse(property.(map[string]any))
				}
				closed[key] = properties
				continue
			}
			closed[key] = knowNothingElse(value)
		default:
			closed[key] = value
		}
	}
	if _, found := schema["properties"]; found {
		closed["additionalProperties"] = false
	}
	return closed
}

// mistakes are what the API server has against objects, by file name.
func (f fluxSchemas) mistakes(t *testing.T, objects map[string]string) string {
	t.Helper()
	dir, rules := t.TempDir(), ""
	for name, text := range objects {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600))
		var object map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &object))
		rules += brokenRules(t, name, f.byKind[object["kind"].(string)], object)
	}
	out, err := exec.Command("kubeconform", "-strict", "-summary", "-schema-location", filepath.Join(f.dir, "{{.ResourceKind}}.json"), dir).CombinedOutput()
	if err == nil {
		require.Contains(t, string(out), fmt.Sprintf(" - Valid: %d, Invalid: 0,", len(objects)))
		return rules
	}
	return rules + string(out)
}

// brokenRules evaluates the rules of a schema on a value.
func brokenRules(t *testing.T, path string, schema map[string]any, value any) string {
	t.Helper()
	broken := ""
	rules, _ := schema["x-kubernetes-validations"].([]any)
	for _, r := range rules {
		rule := r.(map[string]any)
		env, err := cel.NewEnv(cel.Variable("self", cel.DynType))
		require.NoError(t, err)
		ast, issues := env.Compile(rule["rule"].(string))
		require.NoError(t, issues.Err())
		program, err := env.Program(ast)
		require.NoError(t, err)
		result, _, err := program.Eval(map[string]any{"self": value})
		require.NoError(t, err)
		if result.Value() != true {
			broken += path + ": " + rule["message"].(string) + "\n"
		}
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			if inner, found := value[name]; found {
				broken += brokenRules(t, path+"."+name, property.(map[string]any), inner)
			}
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, item := range value {
			broken += brokenRules(t, path+"[]", items, item)
		}
	}
	return broken
}

// Everything that the rows make is what Flux's CRDs allow.
func TestFluxTakesTheObjects(t *testing.T) {
	schemas := newFluxSchemas(t)
	objects := map[string]string{}
	for i, r := range rows {
		made, _ := r.made(t)
		for j, m := range made {
			if m.Object.APIVersion == "v1" {
				continue
			}
			objects[fmt.Sprintf("%d-%d", i, j)] = string(m.Object.AppendYAML(nil, 0))
		}
	}
	require.Greater(t, len(objects), 100)
	assert.Empty(t, schemas.mistakes(t, objects))
}

// What Flux's CRDs refuse, they refuse here, too.
func TestFluxSchemasBite(t *testing.T) {
	schemas := newFluxSchemas(t)
	made, _ := row{}.made(t)
	good := map[string]string{}
	for _, m := range made {
		good[m.Object.Kind] = string(m.Object.AppendYAML(nil, 0))
	}
	require.Empty(t, schemas.mistakes(t, good))
	for _, change := range []struct{ kind, from, to, want string }{
		{"HelmRelease", "disableWait: true", "disableWaits: true", "additional properties 'disableWaits' not allowed"},
		{"HelmRelease", "timeout: \"5m\"", "timeout: \"5d\"", "does not match pattern"},
		{"HelmRelease", "name: RetryOnFailure", "name: Retry", "value must be one of"},
		{"HelmRelease", "releaseName: web", "releaseName: " + strings.Repeat("a", 54), "maxLength"},
		{"HelmRelease", "maxHistory: 2", "maxHistory: \"2\"", "got string, want integer"},
		{"HelmRelease", "  interval:", "  chartRef:\n    kind: OCIRepository\n    name: a\n  interval:", "either chart or chartRef must be set"},
		{"HelmRelease", "  chart:\n", "  kubeConfig: {}\n  chart:\n", "exactly one of spec.kubeConfig"},
		{"HelmRepository", "https://", "ftp://", "does not match pattern"},
		{"HelmRepository", "  url:", "  uri:", "missing property 'url'"},
	} {
		text := strings.ReplaceAll(good[change.kind], change.from, change.to)
		require.NotEqual(t, good[change.kind], text, change.from)
		assert.Contains(t, schemas.mistakes(t, map[string]string{"bad": text}), change.want)
	}
}
