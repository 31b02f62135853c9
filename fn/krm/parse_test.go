package krm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func codesOf(rep *Report) []string {
	var codes []string
	for _, f := range rep.Findings() {
		codes = append(codes, f.Code)
	}
	return codes
}

func TestParseFileRefuses(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	for name, tc := range map[string]struct {
		text, code   string
		line, column int
	}{
		"not UTF-8":               {"a: b\nc: \xff\n", "yaml-encoding", 2, 4},
		"UTF-16":                  {"\xff\xfea\x00", "yaml-encoding", 1, 1},
		"git-crypt":               {"\x00GITCRYPT\x00abc", "yaml-encoding", 1, 1},
		"lone CR":                 {"a: b\r\nc: d\re: f\r\n", "yaml-encoding", 2, 5},
		"NUL":                     {"a: b\x00\n", "yaml-encoding", 1, 5},
		"BOM inside":              {"a: \ufeffb\n", "yaml-encoding", 1, 4},
		"tab":                     {"a:\n\tb: c\n", "yaml-syntax", 2, 1},
		"unclosed":                {"a: [b\n", "yaml-syntax", 1, 1},
		"two documents":           {"a: b\n---\nc: d\n", "yaml-multiple-documents", 3, 1},
		"two documents by ...":    {"a: b\n...\n---\nc: d\n", "yaml-multiple-documents", 4, 1},
		"duplicate key":           {"a: 1\nb:\n  c: 1\n  c: 2\n", "yaml-duplicate-key", 4, 3},
		"duplicate quoted key":    {"a: 1\n\"a\": 2\n", "yaml-duplicate-key", 2, 1},
		"number as key":           {"1: a\n", "yaml-key-not-string", 1, 1},
		"on as key":               {"a:\n  on: x\n", "yaml-key-not-string", 2, 3},
		"list as key":             {"? [a]\n: b\n", "yaml-key-not-string", 1, 3},
		"merge key":               {"a: &x {b: c}\nd:\n  <<: *x\n", "yaml-merge-key", 3, 3},
		"tag":                     {"a: !!binary aGk=\n", "yaml-tag", 1, 4},
		"custom tag":              {"a: !Ref x\n", "yaml-tag", 1, 4},
		"alias bomb":              {bomb, "yaml-alias-limit", 5, 8},
		"alias bomb of text":      {"a: &a " + strings.Repeat("x", 71_000) + "\nb: [" + strings.Repeat("*a, ", 9_990) + "]\n", "yaml-alias-limit", 2, 61},
		"alias bomb of keys":      {"a: &a {" + strings.Repeat("k", 1000) + ": 1}\nb: [" + strings.Repeat("*a, ", 4_000) + "]\n", "yaml-alias-limit", 2, 4193},
		"aliases as keys":         {"- &a " + strings.Repeat("k", 1000) + "\n" + strings.Repeat("- *a : 1\n", 1_100), "yaml-alias-limit", 1050, 8},
		"escaped DEL":             {"a: \"x\\x7f\"\n", "yaml-character", 1, 4},
		"escaped NEL":             {"a:\n  b: \"\\N\"\n", "yaml-character", 2, 6},
		"escaped C1":              {"a: [x, \"\\u009f\"]\n", "yaml-character", 1, 8},
		"escaped C0":              {"a: \"\\0\"\n", "yaml-character", 1, 4},
		"escaped BEL":             {"a: \"\\a\"\n", "yaml-character", 1, 4},
		"escaped U+FFFE":          {"a: \"\\uFFFE\"\n", "yaml-character", 1, 4},
		"escaped U+FFFF":          {"a: \"\\uffff\"\n", "yaml-character", 1, 4},
		"escaped surrogate":       {"a: \"\\uD83D\"\n", "yaml-syntax", 1, 1},
		"escaped character, key":  {"a: 1\n\"k\\x1b\": 1\n", "yaml-character", 2, 1},
		"character behind alias":  {"a: &a \"\\x7f\"\nb: *a\n", "yaml-character", 1, 4},
		"long key":                {"? " + strings.Repeat("k", 1001) + "\n: 1\n", "yaml-key-length", 1, 3},
		"key long with escapes":   {"? \"" + strings.Repeat("\U0001F600", 101) + "\"\n: 1\n", "yaml-key-length", 1, 3},
		"directives":              {"# c\n" + strings.Repeat("%TAG !a! tag:x\n", 68_000) + "---\na: b\n", "yaml-syntax", 12, 1},
		"alias of itself":         {"a: &a [*a]\n", "yaml-alias-limit", 1, 8},
		"deep":                    {strings.Repeat("[", 150) + strings.Repeat("]", 150), "yaml-depth", 1, 102},
		"very deep":               {strings.Repeat("[", 50_000), "yaml-syntax", 1, 1},
		"unclosed further down":   {"a: b\nc: [d\n", "yaml-syntax", 2, 1},
		"indented wrongly":        {"a: b\nc: d\n   e: f\n", "yaml-syntax", 3, 4},
		"unknown anchor":          {"a: *b\n", "yaml-syntax", 1, 1},
		"mapping value in scalar": {"a: b: c\n", "yaml-syntax", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			rep := &Report{}
			node, ok := ParseFile("dir/f.yaml", []byte(tc.text), rep)
			assert.False(t, ok)
			assert.Nil(t, node)
			require.Equal(t, []string{tc.code}, codesOf(rep))
			found := rep.Findings()[0]
			assert.Equal(t, fmt.Sprintf("dir/f.yaml:%d:%d", tc.line, tc.column), found.Pos.Place(), found.Message)
		})
	}
}

func TestParseFileReportsAllMistakes(t *testing.T) {
	rep := &Report{}
	_, ok := ParseFile("f", []byte("a: 1\na: 2\n3: x\nb: !x y\n"), rep)
	assert.False(t, ok)
	assert.Equal(t, []string{"yaml-duplicate-key", "yaml-key-not-string", "yaml-tag"}, codesOf(rep))
}

func TestParseFileEmpty(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# only a comment\n", "---\n", "# c\n---\n# d\n", "\ufeff", "---\n---\n"} {
		rep := &Report{}
		node, ok := ParseFile("f", []byte(text), rep)
		assert.True(t, ok, "%q", text)
		assert.Nil(t, node, "%q", text)
		assert.Empty(t, rep.Findings(), "%q", text)
	}
}

func TestParseFileCountsLinesAsEditorsDo(t *testing.T) {
	for _, text := range []string{
		"# ticket 123\n---\na:\n  é: {b: c}\n",
		"\ufeff# ticket 123\r\n---\r\na:\r\n  é: {b: c}\r\n",
	} {
		rep := &Report{}
		node, ok := ParseFile("f", []byte(text), rep)
		require.True(t, ok, "%q: %v", text, rep.Findings())
		leaf := node.Get("a").Get("é").Get("b")
		assert.Equal(t, "c", leaf.Text)
		assert.Equal(t, `f:4:7: a["é"].b`, node.Get("a").Get("é").Pos.At("b").entryless(4, 7))
		assert.Equal(t, Pos{File: "f", Line: 4, Column: 10, Field: `a["é"].b`}, leaf.Pos)
	}
}

// entryless renders a position with another line and column.
func (p Pos) entryless(line, column int) string {
	p.Line, p.Column = line, column
	return p.String()
}

func TestAliasesKeepTheirValue(t *testing.T) {
	rep := &Report{}
	node, ok := ParseFile("f", []byte("base: &b {num: 1, list: [a]}\nx: *b\nnodeSelector:\n"), rep)
	require.True(t, ok)
	assert.True(t, node.Get("x").Equal(node.Get("base")))
	assert.Equal(t, 2, node.Get("x").Pos.Line)
	assert.Equal(t, NullNode, node.Get("nodeSelector").Kind)
}

func TestResolvePlain(t *testing.T) {
	for text, want := range map[string]plainScalar{
		"":                     {NullNode, "null", ""},
		"~":                    {NullNode, "null", ""},
		"Null":                 {NullNode, "null", ""},
		"true":                 {BoolNode, "true", ""},
		"FALSE":                {BoolNode, "false", ""},
		"tRue":                 {StringNode, "tRue", ""},
		"yes":                  {StringNode, "yes", "the boolean true"},
		"Off":                  {StringNode, "Off", "the boolean false"},
		"y":                    {StringNode, "y", "the boolean true"},
		"oFF":                  {StringNode, "oFF", ""},
		"yesterday":            {StringNode, "yesterday", ""},
		"0":                    {IntNode, "0", ""},
		"-0":                   {IntNode, "0", ""},
		"+12":                  {IntNode, "12", ""},
		"21600000":             {IntNode, "21600000", ""},
		"9007199254740993":     {IntNode, "9007199254740993", ""},
		"99999999999999999999": {IntNode, "99999999999999999999", ""},
		"0744":                 {IntNode, "744", "the integer 484"},
		"0042":                 {IntNode, "42", "the integer 34"},
		"0089":                 {IntNode, "89", `the string "0089"`},
		"0o14":                 {IntNode, "12", `the string "0o14"`},
		"0x1F":                 {IntNode, "31", ""},
		"0b11":                 {StringNode, "0b11", "the integer 3"},
		"1_000":                {StringNode, "1_000", "the integer 1000"},
		"12:30:45":             {StringNode, "12:30:45", "the integer 12:30:45 in base 60"},
		"12:30":                {StringNode, "12:30", "the integer 12:30 in base 60"},
		"1.10":                 {FloatNode, "1.10", ""},
		"-.5":                  {FloatNode, "-0.5", ""},
		"1.":                   {FloatNode, "1.0", ""},
		"1e3":                  {FloatNode, "1e3", `the string "1e3"`},
		"1.5e+3":               {FloatNode, "1.5e+3", ""},
		"12e4567":              {FloatNode, "12e4567", `the string "12e4567"`},
		".inf":                 {FloatNode, ".inf", ""},
		"1.2.3":                {StringNode, "1.2.3", ""},
		"2031-04-01":           {StringNode, "2031-04-01", "a timestamp"},
		"=":                    {StringNode, "=", "a merge key"},
		"8799195":              {IntNode, "8799195", ""},
		"v1":                   {StringNode, "v1", ""},
		"10m":                  {StringNode, "10m", ""},
		"<none>":               {StringNode, "<none>", ""},
	} {
		assert.Equal(t, want, resolvePlain(text), "%q", text)
	}
}

func TestQuotedScalarsAreStrings(t *testing.T) {
	rep := &Report{}
	node, ok := ParseFile("f", []byte("a: \"yes\"\nb: '0744'\nc: !!str 12\nd: |\n  1\ne: >-\n  true\n"), rep)
	require.True(t, ok)
	for key, want := range map[string]string{"a": "yes", "b": "0744", "c": "12", "d": "1\n", "e": "true"} {
		got := node.Get(key)
		assert.Equal(t, StringNode, got.Kind, key)
		assert.Equal(t, want, got.Text, key)
		assert.Empty(t, got.Ambiguous, key)
	}
}

// Neither size nor odd input may take the parser down.
func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{"a: b", "a: &x [*x]", "? a\n: b", "\"\\uD800\"", "%TAG ! tag:x,2000:\n---\n!a b", "a: |\n\tb", "- - - -", "{a: {b: c}}", "'\n\n'", "<<: {}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rep := &Report{}
		node, ok := ParseFile("f", data, rep)
		assert.Equal(t, ok, !rep.Failed())
		if !ok {
			assert.Nil(t, node)
		}
	})
}

func TestParseKeepsWhatIsWritten(t *testing.T) {
	node, ok := ParseFile("f", []byte("a: 0644\nb: yes\nc: 644\nd: '0644'\ne: 1e3\n"), &Report{})
	require.True(t, ok)
	for key, want := range map[string][2]string{"a": {"644", "0644"}, "b": {"yes", "yes"}, "c": {"644", ""}, "d": {"0644", ""}, "e": {"1e3", "1e3"}} {
		n := node.Get(key)
		assert.Equal(t, want, [2]string{n.Text, n.Written}, key)
		assert.Equal(t, n.Ambiguous != "", n.Written != "", key)
	}
}

// Whatever a tenant writes, the findings stay short, and so does the memory of
// the field paths: 90 nested keys above 100,000 values.
func TestParseBoundsFindings(t *testing.T) {
	long := strings.Repeat("k", 1<<18)
	var nested strings.Builder
	for depth := range 90 {
		nested.WriteString(strings.Repeat(" ", depth) + strings.Repeat("k", 1000) + ":\n")
	}
	nested.WriteString(strings.Repeat(" ", 90) + "[" + strings.Repeat("1,", 100_000) + "]\n")
	for name, text := range map[string]string{
		"key twice": "? " + long + "\n: 1\n? " + long + "\n: 2\n", "tag": "a: !" + long + " b\n", "alias": "a: *" + long + "\n", "key with a tag": "? !" + long + " a\n: b\n",
		"number as a key": "? " + strings.Repeat("1", 1<<18) + "\n: b\n", "syntax": "a: [" + long + "\n", "deep": strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n",
		"nested": nested.String() + "? [a]\n: b\n", "circle": "a: &" + long + " [*" + long + "]\n",
	} {
		t.Run(name, func(t *testing.T) {
			rep := &Report{}
			_, ok := ParseFile("f", []byte(text), rep)
			assert.False(t, ok)
			require.NotEmpty(t, rep.Findings())
			for _, f := range rep.Findings() {
				assert.Less(t, len(f.String()), 1500, f.Code)
			}
		})
	}
	node, ok := ParseFile("f", []byte(nested.String()), &Report{})
	require.True(t, ok)
	for node.Kind == MapNode {
		for _, value := range node.Fields() {
			node = value
		}
	}
	require.Len(t, node.Items, 100_000)
	assert.Less(t, len(node.Items[99_999].Pos.Field), 210)
}

func TestAmbiguousNumbersAreShown(t *testing.T) {
	node, ok := ParseFile("f", []byte("a: 0"+strings.Repeat("7", 1<<18)+"\n"), &Report{})
	require.True(t, ok)
	assert.Less(t, len(node.Get("a").Ambiguous), 300)
}

func directives(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%%TAG !a%d! tag:x\n", i)
	}
	return b.String()
}

// What is not much stays legal.
func TestParseFileAccepts(t *testing.T) {
	for name, text := range map[string]string{
		"aliases":         "a: &a " + strings.Repeat("x", 1000) + "\nb: [" + strings.Repeat("*a, ", 1_000) + "]\n",
		"long text":       "a: &a " + strings.Repeat("x", 2<<20) + "\n",
		"escapes":         "a: \"\\t\\n\\r\\u2028\\u00a0\\ufeff\\U0001F600\"\n",
		"long key":        "? " + strings.Repeat("k", 1000) + "\n: 1\n",
		"long key, emoji": "? " + strings.Repeat("\U0001F600", 99) + "\n: 1\n",
		"directives":      "%YAML 1.1\n" + directives(9) + "---\na: b\n",
		"percent signs":   "a: |\n" + strings.Repeat("  %\n", 100),
	} {
		t.Run(name, func(t *testing.T) {
			rep := &Report{}
			node, ok := ParseFile("f", []byte(text), rep)
			require.True(t, ok, "%v", rep.Findings())
			again, ok := ParseFile("f", node.AppendYAML(nil, 0), rep)
			require.True(t, ok, "%v", rep.Findings())
			assert.True(t, node.Equal(again))
		})
	}
}

func TestParseFileNamesTheKeyThatIsNoString(t *testing.T) {
	rep := &Report{}
	_, ok := ParseFile("f", []byte("n: 1\n"), rep)
	assert.False(t, ok)
	require.Len(t, rep.Findings(), 1)
	assert.Equal(t, `the key "n" is not a string`, rep.Findings()[0].Message)
}
