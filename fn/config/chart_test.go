package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/chart"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// decodeChart reads one entry of helmCharts.
func decodeChart(t *testing.T, text string) (chart.Chart, []string) {
	t.Helper()
	rep := &krm.Report{}
	node, ok := krm.ParseFile("p.yaml", []byte(text), rep)
	require.True(t, ok, rep.Findings())
	c := newChart(decode[helmChart](node, rep), rep)
	var found []string
	for _, f := range rep.Findings() {
		found = append(found, f.String())
	}
	return c, found
}

const plainChart = `repositoryURL: https://kyverno.github.io/kyverno/
repositoryName: kyverno
chartName: kyverno/kyverno
chartVersion: v3.1.4
releaseName: kyverno-latest
releaseNamespace: kyverno
helmChartAction: Install
`

func TestChartDefaults(t *testing.T) {
	c, found := decodeChart(t, plainChart)
	assert.Empty(t, found)
	var defaults chart.Options
	defaults.Install.CreateNamespace, defaults.Install.Replace, defaults.Upgrade.MaxHistory = true, true, 2
	assert.Equal(t, defaults, c.Options)
	assert.Equal(t, chart.Release{Namespace: "kyverno", Name: "kyverno-latest"}, c.Release())
	assert.Equal(t, krm.Pos{File: "p.yaml", Line: 4, Column: 15, Field: "chartVersion"}, c.Version.Pos)
	assert.False(t, c.Uninstall)
}

func TestChartFields(t *testing.T) {
	c, found := decodeChart(t, strings.Replace(plainChart, "Install", "Uninstall", 1)+`values: |
  a: 1
valuesFrom:
- {kind: Secret, namespace: a, name: b, optional: true}
- {kind: ConfigMap, name: "{{ .Cluster.metadata.name }}"}
options:
  timeout: 1h30m
  wait: true
  installOptions: {createNamespace: false, replace: false}
  upgradeOptions: {maxHistory: 0, resetValues: true}
  uninstallOptions: {deletionPropagation: foreground}
registryCredentialsConfig:
  credentials: {name: c}
  ca: {namespace: ns, name: ca}
  key: config.json
  plainHTTP: true
signatureVerification:
  provider: Keyless
  matchOIDCIdentity: [{issuer: i, subject: s}]
`)
	assert.Empty(t, found)
	assert.True(t, c.Uninstall)
	assert.Equal(t, "a: 1\n", c.Values.Text)
	require.Len(t, c.ValuesFrom, 2)
	assert.Equal(t, "Secret a/b true", c.ValuesFrom[0].Kind+" "+c.ValuesFrom[0].Namespace.Text+"/"+c.ValuesFrom[0].Name.Text+" true")
	assert.True(t, c.ValuesFrom[0].Optional)
	assert.Equal(t, "{{ .Cluster.metadata.name }}", c.ValuesFrom[1].Name.Text)
	assert.Equal(t, "1h30m", c.Options.Timeout.Text)
	assert.True(t, c.Options.Wait)
	assert.False(t, c.Options.Install.CreateNamespace)
	assert.False(t, c.Options.Install.Replace)
	assert.Zero(t, c.Options.Upgrade.MaxHistory)
	assert.True(t, c.Options.Upgrade.ResetValues.On)
	assert.Equal(t, "foreground", c.Options.Uninstall.DeletionPropagation.Text)
	assert.Equal(t, "c", c.Credentials.Name.Text)
	assert.Equal(t, "ns", c.CA.Namespace.Text)
	assert.Equal(t, "config.json", c.CredentialsKey.Text)
	assert.True(t, c.PlainHTTP.On)
	require.Len(t, c.Signature.Identities, 1)
	assert.Equal(t, "s", c.Signature.Identities[0].Subject.Text)
}

// Every field that Flux has no place for is one warning; those that are off are none.
func TestChartFieldsWithoutEquivalent(t *testing.T) {
	_, found := decodeChart(t, plainChart+`options:
  dependencyUpdate: true
  enableClientCache: true
  labels: {a: b}
  description: d
  installOptions: {recoverAfterConsecutiveFailures: 3}
  upgradeOptions: {subNotes: true, recreate: true}
registryCredentialsConfig: {insecureSkipTLSVerify: true}
provenanceVerification: {keyringSecretRef: {name: k}}
`)
	var fields []string
	for _, f := range found {
		require.Contains(t, f, "Flux has nothing like `")
		fields = append(fields, strings.Split(f, "`")[1])
	}
	assert.Equal(t, []string{
		"options.dependencyUpdate", "options.enableClientCache", "options.labels", "options.description",
		"options.installOptions.recoverAfterConsecutiveFailures", "options.upgradeOptions.subNotes", "options.upgradeOptions.recreate",
		"registryCredentialsConfig.insecureSkipTLSVerify", "provenanceVerification",
	}, fields)
	_, found = decodeChart(t, plainChart+"options: {dependencyUpdate: false, labels: {}, upgradeOptions: {subNotes: false}}\nregistryCredentialsConfig: {insecureSkipTLSVerify: false}\n")
	assert.Empty(t, found)
}

func TestChartMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"chartversion: 1":                                       "unknown field \"chartversion\"",
		"options: {wiat: yes}":                                  "unknown field \"wiat\"",
		"options: {timeout: 5 minutes}":                         "must be a duration such as `5m`",
		"options: {timeout: \"0\"}":                             "must be a duration such as `5m`",
		"options: {timeout: 1d}":                                "must be a duration such as `5m`",
		"options: {wait: \"true\"}":                             "must be true or false",
		"options: {postRenderStrategy: Combined}":               "must be one of `combined`, `separate`, `nohooks`",
		"options: {uninstallOptions: {deletionPropagation: x}}": "must be one of `orphan`, `foreground`, `background`",
		"options: {upgradeOptions: {maxHistory: \"3\"}}":        "must be a whole number",
		"options: {upgradeOptions: {maxHistory: 3000000000}}":   "must be a whole number",
		"valuesFrom: [{kind: Deployment, name: a}]":             "must be one of `ConfigMap`, `Secret`",
		"valuesFrom: [{kind: Secret}]":                          "`name` is required",
		"signatureVerification: {provider: PublicKey}":          "`secretRef` is required",
		"signatureVerification: {provider: Keyless}":            "everybody may have signed",
		"signatureVerification: {provider: cosign}":             "must be one of `PublicKey`, `Keyless`",
		"provenanceVerification: {}":                            "`keyringSecretRef` is required",
	} {
		_, found := decodeChart(t, plainChart+text)
		assert.Contains(t, strings.Join(found, "\n"), want, text)
	}
	_, found := decodeChart(t, "helmChartAction: Remove\n")
	all := strings.Join(found, "\n")
	for _, want := range []string{"`repositoryURL` is required", "`releaseName` is required", "`releaseNamespace` is required", "must be one of `Install`, `Uninstall`"} {
		assert.Contains(t, all, want)
	}
}
