package artifact

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// tarball packs headers; a regular file holds its own name unless it has a size.
func tarball(t testing.TB, headers ...tar.Header) string {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for _, h := range headers {
		text := h.Name
		if h.Typeflag != tar.TypeReg && h.Typeflag != 0 {
			text = ""
		} else if h.Size > 0 {
			text = strings.Repeat("x", int(h.Size))
		}
		if h.Size = int64(len(text)); h.Mode == 0 && h.Typeflag != tar.TypeXGlobalHeader {
			h.Mode = 0o644
		}
		require.NoError(t, w.WriteHeader(&h))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return buf.String()
}

// tarballOf packs files.
func tarballOf(t testing.TB, files map[string]string) string {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for name, text := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return buf.String()
}

func extract(files map[string]string, op opFields) (map[string]string, *krm.Report) {
	op.Strategy = "Extract"
	a, rep := buildOps(memory(files), nil, op)
	if a == nil {
		return nil, rep
	}
	out := map[string]string{}
	tree := treeOf(a)
	all, _, _ := tree.Glob("**")
	for _, path := range all {
		content, _ := tree.ReadFile(path, 1<<30)
		out[path] = string(content.Data)
	}
	return out, rep
}

func TestExtract(t *testing.T) {
	one := tarball(t, tar.Header{Name: "./", Typeflag: tar.TypeDir}, tar.Header{Name: "./x"}, tar.Header{Name: "d/", Typeflag: tar.TypeDir},
		tar.Header{Name: "d/y.yaml"}, tar.Header{Name: "new//z"}, tar.Header{Name: "..data/w"})
	two := tarball(t, tar.Header{Name: "x", Size: 3})
	files := map[string]string{"c/one.tar.gz": one, "c/sub/two.TGZ": two, "c/readme.md": "text", "c/none/readme.md": "text"}
	all := map[string]string{"x": "./x", "d/y.yaml": "d/y.yaml", "new/z": "new//z", "..data/w": "..data/w"}
	below := func(dir string) map[string]string {
		moved := map[string]string{}
		for path, text := range all {
			moved[dir+path] = text
		}
		return moved
	}
	overwritten := below("")
	overwritten["x"] = "xxx"
	cases := []struct {
		name string
		op   opFields
		want map[string]string
		code []string
	}{
		{"file", opFields{From: "@repo/c/one.tar.gz", To: "@artifact/"}, all, nil},
		{"to is a directory without a slash", opFields{From: "@repo/c/one.tar.gz", To: "@artifact/out"}, below("out/"), nil},
		{"suffix in any case", opFields{From: "@repo/c/sub/two.TGZ", To: "@artifact/"}, map[string]string{"x": "xxx"}, nil},
		{"one level", opFields{From: "@repo/c/*", To: "@artifact/"}, all, nil},
		{"recursive, the later one overwrites", opFields{From: "@repo/c/**", To: "@artifact/."}, overwritten, nil},
		{"recursive by name", opFields{From: "@repo/**/*.TGZ", To: "@artifact/"}, map[string]string{"x": "xxx"}, nil},
		{"exclude goes by tarball", opFields{From: "@repo/c/**", To: "@artifact/", Exclude: []string{"*.TGZ", "y.yaml"}}, all, nil},
		{"no tarball", opFields{From: "@repo/c/none/*", To: "@artifact/"}, map[string]string{}, []string{"warning artifact-empty", "warning copy-no-tarball"}},
		{"optional without tarball", opFields{From: "@repo/c/none/*", To: "@artifact/", Optional: true}, map[string]string{}, nil},
		{"nothing matches", opFields{From: "@repo/c/*.zip", To: "@artifact/"}, nil, []string{"error copy-no-match"}},
		{"all excluded", opFields{From: "@repo/c/*", To: "@artifact/", Exclude: []string{"c/**"}}, nil, []string{"error copy-all-excluded"}},
		{"file that is no tarball", opFields{From: "@repo/c/readme.md", To: "@artifact/"}, nil, []string{"error copy-extract"}},
		{"directory", opFields{From: "@repo/c", To: "@artifact/"}, nil, []string{"error copy-extract"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, rep := extract(files, c.op)
			assert.Equal(t, c.code, codes(rep))
			assert.Equal(t, c.want, got)
		})
	}
}

func TestExtractDirectoryCalledTarball(t *testing.T) {
	_, rep := extract(map[string]string{"c/d.tgz/x": ""}, opFields{From: "@repo/c/*", To: "@artifact/"})
	assert.Equal(t, []string{"error copy-extract"}, codes(rep))
}

func TestExtractRefuses(t *testing.T) {
	small := tarball(t, tar.Header{Name: "x"})
	cases := map[string]struct{ data, message string }{
		"escape":         {tarball(t, tar.Header{Name: "../x"}), `the entry name "../x" leads out of the archive`},
		"inner escape":   {tarball(t, tar.Header{Name: "a/../../x"}), `the entry name "a/../../x" leads out of the archive`},
		"inner dots":     {tarball(t, tar.Header{Name: "a/../x"}), `the entry name "a/../x" leads out of the archive`},
		"dots":           {tarball(t, tar.Header{Name: "..", Typeflag: tar.TypeDir}), `the entry name ".." leads out of the archive`},
		"absolute":       {tarball(t, tar.Header{Name: "/etc/x"}), `the entry name "/etc/x" is not a relative path`},
		"backslash":      {tarball(t, tar.Header{Name: `a\..\x`}), `the entry name "a\\..\\x" has a backslash`},
		"link":           {tarball(t, tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), `the entry "l" is a link, only files and directories can be extracted`},
		"hard link":      {tarball(t, tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "x"}), `the entry "h" is a link, only files and directories can be extracted`},
		"pipe":           {tarball(t, tar.Header{Name: "p", Typeflag: tar.TypeFifo}), `the entry "p" is a special file, only files and directories can be extracted`},
		"root as a file": {tarball(t, tar.Header{Name: "./."}), `the entry "./." is no directory, although it is the root`},
		"long name":      {tarball(t, tar.Header{Name: strings.Repeat("n/", 2050) + "n"}), "an entry name has 4101 bytes, 4095 are allowed"},
		"no gzip":        {"text", "it is not gzip"},
		"no tar":         {zipped(t, strings.NewReader(strings.Repeat("text", 200))), "what is inside of the gzip is no tar"},
		"cut":            {small[:len(small)-10], "it ends early"},
		"wrong sum":      {small[:len(small)-8] + "\x00\x00\x00\x00" + small[len(small)-4:], "its checksum is wrong"},
		"over a file":    {tarball(t, tar.Header{Name: "x"}, tar.Header{Name: "x/y"}), `"t/x" is a file already`},
		"over a dir":     {tarball(t, tar.Header{Name: "x/y"}, tar.Header{Name: "x"}), `"t/x" is a directory already`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, rep := extract(map[string]string{"a.tgz": c.data}, opFields{From: "@repo/a.tgz", To: "@artifact/t"})
			require.Equal(t, []string{"error copy-extract"}, codes(rep))
			f := rep.Findings()[0]
			assert.Equal(t, "a.tgz", f.Pos.File)
			assert.Contains(t, f.Message, "artifact tenant-a/web: cannot extract the tarball: "+c.message)
		})
	}
}

func zipped(t testing.TB, parts ...io.Reader) string {
	t.Helper()
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = io.Copy(z, io.MultiReader(parts...))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return buf.String()
}

// zeroReader is a reader of zero bytes.
type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestExtractSkipsTheCommitOfGitArchive(t *testing.T) {
	got, rep := extract(map[string]string{"a.tgz": tarball(t,
		tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "4f1c"}}, tar.Header{Name: "x"})},
		opFields{From: "@repo/a.tgz", To: "@artifact/"})
	assert.Empty(t, rep.Findings())
	assert.Equal(t, map[string]string{"x": "x"}, got)
}

func TestExtractKeepsTheExecutableBit(t *testing.T) {
	a, rep := buildOps(memory(map[string]string{"a.tgz": tarball(t, tar.Header{Name: "x", Mode: 0o711}, tar.Header{Name: "y"})}), nil,
		opFields{From: "@repo/a.tgz", To: "@artifact/", Strategy: "Extract"})
	require.NotNil(t, a, "%v", rep.Findings())
	for name, want := range map[string]bool{"x": true, "y": false} {
		content, err := treeOf(a).ReadFile(name, 100)
		require.NoError(t, err)
		assert.Equal(t, want, content.Executable, name)
	}
}

// A tarball of kilobytes must not become gigabytes.
func TestExtractBombs(t *testing.T) {
	header := func(typeflag byte, size int64) io.Reader {
		var buf bytes.Buffer
		require.NoError(t, tar.NewWriter(&buf).WriteHeader(&tar.Header{Typeflag: typeflag, Name: "big", Size: size, Mode: 0o600}))
		return &buf
	}
	zero := func(size int64) io.Reader { return io.LimitReader(zeroReader{}, size) }
	cases := map[string][]io.Reader{
		"a size that lies":           {header(tar.TypeReg, 1<<40)},
		"more than the limit":        {header(tar.TypeReg, 100<<20+1)},
		"more than the limit in two": {header(tar.TypeReg, 60<<20), zero(60 << 20), header(tar.TypeReg, 60<<20), zero(60 << 20)},
		"a stream that goes on":      {header(tar.TypeReg, 0), zero(220 << 20)},
		"an entry of another type":   {header('M', 0), zero(1024)},
	}
	for name, data := range cases {
		t.Run(name, func(t *testing.T) {
			_, rep := extract(map[string]string{"a.tgz": zipped(t, data...)}, opFields{From: "@repo/a.tgz", To: "@artifact/"})
			require.Equal(t, []string{"error copy-extract"}, codes(rep))
		})
	}
}

func TestExtractCountsTowardsTheArtifact(t *testing.T) {
	big := tarball(t, tar.Header{Name: "big", Size: 90 << 20})
	files := map[string]source.Content{}
	for _, name := range []string{"a", "b", "c"} {
		files[name+".tgz"] = source.Content{Data: []byte(big)}
	}
	var ops []opFields
	for _, name := range []string{"a", "b", "c"} {
		ops = append(ops, opFields{From: "@repo/" + name + ".tgz", To: "@artifact/" + name, Strategy: "Extract"})
	}
	a, rep := buildOps(source.Memory(".", files), nil, ops...)
	require.Nil(t, a)
	assert.Equal(t, []string{"error artifact-too-large"}, codes(rep))
}
