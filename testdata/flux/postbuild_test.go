package flux

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/kustomize"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	owner     = "provision-tenants.fn.kpt.dev/owner"
	localOnly = "config.kubernetes.io/local-config"
	// noSubstitution is how the function writes the annotation.
	noSubstitution = `      kustomize.toolkit.fluxcd.io/substitute: "disabled"` + "\n"
)

// What a cluster's spec.postBuild might hold: at its worst, and as usual.
var (
	hostileVariables = map[string]any{
		"secret": "TOP\nSECRET: 'x\" # {[*&!%@`", "number": "5", "q": `"`, "x": "value: [", "a": "", "cluster_env": "prod\n---\n", "DS_X": "{}", "y": "true",
	}
	usualVariables = map[string]any{"secret": "hunter2", "number": "5", "x": "value", "cluster_env": "prod", "DS_X": "prometheus"}
)

// build does what kustomize-controller does up to post-build substitution.
func build(t *testing.T, stream string) resmap.ResMap {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	require.NoError(t, err)
	write(t, dir, "all.yaml", stream)
	write(t, dir, "kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [all.yaml]\n")
	_, err = kustomize.NewGenerator(dir, kustomization(nil)).WriteFile(dir)
	require.NoError(t, err)
	resources, err := kustomize.SecureBuild(dir, dir, false)
	require.NoError(t, err)
	return resources
}

func kustomization(variables map[string]any) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
		"metadata": map[string]any{"name": "tenants", "namespace": "flux-system"},
		"spec":     map[string]any{"path": "./", "prune": true, "postBuild": map[string]any{"substitute": variables}},
	}}
}

// postBuild is post-build substitution as kustomize-controller does it.
func postBuild(t *testing.T, built resmap.ResMap, variables map[string]any, options ...kustomize.SubstituteOption) (string, error) {
	t.Helper()
	resources := built.DeepCopy()
	for _, resource := range resources.Resources() {
		replaced, err := kustomize.SubstituteVariables(t.Context(), nil, kustomization(variables), resource, options...)
		if err != nil {
			return "", err
		}
		if replaced != nil {
			_, err = resources.Replace(replaced)
			require.NoError(t, err)
		}
	}
	text, err := resources.AsYaml()
	require.NoError(t, err)
	return string(text), nil
}

// ours are the objects of a stream that the function made and that are for a
// cluster, by kind, namespace and name, without what is for hosts.
func ours(t *testing.T, stream string) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for _, o := range documents(t, stream) {
		metadata, _ := o["metadata"].(map[string]any)
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations[owner] == nil || annotations[localOnly] != nil {
			continue
		}
		maps.DeleteFunc(annotations, func(key string, _ any) bool {
			return strings.Contains(key, "config.kubernetes.io/") || strings.Contains(key, "config.k8s.io/")
		})
		group, _, _ := strings.Cut(fmt.Sprint(o["apiVersion"]), "/")
		id := fmt.Sprint(group, " ", o["kind"], " ", metadata["namespace"], " ", metadata["name"])
		require.NotContains(t, found, id)
		found[id] = o
	}
	return found
}

// documents reads bare documents, or the items of a list.
func documents(t *testing.T, stream string) []map[string]any {
	t.Helper()
	var found []map[string]any
	for decoder := yaml.NewDecoder(strings.NewReader(stream)); ; {
		var document map[string]any
		err := decoder.Decode(&document)
		if err != nil {
			require.EqualError(t, err, "EOF")
			return found
		}
		if kind := document["kind"]; kind != "ResourceList" && kind != "List" {
			found = append(found, document)
			continue
		}
		for _, item := range document["items"].([]any) {
			found = append(found, item.(map[string]any))
		}
	}
}

var modes = map[string][]kustomize.SubstituteOption{
	"strict": {kustomize.SubstituteWithStrict(true)},
	"lax":    {kustomize.SubstituteWithStrict(false)},
	"always": {kustomize.SubstituteWithAlways(true), kustomize.SubstituteWithStrict(true)},
}

// What tenants write is data: substitution changes no value of what the function
// emits, whatever the variables are.
func TestPostBuildChangesNothing(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			stream, stderr, status := e.run(t)
			require.Zero(t, status, stderr)
			for _, stream := range ofEachCluster(t, stream) {
				want, built := ours(t, stream), build(t, stream)
				for mode, options := range modes {
					got, err := postBuild(t, built, hostileVariables, options...)
					require.NoError(t, err, mode)
					assert.Equal(t, want, ours(t, got), mode)
				}
			}
		})
	}
}

// ofEachCluster are the items of a list that the function made, as a list for each
// cluster: kustomize cannot hold one object twice. What passes through is left out
// (whose it is, decides about variables in it), and what is for no cluster.
func ofEachCluster(t *testing.T, stream string) map[string]string {
	t.Helper()
	if !strings.HasPrefix(stream, "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n") {
		return map[string]string{"": stream}
	}
	var list struct {
		Items []yaml.Node `yaml:"items"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(stream), &list))
	lines := strings.SplitAfter(stream, "\n")
	streams := map[string]string{}
	for i, item := range list.Items {
		end := len(lines)
		if i+1 < len(list.Items) {
			end = list.Items[i+1].Line - 1
		}
		text := strings.Join(lines[item.Line-1:end], "")
		text, _, _ = strings.Cut(text, "\nfunctionConfig:\n")
		text, _, _ = strings.Cut(text, "\nresults:\n")
		var object struct {
			Metadata struct{ Annotations map[string]string }
		}
		require.NoError(t, item.Decode(&object))
		cluster := object.Metadata.Annotations["provision-tenants.fn.kpt.dev/cluster"]
		if object.Metadata.Annotations[owner] == "" || object.Metadata.Annotations[localOnly] != "" {
			continue
		}
		if streams[cluster] == "" {
			streams[cluster] = "apiVersion: v1\nkind: List\nitems:\n"
		}
		streams[cluster] += strings.TrimSuffix(text, "\n") + "\n"
	}
	return streams
}

// The hostile tenant gets exactly what it wrote, and takes nothing of the admin's
// along.
func TestHostileTextArrivesAsItIs(t *testing.T) {
	stream, stderr, status := hostile(t).run(t)
	require.Zero(t, status, stderr)
	text, err := postBuild(t, build(t, stream), hostileVariables, kustomize.SubstituteWithStrict(true))
	require.NoError(t, err)
	got := ours(t, text)
	found := got["v1 Namespace <nil> tenant-x"]["metadata"].(map[string]any)["annotations"].(map[string]any)
	for key, value := range annotations {
		assert.Equal(t, value, found[key])
	}
	assert.Equal(t, "strict", found["admin.io/quota"])
	var inputs map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(hostileInputs), &inputs))
	assert.Equal(t, inputs, got["source.toolkit.fluxcd.io ExternalArtifact tenant-x web"]["status"].(map[string]any)["exportedInputs"])
}

// The tests above would notice: without the annotation the same stream leaks a
// secret, loses what the admin wrote, changes types, or fails.
func TestPostBuildWouldChangeIt(t *testing.T) {
	stream, stderr, status := hostile(t).run(t)
	require.Zero(t, status, stderr)
	bare := strings.ReplaceAll(stream, strings.TrimPrefix(noSubstitution, "  "), "")
	require.NotEqual(t, stream, bare)
	for mode, options := range modes {
		_, err := postBuild(t, build(t, bare), usualVariables, options...)
		assert.ErrorContains(t, err, "envsubst error", mode)
	}
	// What Flux takes for a variable or a default.
	var kept strings.Builder
	for line := range strings.Lines(bare) {
		if !strings.Contains(line, "tenant/braces") && !strings.Contains(line, "tenant/quotes") && !strings.Contains(line, "open:") && !strings.Contains(line, "default:") {
			kept.WriteString(line)
		}
	}
	text, err := postBuild(t, build(t, kept.String()), usualVariables, kustomize.SubstituteWithStrict(true))
	require.NoError(t, err)
	seen := 0
	for _, o := range documents(t, text) {
		metadata := o["metadata"].(map[string]any)
		seen++
		switch fmt.Sprint(o["kind"], " ", metadata["namespace"], " ", metadata["name"]) {
		case "Namespace <nil> tenant-x":
			found := metadata["annotations"].(map[string]any)
			assert.Equal(t, "prod", found["a.tenant/x"])
			assert.NotContains(t, found, "admin.io/quota", "two annotations of the tenant take what stands between them")
			assert.NotContains(t, found, owner)
		case "ExternalArtifact tenant-x web":
			inputs := o["status"].(map[string]any)["exportedInputs"].(map[string]any)
			assert.Equal(t, 5, inputs["number"], "no string any more")
			assert.Equal(t, "a key", inputs["hunter2"])
			assert.Contains(t, inputs["dashboard"], "prometheus")
		default:
			seen--
		}
	}
	assert.Equal(t, 2, seen)
}
