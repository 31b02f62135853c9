//go:build unix

package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/source"
)

// linked is a tree with links of every kind, a pipe, and a secret next to it.
func linked(t *testing.T) *source.Tree {
	t.Helper()
	dir := writeFiles(t, map[string]source.Content{
		"root/real/m/cm.yaml": {Data: []byte("real")},
		"outside/secret":      {Data: []byte("secret")},
	})
	root := filepath.Join(dir, "root")
	for link, target := range map[string]string{
		"alias":         "real",
		"escape":        "../outside",
		"absolute":      "/etc",
		"file":          "../outside/secret",
		"real/loop":     "..",
		"real/dangling": "nowhere",
		"real/cm":       "m/cm.yaml",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "real/pipe"), 0o600))
	tree, err := source.Open(root, ".")
	require.NoError(t, err)
	t.Cleanup(tree.Close)
	return tree
}

func TestLinksAreNeverFollowed(t *testing.T) {
	tree := linked(t)
	for path, place := range map[string]string{
		"alias": "alias", "alias/m/cm.yaml": "alias", "escape/secret": "escape", "absolute/hostname": "absolute",
		"file": "file", "real/loop/real/m/cm.yaml": "real/loop", "real/dangling": "real/dangling", "real/cm": "real/cm",
	} {
		_, err := tree.ReadFile(path, 100)
		require.ErrorIs(t, err, source.ErrLink, path)
		assert.Contains(t, err.Error(), " "+place+": ")
	}
	for _, path := range []string{"alias", "escape", "alias/m"} {
		_, err := tree.ReadDir(path)
		require.ErrorIs(t, err, source.ErrLink, path)
	}
	kind, err := tree.Stat("alias")
	require.NoError(t, err)
	assert.Equal(t, source.Link, kind)
	_, err = tree.Stat("alias/m")
	require.ErrorIs(t, err, source.ErrLink)
}

func TestGlobSkipsLinks(t *testing.T) {
	got, skipped, err := linked(t).Glob("**")
	require.NoError(t, err)
	assert.Equal(t, []string{"real/m/cm.yaml"}, got)
	assert.Equal(t, []string{"absolute", "alias", "escape", "file", "real/cm", "real/dangling", "real/loop", "real/pipe"}, skipped)

	_, _, err = linked(t).Glob("alias/*")
	require.ErrorIs(t, err, source.ErrLink)
}

// Opening a pipe that nobody writes to would block for ever.
func TestPipesAreNeverOpened(t *testing.T) {
	done := make(chan error, 1)
	go func() {
		_, err := linked(t).ReadFile("real/pipe", 100)
		done <- err
	}()
	select {
	case err := <-done:
		require.ErrorIs(t, err, source.ErrNotFile)
	case <-time.After(10 * time.Second):
		t.Fatal("the pipe was opened")
	}
	kind, err := linked(t).Stat("real/pipe")
	require.NoError(t, err)
	assert.Equal(t, source.Other, kind)
	_, err = linked(t).ReadDir("real/pipe")
	require.ErrorIs(t, err, source.ErrNotDirectory)
}

// A file replaced by a link after its directory was listed does not lead out.
func TestReplacedByLink(t *testing.T) {
	dir := writeFiles(t, map[string]source.Content{"root/d/f": {Data: []byte("x")}, "root/other": {}, "secret": {Data: []byte("secret")}})
	tree, err := source.Open(filepath.Join(dir, "root"), ".")
	require.NoError(t, err)
	defer tree.Close()
	_, err = tree.ReadDir("d")
	require.NoError(t, err)
	for _, target := range []string{"../other", "../../secret", "/etc/hostname"} {
		require.NoError(t, os.Remove(filepath.Join(dir, "root/d/f")))
		require.NoError(t, os.Symlink(target, filepath.Join(dir, "root/d/f")))
		_, err = tree.ReadFile("d/f", 100)
		require.Error(t, err, target)
	}
}

// A sparse file of 10 GiB costs nothing on disk; it must cost nothing to refuse.
func TestSparseFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "big"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(10<<30))
	require.NoError(t, f.Close())
	tree, err := source.Open(dir, ".")
	require.NoError(t, err)
	defer tree.Close()
	_, err = tree.ReadFile("big", 1<<20)
	var large *source.TooLargeError
	require.ErrorAs(t, err, &large)
	assert.Equal(t, int64(10<<30), large.Size)
}

func TestDeepTreeIsAnError(t *testing.T) {
	dir := t.TempDir()
	path := strings.Repeat("d/", 300)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, path), 0o700))
	tree, err := source.Open(dir, ".")
	require.NoError(t, err)
	defer tree.Close()
	_, err = tree.ReadDir(strings.TrimSuffix(path, "/"))
	require.ErrorIs(t, err, source.ErrDepth)
	_, err = tree.ReadDir("d/d")
	require.NoError(t, err)
}
