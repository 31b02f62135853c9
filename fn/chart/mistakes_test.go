package chart

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// found says of findings what they are about and what they say.
func found(findings []krm.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Severity.String()+" "+f.String())
	}
	return strings.Join(out, "\n")
}

func at(field, text string) krm.Str { return krm.Str{Text: text, Pos: krm.Pos{Field: field}} }

// What Kubernetes, Helm or Flux would refuse is refused here.
func TestMistakesInCharts(t *testing.T) {
	const isVersion = "must be a version such as `1.2.3` or a range such as `>=1.2.0 <2.0.0`, found "
	const isName = "must consist of lower-case letters, digits, `-` and `.`, with a letter or digit at both ends of each part, found "
	for _, c := range []struct {
		change func(*Chart)
		want   string
	}{
		{func(c *Chart) { c.ReleaseName = at("n", strings.Repeat("a", 54)) }, `error n: must have at most 53 characters, found "` + strings.Repeat("a", 54) + `" [config-value]`},
		{func(c *Chart) { c.ReleaseName = at("n", strings.Repeat("a", 53)) }, ""},
		{func(c *Chart) { c.ReleaseName = at("n", "Web") }, "error n: " + isName + `"Web" [config-value]`},
		{func(c *Chart) { c.ReleaseName = at("n", "web-") }, "error n: " + isName + `"web-" [config-value]`},
		{func(c *Chart) { c.ReleaseName = at("n", "a..b") }, "error n: " + isName + `"a..b" [config-value]`},
		{func(c *Chart) { c.ReleaseName = at("n", "a.b") }, ""},
		{func(c *Chart) { c.ReleaseName = at("n", "") }, "error n: " + isName + `"" [config-value]`},
		{func(c *Chart) { c.ReleaseNamespace = at("n", "a.b") }, "error n: must be the name of a namespace: at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends, found \"a.b\" [config-value]"},
		{func(c *Chart) { c.ReleaseNamespace = at("n", strings.Repeat("a", 64)) }, "error n: must be the name of a namespace: at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends, found \"" + strings.Repeat("a", 64) + "\" [config-value]"},
		{func(c *Chart) { c.Version = at("v", "latest") }, "error v: " + isVersion + `"latest" [config-value]`},
		{func(c *Chart) { c.Version = at("v", ">= 1 <") }, "error v: " + isVersion + `">= 1 <" [config-value]`},
		{func(c *Chart) { c.Version = at("v", "01.2.3.4") }, "error v: " + isVersion + `"01.2.3.4" [config-value]`},
		{func(c *Chart) { c.Version = at("v", "~1.2 || ^3") }, ""},
		{func(c *Chart) { c.Version = at("v", "*") }, ""},
		{func(c *Chart) { c.RepositoryURL = at("u", "https://") }, "error u: must be a URL such as `https://charts.example.org`, found \"https://\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "https://a b/") }, "error u: must be a URL such as `https://charts.example.org`, found \"https://a b/\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "charts.example.org") }, "error u: must begin with `http://`, `https://`, `oci://`, `gitrepository://`, `bucket://` or `ocirepository://`, found \"charts.example.org\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "file:///etc") }, "error u: must begin with `http://`, `https://`, `oci://`, `gitrepository://`, `bucket://` or `ocirepository://`, found \"file:///etc\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "oci://registry.example.org/Acme") }, "error u: must be a registry and a path such as `oci://registry.example.org/acme/charts`, in lower case, found \"oci://registry.example.org/Acme\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "oci://registry.example.org/acme:1.0.0") }, "error u: must be a registry and a path such as `oci://registry.example.org/acme/charts`, in lower case, found \"oci://registry.example.org/acme:1.0.0\" [config-value]"},
		{func(c *Chart) {
			c.RepositoryURL, c.ChartName = at("u", "oci://registry.example.org/acme"), at("c", "Web")
		}, "error c: must be the name of a chart in `repositoryURL`, in lower case, found \"Web\" [config-value]"},
		{func(c *Chart) {
			c.RepositoryURL, c.ChartName = at("u", "oci://registry.example.org/acme"), at("c", "oci://registry.example.org/acme/web")
		}, "error c: must be the name of a chart in `repositoryURL`, found \"oci://registry.example.org/acme/web\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "gitrepository://apps/mono") }, "error u: must have the path of a chart in the source: `gitrepository://namespace/name/path`, found \"gitrepository://apps/mono\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "gitrepository://mono") }, "error u: must name a Flux source and a path in it: `gitrepository://namespace/name/path`, found \"gitrepository://mono\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "bucket://apps/mono/a/../../b") }, "error u: must have the path of a chart in the source: `gitrepository://namespace/name/path`, found \"bucket://apps/mono/a/../../b\" [config-value]"},
		{func(c *Chart) { c.RepositoryURL = at("u", "ocirepository://apps/mono/charts") }, "error u: must have no path: Flux takes the whole artifact for a chart, found \"ocirepository://apps/mono/charts\" [config-value]"},
		{func(c *Chart) { c.RepositoryName, c.ChartName, c.Version = str(""), str(""), str("") }, "error chartName: `chartName` is required for a chart in a repository [config-required]\n" +
			"error chartVersion: `chartVersion` is required for a chart in a repository [config-required]\n" +
			"error repositoryName: `repositoryName` is required for a chart in a repository [config-required]"},
		{func(c *Chart) {
			c.RepositoryURL, c.RepositoryName, c.ChartName, c.Version = at("u", "gitrepository://apps/mono/charts/web"), str(""), str(""), str("")
		}, ""},
		{func(c *Chart) {
			*c = Chart{Uninstall: true, ReleaseNamespace: str("a"), ReleaseName: at("n", "B")}
		}, "error n: " + isName + `"B" [config-value]`},
		{func(c *Chart) { c.Values = at("v", "- a") }, "error v: the values must be the text of a YAML map: line 1, column 1: must be a map (write `name: value` pairs) [chart-values]"},
		{func(c *Chart) { c.Values = at("v", "a: 1\na: 2\nb: ~\nc: yes\n") }, `error v: the values must be the text of a YAML map: line 2, column 1: the key "a" is there twice, first in line 1 (keep one of the two) [chart-values]`},
		{func(c *Chart) { c.Values = at("v", "c: {d: yes}\nmode: 0644\n") }, "error v: the values must be the text of a YAML map: line 1, column 8: \"yes\" is the boolean true for YAML 1.1 only (put it in quotes if it is text; write numbers in decimal and booleans as true or false) [chart-values]\n" +
			"error v: the values must be the text of a YAML map: line 2, column 7: \"0644\" is the integer 420 for YAML 1.1 only (put it in quotes if it is text; write numbers in decimal and booleans as true or false) [chart-values]"},
		{func(c *Chart) { c.Values = at("v", "max: 99999999999999999999\n") }, `error v: the values must be the text of a YAML map: line 1, column 6: the number 99999999999999999999 does not fit into 64 bits (put it in quotes) [chart-values]`},
	} {
		chart := web("web")
		c.change(&chart)
		_, findings := objects(profile(t, "", chart))
		assert.Equal(t, c.want, found(findings))
	}
}

func TestMistakesInReferences(t *testing.T) {
	secret := func(namespace string) *Reference {
		return &Reference{Kind: "Secret", Namespace: at("ns", namespace), Name: at("name", "s"), Pos: krm.Pos{Field: "ref"}}
	}
	values := func(kind string) func(*Chart) {
		return func(c *Chart) {
			c.ValuesFrom = []Reference{{Kind: kind, Name: str("s"), Pos: krm.Pos{Field: "ref"}}}
		}
	}
	oci := func(c *Chart) { c.RepositoryURL, c.ChartName = str("oci://registry.example.org/acme"), str("web") }
	const head = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: clusters}\n"
	const forValues = head + "type: addons.projectsveltos.io/cluster-profile\n"
	for _, c := range []struct {
		input  string
		change func(*Chart)
		want   string
	}{
		{head, func(c *Chart) { c.Credentials = secret("") }, "error ref: Secret clusters/s must have `username` and `password`, or a Docker configuration in `.dockerconfigjson` [chart-secret]"},
		{head + "stringData: {username: hunter2}", func(c *Chart) { c.Credentials = secret("clusters"); oci(c) }, "error ref: Secret clusters/s must have `username` and `password`, or a Docker configuration in `.dockerconfigjson` [chart-secret]"},
		{head + "stringData: {.dockerconfigjson: '{\"auths\":{\"x.org\":{\"auth\":\"aHVudGVyMg==\"}}}'}", func(c *Chart) { c.Credentials = secret("") }, `error ref: Secret clusters/s has no credentials for the host "charts.example.org" [chart-secret]`},
		{head + "stringData: {.dockerconfigjson: hunter2}", func(c *Chart) { c.Credentials = secret(""); oci(c) }, `error ref: Secret clusters/s must have a Docker configuration with ` + "`auths`" + ` in the key ".dockerconfigjson" [chart-secret]`},
		{head + "stringData: {a: hunter2}", func(c *Chart) { c.Credentials, c.CredentialsKey = secret(""), str("b"); oci(c) }, `error ref: Secret clusters/s must have a Docker configuration with ` + "`auths`" + ` in the key "b" [chart-secret]`},
		{head + "stringData: {ca.pem: hunter2}", func(c *Chart) { c.CA = secret("") }, "error ref: Secret clusters/s is of no use: it must hold `ca.crt`, and be of the type Opaque [chart-secret]"},
		{head + "stringData: {cosign.key: hunter2}", func(c *Chart) { c.Signature = &Signature{Secret: secret("")}; oci(c) }, "error ref: Secret clusters/s is of no use: it must hold a public key such as `cosign.pub` [chart-secret]"},
		{head + "data: {username: hunter2}", func(c *Chart) { c.Credentials = secret("") }, "error input.yaml:4:18: data.username: must be base64 (`stringData` takes plain text) [config-value]"},
		{head + "data: {username: 1}", func(c *Chart) { c.Credentials = secret("") }, "error input.yaml:4:18: data.username: must be a string (put it in quotes) [config-type]"},
		{forValues + "stringData: {'a b': 'x: 1'}", values("Secret"), "error input.yaml:5:14: stringData[\"a b\"]: must be a key of at most 253 letters, digits, `-`, `_` and `.`, found \"a b\" [config-value]"},
		{"", func(c *Chart) { c.Credentials = secret("A") }, `error ns: must be the name of a namespace, found "A" [config-value]`},
		{head, values("Secret"), `error ref: Secret clusters/s has the type "" (write ` + "`type: addons.projectsveltos.io/cluster-profile`" + `) [secret-type]`},
		{forValues + "stringData: {a: 'x: [hunter2'}", values("Secret"), `error input.yaml:5:17: stringData.a: the values must be the text of a YAML map, and are not in line 1, column 1 [chart-values]`},
		{forValues + "stringData: {a: 'hunter2'}", values("Secret"), `error input.yaml:5:17: stringData.a: the values must be the text of a YAML map, and are not in line 1, column 1 [chart-values]`},
		{strings.ReplaceAll(head, "Secret", "ConfigMap") + "data: {a: 'hunter2'}", values("ConfigMap"), "error input.yaml:4:11: data.a: the values must be the text of a YAML map: line 1, column 1: must be a map (write `name: value` pairs) [chart-values]"},
	} {
		chart := web("web")
		c.change(&chart)
		_, findings := objects(profile(t, c.input, chart))
		assert.Equal(t, c.want, found(findings))
		assert.NotContains(t, found(findings), "hunter2", "nothing of a Secret is shown")
	}
}

// A Profile reads its own namespace only, whatever it writes.
func TestConfinedReferences(t *testing.T) {
	c := web("web")
	c.ValuesFrom = []Reference{{Kind: "ConfigMap", Namespace: at("ns", "other"), Name: str("a")}, {Kind: "ConfigMap", Namespace: str("team"), Name: str("b"), Optional: true}}
	p := profile(t, "", c)
	p.Namespace, p.Confined = "team", true
	_, findings := objects(p)
	assert.Equal(t, `error ns: a Profile in "team" must not reach into the namespace "other" (leave the namespace out, or use a ClusterProfile) [profile-confined]`+"\n"+
		`info ConfigMap team/b is not in the input: Flux looks for it in the namespace "flux-system" (copy it there, with the values in the key `+"`values.yaml`"+`) [chart-reference-unknown]`, found(findings))
}

// What a Flux source says itself, a chart cannot.
func TestFieldsOfFluxSources(t *testing.T) {
	c := web("web")
	c.RepositoryURL = str("gitrepository://apps/mono/web")
	c.Credentials, c.CA = &Reference{Kind: "Secret", Name: str("a")}, &Reference{Kind: "Secret", Name: str("b")}
	c.PlainHTTP.On, c.Options.PassCredentialsAll.On = true, true
	c.Signature = &Signature{Secret: &Reference{Kind: "Secret", Name: str("c")}}
	out, findings := objects(profile(t, "", c))
	assert.Equal(t, 1, strings.Count(out, "kind: HelmRelease"))
	for _, field := range []string{"options.passCredentialsAll", "registryCredentialsConfig.ca", "registryCredentialsConfig.credentials", "registryCredentialsConfig.plainHTTP", "signatureVerification"} {
		assert.Contains(t, found(findings), "warning Flux has nothing like `"+field+"` here: GitRepository apps/mono has its own [chart-unsupported]")
	}
	assert.Len(t, findings, 5)
}

// Templates are filled in for every text, names of objects by their own function.
func TestRender(t *testing.T) {
	full := func(s krm.Str) krm.Str { return krm.Str{Text: s.Text + "!", Pos: s.Pos} }
	name := func(s krm.Str) krm.Str { return krm.Str{Text: s.Text + "?", Pos: s.Pos} }
	c := newRelease("u", "r", "c", "v", "n", "m")
	c.Values, c.CredentialsKey = at("values", "x"), str("k")
	ref := Reference{Kind: "Secret", Namespace: str("a"), Name: str("b")}
	c.ValuesFrom, c.Credentials, c.CA = []Reference{ref}, &ref, &ref
	c.Signature = &Signature{Secret: &ref, Identities: []SignatureIdentity{{Issuer: str("i"), Subject: str("s")}}}
	got := c.Render(full, name)
	want := newRelease("u!", "r!", "c!", "v!", "n!", "m!")
	want.Values, want.CredentialsKey = at("values", "x!"), str("k!")
	filled := Reference{Kind: "Secret", Namespace: str("a?"), Name: str("b?")}
	want.ValuesFrom, want.Credentials, want.CA = []Reference{filled}, &filled, &filled
	want.Signature = &Signature{Secret: &filled, Identities: []SignatureIdentity{{Issuer: str("i!"), Subject: str("s!")}}}
	assert.Equal(t, want, got)
	assert.Equal(t, "a", c.ValuesFrom[0].Namespace.Text, "the original stays as it is")
	assert.Equal(t, "a", c.Credentials.Namespace.Text)
}
