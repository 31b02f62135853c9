package fn

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests here run the hosts where the tree is what they hand over: `items: {}`.

const (
	renderContainer = "kpt fn render --truncate-output=false "
	// identity is the pipeline of a package whose function changes nothing.
	identity = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: monorepo\npipeline:\n  mutators:\n    - exec: cat\n"
)

// fromDisk makes a configuration read the disk instead of the items.
func fromDisk(t *testing.T, dir string) {
	t.Helper()
	replaceIn(t, dir, "function-config.yaml", "items: {}", "directory: .")
}

func TestKptRenderContainer(t *testing.T) {
	needsImage(t, "kpt")
	dir, other := example(t, "kpt-render-container"), example(t, "kpt-render-container")
	foreign := snapshot(t, dir)
	must(t, dir, renderContainer+".")
	first := snapshot(t, dir)
	assertFile(t, "kpt.yaml", generated(first))
	for path, text := range foreign {
		assert.Equal(t, text, first[path], "%s is in the form in which kpt writes it", path)
	}
	for range 2 {
		must(t, filepath.Dir(dir), renderContainer+filepath.Base(dir))
		assert.Equal(t, first, snapshot(t, dir), "rendering again must change nothing")
	}

	replaceIn(t, other, "Kptfile", "image: "+kptImage, "exec: provision-tenants")
	must(t, other, kptRender+".")
	assert.Equal(t, generated(first), generated(snapshot(t, other)), "another directory, and the binary, make the same")
	fromDisk(t, other)
	write(t, other, ".krmignore", "tenants\n")
	must(t, other, kptRender+".")
	assert.Equal(t, generated(first), generated(snapshot(t, other)), "the disk has the same files")

	require.NoError(t, os.RemoveAll(filepath.Join(dir, "tenants/tenant-reef")))
	must(t, dir, renderContainer+".")
	assert.FileExists(t, filepath.Join(dir, "generated/tenant-tide/namespace-tenant-tide.yaml"))
	assert.NotContains(t, generated(snapshot(t, dir)), "tenant-reef")
}

// odd are files in forms that their authors chose, below tenants/tenant-odd.
var odd = map[string]string{
	"modules/a/head.yaml":      "# licence\n\n# about\napiVersion: v1\nkind: ConfigMap\nmetadata: # meta\n    name: head # name\n    # before\n    annotations:\n        a: \"x\"\n        # behind\n\ndata:\n    # deep\n    a:   b\n",
	"modules/a/text.yaml":      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: text\ndata:\n  folded: >-\n    one\n    two\n\n    three\n  literal: |\n    a\n\n      b\n  trailing: |\n    x  \n    y\n  quoted: 'it''s'\n  escaped: \"\\U0001F600 é\\ttab\"\n  json: '{\"a\": [1, 2]}'\n  number: \"0123\"\n  yes: \"yes\"\n",
	"modules/a/many.yaml":      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: first\n---\n# between\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: second\n  annotations: {config.kubernetes.io/local-config: \"true\", config.kubernetes.io/depends-on: /namespaces/x}\nspec:\n  template:\n    spec:\n      containers:\n        - name: x\n          args: [\"--a=b\", -v]\n          env: []\n        # foot\n# end\n",
	"modules/a/sub/flow.yaml":  "{apiVersion: v1, kind: ConfigMap, metadata: {name: flow, annotations: {}}, data: {x: y}}\n",
	"modules/a/sub/anchor.yml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: anchor\nx: &a\n- b: c\ny: *a\n",
	"modules/b/object.json":    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"j\"},\"data\":{\"z\":\"<b>\",\"a\":\"1\"}}\n",
	"modules/b/Kptfile":        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: b\n",
	"modules/b/inner.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: inner\nlist:\n- a\n- - b\n",
	"modules/c/weird_$x.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: weird\n",
}

// oddPackage is a package with odd files, rendered so often by a function that
// changes nothing that kpt has nothing more to change.
func oddPackage(t *testing.T) string {
	t.Helper()
	dir := example(t, "kpt-render-container")
	for name, text := range odd {
		write(t, dir, "tenants/tenant-odd/"+name, text)
	}
	for _, module := range []string{"a", "b", "c"} {
		write(t, dir, "tenants/tenant-odd/modules/"+module+"/applier-inputs.yaml", "apiVersion: fn.kpt.dev/v1alpha1\nkind: Inputs\nmetadata:\n  name: x\nspec:\n    list:\n        - a\n")
	}
	replaceIn(t, dir, "function-config.yaml", "{module}/manifests/**", "{module}/**")
	return dir
}

func renderedBy(t *testing.T, dir, kptfile string) map[string]string {
	t.Helper()
	write(t, dir, "Kptfile", kptfile)
	must(t, dir, kptRender+".")
	return snapshot(t, dir)
}

// What kpt writes has the digests of the disk, whatever was in it before, and what
// comes out of a render is what kpt makes of it without us.
func TestKptRenderOfOddFiles(t *testing.T) {
	needs(t, "kpt")
	dir := oddPackage(t)
	kptfile := strings.Replace(read(t, dir, "Kptfile"), "image: "+kptImage, "exec: provision-tenants", 1)
	other := oddPackage(t)
	once := renderedBy(t, other, identity)
	for name, text := range renderedBy(t, dir, kptfile) {
		if !strings.HasPrefix(name, "generated/") && name != "Kptfile" {
			assert.Equal(t, once[name], text, name)
		}
	}

	twice := renderedBy(t, other, identity)
	require.Equal(t, twice, renderedBy(t, other, identity), "kpt has nothing more to change")
	items := renderedBy(t, other, kptfile)
	assert.Equal(t, items, renderedBy(t, other, kptfile), "rendering again must change nothing")
	assert.Equal(t, 6, strings.Count(generated(items), "\nkind: ExternalArtifact\n"))
	fromDisk(t, other)
	write(t, other, ".krmignore", "tenants\n")
	disk := renderedBy(t, other, kptfile)
	assert.Equal(t, generated(disk), generated(items), "the digests are those of the files on the disk")
}

func TestKptEvalOfItems(t *testing.T) {
	needsImage(t, "kpt")
	dir := example(t, "kpt-render-container")
	const eval = "kpt fn eval . --truncate-output=false --fn-config function-config.yaml "
	out := must(t, dir, eval+"-i "+kptImage+" -o unwrap")
	assert.Equal(t, 3, strings.Count(out, "\nkind: ExternalArtifact\n"))
	assert.Equal(t, out, must(t, dir, eval+"--exec provision-tenants -o unwrap"))
	must(t, dir, eval+"-i "+kptImage)
	assertFile(t, "kpt.yaml", generated(snapshot(t, dir)))
}

// The pipe takes files that are no objects: those of the demo.
func TestPipeOfItems(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	require.NoError(t, os.Remove(filepath.Join(dir, ".krmignore")))
	replaceIn(t, dir, "function-config.yaml", "directory: .", "items: {}")
	const pipe = "kpt fn source %s --fn-config function-config.yaml | (cd / && provision-tenants) | kpt fn sink ../%s"
	must(t, dir, fmt.Sprintf(pipe, ".", "once"))
	once := snapshot(t, filepath.Join(filepath.Dir(dir), "once"))
	assertFile(t, "kpt.yaml", generated(once))
	assert.Equal(t, read(t, dir, "tenants/tenant-reef/modules/web/applier-inputs.yaml"), once["tenants/tenant-reef/modules/web/applier-inputs.yaml"])
	must(t, dir, fmt.Sprintf(pipe, "../once", "twice"))
	assert.Equal(t, once, snapshot(t, filepath.Join(filepath.Dir(dir), "twice")))
}

func TestKustomizeItems(t *testing.T) {
	needsImage(t, "kustomize")
	dir := example(t, "kustomize-items-container")
	assertFile(t, "kustomize.yaml", must(t, dir, kustomizeContainer+"."))

	write(t, dir, "tenants/tenant-tide/modules/web/manifests/logo", "\xff\x00\r\n")
	replaceIn(t, dir, "kustomization.yaml", "configMapGenerator:\n", "configMapGenerator:\n  - name: logo\n    files: [tenants/tenant-tide/modules/web/manifests/logo]\n    options:\n      annotations: {provision-tenants.fn.kpt.dev/path: tenants/tenant-tide/modules/web/manifests/logo}\n")
	out := must(t, dir, kustomizeContainer+".")
	fromDisk(t, dir)
	replaceIn(t, dir, "function-config.yaml", "container:\n        image: provision-tenants:dev\n", "exec: {path: provision-tenants}\n")
	assert.Equal(t, out, must(t, dir, kustomizeBuild+"."), "the disk has the same bytes")
}

// Each base has an inventory of one name, which must not be there.
func TestKustomizeItemsInTwoBases(t *testing.T) {
	needs(t, "kustomize")
	root := t.TempDir()
	for base, tenants := range map[string][]string{"one": {"tenant-tide", "tenant-reef"}, "two": {"tenant-wave", "tenant-rock"}} {
		dir := filepath.Join(root, base)
		require.NoError(t, os.CopyFS(dir, os.DirFS("../testdata/hosts/kustomize-items-container")))
		replaceIn(t, dir, "function-config.yaml", "container:\n        image: provision-tenants:dev\n", "exec: {path: provision-tenants}\n")
		for i, old := range []string{"tenant-tide", "tenant-reef"} {
			text := regexp.MustCompile(`\bpath: tenants/`+old).ReplaceAllString(read(t, dir, "kustomization.yaml"), "path: tenants/"+tenants[i])
			write(t, dir, "kustomization.yaml", strings.ReplaceAll(text, "name: "+old, "name: "+tenants[i]))
		}
	}
	write(t, root, "kustomization.yaml", "resources: [one, two]\n")
	assert.Equal(t, 4, strings.Count(must(t, root, kustomizeBuild+"."), "\nkind: Namespace\n"))
}

// A generator gets no items, and kustomize gives none of them a path.
func TestKustomizeHasNoPaths(t *testing.T) {
	needs(t, "kustomize")
	dir := example(t, "kustomize-items-container")
	replaceIn(t, dir, "function-config.yaml", "container:\n        image: provision-tenants:dev\n", "exec: {path: provision-tenants}\n")
	write(t, dir, "kustomization.yaml", "generators: [function-config.yaml]\n")
	r := run(t, dir, kustomizeBuild+".")
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stderr, "name the configuration under `transformers:`")
	write(t, dir, "kustomization.yaml", "transformers: [function-config.yaml]\nresources: [x.yaml]\n")
	write(t, dir, "x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/path: tenants/tenant-x/modules/x/x.yaml\n")
	r = run(t, dir, kustomizeBuild+".")
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stderr, "[items-empty]", "what an author writes is no path of the host's")
}

// A .krmignore below the root counts for nothing.
func TestKrmignoreInItems(t *testing.T) {
	needs(t, "kpt")
	dir := example(t, "kpt-render-container")
	replaceIn(t, dir, "Kptfile", "image: "+kptImage, "exec: provision-tenants")
	write(t, dir, "tenants/.krmignore", "**\n")
	must(t, dir, kptRender+".")
	assertFile(t, "kpt.yaml", generated(snapshot(t, dir)))
	write(t, dir, ".krmignore", "tenants\n")
	r := run(t, dir, kptRender+".")
	assert.NotZero(t, r.status)
	assert.Contains(t, r.stdout+r.stderr, "none that a `.krmignore` names")
	assert.Equal(t, 6, len(slices.Collect(maps.Keys(snapshot(t, filepath.Join(dir, "generated"))))))
}

// kubectl has transformers, too, as plugins.
func TestKubectlItems(t *testing.T) {
	needsPlugins(t, "kubectl")
	dir := example(t, "kustomize-items-container")
	replaceIn(t, dir, "function-config.yaml", "    config.kubernetes.io/function: |\n      container:\n        image: provision-tenants:dev\n", "")
	assertFile(t, "kustomize.yaml", must(t, dir, kubectlBuild+"."))
}

// The archives of a package are those of its objects.
func TestPublishItems(t *testing.T) {
	needs(t, "kpt")
	dir := example(t, "kpt-render-container")
	replaceIn(t, dir, "function-config.yaml", "\nspec:\n", "\nspec:\n  publish: {baseURL: https://artifacts.example.org}\n")
	const source = "kpt fn source . --fn-config function-config.yaml | provision-tenants "
	files := strings.Fields(must(t, dir, source+"publish --out ../public"))
	assert.Len(t, files, 3)
	out := must(t, dir, source)
	for _, file := range files {
		assert.Contains(t, out, "path: "+file+"\n")
		digest, _, _ := strings.Cut(must(t, dir, "sha256sum ../public/"+file), " ")
		assert.Contains(t, out, "\"sha256:"+digest+"\"")
	}
}

// What the README says of links: the function cannot tell, and CI has to.
func TestHostsReadThroughLinks(t *testing.T) {
	needs(t, "kpt")
	dir := example(t, "kpt-render-container")
	check := func() int { return run(t, dir, `test -z "$(find tenants -type l)"`).status }
	assert.Zero(t, check())
	require.NoError(t, os.Symlink("../../../../tenant-reef/modules/web/manifests/config.yaml", filepath.Join(dir, "tenants/tenant-tide/modules/api/manifests/link.yaml")))
	list := must(t, dir, "kpt fn source .")
	assert.Contains(t, list, "config.kubernetes.io/path: 'tenants/tenant-tide/modules/api/manifests/link.yaml'")
	assert.Equal(t, 1, check())
}
