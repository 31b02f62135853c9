package chart

import (
	"encoding/base64"
	"maps"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// templateKey marks a ConfigMap or Secret whose data are templates.
const templateKey = "projectsveltos.io/template"

// content is a ConfigMap or Secret of the input.
type content struct {
	id krm.Identity
	// data is what the keys hold, decoded.
	data map[string]krm.Str
	// secretType is the type of a Secret.
	secretType string
	templated  bool
	// inPlace is set when Flux can read the object where it is.
	inPlace bool
}

// keys are those of the data, sorted.
func (c *content) keys() []string { return slices.Sorted(maps.Keys(c.data)) }

var dataKey = lazily(`^[-._a-zA-Z0-9]{1,253}$`)

// find looks up what a reference names; found is false when it is not in the
// input, ok when it is of no use.
func (a *adder) find(ref *Reference) (c content, found, ok bool) {
	id, ok := a.identity(ref)
	if !ok {
		return content{}, false, false
	}
	node, applied := a.profile.Find(id)
	if node == nil {
		return content{id: id}, false, true
	}
	meta := node.Get("metadata")
	c = content{id: id, data: map[string]krm.Str{}, templated: meta.Get("annotations").Get(templateKey) != nil}
	c.inPlace = applied && id.Namespace == a.place.Namespace && !c.templated
	if kind := node.Get("type"); kind != nil {
		c.secretType = kind.Text
	}
	return c, true, a.readData(&c, node)
}

// identity is whom a reference means.
func (a *adder) identity(ref *Reference) (krm.Identity, bool) {
	namespace := ref.Namespace
	if namespace.Text == "" {
		namespace = krm.Str{Text: a.profile.Namespace, Pos: ref.Pos}
	}
	ok := a.must(isSubdomain(ref.Name.Text), ref.Name, "be the name of an object")
	ok = a.must(isLabel(namespace.Text), namespace, "be the name of a namespace") && ok
	if a.profile.Confined && namespace.Text != a.profile.Namespace {
		a.rep.Errorf("profile-confined", namespace.Pos, "leave the namespace out, or use a ClusterProfile",
			"a Profile in %q must not reach into the namespace %q", a.profile.Namespace, shown(namespace.Text))
		ok = false
	}
	return krm.Identity{Kind: ref.Kind, Namespace: namespace.Text, Name: ref.Name.Text}, ok
}

// readData fills in the data of an object: that of a Secret is in base64, but for
// its stringData.
func (a *adder) readData(c *content, node *krm.Node) bool {
	ok := true
	for _, field := range []string{"data", "stringData"} {
		values := node.Get(field)
		if values == nil || values.Kind != krm.MapNode || field == "stringData" && c.id.Kind != "Secret" {
			continue
		}
		for key, value := range values.Fields() {
			if value.Kind != krm.StringNode {
				a.rep.Errorf("config-type", value.Pos, "put it in quotes", "must be a string")
				ok = false
				continue
			}
			s := value.Str()
			ok = a.must(dataKey().MatchString(key.Text), key, "be a key of at most 253 letters, digits, `-`, `_` and `.`") && ok
			if c.id.Kind == "Secret" && field == "data" {
				decoded, err := base64.StdEncoding.DecodeString(s.Text)
				if err != nil {
					a.rep.Errorf("config-value", s.Pos, "`stringData` takes plain text", "must be base64")
					ok = false
				}
				s.Text = string(decoded)
			}
			c.data[key.Text] = s
		}
	}
	return ok
}

// render fills in the templates of a content that has some.
func (a *adder) render(c *content) bool {
	if !c.templated {
		return true
	}
	ok := true
	for _, key := range c.keys() {
		filled, good := a.profile.Render(c.data[key], c.id.Kind == "Secret")
		c.data[key], ok = filled, ok && good
	}
	return ok
}

// unseen tells what Flux will look for in place of an object that is not in the
// input.
func (a *adder) unseen(ref *Reference, id krm.Identity, hint string) *shared {
	const what = "%s is not in the input: Flux looks for it in the namespace %q"
	if id.Namespace == a.place.Namespace || ref.Optional {
		a.rep.Infof("chart-reference-unknown", ref.Pos, hint, what, id.Title(), a.place.Namespace)
	} else {
		a.rep.Warnf("chart-reference-unknown", ref.Pos, hint, what, id.Title(), a.place.Namespace)
	}
	return existing(id.Name)
}

// copy makes a ConfigMap or Secret that holds some of a content's data, where
// Flux reads it. variant tells apart what is made of one object.
func (a *adder) copy(c *content, data map[string]string, secretType, variant string) *shared {
	key := c.id.String() + " " + variant
	if c.templated {
		key += " for " + a.release.String()
	}
	return a.pool.share(shared{
		kind: c.id.Kind, key: key, base: c.id.Namespace + "-" + c.id.Name,
		object: func() *krm.Object { return newData(c.id.Kind, data, secretType) },
	}, a.release)
}

// newData is a ConfigMap or a Secret.
func newData(kind string, data map[string]string, secretType string) *krm.Object {
	o := &krm.Object{APIVersion: "v1", Data: data}
	if kind != "Secret" {
		return o
	}
	o.Data = make(map[string]string, len(data))
	for key, value := range data {
		o.Data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	if secretType != "" {
		o.Rest = fields{"type": text(secretType)}.node().Encode()
	}
	return o
}
