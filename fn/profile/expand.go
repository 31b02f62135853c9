package profile

import (
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Input is what profiles refer to.
type Input struct {
	// Find looks up an object.
	Find func(krm.Identity) (*krm.Node, bool)
	// IsTenants tells whether a tenant has an object, which Find does not see.
	IsTenants func(krm.Identity) bool
	// Files are those below a path of a Flux source, sorted. False when nobody knows
	// the files of the source; what cannot be read is reported.
	Files func(ref krm.Identity, path krm.Str) ([]File, bool)
	// Definitions are CustomResourceDefinitions.
	Definitions []*krm.Node
}

// File is a file of a Flux source. Path is for people, and unique in the source.
type File struct{ Path, Text string }

// Expander turns what profiles say into claims.
type Expander struct {
	in        Input
	templates *templates
	scopes    Scopes
	// known are objects as templates see them.
	known map[*krm.Node]map[string]any
	rep   *krm.Report
}

// NewExpander is for a run. What is wrong with a profile goes to rep.
func NewExpander(in Input, rep *krm.Report) *Expander {
	e := &Expander{in, newTemplates(), Scopes{}, map[*krm.Node]map[string]any{}, rep}
	for _, n := range in.Definitions {
		e.scopes.Add(n)
	}
	return e
}

func (e *Expander) find(id krm.Identity) (*krm.Node, bool) { return e.in.Find(id) }

// View is what the templates of a profile see for a cluster; false when something
// that it needs is missing.
func (e *Expander) View(p *Profile, c *Cluster) (*View, bool) { return e.viewOf(p, c) }

// names fills in what names an object. A Profile stays in its own namespace; for a
// ClusterProfile that of the cluster is the default.
func (e *Expander) names(p *Profile, c *Cluster, v *View, namespace, name krm.Str) (ns, n string, ok bool) {
	filledNamespace, ok := v.Name(namespace)
	filledName, good := v.Name(name)
	switch {
	case !ok || !good:
		return "", "", false
	case filledNamespace.Text == "" && p.Confined():
		return p.Namespace, filledName.Text, true
	case filledNamespace.Text == "":
		return c.Namespace, filledName.Text, true
	case p.Confined() && filledNamespace.Text != p.Namespace:
		e.rep.Errorf("profile-confined", namespace.Pos, "leave the namespace out, or use a ClusterProfile",
			"a Profile in %q must not reach into the namespace %q", p.Namespace, krm.Short(filledNamespace.Text, 256))
		return "", "", false
	}
	return filledNamespace.Text, filledName.Text, true
}

// missing reports an object that a profile refers to and that is not there. It
// tells whether the profile can do without.
func (e *Expander) missing(p *Profile, pos krm.Pos, optional bool, id krm.Identity) bool {
	if optional {
		e.rep.Infof("reference-optional", pos, "", "%s is not in the input, and %s does without", id.Title(), &p.Owner)
		return true
	}
	hint := "pass it among the items or in a file of `spec.configs`, or set `optional: true`"
	if e.in.IsTenants(id) {
		hint = "one of that name lies in a tenant's directory and is not read; name its file in `spec.configs` if it is the platform team's"
	}
	e.rep.Errorf("reference-missing", pos, hint, "%s, which %s refers to, is not in the input", id.Title(), &p.Owner)
	return false
}

// Objects are the claims of a profile's policyRefs for a cluster: Local ones
// first, each in the order of the list, of the keys and of the documents. The
// identities are settled by Settle.
func (e *Expander) Objects(p *Profile, c *Cluster, v *View) []*Claim {
	patches := e.patches(p, c, v)
	var claims []*Claim
	for _, local := range []bool{true, false} {
		for i := range p.Policies {
			if p.Policies[i].Local == local {
				claims = append(claims, e.policy(p, c, v, &p.Policies[i], patches)...)
			}
		}
	}
	return claims
}

// policy is one reference.
func (e *Expander) policy(p *Profile, c *Cluster, v *View, ref *PolicyRef, patches []patcher) []*Claim {
	texts, from, ok := e.contents(p, c, v, ref)
	if !ok {
		return nil
	}
	var claims []*Claim
	for _, text := range texts {
		nodes, ok := text.manifests(e.rep)
		if !ok {
			continue
		}
		for _, node := range nodes {
			patched, ok := e.patch(node, patches, text)
			if !ok {
				continue
			}
			e.scopes.Add(patched)
			claims = append(claims, &Claim{
				Owner: &p.Owner, Feature: Resources, Cluster: c.Destination, To: c.destination(ref.Local), Ref: from,
				Pos: ref.Pos, Origin: text.origin(), node: patched,
			})
		}
	}
	return claims
}

func (c *Cluster) destination(local bool) Destination {
	if local {
		return Management
	}
	return c.Destination
}

func (c content) origin() string {
	if c.path != "" {
		return c.path
	}
	if c.pos.File != "" {
		return c.pos.File
	}
	id := c.pos.Object
	return id.Kind + "/" + id.Namespace + "/" + id.Name
}

// contents are the texts behind a reference, with their templates filled in.
func (e *Expander) contents(p *Profile, c *Cluster, v *View, ref *PolicyRef) (texts []content, from Reference, ok bool) {
	namespace, name, ok := e.names(p, c, v, ref.Namespace, ref.Name)
	if !ok {
		return nil, from, false
	}
	from = Reference{Kind: ref.Kind, Namespace: namespace, Name: name, Tier: ref.Tier, Local: ref.Local}
	if ref.Kind == "ConfigMap" || ref.Kind == "Secret" {
		texts, ok = e.data(p, v, ref.Pos, ref.Optional, from.identity())
		return texts, from, ok
	}
	path, ok := v.Text(ref.Path)
	if !ok {
		return nil, from, false
	}
	if ref.Path.Text == "" {
		path.Pos = ref.Pos
	}
	from.Path = path.Text
	files, known := e.in.Files(from.identity(), path)
	if !known {
		e.reportUnknown(p, ref, from)
		return nil, from, false
	}
	source, _ := e.find(from.identity())
	for _, f := range files {
		text := content{
			text: f.Text, pos: ref.Pos, path: f.Path,
			where: fmt.Sprintf("the file %q of %s", f.Path, from.identity().Title()), by: usedBy(p, ref.Pos),
		}
		if text, ok = e.instantiate(text, source, v); ok {
			texts = append(texts, text)
		}
	}
	return texts, from, true
}

// reportUnknown is for a Flux source of which nobody knows the files.
func (e *Expander) reportUnknown(p *Profile, ref *PolicyRef, from Reference) {
	if ref.Optional {
		e.rep.Infof("reference-optional", ref.Pos, "", "the files of %s are not known, and %s does without", from, &p.Owner)
		return
	}
	e.rep.Errorf("reference-missing", ref.Pos, "name the source in `spec.sources` of a generator, or declare `alias: "+from.Name+"` with its directory in `spec.sources` of a ProvisionTenants",
		"the files of %s, which %s refers to, are not known", from, &p.Owner)
}

// usedBy says, behind a message, which profile refers to what it is about.
func usedBy(p *Profile, pos krm.Pos) string {
	return fmt.Sprintf("; %s refers to it in `%s`", &p.Owner, pos.Field)
}

// identity is that of the object that a reference names.
func (r Reference) identity() krm.Identity {
	id := krm.Identity{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
	if r.Kind != "ConfigMap" && r.Kind != "Secret" {
		id.Group = "source.toolkit.fluxcd.io"
	}
	return id
}

const (
	templateKey = "projectsveltos.io/template"
	luaKey      = "projectsveltos.io/lua"
	secretType  = "addons.projectsveltos.io/cluster-profile"
)

// data are the values of a ConfigMap or of a Secret of Sveltos' type, in the order
// of their keys.
func (e *Expander) data(p *Profile, v *View, pos krm.Pos, optional bool, id krm.Identity) ([]content, bool) {
	node, found := e.find(id)
	if !found {
		return nil, e.missing(p, pos, optional, id)
	}
	if id.Kind == "Secret" && textOf(node.Get("type")) != secretType {
		e.rep.Errorf("secret-type", node.Pos.At("type"), "write `type: "+secretType+"`", "the Secret has the type %q%s", textOf(node.Get("type")), usedBy(p, pos))
		return nil, false
	}
	entries := map[string]content{}
	by := usedBy(p, pos)
	ok := e.entries(node, "data", by, id.Kind == "Secret", entries)
	if id.Kind == "Secret" {
		ok = e.entries(node, "stringData", by, false, entries) && ok
	}
	var texts []content
	for _, key := range sortedKeys(entries) {
		text, good := e.instantiate(entries[key], node, v)
		texts, ok = append(texts, text), ok && good
	}
	return texts, ok
}

// entries reads the values of a field.
func (e *Expander) entries(node *krm.Node, field, by string, encoded bool, into map[string]content) bool {
	data := node.Get(field)
	if data == nil || data.Kind != krm.MapNode {
		return true
	}
	ok := true
	for key, value := range data.Fields() {
		text := value.Text
		if value.Kind != krm.StringNode {
			e.rep.Errorf("manifest-invalid", value.Pos, "put it in quotes", "a value of `%s` must be a string%s", field, by)
			ok = false
			continue
		}
		if encoded {
			decoded, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				e.rep.Errorf("manifest-invalid", value.Pos, "put plain text into `stringData`", "a value of `data` of a Secret must be base64%s", by)
				ok = false
				continue
			}
			text = string(decoded)
		}
		into[key.Text] = content{text: text, pos: value.Pos, where: "the value", by: by, secret: textOf(node.Get("kind")) == "Secret"}
	}
	return ok
}

// instantiate fills in a text if its object says that it is a template.
func (e *Expander) instantiate(text content, object *krm.Node, v *View) (content, bool) {
	annotations := object.Get("metadata").Get("annotations")
	switch {
	case annotations.Get(templateKey) != nil:
		filled, ok := v.fill(krm.Str{Text: text.text, Pos: text.pos}, v.full, text.by, text.secret)
		text.text = filled.Text
		return text, ok
	case annotations.Get(luaKey) != nil:
		e.rep.Errorf("lua-unsupported", object.Pos.At("metadata.annotations").Key(luaKey), "write it as a Go template, with the annotation `"+templateKey+"`", "nothing here runs Lua%s", text.by)
		return text, false
	}
	return text, true
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Settle makes the objects of claims, once all of them are there: a definition
// among them says whether a kind has a namespace. What a Profile must not write to
// the management cluster is an error.
func (e *Expander) Settle(claims []*Claim) {
	chain(claims)
	unknown := map[string]bool{}
	for _, c := range claims {
		if c.node == nil {
			continue
		}
		c.Object = krm.NewObject(c.node)
		scope := e.scopes.Normalise(c.Object)
		c.Identity = c.Object.Identity()
		if kind := c.Identity.Group + "/" + c.Identity.Kind; scope == Unknown && c.Object.Namespace == "" && !unknown[kind] {
			unknown[kind] = true
			e.rep.Infof("scope-unknown", c.Pos, "pass its CustomResourceDefinition, or write the namespace",
				"nobody says whether the kind %s has a namespace: its objects are left as they are", c.Identity.Kind)
		}
		if own := c.Owner.Namespace; own != "" && c.To == Management && (scope == ClusterWide || c.Object.Namespace != own) {
			e.rep.Errorf("profile-confined", c.Pos, "use a ClusterProfile",
				"a Profile in %q must not write %s to the management cluster", own, c.Identity.Title())
		}
	}
}
