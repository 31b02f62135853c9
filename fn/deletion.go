package fn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// fleet is what the deletion safeguards compare: namespaces, and the sorted
// digests of the artifacts in each.
type fleet map[string][]string

// newFleet is what the output holds: the Namespaces that are made, and those of the
// platform team that pass through. What lies in any other namespace belongs to
// somebody else.
func newFleet(objects []*krm.Object, passing []*krm.Item) fleet {
	f := fleet{}
	for _, item := range passing {
		if isNamespace(item.Identity()) {
			f[item.Name] = nil
		}
	}
	for _, o := range objects {
		if isNamespace(o.Identity()) {
			f[o.Name] = nil
		}
	}
	for _, o := range objects {
		if digests, managed := f[o.Namespace]; managed && o.Kind == externalArtifactKind {
			f[o.Namespace] = append(digests, o.Annotations[krm.DigestKey])
		}
	}
	for name := range f {
		slices.Sort(f[name])
	}
	return f
}

func isNamespace(id krm.Identity) bool { return id == krm.Identity{Kind: "Namespace", Name: id.Name} }

// guardDeletions compares this run's output with the previous one. Leaving the
// output is how a namespace gets deleted, so it must not happen by accident.
func guardDeletions(before, after fleet, d config.Deletion, rep *krm.Report) {
	left := missing(before, after)
	if len(left) == 0 {
		return
	}
	names := renamed(left, missing(after, before), before, after)
	for _, name := range left {
		if to, moved := names[name]; moved {
			rep.Warnf("namespace-renamed", krm.Pos{}, "what lives in the old namespace does not move",
				"namespace %q is gone and %q is new with the same artifacts: a rename deletes one and creates the other", name, to)
		}
	}
	if limit := d.Max.Of(len(before)); len(left) > limit {
		rep.Stopf("deletion-limit", d.Max.Pos, fmt.Sprintf("if this is meant, set %s to %d for this run", d.Names.Max, len(left)),
			"%d of %d namespaces would leave the output, at most %d may: %s", len(left), len(before), limit, abridged(left))
	}
	if len(left) == len(before) && !d.AllowEmpty {
		rep.Stopf("deletion-all", d.Max.Pos, "if this is meant, set "+d.Names.AllowEmpty+" to true for this run",
			"all %d namespaces of the previous output would leave it", len(before))
	}
}

// missing lists, sorted, the namespaces of a that b has not.
func missing(a, b fleet) []string {
	var names []string
	for name := range a {
		if _, there := b[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// renamed pairs namespaces that left with new ones of the same artifacts.
func renamed(left, came []string, before, after fleet) map[string]string {
	pairs := map[string]string{}
	for _, from := range left {
		i := slices.IndexFunc(came, func(to string) bool {
			return len(before[from]) > 0 && slices.Equal(before[from], after[to])
		})
		if i >= 0 {
			pairs[from] = came[i]
			came = slices.Delete(came, i, i+1)
		}
	}
	return pairs
}

// abridged lists the first names; the count stands elsewhere in the message.
func abridged(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}
