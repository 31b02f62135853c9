package fn

import (
	"fmt"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// A namespace that leaves the output is deleted by whoever applies it, unless that
// one was told otherwise. It reads what it was told from the live object, so there
// is nothing to be told in the output that lacks the namespace.

// leaving is a namespace of the previous output that nobody asks for any more.
type leaving struct {
	*custody
	*past
	// users is what is in the namespace and does not leave, nil for nothing.
	users []user
}

// user is somebody's object in a namespace.
type user struct {
	id    krm.Identity
	owner string
}

// leave decides what becomes of each namespace that leaves, and returns those that
// must not leave yet.
func (c *custody) leave(gone []*past, users map[string][]user) []*krm.Object {
	var stay []*krm.Object
	for _, p := range gone {
		l := leaving{c, p, slices.Concat(users[p.name], c.liveUsers(p))}
		if o := l.decide(); o != nil {
			stay = append(stay, o)
		}
	}
	return stay
}

// liveUsers are the artifacts that the cluster has in a namespace and that nobody of
// this run has made, nor who made the namespace.
func (c *custody) liveUsers(p *past) []user {
	var users []user
	for _, live := range c.plan.State.Artifacts(p.name) {
		if owner := live.Annotations[krm.OwnerKey]; owner != p.owner && !c.owners[owner] {
			users = append(users, user{live.Identity(), owner})
		}
	}
	return users
}

// decide tells what becomes of the namespace. The result is nil when it leaves.
func (l leaving) decide() *krm.Object {
	g := l.generators[l.owner]
	why, f := l.keeps(g, l.name), l.finalizedBy()
	appliers := l.plan.Appliers
	if why == "" && f.name != "" {
		appliers = appliers.Except(f.group)
	}
	told := l.isTold(appliers)
	switch {
	case why != "" && appliers.Prunes() && f.name == "":
		l.fate("nobody").Infof("gc-retained", "to let it go, set `prune` to true", "stays in the output, because kubectl's prunes delete whatever leaves it, and %s", why)
		return l.retained(forKubectl, appliers, f)
	case why == "" && f.name != "" && l.isGone():
		l.fate(f.name).Infof("gc-finalizer", "", "leaves the output: the cluster does not have it any more, and %s was to delete it", krm.Short(f.name, 512))
	case (why != "" || f.name != "") && !told:
		if why == "" {
			l.refuseUsers()
		}
		l.fate("nobody").Warnf("gc-once-more", l.afterwards(), "stays in the output once more: nothing shows that appliers were told to keep it, and they would delete it")
		return l.retained(untilApplied, appliers, f)
	case f.name != "" && told && !l.ownKeeps(f):
		l.refuseUsers()
		l.fate(f.name).Infof("gc-finalizer", l.kubectlToo(), "leaves the output, and %s deletes it when it finds that the artifacts are gone; appliers were told to keep it", krm.Short(f.name, 512))
	case why != "":
		l.fate("nobody").Infof("gc-kept", "", "leaves the output and stays in the cluster, because %s", why)
	case f.name != "" && told:
		l.fate("nobody").Warnf("gc-leaked", "remove what tells it so from the live namespace",
			"leaves the output and stays in the cluster: %s, which is to delete it, was told to keep it before", krm.Short(f.name, 512))
	default:
		l.prune()
	}
	return nil
}

// retains tells whether a namespace that leaves stays in the output for kubectl.
func (c *custody) retains(p *past) bool {
	l := leaving{c, p, nil}
	return l.plan.Appliers.Prunes() && l.keeps(l.generators[p.owner], p.name) != "" && l.finalizedBy().name == ""
}

// prune is for a namespace that the applier deletes, unless it was told otherwise
// in an earlier revision.
func (l leaving) prune() {
	keeping := l.plan.Appliers.Keeping(l.annotations())
	who, deletedBy := "appliers were", "nobody"
	if len(keeping) < len(l.plan.Appliers) {
		l.refuseUsers()
		who, deletedBy = "appliers ("+keeping.String()+") were", "applier"
	}
	switch {
	case len(keeping) == 0:
		l.fate(deletedBy).Infof("gc-applier", "", "leaves the output, and the applier deletes it at its next prune, because %s", l.whyPruned())
	case !l.owners[l.owner]:
		l.fate(deletedBy).Infof("gc-kept", "", "leaves the output and stays in the cluster: %s, which made it, is not part of this run, and %s told to keep it", l.owner, who)
	default:
		l.fate(deletedBy).Warnf("gc-leaked", "delete it by hand; or restore the directory, render and apply once, and remove it again",
			"leaves the output and stays in the cluster, although %s: %s told to keep it before", l.whyPruned(), who)
	}
}

func (l leaving) whyPruned() string {
	switch g := l.generators[l.owner]; {
	case !l.owners[l.owner]:
		return l.owner + ", which made it, is not part of this run"
	case g == nil:
		return l.owner + " does not make it any more"
	case g.Managed == nil:
		return l.owner + " does not manage namespaces any more"
	}
	return "`prune` is true"
}

// finalizedBy is who deletes the namespace in the applier's place. Where the
// cluster does not have it or nobody has looked, what the last run knew counts.
func (l leaving) finalizedBy() finalizer {
	f := l.finalizer(l.name)
	record := l.item.Annotations[krm.FinalizedByKey]
	if _, live := l.plan.State.Namespace(l.name); f.name != "" || live || record == "" {
		return f
	}
	r, err := handoff.ParseReference(record)
	if err != nil {
		return finalizer{record, resourceSets}
	}
	return finalizer{record, r.Group}
}

// annotations are those that appliers go by: what the cluster has, else what was
// applied last.
func (l leaving) annotations() map[string]string {
	if live, known := l.plan.State.Namespace(l.name); known {
		return live.Annotations
	}
	return l.applied
}

// isTold tells whether appliers are certain to know that they must keep the
// namespace. What also told them to leave the live object alone has not reached it.
func (l leaving) isTold(appliers handoff.Appliers) bool {
	if live, known := l.plan.State.Namespace(l.name); known {
		return appliers.Keeps(live.Annotations)
	}
	return l.applied != nil && appliers.Keeps(l.applied) && len(appliers.Unread(l.applied)) == 0
}

// isGone tells whether the cluster has namespaces and this one no more. It is asked
// about what was handed over, which an export has to show: to keep that in the
// output would make it anew. An export without one that must survive proves nothing.
func (l leaving) isGone() bool {
	_, known := l.plan.State.Namespace(l.name)
	return !known && l.plan.State.HasNamespaces()
}

// retained is the namespace for the output: still ours, and kept by everybody.
func (l leaving) retained(reason string, appliers handoff.Appliers, f finalizer) *krm.Object {
	o, ok := l.object()
	if !ok {
		return nil
	}
	for _, key := range l.plan.Appliers.Unread(o.Annotations) {
		delete(o.Annotations, key)
	}
	delete(o.Annotations, handoff.FinalizerKey)
	delete(o.Annotations, krm.FinalizedByKey)
	o.Annotations = l.plan.Appliers.NoSubstitution(appliers.Keep(o.Annotations))
	o.Annotations[krm.RetainedKey] = reason
	if !l.owners[l.owner] { // the next run must know it for its own
		o.Annotations[krm.OwnerKey] = ownerOf(l.plan)
	}
	setIf(o.Annotations, krm.FinalizedByKey, f.name)
	return o
}

// afterwards says how the namespace can leave.
func (l leaving) afterwards() string {
	if _, known := l.plan.State.Namespace(l.name); known {
		return "apply this output and export the namespace again; it leaves once the live object tells appliers to keep it"
	}
	if l.plan.Deletion.Baseline.Text == "" && l.item.Path() != "" {
		return fmt.Sprintf("apply this output, then remove %q, or show the live namespace in `spec.state`", l.item.Path())
	}
	return "apply this output; a run that has it as its baseline leaves the namespace out"
}

func (l leaving) kubectlToo() string {
	if l.plan.Appliers.Prunes() {
		return "kubectl's prunes delete it at once"
	}
	return ""
}

// ownKeeps tells whether the finalizer itself was told to keep the namespace.
func (l leaving) ownKeeps(f finalizer) bool {
	return slices.ContainsFunc(l.plan.Appliers.Keeping(l.annotations()), func(d handoff.Dialect) bool { return d.Group == f.group })
}

// refuseUsers reports what is deleted together with a namespace and is not ours to
// delete.
func (l leaving) refuseUsers() {
	for _, u := range l.users {
		maker := u.owner
		if maker == "" {
			maker = "somebody else"
		}
		l.rep.Errorf("namespace-in-use", krm.Pos{}, "keep what asks for the namespace (the directory, `managedNamespaces`), or remove the object, too",
			"namespace %q leaves the output, and %s, which %s makes, is in it", l.name, u.id.Title(), maker)
	}
}

func (l leaving) fate(deletedBy string) krm.Fate {
	return l.rep.Fate(l.item.Identity(), deletedBy)
}
