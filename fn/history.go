package fn

import (
	"maps"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// past is a namespace of the previous output.
type past struct {
	// name is what placed calls it.
	name, owner string
	// item is the Namespace as it was emitted last.
	item *krm.Item
	// applied are its annotations in the output that was applied last, as far as
	// anybody knows; nil when nobody does.
	applied map[string]string
	// artifacts are the sorted digests of the artifacts in it.
	artifacts []string
}

// history is the previous output by namespace.
type history map[string]*past

// The values of krm.RetainedKey: why a namespace that nobody asks for is in the
// output.
const (
	// untilApplied: appliers have to read first that they must keep it.
	untilApplied = "until-applied"
	// forKubectl: nothing on the object can tell kubectl to keep it.
	forKubectl = "kubectl"
)

// newHistory puts together the previous output: the items of a host that writes
// files, which is the output of the last run, and the baseline, which is the output
// that was applied last; without a baseline both are taken for the same. A
// namespace that stayed until it is applied shows nothing then: the host may have
// run the function twice.
func newHistory(items, baseline []*krm.Item, d config.Deletion) history {
	h := history{}
	artifacts := map[spot]*krm.Item{}
	for _, item := range slices.Concat(items, baseline) {
		id := item.Identity()
		at, name := spotOf(id, item.Annotations), placed(item.Name, item.Annotations)
		switch {
		case id.Kind == externalArtifactKind && artifacts[at] == nil:
			artifacts[at] = item
		case !isNamespace(id):
		case h[name] == nil:
			h[name] = &past{name: name, owner: item.Annotations[krm.OwnerKey], item: item, applied: item.Annotations}
			if d.Baseline.Text == "" && item.Annotations[krm.RetainedKey] == untilApplied {
				h[name].applied = nil
			}
		}
	}
	for _, item := range baseline {
		if p := h[placed(item.Name, item.Annotations)]; p != nil && isNamespace(item.Identity()) {
			p.applied = item.Annotations
		}
	}
	for _, item := range artifacts {
		if p := h[placed(item.Namespace, item.Annotations)]; p != nil {
			p.artifacts = append(p.artifacts, item.Annotations[krm.DigestKey])
		}
	}
	for _, p := range h {
		slices.Sort(p.artifacts)
	}
	return h
}

// wanted are the namespaces that somebody asked for, with their artifacts. What
// merely stays has been counted when it began to, but what stayed for kubectl and
// does not any more is deleted only now.
func (h history) wanted(stays func(*past) bool) fleet {
	f := fleet{}
	for name, p := range h {
		reason := p.item.Annotations[krm.RetainedKey]
		if reason == "" || reason == forKubectl && !stays(p) {
			f[name] = p.artifacts
		}
	}
	return f
}

// without are, sorted by name, the namespaces that are not in a fleet.
func (h history) without(now fleet) []*past {
	var gone []*past
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if _, there := now[name]; !there {
			gone = append(gone, h[name])
		}
	}
	return gone
}

// object is the namespace as it stays in the output: as it was, without what hosts
// and kubectl have put on it.
func (p *past) object() (*krm.Object, bool) {
	node, ok := p.item.Node(&krm.Report{})
	if !ok {
		return nil, false
	}
	o := krm.NewObject(node)
	maps.DeleteFunc(o.Annotations, func(key, _ string) bool { return krm.IsHostKey(key) || key == lastApplied })
	return &krm.Object{APIVersion: "v1", Kind: "Namespace", Name: p.item.Name, Labels: o.Labels, Annotations: o.Annotations}, true
}

// lastApplied is where kubectl keeps what it applied.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
