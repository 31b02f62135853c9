package chart

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

func str(text string) krm.Str { return krm.Str{Text: text} }

// newRelease is a chart with Sveltos' defaults.
func newRelease(url, repository, name, version, namespace, release string) Chart {
	c := Chart{
		RepositoryURL: str(url), RepositoryName: str(repository), ChartName: str(name), Version: str(version),
		ReleaseNamespace: str(namespace), ReleaseName: str(release),
	}
	c.Options.Install.CreateNamespace, c.Options.Install.Replace, c.Options.Upgrade.MaxHistory = true, true, 2
	return c
}

// web is a chart of its own for each name.
func web(name string) Chart {
	return newRelease("https://charts.example.org", "acme", "acme/web", "1.2.3", "shop", name)
}

// profile is one that finds its objects in a YAML text.
func profile(t *testing.T, input string, charts ...Chart) Profile {
	t.Helper()
	rep := &krm.Report{}
	docs, ok := krm.ParseFiles("input.yaml", []byte(input), rep)
	require.True(t, ok, rep.Findings())
	return Profile{
		Charts: charts, Namespace: "clusters",
		Find: func(id krm.Identity) (*krm.Node, bool) {
			for _, d := range docs {
				if krm.NewObject(d).Identity() == id {
					return d, true
				}
			}
			return nil, false
		},
		Render: func(s krm.Str, _ bool) (krm.Str, bool) { return s, true },
	}
}

// objects renders the objects of profiles, and what there is to say.
func objects(profiles ...Profile) (string, []krm.Finding) {
	rep := &krm.Report{}
	set := NewSet(Place{Namespace: "flux-system"}, rep)
	for _, p := range profiles {
		set.Add(p)
	}
	var docs []string
	for _, m := range set.Objects() {
		docs = append(docs, string(m.Object.AppendYAML(nil, 0)))
	}
	return strings.Join(docs, "---\n"), rep.Findings()
}

// The example that the mapping was designed around: one profile took the first
// chart of another one.
func TestWorkedExample(t *testing.T) {
	kyverno := profile(t, "", newRelease("https://kyverno.github.io/kyverno/", "kyverno", "kyverno/kyverno", "v3.1.4", "kyverno", "kyverno-latest"))
	monitoring := profile(t, "",
		newRelease("https://prometheus-community.github.io/helm-charts", "prometheus-community", "prometheus-community/prometheus", "23.4.0", "prometheus", "prometheus"),
		newRelease("https://grafana.github.io/helm-charts", "grafana", "grafana/grafana", "6.58.9", "grafana", "grafana"))
	out, findings := objects(monitoring, kyverno)
	assert.Empty(t, findings)
	docs := strings.Split(out, "---\n")
	require.Len(t, docs, 6)
	assert.Equal(t, `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: kyverno-kyverno-latest
  namespace: flux-system
spec:
  chart:
    spec:
      chart: kyverno
      sourceRef:
        kind: HelmRepository
        name: kyverno
      version: v3.1.4
  install:
    createNamespace: true
    disableTakeOwnership: true
    disableWait: true
    disableWaitForJobs: true
    replace: true
    strategy:
      name: RetryOnFailure
  interval: "10m"
  maxHistory: 2
  releaseName: kyverno-latest
  storageNamespace: kyverno
  targetNamespace: kyverno
  timeout: "5m"
  uninstall:
    disableWait: true
  upgrade:
    disableTakeOwnership: true
    disableWait: true
    disableWaitForJobs: true
    serverSideApply: enabled
    strategy:
      name: RetryOnFailure
`, docs[1])
	assert.Equal(t, `apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata:
  name: kyverno
  namespace: flux-system
spec:
  interval: "1h"
  url: "https://kyverno.github.io/kyverno/"
`, docs[4])
	assert.Contains(t, docs[0], "  name: grafana-grafana\n")
	assert.Contains(t, docs[0], "  dependsOn:\n  - name: prometheus-prometheus\n")
	assert.NotContains(t, docs[1]+docs[2], "dependsOn")
	assert.Contains(t, docs[2], "  name: prometheus-prometheus\n")
	assert.Contains(t, docs[3], "  name: grafana\n")
	assert.Contains(t, docs[5], "  name: prometheus-community\n")
}

func TestPlace(t *testing.T) {
	set := NewSet(Place{Namespace: "clusters", ReleaseInterval: "1m", SourceInterval: "2m", KubeConfig: "prod-kubeconfig"}, &krm.Report{})
	set.Add(profile(t, "", web("a")))
	made := set.Objects()
	require.Len(t, made, 2)
	assert.Equal(t, "clusters", made[0].Object.Namespace)
	assert.Contains(t, made[0].Object.Spec, "interval: \"1m\"\nkubeConfig:\n  secretRef:\n    name: prod-kubeconfig\n")
	assert.Contains(t, made[1].Object.Spec, "interval: \"2m\"\n")
	assert.Equal(t, []Release{{Namespace: "shop", Name: "a"}}, made[0].Releases)
}

// sources are the kinds and names of what is no release, with those who share it.
func sources(made []Made) []string {
	var out []string
	for _, m := range made {
		if m.Object.Kind != "HelmRelease" {
			out = append(out, fmt.Sprint(m.Object.Kind, " ", m.Object.Name, " ", m.Releases))
		}
	}
	return out
}

func TestSharedSources(t *testing.T) {
	const login = "apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: clusters}\nstringData: {username: me, password: x}\n"
	with := func(c Chart, change func(*Chart)) Chart { change(&c); return c }
	secret := &Reference{Kind: "Secret", Name: str("login")}
	for _, c := range []struct {
		name   string
		charts []Chart
		want   []string
	}{
		{"one address", []Chart{web("a"), web("b")}, []string{"HelmRepository acme [shop/a shop/b]"}},
		{"one address of two names", []Chart{web("a"), with(web("b"), func(c *Chart) { c.RepositoryName, c.ChartName = str("abc"), str("web") })}, []string{"HelmRepository abc [shop/a shop/b]"}},
		{
			"two addresses of one name",
			[]Chart{web("a"), with(web("b"), func(c *Chart) { c.RepositoryURL = str("https://other.example.org") })},
			[]string{"HelmRepository acme-28f7c0ab [shop/a]", "HelmRepository acme-d387087b [shop/b]"},
		},
		{
			"one address with and without credentials",
			[]Chart{web("a"), with(web("b"), func(c *Chart) { c.Credentials = secret })},
			[]string{"Secret clusters-login [shop/b]", "HelmRepository acme-28f7c0ab [shop/a]", "HelmRepository acme-e3f674f8 [shop/b]"},
		},
		{
			"two versions of an OCI chart",
			[]Chart{
				newRelease("oci://registry.example.org/acme", "acme", "web", "1.0.0", "shop", "a"), newRelease("oci://registry.example.org/acme", "acme", "web", "2.0.0", "shop", "b"),
				newRelease("oci://registry.example.org/acme", "acme", "web", "2.0.0", "shop", "c"),
			},
			[]string{"OCIRepository acme-web-448c9c98 [shop/a]", "OCIRepository acme-web-f07ee0d1 [shop/b shop/c]"},
		},
		{"a name that no object can have", []Chart{newRelease("oci://registry.example.org/acme", "Acme_Inc.", "Acme_Inc./web", "1.0.0", "shop", "a")}, []string{"OCIRepository acme-inc--web [shop/a]"}},
	} {
		set := NewSet(Place{Namespace: "flux-system"}, &krm.Report{})
		set.Add(profile(t, login, c.charts...))
		assert.Equal(t, c.want, sources(set.Objects()), c.name)
	}
}

// Whatever the order of profiles is, they give the same objects: of a run with
// everything that is shared, named or counted.
func TestOrderDoesNotShow(t *testing.T) {
	var profiles []Profile
	for i := range 8 {
		a, b := web(fmt.Sprintf("a%d", i)), newRelease("oci://registry.example.org/acme", "acme", "web", fmt.Sprintf("%d.0.0", i%3), "shop", fmt.Sprintf("b%d", i))
		a.RepositoryURL = str(fmt.Sprintf("https://charts%d.example.org", i%2))
		a.RepositoryName = str([]string{"acme", "zeta", "acme"}[i%3])
		a.ValuesFrom = []Reference{{Kind: "Secret", Name: str("db")}, {Kind: "ConfigMap", Name: str("more")}}
		b.Credentials = &Reference{Kind: "Secret", Name: str("login")}
		p := profile(t, `apiVersion: v1
kind: Secret
metadata: {name: login, namespace: clusters}
stringData: {username: me, password: x}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: more, namespace: clusters, annotations: {projectsveltos.io/template: x}}
data: {b: "x: 1", a: "k: {{ 1 }}"}
---
apiVersion: v1
kind: Secret
type: addons.projectsveltos.io/cluster-profile
metadata: {name: db, namespace: clusters}
stringData: {values: "x: 1"}
`, a, b)
		p.Render = func(s krm.Str, _ bool) (krm.Str, bool) {
			return str(strings.ReplaceAll(s.Text, "{{ 1 }}", fmt.Sprint(i))), true
		}
		p.DependsOn = []Release{{Namespace: "shop", Name: "b0"}, {Namespace: "shop", Name: "a0"}}
		profiles = append(profiles, p)
	}
	want, findings := objects(profiles...)
	require.Empty(t, findings)
	require.Equal(t, 16, strings.Count(want, "kind: HelmRelease\n"))
	for range 20 {
		shuffled := slices.Clone(profiles)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		got, _ := objects(shuffled...)
		require.Equal(t, want, got)
	}
}

// A release keeps its name, whoever deploys it and whatever it deploys.
func TestNameOfARelease(t *testing.T) {
	r := Release{Namespace: "shop", Name: "web"}
	assert.Equal(t, "shop-web", r.ObjectName())
	long := Release{Namespace: strings.Repeat("n", 63), Name: strings.Repeat("r", 53)}
	assert.Len(t, long.ObjectName(), 63, "the name is the value of a label on every object of the chart")
	other := Release{Namespace: long.Namespace, Name: strings.Repeat("r", 52)}
	assert.NotEqual(t, long.ObjectName(), other.ObjectName())
	assert.Equal(t, 63, len(Release{Namespace: strings.Repeat("n", 30), Name: strings.Repeat("r", 32)}.ObjectName()), "fits as it is")
	assert.NotContains(t, Release{Namespace: strings.Repeat("n", 53), Name: strings.Repeat("r", 53)}.ObjectName(), "--")
}

// Names of sources and copies fit, with and without a hash that tells them apart.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("n", 300)
	a, b := newRelease("https://a.example.org", long, "x", "1.0.0", "shop", "a"), newRelease("https://b.example.org", long, "x", "1.0.0", "shop", "b")
	secret := strings.Repeat("s", 253)
	a.ValuesFrom = []Reference{{Kind: "Secret", Name: str(secret)}}
	input := "apiVersion: v1\nkind: Secret\ntype: " + secretType + "\nmetadata: {name: " + secret + ", namespace: clusters}\nstringData: {v: \"x: 1\"}\n"
	for _, charts := range [][]Chart{{a}, {a, b}} {
		set := NewSet(Place{Namespace: "flux-system"}, &krm.Report{})
		set.Add(profile(t, input, charts...))
		made := set.Objects()
		require.Len(t, made, 1+2*len(charts))
		for _, m := range made {
			assert.True(t, isSubdomain(m.Object.Name), m.Object.Name)
		}
	}
}

func TestNamesThatMeet(t *testing.T) {
	a, b := newRelease("https://x.org", "x", "x", "1.0.0", "shop-a", "b"), newRelease("https://x.org", "x", "x", "1.0.0", "shop", "a-b")
	a.Pos.Field, b.Pos.Field = "a", "b"
	for _, order := range [][]Chart{{a, b}, {b, a}} {
		_, findings := objects(profile(t, "", order...))
		require.Len(t, findings, 1)
		assert.Equal(t, `a: the releases shop/a-b and shop-a/b would both have the HelmRelease flux-system/shop-a-b (give one of the releases another `+"`releaseName`"+`) [chart-name-collision]`, findings[0].String())
	}
}
