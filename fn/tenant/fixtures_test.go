package tenant

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// TestFixtureLayouts finds the tenants of layouts that platform teams have.
func TestFixtureLayouts(t *testing.T) {
	tests := map[string]struct {
		fixture, pattern, namespace, name string
		want                              []string
	}{
		"one directory per namespace": {
			"01-*", "@repo/namespaces/{cluster}/{namespace}", "{namespace}", "{cluster}",
			[]string{
				"grants-office-review-panel-scheduling-assistant-service-prepro (namespaces/cluster-a/grants-office-review-panel-scheduling-assistant-service-prepro): cluster-a",
				"harbour-permits-dev (namespaces/cluster-a/harbour-permits-dev): cluster-a",
				"harbour-permits-prod (namespaces/cluster-a/harbour-permits-prod): cluster-a",
				"library-loans-uat (namespaces/cluster-a/library-loans-uat): cluster-a",
			},
		},
		"mixed case": {
			"04-*", "@repo/cluster-scope/base/core/namespaces/{namespace}", "{namespace}", "base",
			[]string{
				"astro-lab (cluster-scope/base/core/namespaces/astro-lab): base",
				"curation (cluster-scope/base/core/namespaces/curation): base",
				"notebooks (cluster-scope/base/core/namespaces/notebooks): base",
				"project-lab-2 (cluster-scope/base/core/namespaces/Project-Lab-2): base",
			},
		},
		"two captures before, committed output beside": {
			"05-*", "@repo/cluster/{cluster}/{kind}/{namespace}", "{namespace}", "{cluster}-{kind}",
			[]string{
				"blue-team (cluster/prod-01/tenants/blue-team): prod-01-tenants",
				"release-blue (cluster/prod-01/managed/release-blue): prod-01-managed",
			},
		},
		"before": {
			"20-*/before", examplePattern, "{namespace}", "{module}",
			[]string{"tenant-a (tenants/tenant-a): m", "tenant-b (tenants/tenant-b): m", "tenant-c (tenants/tenant-c): m"},
		},
		"renamed":    {"20-*/after-rename", examplePattern, "{namespace}", "{module}", []string{"tenant-a (tenants/tenant-a): m", "tenant-bee (tenants/tenant-bee): m", "tenant-c (tenants/tenant-c): m"}},
		"deleted":    {"20-*/after-delete-one", examplePattern, "{namespace}", "{module}", []string{"tenant-a (tenants/tenant-a): m", "tenant-c (tenants/tenant-c): m"}},
		"no modules": {"20-*/after-modules-gone", examplePattern, "{namespace}", "{module}", []string{"tenant-a (tenants/tenant-a): m", "tenant-b (tenants/tenant-b): m"}},
		"all gone":   {"20-*/after-delete-all", examplePattern, "{namespace}", "{module}", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			g := generator{pattern: test.pattern, namespace: test.namespace, name: test.name, allowedNames: []string{"ns != ''"}}
			assert.Equal(t, test.want, summary(g.provision(t, disk(t, test.fixture), &rep)))
			assert.False(t, rep.Failed(), "%v", rep.Findings())
			assert.Equal(t, name == "no modules", len(infos(&rep)) > 0)
		})
	}
	assert.Equal(t, `no directory in "tenants" matches the path segment "{namespace}", there are no directories`,
		pattern(t, examplePattern).NoMatch(disk(t, "20-*/after-delete-all")))
}

func TestFixtureSpellingDrift(t *testing.T) {
	var rep krm.Report
	g := generator{
		pattern: examplePattern, namespace: "{namespace}", path: metadataPath, allowedNames: []string{"ns.startsWith('tenant-')"},
		labels: m{"platform.example.org/environment-name": "value in ['dev','test','uat','preprod','prod']"},
	}
	got := g.provision(t, disk(t, "02-*"), &rep)
	labels := map[string]string{}
	for _, tenant := range got {
		labels[tenant.Namespace] = tenant.Labels["platform.example.org/environment-name"]
	}
	assert.Equal(t, map[string]string{
		"tenant-a": "dev", "tenant-b": "", "tenant-c": "", "tenant-d": "", "tenant-e": "uat", "tenant-f": "prod", "tenant-g": "", "tenant-h": "", "tenant-i": "",
	}, labels)

	rejected := map[string]string{"b": "development", "c": "Test", "d": "UAT", "g": "production", "h": "live", "i": "live-production"}
	near := map[string]string{"c": "did you mean \"test\"? ", "d": "did you mean \"uat\"? "}
	require.Len(t, errs(&rep), len(rejected), "all in one run")
	for _, f := range rep.Findings() {
		tenant := strings.TrimSuffix(strings.TrimPrefix(f.Pos.File, "repo/tenants/tenant-"), "/namespace-metadata.yaml")
		assert.Equal(t, "metadata-value-refused", f.Code)
		assert.Equal(t, 5, f.Pos.Line)
		assert.Equal(t, 44, f.Pos.Column)
		assert.Contains(t, f.Message, fmt.Sprintf("cannot be %q", rejected[tenant]))
		assert.Equal(t, near[tenant]+`use one of "dev", "preprod", "prod", "test", "uat"`, f.Hint)
	}
}

func TestFixtureDirectoryGenerator(t *testing.T) {
	g := generator{pattern: "@repo/deploy/{category}/{app}", namespace: "{category}", name: "{app}", allowedNames: []string{"ns != ''"}}
	var rep krm.Report
	got := g.provision(t, disk(t, "08-*"), &rep)
	assert.Equal(t, []string{"ai (deploy/ai): common nginx", "ingress (deploy/ingress): nginx", "shop (deploy/shop): cart web.v2"}, summary(got))
	assert.Equal(t, []string{
		`artifact-collision repo/deploy/ai/common: the directories "deploy/ai/Common" and "deploy/ai/common" both give the artifact "common" in the namespace "ai"`,
		`artifact-name repo/deploy/ai/office_back: the directory "deploy/ai/office_back" gives an artifact the name "office_back": a DNS subdomain must not contain '_' (character 7)`,
	}, errs(&rep))
	assert.Equal(t, []string{`directory-hidden : skipped directories whose names begin with a dot: "repo/deploy/ai/.meta"`}, infos(&rep))

	g.namespace = "apps"
	rep = krm.Report{}
	g.provision(t, disk(t, "08-*"), &rep)
	assert.Contains(t, errs(&rep), `artifact-collision repo/deploy/ingress/nginx: the directories "deploy/ai/nginx" and "deploy/ingress/nginx" both give the artifact "nginx" in the namespace "apps"`)
}

func TestFixtureMonorepo(t *testing.T) {
	var rep krm.Report
	g := generator{
		pattern: examplePattern, namespace: "{namespace}", path: metadataPath, allowedNames: []string{`ns.startsWith("tenant-")`},
		common:      Metadata{Labels: strs("commonMetadata.labels", m{"platform.example.org/provisioner": "monorepo"})},
		annotations: m{"platform.example.org/observability": "value.matches('^(Enabled|Disabled)$')"},
		labels:      m{"platform.example.org/cost-centre": "value.matches('^[0-9]{4}$')"},
		from:        []OperationFields{operation("Override", "tenant-tide", m{"platform.example.org/tier": "gold"}, nil)},
	}
	got := g.provision(t, disk(t, "11-*"), &rep)
	assert.Equal(t, []string{"tenant-reef (tenants/tenant-reef): web worker", "tenant-tide (tenants/tenant-tide): api database web"}, summary(got))
	assert.Equal(t, m{
		"platform.example.org/provisioner": "monorepo", "platform.example.org/cost-centre": "0042", "platform.example.org/tier": "gold",
	}, got[1].Labels, "what one tenant does wrong changes nothing for another")
	assert.Equal(t, m{"platform.example.org/observability": "Enabled"}, got[1].Annotations)

	refused := the(t, &rep, "metadata-value-refused")
	assert.Equal(t, "repo/tenants/tenant-reef/namespace-metadata.yaml:5:41", refused.Pos.Place())
	assert.Contains(t, refused.Hint, `did you mean "Enabled"?`)
	assert.Equal(t, "repo/tenants/tenant-reef/namespace-metadata.yaml:8:39", the(t, &rep, "metadata-not-string").Pos.Place())
	assert.Equal(t, "repo/tenants/tenant-reef/namespace-metadata.yaml:7:5", the(t, &rep, "metadata-key-ignored").Pos.Place())
	assert.Equal(t, "repo/tenants/kube-system", the(t, &rep, "namespace-reserved").Pos.File)
	assert.Equal(t, "repo/tenants/tenant-empty", the(t, &rep, "directory-unused").Pos.File)
	assert.Len(t, rep.Findings(), 5)
}

func TestFixtureDenyListBecomesDefaultDeny(t *testing.T) {
	var rep krm.Report
	g := generator{
		pattern: examplePattern, namespace: "{namespace}", path: metadataPath, allowedNames: []string{"ns.startsWith('solar-')"},
		labels: m{"team": "value == 'solar'"},
		from:   []OperationFields{operation("Override", "*", m{"pod-security.kubernetes.io/enforce": "baseline"}, nil)},
	}
	got := g.provision(t, disk(t, "13-*"), &rep)
	require.Len(t, got, 4)
	assert.Equal(t, m{"team": "solar", "pod-security.kubernetes.io/enforce": "baseline"}, got[0].Labels)
	for _, tenant := range got[1:] {
		assert.Equal(t, m{"pod-security.kubernetes.io/enforce": "baseline"}, tenant.Labels, "the admin is not bound by the tenants' rules")
	}
	assert.Equal(t, []string{
		"metadata-key-ignored repo/tenants/solar-1/namespace-metadata.yaml:5:5: metadata.labels[\"pod-security.kubernetes.io/enforce\"]: the label \"pod-security.kubernetes.io/enforce\" is ignored, no allow-list names it",
		"metadata-key-ignored repo/tenants/solar-2/namespace-metadata.yaml:5:5: metadata.labels.billing: the label \"billing\" is ignored, no allow-list names it",
		"metadata-key-ignored repo/tenants/solar-3/namespace-metadata.yaml:5:5: metadata.labels[\"xpod-securityAkubernetes.io/foo\"]: the label \"xpod-securityAkubernetes.io/foo\" is ignored, no allow-list names it",
	}, warnings(&rep), "a value that nobody uses may be an unquoted y")
	assert.False(t, rep.Failed())
}

func TestFixtureTenantTextIsData(t *testing.T) {
	var rep krm.Report
	all := "value != ''"
	g := generator{
		pattern: examplePattern, namespace: "{namespace}", path: metadataPath, allowedNames: []string{"ns != ''"},
		annotations: m{"alerts.example.org/expr": all, "alerts.example.org/summary": all, "set.example.org/comment": all, "shell": all, "go": all},
	}
	got := g.provision(t, disk(t, "14-*"), &rep)
	require.Len(t, got, 1)
	assert.Empty(t, rep.Findings())
	assert.Equal(t, m{
		"alerts.example.org/expr":    `sum(rate(http_requests_total{namespace="$namespace"}[5m])) > ${THRESHOLD}`,
		"alerts.example.org/summary": "{{ $labels.pod }} is down",
		"set.example.org/comment":    "kpt-set: ${team}",
		"shell":                      "$(date) `id` $$",
		"go":                         "<< inputs.tenant >>",
	}, got[0].Annotations)
}

// TestLimits writes values on both sides of every limit of the API.
func TestLimits(t *testing.T) {
	files := map[string]source.Content{}
	put := func(tenant, what, key, value string) {
		files["tenants/"+tenant+"/modules/m/"] = source.Content{}
		text := fmt.Sprintf("%s  %s:\n    %s: \"%s\"\n", fileHead, what, key, value)
		files["tenants/"+tenant+"/namespace-metadata.yaml"] = source.Content{Data: []byte(text)}
	}
	bad := map[string]string{"tenant-val-64": "metadata-value-syntax", "tenant-ann-262145": "annotations-too-large"}
	for _, n := range []int{63, 64} {
		put(fmt.Sprintf("tenant-val-%d", n), "labels", "k", strings.Repeat("v", n))
		put(fmt.Sprintf("tenant-key-%d", n), "labels", strings.Repeat("k", n), "v")
	}
	prefix := func(n int) string { return strings.Repeat("a.", 126) + strings.Repeat("a", n-252) + "/k" }
	for _, n := range []int{253, 254} {
		put(fmt.Sprintf("tenant-prefix-%d", n), "labels", prefix(n), "v")
	}
	for _, n := range []int{262143, 262144, 262145} {
		put(fmt.Sprintf("tenant-ann-%d", n), "annotations", "k", strings.Repeat("x", n-1))
	}
	for _, value := range []string{"-a", "a-", "a_", "_a", ".a", "a b", "a/b", "é"} {
		name := fmt.Sprintf("tenant-v-%x", value)
		put(name, "labels", "k", value)
		bad[name] = "metadata-value-syntax"
	}
	put("tenant-v-empty", "labels", "k", "")

	all := "value.size() >= 0"
	g := generator{
		pattern: examplePattern, namespace: "{namespace}", path: metadataPath, allowedNames: []string{"ns != ''"},
		labels: m{"k": all, strings.Repeat("k", 63): all, prefix(253): all}, annotations: m{"k": all},
	}
	var rep krm.Report
	got := g.provision(t, source.Memory("repo", files), &rep)
	assert.Len(t, got, 18)
	found := map[string]string{}
	for _, f := range rep.Findings() {
		tenant := strings.Split(f.Pos.File, "/")[2]
		if f.Severity == krm.Error {
			found[tenant] = f.Code
			assert.Equal(t, 5, f.Pos.Line)
			continue
		}
		assert.Equal(t, "metadata-key-ignored", f.Code)
		assert.Contains(t, []string{"tenant-key-64", "tenant-prefix-254"}, tenant, "no allow-list can name such a key")
	}
	assert.Equal(t, bad, found)

	for _, key := range []string{strings.Repeat("k", 64), prefix(254)} {
		var rep krm.Report
		_, ok := NewPolicy(PolicyFields{
			AllowedNames: []krm.Str{at("n", "ns != ''")},
			Metadata:     &MetadataFields{FromSource: fromSource("@repo/x", m{key: all}, m{key: all})},
		}, &rep)
		assert.False(t, ok)
		assert.Len(t, errs(&rep), 2)
	}
}
