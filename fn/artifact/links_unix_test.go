//go:build unix

package artifact

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/source"
)

// linked has a tenant's module with links of all kinds and a neighbour.
func linked(t *testing.T) *source.Tree {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"a/manifests/sub", "neighbour/manifests", "only"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o750))
	}
	for _, f := range []string{"a/manifests/cm.yaml", "neighbour/manifests/secret.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f), []byte(f), 0o600))
	}
	for link, target := range map[string]string{
		"a/manifests/file.yaml": "/etc/hostname",
		"a/manifests/dir":       "../../neighbour/manifests",
		"a/manifests/sub/loop":  "..",
		"a/gone":                "nowhere",
		"a/alias":               "manifests",
		"only/link.yaml":        "../a/manifests/cm.yaml",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "a/manifests/pipe"), 0o600))
	tree, err := source.Open(dir, ".")
	require.NoError(t, err)
	t.Cleanup(tree.Close)
	return tree
}

func TestLinksInsideDirectoriesAreLeftOut(t *testing.T) {
	for _, from := range []string{"@repo/a/manifests", "@repo/a/manifests/**", "@repo/a/**/*"} {
		a, rep := buildOps(linked(t), nil, opFields{From: from, To: "@artifact/", Exclude: []string{"gone", "alias"}})
		require.NotNil(t, a, "%v", rep.Findings())
		for path, text := range held(t, a) {
			if text != "" {
				assert.Equal(t, "a/manifests/cm.yaml", text, path)
			}
		}
		left := map[string]string{}
		for _, f := range rep.Findings() {
			left[f.Pos.File] = f.Severity.String() + " " + f.Code
		}
		assert.Equal(t, map[string]string{
			"a/manifests/dir":       "warning copy-link-left-out",
			"a/manifests/file.yaml": "warning copy-link-left-out",
			"a/manifests/sub/loop":  "warning copy-link-left-out",
			"a/manifests/pipe":      "warning copy-special-left-out",
		}, left, from)
	}
}

func TestLinksThatArePartOfAPatternAreLeftOut(t *testing.T) {
	a, rep := buildOps(linked(t), nil, opFields{From: "@repo/a/*/cm.yaml", To: "@artifact/"})
	require.NotNil(t, a, "%v", rep.Findings())
	assert.Equal(t, map[string]string{"a/manifests/cm.yaml": "a/manifests/cm.yaml"}, held(t, a))
	assert.Equal(t, []string{"warning copy-link-left-out", "warning copy-link-left-out"}, codes(rep))

	a, rep = buildOps(linked(t), nil, opFields{From: "@repo/only/*.yaml", To: "@artifact/"})
	require.Nil(t, a)
	assert.Equal(t, []string{"error copy-no-match", "warning copy-link-left-out"}, codes(rep))
}

func TestLinksNamedByThePathAreErrors(t *testing.T) {
	for from, message := range map[string]string{
		"@repo/a/alias":               `artifact tenant-a/web: cannot copy "@repo/a/alias": "a/alias" is a link, and links are never followed`,
		"@repo/a/alias/cm.yaml":       `artifact tenant-a/web: cannot copy "@repo/a/alias/cm.yaml": "a/alias" is a link, and links are never followed`,
		"@repo/a/alias/**":            `artifact tenant-a/web: cannot copy "@repo/a/alias/**": "a/alias" is a link, and links are never followed`,
		"@repo/a/manifests/file.yaml": "",
		"@repo/a/gone":                "",
	} {
		for _, optional := range []bool{false, true} {
			a, rep := buildOps(linked(t), nil, opFields{From: from, To: "@artifact/", Optional: optional})
			require.Nil(t, a, from)
			require.Equal(t, []string{"error copy-link"}, codes(rep), from)
			if message != "" {
				assert.Equal(t, message, rep.Findings()[0].Message)
			}
		}
	}
	a, rep := buildOps(linked(t), nil, opFields{From: "@repo/a/manifests/pipe", To: "@artifact/"})
	require.Nil(t, a)
	assert.Equal(t, []string{"error copy-special-file"}, codes(rep))
}

func TestExcludedLinksAreNotMentioned(t *testing.T) {
	a, rep := buildOps(linked(t), nil, opFields{From: "@repo/a/manifests/**", To: "@artifact/", Exclude: []string{"file.yaml", "dir", "loop", "pipe"}})
	require.NotNil(t, a)
	assert.Empty(t, rep.Findings())
}

// A sparse file costs its tenant nothing; it is refused without being read.
func TestSparseFile(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "big"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(10<<30))
	require.NoError(t, f.Close())
	tree, err := source.Open(dir, ".")
	require.NoError(t, err)
	defer tree.Close()
	a, rep := buildOps(tree, nil, everything)
	require.Nil(t, a)
	assert.Equal(t, []string{"error artifact-file-too-large"}, codes(rep))
}

func TestManyLinksAreOneFindingInTheEnd(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "d"), 0o750))
	for i := range 25 {
		require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "d", fmt.Sprintf("link-%02d", i))))
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "d", fmt.Sprintf("pipe-%02d", i)), 0o600))
	}
	tree, err := source.Open(dir, ".")
	require.NoError(t, err)
	t.Cleanup(tree.Close)
	_, rep := buildOps(tree, nil, opFields{From: "@repo/d", To: "@artifact/"})
	var rest []string
	for _, f := range rep.Findings() {
		if strings.Contains(f.Message, "more like this") {
			rest = append(rest, f.String())
		}
	}
	assert.Len(t, rep.Findings(), 2*21+1, "and the artifact is empty")
	assert.Equal(t, []string{
		"d/link-19: 5 more like this in artifact tenant-a/web [copy-link-left-out]",
		"d/pipe-19: 5 more like this in artifact tenant-a/web [copy-special-left-out]",
	}, rest)
}
