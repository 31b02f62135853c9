package chart

import (
	"regexp"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// The syntax of addresses; most runs need none of it.
var (
	httpURL   = lazily(`^https?://[^\s/?#]+(/\S*)?$`)
	ociPath   = lazily(`^[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)
	chartName = lazily(`^[^\s/:]+(/[^\s/:]+)*$`)
)

func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// checkRepository checks what a chart in a repository must say, and returns the
// chart's name without the repository's.
func (a *adder) checkRepository() (name string, ok bool) {
	c := a.chart
	ok = true
	for _, field := range []struct {
		name string
		text krm.Str
	}{{"repositoryName", c.RepositoryName}, {"chartName", c.ChartName}, {"chartVersion", c.Version}} {
		if field.text.Text == "" {
			a.rep.Errorf("config-required", c.Pos.At(field.name), "", "`%s` is required for a chart in a repository", field.name)
			ok = false
		}
	}
	name = strings.TrimPrefix(c.ChartName.Text, c.RepositoryName.Text+"/")
	if name != "" {
		ok = a.must(chartName().MatchString(name), c.ChartName, "be the name of a chart in `repositoryURL`") && ok
	}
	return name, ok
}

// checkOCI checks a chart in a registry at an address, and returns its name.
func (a *adder) checkOCI(address string) (name string, ok bool) {
	name, ok = a.checkRepository()
	if !a.must(ociPath().MatchString(address), a.chart.RepositoryURL, "be a registry and a path such as `oci://registry.example.org/acme/charts`, in lower case") || !ok {
		return name, false
	}
	return name, a.must(ociPath().MatchString(address+"/"+name), a.chart.ChartName, "be the name of a chart in `repositoryURL`, in lower case")
}

// version tells whether the chart's version is one, not a range of them.
func (a *adder) version() (exact, ok bool) {
	v := a.chart.Version
	if v.Text == "" {
		return false, false // reported as missing
	}
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(v.Text, "v")); err == nil {
		return true, true
	}
	_, err := semver.NewConstraint(v.Text)
	return false, a.must(err == nil, v, "be a version such as `1.2.3` or a range such as `>=1.2.0 <2.0.0`")
}

// hostOf is the host of a URL, with its port.
func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host[strings.LastIndex(host, "@")+1:]
}
