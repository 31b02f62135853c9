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
	// maxMetadataFile bounds a NamespaceMetadata file, in bytes; maxEntries its
	// labels and its annotations, each of which can be a finding.
	maxMetadataFile, maxEntries = 1 << 20, 1000
)

// read returns the labels and annotations that a tenant's NamespaceMetadata file
// asks for and may have. A tenant without the file asks for nothing; whatever
// else is wrong with it is an error.
func (f *FromSource) read(tree *source.Tree, tenant *Tenant, rep *krm.Report) Metadata {
	file := f.Path.Render(tenant.Raw)
	place := tree.Place(file)
	content, err := tree.ReadFile(file, maxMetadataFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Metadata{}
	case err != nil:
		unreadable(place, tenant.Namespace, err, rep)
		return Metadata{}
	}
	root, ok := krm.ParseAt(content.Start(place), content.Data, rep)
	switch {
	case !ok:
		return Metadata{}
	case root == nil:
		rep.Infof("metadata-file-empty", krm.Pos{File: place}, "", "the file is empty, the namespace %q gets no metadata from it", tenant.Namespace)
		return Metadata{}
	}
	d := fileReader{f, tenant.Namespace, rep}
	return d.root(root)
}

// unreadable reports a file that is there and no file, or behind a link; the
// error knows which part of the path is in the way.
func unreadable(place, namespace string, err error, rep *krm.Report) {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		place, err = inner.Path, inner.Err
	}
	rep.Errorf("metadata-file-unreadable", krm.Pos{File: place}, source.Cure(err), "cannot read the %s of the namespace %q: %s", metadataKind, namespace, shortError(err))
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
	reported := 0
	for key := range n.Fields() {
		if slices.Contains(known, key.Text) || reported == maxListed {
			continue
		}
		reported++
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
		d.rep.Errorf("metadata-file-name", name.Pos, fmt.Sprintf("leave it out or write %q in quotes", d.namespace), "`metadata.name` must be a string")
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
	switch {
	case n.Kind != krm.MapNode:
		d.rep.Errorf("metadata-file-type", n.Pos, "", "the %ss must be a map", s.what)
		return nil
	case n.Len() > maxEntries:
		d.rep.Errorf("metadata-file-type", n.Pos, "", "there are %d %ss, at most %d are allowed", n.Len(), s.what, maxEntries)
		return nil
	}
	entries := make(map[string]krm.Str, n.Len())
	for key, value := range n.Fields() {
		if value.Kind != krm.StringNode || value.Ambiguous != "" && s.allows(key.Text) {
			d.notString(key, value)
			continue
		}
		if d.admits(key, value.Str(), s) {
			entries[key.Text] = value.Str()
		}
	}
	return entries
}

// notString says what the value is instead, and how to write it.
func (d fileReader) notString(key krm.Str, value *krm.Node) {
	hint, is := "write the value in quotes", ""
	switch value.Kind {
	case krm.StringNode:
		hint, is = fmt.Sprintf("write it in quotes: %q", short(value.Text)), "YAML 1.1 reads it as "+value.Ambiguous
	case krm.NullNode:
		hint, is = `write "" for an empty value, or leave the key out`, "it is null"
	case krm.BoolNode:
		hint, is = fmt.Sprintf("write it in quotes: %q", value.Text), "it is the boolean "+value.Text
	case krm.IntNode, krm.FloatNode:
		is = fmt.Sprintf("it is the number %q", short(value.Text))
	case krm.ListNode, krm.MapNode:
		hint, is = "", "it is a list or a map"
	}
	if value.Ambiguous != "" && value.Kind != krm.StringNode {
		is += ", for YAML 1.1 " + value.Ambiguous
	}
	d.rep.Errorf("metadata-not-string", value.Pos, hint, "the value of %q must be a string, %s", shortName(key.Text), is)
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
		d.rep.Warnf("metadata-key-ignored", key.Pos, s.keyHint(key.Text), "the %s %q is ignored, no allow-list names it", s.what, shortName(key.Text))
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
		"the %s %q is ignored, a tenant cannot control what is done with the namespace", s.what, shortName(key.Text))
}

func (d fileReader) follows(rule Rule, key, value krm.Str, s part) bool {
	allowed, err := rule.Allows(value.Text)
	switch {
	case err != nil:
		d.rep.Errorf("metadata-value-refused", value.Pos, "", "the %s %q cannot be %q: the rule %q failed: %s", s.what, key.Text, short(value.Text), short(rule.String()), shortError(err))
	case !allowed:
		d.rep.Errorf("metadata-value-refused", value.Pos, acceptedHint(rule, value.Text),
			"the %s %q cannot be %q: the rule %q is false", s.what, key.Text, short(value.Text), short(rule.String()))
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
		hint = fmt.Sprintf("did you mean %q? %s", short(near), hint)
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

// allows tells whether the platform team names the key.
func (s part) allows(key string) bool {
	_, named := s.rules[key]
	return named && !IsControl(key)
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
