package config

import (
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// A host that gives no package path may hand over the files of any directory. If
// that is the tenants' own, their paths do not show it: `kpt fn eval tenants` turns
// `tenants/acme/x.yaml` into `acme/x.yaml`. Then what the functionConfig brings is
// all the configuration there is, unless the list shows that its root lies outside.

// isLost tells whether the root of the list may lie in one of the areas. It does
// not when it holds what only the platform team can put there: a Kptfile, the
// functionConfig's file, or the way from the base directory to an area.
func (r *reader) isLost(own areas) bool {
	parts := own.parts()
	if r.base.packaged || len(parts) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.list.Items, func(item *krm.Item) bool {
		return r.marksRoot(item) || parts.leadTo(item)
	})
}

// marksRoot tells whether an item's file is the platform team's and says where the
// root of the list is: it lies in it, or where the configuration says.
func (r *reader) marksRoot(item *krm.Item) bool {
	switch file := rooted(item.Path()); {
	case file == "":
		return false
	case file == "Kptfile":
		return isKptfile(item)
	case !strings.ContainsAny(file, `/\`) && r.isNamesake(item) && r.sameAsConfig(item):
		return true
	}
	return slices.ContainsFunc(r.own, func(d document) bool { return r.isFileOf(item, d) && d.id == identityOf(item) })
}

// leadTo tells whether an item's path begins with that of an area, seen from the
// base directory or the source. That it is somewhere in the path shows nothing: a
// tenant may have directories of any name.
func (as areas) leadTo(item *krm.Item) bool {
	return item.Path() != "" && slices.ContainsFunc(as, func(a area) bool {
		return a.beginsWith(rooted(item.Path()), a.ahead)
	})
}

// ignoreAll ignores generators with files in an area, and copies of roots, which
// change nothing. Of any other nobody knows
// whose it is where the root of the list is not known: to read it would trust a
// tenant, and to ignore it would delete what it made.
func ignoreAll(candidates []*candidate, roots []document, area areas, b base, rep *krm.Report) {
	for _, c := range candidates {
		if area.cover(c.item, b) {
			warnIgnored(c.item, rep)
			continue
		}
		if _, copied := rootLike(c.document, roots); copied {
			continue
		}
		reportLost(c.item, rep)
	}
}

func reportLost(item *krm.Item, rep *krm.Report) {
	rep.Errorf("tenant-configuration-ambiguous", item.Pos(),
		"run the function on the root of the package, which a Kptfile shows, or name its file in `spec.configs`",
		"%s %s may be a tenant's: nothing shows that the items' paths start outside of the tenants' directories", item.Kind, nameOf(identityOf(item)))
}

// kustomizeID is what kustomize puts on what it hands to a transformer.
const kustomizeID = "kustomize.config.k8s.io/id"

// isAccumulated tells whether kustomize handed over an item as one of the
// resources that it has gathered so far.
func isAccumulated(item *krm.Item) bool {
	_, there := item.Annotations[kustomizeID]
	return there
}

// isFromKustomize tells whether kustomize has gathered the items: all but what an
// earlier function has made of them. A tenant can say so of own files only.
func (r *reader) isFromKustomize() bool {
	gathered := false
	for _, item := range r.list.Items {
		_, made := item.Annotations[krm.OwnerKey]
		switch {
		case item == r.echo || made:
		case !isAccumulated(item):
			return false
		default:
			gathered = true
		}
	}
	return gathered
}

// isResource tells whether an item may come from a tenant's `resources:`, of which
// kustomize does not say the file. It does not matter while the functionConfig
// brings nothing: the generators are among the resources then.
func (r *reader) isResource(item *krm.Item) bool {
	return len(r.own) > 0 && isAccumulated(item) && item != r.echo
}

// readResources accepts what the resources repeat of the configuration, and
// ignores other generators: those of tenants, and what an earlier run of the
// function was configured with.
func (r *reader) readResources() {
	for _, item := range r.list.Items {
		if !isGenerator(item) || !r.isResource(item) {
			continue
		}
		d := document{id: identityOf(item), item: item}
		var ok bool
		if d.node, ok = item.Node(&krm.Report{}); ok {
			if _, copied := rootLike(d, r.own); copied {
				r.accepted[item] = true
				continue
			}
		}
		warnResource(item, r.rep)
	}
}

func warnResource(item *krm.Item, rep *krm.Report) {
	rep.Warnf("tenant-configuration-ignored", item.Pos(),
		"if it is the platform team's, pass it as functionConfig or name its file in `spec.configs`",
		"%s %s is among the resources of kustomize, may be a tenant's and is not read as configuration", item.Kind, nameOf(identityOf(item)))
}
