package krm

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// sourceTag marks results as ours: `source: provision-tenants`.
const (
	sourceTag = "source"
	ourSource = "provision-tenants"
)

// String renders `place: message (hint) [code]` on one line: what stderr shows.
func (f Finding) String() string { return f.text(f.Pos.String()) }

// maxText bounds what a tenant's text can make of a message, a hint or a path, in
// bytes. Messages shorten what they quote long before.
const maxText = 4096

// text renders the finding behind its place. Line ends and other control
// characters would let the text of a tenant look like lines of ours.
func (f Finding) text(place string) string {
	var b strings.Builder
	if place != "" {
		b.WriteString(Short(place, 2*maxText) + ": ")
	}
	b.WriteString(Short(f.Message, maxText))
	if f.Hint != "" {
		b.WriteString(" (" + Short(f.Hint, maxText) + ")")
	}
	b.WriteString(" [" + f.Code + "]")
	return oneLine(b.String())
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// newResult translates a finding into a result of the KRM functions
// specification. Hosts print severity, object, field and message, and neither
// file nor tags; so the message repeats the place, in full where the
// specification lets us name no object.
func newResult(f Finding) *fn.Result {
	result := &fn.Result{
		Severity:    severity(f.Severity),
		ResourceRef: resourceRef(f.Pos),
		Tags:        tags(f),
	}
	place := f.Pos.String()
	if result.ResourceRef != nil {
		place = ""
		if f.Pos.File != "" {
			place = f.Pos.Place()
		}
		if f.Pos.Field != "" {
			result.Field = &fn.Field{Path: oneLine(f.Pos.Field)}
		}
	}
	if f.Pos.File != "" {
		result.File = &fn.File{Path: oneLine(Short(f.Pos.File, maxText)), Index: f.Pos.Index}
	}
	result.Message = f.text(place)
	return result
}

func severity(s Severity) fn.Severity { return fn.Severity(s.String()) }

// resourceRef names the object, nil when something that the specification
// demands is unknown. A kind of the core group has no other version than v1.
func resourceRef(p Pos) *fn.ResourceRef {
	apiVersion := p.APIVersion
	if p.Object.Group == "" {
		apiVersion = cmp.Or(apiVersion, "v1")
	}
	if apiVersion == "" || p.Object.Kind == "" || p.Object.Name == "" {
		return nil
	}
	return &fn.ResourceRef{APIVersion: shown(apiVersion), Kind: shown(p.Object.Kind), Name: shown(p.Object.Name), Namespace: shown(p.Object.Namespace)}
}

func tags(f Finding) map[string]string {
	tags := map[string]string{sourceTag: ourSource, "code": f.Code}
	if f.Pos.Line > 0 {
		tags["line"] = strconv.Itoa(f.Pos.Line)
	}
	if f.Pos.Column > 0 {
		tags["column"] = strconv.Itoa(f.Pos.Column)
	}
	if f.DeletedBy != "" {
		tags["deletedBy"] = f.DeletedBy
	}
	return tags
}

// appendResult writes a result as one entry of the list.
func appendResult(buf []byte, r *fn.Result) []byte {
	w := blockWriter{buf: append(buf, "- "...), inLine: true}
	w.optional(2, "message", r.Message)
	w.optional(2, "severity", string(r.Severity))
	if r.ResourceRef != nil {
		w.raw("  resourceRef:\n")
		w.optional(4, "apiVersion", r.ResourceRef.APIVersion)
		w.optional(4, "kind", r.ResourceRef.Kind)
		w.optional(4, "name", r.ResourceRef.Name)
		w.optional(4, "namespace", r.ResourceRef.Namespace)
	}
	if r.Field != nil {
		w.raw("  field:\n")
		w.optional(4, "path", r.Field.Path)
	}
	if r.File != nil {
		w.raw("  file:\n")
		w.optional(4, "path", r.File.Path)
		if r.File.Index > 0 {
			w.raw(fmt.Sprintf("    index: %d\n", r.File.Index))
		}
	}
	w.strings(2, "tags", r.Tags)
	return w.buf
}

// setResults takes the earlier results: those of other functions stay.
func (l *List) setResults(value *yaml.Node) error {
	switch {
	case isNull(value):
		return nil
	case value.Kind != yaml.SequenceNode:
		return fmt.Errorf("`results` of the ResourceList must be a list, it is %s", describe(value))
	}
	for i, node := range value.Content {
		if scalarText(lookup(lookup(node, "tags"), sourceTag)) == ourSource {
			l.replaced = true
			continue
		}
		text, err := encodeEntry(node)
		if err != nil {
			return fmt.Errorf("`results[%d]` of the ResourceList: %w", i, err)
		}
		l.foreign = append(l.foreign, text)
	}
	return nil
}

// encodeEntry writes a node as the only entry of a list.
func encodeEntry(node *yaml.Node) (string, error) {
	node, err := copyNode(node)
	if err != nil {
		return "", err
	}
	return encodeBlock(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{node}})
}
