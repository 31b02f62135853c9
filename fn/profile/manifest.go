package profile

import (
	"fmt"
	"regexp"
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
	// by says which profile refers to it, and where.
	by string
	// path is that of a file, "" for others.
	path string
	// secret texts are shown to nobody.
	secret bool
}

// manifests reads the objects of a text: YAML or JSON documents, each an object or
// a list of texts with one manifest each. What is wrong is reported at the place
// of the text, with the line in it.
func (c content) manifests(rep *krm.Report) ([]*krm.Node, bool) {
	quiet := &krm.Report{}
	docs, ok := krm.ParseFiles("", []byte(c.text), quiet)
	for _, f := range quiet.Findings() {
		if c.secret {
			f.Message, f.Hint = "the text is not YAML with one meaning, and is not shown", ""
		}
		rep.Errorf(f.Code, c.pos, f.Hint, "%s: %s%s", c.at(f.Pos), f.Message, c.by)
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
			inner := c
			inner.text = item.Text
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

// shown is what messages say of a part of the text.
func (c content) shown(text string, most int) string {
	if c.secret {
		return "…"
	}
	return krm.Short(text, most)
}

func (c content) mistake(p krm.Pos, rep *krm.Report, hint, format string, args ...any) bool {
	rep.Errorf("manifest-invalid", c.pos, hint, "%s: %s%s", c.at(p), fmt.Sprintf(format, args...), c.by)
	return false
}

// check tells whether a document has the shape of an object, and one meaning.
func (c content) check(n *krm.Node, rep *krm.Report) bool {
	if n.Kind != krm.MapNode {
		return c.mistake(n.Pos, rep, "", "a document must be an object, a map")
	}
	if !c.checkType(n, "apiVersion", apiVersions, rep) || !c.checkType(n, "kind", kinds, rep) {
		return false
	}
	if items := n.Get("items"); items != nil && items.Kind == krm.ListNode && strings.HasSuffix(n.Get("kind").Text, "List") {
		return c.mistake(n.Pos, rep, "write its items as documents between lines of `---`", "a %s is no object that an applier takes", c.shown(n.Get("kind").Text, 64))
	}
	meta := n.Get("metadata")
	if meta == nil || meta.Kind != krm.MapNode || textOf(meta.Get("name")) == "" {
		return c.mistake(n.Pos, rep, "", "an object must have `metadata.name`, a string")
	}
	if name := meta.Get("name"); !isName(name.Text) {
		return c.mistake(name.Pos, rep, "", "%q cannot be the name of an object", c.shown(name.Text, 128))
	}
	switch namespace := meta.Get("namespace"); {
	case namespace == nil || namespace.Kind == krm.NullNode:
	case namespace.Kind != krm.StringNode:
		return c.mistake(namespace.Pos, rep, "put it in quotes", "`metadata.namespace` must be a string")
	case namespace.Text != "" && !namespaces.MatchString(namespace.Text):
		return c.mistake(namespace.Pos, rep, "", "%q cannot be the name of a namespace", c.shown(namespace.Text, 128))
	}
	return c.checkTexts(meta.Get("labels"), "labels", rep) && c.checkTexts(meta.Get("annotations"), "annotations", rep) && c.checkValues(n, rep)
}

// What the fields of an identity look like; names are those of Kubernetes' path
// segments (k8s.io/apimachinery, IsValidPathSegmentName), which RBAC allows.
var (
	apiVersions = regexp.MustCompile(`^([a-z0-9.-]+/)?[a-z0-9]+$`)
	kinds       = regexp.MustCompile(`^[A-Za-z0-9]+$`)
	namespaces  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
)

func isName(name string) bool {
	return len(name) <= 253 && name != "." && name != ".." && !strings.ContainsAny(name, "/%\\\n\t ")
}

func (c content) checkType(n *krm.Node, field string, syntax *regexp.Regexp, rep *krm.Report) bool {
	v := n.Get(field)
	switch {
	case textOf(v) == "":
		return c.mistake(n.Pos, rep, "", "an object must have `%s`, a string", field)
	case !syntax.MatchString(v.Text):
		return c.mistake(v.Pos, rep, "", "%q cannot be the `%s` of an object", c.shown(v.Text, 128), field)
	}
	return true
}

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
			return c.mistake(value.Pos, rep, "put it in quotes", "`metadata.%s[%q]` must be a string", field, c.shown(key.Text, 128))
		case key.Text != dependsOnKey && slices.ContainsFunc(controlled, func(p string) bool { return strings.HasPrefix(key.Text, p) }):
			return c.mistake(value.Pos, rep, "remove it", "%q must not be set here: hosts or this function go by it", c.shown(key.Text, 128))
		}
	}
	return true
}

// checkValues refuses what YAML 1.1 and 1.2 read differently: those who read the
// text before and those who read what comes out use both.
func (c content) checkValues(n *krm.Node, rep *krm.Report) bool {
	switch {
	case n.Ambiguous != "" && c.secret:
		return c.mistake(n.Pos, rep, "write the value that is meant, or put it in quotes", "YAML 1.1 and YAML 1.2 read a value differently")
	case n.Ambiguous != "":
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
