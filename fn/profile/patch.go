package profile

import (
	"fmt"
	"regexp"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// patcher is a patch that has been read.
type patcher struct {
	pos  krm.Pos
	node *krm.Node
	// match is nil for a patch without a target, which is for the object that it
	// names.
	match func(*krm.Object) bool
}

// Patches are those of a profile for a cluster, with their templates filled in:
// `patches` first, then those of templated and of plain objects of `patchesFrom`.
func (e *Expander) Patches(p *Profile, c *Cluster, v *View) []Patch {
	var all, templated, plain []Patch
	for _, patch := range p.Patches {
		if text, ok := v.Text(patch.Patch); ok {
			all = append(all, Patch{text, patch.Target})
		}
	}
	for i := range p.PatchesFrom {
		from := &p.PatchesFrom[i]
		namespace, name, ok := e.names(p, c, v, from.Namespace, from.Name)
		if !ok {
			continue
		}
		id := krm.Identity{Kind: from.Kind, Namespace: namespace, Name: name}
		texts, _ := e.data(p, v, from.Pos, from.Optional, id)
		for _, text := range texts {
			patch, ok := e.patchIn(text)
			node, _ := e.find(id)
			switch {
			case !ok:
			case node.Get("metadata").Get("annotations").Get(templateKey) != nil:
				templated = append(templated, patch)
			default:
				plain = append(plain, patch)
			}
		}
	}
	return append(append(all, templated...), plain...)
}

// patchIn reads a document with `patch` and `target`.
func (e *Expander) patchIn(text content) (Patch, bool) {
	quiet := &krm.Report{}
	node, ok := krm.ParseAt(krm.Pos{}, []byte(text.text), quiet)
	if !ok || node == nil || node.Kind != krm.MapNode || textOf(node.Get("patch")) == "" {
		e.rep.Errorf("patch-invalid", text.pos, "write a map with `patch`, a text, and `target`", "the value is no patch")
		return Patch{}, false
	}
	at := func(n *krm.Node) krm.Str { return krm.Str{Text: textOf(n), Pos: text.pos} }
	patch := Patch{Patch: at(node.Get("patch"))}
	if target := node.Get("target"); target != nil && target.Kind == krm.MapNode {
		patch.Target = &Target{
			Pos:   text.pos,
			Group: at(target.Get("group")), Version: at(target.Get("version")), Kind: at(target.Get("kind")),
			Namespace: at(target.Get("namespace")), Name: at(target.Get("name")),
			LabelSelector: at(target.Get("labelSelector")), AnnotationSelector: at(target.Get("annotationSelector")),
		}
	}
	return patch, true
}

// patches reads the patches for objects.
func (e *Expander) patches(p *Profile, c *Cluster, v *View) []patcher {
	if len(p.Policies) == 0 {
		return nil
	}
	var all []patcher
	for _, patch := range e.Patches(p, c, v) {
		if read, ok := e.newPatcher(patch); ok {
			all = append(all, read)
		}
	}
	return all
}

// newPatcher checks a patch: one that says neither by a target nor by its name what
// it is for is for nothing.
func (e *Expander) newPatcher(patch Patch) (patcher, bool) {
	fail := func(hint, format string, args ...any) (patcher, bool) {
		e.rep.Errorf("patch-invalid", patch.Patch.Pos, hint, "%s", fmt.Sprintf(format, args...))
		return patcher{}, false
	}
	quiet := &krm.Report{}
	node, ok := krm.ParseAt(krm.Pos{Line: 1}, []byte(patch.Patch.Text), quiet)
	if !ok {
		first := quiet.Findings()[0]
		return fail(first.Hint, "the patch is wrong in line %d: %s", first.Pos.Line, first.Message)
	}
	switch {
	case node == nil || node.Kind != krm.MapNode && node.Kind != krm.ListNode:
		return fail("", "a patch must be a map, or a list of JSON patch operations")
	case node.Kind == krm.ListNode && patch.Target == nil:
		return fail("set `target`", "a JSON patch must say what it is for")
	case node.Kind == krm.MapNode && patch.Target == nil && (textOf(node.Get("kind")) == "" || textOf(node.Get("metadata").Get("name")) == ""):
		return fail("set `target`, or name the object", "a strategic merge patch without `target` must have `kind` and `metadata.name`")
	}
	out := patcher{pos: patch.Patch.Pos, node: node}
	if patch.Target != nil {
		if out.match, ok = e.matcher(patch.Target); !ok {
			return patcher{}, false
		}
		if node.Kind == krm.MapNode {
			out.node = nameless(node)
		}
	}
	return out, true
}

// nameless is a strategic merge patch without what names an object: the target
// says what it is for, and a patch renames nothing (kustomize, patches with a
// target).
func nameless(n *krm.Node) *krm.Node {
	fields := fieldsOf(n)
	delete(fields, "apiVersion")
	delete(fields, "kind")
	if meta := n.Get("metadata"); meta != nil && meta.Kind == krm.MapNode {
		kept := fieldsOf(meta)
		delete(kept, "name")
		delete(kept, "namespace")
		fields["metadata"] = krm.NewMap(kept)
	}
	return krm.NewMap(fields)
}

// matcher compiles a target.
func (e *Expander) matcher(t *Target) (func(*krm.Object) bool, bool) {
	ok := true
	expression := func(text krm.Str) *regexp.Regexp {
		re, err := regexp.Compile("^(?:" + text.Text + ")$")
		if err != nil {
			e.rep.Errorf("patch-invalid", text.Pos, "", "%q is no regular expression: %v", krm.Short(text.Text, 128), err)
			ok = false
		}
		return re
	}
	selector := func(text krm.Str) Selector {
		s, good := ParseSelector(text, e.rep)
		ok = ok && good
		return s
	}
	group, version, kind := expression(t.Group), expression(t.Version), expression(t.Kind)
	namespace, name := expression(t.Namespace), expression(t.Name)
	labels, annotations := selector(t.LabelSelector), selector(t.AnnotationSelector)
	return func(o *krm.Object) bool {
		is := func(want krm.Str, re *regexp.Regexp, have string) bool {
			return want.Text == "" || re.MatchString(have)
		}
		return is(t.Group, group, krm.GroupOf(o.APIVersion)) && is(t.Version, version, versionOf(o.APIVersion)) && is(t.Kind, kind, o.Kind) &&
			is(t.Namespace, namespace, o.Namespace) && is(t.Name, name, o.Name) &&
			(labels.Empty() || labels.Matches(o.Labels)) && (annotations.Empty() || annotations.Matches(o.Annotations))
	}, ok
}

func versionOf(apiVersion string) string {
	if group := krm.GroupOf(apiVersion); group != "" {
		return apiVersion[len(group)+1:]
	}
	return apiVersion
}

// patch applies patches to an object, in order.
func (e *Expander) patch(node *krm.Node, patches []patcher, from content) (*krm.Node, bool) {
	changed := false
	for _, p := range patches {
		o := krm.NewObject(node)
		if !p.isFor(o) {
			continue
		}
		patched, err := node.MergePatch, error(nil)
		if p.node.Kind == krm.ListNode {
			patched = node.JSONPatch
		}
		if node, err = patched(p.node); err != nil {
			e.rep.Errorf("patch-failed", p.pos, "", "the patch cannot be applied to %s: %v", o.Identity().Title(), err)
			return nil, false
		}
		changed = true
	}
	from.where = "what the patches make of " + from.where
	return node, !changed || from.check(node, e.rep)
}

// isFor tells whether a patch is for an object.
func (p patcher) isFor(o *krm.Object) bool {
	if p.match != nil {
		return p.match(o)
	}
	named := krm.NewObject(p.node)
	return named.Kind == o.Kind && krm.GroupOf(named.APIVersion) == krm.GroupOf(o.APIVersion) && named.Name == o.Name &&
		(named.Namespace == o.Namespace || named.Namespace == "")
}
