package profile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// content is a text with manifests: a value of a ConfigMap or Secret, or a file of
// a Flux source.
type content struct {
	text string
	// pos is where it stands; where is the same behind "in ".
	pos   krm.Pos
	where string
	// path is that of a file, "" for others.
	path string
}

// manifests reads the objects of a text: YAML or JSON documents, each an object or
// a list of texts with one manifest each. What is wrong is reported at the place
// of the text, with the line in it.
func (c content) manifests(rep *krm.Report) ([]*krm.Node, bool) {
	quiet := &krm.Report{}
	docs, ok := krm.ParseFiles("", []byte(c.text), quiet)
	for _, f := range quiet.Findings() {
		rep.Errorf(f.Code, c.pos, f.Hint, "%s: %s", c.at(f.Pos), f.Message)
	}
	if !ok {
		return nil, false
	}
	var objects []*krm.Node
	for _, doc := range docs {
		if doc.Kind != krm.ListNode {
			ok = c.check(doc, rep) && ok
			objects = append(objects, doc)
			continue
		}
		for _, item := range doc.Items {
			if item.Kind != krm.StringNode {
				c.mistake(item.Pos, rep, "write documents between lines of `---`", "a list must hold texts with one manifest each")
				ok = false
				continue
			}
			inner := content{item.Text, c.pos, c.where, c.path}
			more, good := inner.manifests(rep)
			objects, ok = append(objects, more...), ok && good
		}
	}
	return objects, ok
}

// at says where in the text something is.
func (c content) at(p krm.Pos) string {
	if p.Line == 0 {
		return "in " + c.where
	}
	return fmt.Sprintf("in line %d of %s", p.Line, c.where)
}

func (c content) mistake(p krm.Pos, rep *krm.Report, hint, format string, args ...any) bool {
	rep.Errorf("manifest-invalid", c.pos, hint, "%s: %s", c.at(p), fmt.Sprintf(format, args...))
	return false
}

// check tells whether a document has the shape of an object, and one meaning.
func (c content) check(n *krm.Node, rep *krm.Report) bool {
	if n.Kind != krm.MapNode {
		return c.mistake(n.Pos, rep, "", "a document must be an object, a map")
	}
	for _, field := range []string{"apiVersion", "kind"} {
		if v := n.Get(field); v == nil || v.Kind != krm.StringNode || v.Text == "" {
			return c.mistake(n.Pos, rep, "", "an object must have `%s`, a string", field)
		}
	}
	if items := n.Get("items"); items != nil && items.Kind == krm.ListNode && strings.HasSuffix(n.Get("kind").Text, "List") {
		return c.mistake(n.Pos, rep, "write its items as documents between lines of `---`", "a %s is no object that an applier takes", krm.Short(n.Get("kind").Text, 64))
	}
	meta := n.Get("metadata")
	if meta == nil || meta.Kind != krm.MapNode || !isName(meta.Get("name")) {
		return c.mistake(n.Pos, rep, "", "an object must have `metadata.name`, a string")
	}
	if namespace := meta.Get("namespace"); namespace != nil && namespace.Kind != krm.StringNode {
		return c.mistake(namespace.Pos, rep, "put it in quotes", "`metadata.namespace` must be a string")
	}
	return c.checkTexts(meta.Get("labels"), "labels", rep) && c.checkTexts(meta.Get("annotations"), "annotations", rep) && c.checkValues(n, rep)
}

func isName(n *krm.Node) bool { return n != nil && n.Kind == krm.StringNode && n.Text != "" }

// controlled are the prefixes of annotations by which hosts and this function go:
// what a profile delivers must not look like something else.
var controlled = []string{
	krm.Prefix, "config.kubernetes.io/", "internal.config.kubernetes.io/", "kustomize.config.k8s.io/", "config.k8s.io/",
}

const dependsOnKey = "config.kubernetes.io/depends-on"

// checkTexts is for labels and annotations.
func (c content) checkTexts(n *krm.Node, field string, rep *krm.Report) bool {
	if n == nil || n.Kind == krm.NullNode {
		return true
	}
	if n.Kind != krm.MapNode {
		return c.mistake(n.Pos, rep, "", "`metadata.%s` must be a map", field)
	}
	for key, value := range n.Fields() {
		switch {
		case value.Kind != krm.StringNode:
			return c.mistake(value.Pos, rep, "put it in quotes", "`metadata.%s[%q]` must be a string", field, krm.Short(key.Text, 128))
		case key.Text != dependsOnKey && slices.ContainsFunc(controlled, func(p string) bool { return strings.HasPrefix(key.Text, p) }):
			return c.mistake(value.Pos, rep, "remove it", "%q must not be set here: hosts or this function go by it", krm.Short(key.Text, 128))
		}
	}
	return true
}

// checkValues refuses what YAML 1.1 and 1.2 read differently: those who read the
// text before and those who read what comes out use both.
func (c content) checkValues(n *krm.Node, rep *krm.Report) bool {
	if n.Ambiguous != "" {
		return c.mistake(n.Pos, rep, "write the value that is meant, or put it in quotes",
			"%s is %s in YAML 1.1 and something else in YAML 1.2", krm.Short(n.Written, 64), n.Ambiguous)
	}
	for _, item := range n.Items {
		if !c.checkValues(item, rep) {
			return false
		}
	}
	if n.Kind == krm.MapNode {
		for _, value := range n.Fields() {
			if !c.checkValues(value, rep) {
				return false
			}
		}
	}
	return true
}
