package template

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	sprig "github.com/go-task/slim-sprig/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// render renders a template with inputs, which are YAML.
func render(t *testing.T, text, inputs string) (*Output, *Mistake) {
	t.Helper()
	values, err := fromYAML(inputs)
	require.NoError(t, err)
	tmpl, mistake := Parse(text, Angles, map[string]any{"inputs": func() any { return values }})
	if mistake != nil {
		return nil, mistake
	}
	return tmpl.Execute(nil)
}

// structure renders to YAML, or to what is wrong.
func structure(t *testing.T, text, inputs string) string {
	t.Helper()
	out, mistake := render(t, text, inputs)
	if mistake != nil {
		return mistake.What
	}
	documents, mistakes := out.Documents()
	if len(mistakes) > 0 {
		return mistakes[0].What
	}
	var all []string
	for _, d := range documents {
		all = append(all, string(d.AppendYAML(nil, 0)))
	}
	return strings.Join(all, "---\n")
}

func TestDocuments(t *testing.T) {
	tests := map[string]struct{ text, inputs, want string }{
		"a scalar":                  {"a: << inputs.x >>", "x: hello", "a: hello\n"},
		"a number":                  {"a: << inputs.x >>", "x: 9007199254740993", "a: 9007199254740993\n"},
		"uint64":                    {"a: << inputs.x >>", "x: 18446744073709551615", "a: 18446744073709551615\n"},
		"a float":                   {"a: << inputs.x >>", "x: 1.5", "a: 1.5\n"},
		"a boolean":                 {"a: << inputs.x >>", "x: true", "a: true\n"},
		"null":                      {"a: << inputs.x >>", "x: null", "a: null\n"},
		"digits stay a string":      {"a: << inputs.x >>", "x: '007'", "a: \"007\"\n"},
		"yes stays a string":        {"a: << inputs.x >>", "x: 'yes'", "a: \"yes\"\n"},
		"the empty string":          {"a: << inputs.x >>", "x: ''", "a: \"\"\n"},
		"in double quotes":          {"a: \"<< inputs.x >>\"", "x: 5", "a: \"5\"\n"},
		"in single quotes":          {"a: '<< inputs.x >>'", "x: \"it's\"", "a: \"it's\"\n"},
		"a part of a scalar":        {"a: b-<< inputs.x >>-c", "x: 1", "a: b-1-c\n"},
		"two of them":               {"a: << inputs.x >>-<< inputs.w >>", "{x: 1, w: z}", "a: \"1-z\"\n"},
		"quote":                     {"a: << inputs.x | quote >>", "x: 5", "a: \"5\"\n"},
		"quote with quotes":         {"a: << inputs.x | quote >>", `x: 'say "hi"'`, "a: \"say \\\"hi\\\"\"\n"},
		"squote":                    {"a: << inputs.x | squote >>", "x: it's", "a: \"it's\"\n"},
		"quote null":                {"a: << inputs.x | quote >>", "x: null", "a: null\n"},
		"quote in a block":          {"a: |\n  {\"k\": << inputs.x | quote >>}\n", `x: 'a"b'`, "a: \"{\\\"k\\\": \\\"a\\\\\\\"b\\\"}\\n\"\n"},
		"a key":                     {"<< inputs.x >>: 1", "x: k", "k: 1\n"},
		"a key in quotes":           {"<< inputs.x | quote >>: 1", "x: k", "k: 1\n"},
		"a part of a key":           {"a.<< inputs.x >>/b: 1", "x: k", "a.k/b: 1\n"},
		"a key that is there":       {"a: 1\n<< inputs.x >>: 2", "x: a", "in `inputs.x`: the key \"a\" is there already"},
		"newlines":                  {"a: << inputs.x >>\nb: 1", "x: \"one\\nc: 2\\n---\\nd: 3\"", "a: \"one\\nc: 2\\n---\\nd: 3\"\nb: 1\n"},
		"an anchor":                 {"a: << inputs.x >>\nb: << inputs.w >>", "{x: '&a v', w: '*a'}", "a: \"&a v\"\nb: \"*a\"\n"},
		"templates in data":         {"a: << inputs.x >>", "x: '<< inputs.w >>{{ .z }}${v}'", "a: \"<< inputs.w >>{{ .z }}${v}\"\n"},
		"a list without toYaml":     {"a: << inputs.x >>", "x: [1]", "in `inputs.x`: a list is no scalar"},
		"a map in a text":           {"a: b<< inputs.x >>", "x: {b: 1}", "in `inputs.x`: a map is no text"},
		"null in a text":            {"a: b<< inputs.x >>", "x: null", "in `inputs.x`: the value is null, and a part of a text cannot be"},
		"toYaml nindent":            {"a: << inputs.x | toYaml | nindent 2 >>\nb: 1", "x: [{c: 1}, d]", "a:\n- c: 1\n- d\nb: 1\n"},
		"toYaml indent":             {"a:\n<< inputs.x | toYaml | indent 2 >>\n", "x: {c: 1, d: [2]}", "a:\n  c: 1\n  d:\n  - 2\n"},
		"toYaml among keys":         {"a:\n  b: 1\n<< toYaml inputs.x | indent 2 >>\n  e: 3", "x: {c: 1, d: 2}", "a:\n  b: 1\n  c: 1\n  d: 2\n  e: 3\n"},
		"toYaml over a key":         {"a:\n  b: 1\n<< toYaml inputs.x | indent 2 >>\n", "x: {b: 2}", "in `toYaml inputs.x | indent 2`: the key \"b\" is there already"},
		"toYaml among items":        {"a:\n  - 1\n  << toYaml inputs.x | nindent 2 >>", "x: [2, 3]", "a:\n- 1\n- 2\n- 3\n"},
		"toYaml after a dash":       {"a:\n  - << toYaml inputs.x | indent 4 | trim >>\n    z: 1\n", "x: {c: 1, d: 2}", "a:\n- c: 1\n  d: 2\n  z: 1\n"},
		"toYaml of an empty map":    {"a:\n<< toYaml inputs.x | indent 2 >>\n", "x: {}", "a: {}\n"},
		"toYaml of an empty list":   {"a: << toYaml inputs.x | nindent 2 >>", "x: []", "a: []\n"},
		"toYaml of a scalar":        {"a: << toYaml inputs.x >>", "x: 'yes'", "a: \"yes\"\n"},
		"toYaml on the line":        {"a: << toYaml inputs.x >>", "x: {b: 1, c: 2}", "a:\n  b: 1\n  c: 2\n"},
		"toYaml in a block":         {"a: |\n  x: 1\n<< toYaml inputs.x | indent 2 >>\n  y: 2\n", "x: {c: 1, d: {e: 2}}", "a: |\n  x: 1\n  c: 1\n  d:\n    e: 2\n  y: 2\n"},
		"toYaml deep in a block":    {"a: |\n  x:\n<< toYaml inputs.x | indent 6 >>\n  y: 2\n", "x: {c: 1, d: {e: 2}}", "a: |\n  x:\n      c: 1\n      d:\n        e: 2\n  y: 2\n"},
		"a list in a block":         {"a: |\n  x:\n<< toYaml inputs.x | indent 2 >>\n  y: 2\n", "x: [1, 2]", "a: |\n  x:\n  - 1\n  - 2\n  y: 2\n"},
		"lines in a block":          {"a: |\n  x:\n<< inputs.x | indent 4 >>\n  y: 2\n", "x: \"one\\ntwo\"", "a: |\n  x:\n    one\n    two\n  y: 2\n"},
		"lines leave no block":      {"a: |\n  << inputs.x >>\nb: 1\n", "x: \"one\\nb: 2\"", "a: |\n  one\n  b: 2\nb: 1\n"},
		"toJson":                    {"a: << toJson inputs.x >>", "x: {b: [1, null]}", "a:\n  b:\n  - 1\n  - null\n"},
		"toJson in a text":          {"a: 'json << toJson inputs.x >>'", "x: {b: [1, null]}", "a: \"json {\\\"b\\\":[1,null]}\"\n"},
		"toJson quote":              {"a: << toJson inputs.x | quote >>", "x: {b: 1}", "a: \"{\\\"b\\\":1}\"\n"},
		"toJson in flow style":      {"a: {b: << toJson inputs.x >>, c: [<< inputs.w >>]}", "{x: [1], w: ', d'}", "a:\n  b:\n  - 1\n  c:\n  - \", d\"\n"},
		"the author's text":         {"a: << inputs.x | ternary \"true\" \"false\" >>", "x: true", "a: true\n"},
		"the author's default":      {"a: << get inputs \"x\" | default \"8080\" >>", "w: 1", "a: 8080\n"},
		"a tenant's default":        {"a: << get inputs \"x\" | default \"8080\" >>", "x: '80'", "a: \"80\"\n"},
		"range":                     {"a:\n<<- range inputs.x >>\n- << . >>\n<<- end >>", "x: [1, b, '2']", "a:\n- 1\n- b\n- \"2\"\n"},
		"range over a map":          {"<<- range $k, $v := inputs.x >>\n<< $k >>: << $v >>\n<<- end >>", "x: {b: 1, a: '2'}", "a: \"2\"\nb: 1\n"},
		"if":                        {"a: 1\n<<- if inputs.x >>\nb: 2\n<<- end >>", "x: true", "a: 1\nb: 2\n"},
		"if not":                    {"a: 1\n<<- if inputs.x >>\nb: 2\n<<- end >>", "x: ''", "a: 1\n"},
		"with":                      {"<< with inputs.x >>a: << .w >><< end >>", "x: {w: 1}", "a: 1\n"},
		"eq":                        {"a: << eq inputs.x \"b\" >>", "x: b", "a: true\n"},
		"index":                     {"a: << index inputs \"my.org/x\" >>", "my.org/x: b", "a: b\n"},
		"get":                       {"a: << get inputs \"my.org/x\" >>", "my.org/x: b", "a: b\n"},
		"two documents":             {"a: 1\n---\nb: << inputs.x >>\n", "x: '---'", "a: 1\n---\nb: \"---\"\n"},
		"define":                    {"<< define \"t\" >>b: << . >><< end >>a:\n  << template \"t\" inputs.x >>", "x: 1", "a:\n  b: 1\n"},
		"a comment":                 {"a: 1 # << inputs.x >>\n", "x: \"\\nb: 2\"", "a: 1\n"},
		"a variable":                {"<< $v := inputs.x >>a: << $v >>", "x: 1", "a: 1\n"},
		"printf is a string":        {"a: << printf \"%d\" inputs.x >>", "x: 5", "a: \"5\"\n"},
		"sprig":                     {"a: << inputs.x | upper | trunc 3 >>", "x: hello", "a: HEL\n"},
		"a cut character":           {"a: << inputs.x | trunc 1 >>", "x: é", "in `inputs.x | trunc 1`: the text holds the byte 0xc3, which is not UTF-8"},
		"fromYaml":                  {"a: << (fromYaml inputs.x).b >>", "x: 'b: 9007199254740993'", "a: 9007199254740993\n"},
		"keys are sorted":           {"a: << keys inputs | join \",\" >>", "{z: 1, a: 2, m: 3}", "a: \"a,m,z\"\n"},
		"slugify":                   {"a: << slugify inputs.x >>", "x: 'R&D Café_2 -- Süd'", "a: randd-cafe_2-sud\n"},
		"nothing":                   {"", "x: 1", ""},
		"a block sequence in a key": {"? << inputs.x >>\n: 1", "x: \"a\\nb\"", "? \"a\\nb\"\n: 1\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, structure(t, test.text, test.inputs)) })
	}
}

func TestMistakes(t *testing.T) {
	tests := map[string]struct {
		text         string
		code, what   string
		line, column int
		hint         string
	}{
		"a block without an end":    {"a\n  é << if inputs.x >>\nb\n", "template-syntax", "unexpected EOF", 2, 5, ""},
		"an end without a block":    {"a: << end >>", "template-syntax", "unexpected <<end>>", 1, 4, ""},
		"the second of two":         {"<< inputs >> << | >>", "template-syntax", "unexpected \"|\" in command", 1, 14, ""},
		"never closed":              {"a\n<< inputs.x", "template-syntax", "unclosed action", 2, 1, ""},
		"an unknown function":       {"a\nb: << inputs.x | toYamll >>", "template-function", "there is no function `toYamll`", 2, 18, "did you mean `toYaml`?"},
		"a clock":                   {"<< now >>", "template-function", "function `now` is not allowed: it depends on the time", 1, 4, "put the value into the inputs"},
		"chance":                    {"<< randAlphaNum 5 >>", "template-function", "function `randAlphaNum` is not allowed: it gives another result each time", 1, 4, ""},
		"the environment":           {"<< env \"HOME\" >>", "template-function", "function `env` is not allowed: it reads the environment of the machine", 1, 4, ""},
		"our own functions":         {"<< _literal inputs.x >>", "template-function", "there is no function `_literal`", 1, 4, ""},
		"a missing key":             {"a: 1\nb: << inputs.nope >>", "template-failed", "in `inputs.nope`: map has no entry for key \"nope\"", 2, 7, "a name that may be missing is read with `get`"},
		"a key of null":             {"<< inputs.nil.x >>", "template-failed", "in `inputs.nil.x`: nil pointer evaluating interface {}.x", 1, 4, ""},
		"a wrong argument":          {"<< repeat \"a\" inputs.x >>", "template-failed", "in `repeat \"a\" inputs.x`: argument 1 of `repeat` must be an integer, found a string", 1, 4, ""},
		"too few arguments":         {"<< repeat 2 >>", "template-failed", "in `repeat 2`: `repeat` has 1 arguments, 2 are wanted", 1, 4, ""},
		"fail":                      {"<< fail \"no way\" >>", "template-failed", "in `fail \"no way\"`: no way", 1, 4, ""},
		"a panic":                   {"<< div 1 0 >>", "template-failed", "in `div 1 0`: runtime error: integer divide by zero", 1, 4, ""},
		"a huge text":               {"<< repeat 1000000000 \"x\" >>", "template-limit", "in `repeat 1000000000 \"x\"`: the result would be too large", 1, 4, ""},
		"a huge width":              {"<< printf \"%1000000000d\" 1 >>", "template-limit", "in `printf \"%1000000000d\" 1`: the result would be too large", 1, 4, ""},
		"an address":                {"<< printf \"%%%-[1]p\" inputs >>", "template-failed", "the verb %p gives another result each time", 1, 4, ""},
		"a huge list":               {"<< range until 1000000000 >>x<< end >>", "template-limit", "in `range until 1000000000`: the result would be too large", 1, 10, ""},
		"a huge number of turns":    {"<< range 1000000000 >><< end >>", "template-limit", "the template does not end within the work that is allowed", 1, 23, ""},
		"recursion":                 {"<< define \"a\" >><< template \"a\" >><< end >><< template \"a\" >>", "template-limit", "templates call each other more than 500 deep", 1, 29, ""},
		"two to the power of sixty": {doubling(), "template-limit", "the template does not end within the work that is allowed", 1, 0, ""},
		"a text that doubles":       {"<< $x := \"0123456789\" >><< range 40 >><< $x = print $x $x >><< end >>", "template-limit", "a text has", 1, 47, ""},
		"a list that doubles":       {"<< $x := list 1 >><< range 40 >><< $x = list $x $x >><< end >><< toJson $x >>", "template-limit", "the template does not end", 1, 66, ""},
		"a map in itself":           {"<< $x := dict >><< $_ := set $x \"x\" $x >>", "template-limit", "a value nests more than 100 deep", 1, 26, ""},
		"numbers that overflow":     {"<< untilStep 2 9223372036854775807 9223372036854775806 >>", "template-limit", "the result would be too large", 1, 4, ""},
		"a cycle of chunks":         {"<< $x := dict >><< $_ := set $x \"x\" (list $x | chunk 1) >><< indent 2 $x >>", "template-limit", "a value nests more than 100 deep", 1, 26, ""},
		"lists of lists":            {"<< $x := list 1 >><< range 40 >><< $x = list $x $x >><< end >><< indent 2 $x >>", "template-limit", "the template does not end within the work that is allowed", 1, 66, ""},
		"a list in a row":           {"<< $x := until 50000 >><< $y := concat $x $x $x $x >>", "template-limit", "the result would be too large", 1, 33, ""},
		"a key that is a list":      {"<< dict (list 1) 2 >>", "template-failed", "a key of `dict` must be a string, found a list", 1, 4, ""},
		"a huge output":             {"<< range 100 >><< repeat 100000 \"x\" >><< end >>", "template-limit", "the template prints more than 4194304 bytes", 1, 19, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out, m := render(t, test.text, "{x: a, nil: null}")
			require.NotNil(t, m, "%v", out)
			assert.Equal(t, test.code, m.Code)
			assert.Contains(t, m.What, test.what)
			assert.Contains(t, m.Hint, test.hint)
			if test.column > 0 {
				assert.Equal(t, [2]int{test.line, test.column}, [2]int{m.Line, m.Column})
			}
		})
	}
}

// doubling is a template in which every definition calls the next one twice.
func doubling() string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "<< define \"%d\" >><< template \"%d\" >><< template \"%d\" >><< end >>", i, i+1, i+1)
	}
	return b.String() + "<< define \"60\" >><< end >><< template \"0\" >>"
}

func TestReportNamesThePlace(t *testing.T) {
	_, m := render(t, "a: << inputs.nope >>", "x: 1")
	rep := krm.Report{}
	m.Report(krm.Pos{File: "f.yaml"}, " with the inputs of ExternalArtifact a/b", &rep)
	assert.Equal(t, "the template in line 1, column 7 with the inputs of ExternalArtifact a/b: in `inputs.nope`: map has no entry for key \"nope\"", rep.Findings()[0].Message)
}

func TestText(t *testing.T) {
	tests := map[string]struct{ text, inputs, want string }{
		"values":  {"a: << inputs.x >>-<< inputs.w >>", "{x: \"1\\n---\", w: null}", "a: 1\n----<no value>"},
		"a map":   {"<< inputs.x >>", "x: {b: 1}", "map[b:1]"},
		"toYaml":  {"a:<< inputs.x | toYaml | nindent 2 >>", "x: {b: 1, c: [2]}", "a:\n  b: 1\n  c:\n  - 2"},
		"indent":  {"a: |\n<< inputs.x | indent 2 >>", "x: \"b\\nc\"", "a: |\n  b\n  c"},
		"quote":   {"a: << inputs.x | quote >>", "x: b", "a: \"b\""},
		"a list":  {"<< toYaml inputs.x >>", "x: [1, 2]", "- 1\n- 2"},
		"literal": {"<< \"x\" >>", "x: 1", "x"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out, m := render(t, test.text, test.inputs)
			require.Nil(t, m)
			assert.Equal(t, test.want, out.Text())
		})
	}
}

// The library is slim-sprig's, without what looks at more than its arguments.
func TestLibraryIsComplete(t *testing.T) {
	library := newLibrary(&run{})
	for name := range sprig.GenericFuncMap() {
		_, have := library[name]
		_, impure := impureFunctions[name]
		assert.True(t, have != impure, "%s must be either in the library or refused", name)
	}
	for _, name := range []string{"now", "env", "expandenv", "getHostByName", "date", "randAlphaNum", "uuidv4", "genCA", "genPrivateKey", "bcrypt", "htpasswd", "encryptAES", "derivePassword", "shuffle", "ago", "randInt", "toDate"} {
		assert.Contains(t, impureFunctions, name)
	}
	for name, f := range library {
		assert.Equal(t, reflect.Func, f.fn.Kind(), name)
	}
}

func TestSlugify(t *testing.T) {
	long := strings.Repeat("abcdefghi ", 10)
	for text, want := range map[string]string{
		"Team A": "team-a", "a_b": "a_b", "Research & Development": "research-and-development", "  --x--  ": "x",
		"it's": "its", "Ünïcödé": "unicode", "a.b/c": "a-b-c", long: strings.TrimSuffix(strings.Repeat("abcdefghi-", 6), "-"), strings.Repeat("x", 70): strings.Repeat("x", 63),
	} {
		got, err := slugify(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := slugify("日本")
	assert.ErrorContains(t, err, "no letter for '日'")
}
