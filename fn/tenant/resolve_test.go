package tenant

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// names builds the templates of artifacts from `namespace/name`; an artifact
// without a namespace has no slash.
func names(t testing.TB, texts ...string) []Names {
	t.Helper()
	var all []Names
	for _, text := range texts {
		namespace, name, found := strings.Cut(text, "/")
		if !found {
			all = append(all, Names{Name: template(t, text)})
			continue
		}
		all = append(all, Names{Name: template(t, name), Namespace: template(t, namespace)})
	}
	return all
}

// resolve runs discovery and resolution over empty directories.
func resolve(t testing.TB, pathPattern string, artifacts []Names, rep *krm.Report, dirs ...string) []Tenant {
	t.Helper()
	files := tree(dirs...)
	p := pattern(t, pathPattern)
	return Resolve(files, p, discover(files, p, rep), artifacts, "flux-system", rep)
}

// summary renders tenants as `namespace (dir): module module`.
func summary(tenants []Tenant) []string {
	var lines []string
	for _, tenant := range tenants {
		var modules []string
		for _, m := range tenant.Modules {
			modules = append(modules, m.Name)
		}
		lines = append(lines, tenant.Namespace+" ("+tenant.Dir+"): "+strings.Join(modules, " "))
	}
	return lines
}

const examplePattern = "@repo/tenants/{namespace}/modules/{module}"

func TestResolve(t *testing.T) {
	var rep krm.Report
	got := resolve(t, examplePattern, names(t, "{namespace}/{module}"), &rep,
		"tenants/tenant-b/modules/web/", "tenants/tenant-a/modules/web/", "tenants/tenant-a/modules/API.v2/", "tenants/Tenant-C/modules/web/")
	assert.Empty(t, rep.Findings())
	assert.Equal(t, []string{
		"tenant-a (tenants/tenant-a): api.v2 web",
		"tenant-b (tenants/tenant-b): web",
		"tenant-c (tenants/Tenant-C): web",
	}, summary(got))
	assert.Equal(t, map[string]string{"namespace": "Tenant-C"}, got[2].Raw, "raw, for paths")
	assert.Equal(t, "repo/tenants/Tenant-C", got[2].Pos.Place())
	assert.Equal(t, "tenants/tenant-a/modules/API.v2", got[0].Modules[0].Match.Dir)
	assert.False(t, got[0].Own)
}

func TestResolveSeveralArtifacts(t *testing.T) {
	var rep krm.Report
	got := resolve(t, "@repo/{team}/{app}", names(t, "{team}/{app}", "{team}/{app}-rules", "{team}-ops/{app}", "all-of-{team}.{app}"), &rep,
		"a/x/", "a/y/", "b/x/")
	assert.Empty(t, rep.Findings())
	assert.Equal(t, []string{
		"a (a): x x-rules y y-rules",
		"a-ops (a): x y",
		"b (b): x x-rules",
		"b-ops (b): x",
		"flux-system (): all-of-a.x all-of-a.y all-of-b.x",
	}, summary(got))
	assert.True(t, got[4].Own)
	assert.Equal(t, 1, got[0].Modules[1].Artifact)
}

func TestResolveDirectoryOfATenant(t *testing.T) {
	var rep krm.Report
	got := resolve(t, "@repo/cluster/{cluster}/{kind}/{namespace}", names(t, "{namespace}/{cluster}-{kind}"), &rep,
		"cluster/one/managed/blue/", "cluster/one/tenants/blue/", "cluster/one/tenants/green/")
	assert.Empty(t, rep.Findings())
	assert.Equal(t, []string{
		"blue (cluster/one): one-managed one-tenants",
		"green (cluster/one/tenants/green): one-tenants",
	}, summary(got), "the deepest directory that holds all matches, each cut at the last capture of the namespace")
	assert.Equal(t, "repo/cluster/one", got[0].Pos.Place())
}

func TestResolveWithoutPattern(t *testing.T) {
	var rep krm.Report
	got := Resolve(nil, Pattern{}, []Match{{}}, names(t, "app", "infra/base"), "flux-system", &rep)
	assert.Empty(t, rep.Findings())
	assert.Equal(t, []string{"flux-system (): app", "infra (): base"}, summary(got))
}

func TestResolveRefusesBadNames(t *testing.T) {
	long := strings.Repeat("n", 61)
	var rep krm.Report
	got := resolve(t, examplePattern, names(t, "{namespace}/{module}", "ns-{namespace}/{module}-rules"), &rep,
		"tenants/office_back/modules/web/", "tenants/office_back/modules/api/", "tenants/team-2.x/modules/web/",
		"tenants/"+long+"/modules/my_app/", "tenants/ok/modules/a..b/", "tenants/ok/modules/web/")
	assert.Equal(t, []string{"ns-ok (tenants/ok): web-rules", "ok (tenants/ok): web"}, summary(got))
	lines := errs(&rep)
	assert.Contains(t, lines, `namespace-name repo/tenants/office_back: the directory "tenants/office_back" asks for the namespace "office_back": a DNS label must not contain '_' (character 7)`)
	assert.Contains(t, lines, `namespace-name repo/tenants/team-2.x: the directory "tenants/team-2.x" asks for the namespace "team-2.x": a DNS label must not contain '.' (character 7)`)
	assert.Contains(t, lines, `namespace-name repo/tenants/office_back: the directory "tenants/office_back" asks for the namespace "ns-office_back": a DNS label must not contain '_' (character 10)`)
	assert.Contains(t, lines, `artifact-name repo/tenants/`+long+`/modules/my_app: the directory "tenants/`+long+`/modules/my_app" gives an artifact the name "my_app": a DNS subdomain must not contain '_' (character 3)`)
	assert.Contains(t, lines, `artifact-name repo/tenants/ok/modules/a..b: the directory "tenants/ok/modules/a..b" gives an artifact the name "a..b": a DNS subdomain must begin and end every part between dots with a letter or a digit`)
	assert.Contains(t, lines, `namespace-name repo/tenants/`+long+`: the directory "tenants/`+long+`" asks for the namespace "ns-`+long+`": a DNS label has at most 63 characters, this one has 64`)
	for _, f := range rep.Findings() {
		if f.Pos.File == "repo/tenants/office_back" && strings.Contains(f.Message, `"office_back":`) {
			assert.Equal(t, `rename the directory so that the namespace is, for example, "office-back"`, f.Hint)
		}
	}
	count := 0
	for _, line := range lines {
		if strings.Contains(line, `asks for the namespace "office_back"`) {
			count++
		}
	}
	assert.Equal(t, 1, count, "once for the directory, not once for each module in it")
}

func TestResolveNameLimits(t *testing.T) {
	label63, label64 := strings.Repeat("x", 63), strings.Repeat("x", 64)
	assert.Empty(t, dnsLabel.problem(label63))
	assert.Equal(t, "a DNS label has at most 63 characters, this one has 64", dnsLabel.problem(label64))
	parts := strings.Repeat("a.", 126)
	assert.Empty(t, subdomain.problem(parts+"b"))
	assert.Equal(t, "a DNS subdomain has at most 253 characters, this one has 254", subdomain.problem(parts+"bc"))
	assert.Empty(t, labelValueProblem(""))
	assert.Empty(t, labelValueProblem("A_b.c-1"))
	assert.Empty(t, labelValueProblem("a..b"), "labels are no DNS names")
	for _, bad := range []string{"-a", "a-", "a_", "_a", ".a", "a b", "a/b", "é", "a:b"} {
		assert.NotEmpty(t, labelValueProblem(bad), "%q", bad)
	}
	for _, bad := range []string{"", "A", "a.b", "-a", "a-", "a_b"} {
		assert.NotEmpty(t, dnsLabel.problem(bad), "%q", bad)
	}
}

func TestResolveRefusesOneNamespaceFromTwoDirectories(t *testing.T) {
	tests := map[string]struct {
		pattern, namespace, first, second, name, hint string
	}{
		"case twins":          {examplePattern, "{namespace}/{module}", "tenants/Tenant-A/modules/y", "tenants/tenant-a/modules/x", "tenant-a", lowerCased},
		"two ways to split":   {"@r/{a}/{b}/m/{module}", "{a}-{b}/{module}", "x-y/z/m/m", "x/y-z/m/m", "x-y-z", "rename one of them: the texts of `{a}` and `{b}` add up to the same name"},
		"equal module, twins": {examplePattern, "{namespace}/{module}", "tenants/Tenant-A/modules/x", "tenants/tenant-a/modules/x", "tenant-a", lowerCased},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rep krm.Report
			resolve(t, test.pattern, names(t, test.namespace), &rep, test.first+"/", test.second+"/")
			f := the(t, &rep, "namespace-collision")
			assert.Equal(t, krm.Error, f.Severity)
			for _, dir := range []string{test.first, test.second} {
				segments := strings.Split(dir, "/")
				assert.Contains(t, f.Message, `"`+strings.Join(segments[:2], "/")+`"`)
			}
			assert.Contains(t, f.Message, `the namespace "`+test.name+`"`)
			assert.Equal(t, test.hint, f.Hint)
			assert.Len(t, rep.Findings(), 1, "not reported for the modules again")
		})
	}

	var rep krm.Report
	resolve(t, "@r/{a}/{b}", names(t, "{a}/x-{b}", "{b}/y-{a}"), &rep, "p/q/", "q/r/")
	assert.Equal(t, `the directory "p/q" and the directory "q" both ask for the namespace "q"`, the(t, &rep, "namespace-collision").Message, "the captures must be the same ones")

	rep = krm.Report{}
	resolve(t, "@r/{a}/{b}", names(t, "{a}/{b}", "{b}-{a}"), &rep, "flux-system/q/")
	assert.Equal(t, "rename one of them, or make both namespaces of the same captures", the(t, &rep, "namespace-collision").Hint)
}

func TestResolveRefusesOneArtifactFromTwoDirectories(t *testing.T) {
	var rep krm.Report
	resolve(t, "@r/deploy/{category}/{app}", names(t, "all/{app}"), &rep, "deploy/ai/nginx/", "deploy/ingress/nginx/", "deploy/ai/web/")
	f := the(t, &rep, "artifact-collision")
	assert.Equal(t, `the directories "deploy/ai/nginx" and "deploy/ingress/nginx" both give the artifact "nginx" in the namespace "all"`, f.Message)
	assert.Equal(t, "use every capture in the `name` or `namespace` of the artifact: `{category}` is in neither", f.Hint)
	assert.Equal(t, "repo/deploy/ingress/nginx", f.Pos.File)

	rep = krm.Report{}
	resolve(t, "@r/{ns}/{app}", names(t, "{ns}/{app}"), &rep, "a/Auth/", "a/auth/")
	f = the(t, &rep, "artifact-collision")
	assert.Equal(t, `the directories "a/Auth" and "a/auth" both give the artifact "auth" in the namespace "a"`, f.Message)
	assert.Equal(t, lowerCased, f.Hint)

	rep = krm.Report{}
	resolve(t, "@r/{category}/{app}", names(t, "all/{app}"), &rep, "a/Auth/", "a/auth/")
	assert.Equal(t, lowerCased, the(t, &rep, "artifact-collision").Hint, "the category is the same one")

	rep = krm.Report{}
	resolve(t, "@r/{a}/{b}", names(t, "all/{a}-{b}"), &rep, "x-y/z/", "x/y-z/")
	assert.Equal(t, "rename one of them", the(t, &rep, "artifact-collision").Hint)

	rep = krm.Report{}
	resolve(t, "@r/{a}/{b}", names(t, "{a}-{b}", "{b}-{a}"), &rep, "x/x/")
	assert.Equal(t, `two artifacts for the directory "x/x" are "x-x" in the namespace "flux-system"`, the(t, &rep, "artifact-collision").Message)

	rep = krm.Report{}
	got := resolve(t, "@r/{a}/{b}", names(t, "{a}/{b}"), &rep, "t1/m/", "t2/m/")
	assert.Empty(t, rep.Findings(), "equal names in two namespaces are two artifacts")
	require.Len(t, got, 2)
}

// TestResolveReportsEachPairOnce has a fixed name meet one that is made of a
// capture.
func TestResolveReportsEachPairOnce(t *testing.T) {
	for _, order := range [][]string{{"{ns}/{module}", "{ns}/web"}, {"{ns}/web", "{ns}/{module}"}} {
		var rep krm.Report
		artifacts := names(t, order...)
		for i := range artifacts {
			artifacts[i].Name = templateAt(t, fmt.Sprintf("artifacts[%d].name", i), artifacts[i].Name.Str().Text)
		}
		resolve(t, "@r/{ns}/{module}", artifacts, &rep, "t/api/", "t/web/", "t/zoo/")
		assert.Equal(t, []string{
			`artifact-collision artifacts[1].name: two artifacts for the directory "t/web" are "web" in the namespace "t"`,
			`artifact-collision repo/t/web: the directories "t/api" and "t/web" both give the artifact "web" in the namespace "t"`,
			`artifact-collision repo/t/zoo: the directories "t/api" and "t/zoo" both give the artifact "web" in the namespace "t"`,
		}, errs(&rep))
		for i, hint := range []string{"give the artifacts different names", "use every capture in the `name` or `namespace` of the artifact: `{module}` is in neither"} {
			assert.Equal(t, hint, rep.Findings()[i].Hint)
		}
	}
}

func TestAdmit(t *testing.T) {
	policy := policy(t, PolicyFields{
		AllowedNames: []krm.Str{
			at("allowedNames[0]", "ns.startsWith('tenant-')"), at("allowedNames[1]", "ns.split('-')[1] == 'x'"), at("allowedNames[2]", "ns in ['kube-me', 'default', 'guarded', 'own']"),
		},
		Own: "own", Protected: []string{"guarded"},
	})
	refusals := map[string]string{
		"tenant-a":    "",
		"team-x":      "", // the second
		"own":         "which is the generator's own",
		"kube-me":     "which is a system namespace",
		"kube-system": "which is a system namespace",
		"default":     "which is a system namespace",
		"flux-system": "which is a system namespace",
		"guarded":     "which is in `protectedNames`",
		"kubernetes":  "which `allowedNames` does not admit: `ns.startsWith('tenant-')` is false, `ns.split('-')[1] == 'x'` failed: index out of bounds: 1, `ns in ['kube-me', 'default', 'guarded', 'own']` is false",
		"tenant":      "which `allowedNames` does not admit: `ns.startsWith('tenant-')` is false, `ns.split('-')[1] == 'x'` failed: index out of bounds: 1",
	}
	for namespace, why := range refusals {
		var rep krm.Report
		got := policy.Admit([]Tenant{{Namespace: namespace, Raw: m{"ns": namespace}, Dir: "tenants/" + namespace, Pos: krm.Pos{File: "repo/tenants/" + namespace}}}, &rep)
		if why == "" {
			assert.Len(t, got, 1, namespace)
			assert.Empty(t, rep.Findings(), "a rule that fails does not matter when another one admits")
			continue
		}
		assert.Empty(t, got, namespace)
		require.Len(t, rep.Findings(), 1)
		f := rep.Findings()[0]
		assert.Equal(t, krm.Error, f.Severity)
		assert.Equal(t, "repo/tenants/"+namespace, f.Pos.File)
		assert.Contains(t, f.Message, `the directory "tenants/`+namespace+`" asks for the namespace "`+namespace+`", `+why)
	}
	var rep krm.Report
	assert.Len(t, policy.Admit([]Tenant{{Namespace: "own", Own: true}}, &rep), 1, "artifacts without a namespace pass")
	assert.Empty(t, rep.Findings())

	got := Resolve(nil, Pattern{}, []Match{{}}, []Names{{Name: template(t, "x"), Namespace: templateAt(t, "artifacts[0].namespace", "kube-public")}}, "own", &rep)
	assert.Empty(t, policy.Admit(got, &rep))
	assert.Equal(t, []string{"namespace-reserved artifacts[0].namespace: an artifact asks for the namespace \"kube-public\", which is a system namespace"}, errs(&rep))
}

// Without an allow-list anybody can ask for any namespace but these.
func TestRefuseReserved(t *testing.T) {
	var rep krm.Report
	tenants := resolve(t, "@repo/{namespace}/{module}", names(t, "{namespace}/{module}"), &rep,
		"tenant-a/x/", "kube-system/x/", "kube-me/x/", "default/x/", "flux-system/x/", "guarded/x/", "own/x/", "kubernetes/x/")
	assert.Equal(t, []string{"kubernetes (kubernetes): x", "tenant-a (tenant-a): x"}, summary(RefuseReserved(tenants, "own", []string{"guarded"}, &rep)))
	assert.Equal(t, []string{
		`namespace-reserved repo/default: the directory "default" asks for the namespace "default", which is a system namespace`,
		`namespace-reserved repo/flux-system: the directory "flux-system" asks for the namespace "flux-system", which is a system namespace`,
		`namespace-reserved repo/guarded: the directory "guarded" asks for the namespace "guarded", which is in ` + "`protectedNames`",
		`namespace-reserved repo/kube-me: the directory "kube-me" asks for the namespace "kube-me", which is a system namespace`,
		`namespace-reserved repo/kube-system: the directory "kube-system" asks for the namespace "kube-system", which is a system namespace`,
		`namespace-reserved repo/own: the directory "own" asks for the namespace "own", which is the generator's own`,
	}, errs(&rep))
}

func TestRefuseReservedLetsTheAdminChoose(t *testing.T) {
	var rep krm.Report
	tenants := resolve(t, "@repo/{namespace}/{module}", names(t, "kube-system/{namespace}-{module}", "{module}-{namespace}"), &rep, "tenant-a/x/")
	require.Len(t, tenants, 2)
	assert.Equal(t, tenants, RefuseReserved(tenants, "flux-system", []string{"kube-system"}, &rep))
	assert.Empty(t, rep.Findings())
}

func templateAt(t testing.TB, field, text string) krm.Template {
	t.Helper()
	tpl, ok := krm.ParseTemplate(at(field, text), &krm.Report{})
	require.True(t, ok)
	return tpl
}

// policy is a valid Policy.
func policy(t testing.TB, f PolicyFields) *Policy {
	t.Helper()
	var rep krm.Report
	if f.Namespaces == nil {
		f.Namespaces = []krm.Template{template(t, "{namespace}")}
	}
	if f.Captures == nil {
		f.Captures = []string{"namespace", "module"}
	}
	p, ok := NewPolicy(f, &rep)
	require.True(t, ok, "%v", rep.Findings())
	return p
}
