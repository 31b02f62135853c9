package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/template"
)

// View is what the templates of a profile see for one cluster.
type View struct {
	templates *templates
	// full is for everything but what names an object, name for that.
	full, name map[string]any
	// cluster is its name.
	cluster string
	// resources are the objects of `templateResourceRefs`, by identifier.
	resources map[string]any
	rep       *krm.Report
}

// Text fills in a template with everything that there is. It reports mistakes.
func (v *View) Text(text krm.Str) (krm.Str, bool) { return v.fill(text, v.full, "", false) }

// Data is Text for the data of an object: no message shows that of a Secret.
func (v *View) Data(text krm.Str, secret bool) (krm.Str, bool) {
	return v.fill(text, v.full, "", secret)
}

// Name fills in what names an object: that sees the cluster only.
func (v *View) Name(text krm.Str) (krm.Str, bool) { return v.fill(text, v.name, "", false) }

// fill reports mistakes with who refers to the text, where that is somewhere else,
// and without any of it where it is secret.
func (v *View) fill(text krm.Str, data map[string]any, by string, secret bool) (krm.Str, bool) {
	if !strings.Contains(text.Text, template.Braces.Left) {
		return text, true
	}
	filled, mistake := v.templates.fill(text.Text, data, v.resources)
	if mistake != nil {
		told := *mistake
		if secret {
			told.What, told.Hint = "it is not shown, and cannot be filled in", ""
		}
		told.What += by
		switch told.Code {
		case "template-function":
			told.Hint = strings.Replace(told.Hint, "the inputs", "a label of the cluster, or write it", 1)
		case "template-failed":
			told.Hint = "what may be missing is read with `get`: `get .Cluster.metadata.labels \"zone\" | default \"a\"`"
		}
		told.Report(text.Pos, " for "+v.cluster, v.rep)
		return text, false
	}
	return krm.Str{Text: filled, Pos: text.Pos}, true
}

// templates are all templates of a run, each parsed once.
type templates struct {
	parsed   map[string]*template.Template
	mistakes map[string]*template.Mistake
	// resources are those of the view at work.
	resources map[string]any
}

func newTemplates() *templates {
	return &templates{map[string]*template.Template{}, map[string]*template.Mistake{}, nil}
}

func (t *templates) fill(text string, data, resources map[string]any) (string, *template.Mistake) {
	parsed, seen := t.parsed[text]
	if !seen {
		parsed, t.mistakes[text] = template.Parse(text, template.Braces, t.functions())
		t.parsed[text] = parsed
	}
	if mistake := t.mistakes[text]; mistake != nil {
		return "", mistake
	}
	t.resources = resources
	output, mistake := parsed.Execute(data)
	if mistake != nil {
		return "", mistake
	}
	return output.Text(), nil
}

// functions are those of Sveltos on the objects of `templateResourceRefs`. Here
// they change copies: what one template does, no other one sees.
func (t *templates) functions() map[string]any {
	return map[string]any{
		"getResource": func(id string) any { return t.resources[id] },
		"copy":        func(id string) (string, error) { return asYAML(t.resources[id]) },
		"getField": func(id, path string) (any, error) {
			return fieldOf(t.resources[id], path)
		},
		"setField": func(id, path string, value any) (string, error) {
			return change(t.resources[id], path, func(m map[string]any, key string) { m[key] = value })
		},
		"removeField": func(id, path string) (string, error) {
			return change(t.resources[id], path, func(m map[string]any, key string) { delete(m, key) })
		},
		"chainSetField": func(object any, path string, value any) (any, error) {
			return changed(object, path, func(m map[string]any, key string) { m[key] = value })
		},
		"chainRemoveField": func(object any, path string) (any, error) {
			return changed(object, path, func(m map[string]any, key string) { delete(m, key) })
		},
	}
}

func fieldOf(object any, path string) (any, error) {
	for key := range strings.SplitSeq(path, ".") {
		fields, isMap := object.(map[string]any)
		if !isMap {
			return nil, nil
		}
		object = fields[key]
	}
	return object, nil
}

func change(object any, path string, do func(map[string]any, string)) (string, error) {
	if object == nil {
		return "", nil
	}
	made, err := changed(object, path, do)
	if err != nil {
		return "", err
	}
	return asYAML(made)
}

// changed is a copy of an object with a change at a path.
func changed(object any, path string, do func(map[string]any, string)) (any, error) {
	fields, isMap := object.(map[string]any)
	if object != nil && !isMap {
		return nil, fmt.Errorf("there is no field %q in what is no map", krm.Short(path, 128))
	}
	fields = maps.Clone(fields)
	if fields == nil {
		fields = map[string]any{}
	}
	key, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		do(fields, key)
		return fields, nil
	}
	inner, err := changed(fields[key], rest, do)
	fields[key] = inner
	return fields, err
}

func asYAML(object any) (string, error) {
	if object == nil {
		return "", nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		return "", err
	}
	node, ok := krm.ParseAt(krm.Pos{}, text, &krm.Report{})
	if !ok {
		return "", errors.New("the object cannot be written as YAML")
	}
	return string(node.AppendYAML(nil, 0)), nil
}

// viewOf is what the templates of a profile see for a cluster; false when an
// object is missing.
func (e *Expander) viewOf(p *Profile, c *Cluster) (*View, bool) {
	cluster, ok := e.values(c.Object)
	v := &View{
		templates: e.templates, rep: e.rep, resources: map[string]any{}, cluster: c.String(),
		name: map[string]any{"Cluster": cluster, "ClusterNamespace": c.Namespace, "ClusterName": c.Name},
		full: map[string]any{"Cluster": cluster},
	}
	if c.Kind == CAPICluster {
		e.providers(c, v)
	}
	for i := range p.TemplateResources {
		ok = e.templateResource(p, c, &p.TemplateResources[i], v) && ok
	}
	v.full["MgmtResources"] = v.resources
	return v, ok
}

// values are those of an object as templates see it. What a server adds and
// nobody can know beforehand is not among them.
func (e *Expander) values(n *krm.Node) (map[string]any, bool) {
	if values, known := e.known[n]; known {
		return values, values != nil
	}
	values, err := template.Values(n)
	fields, _ := values.(map[string]any)
	if err != nil {
		e.rep.Errorf("template-value", n.Pos, "", "%v", err)
		fields = nil
	}
	if meta, isMap := fields["metadata"].(map[string]any); isMap {
		for _, key := range []string{"managedFields", "resourceVersion", "uid"} {
			delete(meta, key)
		}
		withoutHosts(meta)
	}
	e.known[n] = fields
	return fields, fields != nil
}

// withoutHosts takes out what hosts, and this function, put on objects: a run on its
// own output would see something else.
func withoutHosts(meta map[string]any) {
	annotations, isMap := meta["annotations"].(map[string]any)
	if !isMap {
		return
	}
	maps.DeleteFunc(annotations, func(key string, _ any) bool { return krm.IsHostKey(key) })
	if len(annotations) == 0 {
		delete(meta, "annotations")
	}
}

// providers are the objects behind a Cluster of Cluster API.
func (e *Expander) providers(c *Cluster, v *View) {
	for key, field := range map[string]string{"InfrastructureProvider": "infrastructureRef", "KubeadmControlPlane": "controlPlaneRef"} {
		ref := c.Object.Get("spec").Get(field)
		if ref == nil {
			continue
		}
		id := krm.Identity{Group: textOf(ref.Get("apiGroup")), Kind: textOf(ref.Get("kind")), Namespace: c.Namespace, Name: textOf(ref.Get("name"))}
		if version := textOf(ref.Get("apiVersion")); version != "" {
			id.Group = krm.GroupOf(version)
		}
		if namespace := textOf(ref.Get("namespace")); namespace != "" {
			id.Namespace = namespace
		}
		if node, found := e.find(id); found {
			if values, ok := e.values(node); ok {
				v.full[key] = values
			}
		}
	}
}

func textOf(n *krm.Node) string {
	if n == nil || n.Kind != krm.StringNode {
		return ""
	}
	return n.Text
}

// templateResource adds an object of `templateResourceRefs` to a view.
func (e *Expander) templateResource(p *Profile, c *Cluster, ref *TemplateResource, v *View) bool {
	namespace, name, ok := e.names(p, c, v, ref.Namespace, ref.Name)
	if !ok {
		return false
	}
	id := krm.Identity{Group: krm.GroupOf(ref.APIVersion), Kind: ref.Kind, Namespace: namespace, Name: name}
	node, found := e.find(id)
	if !found && ref.Namespace.Text == "" {
		id.Namespace = ""
		node, found = e.find(id)
	}
	if !found {
		id.Namespace = namespace
		return e.missing(p, ref.Pos, ref.Optional, id)
	}
	values, ok := e.values(node)
	v.resources[ref.Identifier.Text] = values
	return ok
}
