package config

import (
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// Under kpt a tenant's files are items like the platform team's, and a tenant can
// write a generator. Trusted without question are the functionConfig, what is
// inline in it, the files of `spec.configs` and items without a file, as far as
// they are not kustomize's resources. A generator with a file is trusted unless it
// lies, or may lie, in the area of a trusted one.

// candidate is a generator with a file, and where it looks for tenants.
type candidate struct {
	document
	areas   areas
	ignored bool
	trusted bool
}

// judge sorts generators with files into trusted and ignored ones. roots are the
// areas of the generators that are trusted without question.
func judge(candidates []*candidate, roots areas, b base, rep *krm.Report) []document {
	var open []*candidate
	for _, c := range candidates {
		if c.ignored = roots.cover(c.item, b) || c.areas.cover(c.item, b); !c.ignored {
			open = append(open, c)
		}
	}
	settle(open, b)
	reportParadoxes(candidates, roots, b, rep)
	var trusted []document
	for _, c := range candidates {
		switch {
		case c.trusted:
			trusted = append(trusted, c.document)
		case c.ignored:
			warnIgnored(c.item, rep)
		default:
			reportCycle(c, open, b, rep)
		}
	}
	return trusted
}

// settle trusts what nobody else covers, ignores what a trusted one covers, and
// repeats. What stays open covers each other.
func settle(open []*candidate, b base) {
	for settled := false; !settled; {
		settled = true
		for _, c := range open {
			if c.trusted || c.ignored {
				continue
			}
			coverers := coverersOf(c, open, b)
			c.trusted = len(coverers) == 0
			c.ignored = slices.ContainsFunc(coverers, func(o *candidate) bool { return o.trusted })
			settled = settled && !c.trusted && !c.ignored
		}
	}
}

// coverersOf are the other candidates, not ignored, in whose area c lies.
func coverersOf(c *candidate, all []*candidate, b base) []*candidate {
	var found []*candidate
	for _, other := range all {
		if other != c && !other.ignored && other.areas.cover(c.item, b) {
			found = append(found, other)
		}
	}
	return found
}

// reportParadoxes finds a trusted generator in the area of one that is ignored
// for lying in its own area. Unless somebody trusted covers that one too, nobody
// can tell which of the two is the tenant's.
func reportParadoxes(candidates []*candidate, roots areas, b base, rep *krm.Report) {
	var trusted areas
	for _, c := range candidates {
		if c.trusted {
			trusted = append(trusted, c.areas...)
		}
	}
	for _, c := range candidates {
		if !c.ignored || roots.cover(c.item, b) || trusted.cover(c.item, b) {
			continue
		}
		for _, other := range candidates {
			if other.trusted && c.areas.cover(other.item, b) {
				reportAmbiguous(other.document, []string{c.place()}, rep)
			}
		}
	}
}

func reportCycle(c *candidate, open []*candidate, b base, rep *krm.Report) {
	var places []string
	for _, other := range coverersOf(c, open, b) {
		places = append(places, other.place())
	}
	slices.Sort(places)
	reportAmbiguous(c.document, places, rep)
}

func reportAmbiguous(d document, places []string, rep *krm.Report) {
	rep.Errorf("tenant-configuration-ambiguous", d.pos(),
		"pass the configuration as functionConfig, or name its file in `spec.configs`",
		"generator %s lies where the generator of %s looks for tenants, and nothing says which of them a tenant wrote",
		nameOf(d.id), krm.Short(strings.Join(places, " and of "), 1024))
}

func warnIgnored(item *krm.Item, rep *krm.Report) {
	rep.Warnf("tenant-configuration-ignored", item.Pos(),
		"if it is the platform team's, pass it as functionConfig or name its file in `spec.configs`",
		"%s %s lies in a tenant's directory and is not read as configuration", item.Kind, nameOf(identityOf(item)))
}

func nameOf(id krm.Identity) string {
	if id.Namespace == "" {
		return shown(id.Name)
	}
	return shown(id.Namespace + "/" + id.Name)
}

// areasOf is where a generator looks for tenants. It is asked about generators
// that nobody trusts yet: what is wrong with them is not reported here.
func areasOf(n *krm.Node, dirs directories, b base) areas {
	pattern := n.Get("spec").Get("pathPattern")
	if pattern == nil || pattern.Kind != krm.StringNode || pattern.Text == "" {
		return nil
	}
	p, ok := tenant.ParsePattern(pattern.Str(), &krm.Report{})
	if !ok {
		return nil
	}
	return areas{dirs.area(p, b)}
}
