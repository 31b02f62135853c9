package e2e

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/http/fetch"
	"github.com/fluxcd/pkg/tar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestStatus applies what is rendered twice, as the README says: the second time
// delivers the status, and changes nothing else.
func TestStatus(t *testing.T) {
	needs(t, "kubectl")
	f := newFleet(t, "status", options{prune: true, baseURL: "https://artifacts.example.org"}, "reef")
	f.render()
	must(t, f.dir, "kubectl apply --server-side -f rendered/rendered.yaml")
	assert.Nil(t, f.liveArtifact("reef", "web").Object["status"], "a plain apply drops the status")
	must(t, f.dir, "kubectl apply --server-side --subresource=status -f rendered/rendered.yaml")
	f.assertApplied("with its status")
	for _, o := range f.objects() {
		if o.GetKind() == artifacts.Kind {
			assert.Equal(t, o.Object["status"], f.liveArtifact("reef", "web").Object["status"])
		}
	}
	must(t, f.dir, "kubectl apply --server-side -f rendered/rendered.yaml")
	assert.NotNil(t, f.liveArtifact("reef", "web").Object["status"], "applying again leaves the status")
}

// TestStatusOfOldDefinitions shows that before source-controller 1.10 an API server
// does not drop `status.exportedInputs`: it refuses the object.
func TestStatusOfOldDefinitions(t *testing.T) {
	needs(t, "kubectl")
	f := newFleet(t, "old", options{prune: true}, "reef")
	f.render()
	dir, err := download("github.com/fluxcd/source-controller@v1.9.6")
	require.NoError(t, err)
	apply := func(want string) func() (bool, error) {
		return func() (bool, error) {
			r := run(t, f.dir, "kubectl apply --server-side -f rendered/rendered.yaml")
			return strings.Contains(r.stdout+r.stderr, want), nil
		}
	}
	t.Cleanup(func() {
		require.NoError(t, install(externalArtifacts))
		require.NoError(t, poll(apply("externalartifact.source.toolkit.fluxcd.io/web serverside-applied")))
	})
	require.NoError(t, install(filepath.Join(dir, "config/crd/bases", externalArtifacts)))
	require.NoError(t, poll(apply(".status.exportedInputs: field not declared in schema")))
}

func (f *fleet) liveArtifact(tenant, module string) *unstructured.Unstructured {
	f.Helper()
	o, err := get(artifacts, f.namespace(tenant), module)
	require.NoError(f, err)
	return o
}

// TestArchive fetches what `publish` wrote, from where the live object says, with
// the code that Flux's controllers fetch with.
func TestArchive(t *testing.T) {
	needs(t, "kubectl")
	public := t.TempDir()
	server := httptest.NewServer(http.FileServer(http.Dir(public)))
	defer server.Close()
	f := newFleet(t, "archive", options{prune: true, baseURL: server.URL}, "reef")
	f.write(f.module("reef", "web")+"/manifests/base/run.sh", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(f.dir, f.module("reef", "web"), "manifests/base/run.sh"), 0o755))
	f.render()
	must(t, f.dir, "provision-tenants publish function-config.yaml --out "+public+" </dev/null")
	must(t, f.dir, "kubectl apply --server-side -f rendered/rendered.yaml && kubectl apply --server-side --subresource=status -f rendered/rendered.yaml")

	var where struct{ url, digest string }
	artifact, found, err := unstructured.NestedStringMap(drop(f.liveArtifact("reef", "web").Object, "size"), "status", "artifact")
	require.NoError(t, err)
	require.True(t, found)
	where.url, where.digest = artifact["url"], artifact["digest"]
	out := t.TempDir()
	fetcher := fetch.New(fetch.WithRetries(0), fetch.WithUntar(tar.WithMaxUntarSize(tar.UnlimitedUntarSize)))
	require.NoError(t, fetcher.Fetch(where.url, where.digest, out))
	assert.Equal(t, files(t, filepath.Join(f.dir, f.module("reef", "web"), "manifests")), files(t, out))

	wrong := "sha256:" + "0000000000000000000000000000000000000000000000000000000000000000"
	assert.ErrorContains(t, fetcher.Fetch(where.url, wrong, t.TempDir()), "digest")
}

// drop removes a field of status.artifact.
func drop(object map[string]any, field string) map[string]any {
	unstructured.RemoveNestedField(object, "status", "artifact", field)
	return object
}

// files is the content of every file below dir, and whether it can be executed.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		found[name] = (info.Mode() & 0o100).String() + " " + string(data)
		return nil
	}))
	return found
}
