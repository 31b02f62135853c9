package krm

import (
	"strings"
	"testing"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestResults(t *testing.T) {
	namespace := Identity{"", "Namespace", "", "tenant-a"}
	generator := Identity{"source.extensions.fluxcd.io", "ArtifactGenerator", "apps", "monorepo"}
	for name, tc := range map[string]struct {
		finding Finding
		want    string
	}{
		"a tenant's file": {
			Finding{Error, "bad-label", Pos{File: "tenants/a/x.yaml", Line: 7, Column: 5, Field: "metadata.labels.a"}, "must be a string", "write \"1\"", ""},
			`- message: "tenants/a/x.yaml:7:5: metadata.labels.a: must be a string (write \"1\") [bad-label]"
  severity: error
  file:
    path: tenants/a/x.yaml
  tags:
    code: "bad-label"
    column: "5"
    line: "7"
    source: "provision-tenants"
`,
		},
		"an item": {
			Finding{Warning, "odd", Pos{File: "gen.yaml", Index: 2, Object: generator, APIVersion: "source.extensions.fluxcd.io/v1beta1", Field: "spec.x[0]"}, "looks odd", "", ""},
			`- message: "gen.yaml: looks odd [odd]"
  severity: warning
  resourceRef:
    apiVersion: source.extensions.fluxcd.io/v1beta1
    kind: ArtifactGenerator
    name: monorepo
    namespace: apps
  field:
    path: "spec.x[0]"
  file:
    path: gen.yaml
    index: 2
  tags:
    code: "odd"
    source: "provision-tenants"
`,
		},
		"an object of the core group": {
			Finding{Info, "told", Pos{Object: namespace}, "told\nyou\u2028so\u0085", "", ""},
			`- message: "told you so  [told]"
  severity: info
  resourceRef:
    apiVersion: v1
    kind: Namespace
    name: tenant-a
  tags:
    code: "told"
    source: "provision-tenants"
`,
		},
		"an object of unknown version": {
			Finding{Safeguard, "stop", Pos{Object: generator, Field: "spec"}, "stopped", "confirm", ""},
			`- message: "ArtifactGenerator apps/monorepo: spec: stopped (confirm) [stop]"
  severity: error
  tags:
    code: "stop"
    source: "provision-tenants"
`,
		},
		"nowhere": {
			Finding{Info, "told", Pos{}, "no \xff UTF-8", "", ""},
			"- message: \"no \ufffd UTF-8 [told]\"\n  severity: info\n  tags:\n    code: \"told\"\n    source: \"provision-tenants\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := string(appendResult(nil, newResult(tc.finding)))
			assert.Equal(t, tc.want, text)
			var results fn.Results
			require.NoError(t, yaml.UnmarshalStrict([]byte(text), &results))
		})
	}
}

func TestFindingString(t *testing.T) {
	f := Finding{Error, "bad-label", Pos{File: "x.yaml", Line: 7, Column: 5, Field: "a.b"}, "must\r\nbe a string", "quote it", ""}
	assert.Equal(t, "x.yaml:7:5: a.b: must  be a string (quote it) [bad-label]", f.String())
	assert.Equal(t, "nothing [c]", Finding{Code: "c", Message: "nothing"}.String())
}

func TestRenderReplacesOurResults(t *testing.T) {
	others := "- message: theirs # why\n  severity: info\n- message: untagged\n  tags:\n    code: some-code\n"
	ours := string(appendResult(nil, newResult(Finding{Error, "old-code", Pos{}, "old", "", ""})))
	findings := []Finding{{Info, "new-code", Pos{}, "new", "", ""}}
	now := string(appendResult(nil, newResult(findings[0])))
	const empty = header1 + "items: []\n"
	for name, tc := range map[string]struct {
		results  string
		findings []Finding
		want     string
	}{
		"none":              {"", nil, empty},
		"ours come":         {"", findings, empty + "results:\n" + now},
		"ours go":           {"results:\n" + ours, nil, empty},
		"ours change":       {"results:\n" + ours, findings, empty + "results:\n" + now},
		"theirs stay":       {"results:\n" + others, nil, empty + "results:\n" + others},
		"theirs come first": {"results:\n" + ours + others, findings, empty + "results:\n" + others + now},
		"only theirs left":  {"results:\n" + ours + others, nil, empty + "results:\n" + others},
		"null":              {"results: null\n", nil, empty},
		"empty":             {"results: []\n", findings, empty + "results:\n" + now},
	} {
		t.Run(name, func(t *testing.T) {
			once := rendered(mustRead(t, header1+"items: []\n"+tc.results), nil, nil, tc.findings)
			assert.Equal(t, tc.want, string(once))
			again := rendered(mustRead(t, string(once)), nil, nil, tc.findings)
			assert.Equal(t, string(once), string(again))
		})
	}
}

// Whatever a finding says, hosts get something that a person can read.
func TestResultsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	pos := Pos{File: long, Object: Identity{Group: long, Kind: long, Namespace: long, Name: long}, APIVersion: long, Field: "spec"}
	text := string(appendResult(nil, newResult(Finding{Error, "some-code", pos, long, long, ""})))
	assert.Less(t, len(text), 32<<10)
}
