package tenant

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// tree is a tree of empty directories and of files with a text; a name with a
// slash at its end is a directory.
func tree(names ...string) *source.Tree {
	files := map[string]source.Content{}
	for _, name := range names {
		path, text, _ := strings.Cut(name, "=")
		files[path] = source.Content{Data: []byte(text)}
	}
	return source.Memory("repo", files)
}

// disk opens a directory of the repository's test data.
func disk(t testing.TB, fixture string) *source.Tree {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join("..", "..", "testdata", "fixtures", fixture))
	require.NoError(t, err)
	require.Len(t, dirs, 1)
	return open(t, dirs[0])
}

func open(t testing.TB, dir string) *source.Tree {
	t.Helper()
	opened, err := source.Open(dir, "repo")
	require.NoError(t, err)
	t.Cleanup(opened.Close)
	return opened
}

// discover is Discover for trees that can be read.
func discover(files *source.Tree, p Pattern, rep *krm.Report) []Match {
	matches, _ := Discover(files, p, rep)
	return matches
}

func dirsOf(matches []Match) []string {
	var dirs []string
	for _, m := range matches {
		dirs = append(dirs, m.Dir)
	}
	return dirs
}

func TestDiscover(t *testing.T) {
	files := tree(
		"tenants/README.md=x", "tenants/tenant-b/modules/web/manifests/cm.yaml=x", "tenants/tenant-a/modules/web/",
		"tenants/tenant-a/modules/notes.txt=x", "tenants/tenant-a/modules/10/", "tenants/tenant-a/modules/9/", "tenants/tenant-a/modules/B1/",
		"tenants/tenant-a/modules/a/deeper/", "tenants/tenant-a/modules/a-1/", "tenants/tenant-a/other/x/", "elsewhere/tenant-z/modules/web/",
	)
	var rep krm.Report
	got, ok := Discover(files, pattern(t, "@repo/tenants/{namespace}/modules/{module}"), &rep)
	assert.True(t, ok)
	assert.Empty(t, rep.Findings())
	assert.Equal(t, []string{
		"tenants/tenant-a/modules/10", "tenants/tenant-a/modules/9", "tenants/tenant-a/modules/B1", "tenants/tenant-a/modules/a",
		"tenants/tenant-a/modules/a-1", "tenants/tenant-a/modules/web", "tenants/tenant-b/modules/web",
	}, dirsOf(got), "byte order, level by level, directories of this depth only")
	assert.Equal(t, map[string]string{"namespace": "tenant-a", "module": "B1"}, got[2].Raw)
	assert.Equal(t, map[string]string{"namespace": "tenant-a", "module": "b1"}, got[2].Lower)
}

func TestDiscoverShapes(t *testing.T) {
	tests := map[string]struct {
		pattern string
		tree    []string
		hidden  string
		want    []string
	}{
		"no captures":               {"@r/apps/b", []string{"apps/b/", "apps/c/"}, "", []string{"apps/b"}},
		"no captures, a file":       {"@r/apps/b", []string{"apps/b=x"}, "", nil},
		"the root is never one":     {"@r/{a}", []string{"x/"}, "", []string{"x"}},
		"literal between":           {"@r/{a}/m", []string{"x/m/", "y/n/"}, "", []string{"x/m"}},
		"part of a segment":         {"@r/apps/app-{app}", []string{"apps/app-x/", "apps/app-/", "apps/x/"}, "", []string{"apps/app-x"}},
		"trailing slash":            {"@r/{a}/", []string{"x/"}, "", []string{"x"}},
		"glob characters":           {"@r/apps/*", []string{"apps/*/", "apps/x/"}, "", []string{"apps/*"}},
		"the generated directory":   {"@r/{a}/{b}", []string{"generated/x/", "a/x/", "a/generated/"}, "generated", []string{"a/generated", "a/x"}},
		"below a literal":           {"@r/generated/{a}", []string{"generated/x/"}, "generated", nil},
		"a file in the way":         {"@r/a/{b}", []string{"a=x"}, "", nil},
		"missing":                   {"@r/nope/{b}", []string{"a/"}, "", nil},
		"two levels before":         {"@r/cluster/{cluster}/{type}/{namespace}", []string{"cluster/prod-01/managed/blue/secrets/"}, "", []string{"cluster/prod-01/managed/blue"}},
		"a dot that was asked for":  {"@r/.teams/{a}", []string{".teams/x/"}, "", []string{".teams/x"}},
		"dots that were asked for":  {"@r/.{a}/m", []string{".x/m/", "x/m/"}, "", []string{".x/m"}},
		"control characters inside": {"@r/a\nb/{x}", []string{"a\nb/c/"}, "", []string{"a\nb/c"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			files := tree(test.tree...)
			files.Hide(test.hidden)
			got := discover(files, pattern(t, test.pattern), &rep)
			assert.Equal(t, test.want, dirsOf(got))
			assert.False(t, rep.Failed(), "%v", rep.Findings())
		})
	}
}

func TestDiscoverSkipsDotDirectoriesWithOneInfo(t *testing.T) {
	var rep krm.Report
	files := tree("tenants/.meta/modules/x/", "tenants/a/modules/.hidden/", "tenants/a/modules/web/", "tenants/.keep=x", ".git/")
	got := discover(files, pattern(t, "@r/tenants/{ns}/modules/{m}"), &rep)
	assert.Equal(t, []string{"tenants/a/modules/web"}, dirsOf(got))
	assert.Equal(t, []string{
		`directory-hidden : skipped directories whose names begin with a dot: "repo/tenants/.meta", "repo/tenants/a/modules/.hidden"`,
	}, infos(&rep))
	assert.Len(t, rep.Findings(), 1)
}

func TestDiscoverReportsEveryUnusableDirectoryOnce(t *testing.T) {
	long := strings.Repeat("x", 64)
	var rep krm.Report
	files := tree(
		"tenants/my app/modules/a/", "tenants/my app/modules/b/", "tenants/-x/modules/-y/", "tenants/ok/modules/"+long+"/",
		"tenants/ok/modules/good/", "tenants/cafe\u0301/modules/a/", "tenants/caf\u00e9/modules/a/", "tenants/\u212a8s/modules/a/",
		"tenants/docs only/", "tenants/bad\xff/modules/a/",
	)
	got := discover(files, pattern(t, "@r/tenants/{namespace}/modules/{module}"), &rep)
	assert.Equal(t, []string{"tenants/ok/modules/good"}, dirsOf(got))
	assert.Equal(t, []string{
		"directory-name repo/tenants/-x: the directory \"tenants/-x\" cannot be used: the capture `{namespace}` is \"-x\", and a label value must begin and end with a letter or a digit",
		"directory-name repo/tenants/-x/modules/-y: the directory \"tenants/-x/modules/-y\" cannot be used: the capture `{module}` is \"-y\", and a label value must begin and end with a letter or a digit",
		"directory-name repo/tenants/bad\\xff: the directory \"tenants/bad\\xff\" cannot be used: the capture `{namespace}` must be ASCII, \"bad\\xff\" has the byte 0xFF (not UTF-8)",
		"directory-name repo/tenants/cafe\u0301: the directory \"tenants/cafe\u0301\" cannot be used: the capture `{namespace}` must be ASCII, \"cafe\u0301\" has U+0301 (decomposed)",
		"directory-name repo/tenants/caf\u00e9: the directory \"tenants/caf\u00e9\" cannot be used: the capture `{namespace}` must be ASCII, \"caf\u00e9\" has U+00E9 (composed)",
		"directory-name repo/tenants/my app: the directory \"tenants/my app\" cannot be used: the capture `{namespace}` is \"my app\", and a label value must not contain ' ' (character 3)",
		"directory-name repo/tenants/ok/modules/" + long + ": the directory \"tenants/ok/modules/" + long + "\" cannot be used: the capture `{module}` is \"" + long + "\", and a label value has at most 63 characters, this one has 64",
		"directory-name repo/tenants/\u212a8s: the directory \"tenants/\u212a8s\" cannot be used: the capture `{namespace}` must be ASCII, \"\u212a8s\" has U+212A (composed)",
	}, errs(&rep))
	assert.Equal(t, []string{
		"directory-unused repo/tenants/docs only: the directory \"tenants/docs only\" yields nothing: no directory in it matches \"modules/{module}\"",
	}, infos(&rep), "a name that is never used is no mistake")
	hints := map[string]string{}
	for _, f := range rep.Findings() {
		hints[f.Pos.File] = f.Hint
	}
	assert.Equal(t, "rename the directory so that the capture `{namespace}` is, for example, \"my-app\"", hints["repo/tenants/my app"])
	assert.Equal(t, "rename the directory so that the capture `{namespace}` is, for example, \"x\"", hints["repo/tenants/-x"])
	assert.Equal(t, "rename the directory so that the capture `{module}` is shorter by 1 or more", hints["repo/tenants/ok/modules/"+long])
	assert.Equal(t, "rename the directory so that the capture `{namespace}` has only the letters a to z, digits and `-`", hints["repo/tenants/caf\u00e9"])
}

func TestDiscoverTellsOfDirectoriesThatYieldNothing(t *testing.T) {
	var rep krm.Report
	files := tree("tenants/full/modules/web/", "tenants/empty/modules/.gitkeep=", "tenants/gone/namespace-metadata.yaml=x")
	discover(files, pattern(t, "@r/tenants/{ns}/modules/{m}"), &rep)
	assert.Equal(t, []string{
		"directory-unused repo/tenants/empty: the directory \"tenants/empty\" yields nothing: no directory in it matches \"modules/{m}\"",
		"directory-unused repo/tenants/gone: the directory \"tenants/gone\" yields nothing: no directory in it matches \"modules/{m}\"",
	}, infos(&rep))
	assert.Len(t, rep.Findings(), 2)

	rep = krm.Report{}
	discover(tree("a/b/x=", "a/c/"), pattern(t, "@r/{one}/{two}/{three}"), &rep)
	assert.Equal(t, []string{
		"directory-unused repo/a: the directory \"a\" yields nothing: no directory in it matches \"{two}/{three}\"",
	}, infos(&rep), "only the topmost is named")
}

func TestDiscoverNeverFollowsLinks(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"tenants/tenant-real/modules/m", "outside/modules/m", "tenants/loop/modules"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	links := map[string]string{
		"tenants/tenant-alias": "tenant-real", "tenants/tenant-out": "../outside", "tenants/etc": "/etc", "tenants/dangling": "nowhere",
		"tenants/loop/modules/loop": "..", "linked": "tenants", "tenants/..data": "tenant-real", "tenants/file-link.txt": "../tenants/x",
	}
	for name, target := range links {
		require.NoError(t, os.Symlink(target, filepath.Join(root, name)))
	}
	var rep krm.Report
	got := discover(open(t, root), pattern(t, "@r/tenants/{ns}/modules/{m}"), &rep)
	assert.Equal(t, []string{"tenants/tenant-real/modules/m"}, dirsOf(got))
	assert.Equal(t, []string{
		`link-skipped repo/tenants/dangling: "tenants/dangling" is a link, links are never followed`,
		`link-skipped repo/tenants/etc: "tenants/etc" is a link, links are never followed`,
		`link-skipped repo/tenants/file-link.txt: "tenants/file-link.txt" is a link, links are never followed`,
		`link-skipped repo/tenants/loop/modules/loop: "tenants/loop/modules/loop" is a link, links are never followed`,
		`link-skipped repo/tenants/tenant-alias: "tenants/tenant-alias" is a link, links are never followed`,
		`link-skipped repo/tenants/tenant-out: "tenants/tenant-out" is a link, links are never followed`,
	}, warnings(&rep))
	assert.False(t, rep.Failed())

	rep = krm.Report{}
	assert.Empty(t, discover(open(t, root), pattern(t, "@r/linked/{ns}/modules/{m}"), &rep), "a literal segment is no way through a link")
	assert.Equal(t, []string{`link-skipped repo/linked: "linked" is a link, links are never followed`}, warnings(&rep))
}

func TestDiscoverReportsUnreadableDirectories(t *testing.T) {
	if os.Getuid() == 0 {
		deep := strings.Repeat("d/", 260)
		var rep krm.Report
		matches, ok := Discover(tree(deep), pattern(t, "@r/"+deep+"{a}"), &rep)
		assert.False(t, ok)
		assert.Empty(t, matches)
		require.Len(t, errs(&rep), 1, "the tree refuses such depth")
		assert.Equal(t, "directory-unreadable", rep.Findings()[0].Code)
		assert.True(t, strings.HasSuffix(rep.Findings()[0].Message, `d/d": directories nest more than 250 deep`), "the path is there once")
		return
	}
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "tenants/a/modules/m"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "tenants/b/modules/m"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(root, "tenants/a/modules"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "tenants/a/modules"), 0o755) })
	var rep krm.Report
	matches, ok := Discover(open(t, root), pattern(t, "@r/tenants/{ns}/modules/{m}"), &rep)
	assert.False(t, ok)
	assert.Equal(t, []string{"tenants/b/modules/m"}, dirsOf(matches))
	assert.Equal(t, "repo/tenants/a/modules", the(t, &rep, "directory-unreadable").Pos.File)
	assert.Empty(t, infos(&rep), "what cannot be read is not empty")
}

func TestNoMatch(t *testing.T) {
	files := tree("tenants/tenant-a/modules/web/", "tenants/tenant-b/docs/", "docs/", ".git/", "README.md=x", "empty/")
	tests := map[string]string{
		"@r/tenant/{ns}/modules/{m}":   `no directory in the root of the source matches the path segment "tenant", did you mean "tenants"?`,
		"@r/namespaces/{ns}":           `no directory in the root of the source matches the path segment "namespaces", the directories there are ".git", "docs", "empty", "tenants"`,
		"@r/tenants/{ns}/module/{m}":   `no directory in any of 2 directories, the first of them "tenants/tenant-a", matches the path segment "module", did you mean "modules"?`,
		"@r/tenants/team-{ns}":         `no directory in "tenants" matches the path segment "team-{ns}", the directories there are "tenant-a", "tenant-b"`,
		"@r/empty/{ns}":                `no directory in "empty" matches the path segment "{ns}", there are no directories`,
		"@r/tenants/{ns}/modules/{m}":  "every directory that matches is left out",
		"@r/tenants/{ns}/docs/{m}/{x}": `no directory in "tenants/tenant-b/docs" matches the path segment "{m}", there are no directories`,
	}
	for text, want := range tests {
		assert.Equal(t, want, pattern(t, text).NoMatch(files), text)
	}
}

// A directory of many links, or of many names that cannot be used, must not bury
// the rest.
func TestDiscoverReportsTwentyPerDirectory(t *testing.T) {
	var names []string
	for i := range 25 {
		names = append(names, fmt.Sprintf("t/_%02d/m/", i), fmt.Sprintf("t/empty-%02d/", i))
	}
	names = append(names, "t/good/_/")
	var rep krm.Report
	matches := discover(tree(names...), pattern(t, "@repo/t/{namespace}/{module}"), &rep)
	assert.Empty(t, matches)
	require.Len(t, errs(&rep), 22)
	assert.Contains(t, errs(&rep), `directory-name repo/t/_19: 5 more like this in the directory "repo/t"`)
	assert.True(t, strings.HasPrefix(errs(&rep)[21], "directory-name repo/t/good/_: "), "another directory has a count of its own")
	require.Len(t, infos(&rep), 21)
	assert.Contains(t, infos(&rep), `directory-unused repo/t/empty-19: 5 more like this in the directory "repo/t"`)
}

func TestDiscoverReportsTwentyLinks(t *testing.T) {
	root := t.TempDir()
	for i := range 25 {
		require.NoError(t, os.Symlink("nowhere", filepath.Join(root, fmt.Sprintf("link-%02d", i))))
	}
	var rep krm.Report
	discover(open(t, root), pattern(t, "@repo/{namespace}"), &rep)
	require.Len(t, warnings(&rep), 21)
	assert.Contains(t, warnings(&rep), `link-skipped repo/link-19: 5 more like this in the directory "repo"`)
}
