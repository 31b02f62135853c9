package fn

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// What went wrong for people who do this job, each with the smallest input that
// shows it.

// platform is what a platform team writes. Tests replace parts of it.
const platform = `apiVersion: fn.kpt.dev/v1alpha1
kind: ProvisionTenants
metadata: {name: monorepo}
spec:
  sources:
    - directory: .
  generators:
    - metadata: {name: tenants, namespace: flux-system}
      spec:
        serviceAccountName: flux
        pathPattern: "@repo/tenants/{namespace}/modules/{module}"
        commonMetadata: {labels: {my.org/provisioner: monorepo}}
        sources: [{alias: repo, kind: GitRepository, name: monorepo}]
        artifacts:
          - name: "{module}"
            namespace: "{namespace}"
            copy:
              - {from: "@repo/tenants/{namespace}/modules/{module}/manifests/**", to: "@artifact/"}
        managedNamespaces:
          allowedNames: ["ns.startsWith('tenant-')"]
          prune: true
          metadata:
            fromSource:
              path: "@repo/tenants/{namespace}/namespace-metadata.yaml"
              allowedAnnotations: {my.org/note: value.size() < 1000, my.org/more: value.size() < 1000}
              allowedLabels: {my.org/env: "value in ['dev', 'prod']", my.org/id: value.size() < 64}
`

const (
	metadataHead = "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata:\n"
	manifest     = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n"
	// oneTenant is a path below which a directory of a tenant has to have a file.
	tenantA = "tenants/tenant-a/modules/m/manifests/cm.yaml"
	tenantB = "tenants/tenant-b/modules/m/manifests/cm.yaml"
	fileA   = "tenants/tenant-a/namespace-metadata.yaml"
	inputsA = "tenants/tenant-a/modules/m/applier-inputs.yaml"
	ofA     = "tenants/tenant-a"
)

// with replaces parts of the configuration: pairs of old and new text.
func with(t *testing.T, pairs ...string) string {
	t.Helper()
	config := platform
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, config, pairs[i])
		config = strings.ReplaceAll(config, pairs[i], pairs[i+1])
	}
	return config
}

// withInputs adds inputsFrom.
func withInputs(t *testing.T, pairs ...string) string {
	t.Helper()
	return with(t, append([]string{
		"            copy:\n", "            inputsFrom: \"@repo/tenants/{namespace}/modules/{module}/applier-inputs.yaml\"\n            copy:\n",
	}, pairs...)...)
}

// repo makes a tree in a directory of its own and goes there.
func repo(t *testing.T, files m) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		write(t, ".", name, text)
	}
}

// provision renders a tree.
func provision(t *testing.T, config string, files m) outcome {
	t.Helper()
	repo(t, files)
	return observe(t, wrap([]byte(config)))
}

// renderAgain renders the working directory.
func renderAgain(t *testing.T, config string) outcome {
	t.Helper()
	return observe(t, wrap([]byte(config)))
}

// listOf is a list with items, each a YAML document.
func listOf(config string, items ...string) []byte {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, item := range items {
		b.WriteString("- " + strings.TrimPrefix(indented(item, "  "), "  "))
	}
	if len(items) == 0 {
		b.WriteString("[]\n")
	}
	if config != "" {
		b.WriteString("functionConfig:\n" + indented(config, "  "))
	}
	return []byte(strings.ReplaceAll(b.String(), "items:\n[]", "items: []"))
}

// fails is one case that has to be refused, or warned about.
type fails struct {
	config string
	files  m
	// want are the findings besides infos; says are expressions that stderr has to
	// match.
	want, says []string
}

func (f fails) check(t *testing.T) {
	t.Helper()
	if f.config == "" {
		f.config = platform
	}
	if f.files[tenantA] == "" {
		f.files[tenantA] = manifest
	}
	o := provision(t, f.config, f.files)
	assert.Equal(t, f.want, o.found("error", "warning"), o.stderr)
	for _, says := range f.says {
		assert.Regexp(t, says, o.stderr)
	}
	if slices.ContainsFunc(f.want, func(s string) bool { return strings.HasPrefix(s, "error") }) {
		assert.NotZero(t, o.status)
		assert.Empty(t, o.objects)
	} else {
		assert.Zero(t, o.status, o.stderr)
	}
}

// TestFieldReportFindings are the reports whose right answer is a finding.
func TestFieldReportFindings(t *testing.T) {
	const spec = "spec.generators[0].spec."
	long := strings.Repeat("m", 64)
	for name, test := range map[string]fails{
		"braces are captures only": {
			config: with(t, "pathPattern: \"@repo/tenants", "pathPattern: \"@repo/{dev,prod}"),
			want:   []string{"error capture-syntax " + spec + "pathPattern"}, says: []string{`column 7\b`},
			files: m{},
		},
		"no match names the segment": {
			config: with(t, "@repo/tenants/", "@repo/tenant/"), files: m{},
			want: []string{"error no-match " + spec + "pathPattern"}, says: []string{`"tenant", did you mean "tenants"\?`},
		},
		"unknown field of a copy": {
			config: with(t, `to: "@artifact/"}`, `to: "@artifact/", exlude: [x]}`), files: m{},
			want: []string{"error config-unknown-field " + spec + "artifacts[0].copy[0].exlude"}, says: []string{"did you mean `?exclude`?"},
		},
		"unknown field of the functionConfig": {
			config: with(t, "  sources:\n", "  source:\n"), files: m{},
			want: []string{"error config-unknown-field spec.source"}, says: []string{"did you mean `?sources`?"},
		},
		"a copy that matches nothing": {
			config: with(t, "manifests/**", "manifets/**"), files: m{},
			want: []string{"error copy-no-match " + spec + "artifacts[0].copy[0].from"}, says: []string{"tenant-a/m", "manifets"},
		},
		"a file that is missing": {
			config: with(t, "manifests/**", "manifests/web.yaml"), files: m{},
			want: []string{"error copy-source-missing " + spec + "artifacts[0].copy[0].from"}, says: []string{"tenant-a/m"},
		},
		// A directory `[team]` can never become a pattern: it is refused as a name.
		"a directory that is a glob": {
			files: m{"tenants/[a-z]*/modules/m/manifests/cm.yaml": manifest, "tenants/tenant-b/modules/[team]/manifests/cm.yaml": manifest},
			want:  []string{"error directory-name tenants/[a-z]*", "error directory-name tenants/tenant-b/modules/[team]"},
		},
		"all bad names in one run": {
			files: m{"tenants/my tenant/modules/m/x": "", "tenants/-x/modules/m/x": "", "tenants/tenant-b/modules/a_/x": ""},
			want:  []string{"error directory-name tenants/-x", "error directory-name tenants/my tenant", "error directory-name tenants/tenant-b/modules/a_"},
		},
		"a name that not every capture is in": {
			config: with(t, `namespace: "{namespace}"`, "namespace: tenant-x", "@repo/tenants/{namespace}/namespace-metadata.yaml", "@repo/namespace-metadata.yaml"),
			files:  m{"tenants/tenant-b/modules/m/manifests/cm.yaml": manifest},
			want:   []string{"error artifact-collision tenants/tenant-b/modules/m"}, says: []string{"`{namespace}` is in neither", "tenants/tenant-a/modules/m"},
		},
		"an underscore": {
			files: m{"tenants/tenant-b/modules/office_back/manifests/cm.yaml": manifest},
			want:  []string{"error artifact-name tenants/tenant-b/modules/office_back"}, says: []string{`"office-back"`, "DNS subdomain"},
		},
		// Upper case is legal and lowered; two directories that end up the same are not.
		"case twins": {
			files: m{"tenants/Tenant-A/modules/x/manifests/cm.yaml": manifest},
			want:  []string{"error namespace-collision tenants/tenant-a"}, says: []string{"tenants/Tenant-A"},
		},
		"composed and decomposed names": {
			files: m{"tenants/caf\u00e9/modules/m/x": "", "tenants/cafe\u0301/modules/m/x": ""},
			want:  []string{"error directory-name tenants/cafe\u0301", "error directory-name tenants/caf\u00e9"},
			says:  []string{`U\+00E9 \(composed\)`, `U\+0301 \(decomposed\)`},
		},
		"file twins": {
			files: m{"tenants/tenant-a/modules/m/manifests/se\u00f1or.yaml": "a: b\n", "tenants/tenant-a/modules/m/manifests/sen\u0303or.yaml": "a: b\n"},
			want:  []string{"warning artifact-unicode-twins tenants/tenant-a/modules/m/manifests/se\u00f1or.yaml"},
			says:  []string{`\\u00f1`, `\\u0303`},
		},
		"64 characters": {
			files: m{"tenants/tenant-b/modules/" + long + "/manifests/cm.yaml": manifest},
			want:  []string{"error directory-name tenants/tenant-b/modules/" + long}, says: []string{"at most 63 characters, this one has 64"},
		},
		"a dot in a namespace": {
			config: with(t, "ns.startsWith('tenant-')", "ns != ''"),
			files:  m{"tenants/team-2.x/modules/web/manifests/cm.yaml": manifest, "tenants/tenant-b/modules/web.x/manifests/cm.yaml": manifest},
			want:   []string{"error namespace-name tenants/team-2.x"}, says: []string{"DNS label"},
		},
		"another metadata.name": {
			files: m{fileA: metadataHead + "  name: curation-system\n"},
			want:  []string{"error metadata-file-name " + fileA + ":4:9"}, says: []string{`"curation-system"`, `"tenant-a"`},
		},
		"a key that the server sets": {
			files: m{fileA: metadataHead + "  labels:\n    kubernetes.io/metadata.name: tenant-b\n"},
			want:  []string{"warning metadata-control-key " + fileA + ":5:5"},
		},
		"default deny": {
			config: with(t, "allowedLabels: {my.org/env: \"value in ['dev', 'prod']\", my.org/id: value.size() < 64}", "allowedLabels: {}"),
			files:  m{fileA: metadataHead + "  labels:\n    pod-security.kubernetes.io/enforce: privileged\n"},
			want:   []string{"warning metadata-key-ignored " + fileA + ":5:5"},
		},
		"an allow-list for pod security": {
			config: with(t, "my.org/id: value.size() < 64", "pod-security.kubernetes.io/enforce: value == 'baseline'"), files: m{},
			want: []string{"warning allow-list-pod-security " + spec + `managedNamespaces.metadata.fromSource.allowedLabels["pod-security.kubernetes.io/enforce"]`},
		},
		// product: the later step wins, with a warning that names both values.
		"another value than commonMetadata": {
			config: with(t, "{my.org/provisioner: monorepo}", "{my.org/env: dev}"),
			files:  m{fileA: metadataHead + "  labels:\n    my.org/env: prod\n"},
			want: []string{
				"warning allow-list-common-key " + spec + `managedNamespaces.metadata.fromSource.allowedLabels["my.org/env"]`,
				"warning metadata-replaced " + fileA + ":5:17",
			},
			says: []string{`"prod".*"dev"`},
		},
		"the same value as commonMetadata": {
			config: with(t, "{my.org/provisioner: monorepo}", "{my.org/env: dev}"),
			files:  m{fileA: metadataHead + "  labels:\n    my.org/env: dev\n"},
			want:   []string{"warning allow-list-common-key " + spec + `managedNamespaces.metadata.fromSource.allowedLabels["my.org/env"]`},
		},
		"a refused name shows every expression": {
			config: with(t, `["ns.startsWith('tenant-')"]`, `["ns.startsWith('cust-')", "ns.startsWith('plat-')"]`), files: m{},
			want: []string{"error namespace-not-allowed tenants/tenant-a"},
			says: []string{"`ns.startsWith\\('cust-'\\)` is false, `ns.startsWith\\('plat-'\\)` is false"},
		},
		"a Namespace among the manifests": {
			files: m{"tenants/tenant-a/modules/m/manifests/ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: tenant-a}\n"},
			want:  []string{"warning artifact-namespace tenants/tenant-a/modules/m/manifests/ns.yaml"},
		},
		"a duplicate key in the configuration": {
			config: with(t, "        artifacts:\n", "        artifacts: []\n        artifacts:\n"), files: m{},
			want: []string{"error yaml-duplicate-key spec.generators[0].spec.artifacts"},
		},
		"a null annotation": {
			files: m{fileA: metadataHead + "  annotations:\n    my.org/note:\n    my.org/more: kept\n"},
			want:  []string{"error metadata-not-string " + fileA + ":5:17"}, says: []string{`write "" for an empty value`},
		},
		"a number among labels": {
			files: m{fileA: metadataHead + "  labels: {my.org/env: dev, my.org/id: 1}\n"},
			want:  []string{"error metadata-not-string " + fileA + ":4:40"},
		},
		"an alias bomb": {
			config: withInputs(t), files: m{inputsA: aliasBomb()},
			want: []string{"error yaml-alias-limit " + inputsA + ":5:10"},
		},
		"a boolean": {
			files: m{fileA: metadataHead + "  labels: {my.org/id: false}\n"},
			want:  []string{"error metadata-not-string " + fileA + ":4:23"}, says: []string{`write it in quotes: "false"`},
		},
		"digits, exponents, hex": {
			files: m{fileA: metadataHead + "  labels:\n    my.org/id: 8799195\n    my.org/env: 0x1F\n  annotations:\n    my.org/note: 12e4567\n"},
			want: []string{
				"error metadata-not-string " + fileA + ":5:16",
				"error metadata-not-string " + fileA + ":6:17",
				"error metadata-not-string " + fileA + ":8:18",
			},
		},
		"a leading zero": {
			config: withInputs(t), files: m{inputsA: "mode: 0744\n"},
			want: []string{"error inputs-ambiguous-scalar " + inputsA + ":1:7"}, says: []string{"484.*744"},
		},
		"an integer of more than 64 bits": {
			config: withInputs(t), files: m{inputsA: "a: 18446744073709551615\nb: -9223372036854775808\nc: 18446744073709551616\n"},
			want: []string{"error inputs-number-range " + inputsA + ":3:4"},
		},
		"an encrypted file": {
			files: m{fileA: "\x00GITCRYPT\x00\x01\x02", "tenants/tenant-a/modules/m/manifests/secret.yaml": "\x00GITCRYPT\x00\x01\x02"},
			want:  []string{"error yaml-encoding " + fileA + ":1:1"}, says: []string{"not UTF-8 text, it looks encrypted"},
		},
		"typographic quotes": {
			files: m{fileA: metadataHead + "  annotations:\n    my.org/note: \u201chttps://wiki\u201c\n    my.org/more: \"a\u00a0b\"\n"},
			want:  []string{"warning metadata-odd-character " + fileA + ":5:18", "warning metadata-odd-character " + fileA + ":6:18"},
			says:  []string{`U\+201C`, `U\+00A0`},
		},
		"a lone carriage return": {
			files: m{fileA: strings.ReplaceAll(metadataHead, "\n", "\r\n") + "  annotations:\r\n    my.org/note: a\rb\r\n"},
			want:  []string{"error yaml-encoding " + fileA + ":5:19"}, says: []string{"lone carriage return"},
		},
		"keys that steer kustomize": {
			config: with(t, "my.org/more: value.size() < 1000", "kustomize.x/y: value.size() < 1000"),
			files: m{fileA: metadataHead + `  annotations:
    internal.config.kubernetes.io/path: x
    config.k8s.io/id: "1"
    config.kubernetes.io/local-config: "yes"
    kustomize.config.k8s.io/behavior: merge
    kustomize.config.k8s.io/needs-hash: "true"
    source.extensions.fluxcd.io/externalFinalizer: v1/ConfigMap/a/b/c
  labels:
    config.kubernetes.io/local-config: "true"
`},
			want: []string{
				"warning metadata-control-key " + fileA + ":10:5",
				"warning metadata-control-key " + fileA + ":12:5",
				"warning metadata-control-key " + fileA + ":5:5",
				"warning metadata-control-key " + fileA + ":6:5",
				"warning metadata-control-key " + fileA + ":7:5",
				"warning metadata-control-key " + fileA + ":8:5",
				"warning metadata-control-key " + fileA + ":9:5",
			},
		},
		"the platform team cannot allow them": {
			config: with(t, "my.org/more: value.size() < 1000", "config.kubernetes.io/local-config: value == 'true'"), files: m{},
			want: []string{"error allow-list-control-key " + spec + `managedNamespaces.metadata.fromSource.allowedAnnotations["config.kubernetes.io/local-config"]`},
		},
		"a pattern without anchors": {
			config: with(t, `"value in ['dev', 'prod']"`, "value.matches('Enabled|Disabled')", "my.org/id: value.size() < 64", "my.org/id: value.matches('^Enabled|Disabled$')"), files: m{},
			want: []string{
				"warning expression-unanchored " + spec + `managedNamespaces.metadata.fromSource.allowedLabels["my.org/env"]`,
				"warning expression-unanchored " + spec + `managedNamespaces.metadata.fromSource.allowedLabels["my.org/id"]`,
			},
		},
		"has() on a plain variable": {
			config: with(t, `"value in ['dev', 'prod']"`, "has(value) && value == 'x'"), files: m{},
			want: []string{"error expression-syntax " + spec + `managedNamespaces.metadata.fromSource.allowedLabels["my.org/env"]`},
			says: []string{`\(.*has.*\)`},
		},
		"a field of ns": {
			config: with(t, "ns.startsWith('tenant-')", "ns.metadata.name == 'x'"), files: m{},
			want: []string{"error expression-syntax " + spec + "managedNamespaces.allowedNames[0]"},
		},
		"not a boolean": {
			config: with(t, "ns.startsWith('tenant-')", "ns"), files: m{},
			want: []string{"error expression-not-boolean " + spec + "managedNamespaces.allowedNames[0]"},
		},
		"very costly": {
			config: with(t, "my.org/note: value.size() < 1000", `my.org/note: "value.split('').all(a, value.split('').all(b, value.split('').all(c, a + b + c != 'xyz')))"`),
			files:  m{fileA: metadataHead + "  annotations:\n    my.org/note: \"" + strings.Repeat("a", 5000) + "\"\n"},
			want:   []string{"error metadata-value-refused " + fileA + ":5:18"}, says: []string{"cost"},
		},
		"null where a string is due": {
			config: with(t, "serviceAccountName: flux", "serviceAccountName: null", `name: "{module}"`, "name:"), files: m{},
			want: []string{
				"error config-required " + spec + "artifacts[0].name",
				"error service-account-missing " + spec + "managedNamespaces",
			},
		},
	} {
		t.Run(name, func(t *testing.T) { test.check(t) })
	}
}

// aliasBomb is nine levels of nine aliases.
func aliasBomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Join(slices.Repeat([]string{alias}, 9), ", "))
	}
	return b.String()
}

func TestNothingToSeeIsNotSuccess(t *testing.T) {
	repo(t, m{"a-file": "", "empty/README.md": ""})
	for directory, want := range (m{
		"not-cloned": "error source-unreadable spec.sources[0].directory",
		"a-file":     "error source-unreadable spec.sources[0].directory",
		"empty":      "error no-match spec.generators[0].spec.pathPattern",
	}) {
		o := renderAgain(t, with(t, "directory: .", "directory: "+directory))
		assert.Equal(t, []string{want}, o.found("error"))
		assert.NotZero(t, o.status)
		assert.Empty(t, o.objects)
	}
	allowed := "spec:\n  deletion: {allowEmpty: true}\n  sources:\n    - directory: "
	o := renderAgain(t, with(t, "spec:\n  sources:\n    - directory: .", allowed+"empty"))
	assert.Zero(t, o.status)
	assert.Contains(t, o.stdout, "items:\n", "items are written, even when there are none of ours")
	o = renderAgain(t, with(t, "spec:\n  sources:\n    - directory: .", allowed+"not-cloned"))
	assert.Equal(t, exitErrors, o.status, "what cannot be read is never allowed")
}

func TestThresholdOfDeletions(t *testing.T) {
	repo(t, nil)
	for i := range 30 {
		write(t, ".", fmt.Sprintf("tenants/tenant-%02d/modules/m/manifests/cm.yaml", i), fmt.Sprintf("a: %d\n", i))
	}
	write(t, ".", "rendered/all.yaml", documents(t, renderAgain(t, platform).stdout))
	guarded := with(t, "spec:\n  sources", "spec:\n  deletion: {baseline: rendered/all.yaml}\n  sources")
	for i, status := range []int{exitOK, exitOK, exitOK, exitSafeguard} {
		remove(t, fmt.Sprintf("tenants/tenant-%02d", i))
		assert.Equal(t, status, renderAgain(t, guarded).status, "with %d of 30 gone", i+1)
	}
	o := renderAgain(t, guarded)
	assert.Contains(t, o.the(t, "deletion-limit").Message, "4 of 30 namespaces would leave the output, at most 3 may")
	assert.Zero(t, renderAgain(t, strings.Replace(guarded, "{baseline: ", "{maxNamespaces: 4, baseline: ", 1)).status)
}

func TestNamespaceFirstAndAlways(t *testing.T) {
	o := provision(t, platform, m{tenantB: manifest, tenantA: manifest, "tenants/tenant-a/modules/a/manifests/x": "y"})
	seen := map[string]bool{}
	for _, e := range o.objects {
		if e.Kind == "Namespace" {
			seen[e.Metadata.Name] = true
		}
		assert.NotContains(t, e.Metadata.Annotations, "config.kubernetes.io/depends-on")
		if e.Kind == "ExternalArtifact" {
			assert.True(t, seen[e.Metadata.Namespace], "%s comes after its Namespace", e.Metadata.Name)
		}
	}
	assert.Equal(t, []string{"tenant-a", "tenant-b", "tenant-a/a", "tenant-a/m", "tenant-b/m"}, o.ours())
}

func TestKeepOrNot(t *testing.T) {
	files := m{tenantA: manifest}
	keep := []string{
		"argocd.argoproj.io/sync-options", "client.lifecycle.config.k8s.io/deletion", "fluxcd.controlplane.io/prune",
		"helm.sh/resource-policy", "kustomize.toolkit.fluxcd.io/prune",
	}
	pruned := provision(t, platform, files).get(t, "tenant-a")
	kept := provision(t, with(t, "prune: true", "prune: false"), files).get(t, "tenant-a")
	for _, key := range keep {
		assert.NotContains(t, pruned.Metadata.Annotations, key, "leaving the output is the deletion")
		assert.Contains(t, kept.Metadata.Annotations, key)
	}
	assert.Equal(t, pruned.annotation("digest"), kept.annotation("digest"))
}

func TestOwnersAreStable(t *testing.T) {
	o := provision(t, platform, m{tenantA: manifest})
	assert.Equal(t, m{
		"config.kubernetes.io/path": "generated/tenant-a/namespace-tenant-a.yaml", "config.kubernetes.io/index": "0",
		"kustomize.toolkit.fluxcd.io/substitute":       "disabled",
		"provision-tenants.fn.kpt.dev/owner":           "ArtifactGenerator/flux-system/tenants",
		"provision-tenants.fn.kpt.dev/name":            "/Namespace//tenant-a",
		"provision-tenants.fn.kpt.dev/origin":          ofA,
		"provision-tenants.fn.kpt.dev/digest":          metadataDigest(t, m{"my.org/provisioner": "monorepo"}, nil),
		"provision-tenants.fn.kpt.dev/service-account": "flux",
	}, o.get(t, "tenant-a").Metadata.Annotations)
	assert.Equal(t, m{
		"config.kubernetes.io/path": "generated/tenant-a/externalartifact-m.yaml", "config.kubernetes.io/index": "0",
		"kustomize.toolkit.fluxcd.io/substitute": "disabled",
		"provision-tenants.fn.kpt.dev/owner":     "ArtifactGenerator/flux-system/tenants",
		"provision-tenants.fn.kpt.dev/name":      "source.toolkit.fluxcd.io/ExternalArtifact/tenant-a/m",
		"provision-tenants.fn.kpt.dev/origin":    ofA + "/modules/m",
		"provision-tenants.fn.kpt.dev/digest":    archiveDigest(t, m{"cm.yaml": manifest}),
	}, o.get(t, "tenant-a/m").Metadata.Annotations)
	for _, name := range o.ours() {
		// both carry one label, and commonMetadata reaches both.
		assert.Equal(t, "provision-tenants", o.get(t, name).Metadata.Labels["app.kubernetes.io/managed-by"])
		assert.Equal(t, "monorepo", o.get(t, name).Metadata.Labels["my.org/provisioner"])
	}
}

// neither the directory, the time, the mode, the order
// in which files were made, the environment nor the number of processors shows.
func TestOutputIsAFunctionOfTheInput(t *testing.T) {
	files := m{
		tenantA: manifest, tenantB: manifest, "tenants/tenant-a/modules/m/manifests/sub/x.yaml": "x: 1\n",
		fileA:   metadataHead + "  labels: {my.org/env: dev, my.org/id: a}\n  annotations: {my.org/note: a, my.org/more: b}\n",
		inputsA: "b: 1\na: {d: 1, c: 2}\n", "tenants/tenant-b/modules/m/applier-inputs.yaml": "",
	}
	config := withInputs(t)
	want := provision(t, config, files).stdout
	old := time.Date(2001, 2, 3, 4, 5, 6, 7, time.UTC)
	for i := range 16 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + i%8))
		repo(t, files)
		t.Setenv("TZ", []string{"UTC", "Asia/Tokyo"}[i%2])
		t.Setenv("LANG", []string{"C", "tr_TR.UTF-8"}[i%2])
		require.NoError(t, os.Chtimes(tenantA, old, old.Add(time.Duration(i)*time.Hour)))
		require.NoError(t, os.Chmod(tenantA, []os.FileMode{0o600, 0o644, 0o664}[i%3]))
		assert.Equal(t, want, runMain(wrap([]byte(config)))["stdout.yaml"])
	}
	require.NoError(t, os.Chmod(tenantA, 0o755))
	assert.NotEqual(t, want, runMain(wrap([]byte(config)))["stdout.yaml"], "that a file can be executed is content")
}

func TestOwnOutputIsNoTenant(t *testing.T) {
	config := with(t, "@repo/tenants/{namespace}/modules/{module}/manifests/**", "@repo/{namespace}/{module}/**", "@repo/tenants/{namespace}/modules/{module}", "@repo/{namespace}/{module}",
		"@repo/tenants/{namespace}/namespace-metadata.yaml", "@repo/{namespace}/namespace-metadata.yaml")
	repo(t, m{"tenant-a/m/cm.yaml": manifest})
	want := renderAgain(t, config)
	assert.Equal(t, []string{"tenant-a", "tenant-a/m"}, want.ours())
	for _, e := range want.objects {
		text, err := yaml.Marshal(e)
		require.NoError(t, err)
		write(t, ".", e.Metadata.Annotations["config.kubernetes.io/path"], string(text))
	}
	assert.DirExists(t, "generated/tenant-a")
	assert.Equal(t, want.stdout, renderAgain(t, config).stdout, "`generated` is not a tenant with a module `tenant-a`")

	write(t, ".", "tenant-b/generated/cm.yaml", manifest)
	assert.Contains(t, renderAgain(t, config).ours(), "tenant-b/generated", "elsewhere it is a name like any other")
}

func TestOneOwnerOfANamespace(t *testing.T) {
	second := `    - metadata: {name: others, namespace: flux-system}
      spec:
        serviceAccountName: flux
        pathPattern: "@repo/{x}/{namespace}/modules/{module}"
        sources: [{alias: repo, kind: GitRepository, name: monorepo}]
        artifacts: [{name: "other-{module}", namespace: "{namespace}", copy: [{from: "@repo/{x}/{namespace}/**", to: "@artifact/"}]}]
        managedNamespaces: {allowedNames: [ns != ''], prune: true}
`
	o := provision(t, platform+second, m{tenantA: manifest})
	assert.Equal(t, exitErrors, o.status)
	message := o.the(t, "tier-tie").Message
	assert.Contains(t, message, "ArtifactGenerator/flux-system/tenants")
	assert.Contains(t, message, "ArtifactGenerator/flux-system/others")
	assert.Contains(t, message, "tenant-a")
}

func TestTrailingSlash(t *testing.T) {
	files := m{tenantA: manifest}
	want := provision(t, platform, files)
	got := provision(t, with(t, `modules/{module}"`, `modules/{module}/"`), files)
	assert.Equal(t, want.objects, got.objects)
	assert.Equal(t, want.found(), got.found())
}

func TestDotDirectories(t *testing.T) {
	o := provision(t, platform, m{tenantA: manifest, "tenants/.meta/modules/x/manifests/y": "", "tenants/tenant-a/modules/.git/manifests/y": "", "tenants/..data/x": ""})
	assert.Equal(t, []string{"tenant-a", "tenant-a/m"}, o.ours())
	message := o.the(t, "directory-hidden").Message
	for _, dir := range []string{"tenants/.meta", "tenants/..data", "tenants/tenant-a/modules/.git"} {
		assert.Contains(t, message, `"`+dir+`"`)
	}
}

func TestOptional(t *testing.T) {
	o := provision(t, with(t, `to: "@artifact/"}`, `to: "@artifact/"}
              - {from: "@repo/nope/**", to: "@artifact/", optional: true}
              - {from: "@repo/nope.yaml", to: "@artifact/", optional: true}`), m{tenantA: manifest})
	assert.Empty(t, o.found("error", "warning"))
	assert.Equal(t, archiveDigest(t, m{"cm.yaml": manifest}), o.get(t, "tenant-a/m").annotation("digest"))
}

// Dotfiles match, so what nobody wants has to be excluded.
func TestDotfiles(t *testing.T) {
	dir := ofA + "/modules/m/manifests/"
	files := m{tenantA: manifest, dir + ".DS_Store": "junk", dir + ".env": "A=b", dir + ".git/HEAD": "x"}
	digest := func(config string) string {
		return provision(t, config, files).get(t, "tenant-a/m").annotation("digest")
	}
	assert.Equal(t, archiveDigest(t, m{"cm.yaml": manifest, ".DS_Store": "junk", ".env": "A=b"}), digest(platform), "the archive itself leaves version control out")
	assert.Equal(t, archiveDigest(t, m{"cm.yaml": manifest}), digest(with(t, `to: "@artifact/"}`, `to: "@artifact/", exclude: [".*"]}`)))
}

func TestOneMatcher(t *testing.T) {
	dir := ofA + "/modules/m/"
	files := m{dir + "crds/a.yaml": "1", dir + "x/crds/b.yaml": "2", dir + "x/y/z/crds/c.yaml": "3", dir + "x/d.yaml": "4", dir + "x/crds/no/e.yaml": "5"}
	o := provision(t, with(t, "modules/{module}/manifests/**", "modules/{module}/**/crds/*.yaml"), files)
	want := m{}
	for _, name := range []string{"crds/a.yaml", "x/crds/b.yaml", "x/y/z/crds/c.yaml"} {
		want[dir+name] = files[dir+name]
	}
	assert.Equal(t, archiveDigest(t, want), o.get(t, "tenant-a/m").annotation("digest"))
}

func TestWalkReadsOnlyWhatCanMatch(t *testing.T) {
	repo(t, m{tenantA: manifest, "other/a_b/modules/m/x": "", "tenants/tenant-a/other/A_/x": "", "tenants/not-yaml": "", "tenants/tenant-a/modules/README.md": ""})
	require.NoError(t, os.MkdirAll(strings.Repeat("deep/", 300), 0o755))
	o := renderAgain(t, platform)
	assert.Empty(t, o.found("error", "warning"))
	assert.Equal(t, []string{"tenant-a", "tenant-a/m"}, o.ours())
}

func TestEmptyAndDeeperDirectories(t *testing.T) {
	o := provision(t, platform, m{tenantA: manifest, "tenants/tenant-empty/modules/.gitkeep": "", "archive/tenants/tenant-old/modules/m/x": "", "tenants/tenant-a/modules/m/tenants/tenant-x/modules/m/x": ""})
	assert.Equal(t, []string{"tenant-a", "tenant-a/m"}, o.ours())
	assert.Equal(t, "tenants/tenant-empty", o.the(t, "directory-unused").File.Path)
}

func TestOriginIsTheWholePath(t *testing.T) {
	o := provision(t, platform, m{tenantA: manifest, tenantB: manifest})
	assert.Equal(t, "tenants/tenant-a/modules/m", o.get(t, "tenant-a/m").annotation("origin"))
	assert.Equal(t, "tenants/tenant-b/modules/m", o.get(t, "tenant-b/m").annotation("origin"))
}

func TestContentStaysOutOfAnnotations(t *testing.T) {
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2}\n"
	o := provision(t, withInputs(t), m{tenantA: secret, inputsA: "text: " + strings.Repeat("x", 90_000) + "\n"})
	assert.Zero(t, o.status)
	assert.NotContains(t, o.stdout+o.stderr, "hunter2")
	for _, e := range o.objects {
		for key, value := range e.Metadata.Annotations {
			assert.Less(t, len(value), 200, key)
		}
	}
	o = provision(t, withInputs(t), m{tenantA: secret, inputsA: "text: " + strings.Repeat("x", 100<<10) + "\n"})
	assert.Equal(t, []string{"error inputs-too-large " + inputsA}, o.found("error"))
}

func TestTheAdminIsNotBound(t *testing.T) {
	o := provision(t, with(t, "              allowedLabels: {my.org/env: \"value in ['dev', 'prod']\", my.org/id: value.size() < 64}\n",
		"            from: [{strategy: Override, namespace: tenant-a, labels: {my.org/env: anything}, annotations: {x: z}}]\n"), m{tenantA: manifest})
	assert.Empty(t, o.found("error", "warning"))
	assert.Equal(t, m{"my.org/env": "anything", "my.org/provisioner": "monorepo"}, asked(o.get(t, "tenant-a").Metadata.Labels))
}

func TestDigestCoversMetadata(t *testing.T) {
	plain := provision(t, platform, m{tenantA: manifest}).get(t, "tenant-a")
	noted := provision(t, platform, m{tenantA: manifest, fileA: metadataHead + "  annotations: {my.org/note: x}\n"}).get(t, "tenant-a")
	assert.NotEqual(t, plain.annotation("digest"), noted.annotation("digest"))
	assert.Equal(t, metadataDigest(t, m{"my.org/provisioner": "monorepo"}, m{"my.org/note": "x"}), noted.annotation("digest"))
}

func TestInputsAreComplete(t *testing.T) {
	inputs := `one: &y [1, {a: null}]
two: *y
nodeSelector:
retentionMs: 21600000
bigId: 9007199254740993
biggest: 18446744073709551615
float: 1.5
text: "0042"
"on": "yes"
`
	o := provision(t, withInputs(t), m{tenantA: manifest, inputsA: inputs})
	list := []any{1, map[string]any{"a": nil}}
	assert.Equal(t, map[string]any{"exportedInputs": map[string]any{
		"one": list, "two": list, "nodeSelector": nil, "retentionMs": 21600000, "bigId": 9007199254740993, "biggest": uint64(18446744073709551615),
		"float": 1.5, "text": "0042", "on": "yes",
	}}, o.get(t, "tenant-a/m").Status)
	assert.Contains(t, o.the(t, "inputs-null").Message, "`nodeSelector`")
	assert.NotContains(t, o.stdout, "e+0")
}

func TestLenientWhereNothingIsMeant(t *testing.T) {
	for name, text := range (m{
		"null maps":             metadataHead + "  labels: null\n  annotations: ~\n",
		"no metadata":           "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\nmetadata:\n",
		"a comment first":       "# ticket 123\n---\n" + metadataHead + "  labels: {}\n",
		"empty documents":       "---\n# nothing\n---\n" + metadataHead + "  labels: {}\n---\n# nothing\n---\n",
		"empty maps":            metadataHead + "  labels: {}\n  annotations: {}\n",
		"CRLF, BOM":             "\xef\xbb\xbf" + strings.ReplaceAll(metadataHead+"  labels: {}\n", "\n", "\r\n"),
		"the name it has":       metadataHead + "  name: tenant-a\n",
		"a file without an end": metadataHead + "  labels: {}",
		"JSON":                  `{"apiVersion": "source.extensions.fluxcd.io/v1beta1", "kind": "NamespaceMetadata"}`,
		"kept from appliers":    metadataHead + "  annotations: {config.kubernetes.io/local-config: \"true\"}\n",
	}) {
		t.Run(name, func(t *testing.T) {
			o := provision(t, platform, m{tenantA: manifest, fileA: text})
			assert.Empty(t, o.found("error", "warning"), o.stderr)
			assert.Equal(t, m{"my.org/provisioner": "monorepo"}, asked(o.get(t, "tenant-a").Metadata.Labels))
			assert.NotRegexp(t, `(?m)(: \{\}|: null|: ~)$`, itemsText(o.stdout))
			assert.NotContains(t, o.stdout, "\r")
		})
	}
}

func TestNullAnnotationsOfAForeignItem(t *testing.T) {
	repo(t, m{tenantA: manifest})
	item := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  annotations:\n  labels:\n"
	o := observe(t, listOf(platform, item))
	assert.Zero(t, o.status, o.stderr)
	assert.Contains(t, o.ours(), "tenant-a")
}

// every string that a YAML reader could take for something else
// is quoted, in labels that captures make too.
func TestStringsStayStrings(t *testing.T) {
	for _, value := range []string{"yes", "on", "null", "~", "1e3", "0042", "2031-04-01", "12:30:45", "0x1F", "123", "true", "", "=", "1_000", ".inf", "0o14", "y", "1.5", "<<"} {
		repo(t, m{tenantA: manifest, fileA: metadataHead + "  annotations:\n    my.org/note: " + fmt.Sprintf("%q", value) + "\n"})
		o := renderAgain(t, platform)
		require.Zero(t, o.status, o.stderr)
		assert.Equal(t, value, o.get(t, "tenant-a").Metadata.Annotations["my.org/note"])
		assert.Regexp(t, `(?m)^ +my.org/note: ["']`+regexp.QuoteMeta(value)+`["']$`, o.stdout)
	}
	for _, module := range []string{"123456789", "1583512484380481917", "0042", "1e3", "yes", "on", "null", "true", "2031-04-01"} {
		o := provision(t, platform, m{"tenants/tenant-a/modules/" + module + "/manifests/x": "y"})
		require.Zero(t, o.status, o.stderr)
		assert.Equal(t, m{"module": module, "namespace": "tenant-a", "my.org/provisioner": "monorepo"}, asked(o.get(t, "tenant-a/"+module).Metadata.Labels))
		assert.Regexp(t, `(?m)^ +module: ["']`+module+`["']$`, o.stdout)
		assert.Regexp(t, `(?m)^ +name: ["']`+module+`["']$`, o.stdout)
	}
}

// A fleet under kustomize, which reads YAML 1.1 in places, still has strings.
func TestKustomize(t *testing.T) {
	needs(t, "kustomize")
	repo(t, m{
		"tenants/tenant-a/modules/0042/manifests/x": "y", fileA: metadataHead + "  annotations: {my.org/note: \"yes\"}\n  labels: {my.org/id: \"0042\"}\n",
		"kustomization.yaml": "generators: [fn.yaml]\n",
		"fn.yaml":            with(t, "metadata: {name: monorepo}", "metadata:\n  name: monorepo\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: provision-tenants}\n"),
	})
	out := must(t, ".", kustomizeBuild+".")
	assert.Contains(t, out, `my.org/id: "0042"`)
	assert.Contains(t, out, `my.org/note: "yes"`)
	assert.Contains(t, out, `module: "0042"`)
	assert.Contains(t, out, `name: "0042"`)
}

func TestCRLF(t *testing.T) {
	text := strings.ReplaceAll(metadataHead+"  annotations:\n    my.org/note: a b\n    my.org/more: |\n      one\n      two\n", "\n", "\r\n")
	o := provision(t, platform, m{tenantA: manifest, fileA: text})
	assert.Equal(t, m{"my.org/note": "a b", "my.org/more": "one\ntwo\n"}, asked(o.get(t, "tenant-a").Metadata.Annotations))
	o = provision(t, platform, m{tenantA: manifest, fileA: text + "  lables: {}\r\n"})
	assert.Equal(t, []string{"error metadata-file-field " + fileA + ":9:3"}, o.found("error"))
}

// An encrypted manifest is content like any other.
func TestEncryptedContent(t *testing.T) {
	blob := "\x00GITCRYPT\x00\x01\x02"
	o := provision(t, platform, m{tenantA: blob})
	assert.Empty(t, o.found("error", "warning"))
	assert.Equal(t, archiveDigest(t, m{"cm.yaml": blob}), o.get(t, "tenant-a/m").annotation("digest"))
}

func TestTheErrorNamesBothDirectories(t *testing.T) {
	repo(t, m{"pkg/" + tenantA: manifest})
	dir, err := os.Getwd()
	require.NoError(t, err)
	o := renderAgain(t, with(t, "directory: .", "directory: ../elsewhere", "metadata: {name: monorepo}",
		"metadata:\n  name: monorepo\n  annotations:\n    internal.config.kubernetes.io/path: fn.yaml\n    internal.config.kubernetes.io/package-path: "+dir+"/pkg"))
	message := o.the(t, "source-unreadable").Message
	assert.Contains(t, message, "../elsewhere")
	assert.Contains(t, message, "starts from the directory of the package")
	assert.NotContains(t, message, dir, "a host stores results, and they must be the same in every checkout")
}

func TestTwoGeneratorsOfOneName(t *testing.T) {
	_, generator, _ := strings.Cut(platform, "  generators:\n")
	o := provision(t, platform+strings.Replace(generator, "prune: true", "prune: false", 1), m{tenantA: manifest})
	assert.Equal(t, exitErrors, o.status)
	assert.Contains(t, o.stderr, "flux-system/tenants")
	assert.Len(t, o.found("error"), 1)
}

func TestAForeignObjectOfOurs(t *testing.T) {
	repo(t, m{tenantA: manifest})
	o := observe(t, listOf(platform, "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: tenant-a\n  annotations:\n    config.kubernetes.io/path: infra/ns.yaml\n"))
	assert.Equal(t, []string{"error identity-conflict infra/ns.yaml"}, o.found("error"))
	assert.Contains(t, o.stderr, "tenants/tenant-a")
	assert.Contains(t, o.stderr, "ArtifactGenerator/flux-system/tenants")
}

func TestEachTenantAloneIsTheSame(t *testing.T) {
	files := m{
		tenantA: manifest, tenantB: manifest, fileA: metadataHead + "  annotations: {my.org/note: x}\n",
		"tenants/tenant-b/modules/x/manifests/y": "z", "tenants/tenant-c/modules/m/manifests/cm.yaml": "other",
	}
	all := provision(t, platform, files)
	alone := 0
	for _, tenant := range []string{"tenant-a", "tenant-b", "tenant-c"} {
		some := m{}
		for name, text := range files {
			if strings.HasPrefix(name, "tenants/"+tenant+"/") {
				some[name] = text
			}
		}
		o := provision(t, platform, some)
		for _, name := range o.ours() {
			assert.Equal(t, all.get(t, name), o.get(t, name))
			alone++
		}
	}
	assert.Len(t, all.ours(), alone)
}

func TestForeignItemsPass(t *testing.T) {
	foreign := `apiVersion: v1
kind: ConfigMap
metadata: # a comment
  name:   odd   # spacing
  annotations: {internal.config.kubernetes.io/path: 'x/y.yaml', foo: 'bar', internal.config.kubernetes.io/id: '7'}
data:
  y: yes
  n: 0042
  s: >-
    folded

    text
`
	kptfile := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n  annotations:\n    config.kubernetes.io/path: Kptfile\n"
	repo(t, m{tenantA: manifest})
	o := observe(t, listOf(platform, foreign, kptfile))
	require.Zero(t, o.status, o.stderr)
	for _, text := range []string{foreign, kptfile} {
		assert.Contains(t, o.stdout, strings.TrimPrefix(indented(text, "  "), "  "))
	}
	assert.Regexp(t, `(?m)^items:$`, o.stdout)
}

func TestPackagePathIsTheBase(t *testing.T) {
	repo(t, m{"pkg/" + tenantA: manifest, "elsewhere/x": ""})
	dir, err := os.Getwd()
	require.NoError(t, err)
	config := with(t, "metadata: {name: monorepo}", `metadata:
  name: monorepo
  annotations:
    internal.config.kubernetes.io/path: sub/fn.yaml
    internal.config.kubernetes.io/index: "3"
    internal.config.kubernetes.io/package-path: `+dir+"/pkg")
	kptfile := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n  annotations:\n    internal.config.kubernetes.io/path: Kptfile\n    internal.config.kubernetes.io/package-path: " + dir + "/pkg\n"
	t.Chdir("elsewhere")
	o := observe(t, listOf(config, kptfile))
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{"tenant-a", "tenant-a/m"}, o.ours())
	for _, name := range o.ours() {
		assert.NotContains(t, fmt.Sprint(o.get(t, name)), dir)
		// the configuration says where to write, nothing else.
		assert.Regexp(t, "^sub/generated/tenant-a/", o.get(t, name).Metadata.Annotations["config.kubernetes.io/path"])
		assert.Equal(t, "0", o.get(t, name).Metadata.Annotations["config.kubernetes.io/index"])
	}
}

// kpt refuses two objects in one place of one file, and kustomize would
// lose one.
func TestPathsAreUnique(t *testing.T) {
	o := provision(t, with(t, `name: "{module}"`, `name: "{module}"`), m{
		tenantA: manifest, tenantB: manifest,
		"tenants/tenant-a/modules/tenant-a/manifests/x": "", "tenants/tenant-a/modules/namespace-tenant-a/manifests/x": "",
		"tenants/tenant-a/modules/a.yaml/manifests/x": "",
	})
	paths := map[string]bool{}
	for _, e := range o.objects {
		path := e.Metadata.Annotations["config.kubernetes.io/path"]
		assert.False(t, paths[path], path)
		paths[path] = true
		assert.NotContains(t, path, `\`)
	}
	assert.Len(t, paths, 8)
}

func TestAFileOfTheUserInThePlaceOfOurs(t *testing.T) {
	repo(t, m{tenantA: manifest})
	o := observe(t, listOf(platform, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n  annotations:\n    config.kubernetes.io/path: generated/tenant-a/namespace-tenant-a.yaml\n    config.kubernetes.io/index: \"0\"\n"))
	assert.Equal(t, exitErrors, o.status, "kpt refuses two objects at one place, and another host loses one")
	assert.Contains(t, o.stderr, "generated/tenant-a/namespace-tenant-a.yaml")
}

func TestOnlyAGenerator(t *testing.T) {
	_, generator, _ := strings.Cut(platform, "    - metadata: {name: tenants, namespace: flux-system}\n      ")
	item := "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata: {name: tenants, namespace: flux-system}\n" +
		strings.ReplaceAll(generator, "\n      ", "\n")
	repo(t, m{tenantA: manifest})
	o := observe(t, listOf("", item))
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{"tenant-a", "tenant-a/m"}, o.ours())
	// what we consumed must not reach a cluster.
	assert.Equal(t, "true", o.objects[0].Metadata.Annotations["config.kubernetes.io/local-config"])
	assert.Equal(t, []string{"info local-config-added"}, o.found()[:1])
}

func TestSamplesAreLocal(t *testing.T) {
	for _, pattern := range []string{"../function-config.yaml", "../testdata/demo/function-config.yaml", "../testdata/fixtures/*/function-config.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			assert.Contains(t, read(t, ".", file), "    config.kubernetes.io/local-config: \"true\"\n", file)
		}
	}
}

func TestNoEmptyReferences(t *testing.T) {
	o := provision(t, platform, m{tenantA: manifest})
	assert.Contains(t, o.found(), "info no-baseline")
	assert.NotRegexp(t, `(?m)^ +(file|field|resourceRef): *(\{\}|null)?$\n^- `, o.stdout)
	assert.NotRegexp(t, `(?m)^ +(file|field|resourceRef): *(\{\}|null)$`, o.stdout)
	assert.NotRegexp(t, `(?m)^ +path: ?("")?$`, o.stdout)
}

func TestLinks(t *testing.T) {
	repo(t, m{tenantA: manifest, "secret": "top secret", "tenants/tenant-b/modules/m/x": ""})
	link(t, "/etc/hostname", ofA+"/modules/m/manifests/host.yaml")
	link(t, "../../../../../secret", ofA+"/modules/m/manifests/secret.yaml")
	link(t, "..", ofA+"/modules/m/manifests/loop")
	link(t, "tenant-a", "tenants/tenant-alias")
	remove(t, "tenants/tenant-b")
	link(t, "/etc", "tenants/tenant-etc")
	o := renderAgain(t, platform)
	assert.Equal(t, []string{
		"warning copy-link-left-out " + ofA + "/modules/m/manifests/host.yaml",
		"warning copy-link-left-out " + ofA + "/modules/m/manifests/loop",
		"warning copy-link-left-out " + ofA + "/modules/m/manifests/secret.yaml",
		"warning link-skipped tenants/tenant-alias",
		"warning link-skipped tenants/tenant-etc",
	}, o.found("error", "warning"))
	assert.Equal(t, archiveDigest(t, m{"cm.yaml": manifest}), o.get(t, "tenant-a/m").annotation("digest"))

	o = renderAgain(t, with(t, "manifests/**", "manifests/host.yaml"))
	assert.Contains(t, o.the(t, "copy-link").Message, ofA+"/modules/m/manifests/host.yaml")
}

func TestVariablesStayText(t *testing.T) {
	value := "${DD_API_KEY} {{ .x }} << inputs.y >> $(z) $$ ${"
	o := provision(t, platform, m{tenantA: "a: ${b}\n", fileA: metadataHead + "  annotations: {my.org/note: '" + value + "'}\n"})
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, value, o.get(t, "tenant-a").Metadata.Annotations["my.org/note"])
	for _, name := range o.ours() {
		assert.Equal(t, "disabled", o.get(t, name).Metadata.Annotations["kustomize.toolkit.fluxcd.io/substitute"])
	}
	for _, strategy := range []string{"Reset", "Override", "Merge"} {
		o = provision(t, with(t, "            fromSource:", "            from: [{strategy: "+strategy+", namespace: '*', annotations: {kustomize.toolkit.fluxcd.io/substitute: enabled}}]\n            fromSource:"), m{tenantA: manifest})
		if o.status == exitOK {
			assert.Equal(t, "disabled", o.get(t, "tenant-a").Metadata.Annotations["kustomize.toolkit.fluxcd.io/substitute"], strategy)
		}
	}
}

func TestThirdDocumentHasNoKind(t *testing.T) {
	_, generators, _ := strings.Cut(platform, "  generators:\n")
	config := strings.Replace(with(t, "  sources:\n", "  configs: [conf/*.yaml]\n  sources:\n"), generators, "    []\n", 1)
	repo(t, m{tenantA: manifest, "conf/a.yaml": "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a}\n---\n# nothing\n---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: b}\n---\nmetadata: {name: c}\n"})
	o := renderAgain(t, config)
	assert.Equal(t, exitErrors, o.status)
	assert.Regexp(t, `(?m)^error: conf/a\.yaml:11(:1)?: `, o.stderr)
	assert.Contains(t, o.stderr, "kind")
}

func TestDigestsNameTheirAlgorithm(t *testing.T) {
	o := provision(t, platform, m{tenantA: manifest})
	for _, name := range o.ours() {
		assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, o.get(t, name).annotation("digest"))
	}
}
