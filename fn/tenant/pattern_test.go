package tenant

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// at gives a value the place that the configuration would give it.
func at(field, text string) krm.Str { return krm.Str{Text: text, Pos: krm.Pos{Field: field}} }

func pattern(t testing.TB, text string) Pattern {
	t.Helper()
	var rep krm.Report
	p, ok := ParsePattern(at("spec.pathPattern", text), &rep)
	require.True(t, ok, "%v", rep.Findings())
	return p
}

func template(t testing.TB, text string) krm.Template {
	t.Helper()
	var rep krm.Report
	tpl, ok := krm.ParseTemplate(krm.Str{Text: text}, &rep)
	require.True(t, ok, "%v", rep.Findings())
	return tpl
}

// found renders the findings of one severity, for comparison.
func found(rep *krm.Report, severity krm.Severity) []string {
	var lines []string
	for _, f := range rep.Findings() {
		if f.Severity == severity {
			lines = append(lines, f.Code+" "+f.Pos.String()+": "+f.Message)
		}
	}
	return lines
}

func errs(rep *krm.Report) []string     { return found(rep, krm.Error) }
func warnings(rep *krm.Report) []string { return found(rep, krm.Warning) }
func infos(rep *krm.Report) []string    { return found(rep, krm.Info) }

// the returns the only finding with a code.
func the(t testing.TB, rep *krm.Report, code string) krm.Finding {
	t.Helper()
	var hits []krm.Finding
	for _, f := range rep.Findings() {
		if f.Code == code {
			hits = append(hits, f)
		}
	}
	require.Len(t, hits, 1, "findings with code %s in %v", code, rep.Findings())
	return hits[0]
}

func TestParsePatternHintsForEmptySegments(t *testing.T) {
	for text, hint := range map[string]string{
		"@repo//{a}":   "begin the path behind the alias without a slash",
		"@repo/":       "write the path of the directories behind the alias",
		"@repo/x//{a}": "write one slash between two directories",
		"@repo/x//":    "write one slash between two directories",
	} {
		var rep krm.Report
		_, ok := ParsePattern(at("spec.pathPattern", text), &rep)
		assert.False(t, ok)
		assert.Contains(t, the(t, &rep, "pattern-never-matches").Hint, hint, text)
	}
}

func TestParsePattern(t *testing.T) {
	tests := map[string]struct {
		text, alias, prefix string
		captures            []string
	}{
		"example":          {"@repo/tenants/{namespace}/modules/{module}", "repo", "tenants", []string{"namespace", "module"}},
		"deep prefix":      {"@a-b_c/x/y/z-{a}/q", "a-b_c", "x/y", []string{"a"}},
		"no prefix":        {"@r/{a}/b", "r", "", []string{"a"}},
		"no captures":      {"@repo/apps/b", "repo", "apps/b", nil},
		"trailing slash":   {"@repo/tenants/{namespace}/", "repo", "tenants", []string{"namespace"}},
		"dots are literal": {"@repo/.teams/a.b/{a}", "repo", ".teams/a.b", []string{"a"}},
		"case counts":      {"@repo/{app}/{App}", "repo", "", []string{"app", "App"}},
		"slash in alias":   {"@a/b/{c}", "a", "b", []string{"c"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			p, ok := ParsePattern(at("spec.pathPattern", test.text), &rep)
			require.True(t, ok)
			assert.Empty(t, rep.Findings())
			assert.Equal(t, test.alias, p.Alias())
			assert.Equal(t, test.prefix, p.Prefix())
			assert.Equal(t, test.captures, p.Captures())
		})
	}
}

func TestParsePatternMistakes(t *testing.T) {
	long := strings.Repeat("a", 64)
	tests := map[string]struct {
		text, code, message, hint string
	}{
		"no alias":          {"tenants/{ns}", "pattern-syntax", "does not begin with `@`", "@alias/tenants/{namespace}"},
		"no slash":          {"@repo", "pattern-syntax", "does not begin with `@`", ""},
		"empty alias":       {"@/x", "pattern-syntax", "does not begin with `@`", ""},
		"upper-case alias":  {"@Repo/x", "pattern-syntax", "does not begin with `@`", ""},
		"too long":          {"@repo/" + strings.Repeat("a", 1019), "pattern-syntax", "more than 1024 characters", ""},
		"empty":             {"@repo/", "pattern-never-matches", "empty path segment at column 7", ""},
		"leading slash":     {"@repo//apps/{app}", "pattern-never-matches", "empty path segment at column 7", "without a slash"},
		"slash twice":       {"@repo/apps//{app}", "pattern-never-matches", "empty path segment at column 12", ""},
		"slashes at end":    {"@repo/apps//", "pattern-never-matches", "empty path segment at column 12", ""},
		"dot":               {"@repo/./{app}", "pattern-never-matches", "path segment \".\" at column 7", "root of the source"},
		"dot dot":           {"@repo/a/../{app}", "pattern-never-matches", "path segment \"..\" at column 9", ""},
		"duplicate":         {"@repo/{a}/x-{a}", "capture-duplicate", "second capture `{a}` at column 13", "another name"},
		"duplicate in one":  {"@repo/{a}-{a}", "capture-duplicate", "second capture `{a}` at column 11", ""},
		"underscore first":  {"@repo/{_app}", "capture-name", "capture `{_app}` is no label key at column 7", "must begin and end with a letter or a digit"},
		"underscore last":   {"@repo/x/{app_}", "capture-name", "capture `{app_}` is no label key at column 9", ""},
		"long name":         {"@repo/{" + long + "}", "capture-name", "is no label key", "at most 63 characters"},
		"braces":            {"@repo/{dev,prod}/{namespace}", "capture-syntax", "`{dev,prod}` is no capture at column 7", "write one generator"},
		"missing brace":     {"@repo/{a", "capture-syntax", "`{` has no closing brace at column 7", ""},
		"hyphen in capture": {"@repo/{app-name}", "capture-syntax", "`{app-name}` is no capture at column 7", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			_, ok := ParsePattern(at("spec.pathPattern", test.text), &rep)
			require.False(t, ok)
			f := the(t, &rep, test.code)
			assert.Equal(t, krm.Error, f.Severity)
			assert.Equal(t, "spec.pathPattern", f.Pos.Field)
			assert.Contains(t, f.Message, test.message)
			assert.Contains(t, f.Hint, test.hint)
			assert.Len(t, rep.Findings(), 1, "one finding per mistake")
		})
	}
}

func TestParsePatternReportsAllMistakes(t *testing.T) {
	var rep krm.Report
	_, ok := ParsePattern(at("spec.pathPattern", "@repo/../{_a}//{b}/{b}"), &rep)
	require.False(t, ok)
	assert.Len(t, errs(&rep), 4)
}

func TestPatternGlobIsAWarning(t *testing.T) {
	for _, text := range []string{"@repo/apps/*", "@repo/**/{a}", "@repo/a?/{a}", "@repo/[ab]/{a}", "@repo/x*{a}"} {
		var rep krm.Report
		_, ok := ParsePattern(at("spec.pathPattern", text), &rep)
		require.True(t, ok, "globs are literal text, as upstream has it")
		f := the(t, &rep, "pattern-glob")
		assert.Equal(t, krm.Warning, f.Severity)
		assert.Contains(t, f.Hint, "no globs")
	}
}

func TestSegmentMatch(t *testing.T) {
	tests := []struct {
		segment, name string
		want          []string // nil: no match
	}{
		{"{a}", "x", []string{"x"}},
		{"{a}", "", nil},
		{"app-{app}", "app-x", []string{"x"}},
		{"app-{app}", "app-", nil},
		{"app-{app}", "xapp-x", nil},
		{"{a}-{b}", "x-y-z", []string{"x-y", "z"}},
		{"{a}-{b}", "x-y-", []string{"x", "y-"}},
		{"{a}-{b}", "-x-y", []string{"-x", "y"}},
		{"{a}-{b}", "--", nil},
		{"{a}-{b}", "---", []string{"-", "-"}},
		{"{a}{b}", "xyz", []string{"xy", "z"}},
		{"{a}{b}", "x", nil},
		{"{a}{b}{c}", "xyz", []string{"x", "y", "z"}},
		{"v{a}.{b}-end", "v1.2.3-end", []string{"1.2", "3"}},
		{"a{x}a", "aa", nil},
		{"a{x}a", "aaa", []string{"a"}},
		{"{a}{b}", "éà", []string{"é", "à"}}, // characters, not bytes
		{"{a}{b}", "é", nil},
	}
	for _, test := range tests {
		got, ok := parseSegment(test.segment).match(test.name)
		assert.Equal(t, test.want != nil, ok, "%s on %q", test.segment, test.name)
		assert.Equal(t, test.want, got, "%s on %q", test.segment, test.name)
	}
	assert.True(t, matches("apps", "apps"))
	assert.False(t, matches("a.ps", "apps"), "a dot is a dot")
	assert.True(t, matches("*", "*"))
	assert.False(t, matches("*", "x"))
}

func matches(segment, name string) bool {
	_, ok := parseSegment(segment).match(name)
	return ok
}

// asRegexp is what upstream makes of a segment.
func asRegexp(s segment) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`^(?s:`)
	for i, literal := range s.literals {
		b.WriteString(regexp.QuoteMeta(literal))
		if i < len(s.captures) {
			b.WriteString(`([^/]+)`)
		}
	}
	b.WriteString(`)$`)
	return regexp.MustCompile(b.String())
}

func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{
		{"@repo/tenants/{namespace}/modules/{module}", "tenants/a/modules/b"},
		{"@repo/{a}-{b}", "x-y-z"},
		{"@repo/{a}{b}x{c}", "xxxxxx"},
		{"@repo/a{b}/", "ab"},
		{"@r/{dev,prod}/{a}", "dev/a"},
		{"@r/{a}é{b}", "éééé"},
		{"@r/{a}{b}", "\xff\xfe\xc3"},
		{"@r//{a}", "/a"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, dir string) {
		if !utf8.ValidString(text) {
			return // the configuration is UTF-8, directories need not be
		}
		var rep krm.Report
		p, ok := ParsePattern(krm.Str{Text: text}, &rep)
		if ok == rep.Failed() {
			t.Fatalf("ok is %v with findings %v", ok, rep.Findings())
		}
		if !ok {
			return
		}
		if strings.Contains(p.Prefix(), "{") || p.Alias() == "" {
			t.Fatalf("prefix %q, alias %q", p.Prefix(), p.Alias())
		}
		for name := range strings.SplitSeq(dir, "/") {
			for _, seg := range p.segments {
				compare(t, seg, name)
			}
		}
	})
}

func compare(t *testing.T, seg segment, name string) {
	t.Helper()
	want := asRegexp(seg).FindStringSubmatch(name)
	got, ok := seg.match(name)
	if ok != (want != nil) {
		t.Fatalf("%q on %q: %v, the regular expression says %q", seg.text, name, ok, want)
	}
	if ok && strings.Join(got, "\x00") != strings.Join(want[1:], "\x00") {
		t.Fatalf("%q on %q: %q, the regular expression says %q", seg.text, name, got, want[1:])
	}
}
