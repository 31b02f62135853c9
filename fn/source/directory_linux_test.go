package source_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/source"
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

func TestPermission(t *testing.T) {
	dir := writeFiles(t, files)
	require.NoError(t, os.Chmod(filepath.Join(dir, "a.yaml"), 0))
	require.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "a"), 0o700) })
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	asNobody(t)
	tree, err := source.Open(dir, ".")
	require.NoError(t, err)
	defer tree.Close()
	_, err = tree.ReadFile("a.yaml", 100)
	require.ErrorIs(t, err, fs.ErrPermission)
	_, err = tree.ReadDir("a")
	require.ErrorIs(t, err, fs.ErrPermission)
	assert.Contains(t, source.Cure(err), "chmod -R a+rX")
	_, err = tree.ReadDir("b.yaml/c")
	assert.Empty(t, source.Cure(err), "what chmod does not cure")
}

// Files that say they are empty are read to their end, and no further than the limit.
func TestSizeThatLies(t *testing.T) {
	tree, err := source.Open("/proc/self", ".")
	require.NoError(t, err)
	defer tree.Close()
	content, err := tree.ReadFile("status", 1<<20)
	require.NoError(t, err)
	assert.Contains(t, string(content.Data), "Name:")
	_, err = tree.ReadFile("status", 10)
	var large *source.TooLargeError
	require.ErrorAs(t, err, &large)
}
