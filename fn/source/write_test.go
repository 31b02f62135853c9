package source_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/source"
)

func folder(t *testing.T, dir string) *source.Folder {
	t.Helper()
	f, err := source.CreateFolder(dir)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// names are all files below dir, temporary ones included.
func names(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			relative, _ := filepath.Rel(dir, path)
			found = append(found, filepath.ToSlash(relative))
		}
		return err
	}))
	return found
}

func TestFolderWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "dir")
	f := folder(t, dir)
	require.NoError(t, f.Write("a/b/c.txt", text("one")))
	require.NoError(t, f.Write("top.txt", text("two")))
	require.NoError(t, f.Write("a/b/c.txt", text("three")))
	assert.Equal(t, []string{"a/b/c.txt", "top.txt"}, names(t, dir))
	data, err := os.ReadFile(filepath.Join(dir, "a/b/c.txt"))
	require.NoError(t, err)
	assert.Equal(t, "three", string(data))
	info, err := os.Stat(filepath.Join(dir, "a/b/c.txt"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode())
}

// Whenever a run is killed, the name holds the old file or the new one.
func TestFolderWriteIsWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	f := folder(t, dir)
	final := filepath.Join(dir, "a/x.txt")
	half := func(w io.Writer) error {
		require.NoError(t, text("half")(w))
		assert.NoFileExists(t, final, "while it is written the file is not there")
		require.Len(t, names(t, dir), 1)
		assert.Regexp(t, `^a/\.provision-tenants-\w+$`, names(t, dir)[0])
		return errors.New("interrupted")
	}
	require.EqualError(t, f.Write("a/x.txt", half), fmt.Sprintf("cannot write \"a/x.txt\" in the directory %q: interrupted", dir))
	assert.Empty(t, names(t, dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a/.provision-tenants-LEFTOVER"), []byte("half"), 0o600), "a killed run leaves this")
	require.NoError(t, f.Write("a/x.txt", text("whole")))
	assert.Equal(t, []string{"a/.provision-tenants-LEFTOVER", "a/x.txt"}, names(t, dir))
}

func TestFolderHolds(t *testing.T) {
	dir := t.TempDir()
	f := folder(t, dir)
	require.NoError(t, f.Write("x", text("one")))
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("one")))
	assert.True(t, f.Holds("x", digest, 3))
	assert.False(t, f.Holds("y", digest, 3), "not there")
	assert.False(t, f.Holds(".", digest, 3), "a directory")
	require.NoError(t, f.Write("x", text("two")))
	assert.False(t, f.Holds("x", digest, 3), "other content of the same size")
	require.NoError(t, f.Write("x", text("on")))
	assert.False(t, f.Holds("x", digest, 3), "half of it")
}

func TestFolderIsConfined(t *testing.T) {
	root := t.TempDir()
	dir, outside := filepath.Join(root, "dir"), filepath.Join(root, "outside")
	require.NoError(t, os.MkdirAll(outside, 0o755))
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("one"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "file")))
	f := folder(t, dir)
	for _, name := range []string{"../outside/x", "/etc/x", "a/../../outside/x", "link/x", "link/deep/x"} {
		assert.Error(t, f.Write(name, text("x")), name)
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte("one")))
	assert.False(t, f.Holds("file", digest, 3), "a link is not the file")
	require.NoError(t, f.Write("file", text("new")), "and is replaced by it")
	assert.Equal(t, []string{"secret"}, names(t, outside))
	data, err := os.ReadFile(filepath.Join(outside, "secret"))
	require.NoError(t, err)
	assert.Equal(t, "one", string(data))
}

func TestCreateFolderFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		_, err := source.CreateFolder(dir)
		require.EqualError(t, err, fmt.Sprintf("cannot write to the directory %q: not a directory", dir))
	}
	dir := t.TempDir()
	f := folder(t, dir)
	require.NoError(t, f.Write("a", text("")))
	assert.ErrorContains(t, f.Write("a/b", text("")), `cannot write "a/b" in the directory "`)
	require.NoError(t, f.Write("d/e", text("")))
	assert.ErrorContains(t, f.Write("d", text("")), `cannot write "d" in the directory "`)
	assert.Equal(t, []string{"a", "d/e"}, names(t, dir), "nothing temporary is left")
}
