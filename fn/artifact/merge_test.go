package artifact

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// mergeFiles copies base to f.yaml and merges overlay into it.
func mergeFiles(base, overlay string) (string, *krm.Report) {
	a, rep := buildOps(memory(map[string]string{"base/f.yaml": base, "overlay/f.yaml": overlay}), nil,
		opFields{From: "@repo/base/**", To: "@artifact/"},
		opFields{From: "@repo/overlay/**", To: "@artifact/", Strategy: "Merge"})
	if a == nil {
		return "", rep
	}
	content, _ := treeOf(a).ReadFile("f.yaml", 1<<20)
	return string(content.Data), rep
}

func TestMerge(t *testing.T) {
	cases := []struct{ name, base, overlay, want string }{
		{"maps recurse, keys are sorted", "b: {x: 1, w: 2}\na: 1\n", "b: {w: 3, z: 4}\nc: 5\n", "a: 1\nb:\n  w: 3\n  x: 1\n  z: 4\nc: 5\n"},
		{"lists are replaced", "a: [1, 2]\n", "a: [3]\n", "a:\n- 3\n"},
		{"types are replaced", "a: {b: 1}\nc: 1\n", "a: text\nc: {d: 1}\n", "a: text\nc:\n  d: 1\n"},
		{"null stays", "a: 1\nb: 2\n", "a: null\n", "a: null\nb: 2\n"},
		{"null below a map", "a:\n", "a: {b: 1}\n", "a:\n  b: 1\n"},
		{"comments are lost", "# c\na: 1 # d\n", "b: 2\n", "a: 1\nb: 2\n"},
		{"empty overlay", "b: 1\na: 2\n", "# nothing\n", "a: 2\nb: 1\n"},
		{"empty base", "", "a: 1\n", "a: 1\n"},
		{"JSON", `{"a": {"b": 1}}`, `{"a": {"c": "x"}}`, "a:\n  b: 1\n  c: x\n"},
		{"numbers keep their digits", "a: 9007199254740993\nb: 123456789012345678901234567890\n", "c: 1.10\n", "a: 9007199254740993\nb: 123456789012345678901234567890\nc: 1.10\n"},
		{"strings stay strings", "a: \"0644\"\nb: \"yes\"\nc: \"1e3\"\n", "d: 'null'\n", "a: \"0644\"\nb: \"yes\"\nc: \"1e3\"\nd: \"null\"\n"},
		{"CRLF and BOM", "\xef\xbb\xbfa: 1\r\n", "b: x\r\n", "a: 1\nb: x\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, rep := mergeFiles(c.base, c.overlay)
			require.Empty(t, rep.Findings())
			assert.Equal(t, c.want, got)
		})
	}
}

// What a merge would lose or change silently is an error, at its position.
func TestMergeRefuses(t *testing.T) {
	cases := []struct{ name, base, overlay, code, place string }{
		{"documents in the overlay", "a: 1\n", "a: 1\n---\nb: 2\n", "yaml-multiple-documents", "overlay/f.yaml:3:1"},
		{"documents in the base", "a: 1\n---\nb: 2\n", "a: 1\n", "yaml-multiple-documents", "base/f.yaml:3:1"},
		{"list at the top", "a: 1\n", "- 1\n", "merge-not-map", "overlay/f.yaml:1:1"},
		{"scalar at the top", "text\n", "a: 1\n", "merge-not-map", "base/f.yaml:1:1"},
		{"null at the top", "null\n", "a: 1\n", "merge-not-map", "base/f.yaml:1:1"},
		{"duplicate key", "a: 1\n", "a: 1\na: 2\n", "yaml-duplicate-key", "overlay/f.yaml:2:1"},
		{"octal", "mode: 0644\n", "a: 1\n", "merge-ambiguous-scalar", "base/f.yaml:1:7"},
		{"word", "a: 1\n", "b:\n- yes\n", "merge-ambiguous-scalar", "overlay/f.yaml:2:3"},
		{"syntax", "a: 1\n", "a: [\n", "yaml-syntax", ""},
		{"encoding", "a: 1\n", "\x00GITCRYPT\x00", "yaml-encoding", "overlay/f.yaml:1:1"},
		{"size", "a: 1\n", "a: " + strings.Repeat("x", 1<<20), "merge-too-large", "overlay/f.yaml"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, rep := mergeFiles(c.base, c.overlay)
			require.Equal(t, []string{"error " + c.code}, codes(rep))
			if c.place != "" {
				assert.Equal(t, c.place, rep.Findings()[0].Pos.Place())
			}
		})
	}
}

func TestMergeShowsWhatIsWritten(t *testing.T) {
	_, rep := mergeFiles("mode: 0644\n", "a: 1\n")
	require.Len(t, rep.Findings(), 1)
	assert.Equal(t, "artifact tenant-a/web: the value \"0644\" cannot be merged, YAML 1.1 reads it as the integer 420", rep.Findings()[0].Message)
}

func TestMergeBothSidesReported(t *testing.T) {
	_, rep := mergeFiles("- 1\n", "- 2\n")
	assert.Equal(t, []string{"error merge-not-map", "error merge-not-map"}, codes(rep))
}

// Upstream merges the files that a pattern matches, but overwrites inside the
// directories that it matches.
func TestMergeInsideDirectories(t *testing.T) {
	tree := memory(map[string]string{
		"s1/v.yaml": "a: 1\n", "s1/d/v.yaml": "a: 1\n", "s1/d/only.md": "text",
		"s2/v.yaml": "b: 2\n", "s2/d/v.yaml": "b: 2\n", "s2/d/new.md": "not: [yaml",
	})
	want := map[string]string{"d/v.yaml": "a: 1\nb: 2\n", "d/only.md": "text", "d/new.md": "not: [yaml"}
	a, rep := buildOps(tree, nil, opFields{From: "@repo/s1/**", To: "@artifact/"}, opFields{From: "@repo/s2/**", To: "@artifact/", Strategy: "Merge"})
	require.NotNil(t, a, "%v", rep.Findings())
	withRoot := map[string]string{"v.yaml": "a: 1\nb: 2\n"}
	maps.Copy(withRoot, want)
	assert.Equal(t, withRoot, held(t, a))

	a, rep = buildOps(tree, nil, opFields{From: "@repo/s1/d", To: "@artifact/"}, opFields{From: "@repo/s2/d", To: "@artifact/", Strategy: "Merge"})
	require.NotNil(t, a, "%v", rep.Findings())
	assert.Equal(t, map[string]string{"d/v.yaml": "a: 1\nb: 2\n", "d/only.md": "text", "d/new.md": "not: [yaml"}, held(t, a))
}

func TestMergeWithoutMeeting(t *testing.T) {
	a, rep := buildOps(memory(map[string]string{"f.yaml": "{{ not yaml"}), nil, opFields{From: "@repo/f.yaml", To: "@artifact/", Strategy: "Merge"})
	require.NotNil(t, a, "%v", rep.Findings())
	assert.Equal(t, map[string]string{"f.yaml": "{{ not yaml"}, held(t, a))
}

func TestMergeKeepsTheMode(t *testing.T) {
	tree := source.Memory(".", map[string]source.Content{
		"a/f": {Data: []byte("a: 1\n"), Executable: true}, "b/f": {Data: []byte("b: 1\n")},
	})
	a, _ := buildOps(tree, nil, opFields{From: "@repo/a/f", To: "@artifact/"}, opFields{From: "@repo/b/f", To: "@artifact/", Strategy: "Merge"})
	require.NotNil(t, a)
	content, err := treeOf(a).ReadFile("f", 100)
	require.NoError(t, err)
	assert.True(t, content.Executable)
	assert.Equal(t, "a: 1\nb: 1\n", string(content.Data))
}

func TestMergeTwice(t *testing.T) {
	tree := memory(map[string]string{"1/f": "a: {x: 1}", "2/f": "a: {w: 2}", "3/f": "a: {x: 3}"})
	a, rep := buildOps(tree, nil, opFields{From: "@repo/1/f", To: "@artifact/"},
		opFields{From: "@repo/2/f", To: "@artifact/", Strategy: "Merge"}, opFields{From: "@repo/3/f", To: "@artifact/", Strategy: "Merge"})
	require.NotNil(t, a, "%v", rep.Findings())
	assert.Equal(t, map[string]string{"f": "a:\n  w: 2\n  x: 3\n"}, held(t, a))
}

// A merge writes aliases out and puts flow style on lines of its own, so two small
// files can make a huge one.
func TestMergeIsBounded(t *testing.T) {
	const half = 1 << 19
	wide := strings.Repeat("[", 90) + strings.Repeat("1,", half/2) + strings.Repeat("]", 90)
	for name, c := range map[string]struct{ base, overlay, code string }{
		"overlay":  {"a: 1\n", "b: " + wide, "merge-too-large"},
		"base":     {"b: " + wide, "a: 1\n", "merge-too-large"},
		"replaced": {"b: " + wide, "b: 1\n", ""},
		"aliases":  {"a: 1\n", "x: &x " + strings.Repeat("x", 70_000) + "\nb: [" + strings.Repeat("*x, ", 9_990) + "]\n", "yaml-alias-limit"},
		"escapes":  {"d: " + emoji(100_000) + "\n", "x: &x " + emoji(half/8) + "\nb: [*x, *x, *x]\nc: " + emoji(100_000) + "\n", "merge-too-large"},
		"both":     {"a: " + strings.Repeat("x", half), "b: " + strings.Repeat("x", half), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, rep := mergeFiles(c.base, c.overlay)
			if c.code == "" {
				assert.Empty(t, rep.Findings())
				return
			}
			require.Equal(t, []string{"error " + c.code}, codes(rep))
			assert.Equal(t, "overlay/f.yaml", rep.Findings()[0].Pos.File)
		})
	}
}

// emoji are four bytes each, and ten as an escape.
func emoji(n int) string { return strings.Repeat("\U0001F600", n) }

func TestLeastSize(t *testing.T) {
	for _, text := range []string{
		"a: 1\nb:\n  c: [1, [2, [3, 4]], {d: e, f: {g: [h]}}]\n", "[[[[[[1]]]]]]", "- - a: {b: [[c]]}\n    d: e\n", "{}", "a: []\nb: {}\nc: null\n", "a: \"x\\ny\\n\"\n",
	} {
		node, ok := krm.ParseFile("f", []byte(text), &krm.Report{})
		require.True(t, ok)
		written := len(node.AppendYAML(nil, 0))
		assert.LessOrEqual(t, leastSize(node, 1<<20), written, text)
		assert.GreaterOrEqual(t, leastSize(node, 1<<20), written/2, text)
		assert.Less(t, leastSize(node, 3), 20, text)
	}
}
