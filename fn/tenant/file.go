package tenant

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

const (
	metadataAPIVersion = "source.extensions.fluxcd.io/v1beta1"
	metadataKind       = "NamespaceMetadata"
	// maxMetadataFile bounds a NamespaceMetadata file, in bytes.
	maxMetadataFile = 1 << 20
)

// read returns the labels and annotations that a tenant's NamespaceMetadata file
// asks for and may have. A tenant without the file asks for nothing; whatever
// else is wrong with it is an error.
func (f *FromSource) read(tree *source.Tree, tenant *Tenant, rep *krm.Report) Metadata {
	file := f.Path.Render(tenant.Raw)
	content, err := tree.ReadFile(file, maxMetadataFile)
	switch pos := (krm.Pos{File: tree.Place(file)}); {
	case errors.Is(err, fs.ErrNotExist):
		return Metadata{}
	case err != nil:
		rep.Errorf("metadata-file-unreadable", pos, "", "cannot read the %s of the namespace %q: %v", metadataKind, tenant.Namespace, reason(err))
		return Metadata{}
	}
	root, ok := krm.ParseFile(tree.Place(file), content.Data, rep)
	switch {
	case !ok:
		return Metadata{}
	case root == nil:
		rep.Infof("metadata-file-empty", krm.Pos{File: tree.Place(file)}, "", "the file is empty, the namespace %q gets no metadata from it", tenant.Namespace)
		return Metadata{}
	}
	d := fileReader{f, tenant.Namespace, rep}
	return d.root(root)
}

// reason is the error without the path, which the finding gives.
func reason(err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		return inner.Err
	}
	return err
}

// fileReader decodes a NamespaceMetadata strictly: a field that is misspelt
// would be lost in silence.
type fileReader struct {
	from      *FromSource
	namespace string
	rep       *krm.Report
}

func (d fileReader) root(root *krm.Node) Metadata {
	if root.Kind != krm.MapNode {
		d.rep.Errorf("metadata-file-type", root.Pos, "", "the file must hold one %s object", metadataKind)
		return Metadata{}
	}
	d.fields(root, "apiVersion", "kind", "metadata")
	d.constant(root, "apiVersion", metadataAPIVersion)
	d.constant(root, "kind", metadataKind)
	meta := root.Get("metadata")
	switch {
	case meta == nil || meta.Kind == krm.NullNode:
		return Metadata{}
	case meta.Kind != krm.MapNode:
		d.rep.Errorf("metadata-file-type", meta.Pos, "", "`metadata` must be a map")
		return Metadata{}
	}
	d.metadataFields(meta)
	return Metadata{
		Labels:      d.entries(meta.Get("labels"), labelPart(d.from)),
		Annotations: d.entries(meta.Get("annotations"), annotationPart(d.from)),
	}
}

// fields reports the keys of a map that are not known.
func (d fileReader) fields(n *krm.Node, known ...string) {
	for key := range n.Fields() {
		if slices.Contains(known, key.Text) {
			continue
		}
		hint := "the fields are `" + strings.Join(known, "`, `") + "`"
		if near, found := krm.Nearest(key.Text, known); found {
			hint = fmt.Sprintf("did you mean `%s`?", near)
		} else if key.Text == "namespace" {
			hint = "leave it out, a namespace is in no namespace"
		}
		d.rep.Errorf("metadata-file-field", key.Pos, hint, "unknown field %q", short(key.Text))
	}
}

// constant checks a field that has one legal value.
func (d fileReader) constant(root *krm.Node, field, want string) {
	value := root.Get(field)
	switch {
	case value == nil:
		d.rep.Errorf("metadata-file-type", root.Pos, fmt.Sprintf("write `%s: %s`", field, want), "`%s` is missing", field)
	case value.Kind != krm.StringNode || value.Text != want:
		d.rep.Errorf("metadata-file-type", value.Pos, fmt.Sprintf("write `%s: %s`", field, want), "`%s` must be %q, found %q", field, want, short(value.Text))
	}
}

// metadataFields checks everything in `metadata` that is no label or annotation.
// The directory says which namespace it is; the file can only agree.
func (d fileReader) metadataFields(meta *krm.Node) {
	d.fields(meta, "name", "labels", "annotations")
	name := meta.Get("name")
	switch {
	case name == nil:
	case name.Kind != krm.StringNode || name.Ambiguous != "":
		d.notString(krm.Str{Text: "name", Pos: name.Pos}, name)
	case name.Text != d.namespace:
		d.rep.Errorf("metadata-file-name", name.Pos, fmt.Sprintf("leave it out or write %q", d.namespace),
			"`metadata.name` is %q, the directory asks for the namespace %q", short(name.Text), d.namespace)
	}
}

// entries returns the entries of a map that the tenant may set.
func (d fileReader) entries(n *krm.Node, s part) map[string]krm.Str {
	if n == nil || n.Kind == krm.NullNode {
		return nil
	}
	if n.Kind != krm.MapNode {
		d.rep.Errorf("metadata-file-type", n.Pos, "", "the %ss must be a map", s.what)
		return nil
	}
	entries := make(map[string]krm.Str, n.Len())
	for key, value := range n.Fields() {
		if value.Kind != krm.StringNode || value.Ambiguous != "" {
			d.notString(key, value)
			continue
		}
		if d.admits(key, value.Str(), s) {
			entries[key.Text] = value.Str()
		}
	}
	return entries
}

// notString says how to write what should be a string.
func (d fileReader) notString(key krm.Str, value *krm.Node) {
	switch {
	case value.Kind == krm.StringNode:
		d.rep.Errorf("metadata-not-string", value.Pos, fmt.Sprintf("write it in quotes: %q", short(value.Text)),
			"%q must be a string, YAML 1.1 reads the value as %s", key.Text, value.Ambiguous)
	case value.Kind == krm.NullNode:
		d.rep.Errorf("metadata-not-string", value.Pos, `write "" for an empty value, or leave the key out`, "%q must be a string, the value is null", key.Text)
	case value.Kind == krm.ListNode, value.Kind == krm.MapNode:
		d.rep.Errorf("metadata-not-string", value.Pos, "", "%q must be a string, the value is a list or a map", key.Text)
	case value.Ambiguous != "":
		d.rep.Errorf("metadata-not-string", value.Pos, "write the value in quotes",
			"%q must be a string, the value is %s, or %s for YAML 1.1", key.Text, short(value.Text), value.Ambiguous)
	default:
		d.rep.Errorf("metadata-not-string", value.Pos, fmt.Sprintf("write it in quotes: %q", short(value.Text)),
			"%q must be a string, the value %s is none", key.Text, short(value.Text))
	}
}

// admits checks one entry: who decides about the key, then the syntax, then the
// rule of the allow-list.
func (d fileReader) admits(key, value krm.Str, s part) bool {
	if IsControl(key.Text) {
		d.control(key, value, s)
		return false
	}
	rule, allowed := s.rules[key.Text]
	if !allowed {
		d.rep.Warnf("metadata-key-ignored", key.Pos, s.keyHint(key.Text), "the %s %q is ignored, no allow-list names it", s.what, key.Text)
		return false
	}
	if problem := s.value(value.Text); problem != "" {
		d.rep.Errorf("metadata-value-syntax", value.Pos, "", "the %s %q cannot be %q: %s", s.what, key.Text, short(value.Text), problem)
		return false
	}
	if !d.follows(rule, key, value, s) {
		return false
	}
	if odd := oddCharacters(value.Text); odd != "" {
		d.rep.Warnf("metadata-odd-character", value.Pos, "type it again, it may have been pasted", "the %s %q holds %s", s.what, key.Text, odd)
	}
	return true
}

// control warns about a key that no tenant decides about. One is meant for this
// very file: it keeps the file itself from being applied.
func (d fileReader) control(key, value krm.Str, s part) {
	if key.Text == krm.LocalConfigKey && value.Text == "true" && s.what == annotation {
		return
	}
	d.rep.Warnf("metadata-control-key", key.Pos, "leave it out",
		"the %s %q is ignored, a tenant cannot control what is done with the namespace", s.what, key.Text)
}

func (d fileReader) follows(rule Rule, key, value krm.Str, s part) bool {
	allowed, err := rule.Allows(value.Text)
	switch {
	case err != nil:
		d.rep.Errorf("metadata-value-refused", value.Pos, "", "the %s %q cannot be %q: the rule %q failed: %v", s.what, key.Text, short(value.Text), rule, err)
	case !allowed:
		d.rep.Errorf("metadata-value-refused", value.Pos, acceptedHint(rule, value.Text),
			"the %s %q cannot be %q: the rule %q is false", s.what, key.Text, short(value.Text), rule)
	}
	return allowed && err == nil
}

func acceptedHint(rule Rule, value string) string {
	accepted := rule.accepted()
	slices.Sort(accepted)
	accepted = slices.Compact(accepted)
	if len(accepted) == 0 {
		return ""
	}
	hint := "use one of " + listed(accepted)
	if near, found := krm.Nearest(value, accepted); found {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return hint
}

const (
	label      = "label"
	annotation = "annotation"
)

// part is what differs between labels and annotations.
type part struct {
	what  string
	rules map[string]Rule
	// other are the rules of the other map: the wrong one is an easy mistake.
	other map[string]Rule
	// key and value say what the API server would refuse, "" when nothing.
	key, value func(string) string
}

func labelPart(f *FromSource) part {
	s := part{what: label, key: keyProblem, value: labelValueProblem}
	if f != nil {
		s.rules, s.other = f.Labels, f.Annotations
	}
	return s
}

func annotationPart(f *FromSource) part {
	s := part{what: annotation, key: annotationKeyProblem, value: annotationValueProblem}
	if f != nil {
		s.rules, s.other = f.Annotations, f.Labels
	}
	return s
}

// maxAnnotations bounds all annotations of an object together, keys and values.
const maxAnnotations = 256 << 10

// annotationValueProblem bounds what a rule is asked about; the sum is checked
// at the end.
func annotationValueProblem(value string) string {
	if len(value) > maxAnnotations {
		return fmt.Sprintf("all annotations together have at most %d bytes, this one has %d", maxAnnotations, len(value))
	}
	return ""
}

func (s part) keyHint(key string) string {
	if _, there := s.other[key]; there && s.what == label {
		return "it is allowed as an annotation"
	} else if there {
		return "it is allowed as a label"
	}
	if near, found := krm.Nearest(key, slices.Sorted(maps.Keys(s.rules))); found {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// oddCharacters names the first character that looks like another one, or like
// none: it is in a value because it was pasted.
func oddCharacters(text string) string {
	for _, c := range text {
		switch {
		case c < 0x80:
		case c >= 0x2018 && c <= 0x201f, c == 0xab, c == 0xbb, c == 0x2039, c == 0x203a:
			return fmt.Sprintf("the typographic quote U+%04X", c)
		case c == 0xa0, c >= 0x2000 && c <= 0x200a, c == 0x202f, c == 0x205f:
			return fmt.Sprintf("U+%04X, a space that is not the usual one", c)
		case unicode.Is(unicode.Bidi_Control, c):
			return fmt.Sprintf("U+%04X, which changes the direction of the text", c)
		case c == 0xad, c >= 0x200b && c <= 0x200d, c == 0x2060, c == 0xfeff:
			return fmt.Sprintf("U+%04X, which has no width", c)
		}
	}
	return ""
}

// short cuts a tenant's text for a message.
func short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
