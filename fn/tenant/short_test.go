package tenant

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// size is what the findings take, without the paths of files.
func size(rep *krm.Report) int {
	total := 0
	for _, f := range rep.Findings() {
		total += len(f.Pos.Field) + len(f.Message) + len(f.Hint)
	}
	return total
}

// TestFindingsAreShort has a tenant write what is as large as can be.
func TestFindingsAreShort(t *testing.T) {
	large, key := strings.Repeat("v", 900<<10), strings.Repeat("k", 900)
	tests := map[string]struct{ text, code string }{
		"value":                       {fileHead + "  annotations:\n    note: " + large + "\n", "metadata-value-syntax"},
		"value in quotes":             {fileHead + "  annotations:\n    note: \"" + large + "\"\n", "metadata-value-syntax"},
		"value of a label":            {fileHead + "  labels:\n    l: " + large + "\n", "metadata-value-syntax"},
		"value that a rule refuses":   {fileHead + "  annotations:\n    deny: " + large[:200<<10] + "\n", "metadata-value-refused"},
		"value that a rule fails for": {fileHead + "  annotations:\n    time: " + large[:200<<10] + "\n", "metadata-value-refused"},
		"value nobody allows":         {fileHead + "  annotations:\n    other: " + large + "\n", "metadata-key-ignored"},
		"key":                         {fileHead + "  annotations:\n    ? " + key + "\n    : x\n", "metadata-key-ignored"},
		"key of a label":              {fileHead + "  labels:\n    ? " + key + "\n    : x\n", "metadata-key-ignored"},
		"key, no string":              {fileHead + "  labels:\n    ? " + key + "\n    : 1\n", "metadata-not-string"},
		"key, too long":               {fileHead + "  labels:\n    ? " + large + "\n    : x\n", "yaml-key-length"},
		"control key":                 {fileHead + "  labels:\n    ? kpt.dev/" + key + "\n    : x\n", "metadata-control-key"},
		"field":                       {fileHead + "  ? " + key + "\n  : x\n", "metadata-file-field"},
		"name":                        {fileHead + "  name: " + large + "\n", "metadata-file-name"},
		"number":                      {fileHead + "  labels: {l: 1" + strings.Repeat("0", 100<<10) + "}\n", "metadata-not-string"},
		"kind":                        {"apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: " + large + "\n", "metadata-file-type"},
	}
	g := generator{
		pattern: "@repo/{namespace}/{module}", namespace: "{namespace}", path: "@repo/{namespace}/meta.yaml", allowedNames: []string{"ns != ''"},
		labels: m{"l": "value != ''"}, annotations: m{"note": "value != ''", "deny": "value == 'x'", "time": "timestamp(value) < timestamp(0)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			g.provision(t, tree("t/m/", "t/meta.yaml="+test.text), &rep)
			the(t, &rep, test.code)
			assert.Less(t, size(&rep), 3000)
		})
	}
}

func TestFindingsAboutDirectoriesAreShort(t *testing.T) {
	long := strings.Repeat("d", 4<<10)
	for name, files := range map[string][]string{
		"capture":      {"t/" + long + "/"},
		"not ASCII":    {"t/" + strings.Repeat("\u00e9", 4<<10) + "/"},
		"not UTF-8":    {"t/" + strings.Repeat("\xff", 4<<10) + "/"},
		"yields none":  {long + "/x="},
		"hidden":       {"t/." + long + "/", "t/x/"},
		"many hidden":  {"t/.1" + long + "/", "t/.2" + long + "/", "t/.3" + long + "/"},
		"nested, long": {long + "/" + long + "/"},
	} {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			p := pattern(t, "@repo/{namespace}/{module}")
			discover(tree(files...), p, &rep)
			assert.NotEmpty(t, rep.Findings())
			assert.Less(t, size(&rep), 3500)
		})
	}
	assert.Less(t, len(pattern(t, "@repo/x").NoMatch(tree(long+"/"))), 500)
	assert.Less(t, len(pattern(t, "@repo/{a}/x").NoMatch(tree(long+"/"))), 500)

	tenant := Tenant{Raw: m{"a": "b"}, Dir: long}
	assert.Less(t, len(tenant.asker()), 500)
}

func TestFindingsAboutRulesAreShort(t *testing.T) {
	var rep krm.Report
	long := strings.Repeat("a", 4000)
	for _, expression := range []string{"'" + long + "'", long + " == ns", "ns.matches('(" + long + "')", "ns.matches('" + long + "')"} {
		ParseRule(at("rule", expression), "ns", &rep)
	}
	require.Len(t, rep.Findings(), 4)
	assert.Less(t, size(&rep), 4*1000)
}
