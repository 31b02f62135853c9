package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/chart"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// plain is the chart that the rows below change.
const plain = `repositoryURL: https://charts.example.org
repositoryName: acme
chartName: acme/web
chartVersion: 1.2.3
releaseName: web
releaseNamespace: shop
`

// plainObjects is what becomes of plain: all that is always written, and no more.
const plainObjects = `HelmRelease shop-web: spec.chart.spec.chart = "web"
HelmRelease shop-web: spec.chart.spec.sourceRef.kind = "HelmRepository"
HelmRelease shop-web: spec.chart.spec.sourceRef.name = "acme"
HelmRelease shop-web: spec.chart.spec.version = "1.2.3"
HelmRelease shop-web: spec.install.createNamespace = true
HelmRelease shop-web: spec.install.disableTakeOwnership = true
HelmRelease shop-web: spec.install.disableWait = true
HelmRelease shop-web: spec.install.disableWaitForJobs = true
HelmRelease shop-web: spec.install.replace = true
HelmRelease shop-web: spec.install.strategy.name = "RetryOnFailure"
HelmRelease shop-web: spec.interval = "10m"
HelmRelease shop-web: spec.maxHistory = 2
HelmRelease shop-web: spec.releaseName = "web"
HelmRelease shop-web: spec.storageNamespace = "shop"
HelmRelease shop-web: spec.targetNamespace = "shop"
HelmRelease shop-web: spec.timeout = "5m"
HelmRelease shop-web: spec.uninstall.disableWait = true
HelmRelease shop-web: spec.upgrade.disableTakeOwnership = true
HelmRelease shop-web: spec.upgrade.disableWait = true
HelmRelease shop-web: spec.upgrade.disableWaitForJobs = true
HelmRelease shop-web: spec.upgrade.serverSideApply = "enabled"
HelmRelease shop-web: spec.upgrade.strategy.name = "RetryOnFailure"
HelmRepository acme: spec.interval = "1h"
HelmRepository acme: spec.url = "https://charts.example.org"
`

// row is a row of the mapping: what a field of a chart or of its profile changes
// in what becomes of plain.
type row struct {
	name string
	// chart replaces and adds fields of plain; "releaseName: web2" stands alone.
	chart string
	// more are further charts of the profile.
	more []string
	// profile changes what the profile says.
	profile func(*chart.Profile)
	// input are objects of the input, in YAML.
	input string
	// want are the lines that come and go, and the findings, in any order.
	want string
	// fix replaces the first text by the second in want.
	fix [2]string
	// only are the lines to look at, those with this text.
	only string
	// object is what the HelmRelease is called, unless it is shop-web.
	object string
}

// world is the input of the rows, besides their own: `applied` objects are in
// flux-system and reach the cluster.
func (r row) find(t *testing.T) func(krm.Identity) (*krm.Node, bool) {
	rep := &krm.Report{}
	docs, ok := krm.ParseFiles("input.yaml", []byte(r.input), rep)
	require.True(t, ok, rep.Findings())
	return func(id krm.Identity) (*krm.Node, bool) {
		for _, d := range docs {
			if krm.NewObject(d).Identity() == id {
				return d, d.Get("local") == nil
			}
		}
		return nil, false
	}
}

// withFields puts the fields of more into a chart, and replaces what is there.
func withFields(t *testing.T, base, more string) chart.Chart {
	t.Helper()
	rep := &krm.Report{}
	under, ok := krm.ParseFile("chart.yaml", []byte(base), rep)
	require.True(t, ok)
	over, ok := krm.ParseFile("chart.yaml", []byte(more), rep)
	require.True(t, ok, rep.Findings())
	fields := map[string]*krm.Node{}
	for _, n := range []*krm.Node{under, over} {
		if n != nil {
			for key, value := range n.Fields() {
				fields[key.Text] = value
			}
		}
	}
	c := newChart(decode[helmChart](krm.NewMap(fields), rep), rep)
	require.False(t, rep.Failed(), rep.Findings())
	return c
}

func (r row) made(t *testing.T) ([]chart.Made, *krm.Report) {
	t.Helper()
	p := chart.Profile{Namespace: "clusters", Find: r.find(t), Render: func(s krm.Str, _ bool) (krm.Str, bool) {
		s.Text = strings.ReplaceAll(s.Text, "{{ .Cluster.metadata.name }}", "prod")
		return s, true
	}}
	p.Charts = append(p.Charts, withFields(t, plain, r.chart))
	for _, more := range r.more {
		p.Charts = append(p.Charts, withFields(t, plain, more))
	}
	if r.profile != nil {
		r.profile(&p)
	}
	rep := &krm.Report{}
	set := chart.NewSet(chart.Place{Namespace: "flux-system"}, rep)
	set.Add(p)
	return set.Objects(), rep
}

// flat renders objects as lines that each hold one value.
func flat(t *testing.T, made []chart.Made) string {
	t.Helper()
	var lines []string
	for _, m := range made {
		rep := &krm.Report{}
		node, ok := krm.ParseFile("out.yaml", m.Object.AppendYAML(nil, 0), rep)
		require.True(t, ok, rep.Findings())
		assert.Equal(t, "flux-system", m.Object.Namespace)
		var walk func(path string, n *krm.Node)
		walk = func(path string, n *krm.Node) {
			switch {
			case n.Kind == krm.MapNode && n.Len() > 0:
				for key, value := range n.Fields() {
					if path == "" && (key.Text == "apiVersion" || key.Text == "kind" || key.Text == "metadata") {
						continue
					}
					walk(strings.TrimPrefix(path+"."+key.Text, "."), value)
				}
			case n.Kind == krm.ListNode && len(n.Items) > 0:
				for i, item := range n.Items {
					walk(fmt.Sprintf("%s[%d]", path, i), item)
				}
			default:
				value := n.Text
				switch n.Kind {
				case krm.StringNode:
					value = fmt.Sprintf("%q", n.Text)
				case krm.MapNode:
					value = "{}"
				case krm.ListNode:
					value = "[]"
				default:
				}
				lines = append(lines, fmt.Sprintf("%s %s: %s = %s", m.Object.Kind, m.Object.Name, path, value))
			}
		}
		walk("", node)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// change are the lines that are in one text only.
func change(from, to string) []string {
	var out []string
	before, after := strings.Split(from, "\n"), strings.Split(to, "\n")
	for _, line := range before {
		if !slices.Contains(after, line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			out = append(out, "+ "+line)
		}
	}
	return out
}

func (r row) fixed() string {
	if r.fix[0] == "" {
		return r.want
	}
	return strings.ReplaceAll(r.want, r.fix[0], r.fix[1])
}

// wanted are the lines of r.want.
func (r row) wanted() []string {
	var out []string
	for line := range strings.Lines(r.fixed()) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, strings.Replace(line, "HelmRelease shop-web: spec.", "", 1))
		}
	}
	return out
}

func TestPlainChart(t *testing.T) {
	made, rep := row{}.made(t)
	assert.Empty(t, rep.Findings())
	assert.Equal(t, plainObjects, flat(t, made))
	assert.Equal(t, "helm.toolkit.fluxcd.io/v2", made[0].Object.APIVersion)
	assert.Equal(t, "source.toolkit.fluxcd.io/v1", made[1].Object.APIVersion)
}

func TestRowsOfTheMapping(t *testing.T) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			made, rep := r.made(t)
			all := flat(t, made)
			if r.object != "" {
				require.Contains(t, all, "HelmRelease "+r.object+": ")
				all = strings.ReplaceAll(all, "HelmRelease "+r.object+": ", "HelmRelease shop-web: ")
			}
			got := change(plainObjects, all)
			for _, f := range rep.Findings() {
				got = append(got, fmt.Sprintf("%s %s at %s: %s", f.Severity, f.Code, f.Pos.Field, f.Message))
			}
			got = slices.DeleteFunc(got, func(line string) bool { return !strings.Contains(line, r.only) })
			for i := range got {
				got[i] = strings.Replace(got[i], "HelmRelease shop-web: spec.", "", 1)
			}
			assert.ElementsMatch(t, r.wanted(), got)
		})
	}
}
