package fn

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests here run the real hosts. Where one is missing they fail in CI, and
// are skipped elsewhere.

// repository is the root of the checkout.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	return root
}

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "provision-tenants-bin-*")
	if err != nil {
		return "", err
	}
	command := exec.Command("go", "build", "-o", filepath.Join(dir, "provision-tenants"), "..")
	if out, err := command.CombinedOutput(); err != nil {
		return string(out), err
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if dir, err := build(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(status)
}

// needs makes sure that programs are there, and puts the function on the PATH.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	dir, err := build()
	require.NoError(t, err, dir)
	t.Setenv("PATH", strings.Join([]string{dir, filepath.Join(repository(t), "bin"), os.Getenv("PATH")}, string(os.PathListSeparator)))
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not installed", program)
			}
			t.Skipf("%s is not installed", program)
		}
	}
}

type result struct {
	stdout, stderr string
	status         int
}

// run runs a shell command in dir.
func run(t *testing.T, dir, command string) result {
	t.Helper()
	shell := exec.Command("bash", "-o", "pipefail", "-c", command)
	shell.Dir = dir
	var stdout, stderr bytes.Buffer
	shell.Stdout, shell.Stderr = &stdout, &stderr
	err := shell.Run()
	if shell.ProcessState == nil {
		require.NoError(t, err)
	}
	return result{stdout.String(), stderr.String(), shell.ProcessState.ExitCode()}
}

// must is run for a command that has to succeed.
func must(t *testing.T, dir, command string) string {
	t.Helper()
	r := run(t, dir, command)
	require.Zero(t, r.status, "%s\n%s%s", command, r.stdout, r.stderr)
	return r.stdout
}

// demo is a copy of the sample tree.
func demo(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	require.NoError(t, os.CopyFS(dir, os.DirFS("../testdata/demo")))
	return dir
}

// snapshot is every file below dir.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(data)
		return err
	}))
	return files
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

// assertFile compares with a file below testdata/hosts, which -update rewrites.
func assertFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(repository(t), "testdata", "hosts", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

const (
	kustomizeBuild = "kustomize build --enable-alpha-plugins --enable-exec "
	kptRender      = "kpt fn render --allow-exec --truncate-output=false "
)

func TestKustomizeFile(t *testing.T) {
	needs(t, "kustomize")
	dir := demo(t)
	out := must(t, dir, kustomizeBuild+".")
	assertFile(t, "kustomize.yaml", out)
	assert.Equal(t, out, must(t, filepath.Dir(dir), kustomizeBuild+"demo"), "the directory of the caller must not matter")
}

func TestKustomizeInline(t *testing.T) {
	needs(t, "kustomize")
	dir := demo(t)
	want := must(t, dir, kustomizeBuild+".")
	write(t, dir, "kustomization.yaml", "generators:\n  - |-\n"+indented(read(t, dir, "function-config.yaml"), "    "))
	require.NoError(t, os.Remove(filepath.Join(dir, "function-config.yaml")))
	assert.Equal(t, want, must(t, dir, kustomizeBuild+"."))
}

func indented(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(by + line)
	}
	return b.String()
}

// Both configurations have one name: an echoed configuration, or an inventory,
// would collide.
func TestKustomizeBaseAndOverlay(t *testing.T) {
	needs(t, "kustomize")
	root := t.TempDir()
	for _, layer := range []string{"base", "overlay"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, layer), os.DirFS("../testdata/demo")))
	}
	for _, rename := range []string{"tide tenant-wave", "reef tenant-rock"} {
		old, renamed, _ := strings.Cut(rename, " ")
		require.NoError(t, os.Rename(filepath.Join(root, "overlay/tenants/tenant-"+old), filepath.Join(root, "overlay/tenants", renamed)))
	}
	write(t, root, "overlay/kustomization.yaml", "resources: [../base]\ngenerators: [function-config.yaml]\n")
	out := must(t, root, kustomizeBuild+"overlay")
	for _, name := range []string{"tenant-tide", "tenant-reef", "tenant-wave", "tenant-rock"} {
		assert.Contains(t, out, "kind: Namespace\nmetadata:\n", name)
		assert.Equal(t, 1, strings.Count(out, "provision-tenants.fn.kpt.dev/name: /Namespace//"+name+"\n"), name)
	}
	assert.NotContains(t, out, "ProvisionTenants\n")
}

func TestKustomizeShowsEveryError(t *testing.T) {
	needs(t, "kustomize")
	dir := demo(t)
	write(t, dir, "tenants/tenant-one/modules/m/manifests/a.yaml", "a: b\n")
	write(t, dir, "tenants/tenant-one/namespace-metadata.yaml", "kind: NamespaceMetadata\napiVersion: source.extensions.fluxcd.io/v1beta1\nmetadata:\n  labels:\n    platform.example.org/cost-centre: 42\n")
	write(t, dir, "tenants/tenant_two/modules/m/manifests/a.yaml", "a: b\n")
	r := run(t, dir, kustomizeBuild+".")
	assert.Equal(t, 1, r.status)
	assert.Empty(t, r.stdout)
	assert.Contains(t, r.stderr, "error: tenants/tenant-one/namespace-metadata.yaml:5:39: ")
	assert.Contains(t, r.stderr, "error: tenants/tenant_two: ")
}

func TestKptRender(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	foreign := snapshot(t, dir)
	must(t, dir, kptRender+".")
	first := snapshot(t, dir)
	for path := range foreign {
		assert.Contains(t, first, path)
	}
	assertFile(t, "kpt.yaml", generated(first))
	assert.Equal(t, foreign["tenants/tenant-tide/modules/api/manifests/config.yaml"], first["tenants/tenant-tide/modules/api/manifests/config.yaml"])
	for range 2 {
		must(t, filepath.Dir(dir), kptRender+"demo")
		assert.Equal(t, first, snapshot(t, dir), "rendering again must change nothing")
	}
}

// generated joins the files that a render wrote.
func generated(files map[string]string) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(path, "generated/") {
			b.WriteString("# " + path + "\n" + files[path])
		}
	}
	return b.String()
}

func TestKptRenderAfterATenantLeft(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	must(t, dir, kptRender+".")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "tenants/tenant-reef")))
	must(t, dir, kptRender+".")
	assert.FileExists(t, filepath.Join(dir, "generated/tenant-tide/namespace-tenant-tide.yaml"))
	assert.NotContains(t, generated(snapshot(t, dir)), "tenant-reef")
}

func TestKptRenderStopsBeforeAllTenantsLeave(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	must(t, dir, kptRender+".")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "tenants")))
	write(t, dir, "tenants/README.md", "moved")
	before := snapshot(t, dir)
	r := run(t, dir, kptRender+".")
	assert.NotZero(t, r.status)
	assert.Contains(t, r.stdout+r.stderr, "[deletion-all]")
	assert.Contains(t, r.stdout+r.stderr, "[no-match]")
	assert.Equal(t, before, snapshot(t, dir))
}

func TestKptRenderLeavesAMovedFileWhereItIs(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	must(t, dir, kptRender+".")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "namespaces"), 0o755))
	require.NoError(t, os.Rename(filepath.Join(dir, "generated/tenant-reef/namespace-tenant-reef.yaml"), filepath.Join(dir, "namespaces/reef.yaml")))
	moved := read(t, dir, "namespaces/reef.yaml")
	for range 2 {
		must(t, dir, kptRender+".")
		assert.Equal(t, moved, read(t, dir, "namespaces/reef.yaml"))
		assert.NoFileExists(t, filepath.Join(dir, "generated/tenant-reef/namespace-tenant-reef.yaml"))
	}
	assert.Contains(t, generated(snapshot(t, dir)), "namespaces/reef.yaml", "the inventory names the file")
}

// tenantsAreItems keeps from kpt only what it refuses.
const tenantsAreItems = "**/applier-inputs.yaml\n**/namespace-metadata.yaml\n"

// A package inside the package: the paths that kpt gives its items start there.
func TestKptRenderLeavesAFileInASubpackage(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	must(t, dir, kptRender+".")
	write(t, dir, "sub/Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: sub\n")
	require.NoError(t, os.Rename(filepath.Join(dir, "generated/tenant-reef/namespace-tenant-reef.yaml"), filepath.Join(dir, "sub/reef.yaml")))
	moved := read(t, dir, "sub/reef.yaml")
	for range 2 {
		must(t, dir, kptRender+".")
		assert.Equal(t, moved, read(t, dir, "sub/reef.yaml"))
		assert.NoFileExists(t, filepath.Join(dir, "reef.yaml"))
		assert.NoFileExists(t, filepath.Join(dir, "generated/tenant-reef/namespace-tenant-reef.yaml"))
	}
}

func TestKptRenderIgnoresAGeneratorOfATenant(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	write(t, dir, ".krmignore", tenantsAreItems)
	must(t, dir, kptRender+".")
	want := generated(snapshot(t, dir))
	write(t, dir, "tenants/tenant-reef/generator.yaml", `apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata:
  name: evil
  namespace: flux-system
spec:
  serviceAccountName: flux-operator
  pathPattern: "@repo/{namespace}"
  sources: [{alias: repo, kind: GitRepository, name: monorepo}]
  artifacts:
    - {name: x, namespace: "{namespace}", copy: [{from: "@repo/tenants/tenant-tide/**", to: "@artifact/"}]}
  managedNamespaces: {allowedNames: ["true"], prune: true}
`)
	r := run(t, dir, kptRender+".")
	assert.Zero(t, r.status, r.stderr)
	assert.Contains(t, r.stdout+r.stderr, "[tenant-configuration-ignored]")
	assert.Equal(t, want, generated(snapshot(t, dir)))
	assert.Contains(t, read(t, dir, "tenants/tenant-reef/generator.yaml"), "name: evil")
	assert.NotContains(t, read(t, dir, "tenants/tenant-reef/generator.yaml"), "local-config")
}

func TestKptRenderRefusesAForgedOwner(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	write(t, dir, ".krmignore", tenantsAreItems)
	must(t, dir, kptRender+".")
	forged := strings.ReplaceAll(read(t, dir, "generated/tenant-tide/namespace-tenant-tide.yaml"), "tenant-tide", "tenant-evil")
	write(t, dir, "tenants/tenant-reef/ns.yaml", forged)
	before := snapshot(t, dir)
	r := run(t, dir, kptRender+".")
	assert.NotZero(t, r.status)
	assert.Contains(t, r.stdout+r.stderr, "[forged-owner]")
	assert.Equal(t, before, snapshot(t, dir))
}

// kpt runs what a tenant's Kptfile names, below what .krmignore names, too.
func TestKptRenderRefusesThePipelineOfATenant(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	write(t, dir, "tenants/tenant-reef/modules/web/manifests/Kptfile",
		"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: reef\npipeline:\n  mutators:\n    - exec: tee ran\n")
	r := run(t, dir, kptRender+".")
	assert.FileExists(t, filepath.Join(dir, "ran"), "it is too late for that")
	assert.NotZero(t, r.status)
	assert.Contains(t, r.stdout+r.stderr, "[tenant-pipeline]")
	assert.NoDirExists(t, filepath.Join(dir, "generated"))
}

func TestKptEval(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	out := must(t, dir, "kpt fn eval . --exec provision-tenants --fn-config function-config.yaml -o unwrap")
	assert.Equal(t, 2, strings.Count(out, "\nkind: Namespace\n"))
	assert.Equal(t, 3, strings.Count(out, "\nkind: ExternalArtifact\n"))
}

func TestKptSourceSink(t *testing.T) {
	needs(t, "kpt")
	dir := demo(t)
	ignored := read(t, dir, ".krmignore")
	require.NoError(t, os.Remove(filepath.Join(dir, ".krmignore")), "the pipe takes files that are no Kubernetes objects")
	must(t, dir, "kpt fn source . --fn-config function-config.yaml | provision-tenants | kpt fn sink ../out")
	piped := snapshot(t, filepath.Join(filepath.Dir(dir), "out"))
	write(t, dir, ".krmignore", ignored)
	must(t, dir, kptRender+".")
	assert.Equal(t, generated(snapshot(t, dir)), generated(piped), "the pipe and the render write the same files")
	assert.Equal(t, read(t, dir, "tenants/tenant-tide/modules/api/applier-inputs.yaml"), piped["tenants/tenant-tide/modules/api/applier-inputs.yaml"])
}

func TestStdin(t *testing.T) {
	needs(t)
	dir := demo(t)
	list := string(wrap([]byte(read(t, dir, "function-config.yaml"))))
	write(t, dir, "../in.yaml", list)
	out := must(t, dir, "provision-tenants < ../in.yaml")
	assert.Contains(t, out, "name: tenant-reef\n")
	write(t, dir, "../out.yaml", out)
	again := must(t, dir, "provision-tenants < ../out.yaml")
	assert.Equal(t, itemsOf(t, out), itemsOf(t, again))
}
