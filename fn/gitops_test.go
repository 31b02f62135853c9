package fn

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Argo CD and Config Sync cannot run here. What they run is kustomize, with the
// options that the samples name.

const options = `((?: ?--[a-z-]+(?:=\w+)?)+)`

func TestArgoCD(t *testing.T) {
	needs(t, "kustomize")
	found := regexp.MustCompile(`(?m)^  kustomize\.buildOptions: ` + options + `$`).FindStringSubmatch(read(t, "../testdata/hosts/argocd", "argocd-cm.yaml"))
	require.NotNil(t, found)
	assertFile(t, "kustomize.yaml", must(t, demo(t), "kustomize build . "+found[1]))
}

// The image for Argo CD's repo-server has the function where the sample
// configuration finds it.
func TestArgoCDImage(t *testing.T) {
	needsImage(t)
	dir := demo(t)
	write(t, dir, "../in.yaml", string(wrap([]byte(read(t, dir, "function-config.yaml")))))
	const tag = "provision-tenants-argocd:test"
	must(t, "../testdata/hosts/argocd", "docker build -q --build-arg ARGOCD=provision-tenants:dev -t "+tag+" .")
	defer must(t, ".", "docker rmi "+tag)
	want := must(t, dir, "provision-tenants < ../in.yaml")
	assert.Equal(t, want, must(t, dir, confined+mountTenants+"--entrypoint provision-tenants "+tag+" < ../in.yaml"))
}

// Config Sync has no function on its PATH: it lies in the repository.
func TestConfigSync(t *testing.T) {
	needs(t, "kustomize")
	found := regexp.MustCompile(`(?m)^# ` + options + `\n.*(exec: \{.*\})`).FindStringSubmatch(read(t, "../testdata/hosts/config-sync", "root-sync.yaml"))
	require.NotNil(t, found)
	dir := demo(t)
	binary := filepath.Join(filepath.Dir(dir), "bin")
	require.NoError(t, os.Mkdir(binary, 0o755))
	must(t, dir, `cp "$(command -v provision-tenants)" ../bin`)
	replaceIn(t, dir, "function-config.yaml", "exec:\n        path: provision-tenants\n", found[2]+"\n")
	assertFile(t, "kustomize.yaml", must(t, dir, "kustomize build . "+found[1]))
}
