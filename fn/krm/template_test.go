package krm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseTemplate(t *testing.T) {
	values := map[string]string{"a": "x", "b_1": "y", "_c": "z"}
	tests := map[string]struct {
		text     string
		captures []string
		rendered string
	}{
		"literal":       {"tenants/all", nil, "tenants/all"},
		"empty":         {"", nil, ""},
		"whole":         {"{a}", []string{"a"}, "x"},
		"twice":         {"t/{a}/m/{b_1}/{a}.yaml", []string{"a", "b_1"}, "t/x/m/y/x.yaml"},
		"neighbours":    {"{a}{b_1}{_c}", []string{"a", "b_1", "_c"}, "xyz"},
		"case counts":   {"{A}", []string{"A"}, ""},
		"globs are not": {"{a}/*[x]?", []string{"a"}, "x/*[x]?"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep Report
			template, ok := ParseTemplate(Str{Text: test.text}, &rep)
			require.True(t, ok, "%v", rep.Findings())
			assert.Empty(t, rep.Findings())
			assert.False(t, template.IsZero())
			assert.Equal(t, test.captures, template.Captures())
			assert.Equal(t, test.rendered, template.Render(values))
			assert.Equal(t, test.text, template.Str().Text)
		})
	}
	assert.True(t, Template{}.IsZero())
	assert.Empty(t, Template{}.Render(values))
}

func TestParseTemplateMistakes(t *testing.T) {
	tests := map[string]struct {
		text     string
		messages []string
		hint     string
	}{
		"never closed":      {"t/{a", []string{"`{` has no closing brace at column 3 of the value \"t/{a\""}, "a capture is written `{name}`"},
		"never opened":      {"a}/b", []string{"`}` has no opening brace at column 2 of the value \"a}/b\""}, "a capture is written `{name}`"},
		"stray at the end":  {"{a}}", []string{"`}` has no opening brace at column 4"}, ""},
		"no name":           {"x{}", []string{"`{}` names no capture at column 2"}, ""},
		"hyphen":            {"{app-name}", []string{"`{app-name}` is no capture at column 1"}, "a capture name has letters, digits and `_` only"},
		"digit first":       {"{1app}", []string{"`{1app}` is no capture at column 1"}, ""},
		"spaces":            {"{ app }", []string{"`{ app }` is no capture at column 1"}, ""},
		"letters of others": {"{é}", []string{"`{é}` is no capture at column 1"}, ""},
		"slash inside":      {"{a/b}", []string{"`{a/b}` is no capture at column 1"}, ""},
		"double braces":     {"x/{{app}}/y", []string{"`{{` opens no capture at column 3"}, "single braces"},
		"alternatives":      {"@repo/{dev,prod}/{ns}", []string{"`{dev,prod}` is no capture at column 7"}, "write one generator"},
		"all of them at once": {"{a-b}/{}/{c", []string{
			"`{` has no closing brace at column 10", "`{a-b}` is no capture at column 1", "`{}` names no capture at column 7",
		}, ""},
		"characters count": {"é/{}", []string{"`{}` names no capture at column 3"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep Report
			pos := Pos{Field: "spec.artifacts[0].name"}
			_, ok := ParseTemplate(Str{test.text, pos}, &rep)
			require.False(t, ok)
			require.Len(t, rep.Findings(), len(test.messages))
			for i, f := range rep.Findings() {
				assert.Equal(t, Error, f.Severity)
				assert.Equal(t, "capture-syntax", f.Code)
				assert.Equal(t, pos, f.Pos)
				assert.Contains(t, f.Message, test.messages[i])
				assert.Contains(t, f.Hint, test.hint)
			}
		})
	}
}

func TestTemplateMessagesAreShort(t *testing.T) {
	var rep Report
	for _, text := range []string{"{" + strings.Repeat("a-", 1<<16) + "}", strings.Repeat("x", 1<<16) + "{"} {
		_, ok := ParseTemplate(Str{Text: text}, &rep)
		assert.False(t, ok)
	}
	template, ok := ParseTemplate(Str{Text: "{" + strings.Repeat("a", 1<<16) + "}"}, &rep)
	assert.True(t, ok)
	assert.False(t, template.CheckCaptures(nil, &rep))
	require.Len(t, rep.Findings(), 3)
	for _, f := range rep.Findings() {
		assert.Less(t, len(f.Message), 1000, f.Code)
	}
}

func TestCheckCaptures(t *testing.T) {
	template, ok := ParseTemplate(Str{Text: "{namespace}/{modul}/{x}"}, &Report{})
	require.True(t, ok)

	var rep Report
	assert.True(t, template.CheckCaptures([]string{"namespace", "modul", "x"}, &rep))
	assert.Empty(t, rep.Findings())

	assert.False(t, template.CheckCaptures([]string{"namespace", "module"}, &rep))
	findings := rep.Findings()
	require.Len(t, findings, 2)
	assert.Equal(t, "capture-unknown", findings[0].Code)
	assert.Equal(t, "capture `{modul}` at column 13 of the value \"{namespace}/{modul}/{x}\" is not in `spec.pathPattern`", findings[0].Message)
	assert.Equal(t, "did you mean `{module}`?", findings[0].Hint)
	assert.Equal(t, "use one of `{namespace}`, `{module}`", findings[1].Hint)
}

func TestRenderQuoted(t *testing.T) {
	template, ok := ParseTemplate(Str{Text: "t/{a}/*.yaml"}, &Report{})
	require.True(t, ok)
	quote := func(s string) string { return strings.ReplaceAll(s, "*", `\*`) }
	assert.Equal(t, `t/x\*/*.yaml`, template.RenderQuoted(map[string]string{"a": "x*"}, quote), "only values are quoted")
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"{a}", "{{a}}", "{a", "a}", "{}", "{a,b}", "x/{a}{b}/{a}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var rep Report
		template, ok := ParseTemplate(Str{Text: text}, &rep)
		if ok == rep.Failed() {
			t.Fatalf("ok is %v with findings %v", ok, rep.Findings())
		}
		if !ok {
			return
		}
		names := map[string]string{}
		for _, name := range template.Captures() {
			names[name] = "{" + name + "}"
		}
		if got := template.Render(names); got != text {
			t.Fatalf("%q renders to %q", text, got)
		}
	})
}
