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

func parseInputs(text string) (*krm.Node, *krm.Report) {
	rep := &krm.Report{}
	node, ok := ParseInputs([]byte(text), krm.Pos{File: "m/inputs.yaml", Line: 1}, rep)
	if !ok {
		return nil, rep
	}
	return node, rep
}

func TestParseInputs(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"any JSON value", "a: 1\nb: [x, {c: true}]\nd: {e: 1.5}\nf: text\n", "a: 1\nb:\n- x\n- c: true\nd:\n  e: 1.5\nf: text\n"},
		{"empty", "", "{}\n"},
		{"comments", "# nothing\n---\n# here\n", "{}\n"},
		{"empty map", "{}", "{}\n"},
		{"integers are exact", "a: 9007199254740993\nb: 21600000\nc: 18446744073709551615\nd: -9223372036854775808\n", "a: 9007199254740993\nb: 21600000\nc: 18446744073709551615\nd: -9223372036854775808\n"},
		{"quoted text stays text", "a: \"0744\"\nb: 'yes'\nc: \"null\"\n", "a: \"0744\"\nb: \"yes\"\nc: \"null\"\n"},
		{"aliases are written out", "x: &y {a: 1}\nz: *y\n", "x:\n  a: 1\nz:\n  a: 1\n"},
		{"CRLF", "a: b\r\nc: d\r\n", "a: b\nc: d\n"},
		{"metacharacters are data", "a: ${X} {{ x }} << y >>\n", "a: \"${X} {{ x }} << y >>\"\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			node, rep := parseInputs(c.text)
			require.NotNil(t, node, "%v", rep.Findings())
			assert.Empty(t, rep.Findings())
			assert.Equal(t, c.want, string(node.AppendYAML(nil, 0)))
		})
	}
}

func TestParseInputsKeepsNulls(t *testing.T) {
	node, rep := parseInputs("a: null\nb:\n  c: ~\n  d: [null, 1]\nnodeSelector:\n")
	require.NotNil(t, node)
	assert.Equal(t, krm.NullNode, node.Get("nodeSelector").Kind)
	assert.Equal(t, krm.NullNode, node.Get("a").Kind)
	assert.Equal(t, krm.NullNode, node.Get("b").Get("c").Kind)
	require.Len(t, rep.Findings(), 1, "one for each file")
	assert.Equal(t, "m/inputs.yaml:1:4: an API server drops a key whose value is null: `a`, `b.c`, `b.d[0]`, `nodeSelector`",
		rep.Findings()[0].Pos.Place()+": "+rep.Findings()[0].Message)
	assert.Equal(t, []string{"warning inputs-null"}, codes(rep))

	var many strings.Builder
	for i := range 30 {
		fmt.Fprintf(&many, "k%02d:\n", i)
	}
	_, rep = parseInputs(many.String())
	assert.Contains(t, rep.Findings()[0].Message, "`k09` and 20 more")
}

func TestParseInputsRefuses(t *testing.T) {
	cases := []struct{ text, code, place string }{
		{"- a\n", "inputs-not-map", "m/inputs.yaml:1:1"},
		{"text\n", "inputs-not-map", "m/inputs.yaml:1:1"},
		{"null\n", "inputs-not-map", "m/inputs.yaml:1:1"},
		{"a: 1\n---\nb: 1\n", "yaml-multiple-documents", "m/inputs.yaml:3:1"},
		{"a: 1\na: 2\n", "yaml-duplicate-key", "m/inputs.yaml:2:1"},
		{"a: yes\n", "inputs-ambiguous-scalar", "m/inputs.yaml:1:4"},
		{"a:\n- b: 0744\n", "inputs-ambiguous-scalar", "m/inputs.yaml:2:6"},
		{"a: 12:30:45\n", "inputs-ambiguous-scalar", "m/inputs.yaml:1:4"},
		{"a: 18446744073709551616\n", "inputs-number-range", "m/inputs.yaml:1:4"},
		{"a: -9223372036854775809\n", "inputs-number-range", "m/inputs.yaml:1:4"},
		{"a: " + strings.Repeat("9", 2000), "inputs-number-range", "m/inputs.yaml:1:4"},
		{"a: .inf\n", "inputs-number-range", "m/inputs.yaml:1:4"},
		{"a: .NaN\n", "inputs-number-range", "m/inputs.yaml:1:4"},
		{"a: 1.0e+999\n", "inputs-number-range", "m/inputs.yaml:1:4"},
		{"a: " + strings.Repeat("x", 100<<10), "inputs-too-large", "m/inputs.yaml"},
		{"a: [\n", "yaml-syntax", ""},
		{"a: !!binary x\n", "yaml-tag", ""},
		{"a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "yaml-depth", ""},
	}
	for _, c := range cases {
		t.Run(c.text[:min(len(c.text), 20)], func(t *testing.T) {
			node, rep := parseInputs(c.text)
			require.Nil(t, node)
			require.Equal(t, []string{"error " + c.code}, codes(rep))
			if c.place != "" {
				assert.Equal(t, c.place, rep.Findings()[0].Pos.Place())
			}
		})
	}
}

func TestParseInputsReportsAll(t *testing.T) {
	_, rep := parseInputs("a: yes\nb: 0644\nc: .inf\nd: ok\n")
	assert.Equal(t, []string{"error inputs-ambiguous-scalar", "error inputs-ambiguous-scalar", "error inputs-number-range"}, codes(rep))
	assert.Equal(t, "the value \"yes\" is the boolean true for YAML 1.1, and a string, \"yes\", for YAML 1.2", rep.Findings()[0].Message)
}

func TestAliasBombIsRefused(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	node, rep := parseInputs(bomb)
	require.Nil(t, node)
	assert.Equal(t, []string{"error yaml-alias-limit"}, codes(rep))
}

func TestParseInputsFrom(t *testing.T) {
	cases := []struct{ text, code string }{
		{"@repo/tenants/{ns}/inputs.yaml", ""},
		{"@artifact/inputs.yaml", ""},
		{"@repo/", "inputs-from"},
		{"@repo", "inputs-from"},
		{"inputs.yaml", "inputs-from"},
		{"@repo/*.yaml", "inputs-from"},
		{"@repo/a[1].yaml", "inputs-from"},
		{"@repo/../x.yaml", "inputs-from"},
		{"@repo/./x.yaml", "inputs-from"},
		{"@repo//x.yaml", "inputs-from"},
		{"@repo/x/", "inputs-from"},
		{"@repo/{x", "capture-syntax"},
		{"@repo/" + strings.Repeat("x", 1024), "inputs-from"},
	}
	for _, c := range cases {
		rep := &krm.Report{}
		from, ok := ParseInputsFrom(krm.Str{Text: c.text, Pos: krm.Pos{Field: "spec.artifacts[0].inputsFrom"}}, rep)
		assert.Equal(t, c.code == "", ok, c.text)
		if c.code != "" {
			require.Equal(t, []string{"error " + c.code}, codes(rep), c.text)
			continue
		}
		assert.Equal(t, strings.HasPrefix(c.text, "@artifact/"), from.FromArtifact())
	}
	from, _ := ParseInputsFrom(krm.Str{Text: "@repo/{a}/{b}.yaml"}, &krm.Report{})
	assert.Equal(t, "repo", from.Alias().Text)
	assert.False(t, from.CheckCaptures([]string{"a"}, &krm.Report{}))
	assert.True(t, from.CheckCaptures([]string{"a", "b"}, &krm.Report{}))
}

func TestInputsLoad(t *testing.T) {
	tree := memory(map[string]string{
		"t/a/inputs.yaml": "k: 1\n", "t/a/bad.yaml": "k: yes\n", "t/a/d/x": "", "t/a/big.yaml": "a: " + strings.Repeat("x", 100<<10),
	})
	trees := map[string]*source.Tree{"repo": tree}
	a, rep := buildOps(tree, map[string]string{"ns": "a"}, opFields{From: "@repo/t/{ns}/inputs.yaml", To: "@artifact/x/{ns}.yaml"})
	require.NotNil(t, a, "%v", rep.Findings())
	cases := []struct{ from, code, message string }{
		{"@repo/t/{ns}/inputs.yaml", "", ""},
		{"@artifact/x/{ns}.yaml", "", ""},
		{"@repo/t/{ns}/nope.yaml", "inputs-missing", `artifact tenant-a/web: the inputs file "@repo/t/a/nope.yaml" does not exist`},
		{"@artifact/nope.yaml", "inputs-missing", `artifact tenant-a/web: the inputs file "@artifact/nope.yaml" does not exist`},
		{"@repo/t/{ns}/d", "inputs-unreadable", `artifact tenant-a/web: cannot read the inputs "@repo/t/a/d": it is not a regular file`},
		{"@repo/t/{ns}/bad.yaml", "inputs-ambiguous-scalar", ""},
		{"@repo/t/{ns}/big.yaml", "inputs-too-large", "the inputs have 102403 bytes, 102400 are allowed"},
	}
	for _, c := range cases {
		rep := &krm.Report{}
		from, ok := ParseInputsFrom(krm.Str{Text: c.from}, rep)
		require.True(t, ok)
		node, ok := from.Load(a, map[string]string{"ns": "a"}, trees, rep)
		require.Equal(t, c.code == "", ok, c.from)
		if c.code == "" {
			assert.Equal(t, "1", node.Get("k").Text)
			continue
		}
		require.Equal(t, []string{"error " + c.code}, codes(rep), c.from)
		if c.message != "" {
			assert.Equal(t, c.message, rep.Findings()[0].Message)
		}
	}
}

// The inputs of an artifact that could not be built are looked at all the same,
// unless they are in it.
func TestInputsLoadOfAnArtifactThatWasNotBuilt(t *testing.T) {
	tree := memory(map[string]string{"bad.yaml": "k: yes\n"})
	trees := map[string]*source.Tree{"repo": tree}
	op, ok := ParseOperation(opFields{From: "@repo/nothing", To: "@artifact/"}.fields(), &krm.Report{})
	require.True(t, ok)
	a, ok := Build("tenant-a/web", []Operation{op}, nil, trees, &krm.Report{})
	require.False(t, ok)
	for from, want := range map[string][]string{
		"@repo/bad.yaml": {"error inputs-ambiguous-scalar"}, "@repo/missing.yaml": {"error inputs-missing"}, "@artifact/missing.yaml": nil,
	} {
		rep := &krm.Report{}
		inputs, ok := ParseInputsFrom(krm.Str{Text: from}, rep)
		require.True(t, ok)
		_, ok = inputs.Load(a, nil, trees, rep)
		assert.False(t, ok)
		assert.Equal(t, want, codes(rep))
	}
}

// Inputs out of the artifact are reported at the file that they were copied from:
// with lines where it is a copy, without them where it was extracted or merged.
func TestInputsOfTheArtifactPointToTheSource(t *testing.T) {
	tree := memory(map[string]string{
		"t/inputs.yaml": "a: 1\nk: 0644\n", "t/more.yaml": "num: 99999999999999999999\n", "t/base.yaml": "b: 2\n", "t/nulls.yaml": "x:\n",
		"t/big.yaml": "a: " + strings.Repeat("x", 100<<10),
		"t/in.tgz":   tarballOf(t, map[string]string{"bad.yaml": "a: 1\nb: yes\n", "broken.yaml": "a: 1\nb: [\n", "odd.yaml": "a: \x01\n", "two.yaml": "a: 1\n---\nb: 2\n"}),
	})
	a, rep := buildOps(tree, nil, opFields{From: "@repo/t/*.yaml", To: "@artifact/"}, opFields{From: "@repo/t/base.yaml", To: "@artifact/merged.yaml"},
		opFields{From: "@repo/t/more.yaml", To: "@artifact/merged.yaml", Strategy: "Merge"}, opFields{From: "@repo/t/in.tgz", To: "@artifact/x", Strategy: "Extract"})
	require.NotNil(t, a, "%v", rep.Findings())
	for path, want := range map[string]string{
		"t/inputs.yaml": "t/inputs.yaml:2:4: k: the value \"0644\" is the integer 420 for YAML 1.1, and a number, \"644\", for YAML 1.2 [inputs-ambiguous-scalar]",
		"t/nulls.yaml":  "t/nulls.yaml:1:3: an API server drops a key whose value is null: `x` [inputs-null]",
		"t/big.yaml":    "t/big.yaml: the inputs have 102403 bytes, 102400 are allowed [inputs-too-large]",
		"t":             "artifact tenant-a/web: cannot read the inputs \"@artifact/t\": it is not a regular file [inputs-unreadable]",
		"merged.yaml":   "t/more.yaml: num: the integer does not fit into 64 bits [inputs-number-range]",
		"x/bad.yaml":    "t/in.tgz: b: the value \"yes\" is the boolean true for YAML 1.1, and a string, \"yes\", for YAML 1.2 [inputs-ambiguous-scalar]",
		"x/broken.yaml": "t/in.tgz: not valid YAML: line 2: did not find expected node content [yaml-syntax]",
		"x/odd.yaml":    "t/in.tgz: found the control character U+0001 [yaml-encoding]",
		"x/two.yaml":    "t/in.tgz: found a second YAML document, one is allowed [yaml-multiple-documents]",
	} {
		rep := &krm.Report{}
		from, ok := ParseInputsFrom(krm.Str{Text: "@artifact/" + path}, rep)
		require.True(t, ok)
		from.Load(a, nil, nil, rep)
		require.Len(t, rep.Findings(), 1, path)
		f := rep.Findings()[0]
		f.Hint = ""
		assert.Equal(t, want, f.String())
	}
}

// A captured `.` must not make another file of the path.
func TestInputsLoadStaysInItsTree(t *testing.T) {
	tree := memory(map[string]string{"secret": "a: 1\n"})
	a, _ := buildOps(tree, nil, everything)
	for _, x := range []string{".", "..", "", "/", "a/../.."} {
		for _, text := range []string{"@repo/t/.{x}/secret", "@repo/{x}/secret", "@artifact/{x}/secret"} {
			rep := &krm.Report{}
			from, ok := ParseInputsFrom(krm.Str{Text: text}, rep)
			require.True(t, ok)
			_, ok = from.Load(a, map[string]string{"x": x}, map[string]*source.Tree{"repo": tree}, rep)
			require.False(t, ok, "%s %q", text, x)
			assert.Equal(t, []string{"error inputs-missing"}, codes(rep))
		}
	}
}

func TestOrder(t *testing.T) {
	cases := []struct {
		name   string
		inputs map[string]string // "" has no inputs
		want   []string
	}{
		{"known", map[string]string{"web": "dependsOn: [{name: db}]", "db": ""}, nil},
		{"unknown", map[string]string{"web": "dependsOn: [{name: dbb}, {name: dbb}]", "db-": ""}, []string{
			`web.yaml:1:20: module "web" of namespace "tenant-a" depends on "dbb", which the namespace lacks (did you mean "db-"?)`,
		}},
		{"another namespace", map[string]string{"web": "dependsOn: [{name: x, namespace: other}]"}, nil},
		{"this namespace", map[string]string{"web": "dependsOn: [{name: zzzz, namespace: tenant-a}]"}, []string{
			`web.yaml:1:20: module "web" of namespace "tenant-a" depends on "zzzz", which the namespace lacks ()`,
		}},
		{"itself", map[string]string{"web": "dependsOn: [{name: web}]"}, []string{
			`web.yaml:1:20: modules of namespace "tenant-a" wait for each other: web -> web (remove one of the dependencies)`,
		}},
		{"cycle", map[string]string{"a": "dependsOn: [{name: b}]", "b": "dependsOn: [{name: c}]", "c": "dependsOn:\n- name: a\n- name: d", "d": ""}, []string{
			`c.yaml:2:9: modules of namespace "tenant-a" wait for each other: a -> b -> c -> a (remove one of the dependencies)`,
		}},
		{"no cycle in a diamond", map[string]string{"a": "dependsOn: [{name: b}, {name: c}]", "b": "dependsOn: [{name: d}]", "c": "dependsOn: [{name: d}]", "d": ""}, nil},
		{"two cycles", map[string]string{"a": "dependsOn: [{name: b}]", "b": "dependsOn: [{name: a}]", "c": "dependsOn: [{name: d}]", "d": "dependsOn: [{name: c}]"}, []string{
			`b.yaml:1:20: modules of namespace "tenant-a" wait for each other: a -> b -> a (remove one of the dependencies)`,
			`d.yaml:1:20: modules of namespace "tenant-a" wait for each other: c -> d -> c (remove one of the dependencies)`,
		}},
		{"other forms are not ours to judge", map[string]string{"a": "dependsOn: text", "b": "dependsOn: [x, {nome: z}, {name: 1}, {name: [z]}]", "c": "dependsOn: {name: q}", "d": "dependsOn: null"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inputs := map[string]*krm.Node{}
			for module, text := range c.inputs {
				inputs[module] = nil
				if text != "" {
					node, ok := ParseInputs([]byte(text), krm.Pos{File: module + ".yaml", Line: 1}, &krm.Report{})
					require.True(t, ok)
					inputs[module] = node
				}
			}
			rep := &krm.Report{}
			checkOrder(inputs, rep)
			var got []string
			for _, f := range rep.Findings() {
				assert.Equal(t, krm.Warning, f.Severity)
				got = append(got, f.Pos.Place()+": "+f.Message+" ("+f.Hint+")")
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestLongCycleIsCut(t *testing.T) {
	inputs := map[string]*krm.Node{}
	for i := range 1000 {
		node, ok := ParseInputs([]byte(fmt.Sprintf("dependsOn: [{name: m%03d}]", (i+1)%1000)), krm.Pos{File: "x.yaml", Line: 1}, &krm.Report{})
		require.True(t, ok)
		inputs[fmt.Sprintf("m%03d", i)] = node
	}
	rep := &krm.Report{}
	checkOrder(inputs, rep)
	require.Len(t, rep.Findings(), 1)
	assert.Equal(t, `modules of namespace "tenant-a" wait for each other: m000 -> m001 -> m002 -> m003 -> m004 -> m005 -> m006 -> m007 -> m008 -> m009 -> … -> m000`, rep.Findings()[0].Message)
}

// checkOrder adds the modules in a random order: it must not show.
func checkOrder(inputs map[string]*krm.Node, rep *krm.Report) {
	var modules []string
	for module := range inputs {
		modules = append(modules, module)
	}
	order := NewOrder("tenant-a", modules, rep)
	for module, node := range inputs {
		order.Add(module, node)
	}
	order.Check()
}

func TestUnknownDependenciesAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("dependsOn:\n")
	for i := range 2000 {
		fmt.Fprintf(&text, "- name: x%d\n", i)
	}
	node, ok := ParseInputs([]byte(text.String()), krm.Pos{File: "x.yaml", Line: 1}, &krm.Report{})
	require.True(t, ok)
	rep := &krm.Report{}
	checkOrder(map[string]*krm.Node{"a": node}, rep)
	require.Len(t, rep.Findings(), maxUnknown+1)
	assert.Equal(t, `module "a" of namespace "tenant-a" depends on 1980 more modules, which the namespace lacks`, rep.Findings()[maxUnknown].Message)
}

func TestNullsArePlacedAtTheFirst(t *testing.T) {
	_, rep := parseInputs("b: 1\nz:\n  - ~\na: null\n")
	require.Len(t, rep.Findings(), 1)
	assert.Equal(t, "m/inputs.yaml:3:5: an API server drops a key whose value is null: `z[0]`, `a` (leave the key out, or give it a value) [inputs-null]", rep.Findings()[0].String())
}

func TestInputsAreBoundedAsWritten(t *testing.T) {
	deep := strings.Repeat("[", 60) + strings.TrimSuffix(strings.Repeat("1,", 40_000), ",") + strings.Repeat("]", 60)
	node, rep := parseInputs("a: " + deep)
	assert.Nil(t, node)
	assert.Equal(t, []string{"error inputs-too-large"}, codes(rep))
	node, rep = parseInputs("a: [" + strings.TrimSuffix(strings.Repeat("1,", 40_000), ",") + "]")
	assert.NotNil(t, node)
	assert.Empty(t, rep.Findings())
}
