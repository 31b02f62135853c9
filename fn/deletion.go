package fn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// fleet is what the deletion safeguards compare: namespaces, and the sorted
// digests of the artifacts in each.
type fleet map[string][]string

// newFleet counts Namespaces and the artifacts in them; what lies in a
// namespace that is not listed belongs to somebody else.
func newFleet(stamped []stamp) fleet {
	f := fleet{}
	for _, s := range stamped {
		if s.id.Kind == "Namespace" && s.id.Group == "" {
			f[s.id.Name] = nil
		}
	}
	for _, s := range stamped {
		digests, managed := f[s.id.Namespace]
		if s.id.Kind == "ExternalArtifact" && managed {
			f[s.id.Namespace] = append(digests, s.digest)
		}
	}
	for name := range f {
		slices.Sort(f[name])
	}
	return f
}

// stamp is what the safeguards need of an object that we made.
type stamp struct {
	id            krm.Identity
	owner, digest string
	// kept is set when every applier keeps the object that leaves its input.
	kept bool
}

// newStamp names a Namespace of another cluster than the one that generators are
// for together with the cluster.
func newStamp(id krm.Identity, annotations map[string]string) stamp {
	if cluster := annotations[krm.ClusterKey]; cluster != "" {
		id.Name += " on " + cluster
	}
	return stamp{id, annotations[krm.OwnerKey], annotations[krm.DigestKey], handoff.Keeps(annotations, handoff.Dialects())}
}

func stampsOf(objects []*krm.Object) []stamp {
	var stamps []stamp
	for _, o := range objects {
		stamps = append(stamps, newStamp(o.Identity(), o.Annotations))
	}
	return stamps
}

// stampsIn reads the stamps of items that carry our owner annotation.
func stampsIn(items []*krm.Item) []stamp {
	var stamps []stamp
	for _, item := range items {
		if _, ours := item.Annotations[krm.OwnerKey]; ours {
			stamps = append(stamps, newStamp(item.Identity(), item.Annotations))
		}
	}
	return stamps
}

// staying are the stamps of items that pass through, and every Namespace of the
// platform team among them. One in a tenant's directory says nothing.
func staying(items []*krm.Item, plan *config.Plan) []stamp {
	stamps := stampsIn(items)
	for _, item := range items {
		if item.Identity() == (krm.Identity{Kind: "Namespace", Name: item.Name}) && !plan.TenantData(item) {
			stamps = append(stamps, newStamp(item.Identity(), item.Annotations))
		}
	}
	return stamps
}

// guardLeaving looks at each namespace that leaves. One that must survive needs
// its keep metadata in the cluster first: appliers read it from the live object.
// One that goes, and that an artifact stays in, must not go at all.
func guardLeaving(before, now []stamp, plan *config.Plan, rep *krm.Report) {
	owners := map[string]*config.Generator{}
	for i := range plan.Generators {
		owners[plan.Generators[i].Owner] = &plan.Generators[i]
	}
	made, users := map[string]bool{}, map[string]stamp{}
	for _, s := range now {
		switch s.id.Kind {
		case "Namespace":
			made[s.id.Name] = true
		case externalArtifactKind:
			users[s.id.Namespace] = s
		}
	}
	for _, s := range before {
		if s.id.Kind != "Namespace" || made[s.id.Name] || s.kept {
			continue
		}
		if user, used := users[s.id.Name]; used {
			rep.Errorf("namespace-in-use", krm.Pos{}, "keep what asks for the namespace (the directory, `managedNamespaces`), or remove the artifact, too",
				"namespace %q leaves the output, and %s, which %s makes, is in it", s.id.Name, user.id.Title(), user.owner)
		}
		if g := owners[s.owner]; g != nil && survives(g, s.id.Name) {
			rep.Stopf("keep-not-applied", g.Pos.At("spec.managedNamespaces"), "restore the directory, render and apply once, then remove it",
				"namespace %q leaves and must survive, but its previous output did not tell appliers to keep it: they would delete it", s.id.Name)
		}
	}
}

// survives tells whether a namespace outlives its leaving: by `prune: false`, or
// because the platform team's metadata asks for it.
func survives(g *config.Generator, namespace string) bool {
	if g.Managed == nil || !g.Prune {
		return g.Managed != nil
	}
	gone := []tenant.Tenant{{Namespace: namespace}}
	g.Managed.Metadata(nil, gone, func(*tenant.Tenant) int { return 0 }, &krm.Report{})
	return handoff.KeepAsked(gone[0].Annotations)
}

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
			continue
		}
		rep.Infof("namespace-left", krm.Pos{}, "", "namespace %q is in the previous output and not in this one", name)
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
