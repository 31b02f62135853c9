package artifact

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// tableTree is the tree of the table below; every file holds its own path.
func tableTree(extra ...string) *source.Tree {
	files := map[string]string{}
	paths := []string{
		"a.yaml", "configs/x.yaml", "configs/.dot", "configs/sub/z.yaml", "configs/sub/deep/w.yaml", "con2/y.yaml", "empty/",
		"foo.yaml/inner", "onlysub/sub/q.md",
	}
	for _, path := range append(paths, extra...) {
		files[path] = path
	}
	return memory(files)
}

func TestCopyTable(t *testing.T) {
	const missing, noMatch, excluded, conflict = "copy-source-missing", "copy-no-match", "copy-all-excluded", "copy-conflict"
	cases := []struct {
		name string
		ops  []opFields
		want string // artifact path=source path, space separated; or the code of an error
	}{
		{"file to directory", []opFields{{From: "@repo/configs/x.yaml", To: "@artifact/out/"}}, "out/x.yaml=configs/x.yaml"},
		{"file to root", []opFields{{From: "@repo/configs/x.yaml", To: "@artifact/"}}, "x.yaml=configs/x.yaml"},
		{"file to dot", []opFields{{From: "@repo/configs/x.yaml", To: "@artifact/."}}, "x.yaml=configs/x.yaml"},
		{"file to name", []opFields{{From: "@repo/configs/x.yaml", To: "@artifact/d/one"}}, "d/one=configs/x.yaml"},
		{"file to existing directory", []opFields{
			{From: "@repo/a.yaml", To: "@artifact/d/"}, {From: "@repo/configs/x.yaml", To: "@artifact/d"},
		}, "d/a.yaml=a.yaml d/x.yaml=configs/x.yaml"},
		{"file with trailing slash", []opFields{{From: "@repo/a.yaml/", To: "@artifact/"}}, "a.yaml=a.yaml"},
		{"excluded file", []opFields{{From: "@repo/a.yaml", To: "@artifact/", Exclude: []string{"*.yaml"}}}, ""},
		{"directory", []opFields{{From: "@repo/configs/sub", To: "@artifact/to"}}, "to/sub/deep/w.yaml=configs/sub/deep/w.yaml to/sub/z.yaml=configs/sub/z.yaml"},
		{"directory with slashes", []opFields{{From: "@repo/configs/sub/", To: "@artifact/to/"}}, "to/sub/deep/w.yaml=configs/sub/deep/w.yaml to/sub/z.yaml=configs/sub/z.yaml"},
		{"empty directory", []opFields{{From: "@repo/empty", To: "@artifact/"}}, "empty/="},
		{"directory with everything excluded", []opFields{{From: "@repo/onlysub", To: "@artifact/", Exclude: []string{"**/*.md"}}}, "onlysub/sub/="},
		{"the selected directory is never excluded", []opFields{{From: "@repo/con2", To: "@artifact/", Exclude: []string{"con2"}}}, "con2/y.yaml=con2/y.yaml"},
		{"missing", []opFields{{From: "@repo/nope", To: "@artifact/"}}, missing},
		{"missing below a file", []opFields{{From: "@repo/a.yaml/x", To: "@artifact/"}}, missing},
		{"glob to name", []opFields{{From: "@repo/a*.yaml", To: "@artifact/one.yaml"}}, "one.yaml/a.yaml=a.yaml"},
		{"literal prefix is stripped", []opFields{{From: "@repo/configs/sub/**", To: "@artifact/"}}, "deep/w.yaml=configs/sub/deep/w.yaml z.yaml=configs/sub/z.yaml"},
		{"other globs keep their path", []opFields{{From: "@repo/configs/*.yaml", To: "@artifact/apps/"}}, "apps/configs/x.yaml=configs/x.yaml"},
		{"prefix with a wildcard", []opFields{{From: "@repo/con2*/**", To: "@artifact/"}}, "con2/y.yaml=con2/y.yaml"},
		{"star matches dotfiles", []opFields{{From: "@repo/configs/.*", To: "@artifact/"}}, "configs/.dot=configs/.dot"},
		{"recursive", []opFields{{From: "@repo/configs/**/*.yaml", To: "@artifact/"}}, "configs/sub/deep/w.yaml=configs/sub/deep/w.yaml configs/sub/z.yaml=configs/sub/z.yaml configs/x.yaml=configs/x.yaml"},
		{"recursive in the middle", []opFields{{From: "@repo/**/deep/*", To: "@artifact/"}}, "configs/sub/deep/w.yaml=configs/sub/deep/w.yaml"},
		{"matched directory is copied whole", []opFields{{From: "@repo/f*.yaml", To: "@artifact/"}}, "foo.yaml/inner=foo.yaml/inner"},
		{"class", []opFields{{From: "@repo/con[2-9]/?.yaml", To: "@artifact/"}}, "con2/y.yaml=con2/y.yaml"},
		{"escaped", []opFields{{From: `@repo/con\2/*`, To: "@artifact/"}}, "con2/y.yaml=con2/y.yaml"},
		{"empty directory matches nothing", []opFields{{From: "@repo/empty/**", To: "@artifact/"}}, noMatch},
		{"file is no prefix", []opFields{{From: "@repo/a.yaml/**", To: "@artifact/"}}, noMatch},
		{"missing prefix", []opFields{{From: "@repo/nope/**", To: "@artifact/"}}, noMatch},
		{"nothing matches", []opFields{{From: "@repo/configs/*.json", To: "@artifact/"}}, noMatch},
		{"everything excluded", []opFields{{From: "@repo/configs/*.yaml", To: "@artifact/", Exclude: []string{"*.yaml"}}}, excluded},
		{"optional missing", []opFields{{From: "@repo/nope", To: "@artifact/", Optional: true}}, ""},
		{"optional without matches", []opFields{{From: "@repo/nope/**", To: "@artifact/", Optional: true}}, ""},
		{"optional excluded", []opFields{{From: "@repo/configs/*.yaml", To: "@artifact/", Exclude: []string{"*"}, Optional: true}}, ""},
		{"optional does what is there", []opFields{{From: "@repo/a.yaml", To: "@artifact/", Optional: true}}, "a.yaml=a.yaml"},
		{"exclude from the root of the source", []opFields{{From: "@repo/configs/**", To: "@artifact/", Exclude: []string{"configs/sub/**"}}}, ".dot=configs/.dot x.yaml=configs/x.yaml"},
		{"exclude from the base", []opFields{{From: "@repo/configs/**", To: "@artifact/", Exclude: []string{"sub/deep"}}}, ".dot=configs/.dot sub/z.yaml=configs/sub/z.yaml x.yaml=configs/x.yaml"},
		{"no exclude from in between", []opFields{{From: "@repo/configs", To: "@artifact/", Exclude: []string{"deep/**", "configs/.dot", "x.yaml"}}}, "configs/sub/deep/w.yaml=configs/sub/deep/w.yaml configs/sub/z.yaml=configs/sub/z.yaml"},
		{"exclude by name", []opFields{{From: "@repo/configs/**", To: "@artifact/", Exclude: []string{"deep", "{.dot,x.yaml}"}}}, "sub/z.yaml=configs/sub/z.yaml"},
		{"exclude is case-sensitive", []opFields{{From: "@repo/con2/**", To: "@artifact/", Exclude: []string{"*.YAML"}}}, "y.yaml=con2/y.yaml"},
		{"an excluded directory is not entered", []opFields{{From: "@repo/**/*.yaml", To: "@artifact/", Exclude: []string{"sub", "foo.yaml"}}}, "a.yaml=a.yaml con2/y.yaml=con2/y.yaml configs/x.yaml=configs/x.yaml"},
		{"the last one wins", []opFields{{From: "@repo/a.yaml", To: "@artifact/f"}, {From: "@repo/con2/y.yaml", To: "@artifact/f"}}, "f=con2/y.yaml"},
		{"directory over file", []opFields{{From: "@repo/a.yaml", To: "@artifact/configs"}, {From: "@repo/configs", To: "@artifact/"}}, conflict},
		{"file over directory", []opFields{{From: "@repo/configs", To: "@artifact/d/a.yaml"}, {From: "@repo/a.yaml", To: "@artifact/d/"}}, conflict},
		{"parent is a file", []opFields{{From: "@repo/a.yaml", To: "@artifact/f"}, {From: "@repo/a.yaml", To: "@artifact/f/g"}}, conflict},
		{"to is a file", []opFields{{From: "@repo/a.yaml", To: "@artifact/f"}, {From: "@repo/con2/**", To: "@artifact/f"}}, conflict},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, rep := buildOps(tableTree(), nil, c.ops...)
			if a == nil {
				require.Equal(t, []string{"error " + c.want}, codes(rep))
				require.NotEmpty(t, rep.Findings()[0].Pos.Field)
				return
			}
			require.Equal(t, !c.ops[0].Optional && !strings.Contains(c.want, "=") || strings.HasSuffix(c.want, "/="), slices.Contains(codes(rep), "warning artifact-empty"))
			require.LessOrEqual(t, len(rep.Findings()), 1)
			want := map[string]string{}
			for pair := range strings.FieldsSeq(c.want) {
				path, from, _ := strings.Cut(pair, "=")
				want[path] = from
			}
			assert.Equal(t, want, held(t, a))
		})
	}
}

func TestMessagesNameArtifactAndPattern(t *testing.T) {
	_, rep := buildOps(memory(map[string]string{"tenants/a/modules/web/manifests/x.yaml": ""}),
		map[string]string{"ns": "a", "m": "web"},
		opFields{From: "@repo/tenants/{ns}/modules/{m}/manifets/**", To: "@artifact/"},
		opFields{From: "@repo/tenants/{ns}/moduls", To: "@artifact/"},
		opFields{From: "@repo/tenants/{ns}/zzz", To: "@artifact/"},
		opFields{From: "@repo/tenants/{ns}/modules/*.json", To: "@artifact/"})
	var got []string
	for _, f := range rep.Findings() {
		got = append(got, f.Message+" ("+f.Hint+")")
	}
	assert.ElementsMatch(t, []string{
		`artifact tenant-a/web: no files match "@repo/tenants/a/modules/web/manifets/**" (did you mean "tenants/a/modules/web/manifests"? correct the path, or set ` + "`optional: true`)",
		`artifact tenant-a/web: the source "@repo/tenants/a/moduls" does not exist (did you mean "tenants/a/modules"? correct the path, or set ` + "`optional: true`)",
		`artifact tenant-a/web: the source "@repo/tenants/a/zzz" does not exist (there is no "zzz" in "tenants/a": correct the path, or set ` + "`optional: true`)",
		`artifact tenant-a/web: no files match "@repo/tenants/a/modules/*.json" (correct the path, or set ` + "`optional: true`)",
	}, got)
}

// What a tenant calls a directory is text, never a pattern.
func TestCapturesAreLiteral(t *testing.T) {
	files := map[string]string{}
	odd := []string{"[a-z]*", "*", "**", "?", "{a,b}", `\`, "!x", "[", "secret", "a"}
	for _, name := range odd {
		files["tenants/"+name+"/m/f.yaml"] = name
	}
	for _, name := range odd {
		for _, from := range []string{"@repo/tenants/{ns}/**", "@repo/tenants/{ns}/*/f.yaml", "@repo/tenants/{ns}/m", "@repo/tenants/[{ns}]*/m/f.yaml"} {
			a, rep := buildOps(memory(files), map[string]string{"ns": name}, opFields{From: from, To: "@artifact/"})
			if name == `\` && a == nil { // nobody could unpack it
				require.Equal(t, []string{"error artifact-file-name"}, codes(rep), from)
				continue
			}
			if a == nil { // as part of a class it may well match nothing
				require.Equal(t, []string{"error copy-no-match"}, codes(rep), from)
				require.Contains(t, from, "[{ns}]")
				continue
			}
			for path, text := range held(t, a) {
				if strings.Contains(from, "[{ns}]") {
					assert.Contains(t, name, text[:1], "%s %s", from, path)
					continue
				}
				assert.Equal(t, name, text, "%s %s", from, path)
			}
		}
	}
}

func TestCapturesThatRenderToDots(t *testing.T) {
	tree := memory(map[string]string{"t/a./x": "x", "secret": "s"})
	for _, c := range []struct{ op, code string }{
		{"@repo/t/.{x}/secret", "copy-from"},
		{"@repo/t/{x}/**", "copy-from"},
		{"@repo/{x}", "copy-from"},
	} {
		a, rep := buildOps(tree, map[string]string{"x": "."}, opFields{From: c.op, To: "@artifact/"})
		require.Nil(t, a)
		assert.Equal(t, []string{"error " + c.code}, codes(rep), c.op)
	}
	for _, to := range []string{"@artifact/.{x}/y", "@artifact/a/{x}/b", "@artifact/a/.{x}"} {
		a, rep := buildOps(tree, map[string]string{"x": "."}, opFields{From: "@repo/secret", To: to})
		require.Nil(t, a)
		assert.Equal(t, []string{"error copy-to"}, codes(rep), to)
	}
	for _, x := range []string{"", "/", "../secret", "a/../../x"} {
		a, rep := buildOps(tree, map[string]string{"x": x}, opFields{From: "@repo/{x}", To: "@artifact/{x}"})
		require.Nil(t, a, x)
		assert.Contains(t, codes(rep)[0], "error copy-", x)
	}
}

// Upstream leaks the whole source into an artifact that is called like its
// alias, and one artifact into another of the same name in another namespace.
func TestBuildsShareNothing(t *testing.T) {
	tree := memory(map[string]string{"t1/m/a.yaml": "one", "t2/m/b.yaml": "two", "secret": "s"})
	trees := map[string]*source.Tree{"repo": tree}
	op, ok := ParseOperation(opFields{From: "@repo/{ns}/m/**", To: "@artifact/"}.fields(), &krm.Report{})
	require.True(t, ok)
	for _, names := range [][2]string{{"t1/m", "t2/m"}, {"t1/repo", "t2/repo"}} {
		one, ok := Build(names[0], []Operation{op}, map[string]string{"ns": "t1"}, trees, &krm.Report{})
		require.True(t, ok)
		two, ok := Build(names[1], []Operation{op}, map[string]string{"ns": "t2"}, trees, &krm.Report{})
		require.True(t, ok)
		assert.Equal(t, map[string]string{"a.yaml": "one"}, held(t, one))
		assert.Equal(t, map[string]string{"b.yaml": "two"}, held(t, two))
	}
}

func TestEveryOperationIsTried(t *testing.T) {
	_, rep := buildOps(tableTree(), nil, opFields{From: "@repo/nope", To: "@artifact/"}, opFields{From: "@repo/a.yaml", To: "@artifact/"}, opFields{From: "@repo/x/*", To: "@artifact/"})
	assert.Equal(t, []string{"error copy-no-match", "error copy-source-missing"}, codes(rep))
}

func TestTooLargeFile(t *testing.T) {
	tree := source.Memory(".", map[string]source.Content{
		"d/big": {Data: make([]byte, 100<<20+1)}, "d/edge": {Data: make([]byte, 100<<20)}, "d/small": {Data: []byte("x")},
	})
	a, rep := buildOps(tree, nil, everything)
	require.Nil(t, a)
	require.Equal(t, []string{"error artifact-file-too-large"}, codes(rep))
	assert.Equal(t, "d/big", rep.Findings()[0].Pos.File)
	assert.Equal(t, "the file has 104857601 bytes, a file of an artifact may have 104857600", rep.Findings()[0].Message)

	a, rep = buildOps(tree, nil, opFields{From: "@repo/d", To: "@artifact/", Exclude: []string{"big"}})
	require.NotNil(t, a, "%v", rep.Findings())
}

func TestTooLargeArtifact(t *testing.T) {
	files := map[string]source.Content{}
	data := make([]byte, 100<<20)
	for i := range 5 {
		files[fmt.Sprintf("f%d", i)] = source.Content{Data: data}
	}
	a, rep := buildOps(source.Memory(".", files), nil, everything, opFields{From: "@repo/f0", To: "@artifact/x"})
	require.Nil(t, a)
	require.Equal(t, []string{"error artifact-too-large"}, codes(rep), "reported once")
	assert.Equal(t, `artifact tenant-a/web is larger than 268435456 bytes with "@repo/"`, rep.Findings()[0].Message)
}

// Names and directories count, too: half a million empty files are no way around.
func TestTooManyDirectories(t *testing.T) {
	files := map[string]source.Content{}
	long := strings.Repeat("n", 250)
	for i := range 3000 {
		files[fmt.Sprintf("%04d%s/%s/%s/%s/%s/%s/", i, long, long, long, long, long, long)] = source.Content{}
	}
	var ops []opFields
	for i := range 12 {
		ops = append(ops, opFields{From: "@repo/", To: fmt.Sprintf("@artifact/%d", i)})
	}
	a, rep := buildOps(source.Memory(".", files), nil, ops...)
	require.Nil(t, a)
	require.Equal(t, []string{"error artifact-too-large"}, codes(rep))
}

func TestNamespaceInArtifact(t *testing.T) {
	declares := map[string]string{
		"ns.yaml":     "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n",
		"quoted.yml":  "\"apiVersion\": \"v1\"\n\"kind\":   'Namespace'   # c\r\n",
		"second.yaml": "kind: ConfigMap\napiVersion: v1\n---\nkind: Namespace\napiVersion: v1\n",
		"flow.json":   `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x"}}`,
		"list.yaml":   "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n",
		"broken.yaml": "kind: Namespace\napiVersion: v1\n{{ if x }}\n",
		"huge.yaml":   "kind: Namespace\napiVersion: v1\n# " + strings.Repeat("x", 2<<20),
	}
	mentions := map[string]string{
		"subject.yaml": "apiVersion: v1\nkind: ConfigMap\nref:\n  kind: Namespace\n  apiVersion: v1\n",
		"group.yaml":   "apiVersion: example.org/v1\nkind: Namespace\n",
		"text.md":      "apiVersion: v1\nkind: Namespace\n",
		"longer.yaml":  "apiVersion: v1\nkind: NamespaceMetadata\n",
		"block.yaml":   "apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    apiVersion: v1\n    kind: Namespace\n",
	}
	files := map[string]string{}
	for _, group := range []map[string]string{declares, mentions} {
		for path, text := range group {
			files["m/"+path] = text
		}
	}
	a, rep := buildOps(memory(files), nil, everything)
	require.NotNil(t, a)
	found := map[string]bool{}
	for _, f := range rep.Findings() {
		assert.Equal(t, "artifact-namespace", f.Code)
		assert.Equal(t, krm.Warning, f.Severity)
		found[strings.TrimPrefix(f.Pos.File, "m/")] = true
	}
	for path := range declares {
		assert.True(t, found[path], path)
	}
	assert.Len(t, found, len(declares))
}

func TestUnicodeTwins(t *testing.T) {
	const nfc, nfd = "se\u00f1or.yaml", "sen\u0303or.yaml"
	hangulC, hangulD := "\ud55c", "\u1112\u1161\u11ab"
	a, rep := buildOps(memory(map[string]string{
		"m/" + nfc: "a", "m/" + nfd: "b", "n/" + nfc: "a", "o/" + nfd: "b", "m/" + hangulC: "", "m/" + hangulD: "", "n/se\u0144or.yaml": "other accent",
	}), nil, everything)
	require.NotNil(t, a)
	require.Equal(t, []string{"warning artifact-unicode-twins", "warning artifact-unicode-twins"}, codes(rep))
	var all []string
	for _, f := range rep.Findings() {
		all = append(all, f.Message)
	}
	assert.Contains(t, all, `artifact tenant-a/web: the names "sen\u0303or.yaml" and "se\u00f1or.yaml" look alike, their accents are encoded differently`)
	files := held(t, a)
	assert.Equal(t, "a", files["m/"+nfc], "both stay, as different bytes")
	assert.Equal(t, "b", files["m/"+nfd])
}

func TestNamesThatNobodyCouldUnpack(t *testing.T) {
	for name, bad := range map[string]bool{
		`a\b`: true, "a\nb": true, "x../y": true, "..x/y": false, "x..": false, "...": false, "Icon\r": false, "a/..data": false,
	} {
		a, rep := buildOps(memory(map[string]string{"m/" + name: ""}), nil, everything)
		assert.Equal(t, bad, a == nil, name)
		if bad {
			assert.Equal(t, []string{"error artifact-file-name"}, codes(rep), name)
			assert.NotEmpty(t, rep.Findings()[0].Pos.File)
		}
	}
}

func TestExecutableIsKept(t *testing.T) {
	tree := source.Memory(".", map[string]source.Content{"run.sh": {Executable: true}, "x": {}})
	a, _ := buildOps(tree, nil, everything)
	require.NotNil(t, a)
	content, err := treeOf(a).ReadFile("run.sh", 10)
	require.NoError(t, err)
	assert.True(t, content.Executable)
	assert.True(t, bytes.Contains(gunzip(t, archiveOf(t, a)), []byte("0000700\x00")))
}

// A tenant has as many files as he likes, but not as many findings.
func TestBuildReportsTwentyOfEachMistake(t *testing.T) {
	files := map[string]string{}
	for i := range 25 {
		files[fmt.Sprintf("d/%02d.yaml", i)] = "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n"
		files[fmt.Sprintf("d/%02d\\", i)] = ""
		files[fmt.Sprintf("d/%02d-e\u0301", i)] = ""
		files[fmt.Sprintf("d/%02d-\u00e9", i)] = ""
	}
	a, rep := buildOps(memory(files), nil, opFields{From: "@repo/d", To: "@artifact/"})
	assert.Nil(t, a)
	counts, rests := map[string]int{}, 0
	for _, f := range rep.Findings() {
		counts[f.Code]++
		if f.Message == "5 more like this in artifact tenant-a/web" {
			rests++
		}
	}
	assert.Equal(t, map[string]int{"artifact-namespace": 21, "artifact-file-name": 21, "artifact-unicode-twins": 21}, counts)
	assert.Equal(t, 3, rests)
}
