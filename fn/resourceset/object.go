package resourceset

import (
	"regexp"
	"strings"
	"sync"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const (
	reconcileKey = "fluxcd.controlplane.io/reconcile"
	disabled     = "disabled"
)

func textOf(n *krm.Node) string {
	if n == nil || n.Kind != krm.StringNode {
		return ""
	}
	return n.Text
}

// identityOf is who a rendered object is.
func identityOf(n *krm.Node) krm.Identity {
	meta := n.Get("metadata")
	return krm.Identity{
		Group: krm.GroupOf(textOf(n.Get("apiVersion"))), Kind: textOf(n.Get("kind")),
		Namespace: textOf(meta.Get("namespace")), Name: textOf(meta.Get("name")),
	}
}

// draftsOf are the objects in what a template rendered, checked.
func (e *evaluation) draftsOf(s *Set, u *unit, in *inputSet, documents []*krm.Node) []*draft {
	if u.object != nil {
		documents = documents[:min(len(documents), 1)] // Flux Operator reads no further
	} else {
		documents = expanded(documents)
	}
	var drafts []*draft
	for _, n := range documents {
		c := objectCheck{evaluation: e, set: s, unit: u, in: in}
		if n, ok := c.object(n); ok {
			drafts = append(drafts, &draft{node: n, set: s, unit: u, inputs: in})
		}
	}
	return drafts
}

// expanded puts the objects of a `kind: List` in its place. Other kinds may end so.
func expanded(documents []*krm.Node) []*krm.Node {
	var all []*krm.Node
	for _, n := range documents {
		items := n.Get("items")
		if textOf(n.Get("kind")) == "List" && items != nil && items.Kind == krm.ListNode {
			all = append(all, expanded(items.Items)...)
			continue
		}
		all = append(all, n)
	}
	return all
}

// objectCheck is one rendered object under examination.
type objectCheck struct {
	*evaluation
	set  *Set
	unit *unit
	in   *inputSet
}

// fail reports a mistake in an object that is emitted; what is only checked is
// Flux Operator's and the API server's to judge.
func (c *objectCheck) fail(code, hint, format string, args ...any) {
	if !c.Render || c.unit.mistakes >= maxMistakes {
		return
	}
	c.unit.mistakes++
	c.rep.Errorf(code, c.unit.pos, hint, format+", rendered with %s%s", append(args, c.in.title(), c.unit.last())...)
}

// syntaxes are those of Kubernetes, compiled when there is something to check.
var syntaxes = sync.OnceValue(func() (s struct{ version, kind, label, namespace *regexp.Regexp }) {
	s.version = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?v[0-9][a-z0-9]*$`)
	s.kind = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)
	s.label = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
	s.namespace = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	return s
})

// object checks what was rendered and returns the object as it is emitted. false
// is for what is left out: by mistake, or because it asks for it.
func (c *objectCheck) object(n *krm.Node) (*krm.Node, bool) {
	id := identityOf(n)
	switch {
	case id.Kind == "" || id.Name == "" || textOf(n.Get("apiVersion")) == "":
		c.incomplete(n)
		return nil, false
	case c.unit.object == nil && id.Group == "kustomize.config.k8s.io":
		return nil, false // no object of a cluster; Flux Operator drops it, too
	}
	n = c.withoutControl(n)
	switch {
	case c.excluded(n):
		return nil, false
	case !c.wellFormed(id, n):
		return nil, false
	}
	finalized, ok := c.finalizer(id, n)
	if finalized || !ok {
		return nil, false
	}
	n = c.withCommon(n)
	return n, c.metadata(n) && c.data(id, n) && c.scalars(n, n)
}

// incomplete reports what has no identity. Flux Operator drops it from a
// `resourcesTemplate`, and says nothing; but an object that has lost its name is one
// that is deleted.
func (c *objectCheck) incomplete(n *krm.Node) {
	if c.unit.object == nil && n.Get("apiVersion") == nil && n.Get("kind") == nil {
		if c.Render && c.unit.mayWarn() {
			c.rep.Warnf("resourceset-dropped", c.unit.pos, "", "a document that is no object is left out, rendered with %s", c.in.title())
		}
		return
	}
	for _, field := range []string{"apiVersion", "kind"} {
		if textOf(n.Get(field)) == "" {
			c.fail("resourceset-object", "write it in the template", "an object has no `%s`", field)
			return
		}
	}
	c.fail("resourceset-object", "a name is a string; what looks like a number is one, unless it is in quotes", "%s has no `metadata.name`", textOf(n.Get("kind")))
}

// excluded tells whether an object asks to be left out. Without inputs Flux
// Operator does not ask entries of `resources`.
func (c *objectCheck) excluded(n *krm.Node) bool {
	if c.unit.object != nil && c.in.values == nil {
		return false
	}
	return textOf(n.Get("metadata").Get("annotations").Get(reconcileKey)) == disabled
}

// wellFormed checks what becomes a file name and an identity.
func (c *objectCheck) wellFormed(id krm.Identity, n *krm.Node) bool {
	namespace := n.Get("metadata").Get("namespace")
	switch {
	case !syntaxes().version.MatchString(textOf(n.Get("apiVersion"))):
		c.fail("resourceset-object", "", "%q is no `apiVersion`", krm.Short(textOf(n.Get("apiVersion")), 128))
	case !syntaxes().kind.MatchString(id.Kind):
		c.fail("resourceset-object", "", "%q is no `kind`", krm.Short(id.Kind, 128))
	case strings.ContainsAny(id.Name, "/%\x00\n") || id.Name == "." || id.Name == ".." || len(id.Name) > 253 || strings.TrimSpace(id.Name) != id.Name:
		c.fail("resourceset-object", "`slugify` makes a name of any text", "%q cannot be the name of a %s", krm.Short(id.Name, 128), id.Kind)
	case namespace != nil && !syntaxes().namespace.MatchString(id.Namespace):
		c.fail("resourceset-object", "", "%q cannot be the namespace of %s %s", krm.Short(namespace.Text, 128), id.Kind, krm.Short(id.Name, 128))
	default:
		return true
	}
	return false
}

// withoutControl takes away instructions that came with values: a tenant must not
// decide what an applier does with an object, nor whether it is there. Flux Operator
// would follow them.
func (c *objectCheck) withoutControl(n *krm.Node) *krm.Node {
	for _, field := range []string{"labels", "annotations"} {
		for key := range fieldsOf(n.Get("metadata").Get(field)) {
			if key.Pos.Line == 0 && c.Control(key.Text) {
				n = without(n, field, key.Text)
				c.reportControl(strings.TrimSuffix(field, "s"), key.Text, identityOf(n))
			}
		}
	}
	return n
}

func (c *objectCheck) reportControl(what, key string, id krm.Identity) {
	const hint = "write the key in the template, if the platform team wants it"
	switch {
	case !c.Render && c.in.artifact == nil || !c.unit.mayWarn():
	case c.Render:
		c.rep.Warnf("inputs-control-key", c.unit.pos, hint, "%s %q of %s came with %s and is left out: only a template can set it", what, krm.Short(key, 128), id.Title(), c.in.title())
	default:
		c.rep.Errorf("inputs-control-key", c.in.artifact.File, hint, "%s %q of %s comes with %s, and Flux Operator would follow it: only a template of ResourceSet %s can set it",
			what, krm.Short(key, 128), id.Title(), c.in.title(), c.set.id())
	}
}

// fieldsOf are the entries of a map, which may be missing.
func fieldsOf(n *krm.Node) func(func(krm.Str, *krm.Node) bool) {
	if n == nil || n.Kind != krm.MapNode {
		return func(func(krm.Str, *krm.Node) bool) {}
	}
	return n.Fields()
}

// without is an object without a label or an annotation.
func without(n *krm.Node, field, key string) *krm.Node {
	return edited(n, "metadata", func(meta *krm.Node) *krm.Node {
		return edited(meta, field, func(m *krm.Node) *krm.Node {
			var kept []krm.Entry
			for k, v := range m.Fields() {
				if k.Text != key {
					kept = append(kept, krm.Entry{Key: k, Value: v})
				}
			}
			return krm.NewEntries(m.Pos, kept)
		})
	})
}

// edited is a map with one entry changed; change gets nil for a missing one.
func edited(n *krm.Node, key string, change func(*krm.Node) *krm.Node) *krm.Node {
	var all []krm.Entry
	for k, v := range fieldsOf(n) {
		if k.Text != key {
			all = append(all, krm.Entry{Key: k, Value: v})
		}
	}
	name := krm.Str{Text: key, Pos: krm.Pos{Line: 1}}
	return krm.NewEntries(krm.Pos{}, append(all, krm.Entry{Key: name, Value: change(n.Get(key))}))
}

// withCommon is an object with spec.commonMetadata, which wins.
func (c *objectCheck) withCommon(n *krm.Node) *krm.Node {
	n = withAll(n, "labels", c.set.labels)
	return withAll(n, "annotations", c.set.annotations)
}

func withAll(n *krm.Node, field string, values map[string]krm.Str) *krm.Node {
	if len(values) == 0 {
		return n
	}
	return edited(n, "metadata", func(meta *krm.Node) *krm.Node {
		return edited(meta, field, func(m *krm.Node) *krm.Node {
			all := make(map[string]*krm.Node, len(values))
			for k, v := range fieldsOf(m) {
				all[k.Text] = v
			}
			for key, value := range values {
				all[key] = krm.NewString(value.Text)
			}
			return krm.NewMap(all)
		})
	})
}

// metadata checks that labels and annotations are strings, and none of those that
// only hosts and this function set.
func (c *objectCheck) metadata(n *krm.Node) bool {
	ok := true
	for _, field := range []string{"labels", "annotations"} {
		m := n.Get("metadata").Get(field)
		if m != nil && m.Kind != krm.MapNode && m.Kind != krm.NullNode {
			c.fail("resourceset-object", "", "`metadata.%s` of %s is no map", field, identityOf(n).Title())
			ok = false
		}
		for key, value := range fieldsOf(m) {
			switch {
			case value.Kind != krm.StringNode:
				c.fail("resourceset-object", "write `| quote` behind the value", "%s %q of %s must be a string, found %q", strings.TrimSuffix(field, "s"), krm.Short(key.Text, 128), identityOf(n).Title(), krm.Short(value.Text, 64))
				ok = false
			case field == "labels" && (len(key.Text) > 253+len("/")+63 || !syntaxes().label.MatchString(value.Text)):
				c.fail("resourceset-object", "a label's value has up to 63 letters, digits, `-`, `_` and `.`; `slugify` makes one of any text", "label %q of %s cannot be %q", krm.Short(key.Text, 128), identityOf(n).Title(), krm.Short(value.Text, 128))
				ok = false
			case c.Forbidden(key.Text):
				c.fail("resourceset-forbidden-key", "remove it", "%s %q of %s must not be set: hosts and this function go by it", strings.TrimSuffix(field, "s"), krm.Short(key.Text, 128), identityOf(n).Title())
				ok = false
			}
		}
	}
	return ok
}

// data checks that a ConfigMap and a Secret hold strings.
func (c *objectCheck) data(id krm.Identity, n *krm.Node) bool {
	if id.Group != "" || id.Kind != "ConfigMap" && id.Kind != "Secret" {
		return true
	}
	for _, field := range []string{"data", "stringData"} {
		for key, value := range fieldsOf(n.Get(field)) {
			if value.Kind != krm.StringNode && value.Kind != krm.NullNode {
				c.fail("resourceset-object", "write `| quote` behind the value", "`%s` of %s must hold strings, found %s at %q", field, id.Title(), describe(value), krm.Short(key.Text, 128))
				return false
			}
		}
	}
	return true
}

// scalars refuses what two versions of YAML read as different values.
func (c *objectCheck) scalars(root, n *krm.Node) bool {
	if n.Ambiguous != "" {
		c.fail("resourceset-object", "put it in quotes if it is text", "the value %q of %s is %s for YAML 1.1 and something else for YAML 1.2", krm.Short(n.Written, 64), identityOf(root).Title(), n.Ambiguous)
		return false
	}
	for _, item := range n.Items {
		if !c.scalars(root, item) {
			return false
		}
	}
	for _, value := range fieldsOf(n) {
		if !c.scalars(root, value) {
			return false
		}
	}
	return true
}
