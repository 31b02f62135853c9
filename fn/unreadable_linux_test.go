package fn

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asNobody takes root's right to read everything away: what the test does from
// here on, it does as a user who owns no file.
func asNobody(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	runtime.LockOSThread()
	require.NoError(t, syscall.Setfsuid(65534))
	t.Cleanup(func() {
		_ = syscall.Setfsuid(0)
		runtime.UnlockOSThread()
	})
}

// What cannot be read is an error wherever it is, never as if it were not there.
func TestUnreadable(t *testing.T) {
	for name, want := range (m{
		fileX:           "error metadata-file-unreadable " + fileX,
		inputsX:         "error inputs-unreadable spec.generators[0].spec.artifacts[0].inputsFrom",
		contentX:        "error copy-unreadable spec.generators[0].spec.artifacts[0].copy[0].from",
		contentX + "/x": "error copy-unreadable spec.generators[0].spec.artifacts[0].copy[0].from",
		ofX:             "error directory-unreadable " + ofX + "/modules",
		"tenants":       "error directory-unreadable tenants",
	}) {
		t.Run(name, func(t *testing.T) {
			repo(t, m{tenantA: manifest, "tenants/tenant-a/modules/m/applier-inputs.yaml": "", fileX: metadataHead, inputsX: "", contentX + "/x": "y"})
			require.NoError(t, os.Chmod(name, 0))
			dir, err := os.Getwd()
			require.NoError(t, err)
			require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
			asNobody(t)
			o := renderAgain(t, withInputs(t))
			assert.Contains(t, o.found("error"), want)
			assert.Equal(t, exitErrors, o.status)
		})
	}
}

// An archive that cannot be written is named, and so is the directory.
func TestPublishWithoutPermission(t *testing.T) {
	dir := demo(t)
	t.Chdir(dir)
	list := published(t, dir, "https://example.org")
	out := filepath.Join(t.TempDir(), "out")
	require.NoError(t, os.Mkdir(out, 0o755))
	require.NoError(t, os.Chmod(out, 0o555))
	for _, dir := range []string{filepath.Dir(out), filepath.Dir(filepath.Dir(out))} {
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	asNobody(t)
	r := runMain(list, "publish", "--out", out)
	assert.Equal(t, "2\n", r["status"])
	assert.Regexp(t, `^error: cannot write "externalartifact/.*\.tar\.gz" in the directory ".*/out": permission denied\n$`, r["stderr"])
	r = runMain(list, "publish", "--out", filepath.Join(out, "below"))
	assert.Equal(t, "2\n", r["status"])
	assert.Regexp(t, `^error: cannot write to the directory ".*/out/below": permission denied\n$`, r["stderr"])
}
