package source_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/source"
)

// files is what all kinds of trees hold in the tests below.
var files = map[string]source.Content{
	"a.yaml":           {Data: []byte("a: 1\n")},
	"a/b/c.txt":        {Data: []byte("c")},
	"a/b/run.sh":       {Data: []byte("#!/bin/sh\n"), Executable: true},
	"a/.hidden":        {Data: []byte("h")},
	"a-b/x":            {Data: []byte{}},
	"empty/":           {},
	"odd/\xff\n.yaml":  {Data: []byte("odd")},
	"odd/[a-z]*/x":     {Data: []byte("literal")},
	"odd/`{}`$(x)/'\"": {Data: []byte("quotes")},
}

// eachTree runs a test on a directory, an archive and memory: they must not differ.
func eachTree(t *testing.T, place string, test func(*testing.T, *source.Tree)) {
	t.Helper()
	t.Run("directory", func(t *testing.T) {
		tree, err := source.Open(writeFiles(t, files), place)
		require.NoError(t, err)
		defer tree.Close()
		test(t, tree)
	})
	t.Run("archive", func(t *testing.T) {
		tree, err := source.OpenArchive(writeArchive(t, packed(files)...), place)
		require.NoError(t, err)
		defer tree.Close()
		test(t, tree)
	})
	t.Run("memory", func(t *testing.T) { test(t, source.Memory(place, files)) })
}

func writeFiles(t testing.TB, files map[string]source.Content) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		target := filepath.Join(dir, path)
		if strings.HasSuffix(path, "/") {
			require.NoError(t, os.MkdirAll(target, 0o750))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o750))
		mode := fs.FileMode(0o600)
		if content.Executable {
			mode = 0o700
		}
		require.NoError(t, os.WriteFile(target, content.Data, mode))
	}
	return dir
}

func TestReadDir(t *testing.T) {
	cases := map[string]struct {
		want []source.Entry
		err  error
	}{
		"": {want: []source.Entry{
			{"a", source.Directory},
			{"a-b", source.Directory},
			{"a.yaml", source.File},
			{"empty", source.Directory},
			{"odd", source.Directory},
		}},
		"a":        {want: []source.Entry{{".hidden", source.File}, {"b", source.Directory}}},
		"a/b":      {want: []source.Entry{{"c.txt", source.File}, {"run.sh", source.File}}},
		"empty":    {},
		"a.yaml":   {err: source.ErrNotDirectory},
		"a.yaml/x": {err: fs.ErrNotExist},
		"nope":     {err: fs.ErrNotExist},
		"A":        {err: fs.ErrNotExist},
		".":        {err: fs.ErrNotExist},
		"..":       {err: fs.ErrNotExist},
		"a/..":     {err: fs.ErrNotExist},
		"a/../a":   {err: fs.ErrNotExist},
		"a//b":     {err: fs.ErrNotExist},
		"a/":       {err: fs.ErrNotExist},
		"/a":       {err: fs.ErrNotExist},
		"/":        {err: fs.ErrNotExist},
		"./a":      {err: fs.ErrNotExist},
	}
	eachTree(t, ".", func(t *testing.T, tree *source.Tree) {
		for dir, c := range cases {
			got, err := tree.ReadDir(dir)
			if c.err != nil {
				require.ErrorIs(t, err, c.err, dir)
				continue
			}
			require.NoError(t, err, dir)
			assert.Equal(t, c.want, append([]source.Entry(nil), got...), dir)
		}
	})
}

func TestStatAndReadFile(t *testing.T) {
	cases := map[string]struct {
		kind       source.EntryType
		stat, read error
		data       string
	}{
		"":                 {kind: source.Directory, read: fs.ErrNotExist},
		"a":                {kind: source.Directory, read: source.ErrNotFile},
		"a/b":              {kind: source.Directory, read: source.ErrNotFile},
		"a.yaml":           {data: "a: 1\n"},
		"a/.hidden":        {data: "h"},
		"a-b/x":            {data: ""},
		"odd/\xff\n.yaml":  {data: "odd"},
		"odd/\xfe\n.yaml":  {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"odd/[a-z]*/x":     {data: "literal"},
		"odd/`{}`$(x)/'\"": {data: "quotes"},
		"A.yaml":           {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"a.yaml/":          {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"a.yaml/x":         {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"a.yaml/x/y":       {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"../x":             {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"a/../a.yaml":      {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"/a.yaml":          {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"/etc/hostname":    {stat: fs.ErrNotExist, read: fs.ErrNotExist},
		"nope/x":           {stat: fs.ErrNotExist, read: fs.ErrNotExist},
	}
	eachTree(t, ".", func(t *testing.T, tree *source.Tree) {
		for path, c := range cases {
			kind, err := tree.Stat(path)
			assert.ErrorIs(t, err, c.stat, path)
			assert.Equal(t, c.kind, kind, path)
			content, err := tree.ReadFile(path, 1000)
			assert.ErrorIs(t, err, c.read, path)
			assert.Equal(t, c.data, string(content.Data), path)
		}
	})
}

func TestExecutable(t *testing.T) {
	eachTree(t, ".", func(t *testing.T, tree *source.Tree) {
		for path, want := range map[string]bool{"a/b/run.sh": true, "a/b/c.txt": false} {
			content, err := tree.ReadFile(path, 1000)
			require.NoError(t, err)
			assert.Equal(t, want, content.Executable, path)
		}
	})
}

func TestLimit(t *testing.T) {
	eachTree(t, "tree", func(t *testing.T, tree *source.Tree) {
		content, err := tree.ReadFile("a.yaml", 5)
		require.NoError(t, err)
		assert.Equal(t, "a: 1\n", string(content.Data))

		_, err = tree.ReadFile("a.yaml", 4)
		var large *source.TooLargeError
		require.ErrorAs(t, err, &large)
		assert.Equal(t, &source.TooLargeError{Size: 5, Limit: 4}, large)
		require.EqualError(t, err, "read tree/a.yaml: it has 5 bytes, 4 are allowed")
	})
}

// Any order of accesses gives the same answers as a fresh tree: the chain of
// open directories never shows.
func TestAccessOrder(t *testing.T) {
	paths := []string{"a/b/c.txt", "a.yaml", "a-b/x", "a/b/run.sh", "odd/[a-z]*/x", "a/.hidden"}
	eachTree(t, ".", func(t *testing.T, tree *source.Tree) {
		for _, first := range paths {
			for _, second := range paths {
				for _, path := range []string{first, second, first} {
					content, err := tree.ReadFile(path, 1000)
					require.NoError(t, err, path)
					assert.Equal(t, string(files[path].Data), string(content.Data), "%s after %s", path, first)
				}
				_, err := tree.ReadDir("nope")
				require.ErrorIs(t, err, fs.ErrNotExist)
			}
		}
	})
}

func TestHide(t *testing.T) {
	eachTree(t, ".", func(t *testing.T, tree *source.Tree) {
		_, err := tree.ReadFile("a/b/c.txt", 100)
		require.NoError(t, err)
		tree.Hide("a/b")
		tree.Hide("a-b")
		for _, path := range []string{"a/b/c.txt", "a/b", "a-b", "a-b/x"} {
			_, err := tree.Stat(path)
			require.ErrorIs(t, err, fs.ErrNotExist, path)
		}
		entries, err := tree.ReadDir("a")
		require.NoError(t, err)
		assert.Equal(t, []source.Entry{{".hidden", source.File}}, entries)
		root, err := tree.ReadDir("")
		require.NoError(t, err)
		assert.Len(t, root, 4)
		_, err = tree.ReadFile("a.yaml", 100)
		require.NoError(t, err)
	})
}

func TestPlace(t *testing.T) {
	cases := []struct{ place, path, want string }{
		{".", "", "."},
		{".", "a/b.yaml", "a/b.yaml"},
		{"../repo", "", "../repo"},
		{"../repo", "a", "../repo/a"},
		{"/", "a", "/a"},
		{"artifact ns/m", "a", "artifact ns/m/a"},
		{".", "señor", "señor"},
		{".", "a\n::error::b", `a\n::error::b`},
		{".", "\x1b[31m\xff", `\x1b[31m\xff`},
		{".", "a\u202eb", `a\u202eb`},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, source.Memory(c.place, nil).Place(c.path))
	}
}

func TestErrorsNameThePlaceInTheWay(t *testing.T) {
	eachTree(t, "../repo", func(t *testing.T, tree *source.Tree) {
		_, err := tree.ReadFile("a/nope/x/y", 10)
		require.EqualError(t, err, "open ../repo/a/nope: file does not exist")
		_, err = tree.ReadDir("a.yaml")
		require.EqualError(t, err, "open ../repo/a.yaml: it is not a directory")
	})
}

func TestMemoryLeavesOutWhatNoTreeHolds(t *testing.T) {
	tree := source.Memory("m", map[string]source.Content{"": {}, "/": {}, "../x": {}, "/etc/x": {}, "a//b": {}, "./c": {}, "d/": {}})
	entries, err := tree.ReadDir("")
	require.NoError(t, err)
	assert.Equal(t, []source.Entry{{"d", source.Directory}}, entries)
}

func TestClosed(t *testing.T) {
	eachTree(t, ".", func(t *testing.T, tree *source.Tree) {
		tree.Close()
		tree.Close()
		_, err := tree.ReadDir("")
		require.ErrorIs(t, err, fs.ErrClosed)
		_, err = tree.ReadFile("a.yaml", 10)
		require.ErrorIs(t, err, fs.ErrClosed)
	})
}

func TestOpenErrors(t *testing.T) {
	dir := writeFiles(t, files)
	_, err := source.Open(filepath.Join(dir, "nope"), "../nope")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, `cannot read the directory "../nope": no such file or directory`)
	_, err = source.Open(filepath.Join(dir, "a.yaml"), "a.yaml")
	require.EqualError(t, err, `cannot read the directory "a.yaml": not a directory`)
}

func TestGlob(t *testing.T) {
	tree := source.Memory(".", files)
	cases := map[string][]string{
		"a.yaml":              {"a.yaml"},
		"nope.yaml":           nil,
		"nope/**":             nil,
		"a.yaml/*":            nil,
		"*.yaml":              {"a.yaml"},
		"*/*":                 {"a-b/x", "a/.hidden", "odd/\xff\n.yaml"},
		"a/**":                {"a/.hidden", "a/b/c.txt", "a/b/run.sh"},
		"**/*.yaml":           {"a.yaml", "odd/\xff\n.yaml"},
		"**/{c,x,run}*":       {"a-b/x", "a/b/c.txt", "a/b/run.sh", "odd/[a-z]*/x"},
		"{a,a-b}/{b/c.txt,x}": {"a-b/x", "a/b/c.txt"},
		"{a/b,a-b}/*":         {"a-b/x", "a/b/c.txt", "a/b/run.sh"},
		`odd/\[a-z\]\*/*`:     {"odd/[a-z]*/x"},
		"odd/[[]*/*":          {"odd/[a-z]*/x"},
		"a/**/c.txt":          {"a/b/c.txt"},
		"**/**":               {"a-b/x", "a.yaml", "a/.hidden", "a/b/c.txt", "a/b/run.sh", "odd/[a-z]*/x", "odd/`{}`$(x)/'\"", "odd/\xff\n.yaml"},
		"../*":                nil,
		"/a.yaml":             nil,
		"":                    nil,
	}
	for pattern, want := range cases {
		got, skipped, err := tree.Glob(pattern)
		require.NoError(t, err, pattern)
		assert.Equal(t, want, got, pattern)
		assert.Empty(t, skipped)
	}
	for _, bad := range []string{"[a", "{a", `a\`, "a/[", "a}"} {
		_, _, err := tree.Glob(bad)
		require.Error(t, err, bad)
	}
}

func TestGlobBase(t *testing.T) {
	cases := map[string]struct {
		base       string
		everything bool
	}{
		"a/b/**":         {"a/b", true},
		"**":             {"", true},
		"a/b":            {"a", false},
		"a/b/*":          {"a/b", false},
		"a*/b/**":        {"", false},
		"a/**/b":         {"a", false},
		`\[a-z\]\*/b/**`: {"[a-z]*/b", true},
		"{a/b}/**":       {"", false},
	}
	for pattern, c := range cases {
		g, err := source.ParseGlob(pattern)
		require.NoError(t, err)
		assert.Equal(t, c.base, g.Base(), pattern)
		assert.Equal(t, c.everything, g.Everything(), pattern)
	}
}

// Captured text is data: escaped, it matches itself and nothing else, also
// inside a class.
func TestEscapeGlob(t *testing.T) {
	for _, name := range []string{"[a-z]*", "**", "{a,b}", `a\b`, "!x", "^", "a-z", "]", "?", "\xff", "plain"} {
		g, err := source.ParseGlob(source.EscapeGlob(name) + "/f")
		require.NoError(t, err, name)
		assert.Equal(t, name, g.Base())
		tree := source.Memory(".", map[string]source.Content{name: {}, "ab": {}, "a": {}, "m": {}, "a-": {}, "\xfe": {}})
		got, _, err := tree.Glob(source.EscapeGlob(name))
		require.NoError(t, err)
		assert.Equal(t, []string{name}, got)
	}
	got, _, err := source.Memory(".", map[string]source.Content{"b": {}, "-": {}, "a": {}}).Glob("[" + source.EscapeGlob("a-c") + "]")
	require.NoError(t, err)
	assert.Equal(t, []string{"-", "a"}, got)
}

func TestManyStarsAreOne(t *testing.T) {
	for _, pattern := range []string{"x***", "?*****", "a/../x", "***x***"} {
		got, _, err := source.Memory(".", map[string]source.Content{"x": {}, "yx": {}}).Glob(pattern)
		require.NoError(t, err)
		assert.Equal(t, pattern != "a/../x", slices.Contains(got, "x"), pattern)
	}
}

// FuzzGlob compares with doublestar: a file is selected when its path matches,
// `**` at the end standing for one segment or more.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"a/b", "*", "**", "a/**", "**/b", "**/*.c", "a/*/b", "{a,b/c}/**", "[ab]/?", `\*/b`, "**/a/**/b", "a**", "{a/b}/**", "{*}*", "{**}", "a//b", "/a"} {
		f.Add(pattern, "a/b/x.c")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if !utf8.ValidString(pattern) || !utf8.ValidString(path) || !fs.ValidPath(path) || path == "." {
			return
		}
		if strings.HasSuffix(pattern, "/") {
			return // doublestar lets `**/` at the end match a file
		}
		if strings.Contains(pattern, "***") {
			return // what doublestar makes of it depends on what follows
		}
		got, _, err := source.Memory(".", map[string]source.Content{path: {}}).Glob(pattern)
		same := pattern
		if same == "**" || strings.HasSuffix(same, "/**") {
			same += "/*"
		}
		want, bad := doublestar.Match(same, path)
		require.Equal(t, bad != nil || !doublestar.ValidatePattern(pattern), err != nil)
		require.Equal(t, want && err == nil, len(got) == 1, "%q %q", pattern, path)
	})
}

// A walk reads only what a pattern can match.
func TestGlobStaysBelowItsBase(t *testing.T) {
	tree := source.Memory(".", files)
	g, err := source.ParseGlob("a/*/c.txt")
	require.NoError(t, err)
	seen := map[string]bool{}
	require.NoError(t, tree.Select(g, func(path string, _ source.Entry, matched bool) bool {
		seen[path] = matched
		return true
	}))
	assert.Equal(t, map[string]bool{"a/b": false, "a/b/c.txt": true}, seen)
}
