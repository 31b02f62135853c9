package artifact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

func TestParseOperation(t *testing.T) {
	long := strings.Repeat("x", 1024-len("@artifact/"))
	cases := []struct {
		op      opFields
		code    string
		message string
	}{
		{op: opFields{From: "@repo/a/**", To: "@artifact/"}},
		{op: opFields{From: "@repo/", To: "@artifact/."}},
		{op: opFields{From: "@re_po-1/x y/[ab]?", To: "@artifact/x/", Strategy: "Overwrite"}},
		{op: opFields{From: "@repo/{a}/b{c}/{a}", To: "@artifact/{c}", Strategy: "Merge"}},
		{op: opFields{From: "@repo/.hidden/..data/a..b", To: "@artifact/" + long, Strategy: "Extract"}},
		{op: opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"*.md", "**/sub/**", "{a,b}", `\!x`, ".x", "..x"}}},

		{opFields{From: "", To: "@artifact/"}, "copy-from", "`from` \"\" does not start with a source alias"},
		{opFields{From: "@repo", To: "@artifact/"}, "copy-from", "`from` \"@repo\" does not start with a source alias"},
		{opFields{From: "repo/x", To: "@artifact/"}, "copy-from", ""},
		{opFields{From: "@Repo/x", To: "@artifact/"}, "copy-from", ""},
		{opFields{From: "@{x}/x", To: "@artifact/"}, "copy-from", ""},
		{opFields{From: "@repo/" + strings.Repeat("x", 1020), To: "@artifact/"}, "copy-from", ""},
		{opFields{From: "@repo/../x", To: "@artifact/"}, "copy-from", "`from` \"@repo/../x\" has the path segment `..`"},
		{opFields{From: "@repo/x/../y", To: "@artifact/"}, "copy-from", ""},
		{opFields{From: "@repo//etc", To: "@artifact/"}, "copy-from", "`from` \"@repo//etc\" has an empty path segment"},
		{opFields{From: "@repo/./x/**", To: "@artifact/"}, "copy-from", ""},
		{opFields{From: "@repo/x//**", To: "@artifact/"}, "copy-from", ""},
		{opFields{From: "@repo/x*/", To: "@artifact/"}, "copy-from", "`from` \"@repo/x*/\" is a pattern that can never match, because it ends with a slash"},
		{opFields{From: "@repo/[", To: "@artifact/"}, "copy-from", "`from` \"@repo/[\" is not a valid pattern"},
		{opFields{From: "@repo/[{x}", To: "@artifact/"}, "copy-from", ""},
		{opFields{From: "@repo/{a,b}/*", To: "@artifact/"}, "capture-syntax", ""},
		{opFields{From: "@repo/{a", To: "@artifact/"}, "capture-syntax", ""},

		{opFields{From: "@repo/x", To: ""}, "copy-to", "`to` \"\" does not start with \"@artifact/\""},
		{opFields{From: "@repo/x", To: "@artifact"}, "copy-to", ""},
		{opFields{From: "@repo/x", To: "@other/x"}, "copy-to", ""},
		{opFields{From: "@repo/x", To: "@artifact/../x"}, "copy-to", "`to` \"@artifact/../x\" has the path segment `..`"},
		{opFields{From: "@repo/x.tgz", To: "@artifact/../escaped/", Strategy: "Extract"}, "copy-to", ""},
		{opFields{From: "@repo/x", To: "@artifact/x/.."}, "copy-to", ""},
		{opFields{From: "@repo/x", To: "@artifact//etc"}, "copy-to", ""},
		{opFields{From: "@repo/x", To: "@artifact/x//y"}, "copy-to", ""},
		{opFields{From: "@repo/x", To: "@artifact/./x"}, "copy-to", ""},
		{opFields{From: "@repo/x", To: "@artifact/x" + long}, "copy-to", ""},
		{opFields{From: "@repo/x", To: "@artifact/{x-y}"}, "capture-syntax", ""},

		{opFields{From: "@repo/x", To: "@artifact/", Strategy: "Mrege"}, "copy-strategy", `unknown copy strategy "Mrege"`},
		{opFields{From: "@repo/x", To: "@artifact/", Strategy: "overwrite"}, "copy-strategy", ""},

		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"sub/"}}, "copy-exclude", "the exclude pattern \"sub/\" can never match, because it ends with a slash"},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"/configs/**"}}, "copy-exclude", ""},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"./sub/**"}}, "copy-exclude", "the exclude pattern \"./sub/**\" can never match, because it has the path segment `.`"},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"!keep.yaml"}}, "copy-exclude", ""},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"a/../b"}}, "copy-exclude", ""},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"a//b"}}, "copy-exclude", ""},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{""}}, "copy-exclude", `the exclude pattern "" is empty`},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"[a"}}, "copy-exclude", `the exclude pattern "[a" has a syntax error`},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{"{a,b"}}, "copy-exclude", ""},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: []string{strings.Repeat("x", 1025)}}, "copy-exclude", ""},
		{opFields{From: "@repo/x", To: "@artifact/", Exclude: strings.Split(strings.Repeat("x,", 100)+"x", ",")}, "copy-exclude", "there are 101 patterns in `exclude`, 100 are allowed"},
	}
	for i, c := range cases {
		t.Run(fmt.Sprint(i, " ", c.op.From, " ", c.op.To), func(t *testing.T) {
			rep := &krm.Report{}
			_, ok := ParseOperation(c.op.fields(), rep)
			require.Equal(t, c.code == "", ok, "%v", rep.Findings())
			if c.code == "" {
				require.Empty(t, rep.Findings())
				return
			}
			require.Len(t, rep.Findings(), 1)
			assert.Equal(t, c.code, rep.Findings()[0].Code)
			assert.Equal(t, krm.Error, rep.Findings()[0].Severity)
			assert.NotEmpty(t, rep.Findings()[0].Pos.Field)
			if c.message != "" {
				assert.Equal(t, c.message, rep.Findings()[0].Message)
			}
		})
	}
}

func TestParseOperationReportsAllMistakes(t *testing.T) {
	rep := &krm.Report{}
	_, ok := ParseOperation(opFields{From: "x", To: "y", Strategy: "z", Exclude: []string{"/a", "b/"}}.fields(), rep)
	assert.False(t, ok)
	var fields []string
	for _, f := range rep.Findings() {
		fields = append(fields, f.Pos.Field)
	}
	assert.Equal(t, []string{"copy[0].exclude[0]", "copy[0].exclude[1]", "copy[0].from", "copy[0].strategy", "copy[0].to"}, fields)
}

// A field that was not written has no position; the operation's stands in.
func TestParseOperationPositionOfMissingField(t *testing.T) {
	rep := &krm.Report{}
	_, ok := ParseOperation(Fields{Pos: krm.Pos{Field: "spec.artifacts[0].copy[2]"}}, rep)
	assert.False(t, ok)
	require.Len(t, rep.Findings(), 2)
	assert.Equal(t, "spec.artifacts[0].copy[2].from", rep.Findings()[0].Pos.Field)
	assert.Equal(t, "spec.artifacts[0].copy[2].to", rep.Findings()[1].Pos.Field)
}

func TestOperationCaptures(t *testing.T) {
	op, ok := ParseOperation(opFields{From: "@repo/{b}/{a}/{b}", To: "@artifact/{c}/{a}"}.fields(), &krm.Report{})
	require.True(t, ok)
	assert.Equal(t, "repo", op.Alias().Text)
	assert.Equal(t, "copy[0].from", op.Alias().Pos.Field)

	rep := &krm.Report{}
	assert.True(t, op.CheckCaptures([]string{"a", "b", "c"}, rep))
	assert.False(t, op.CheckCaptures([]string{"x"}, rep))
	assert.Len(t, rep.Findings(), 5, "each use of an unknown capture")
}

// Whatever a tenant writes or calls a file, what is said about it stays short.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("é", 1<<17)
	name := strings.Repeat("n", 250)
	deep := strings.Repeat(name+"/", 15)
	rep := &krm.Report{}
	for _, f := range []opFields{
		{From: long, To: long},
		{From: "@repo/" + long, To: "@artifact/../" + long, Strategy: long, Exclude: []string{"!" + long, long}},
		{From: "@repo/../" + long[:900], To: "@artifact/" + long[:900] + "/.."},
	} {
		ParseOperation(f.fields(), rep)
	}
	ParseInputsFrom(krm.Str{Text: long}, rep)
	ParseInputsFrom(krm.Str{Text: "@repo/../" + long[:900]}, rep)
	ParseInputs([]byte("a: 0"+strings.Repeat("7", 90<<10)+"\n? "+long[:90<<10]+"\n: 1\n"), krm.Pos{File: "f", Line: 1}, rep)
	files := map[string]string{
		deep + "a\\b": "", deep + "ns.yaml": "apiVersion: v1\nkind: Namespace\n", deep + "x.tgz": "no gzip", deep + "d.yaml": "a: 0" + strings.Repeat("7", 1<<18),
	}
	names := tarballOf(t, map[string]string{deep + "../x": ""})
	for _, tree := range []*source.Tree{memory(files), memory(map[string]string{deep + "y.tgz": names})} {
		for _, op := range []opFields{
			{From: "@repo/{x}", To: "@artifact/{x}"},
			{From: "@repo/{x}", To: "@artifact/", Strategy: "Extract"},
			{From: "@repo/**/*.tgz", To: "@artifact/", Strategy: "Extract"},
			{From: "@repo/{x}nothing", To: "@artifact/"},
			{From: "@repo/{x}*/nothing", To: "@artifact/"},
			{From: "@repo/{x}d.yaml", To: "@artifact/"},
		} {
			_, found := buildOps(tree, map[string]string{"x": deep}, op, op, opFields{From: op.From, To: op.To, Strategy: "Merge"})
			for _, f := range found.Findings() {
				assert.Less(t, len(f.Message)+len(f.Hint), 1600, f.Code)
			}
		}
	}
	require.NotEmpty(t, rep.Findings())
	for _, f := range rep.Findings() {
		assert.Less(t, len(f.Message)+len(f.Hint), 1500, f.Code)
	}
}
