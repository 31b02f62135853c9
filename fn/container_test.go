package fn

import (
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
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

// The tests here run the container image, which `make image` builds, with the
// Docker engine.

const (
	image = "provision-tenants:dev"
	// kptImage is what kpt, which puts a registry in front of a name without a
	// slash, has to be given to find it.
	kptImage           = "platform/" + image
	inImage            = "/usr/local/bin/provision-tenants"
	confined           = "docker run --rm -i --network none --user nobody --security-opt=no-new-privileges --read-only --cap-drop ALL "
	mountTenants       = `--mount "type=bind,src=$PWD/tenants,dst=/tenants" `
	kustomizeContainer = "kustomize build --enable-alpha-plugins "
	kptContainer       = "kpt fn eval . --truncate-output=false --fn-config function-config.yaml -i " + kptImage + " " + mountTenants
	kptExec            = "kpt fn eval . --truncate-output=false --fn-config function-config.yaml --exec provision-tenants "
)

// needsImage makes sure that programs and an image of this very code are there.
func needsImage(t *testing.T, programs ...string) {
	t.Helper()
	needs(t, append(programs, "docker")...)
	switch err := imageIsCurrent(); {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("no current image, run make image: %v", err)
	case err != nil:
		t.Skipf("no current image, run make image: %v", err)
	}
	must(t, ".", "docker tag "+image+" "+kptImage)
}

// imageIsCurrent compares the binary of the image with one that is built here,
// with the flags of the Dockerfile: two builds, on two systems, give one binary.
var imageIsCurrent = sync.OnceValue(func() error {
	dir, err := os.MkdirTemp("", "provision-tenants-image-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	const binaries = `set -e
		CGO_ENABLED=0 GOFLAGS= go build -trimpath -buildvcs=false -ldflags=-s -o "$0/here" ..
		container=$(docker create ` + image + `)
		docker cp "$container:` + inImage + `" "$0/there"
		docker rm "$container"`
	if out, err := exec.Command("bash", "-c", binaries, dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return sameBinary(filepath.Join(dir, "here"), filepath.Join(dir, "there"))
})

func sameBinary(here, there string) error {
	a, err := os.ReadFile(here)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(there)
	if err != nil {
		return err
	}
	if sha256.Sum256(a) == sha256.Sum256(b) {
		return nil
	}
	with, err := buildinfo.ReadFile(there)
	if err != nil {
		return err
	}
	return errors.New("it holds another binary than this checkout gives, built with " + with.GoVersion)
}

// example is a copy of a sample tree of testdata/hosts.
func example(t *testing.T, host string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), host)
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("../testdata/hosts", host))))
	return dir
}

// replaceIn edits a file of an example.
func replaceIn(t *testing.T, dir, name, old, replacement string) {
	t.Helper()
	text := read(t, dir, name)
	require.Contains(t, text, old)
	write(t, dir, name, strings.ReplaceAll(text, old, replacement))
}

// Docker adds the places where it mounts things, and nothing else.
func TestImageHoldsOneBinary(t *testing.T) {
	needsImage(t)
	list := must(t, ".", `container=$(docker create `+image+`); docker export "$container" | tar -t; docker rm "$container" >/dev/null`)
	files := slices.DeleteFunc(strings.Fields(list), func(name string) bool { return strings.HasSuffix(name, "/") })
	docker := []string{".dockerenv", "dev/console", "etc/hostname", "etc/hosts", "etc/mtab", "etc/resolv.conf"}
	files = slices.DeleteFunc(files, func(name string) bool { return slices.Contains(docker, name) })
	assert.ElementsMatch(t, []string{"etc/passwd", strings.TrimPrefix(inImage, "/")}, files)
}

// The image runs without any right, and says what the binary says.
func TestImageConfined(t *testing.T) {
	needsImage(t)
	dir := demo(t)
	write(t, dir, "../in.yaml", string(wrap([]byte(read(t, dir, "function-config.yaml")))))
	want := must(t, dir, "provision-tenants < ../in.yaml")
	assert.Contains(t, want, "name: tenant-reef\n")
	assert.Equal(t, want, must(t, dir, confined+mountTenants+image+" < ../in.yaml"))
}

func TestKustomizeContainer(t *testing.T) {
	needsImage(t, "kustomize")
	dir := example(t, "kustomize-container")
	out := must(t, dir, kustomizeContainer+".")
	assertFile(t, "kustomize.yaml", out)
	assert.Equal(t, out, must(t, filepath.Dir(dir), kustomizeContainer+"kustomize-container"), "the directory of the caller must not matter")
	config := read(t, dir, "function-config.yaml")
	before, rest, _ := strings.Cut(config, "      container:\n")
	_, after, _ := strings.Cut(rest, "dst: /tenants}\n")
	write(t, dir, "function-config.yaml", before+"      exec: {path: provision-tenants}\n"+after)
	assert.Equal(t, out, must(t, dir, kustomizeBuild+"."), "the container and the binary make the same objects")
}

func TestKptEvalContainer(t *testing.T) {
	needsImage(t, "kpt")
	dir, other := example(t, "kpt-container"), example(t, "kpt-container")
	assert.Equal(t, must(t, other, kptExec+"-o unwrap"), must(t, dir, kptContainer+"-o unwrap"))
	must(t, other, kptExec)
	for range 2 {
		must(t, dir, kptContainer)
		assert.Equal(t, snapshot(t, other), snapshot(t, dir), "the container and the binary write the same files")
	}
	assert.Contains(t, generated(snapshot(t, dir)), "generated/tenant-tide/externalartifact-web.yaml")
}

// kpt looks for the image in a registry of its own.
func TestKptPutsARegistryInFrontOfTheName(t *testing.T) {
	needsImage(t, "kpt")
	dir := example(t, "kpt-container")
	r := run(t, dir, strings.Replace(kptContainer, kptImage, image, 1)+"--image-pull-policy Never")
	assert.NotZero(t, r.status)
	assert.Contains(t, r.stderr, `/provision-tenants:dev"`)
	assert.NotContains(t, r.stderr, `"`+kptImage)
}

func TestContainerMounts(t *testing.T) {
	needsImage(t, "kustomize", "kpt")
	t.Run("empty", func(t *testing.T) {
		dir := example(t, "kustomize-container")
		require.NoError(t, os.RemoveAll(filepath.Join(dir, "tenants")))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "tenants"), 0o755))
		r := run(t, dir, kustomizeContainer+".")
		assert.NotZero(t, r.status)
		assert.Empty(t, r.stdout)
		assert.Contains(t, r.stderr, `no directory in "tenants" matches the path segment "{namespace}", there are no directories (correct the pattern, the directory of the source or, in a container, the mount; `)
	})
	t.Run("missing", func(t *testing.T) {
		dir := example(t, "kpt-container")
		r := run(t, dir, strings.Replace(kptContainer, mountTenants, "", 1))
		assert.NotZero(t, r.status)
		assert.Contains(t, r.stderr, `no directory in the root of the source matches the path segment \"tenants\"`)
		assert.NoDirExists(t, filepath.Join(dir, "generated"))
	})
	t.Run("elsewhere", func(t *testing.T) {
		dir := example(t, "kustomize-container")
		replaceIn(t, dir, "function-config.yaml", "directory: .", "directory: /repo")
		r := run(t, dir, kustomizeContainer+".")
		assert.NotZero(t, r.status)
		assert.Contains(t, r.stderr, `cannot read the directory "/repo": no such file or directory (a relative path starts from `)
		assert.Contains(t, r.stderr, `, and a container sees only what is mounted) [source-unreadable]`)
		replaceIn(t, dir, "function-config.yaml", "src: ./tenants, dst: /tenants", "src: ., dst: /repo")
		assertFile(t, "kustomize.yaml", must(t, dir, kustomizeContainer+"."))
	})
	t.Run("above", func(t *testing.T) {
		dir := example(t, "kustomize-container")
		const deep = "platform/overlay"
		require.NoError(t, os.MkdirAll(filepath.Join(dir, deep), 0o755))
		must(t, dir, "mv kustomization.yaml function-config.yaml "+deep)
		replaceIn(t, dir, deep+"/function-config.yaml", "src: ./tenants", "src: ../../tenants")
		r := run(t, dir, kustomizeContainer+deep)
		assert.NotZero(t, r.status)
		assert.Contains(t, r.stderr, "must be under the current kustomization directory")
		replaceIn(t, dir, deep+"/function-config.yaml", "        mounts:\n          - {type: bind, src: ../../tenants, dst: /tenants}\n", "")
		assertFile(t, "kustomize.yaml", must(t, dir, kustomizeContainer+mountTenants+deep))
	})
	t.Run("without type", func(t *testing.T) {
		dir := example(t, "kustomize-container")
		replaceIn(t, dir, "function-config.yaml", "type: bind, ", "")
		r := run(t, dir, kustomizeContainer+".")
		assert.NotZero(t, r.status)
		assert.Contains(t, r.stderr, "type=,source=")
	})
}

// The user nobody reads what everybody reads. All files that it cannot read are
// named, and so is the cure, which then works.
func TestContainerUnreadable(t *testing.T) {
	needsImage(t, "kustomize")
	dir := example(t, "kustomize-container")
	closed := []string{
		"tenants/tenant-reef/modules",
		"tenants/tenant-tide/modules/api/manifests/config.yaml",
		"tenants/tenant-tide/modules/web/applier-inputs.yaml",
		"tenants/tenant-tide/namespace-metadata.yaml",
	}
	for _, name := range closed {
		must(t, dir, "chmod go= "+name)
	}
	r := run(t, dir, kustomizeContainer+".")
	assert.NotZero(t, r.status)
	assert.Empty(t, r.stdout)
	for _, name := range closed {
		assert.Contains(t, r.stderr, name)
	}
	assert.Equal(t, len(closed), strings.Count(r.stderr, "permission denied (let everybody read it (chmod -R a+rX), "), r.stderr)
	assertFile(t, "kustomize.yaml", must(t, dir, kustomizeContainer+"--as-current-user ."))
	must(t, dir, "chmod -R a+rX tenants")
	assertFile(t, "kustomize.yaml", must(t, dir, kustomizeContainer+"."))
}
