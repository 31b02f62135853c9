package fn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kubectl runs nothing but kustomize's legacy exec plugins.
const kubectlBuild = "kubectl kustomize --enable-alpha-plugins "

// plugins is a plugin directory with the function under both of its kinds: a link
// and a copy.
func plugins(t *testing.T) string {
	t.Helper()
	binary := strings.TrimSpace(must(t, ".", "command -v provision-tenants"))
	dir := t.TempDir()
	link := filepath.Join(dir, "fn.kpt.dev/v1alpha1/provisiontenants/ProvisionTenants")
	copied := filepath.Join(dir, "source.extensions.fluxcd.io/v1beta1/artifactgenerator/ArtifactGenerator")
	for _, plugin := range []string{link, copied} {
		require.NoError(t, os.MkdirAll(filepath.Dir(plugin), 0o755))
	}
	require.NoError(t, os.Symlink(binary, link))
	must(t, dir, "cp "+binary+" "+copied)
	return dir
}

// needsPlugins is needs, and kustomize finds the function as a plugin.
func needsPlugins(t *testing.T, programs ...string) {
	t.Helper()
	needs(t, programs...)
	t.Setenv("KUSTOMIZE_PLUGIN_HOME", plugins(t))
}

// kubectlDemo is a copy of the sample tree and of its configuration for kubectl,
// which are the two directories that it returns.
func kubectlDemo(t *testing.T) (tree, dir string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"demo", "hosts/kubectl"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join("../testdata", name))))
	}
	return filepath.Join(root, "demo"), filepath.Join(root, "hosts/kubectl")
}

// The objects, the digests among them, are those of the exec function.
func TestKubectl(t *testing.T) {
	needsPlugins(t, "kubectl")
	_, dir := kubectlDemo(t)
	out := must(t, dir, kubectlBuild+".")
	assert.Equal(t, read(t, "../testdata/hosts", "kustomize.yaml"), out)
	assert.Equal(t, out, must(t, filepath.Dir(dir), kubectlBuild+"kubectl"), "the directory of the caller must not matter")
}

func TestKustomizePlugin(t *testing.T) {
	needsPlugins(t, "kustomize")
	_, dir := kubectlDemo(t)
	assert.Equal(t, read(t, "../testdata/hosts", "kustomize.yaml"), must(t, dir, "kustomize build --enable-alpha-plugins ."))
}

const pluginGenerator = `apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata:
  name: monorepo
  namespace: flux-system
  annotations:
    provision-tenants.fn.kpt.dev/directory: ../../demo
spec:
  serviceAccountName: flux-operator
  pathPattern: "@repo/tenants/{namespace}/modules/{module}"
  sources:
    - {alias: repo, kind: GitRepository, name: monorepo}
  artifacts:
    - name: "{module}"
      namespace: "{namespace}"
      copy:
        - {from: "@repo/tenants/{namespace}/modules/{module}/**", to: "@artifact/"}
  managedNamespaces:
    allowedNames: [ns.startsWith("tenant-")]
    prune: true
`

func TestKubectlShortForm(t *testing.T) {
	needsPlugins(t, "kubectl")
	_, dir := kubectlDemo(t)
	write(t, dir, "function-config.yaml", pluginGenerator)
	out := must(t, dir, kubectlBuild+".")
	assert.Equal(t, 2, strings.Count(out, "\nkind: Namespace\n"))
	assert.Equal(t, 3, strings.Count(out, "\nkind: ExternalArtifact\n"))
	assert.NotContains(t, out, "config.kubernetes.io/")
	assert.NotContains(t, out, "\nkind: ConfigMap\n", "an inventory would be local-config and collide")
}

// A transformer gets what the kustomization holds, and what it does not give back
// is gone. The configuration among the resources must not reach a cluster.
func TestKubectlTransformer(t *testing.T) {
	needsPlugins(t, "kubectl")
	for name, config := range map[string]string{
		"short form": pluginGenerator,
		"full form":  read(t, "../testdata/hosts/kubectl", "function-config.yaml"),
		"full form without local-config": strings.Replace(read(t, "../testdata/hosts/kubectl", "function-config.yaml"),
			"  annotations:\n    config.kubernetes.io/local-config: \"true\"\n", "", 1),
	} {
		_, dir := kubectlDemo(t)
		write(t, dir, "function-config.yaml", config)
		generated := must(t, dir, kubectlBuild+".")
		write(t, dir, "cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: theirs\n  namespace: default\ndata:\n  text: |\n    --- a\n\n      b: ${c}\n  \"yes\": \"0744\"\n")
		write(t, dir, "kustomization.yaml", "resources: [cm.yaml, function-config.yaml]\ntransformers: [function-config.yaml]\n")
		out := must(t, dir, kubectlBuild+".")
		assert.NotContains(t, out, "kind: ProvisionTenants\n", name)
		assert.Equal(t, strings.Count(generated, "kind: ArtifactGenerator\n"), strings.Count(out, "kind: ArtifactGenerator\n"), name)
		write(t, dir, "kustomization.yaml", "resources: [cm.yaml]\n")
		theirs := must(t, dir, "kubectl kustomize .")
		assert.ElementsMatch(t, append(bareDocuments(generated), bareDocuments(theirs)...), bareDocuments(out), name)
	}
}

func bareDocuments(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n---\n")
}

// The generator of another configuration is read and kept from the cluster.
func TestKubectlTransformerConsumes(t *testing.T) {
	needsPlugins(t, "kubectl")
	_, dir := kubectlDemo(t)
	write(t, dir, "generator.yaml", strings.Replace(pluginGenerator, "  annotations:\n    provision-tenants.fn.kpt.dev/directory: ../../demo\n", "", 1))
	write(t, dir, "function-config.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: ProvisionTenants\nmetadata:\n  name: monorepo\nspec:\n  sources:\n    - directory: ../../demo\n")
	write(t, dir, "kustomization.yaml", "resources: [generator.yaml]\ntransformers: [function-config.yaml]\n")
	out := must(t, dir, kubectlBuild+".")
	assert.Equal(t, 2, strings.Count(out, "\nkind: Namespace\n"))
	assert.NotContains(t, "\n"+out, "\nkind: ArtifactGenerator\n")
}

func TestKubectlShowsEveryError(t *testing.T) {
	needsPlugins(t, "kubectl")
	tree, dir := kubectlDemo(t)
	write(t, tree, "tenants/tenant_one/modules/m/manifests/a.yaml", "a: b\n")
	write(t, tree, "tenants/tenant_two/modules/m/manifests/a.yaml", "a: b\n")
	r := run(t, dir, kubectlBuild+".")
	assert.NotZero(t, r.status)
	assert.Empty(t, r.stdout)
	assert.Contains(t, r.stderr, "tenants/tenant_one: ")
	assert.Contains(t, r.stderr, "tenants/tenant_two: ")
}

// What the README warns of.
func TestKubectlTraps(t *testing.T) {
	needsPlugins(t, "kubectl")
	_, dir := kubectlDemo(t)
	r := run(t, dir, "kubectl kustomize .")
	assert.NotZero(t, r.status, "the flag must be there")
	assert.Contains(t, r.stderr, "external plugins disabled")
	r = run(t, dir, "kubectl apply --dry-run=client -k .")
	assert.NotZero(t, r.status, "apply -k has no such flag")
	assert.Contains(t, r.stderr, "external plugins disabled")
	r = run(t, dir, "kubectl apply --dry-run=client --enable-alpha-plugins -k .")
	assert.Contains(t, r.stderr, "unknown flag: --enable-alpha-plugins")
	t.Setenv("KUSTOMIZE_PLUGIN_HOME", t.TempDir())
	r = run(t, dir, kubectlBuild+".")
	assert.NotZero(t, r.status, "the plugin must be there")
	_, dir = kubectlDemo(t)
	write(t, dir, "function-config.yaml", read(t, "..", "function-config.yaml"))
	r = run(t, dir, kubectlBuild+".")
	assert.Zero(t, r.status)
	assert.Empty(t, r.stdout, "kubectl skips a configuration with the function annotation")
}

// The protocol without a host: no list comes out, and nothing names a file.
func TestPluginProtocol(t *testing.T) {
	t.Chdir(demo(t))
	first := runMain(nil, "function-config.yaml")
	assert.Equal(t, "0\n", first["status"])
	assert.Empty(t, first["stderr"])
	assert.Len(t, bareDocuments(first["stdout.yaml"]), 5)
	assert.NotContains(t, first["stdout.yaml"], " config.kubernetes.io/")
	second := runMain([]byte(first["stdout.yaml"]), "function-config.yaml")
	assert.Equal(t, first, second, "its own output is taken over")
	theirs := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: theirs\n"
	third := runMain([]byte(theirs+"---\n"+first["stdout.yaml"]), "function-config.yaml")
	assert.Equal(t, theirs+"---\n"+first["stdout.yaml"], third["stdout.yaml"])
}

func TestPluginProtocolErrors(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	write(t, dir, "tenants/tenant_one/modules/m/manifests/a.yaml", "a: b\n")
	write(t, dir, "text", "no configuration\n")
	write(t, dir, "pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
	theirs := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: theirs\n"
	for _, test := range []struct {
		stdin          string
		args           []string
		status, stderr string
	}{
		{theirs, []string{"function-config.yaml"}, "1\n", "[namespace-name]"},
		{"", []string{"pod.yaml"}, "1\n", `found kind "Pod"`},
		{"", []string{"text"}, "2\n", `error: "text": `},
		{"", []string{"missing.yaml"}, "2\n", `error: unknown verb "missing.yaml"`},
		{"", []string{"tenants"}, "2\n", "is a directory"},
		{"", []string{"function-config.yaml", "x"}, "2\n", `error: unknown verb "function-config.yaml"`},
		{"a: [b\n", []string{"function-config.yaml"}, "2\n", `error: "function-config.yaml": stdin is not YAML`},
		{string(wrap([]byte("a: b\n"))), []string{"function-config.yaml"}, "2\n", "stdin is a ResourceList"},
	} {
		r := runMain([]byte(test.stdin), test.args...)
		assert.Equal(t, test.status, r["status"], test.args)
		assert.Contains(t, r["stderr"], test.stderr, test.args)
		if test.status == "1\n" {
			assert.Equal(t, test.stdin, r["stdout.yaml"], "what came in goes out")
		} else {
			assert.Empty(t, r["stdout.yaml"], test.args)
		}
	}
}
