package resourceset

import (
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// finalizerKey is how a ResourceSet takes over the deletion of a namespace that a
// generator manages; self is the word that stands for its own reference.
const (
	finalizerKey = "source.extensions.fluxcd.io/externalFinalizer"
	self         = "self"
)

// finalizer looks at a declaration that the set deletes a namespace. Such a
// Namespace carries nothing else: its metadata is the generator's. It is no object
// of the output; what the generator makes of the namespace is.
func (c *objectCheck) finalizer(id krm.Identity, n *krm.Node) (declared, ok bool) {
	meta := n.Get("metadata")
	label, value := meta.Get("labels").Get(finalizerKey), meta.Get("annotations").Get(finalizerKey)
	if label == nil && value == nil {
		return false, true
	}
	switch {
	case id != krm.Identity{Kind: "Namespace", Name: id.Name}:
		c.refuse("remove it", "only a Namespace can have `%s`, found it on %s", finalizerKey, id.Title())
	case label != nil:
		c.refuse("make it an annotation", "`%s` is a label of %s", finalizerKey, id.Title())
	case textOf(value) != self:
		c.refuse("write `"+self+"`: Flux Operator puts the reference in its place", "`%s` of %s must be %q, found %q", finalizerKey, id.Title(), self, krm.Short(value.Text, 256))
	case c.carriesMore(n) != "":
		c.refuse("move it to the generator, whose namespace it is", "%s declares that it deletes %s and must set nothing else on it, found `%s`", c.set.Owner, id.Title(), c.carriesMore(n))
	default:
		if _, twice := c.result.Finalized[id.Name]; !twice {
			c.result.Finalized[id.Name] = Finalizer{c.set.Owner, c.unit.pos, c.isLocal()}
		} else if by := c.result.Finalized[id.Name].Owner; by != c.set.Owner {
			c.refuse("keep one of the two", "%s and %s both declare that they delete %s", by, c.set.Owner, id.Title())
		}
		return true, true
	}
	return false, false
}

// isLocal tells whether the set stays out of the cluster: what is rendered here
// does, and what says so.
func (c *objectCheck) isLocal() bool {
	if c.set.Item == nil {
		return false
	}
	local, there := c.set.Item.Annotations[krm.LocalConfigKey]
	return c.Render || there && local != "false"
}

func (c *objectCheck) refuse(hint, format string, args ...any) {
	if c.unit.mistakes++; c.unit.mistakes > maxMistakes {
		return
	}
	c.rep.Errorf("finalizer-declaration", c.unit.pos, hint, format+", rendered with %s", append(args, c.in.title())...)
}

// carriesMore names a field besides the declaration, "" when there is none.
func (c *objectCheck) carriesMore(n *krm.Node) string {
	for key := range n.Fields() {
		if key.Text != "apiVersion" && key.Text != "kind" && key.Text != "metadata" {
			return key.Text
		}
	}
	for key := range n.Get("metadata").Fields() {
		if key.Text != "name" && key.Text != "annotations" {
			return "metadata." + key.Text
		}
	}
	for key := range n.Get("metadata").Get("annotations").Fields() {
		if key.Text != finalizerKey {
			return "metadata.annotations[" + krm.Short(key.Text, 128) + "]"
		}
	}
	return ""
}
