package handoff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// State is what is known of a cluster: objects as they were exported from it.
type State struct {
	objects map[krm.Identity]Live
	// artifacts are the ExternalArtifacts by namespace.
	artifacts map[string][]Live
	// namespaces is the number of Namespaces.
	namespaces int
}

// Live is an object as a cluster has it, and where its export is.
type Live struct {
	*krm.Item
	Pos krm.Pos
	// finalizer is what a label or an annotation has for FinalizerKey.
	annotation, label string
}

// NewState takes exported objects. An object may be there twice as long as both
// say the same about what counts here: its UID and its annotations.
func NewState(exported []Live, rep *krm.Report) State {
	s := State{map[krm.Identity]Live{}, map[string][]Live{}, 0}
	for _, live := range exported {
		live.readFinalizer()
		id := live.Identity()
		if first, twice := s.objects[id]; twice {
			if live.differs(first) {
				rep.Errorf("state-conflict", live.Pos, "export the object again and keep one of the two",
					"%s is there twice with another `uid` or other annotations, first in %s", id.Title(), first.Pos.Place())
			}
			continue
		}
		s.objects[id] = live
		switch id {
		case krm.Identity{Kind: "Namespace", Name: id.Name}:
			s.namespaces++
		case krm.Identity{Group: "source.toolkit.fluxcd.io", Kind: "ExternalArtifact", Namespace: id.Namespace, Name: id.Name}:
			s.artifacts[id.Namespace] = append(s.artifacts[id.Namespace], live)
		}
	}
	return s
}

// readFinalizer looks for FinalizerKey; the text of few objects holds it.
func (l *Live) readFinalizer() {
	l.annotation = l.Annotations[FinalizerKey]
	if !l.Mentions(FinalizerKey) {
		return
	}
	if node, ok := l.Node(&krm.Report{}); ok {
		if label := node.Get("metadata").Get("labels").Get(FinalizerKey); label != nil {
			l.label = label.Text
		}
	}
}

func (l Live) differs(other Live) bool {
	return l.UID != other.UID || l.label != other.label || !maps.Equal(l.own(), other.own())
}

// own are the annotations that no host has put on the export.
func (l Live) own() map[string]string {
	own := maps.Clone(l.Annotations)
	maps.DeleteFunc(own, func(key, _ string) bool { return krm.IsHostKey(key) })
	return own
}

// Namespace is a live Namespace.
func (s State) Namespace(name string) (Live, bool) {
	live, found := s.objects[krm.Identity{Kind: "Namespace", Name: name}]
	return live, found
}

// HasNamespaces tells whether any Namespace was exported.
func (s State) HasNamespaces() bool { return s.namespaces > 0 }

// Artifacts are the live ExternalArtifacts of a namespace.
func (s State) Artifacts(namespace string) []Live { return s.artifacts[namespace] }

// Finalizer says who deletes a live Namespace in the applier's place: an object
// that the Namespace refers to and that is there, with that UID. An object of that
// name and another UID is another one, which need not know the Namespace.
func (s State) Finalizer(namespace string) (Reference, Refusal) {
	live, found := s.Namespace(namespace)
	switch {
	case !found || live.annotation == "" && live.label == "":
		return Reference{}, Refusal{}
	case live.annotation == "":
		return Reference{}, live.refuse("labels", malformed, live.label, "is a label and must be an annotation")
	}
	r, err := ParseReference(live.annotation)
	if err != nil {
		return Reference{}, live.refuse("annotations", malformed, live.annotation, err.Error())
	}
	switch object, there := s.objects[r.Identity]; {
	case !there:
		return Reference{}, live.refuse("annotations", gone, r.String(), "the state does not hold that object")
	case object.UID != r.UID:
		return Reference{}, live.refuse("annotations", gone, r.String(), fmt.Sprintf("%s has the UID %q now", object.Identity().Title(), krm.Short(object.UID, 256)))
	}
	if live.label != "" {
		return r, live.refuse("labels", doubled, live.label, r.String())
	}
	return r, Refusal{}
}

// Refusal is why something that should name who deletes a live Namespace does not
// count. The zero Refusal is none.
type Refusal struct {
	pos  krm.Pos
	kind refusal
	// value is what is refused.
	value, why string
}

type refusal int

const (
	none refusal = iota
	// malformed is no reference, gone one to an object that is not there.
	malformed
	gone
	// doubled is a label beside an annotation, which alone counts.
	doubled
)

// refuse refuses an entry of the metadata.
func (l Live) refuse(where string, kind refusal, value, why string) Refusal {
	return Refusal{l.Pos.At("metadata." + where).Key(FinalizerKey), kind, value, why}
}

// Refusals are those of several namespaces.
type Refusals map[string]Refusal

// Report warns of handoffs that never happened: whoever applies the namespaces
// stays in charge of them. One finalizer that was made anew can leave a fleet
// behind, and is one finding.
func (rs Refusals) Report(rep *krm.Report) {
	alike := map[Refusal][]string{}
	for _, namespace := range slices.Sorted(maps.Keys(rs)) {
		why := rs[namespace]
		why.pos = krm.Pos{}
		alike[why] = append(alike[why], namespace)
	}
	for why, names := range alike {
		pos, who, value := rs[names[0]].pos, Listed("namespace", names), krm.Short(why.value, 512)
		switch why.kind {
		case none:
		case malformed:
			rep.Warnf("finalizer-malformed", pos, "whoever sets it must write group/version/kind/namespace/name/uid",
				"nobody but the applier deletes %s: the reference %q %s", who, value, why.why)
		case gone:
			rep.Warnf("finalizer-gone", pos, "whoever is to delete them must write its reference anew; export its object, too",
				"nobody but the applier deletes %s: %q is not there, %s", who, value, why.why)
		case doubled:
			rep.Warnf("finalizer-twice", pos, "remove the label", "the label %q counts for nothing on %s: the annotation says %q", value, who, why.why)
		}
	}
}

// Listed names things, and at most ten of them.
func Listed(what string, names []string) string {
	const most = 10
	if len(names) == 1 {
		return fmt.Sprintf("%s %q", what, names[0])
	}
	text := what + "s " + strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
