package tenant

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

const fileHead = "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata:\n"

// generator is what the configuration of a test says.
type generator struct {
	pattern, namespace  string
	common              Metadata
	allowedNames        []string
	path                string
	labels, annotations m
	from                []OperationFields
	reserved            int
	// name is the template of the artifact's name; "" is `{module}`.
	name string
}

// provision runs all stages of the package over a tree.
func (g generator) provision(t testing.TB, files *source.Tree, rep *krm.Report) []Tenant {
	t.Helper()
	p := pattern(t, g.pattern)
	f := PolicyFields{
		Common: g.common, Captures: p.Captures(), Own: "flux-system",
		Namespaces: []krm.Template{template(t, g.namespace)}, Metadata: &MetadataFields{From: g.from},
	}
	for i, expression := range g.allowedNames {
		f.AllowedNames = append(f.AllowedNames, at(fmt.Sprintf("allowedNames[%d]", i), expression))
	}
	if g.path != "" {
		f.Metadata.FromSource = fromSource(g.path, g.labels, g.annotations)
	}
	if len(g.from) == 0 && g.path == "" {
		f.Metadata = nil
	}
	require.True(t, CheckCommon(g.common, rep), "%v", rep.Findings())
	policy, ok := NewPolicy(f, rep)
	require.True(t, ok, "%v", rep.Findings())
	artifacts := []Names{{Name: template(t, cmp.Or(g.name, "{module}")), Namespace: template(t, g.namespace)}}
	tenants := policy.Admit(Resolve(files, p, discover(files, p, rep), artifacts, "flux-system", rep), rep)
	policy.Metadata(map[string]*source.Tree{p.Alias(): files}, tenants, func(*Tenant) int { return g.reserved }, rep)
	return tenants
}

// workedExample is the generator of the worked example.
func workedExample() generator {
	return generator{
		pattern: examplePattern, namespace: "{namespace}", path: metadataPath,
		common:       Metadata{Labels: strs("commonMetadata.labels", m{"my.org.io/provisioner": "monorepo"})},
		allowedNames: []string{"ns.startsWith('tenant-')"},
		annotations:  m{"my.org.io/observability": "value.matches('^(Enabled|Disabled)$')"},
		from: []OperationFields{
			operation("Merge", "*", m{"tier": "standard"}, nil),
			operation("Override", "tenant-b", m{"tier": "gold"}, nil),
		},
	}
}

func exampleTree(more ...string) *source.Tree {
	return tree(append([]string{
		"tenants/tenant-a/namespace-metadata.yaml=" + fileHead + "  annotations:\n    my.org.io/observability: Enabled\n",
		"tenants/tenant-a/modules/web/applier-inputs.yaml=x: 1\n", "tenants/tenant-a/modules/web/manifests/cm.yaml=x",
		"tenants/tenant-b/modules/web/applier-inputs.yaml=x: 1\n", "tenants/tenant-b/modules/web/manifests/cm.yaml=x",
		"tenants/README.md=x",
	}, more...)...)
}

func TestWorkedExample(t *testing.T) {
	var rep krm.Report
	got := workedExample().provision(t, exampleTree(), &rep)
	assert.Empty(t, rep.Findings())
	require.Len(t, got, 2)
	assert.Equal(t, m{"my.org.io/provisioner": "monorepo", "tier": "standard"}, got[0].Labels)
	assert.Equal(t, m{"my.org.io/observability": "Enabled"}, got[0].Annotations)
	assert.Equal(t, "sha256:8661b2e5388c07f98f8d9d236aab668d36677b5ded858288add7cffebf4c49dc", Digest(got[0].Labels, got[0].Annotations))
	assert.Equal(t, m{"my.org.io/provisioner": "monorepo", "tier": "gold"}, got[1].Labels)
	assert.Empty(t, got[1].Annotations)
	assert.Equal(t, "sha256:e1b49f87efac51d9804ae1d4ceeacf1fa8fea54835c4ac43c9175349351fdc10", Digest(got[1].Labels, got[1].Annotations))
	assert.Equal(t, []string{"tenant-a (tenants/tenant-a): web", "tenant-b (tenants/tenant-b): web"}, summary(got))
}

func TestWorkedExampleMustFail(t *testing.T) {
	const finalizerEntry = "source.extensions.fluxcd.io/externalFinalizer"
	trees := map[string]struct {
		more []string
		code string
		at   string
	}{
		"kube-system":     {[]string{"tenants/kube-system/modules/x/"}, "namespace-reserved", "repo/tenants/kube-system"},
		"not admitted":    {[]string{"tenants/team-x/modules/x/"}, "namespace-not-allowed", "repo/tenants/team-x"},
		"case twin":       {[]string{"tenants/Tenant-A/modules/y/"}, "namespace-collision", "repo/tenants/tenant-a"},
		"value of a rule": {[]string{"tenants/tenant-a/namespace-metadata.yaml=" + fileHead + "  annotations:\n    my.org.io/observability: enabled\n"}, "metadata-value-refused", "repo/tenants/tenant-a/namespace-metadata.yaml:5:30"},
	}
	for name, test := range trees {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			workedExample().provision(t, exampleTree(test.more...), &rep)
			f := the(t, &rep, test.code)
			assert.Equal(t, krm.Error, f.Severity)
			assert.Equal(t, test.at, f.Pos.Place())
			assert.Len(t, errs(&rep), 1)
		})
	}
	for name, metadata := range map[string]Metadata{
		"annotation": {Annotations: strs("commonMetadata.annotations", m{finalizerEntry: "g/v1/K/n/n/u"})},
		"label":      {Labels: strs("commonMetadata.labels", m{finalizerEntry: "x"})},
	} {
		var rep krm.Report
		assert.False(t, CheckCommon(metadata, &rep), name)
		the(t, &rep, "metadata-forbidden-key")
	}
}

func TestWorkedExampleMustSucceed(t *testing.T) {
	t.Run("a key that no allow-list names", func(t *testing.T) {
		var rep krm.Report
		got := workedExample().provision(t, exampleTree("tenants/tenant-b/namespace-metadata.yaml="+fileHead+
			"  labels:\n    pod-security.kubernetes.io/enforce: privileged\n"), &rep)
		assert.Equal(t, m{"my.org.io/provisioner": "monorepo", "tier": "gold"}, got[1].Labels)
		assert.Equal(t, []string{
			"metadata-key-ignored repo/tenants/tenant-b/namespace-metadata.yaml:5:5: metadata.labels[\"pod-security.kubernetes.io/enforce\"]: the label \"pod-security.kubernetes.io/enforce\" is ignored, no allow-list names it",
		}, warnings(&rep))
		assert.False(t, rep.Failed())
	})
	t.Run("text that Flux would substitute", func(t *testing.T) {
		var rep krm.Report
		g := workedExample()
		g.annotations = m{"my.org.io/observability": "value.size() < 100"}
		got := g.provision(t, exampleTree("tenants/tenant-a/namespace-metadata.yaml="+fileHead+"  annotations: {my.org.io/observability: '${x}'}\n"), &rep)
		assert.Equal(t, "${x}", got[0].Annotations["my.org.io/observability"])
		assert.Empty(t, rep.Findings())
	})
	t.Run("an operation for a namespace that is not there", func(t *testing.T) {
		var rep krm.Report
		g := workedExample()
		g.from = append(g.from, operation("Override", "tenant-c", m{"tier": "x"}, nil))
		got := g.provision(t, exampleTree(), &rep)
		assert.Len(t, got, 2)
		assert.Equal(t, []string{"from-unmatched from[0].namespace: no directory asks for the namespace \"tenant-c\", the operation does nothing"}, infos(&rep))
		assert.Len(t, rep.Findings(), 1)
	})
}

func TestPipeline(t *testing.T) {
	common := Metadata{Labels: strs("common", m{"a": "common", "b": "common"}), Annotations: strs("common", m{"n": "common"})}
	tests := map[string]struct {
		from                []OperationFields
		labels, annotations m
	}{
		"none":                    {nil, m{"a": "file", "b": "common"}, m{"n": "common"}},
		"override":                {[]OperationFields{operation("Override", "*", m{"a": "x", "c": "x"}, m{"o": "x"})}, m{"a": "x", "b": "common", "c": "x"}, m{"n": "common", "o": "x"}},
		"merge adds only":         {[]OperationFields{operation("Merge", "*", m{"a": "x", "c": "x"}, m{"n": "x"})}, m{"a": "file", "b": "common", "c": "x"}, m{"n": "common"}},
		"reset":                   {[]OperationFields{operation("Reset", "*", nil, nil)}, m{}, m{}},
		"reset with its own":      {[]OperationFields{operation("Reset", "t", m{"a": "x"}, nil)}, m{"a": "x"}, m{}},
		"for another":             {[]OperationFields{operation("Reset", "u", nil, nil)}, m{"a": "file", "b": "common"}, m{"n": "common"}},
		"list order, not closest": {[]OperationFields{operation("Override", "t", m{"a": "named"}, nil), operation("Override", "*", m{"a": "any"}, nil)}, m{"a": "any", "b": "common"}, m{"n": "common"}},
		"empty is a value":        {[]OperationFields{operation("Override", "*", m{"a": ""}, nil), operation("Merge", "*", m{"a": "x"}, nil)}, m{"a": "", "b": "common"}, m{"n": "common"}},
		"reset, then more":        {[]OperationFields{operation("Override", "*", m{"z": "x"}, nil), operation("Reset", "*", nil, m{"n": "r"}), operation("Merge", "*", m{"a": "x"}, m{"n": "x"})}, m{"a": "x"}, m{"n": "r"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			g := generator{
				pattern: "@repo/{namespace}/{module}", namespace: "{namespace}", path: "@repo/{namespace}/meta.yaml",
				common: common, allowedNames: []string{"ns != ''"}, labels: m{"a": "value == 'file'"}, from: test.from,
			}
			got := g.provision(t, tree("t/m/", "t/meta.yaml="+fileHead+"  labels: {a: file}\n", "v/m/"), &rep)
			assert.False(t, rep.Failed(), "%v", rep.Findings())
			assert.Equal(t, test.labels, got[0].Labels)
			assert.Equal(t, test.annotations, got[0].Annotations)
			assert.Equal(t, m{"a": "common", "b": "common"}, texts(common.Labels), "what is shared does not change")
		})
	}
}

func TestReplacedCommonMetadata(t *testing.T) {
	g := generator{
		pattern: "@repo/{namespace}/{module}", namespace: "{namespace}", path: "@repo/{namespace}/meta.yaml", allowedNames: []string{"ns != ''"},
		common: Metadata{Labels: strs("common", m{"team": "platform"})}, labels: m{"team": "value != ''"},
	}
	var rep krm.Report
	got := g.provision(t, tree("a/m/", "a/meta.yaml="+fileHead+"  labels:\n    team: blue\n", "b/m/", "b/meta.yaml="+fileHead+"  labels: {team: platform}\n"), &rep)
	assert.Equal(t, m{"team": "blue"}, got[0].Labels)
	f := the(t, &rep, "metadata-replaced")
	assert.Equal(t, krm.Warning, f.Severity)
	assert.Equal(t, "repo/a/meta.yaml:5:11", f.Pos.Place())
	assert.Equal(t, "the label \"team\" is \"blue\" here and replaces \"platform\" of `spec.commonMetadata`", f.Message)
	the(t, &rep, "allow-list-common-key")
	assert.False(t, rep.Failed())
}

// read runs one file through a policy that allows the labels l and team, and
// the annotations note and url.
func read(t testing.TB, text string, rep *krm.Report) Tenant {
	t.Helper()
	g := generator{
		pattern: "@repo/{namespace}/{module}", namespace: "{namespace}", path: "@repo/{namespace}/meta.yaml", allowedNames: []string{"ns != ''"},
		labels: m{"l": "value != 'no'", "team": "value in ['red', 'blue']"}, annotations: m{"note": "value != 'no'", "url": "value.split('/')[2] != ''"},
	}
	got := g.provision(t, tree("t/m/", "t/meta.yaml="+text), rep)
	require.Len(t, got, 1)
	return got[0]
}

func TestFileGood(t *testing.T) {
	tests := map[string]struct {
		text                string
		labels, annotations m
	}{
		"both":          {fileHead + "  labels: {l: x}\n  annotations: {note: \"y: z\"}\n", m{"l": "x"}, m{"note": "y: z"}},
		"name":          {fileHead + "  name: t\n  labels: {l: x}\n", m{"l": "x"}, m{}},
		"null maps":     {fileHead + "  labels: null\n  annotations: ~\n", m{}, m{}},
		"empty maps":    {fileHead + "  labels: {}\n  annotations: {}\n", m{}, m{}},
		"no metadata":   {"apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\n", m{}, m{}},
		"null metadata": {fileHead, m{}, m{}},
		"quoted":        {fileHead + "  labels: {l: \"yes\"}\n  annotations: {note: \"0042\"}\n", m{"l": "yes"}, m{"note": "0042"}},
		"empty value":   {fileHead + "  labels: {l: \"\"}\n", m{"l": ""}, m{}},
		"CRLF and BOM":  {"\ufeff" + strings.ReplaceAll(fileHead+"  labels:\n    l: x\n", "\n", "\r\n"), m{"l": "x"}, m{}},
		"comment first": {"# ticket 123\n---\n" + fileHead + "  labels: {l: x}\n", m{"l": "x"}, m{}},
		"alias":         {fileHead + "  labels: {l: &v x}\n  annotations: {note: *v}\n", m{"l": "x"}, m{"note": "x"}},
		"local-config":  {fileHead + "  annotations: {config.kubernetes.io/local-config: \"true\", note: x}\n", m{}, m{"note": "x"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			got := read(t, test.text, &rep)
			assert.Empty(t, rep.Findings())
			assert.Equal(t, test.labels, got.Labels)
			assert.Equal(t, test.annotations, got.Annotations)
		})
	}
}

func TestFileMistakes(t *testing.T) {
	tests := map[string]struct {
		text, code, at, message, hint string
	}{
		"list":            {"- a\n", "metadata-file-type", "1:1", "must hold one NamespaceMetadata object", ""},
		"wrong kind":      {"apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: Namespace\nmetadata: {}\n", "metadata-file-type", "2:7", "`kind` must be \"NamespaceMetadata\", found \"Namespace\"", ""},
		"wrong version":   {"apiVersion: v1\nkind: NamespaceMetadata\n", "metadata-file-type", "1:13", "`apiVersion` must be", "source.extensions.fluxcd.io/v1beta1"},
		"no kind":         {"apiVersion: source.extensions.fluxcd.io/v1beta1\n", "metadata-file-type", "1:1", "`kind` is missing", "write `kind: NamespaceMetadata`"},
		"two documents":   {fileHead + "  labels: {}\n---\n" + fileHead, "yaml-multiple-documents", "6:1", "second YAML document", ""},
		"unknown field":   {fileHead + "  lables: {l: x}\n", "metadata-file-field", "4:3", "unknown field \"lables\"", "did you mean `labels`?"},
		"unknown at root": {fileHead + "spec: {}\n", "metadata-file-field", "4:1", "unknown field \"spec\"", "the fields are"},
		"namespace":       {fileHead + "  namespace: t\n", "metadata-file-field", "4:3", "unknown field \"namespace\"", "a namespace is in no namespace"},
		"other name":      {fileHead + "  name: u\n", "metadata-file-name", "4:9", "`metadata.name` is \"u\", the directory asks for the namespace \"t\"", "leave it out or write \"t\""},
		"number as name":  {fileHead + "  name: 1\n", "metadata-file-name", "4:9", "`metadata.name` must be a string", "leave it out or write \"t\""},
		"metadata a list": {"apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata: [a]\n", "metadata-file-type", "3:11", "`metadata` must be a map", ""},
		"labels a list":   {fileHead + "  labels: [a]\n", "metadata-file-type", "4:11", "labels must be a map", ""},
		"duplicate key":   {fileHead + "  labels: {l: a, l: b}\n", "yaml-duplicate-key", "4:18", "\"l\" is there twice", ""},
		"bool":            {fileHead + "  labels:\n    l: false\n", "metadata-not-string", "5:8", "the value of \"l\" must be a string, it is the boolean false", "write it in quotes: \"false\""},
		"integer":         {fileHead + "  labels: {l: 8799195}\n", "metadata-not-string", "4:15", "it is the number \"8799195\"", "write the value in quotes"},
		"not allowed int": {fileHead + "  labels: {a: 1}\n", "metadata-not-string", "4:15", "the value of \"a\" must be a string", ""},
		"null":            {fileHead + "  annotations:\n    note:\n", "metadata-not-string", "", "the value of \"note\" must be a string, it is null", "write \"\""},
		"map value":       {fileHead + "  annotations: {note: {a: b}}\n", "metadata-not-string", "4:23", "a list or a map", ""},
		"yes":             {fileHead + "  labels: {l: yes}\n", "metadata-not-string", "4:15", "YAML 1.1 reads it as the boolean true", "write it in quotes: \"yes\""},
		"leading zero":    {fileHead + "  labels: {l: 0042}\n", "metadata-not-string", "4:15", "it is the number \"42\", for YAML 1.1 the integer 34", "quotes"},
		"hexadecimal":     {fileHead + "  labels: {l: 0x1F}\n", "metadata-not-string", "4:15", "it is the number \"31\"", "write the value in quotes"},
		"commit":          {fileHead + "  labels: {l: 12e4567}\n", "metadata-not-string", "4:15", "it is the number", "write the value in quotes"},
		"too many":        {fileHead + "  labels:\n" + manyLabels(1001), "metadata-file-type", "5:5", "there are 1001 labels, at most 1000 are allowed", ""},
		"time":            {fileHead + "  annotations: {note: 12:30:45}\n", "metadata-not-string", "4:23", "YAML 1.1 reads it as", "\"12:30:45\""},
		"date":            {fileHead + "  annotations: {note: 2031-04-01}\n", "metadata-not-string", "4:23", "a timestamp", ""},
		"label syntax":    {fileHead + "  labels: {l: \"a b\"}\n", "metadata-value-syntax", "4:15", "the label \"l\" cannot be \"a b\": a label value must not contain ' ' (character 2)", ""},
		"label length":    {fileHead + "  labels: {l: " + strings.Repeat("v", 64) + "}\n", "metadata-value-syntax", "4:15", "at most 63 characters, this one has 64", ""},
		"rule":            {fileHead + "  annotations: {note: \"no\"}\n", "metadata-value-refused", "4:23", "the annotation \"note\" cannot be \"no\": the rule \"value != 'no'\" is false", ""},
		"rule that fails": {fileHead + "  annotations: {url: x}\n", "metadata-value-refused", "4:22", "the rule \"value.split('/')[2] != ''\" failed: index out of bounds", ""},
		"did you mean":    {fileHead + "  labels: {team: Red}\n", "metadata-value-refused", "4:18", "cannot be \"Red\"", "did you mean \"red\"? use one of \"blue\", \"red\""},
		"accepted values": {fileHead + "  labels: {team: green-team}\n", "metadata-value-refused", "4:18", "", "use one of \"blue\", \"red\""},
		"encrypted":       {"\x00GITCRYPT\x00abc", "yaml-encoding", "1:1", "git-crypt", ""},
		"not YAML":        {fileHead + "  labels: {l: x\n", "yaml-syntax", "", "", ""},
		"too large":       {strings.Repeat("#", 1<<20+1), "metadata-file-unreadable", "", "it has 1048577 bytes", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			got := read(t, test.text, &rep)
			f := the(t, &rep, test.code)
			assert.Equal(t, krm.Error, f.Severity)
			if test.at != "" {
				assert.Equal(t, "repo/t/meta.yaml:"+test.at, f.Pos.Place())
			}
			assert.Contains(t, f.Pos.Place(), "repo/t/meta.yaml")
			assert.Contains(t, f.Message, test.message)
			assert.Contains(t, f.Hint, test.hint)
			assert.Empty(t, got.Labels["l"], "what is wrong is never taken")
		})
	}
}

func manyLabels(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "    k%d: x\n", i)
	}
	return b.String()
}

func TestFileReportsEveryMistakeAndKeepsTheRest(t *testing.T) {
	var rep krm.Report
	got := read(t, fileHead+"  name: x\n  labels: {l: good, team: pink, shot: 1}\n  annotations: {note: , url: true}\n  extra: 1\n", &rep)
	assert.Len(t, errs(&rep), 6)
	assert.Equal(t, m{"l": "good"}, got.Labels, "one bad key does not take the others with it")
}

func TestFileEmptyIsAnInfo(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "comments": "# nothing yet\n", "marker": "---\n"} {
		var rep krm.Report
		got := read(t, text, &rep)
		f := the(t, &rep, "metadata-file-empty")
		assert.Equal(t, krm.Info, f.Severity, name)
		assert.Equal(t, "repo/t/meta.yaml", f.Pos.Place())
		assert.Empty(t, got.Labels)
	}
}

func TestFileKeysThatTenantsMayNotSet(t *testing.T) {
	control := []string{
		"config.kubernetes.io/local-config", "kustomize.config.k8s.io/needs-hash", "kustomize.config.k8s.io/behavior", "internal.config.kubernetes.io/path",
		"kustomize.toolkit.fluxcd.io/prune", "source.extensions.fluxcd.io/externalFinalizer", "provision-tenants.fn.kpt.dev/owner",
		"kubectl.kubernetes.io/last-applied-configuration", "app.kubernetes.io/managed-by", "helm.sh/resource-policy",
	}
	for _, key := range control {
		for _, what := range []string{"labels", "annotations"} {
			var rep krm.Report
			got := read(t, fileHead+"  "+what+":\n    "+key+": x\n    other: x\n", &rep)
			f := the(t, &rep, "metadata-control-key")
			assert.Equal(t, krm.Warning, f.Severity, key)
			assert.Equal(t, "repo/t/meta.yaml:5:5", f.Pos.Place())
			assert.Empty(t, got.Labels)
			assert.Empty(t, got.Annotations)
			assert.Equal(t, "repo/t/meta.yaml:6:5", the(t, &rep, "metadata-key-ignored").Pos.Place())
			assert.False(t, rep.Failed())
		}
	}
	var rep krm.Report
	read(t, fileHead+"  labels: {config.kubernetes.io/local-config: \"true\"}\n", &rep)
	the(t, &rep, "metadata-control-key") // the marker is an annotation
}

func TestFileHintsForIgnoredKeys(t *testing.T) {
	for text, hint := range map[string]string{
		"  labels: {note: x}\n":   "it is allowed as an annotation",
		"  annotations: {l: x}\n": "it is allowed as a label",
		"  labels: {tem: x}\n":    "did you mean \"team\"?",
		"  labels: {zzzzz: x}\n":  "",
	} {
		var rep krm.Report
		read(t, fileHead+text, &rep)
		assert.Equal(t, hint, the(t, &rep, "metadata-key-ignored").Hint, text)
	}
}

func TestFileOddCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"\u201chttps://wiki\u201c": "the typographic quote U+201C", "a\u00a0b": "U+00A0, a space that is not the usual one", "a\u200bb": "U+200B, which has no width",
		"a\u202eb": "U+202E, which changes the direction of the text",
	} {
		var rep krm.Report
		got := read(t, fileHead+"  annotations: {note: \""+text+"\"}\n", &rep)
		assert.Equal(t, text, got.Annotations["note"], "kept: it is data")
		assert.Equal(t, "the annotation \"note\" holds "+want, the(t, &rep, "metadata-odd-character").Message)
		assert.False(t, rep.Failed())
	}
	var rep krm.Report
	read(t, fileHead+"  annotations: {note: \"señor 日本「語」 – …\"}\n", &rep)
	assert.Empty(t, rep.Findings())
}

func TestFileMustBeAFile(t *testing.T) {
	g := generator{
		pattern: "@repo/{namespace}/{module}", namespace: "{namespace}", path: "@repo/{namespace}/meta.yaml", allowedNames: []string{"ns != ''"}, labels: m{"l": "value != ''"},
	}
	var rep krm.Report
	g.provision(t, tree("t/m/", "t/meta.yaml/"), &rep)
	assert.Equal(t, "cannot read the NamespaceMetadata of the namespace \"t\": it is not a regular file", the(t, &rep, "metadata-file-unreadable").Message)

	rep = krm.Report{}
	g.path = "@repo/{namespace}/conf/meta.yaml"
	g.provision(t, tree("t/m/", "t/conf=a file"), &rep)
	assert.Empty(t, errs(&rep), "there is nothing below a file")

	root := t.TempDir()
	for _, dir := range []string{"file/m", "file/conf", "dir/m", "secret"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "secret/meta.yaml"), []byte(fileHead+"  labels: {l: stolen}\n"), 0o600))
	require.NoError(t, os.Symlink("../../secret/meta.yaml", filepath.Join(root, "file/conf/meta.yaml")))
	require.NoError(t, os.Symlink("../secret", filepath.Join(root, "dir/conf")))
	rep = krm.Report{}
	for _, tenant := range g.provision(t, open(t, root), &rep) {
		assert.Empty(t, tenant.Labels, "never through a link")
	}
	assert.Equal(t, []string{
		`metadata-file-unreadable repo/dir/conf: cannot read the NamespaceMetadata of the namespace "dir": it is a link, and links are never followed`,
		`metadata-file-unreadable repo/file/conf/meta.yaml: cannot read the NamespaceMetadata of the namespace "file": it is a link, and links are never followed`,
	}, errs(&rep))
}

func TestAnnotationLimit(t *testing.T) {
	g := generator{
		pattern: "@repo/{namespace}/{module}", namespace: "{namespace}", path: "@repo/{namespace}/meta.yaml", allowedNames: []string{"ns != ''"},
		annotations: m{"k": "value != ''"}, common: Metadata{Annotations: strs("common", m{"common": "12345678901234"})},
	}
	text := func(size int) string {
		return fileHead + "  annotations:\n    k: \"" + strings.Repeat("x", size-1) + "\"\n"
	}
	for _, test := range []struct {
		size, reserved int
		fails          bool
	}{{262144 - 20, 0, false}, {262144 - 19, 0, true}, {262144 - 120, 100, false}, {262144 - 119, 100, true}} {
		var rep krm.Report
		g.reserved = test.reserved
		g.provision(t, tree("t/m/", "t/meta.yaml="+text(test.size)), &rep)
		assert.Equal(t, test.fails, rep.Failed(), "%d and %d", test.size, test.reserved)
		if !test.fails {
			continue
		}
		f := the(t, &rep, "annotations-too-large")
		assert.Equal(t, "repo/t/meta.yaml:5:8", f.Pos.Place(), "the file with the largest one")
		assert.Contains(t, f.Message, "have 262145 bytes")
		assert.Contains(t, f.Message, fmt.Sprintf(`the largest are "k" with %d, "common" with 20`, test.size))
	}
}

func FuzzNamespaceMetadata(f *testing.F) {
	for _, text := range []string{
		"", fileHead, fileHead + "  labels: {l: x, team: red}\n", fileHead + "  annotations: {config.kubernetes.io/local-config: \"true\"}\n",
		fileHead + "  labels: {a: 1}\n", fileHead + "  labels: &a {l: *a}\n", fileHead + "  annotations: {note: \"${x}\"}\n---\n", "a: &a [*a]\n",
		fileHead + "  labels: {l: yes, kpt.dev/x: y}\n", "\xff\xfe", "{", "\ufeff" + fileHead, fileHead + "  name: t\n  namespace: t\n",
	} {
		f.Add([]byte(text))
	}
	path, _ := krm.ParseTemplate(krm.Str{Text: "t/meta.yaml"}, &krm.Report{})
	anything, _ := ParseRule(krm.Str{Text: "true"}, "value", &krm.Report{})
	from := &FromSource{Path: path, Labels: map[string]Rule{"l": anything, "team": anything}, Annotations: map[string]Rule{"note": anything}}
	f.Fuzz(func(t *testing.T, data []byte) {
		var rep krm.Report
		files := source.Memory("repo", map[string]source.Content{"t/meta.yaml": {Data: data}})
		got := from.read(files, &Tenant{Namespace: "t"}, &rep)
		for key, value := range got.Labels {
			if from.Labels[key].compiled == nil || IsControl(key) || labelValueProblem(value.Text) != "" {
				t.Fatalf("label %q: %q", key, value.Text)
			}
		}
		for key := range got.Annotations {
			if from.Annotations[key].compiled == nil || IsControl(key) {
				t.Fatalf("annotation %q", key)
			}
		}
		for _, finding := range rep.Findings() {
			if finding.Pos.File != "repo/t/meta.yaml" || len(finding.Message) > 1000 {
				t.Fatalf("finding %+v", finding)
			}
		}
	})
}

func BenchmarkFleet(b *testing.B) {
	var files []string
	for i := range 1500 {
		dir := fmt.Sprintf("tenants/tenant-%04d/", i)
		files = append(files, dir+"namespace-metadata.yaml="+fileHead+"  annotations:\n    my.org.io/observability: Enabled\n",
			dir+"modules/a/", dir+"modules/b/", dir+"modules/c/")
	}
	slices.Sort(files)
	fleet := tree(files...)
	for b.Loop() {
		var rep krm.Report
		if got := workedExample().provision(b, fleet, &rep); len(got) != 1500 {
			b.Fatal(len(got), rep.Findings())
		}
	}
}
