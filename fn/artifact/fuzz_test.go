package artifact

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// FuzzOperation parses and runs one operation after another that fills the
// artifact: nothing panics, no path leaves the artifact, and the same input gives
// the same result.
func FuzzOperation(f *testing.F) {
	for _, c := range readCopyCases(f).Cases {
		for _, o := range c.Ops {
			f.Add(o.From, o.To, strings.Join(o.Exclude, "\n"), o.Strategy, "a")
		}
	}
	for _, s := range []string{"..", ".", "*", "[", `\`, "\xff", "{a,b}", "configs"} {
		f.Add("@repo/{x}/**", "@artifact/{x}/.{x}", "{x}", "Merge", s)
		f.Add("@repo/[{x}]*", "@artifact/../{x}", "**", "Extract", s)
	}
	tree := map[string]string{
		"a/x.yaml": "a: 1\n", "a/sub/y.yaml": "b: 2\n", "configs/x.yaml": "c: 3\n", ".hid/z": "", "one.yaml": "- 1\n", "*/x.yaml": "d: 4\n",
		"t.tgz": tarball(f, tar.Header{Name: "x.yaml"}, tar.Header{Name: "d/y.yaml"}), "empty/": "",
	}
	f.Fuzz(func(t *testing.T, from, to, exclude, strategy, captured string) {
		if !strings.HasPrefix(from, "@repo/") {
			return // whoever reads the configuration knows the aliases
		}
		op := opFields{From: from, To: to, Strategy: strategy}
		if exclude != "" {
			op.Exclude = strings.Split(exclude, "\n")
		}
		ops := []opFields{{From: "@repo/a", To: "@artifact/"}, op}
		values := map[string]string{"x": captured}
		one, rep := buildOps(memory(tree), values, ops...)
		two, again := buildOps(memory(tree), values, ops...)
		require.Equal(t, rep.Findings(), again.Findings())
		if one == nil {
			require.Equal(t, krm.Error, rep.Worst(), "a build that fails says why")
			return
		}
		require.Equal(t, one.Digest, two.Digest)
		checkArchive(t, one)
	})
}

// checkArchive reads an archive back: all names stay inside, each is there once.
func checkArchive(t *testing.T, a *Artifact) {
	t.Helper()
	seen := map[string]bool{}
	r := tar.NewReader(bytes.NewReader(gunzip(t, archiveOf(t, a))))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		require.Equal(t, path.Clean(h.Name), h.Name)
		require.False(t, strings.HasPrefix(h.Name, "/") || h.Name == ".." || strings.HasPrefix(h.Name, "../"), h.Name)
		require.False(t, seen[h.Name], h.Name)
		seen[h.Name] = true
		require.Contains(t, []byte{tar.TypeReg, tar.TypeDir}, h.Typeflag)
	}
}

// FuzzInputs parses inputs: nothing panics, a failure says why, and what is
// accepted reads back as the same values.
func FuzzInputs(f *testing.F) {
	for _, seed := range []string{
		"", "a: 1", "a: yes", "a: 0744", "a: &x [1]\nb: *x", "- 1", "a: null", "a: .inf", "a: 1\n---\nb: 2", "\xef\xbb\xbfa: 1\r\n",
		"a: 18446744073709551616", "{\"a\": [1, 2.50, \"x\"]}", "a: |\n  text\n", "? [a]\n: b", "a: !!str 1", "a: 1e400",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rep := &krm.Report{}
		node, ok := ParseInputs(data, krm.Pos{File: "inputs.yaml", Line: 1}, rep)
		if !ok {
			require.Equal(t, krm.Error, rep.Worst())
			return
		}
		require.Equal(t, krm.MapNode, node.Kind)
		require.Less(t, rep.Worst(), krm.Error)
		written := node.AppendYAML(nil, 0)
		if len(written) > 100<<10 {
			return // aliases written out
		}
		again, ok := ParseInputs(written, krm.Pos{File: "inputs.yaml", Line: 1}, rep)
		require.True(t, ok, "%s\n%v", written, rep.Findings())
		assert.True(t, node.Equal(again), "%s", written)
	})
}

// FuzzExtract extracts a tarball made of any tar stream: nothing panics, no entry
// leaves the artifact.
func FuzzExtract(f *testing.F) {
	for _, h := range []tar.Header{
		{Name: "x"},
		{Name: "../x"},
		{Name: "/x"},
		{Name: "d/", Typeflag: tar.TypeDir},
		{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "../x"},
		{Name: "h", Typeflag: tar.TypeLink, Linkname: "x"},
		{Name: strings.Repeat("n", 300)},
		{Name: "ü/x"},
	} {
		f.Add(gunzip(f, []byte(tarball(f, h, tar.Header{Name: "a/b"}))))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		files := map[string]string{"a.tgz": zipped(t, bytes.NewReader(stream))}
		a, rep := buildOps(memory(files), nil, opFields{From: "@repo/a.tgz", To: "@artifact/in", Strategy: "Extract"})
		if a == nil {
			require.Equal(t, krm.Error, rep.Worst())
			return
		}
		for path := range held(t, a) {
			require.True(t, strings.HasPrefix(path, "in/"), path)
		}
		checkArchive(t, a)
	})
}
