package tenant

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

func rule(t testing.TB, expression, variable string) Rule {
	t.Helper()
	r, ok := ParseRule(at("rule", expression), variable, &krm.Report{})
	require.True(t, ok, expression)
	return r
}

func TestRuleAllows(t *testing.T) {
	tests := []struct {
		expression, variable string
		yes, no              []string
	}{
		{"true", "ns", []string{"", "x"}, nil},
		{"false", "ns", nil, []string{"", "x"}},
		{"ns.startsWith('tenant-')", "ns", []string{"tenant-", "tenant-a"}, []string{"tenant", "evil-tenant-a"}},
		{"value.matches('^(Enabled|Disabled)$')", "value", []string{"Enabled", "Disabled"}, []string{"enabled", "Enabled\n", "NotEnabled"}},
		{"value in ['dev','prod']", "value", []string{"dev"}, []string{"Dev", ""}},
		{"value.matches('tenant')", "value", []string{"evil-tenant"}, []string{"x"}}, // RE2 searches
		{"ns.lowerAscii() == 'a' && ns.split('')[0] == 'A'", "ns", []string{"A"}, []string{"a"}},
		{"sets.contains(['a', 'b'], [value])", "value", []string{"a"}, []string{"c"}},
		{"base64.decode(value) == b'x'", "value", []string{"eA=="}, nil},
		{"value.size() > 1.5", "value", []string{"ab"}, []string{"a"}},
		{"optional.of(value).orValue('') != ''", "value", []string{"a"}, []string{""}},
	}
	for _, test := range tests {
		r := rule(t, test.expression, test.variable)
		for range 2 { // the second answer is remembered
			for _, value := range test.yes {
				allowed, err := r.Allows(value)
				require.NoError(t, err)
				assert.True(t, allowed, "%s for %q", test.expression, value)
			}
			for _, value := range test.no {
				allowed, err := r.Allows(value)
				require.NoError(t, err)
				assert.False(t, allowed, "%s for %q", test.expression, value)
			}
		}
	}
	allowed, err := Rule{}.Allows("x")
	assert.False(t, allowed)
	assert.NoError(t, err)
}

func TestRuleFailsClosed(t *testing.T) {
	allowed, err := rule(t, "ns.split('-')[1] == 'a'", "ns").Allows("tenant")
	assert.False(t, allowed)
	assert.ErrorContains(t, err, "index out of bounds")

	allowed, err = rule(t, "value.matches(value)", "value").Allows("(")
	assert.False(t, allowed)
	assert.Error(t, err, "a pattern from a tenant may be none")

	costly := "value.split('').exists(a, value.split('').exists(b, value.split('').exists(c, a + b + c == 'xyz')))"
	allowed, err = rule(t, costly, "value").Allows(strings.Repeat("a", 100))
	assert.False(t, allowed)
	assert.ErrorContains(t, err, "cost limit exceeded")
}

func TestParseRuleMistakes(t *testing.T) {
	tests := map[string]struct {
		expression, variable, code, message, hint string
	}{
		"empty":               {"", "ns", "expression-syntax", "is empty", "write a rule such as `ns.startsWith(\"tenant-\")`"},
		"blank":               {" \n", "ns", "expression-syntax", "is empty", ""},
		"empty, a value":      {"", "value", "expression-syntax", "is empty", "write a rule such as `value == \"…\"`"},
		"syntax":              {"ns.", "ns", "expression-syntax", "does not compile: no viable alternative at input '.' at column 4", ""},
		"unknown":             {"ns == 'a' || foo", "ns", "expression-syntax", "undeclared reference to 'foo' at column 14", "the only variable here is `ns`"},
		"second line":         {"ns == 'a'\n  || foo", "ns", "expression-syntax", "undeclared reference to 'foo' at line 2, column 6", ""},
		"no clock":            {"now() == ns", "ns", "expression-syntax", "undeclared reference to 'now' at column 1", "there is no clock"},
		"the other variable":  {"value == 'x'", "ns", "expression-syntax", "undeclared reference to 'value' at column 1", "the only variable here is `ns`"},
		"and the other way":   {"ns == 'x'", "value", "expression-syntax", "undeclared reference to 'ns'", "the only variable here is `value`"},
		"misspelt function":   {"ns.startWith('a')", "ns", "expression-syntax", "undeclared reference to 'startWith' at column 4", "did you mean `startsWith`?"},
		"method, spaced":      {"ns . startswith ('x')", "ns", "expression-syntax", "undeclared reference to 'startswith' at column 6", ""},
		"method, second line": {"ns != 'é' &&\n  'é' != ns && ns.foo('x')", "ns", "expression-syntax", "undeclared reference to 'foo' at line 2, column 19", ""},
		"method, own line":    {"ns\n  .foo('x')", "ns", "expression-syntax", "undeclared reference to 'foo' at line 2, column 4", ""},
		"function in a call":  {"size(foo(ns)) == 1", "ns", "expression-syntax", "undeclared reference to 'foo' at column 6", ""},
		"parenthesis":         {"true(", "ns", "expression-syntax", "extraneous input '(' at column 5", ""},
		"argument":            {"ns.startsWith(1)", "ns", "expression-syntax", "no matching overload for 'startsWith' applied to 'string.(int)' at column 4", ""},
		"index":               {"ns[0] == 'a'", "ns", "expression-syntax", "no matching overload for '_[_]'", ""},
		"types that differ":   {"(true ? 1 : ns) == 1", "ns", "expression-syntax", "no matching overload for '_?_:_'", ""},
		"has on a variable":   {"has(value) && value == 'x'", "value", "expression-syntax", "invalid argument to has() macro at column 5", "leave the `has()` out"},
		"field of a string":   {"ns.metadata.name == 'x'", "ns", "expression-syntax", "does not support field selection at column 3", "`ns` is a string and has no fields"},
		"string":              {"ns", "ns", "expression-not-boolean", "must come to a boolean, it comes to a string, at column 1", "write a comparison such as `ns == 'a'`"},
		"not first":           {"\n\n  [ns]", "ns", "expression-not-boolean", "it comes to a list(string), at line 3, column 3", ""},
		"number":              {"1", "ns", "expression-not-boolean", "it comes to a int", ""},
		"quoted true":         {`"true"`, "ns", "expression-not-boolean", "it comes to a string", "leave the inner quotes out: `true`"},
		"dynamic":             {"dyn(true)", "ns", "expression-not-boolean", "it comes to a dyn", ""},
		"not RE2":             {"ns.matches('(')", "ns", "expression-syntax", "does not compile: error parsing regexp: missing closing ): `(` at column 12", "RE2"},
		"look-ahead":          {"ns.matches('^(?!kube-).*$')", "ns", "expression-syntax", "invalid or unsupported Perl syntax: `(?!` at column 12", "no look-around"},
		"not RE2, nested":     {"ns != 'a' && ns.matches('(')", "ns", "expression-syntax", "missing closing ): `(` at column 25", "RE2"},
		"not RE2, negated":    {"!ns.matches('(')", "ns", "expression-syntax", "missing closing ): `(` at column 13", ""},
		"not RE2, in a macro": {"['a'].all(x,\n ns.matches('('))", "ns", "expression-syntax", "missing closing ): `(` at line 2, column 13", ""},
		"not RE2, function":   {"matches(ns, '*')", "ns", "expression-syntax", "missing argument to repetition operator: `*` at column 13", ""},
		"too long":            {"ns == '" + strings.Repeat("a", 4096) + "'", "ns", "expression-too-long", "has 4104 bytes, at most 4096 are allowed: it is too long from column 4097 on", ""},
		"too long, lines":     {"ns == 'a' ||\n" + strings.Repeat("é", 3000), "ns", "expression-too-long", "it is too long from line 2, column 2043 on", ""},
		"deep":                {strings.Repeat("(", 300) + "true" + strings.Repeat(")", 300), "ns", "expression-syntax", "does not compile", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			_, ok := ParseRule(at("allowedNames[2]", test.expression), test.variable, &rep)
			require.False(t, ok)
			f := rep.Findings()[0]
			assert.Equal(t, krm.Error, f.Severity)
			assert.Equal(t, test.code, f.Code)
			assert.Equal(t, "allowedNames[2]", f.Pos.Field)
			assert.Contains(t, f.Message, test.message)
			assert.Contains(t, f.Hint, test.hint)
		})
	}
	var rep krm.Report
	ParseRule(at("rule", "foo && bar"), "ns", &rep)
	assert.Len(t, errs(&rep), 2, "every mistake of an expression")
	rep = krm.Report{}
	ParseRule(at("rule", "[ns.matches('('), ns.matches('*')]"), "ns", &rep)
	assert.Len(t, errs(&rep), 3, "two patterns and the type")
}

func TestRuleLints(t *testing.T) {
	const unanchored = "expression-unanchored"
	tests := []struct {
		expression, code, message, hint string
	}{
		{"true", "expression-always-true", "every value is admitted", ""},
		{" true ", "expression-always-true", "", ""},
		{"value.matches('Enabled|Disabled')", unanchored, `every text that holds a match of "Enabled|Disabled", the pattern at column 15 of the CEL expression`, "write `value in ['Enabled', 'Disabled']`"},
		{"value.matches('^Enabled|Disabled$')", unanchored, `every text that holds a match of "^Enabled|Disabled$"`, "write `value in ['Enabled', 'Disabled']`"},
		{"value.matches('tenant')", unanchored, "", "`value.startsWith('tenant')` for its beginning"},
		{"value.matches('^tenant-')", unanchored, `every text that begins with a match of "^tenant-"`, "`value.startsWith('tenant-')`"},
		{"value.matches('^tenant-(a|b)')", unanchored, `"^tenant-(a|b)"`, "write `value in ['tenant-a', 'tenant-b']`"},
		{"value.matches('^a|^b')", unanchored, "begins with a match", ""},
		{"value.matches('^a|b')", unanchored, "holds a match", ""},
		{`value.matches("it's")`, unanchored, "", "write `value == \"it's\"`"},
		{`value.matches(r'\d+\$')`, unanchored, "", `write ` + "`" + `matches(r'^(\d+\$)$')` + "`"},
		{"value.matches('" + strings.Repeat("(a|b)", 6) + strings.Repeat("x", 300) + "')", unanchored, "", "write `^(` in front of the pattern and `)$` behind it"},
		{"value.matches('[0-9]+$')", unanchored, "every text that ends in a match", "write `matches('^([0-9]+)$')`"},
		{"value.matches('^[0-9]+')", unanchored, "", "write `matches('^([0-9]+)$')`"},
		{"value.matches('(?m)^a$')", unanchored, "", ""}, // one line of many
		{"value == 'x' || (value != '' && value.matches('a.c'))", unanchored, "at column 47", ""},
		{"['a.*'].exists(x, value.matches('b.*'))", unanchored, "", ""},
	}
	for _, test := range tests {
		var rep krm.Report
		_, ok := ParseRule(at("rule", test.expression), "value", &rep)
		require.True(t, ok, test.expression)
		require.Len(t, rep.Findings(), 1, test.expression)
		f := rep.Findings()[0]
		assert.Equal(t, krm.Warning, f.Severity)
		assert.Equal(t, test.code, f.Code, test.expression)
		assert.Contains(t, f.Message, test.message)
		assert.Contains(t, f.Hint, test.hint, test.expression)
	}
	for _, fine := range []string{
		"value.matches('^(Enabled|Disabled)$')", "value.matches('^Enabled$|^Disabled$')", "value.matches('^[0-9]{4}$')", `value.matches('\\Aa\\z')`,
		"value.matches('^(a|b)$') || value == 'c'", "value in ['a']", "value.startsWith('a')", "!value.matches('-prod')", "value != 'true'",
		"value.matches('^(^a|^b)$')", "value.matches(value + '$')",
	} {
		var rep krm.Report
		_, ok := ParseRule(at("rule", fine), "value", &rep)
		require.True(t, ok, fine)
		assert.Empty(t, rep.Findings(), fine)
	}
}

func TestRuleAccepted(t *testing.T) {
	tests := map[string][]string{
		"value in ['dev','test','prod']":                           {"dev", "test", "prod"},
		"value.matches('^(Enabled|Disabled)$')":                    {"Enabled", "Disabled"},
		"value.matches('^(dev|devel|d)$')":                         {"d", "dev", "devel"},
		"value.matches('^v[12](\\\\.0)?$')":                        {"v1", "v1.0", "v2", "v2.0"},
		"value == 'a' || 'b' == value":                             {"a", "b"},
		"value in ['a', 'b'] && value != 'b'":                      {"a"},
		"value.matches('^[0-9]{4}$')":                              nil,
		"value.startsWith('prod-')":                                nil,
		"value.matches('^[a-z]+$')":                                nil,
		"value.matches('^.$')":                                     nil,
		"!(value in ['a'])":                                        nil,
		"value.matches('^(?i)(on|off)$')":                          nil,
		"value.split(',').all(v, v in ['x', 'y']) || value == 'z'": {"x", "y", "z"},
	}
	for expression, want := range tests {
		assert.ElementsMatch(t, want, rule(t, expression, "value").accepted(), expression)
	}
}

func BenchmarkRule(b *testing.B) {
	r := rule(b, "value.matches('^(Enabled|Disabled)$')", "value")
	b.Run("remembered", func(b *testing.B) {
		for b.Loop() {
			_, _ = r.Allows("Enabled")
		}
	})
	b.Run("evaluated", func(b *testing.B) {
		for b.Loop() {
			r.evaluate("Enabled")
		}
	})
}
