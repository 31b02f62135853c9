package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

func publishing(t *testing.T, fields string) (*config.Plan, *krm.Report) {
	t.Helper()
	in, err := krm.Read([]byte(listOf(`apiVersion: fn.kpt.dev/v1alpha1
kind: ProvisionTenants
metadata: {name: monorepo}
spec:
  publish: ` + fields + `
  generators:
    - metadata: {name: apps}
      spec:
        sources: [{alias: repo, kind: GitRepository, name: monorepo}]
        artifacts: [{name: a, copy: [{from: "@repo/a", to: "@artifact/"}]}]
`)))
	require.NoError(t, err)
	rep := &krm.Report{}
	plan, _ := config.Parse(in, rep)
	return plan, rep
}

func TestPublish(t *testing.T) {
	for fields, want := range map[string]*config.Publish{
		"null":                                    nil,
		`{baseURL: "https://example.org"}`:        {BaseURL: "https://example.org", LastUpdateTime: "1970-01-01T00:00:00Z"},
		`{baseURL: "http://x.cluster.local./"}`:   {BaseURL: "http://x.cluster.local.", LastUpdateTime: "1970-01-01T00:00:00Z"},
		`{baseURL: "https://[::1]:8443/a%20b//"}`: {BaseURL: "https://[::1]:8443/a%20b", LastUpdateTime: "1970-01-01T00:00:00Z"},
		`{baseURL: "https://example.org/~a/@b", lastUpdateTime: null}`:                         {BaseURL: "https://example.org/~a/@b", LastUpdateTime: "1970-01-01T00:00:00Z"},
		`{baseURL: "https://example.org", lastUpdateTime: "2026-01-01T00:30:00.999999+01:00"}`: {BaseURL: "https://example.org", LastUpdateTime: "2025-12-31T23:30:00Z"},
		`{baseURL: "https://example.org", lastUpdateTime: "2024-02-29T23:59:59Z"}`:             {BaseURL: "https://example.org", LastUpdateTime: "2024-02-29T23:59:59Z"},
		`{baseURL: "https://example.org", lastUpdateTime: '1970-01-01T00:00:00-00:00'}`:        {BaseURL: "https://example.org", LastUpdateTime: "1970-01-01T00:00:00Z"},
	} {
		plan, rep := publishing(t, fields)
		require.False(t, rep.Failed(), "%s %v", fields, rep.Findings())
		assert.Equal(t, want, plan.Publish, fields)
	}
}

func TestPublishMistakes(t *testing.T) {
	const url, at = "spec.publish.baseURL", "spec.publish.lastUpdateTime"
	for fields, want := range map[string][2]string{
		"{}":                                                                      {"config-required", url},
		`{baseURL: ""}`:                                                           {"config-value", url},
		`{baseURL: "ftp://example.org"}`:                                          {"config-value", url},
		`{baseURL: "HTTPS://example.org"}`:                                        {"config-value", url},
		`{baseURL: "example.org/x"}`:                                              {"config-value", url},
		`{baseURL: "https:///x"}`:                                                 {"config-value", url},
		`{baseURL: "https://a:b@example.org"}`:                                    {"config-value", url},
		`{baseURL: "https://example.org/?a=b"}`:                                   {"config-value", url},
		`{baseURL: "https://example.org/#a"}`:                                     {"config-value", url},
		`{baseURL: "https://example.org/a b"}`:                                    {"config-value", url},
		`{baseURL: "https://example.org/%zz"}`:                                    {"config-value", url},
		`{baseURL: "https://example.org\n/"}`:                                     {"config-value", url},
		`{baseURL: "https://example.org:port/"}`:                                  {"config-value", url},
		`{baseURL: "https://e.org", lastUpdateTime: 1970-01-01T00:00:00Z}`:        {"config-type", at},
		`{baseURL: 1}`:                                                            {"config-type", url},
		`{baseURL: "https://e.org", lastUpdateTime: ""}`:                          {"config-value", at},
		`{baseURL: "https://e.org", lastUpdateTime: "now"}`:                       {"config-value", at},
		`{baseURL: "https://e.org", lastUpdateTime: "2026-02-29T00:00:00Z"}`:      {"config-value", at},
		`{baseURL: "https://e.org", lastUpdateTime: "2026-01-01T24:00:00Z"}`:      {"config-value", at},
		`{baseURL: "https://e.org", lastUpdateTime: "2026-01-01T00:00:00"}`:       {"config-value", at},
		`{baseURL: "https://e.org", lastUpdateTime: "2026-01-01t00:00:00z"}`:      {"config-value", at},
		`{baseURL: "https://e.org", lastUpdateTime: "0000-01-01T00:00:00+01:00"}`: {"config-value", at},
		`{baseURL: "https://e.org", lastUpdateTime: "9999-12-31T23:59:59-01:00"}`: {"config-value", at},
		`{baseURL: "https://e.org", updateTime: "x"}`:                             {"config-unknown-field", "spec.publish.updateTime"},
	} {
		_, rep := publishing(t, fields)
		require.Len(t, rep.Findings(), 1, fields)
		f := rep.Findings()[0]
		assert.Equal(t, want, [2]string{f.Code, f.Pos.Field}, fields)
	}
}
