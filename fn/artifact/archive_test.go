package artifact

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/source"
)

var everything = opFields{From: "@repo/", To: "@artifact/"}

func buildAll(t testing.TB, files map[string]source.Content) *Artifact {
	t.Helper()
	a, rep := buildOps(source.Memory(".", files), nil, everything)
	require.NotNil(t, a, "%v", rep.Findings())
	return a
}

func archiveOf(t testing.TB, a *Artifact) []byte {
	t.Helper()
	var buf bytes.Buffer
	require.NoError(t, a.WriteArchive(&buf))
	return buf.Bytes()
}

func gunzip(t testing.TB, archive []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	return data
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The sums come from a second implementation (Python's struct and zlib); the tar
// of the first is also what Flux publishes, before its compression.
func TestArchiveVectors(t *testing.T) {
	var squares []byte
	for i := range 1000 {
		squares = append(squares, byte(i*i%251))
	}
	// The tar of this file is 512 blocks of 65,535 bytes: the last one is full.
	const even = 65535*512 - 512 - 512 - 1024
	full := append(bytes.Repeat(squares, even/1000), bytes.Repeat([]byte("z"), even%1000)...)
	cases := []struct {
		name        string
		files       map[string]source.Content
		tar, digest string
		size        int64
	}{
		{
			"one file",
			map[string]source.Content{"a.yaml": {Data: []byte("a: 1")}},
			"0e739e1fa05878d349fe17ca9a1445133818fcfc585409781029092dc8215c65",
			"41e983a8f5a99b1dbd565e3ba0b0f6539b1d2dbf160063b78a195a7dd37ac9c1", 2583,
		},
		{
			"an executable in a directory",
			map[string]source.Content{"a.yaml": {Data: []byte("a: 1\n")}, "d/b.sh": {Data: []byte("#!/bin/sh\n"), Executable: true}},
			"0fd1c0e951ae104cb92f3988d804e423a96aa42adc491746b44e16163cada543",
			"86d0eef4a6258571f4cc524926f1d74109416b0709db914cb2151fd68647bb6c", 4119,
		},
		{
			"an empty directory",
			map[string]source.Content{"only-empty/": {}},
			"2238f77728f005041ba92b14a66771dc35b3420b5b25ff52953a63dde7cf6547",
			"7122770654f3baccda2442c045791c560947daa32daf583582fcbb8519ac5674", 2071,
		},
		{
			"nothing", nil,
			"a6c3074b61cf17b6c20da13944bfac01ed05930dc9cef70890045d62cbfb78d5",
			"884a99eddab6905ed0834558955fb2b77a8534aee572905b4452e4b253a44f33", 1559,
		},
		{
			"several blocks",
			map[string]source.Content{"x": {Data: bytes.Repeat([]byte("y"), 200000)}},
			"446c1d4193ee9b385cc588d6e18ab1d67bbaabf7a3b32947ba658b719ffb2e1d",
			"b05c41af72cdb80c8894a0dcd0ddc77a7da9ccdb9dfd97429d5ff7c2145ea440", 202278,
		},
		{
			"a full last block",
			map[string]source.Content{"x": {Data: full}},
			"c41d5e91157e438062226e6b59ebc6051c1516f57a61afc9a18b4534a770ea07",
			"40f12644b5ed0c9d3dc08ae8c075faaa08c44d7c427230010ac2ba17c9f5112e", 33556498,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := buildAll(t, c.files)
			archive := archiveOf(t, a)
			assert.Equal(t, c.tar, hexSum(gunzip(t, archive)))
			assert.Equal(t, c.digest, hexSum(archive))
			assert.Equal(t, "sha256:"+c.digest, a.Digest)
			assert.Equal(t, c.size, a.Size)
			assert.Len(t, archive, int(c.size))
		})
	}
}

// The digest covers names, the executable bit and content, nothing else.
func TestDigestDependsOnContentOnly(t *testing.T) {
	digest := func(umask, touched bool) string {
		dir := t.TempDir()
		mode := os.FileMode(0o644)
		if umask {
			mode = 0o600
		}
		require.NoError(t, os.Mkdir(filepath.Join(dir, "d"), 0o755|mode))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "d/a.yaml"), []byte("a: 1\n"), mode))
		if touched {
			old := time.Unix(1, 0)
			require.NoError(t, os.Chtimes(filepath.Join(dir, "d/a.yaml"), old, old))
		}
		tree, err := source.Open(dir, ".")
		require.NoError(t, err)
		defer tree.Close()
		a, rep := buildOps(tree, nil, everything)
		require.NotNil(t, a, "%v", rep.Findings())
		return a.Digest
	}
	want := digest(false, false)
	assert.Equal(t, want, digest(true, false))
	assert.Equal(t, want, digest(false, true))

	base := buildAll(t, map[string]source.Content{"a": {Data: []byte("x")}}).Digest
	for name, files := range map[string]map[string]source.Content{
		"name":      {"b": {Data: []byte("x")}},
		"content":   {"a": {Data: []byte("y")}},
		"mode":      {"a": {Data: []byte("x"), Executable: true}},
		"directory": {"a": {Data: []byte("x")}, "d/": {}},
	} {
		assert.NotEqual(t, base, buildAll(t, files).Digest, name)
	}
}

// awkward has a name of every form that a tar header treats differently.
func awkward() map[string]source.Content {
	x := source.Content{Data: []byte("x")}
	return map[string]source.Content{
		"a": x, "a.yaml": x, "a-b/x": x, "dir/x": x, "dir.yaml": x, "dir-x": x,
		strings.Repeat("n", 100):                        x,
		strings.Repeat("n", 101):                        x,
		strings.Repeat("p", 90) + "/" + "f":             x,
		strings.Repeat("p/", 100) + "f":                 x,
		strings.Repeat("q", 150) + "/" + "f":            x,
		strings.Repeat("q", 200) + "/" + "r/f":          x,
		"señor.yaml":                                    x,
		"odd\xff":                                       x,
		" spaces and 'quotes'":                          {Data: bytes.Repeat([]byte("k"), 512)},
		"tab\tname":                                     {Data: bytes.Repeat([]byte("k"), 511)},
		"run.sh":                                        {Data: bytes.Repeat([]byte("k"), 513), Executable: true},
		"empty/deep/":                                   {},
		strings.Repeat("long", 30) + "/" + "executable": {Executable: true},
	}
}

// Our headers are those of archive/tar, byte for byte.
func TestTarLayout(t *testing.T) {
	got := gunzip(t, archiveOf(t, buildAll(t, awkward())))
	var want bytes.Buffer
	w := tar.NewWriter(&want)
	r := tar.NewReader(bytes.NewReader(got))
	var names []string
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		names = append(names, h.Name)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: h.Name, Typeflag: h.Typeflag, Mode: h.Mode, Size: h.Size}))
		_, err = w.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	assert.Equal(t, want.Bytes(), got)
	assert.Equal(t, ".", names[0])
	assert.Less(t, slices.Index(names, "dir/x"), slices.Index(names, "dir-x"), "a walk has a directory's content before its next sibling")
	assert.Contains(t, names, "empty/deep")
	assert.Contains(t, names, "odd\xff")
}

// What we write is what everyone reads.
func TestArchiveWithTheRealPrograms(t *testing.T) {
	files := awkward()
	files["big"] = source.Content{Data: bytes.Repeat([]byte("0123456789"), 50000)}
	dir := t.TempDir()
	file := filepath.Join(dir, "a.tar.gz")
	require.NoError(t, os.WriteFile(file, archiveOf(t, buildAll(t, files)), 0o600))
	for _, args := range [][]string{{"gzip", "-t", file}, {"tar", "-xzf", file, "-C", dir}} {
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for path, want := range files {
		if strings.HasSuffix(path, "/") {
			assert.DirExists(t, filepath.Join(dir, path))
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		require.NoError(t, err)
		assert.Equal(t, string(want.Data), string(data), path)
		info, err := os.Stat(filepath.Join(dir, path))
		require.NoError(t, err)
		assert.Equal(t, want.Executable, info.Mode()&0o100 != 0, path)
	}
}

func TestIgnoreList(t *testing.T) {
	x := source.Content{Data: []byte("x")}
	kept := []string{
		"a.yaml", ".env", ".DS_Store", "chart.tgz", "img.jpgx", "cloudbuild.yml", "sub/.dot", "sub/.git2/x", "zip", ".helmignore",
		"github/x", "A.JPG", "sub/.github", "sub/.circleci-x",
	}
	dropped := []string{
		".git/config", "sub/.git/HEAD", ".gitignore", "sub/.gitmodules", ".gitattributes", "a.jpg", "b.jpeg", "c.gif", "d.png",
		"e.wmv", "f.flv", "g.tar.gz", "h.zip", ".github/workflows/x.yaml", ".circleci/config.yml", ".travis.yml", ".gitlab-ci.yml",
		"appveyor.yml", ".drone.yml", "cloudbuild.yaml", "codeship-services.yml", "codeship-steps.yml", "sub/.goreleaser.yml",
		".sops.yaml", "sub/sub/.flux.yaml", "dir.zip/x.yaml", "dir.png/deep/x.yaml",
	}
	files := map[string]source.Content{}
	for _, path := range slices.Concat(kept, dropped) {
		files[path] = x
	}
	var got []string
	r := tar.NewReader(bytes.NewReader(gunzip(t, archiveOf(t, buildAll(t, files)))))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if h.Typeflag == tar.TypeReg {
			got = append(got, h.Name)
		} else {
			assert.NotContains(t, []string{".git", "sub/.git", ".github", ".circleci", "dir.zip", "dir.png"}, h.Name)
		}
	}
	assert.ElementsMatch(t, kept, got)
}

// Upstream matches the ignore list with the artifact's own name, too: one called
// img.png is empty there.
func TestArtifactNameIsNoMatter(t *testing.T) {
	op, ok := ParseOperation(everything.fields(), nil)
	require.True(t, ok)
	digests := map[string]bool{}
	for _, name := range []string{"ns/web", "ns/img.png", "other/web", "repo/repo"} {
		a, ok := Build(name, []Operation{op}, nil, map[string]*source.Tree{"repo": memory(map[string]string{"a.yaml": "a: 1"})}, nil)
		require.True(t, ok)
		digests[a.Digest] = true
	}
	assert.Equal(t, map[string]bool{"sha256:41e983a8f5a99b1dbd565e3ba0b0f6539b1d2dbf160063b78a195a7dd37ac9c1": true}, digests)
}

func TestRelease(t *testing.T) {
	a := buildAll(t, map[string]source.Content{"a.yaml": {Data: []byte("a: 1")}})
	digest, size := a.Digest, a.Size
	a.Release()
	assert.Equal(t, digest, a.Digest)
	assert.Equal(t, size, a.Size)
	assert.Empty(t, held(t, a))
}

type failingWriter int

func (w *failingWriter) Write(p []byte) (int, error) {
	if *w -= failingWriter(len(p)); *w < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriteArchiveReportsErrors(t *testing.T) {
	a := buildAll(t, map[string]source.Content{"x": {Data: make([]byte, 200000)}})
	for _, room := range []int64{0, 5, 100, 70000, 200000, a.Size - 1} {
		w := failingWriter(room)
		require.EqualError(t, a.WriteArchive(&w), "cannot write the archive of tenant-a/web: disk full", fmt.Sprint(room))
	}
	w := failingWriter(a.Size)
	require.NoError(t, a.WriteArchive(&w))
}
