package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// decoder fills wire structs from nodes. It is strict: an unknown field, a
// missing one and a value of another type are findings with the field path.
// What could be read is there even when something else could not, so that one
// run reports the mistakes of all fields.
type decoder struct {
	rep *krm.Report
}

// nodeDecoder is a wire type that is no plain text, list or map.
type nodeDecoder interface {
	decode(n *krm.Node, rep *krm.Report)
}

// decode reads a wire struct from the map n.
func decode[T any](n *krm.Node, rep *krm.Report) *T {
	d := decoder{rep}
	out := new(T)
	d.value(n, reflect.ValueOf(out).Elem(), wireField{})
	return out
}

// value decodes a node that is there: not nil, and not null where the field is
// optional.
func (d *decoder) value(n *krm.Node, v reflect.Value, f wireField) {
	switch target := v.Addr().Interface().(type) {
	case nodeDecoder:
		target.decode(n, d.rep)
		return
	case **krm.Node:
		*target = n
		return
	}
	switch {
	case v.Type().ConvertibleTo(reflect.TypeFor[krm.Str]()):
		d.text(n, v, f)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), f)
	case v.Kind() == reflect.Slice:
		d.list(n, v, f)
	case v.Kind() == reflect.Map:
		d.texts(n, v)
	default:
		d.fields(n, v)
	}
}

func (d *decoder) text(n *krm.Node, v reflect.Value, f wireField) {
	if !isText(n, d.rep) {
		return
	}
	v.Set(reflect.ValueOf(n.Str()).Convert(v.Type()))
	syn := syntaxes()[v.Type()]
	if what := syn.mistake(n.Text); what != "" && !f.later {
		d.rep.Errorf("config-value", n.Pos, didYouMean(n.Text, syn.enum), "must %s", what)
	}
}

// isText tells whether n is a string for every reader of YAML: a host that reads
// YAML 1.1 sees other types in some of the strings of YAML 1.2.
func isText(n *krm.Node, rep *krm.Report) bool {
	switch {
	case n.Kind != krm.StringNode:
		hint := ""
		if n.Kind == krm.BoolNode || n.Kind == krm.IntNode || n.Kind == krm.FloatNode {
			hint = "put it in quotes"
		}
		rep.Errorf("config-type", n.Pos, hint, "must be a string, found %s", describe(n))
		return false
	case n.Ambiguous != "":
		rep.Errorf("config-type", n.Pos, fmt.Sprintf("put it in quotes: %q", shown(n.Written)),
			"must be a string, found %s, which YAML 1.1 reads as %s", shown(n.Written), n.Ambiguous)
		return false
	}
	return true
}

func (d *decoder) list(n *krm.Node, v reflect.Value, f wireField) {
	if n.Kind != krm.ListNode {
		d.rep.Errorf("config-type", n.Pos, "", "must be a list, found %s", describe(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
	for i, item := range n.Items {
		d.value(item, v.Index(i), f)
	}
	switch {
	case len(n.Items) < f.minItems:
		d.rep.Errorf("config-limit", n.Pos, "", "must have at least %d entry, found none", f.minItems)
	case !f.later && f.maxItems > 0 && len(n.Items) > f.maxItems:
		d.rep.Errorf("config-limit", n.Pos, "", "must have at most %d entries, found %d", f.maxItems, len(n.Items))
	}
}

// texts decodes a map from any key to a text.
func (d *decoder) texts(n *krm.Node, v reflect.Value) {
	if n.Kind != krm.MapNode {
		d.rep.Errorf("config-type", n.Pos, "", "must be a map, found %s", describe(n))
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), n.Len()))
	for key, value := range n.Fields() {
		if isText(value, d.rep) {
			v.SetMapIndex(reflect.ValueOf(key.Text), reflect.ValueOf(value.Str()))
		}
	}
}

// fields decodes a struct. A field that is null is one that is absent, as for
// an API server.
func (d *decoder) fields(n *krm.Node, v reflect.Value) {
	if n.Kind != krm.MapNode {
		d.rep.Errorf("config-type", n.Pos, "", "must be a map, found %s", describe(n))
		return
	}
	if pos := v.FieldByName("Pos"); pos.IsValid() {
		pos.Set(reflect.ValueOf(n.Pos))
	}
	known := wireFields(v.Type())
	meant := d.unknown(n, known)
	for _, f := range known {
		value := n.Get(f.name)
		if value != nil && value.Kind != krm.NullNode {
			d.value(value, v.FieldByIndex(f.index), f)
		} else if f.required && !slices.Contains(meant, f.name) {
			d.rep.Errorf("config-required", n.Pos.At(f.name), "", "`%s` is required", f.name)
		}
	}
	d.alternatives(n, known, meant)
}

// alternatives checks that one of the fields that exclude each other is there.
func (d *decoder) alternatives(n *krm.Node, known []wireField, meant []string) {
	var all, found []string
	for _, f := range known {
		if !f.alternative {
			continue
		}
		all = append(all, f.name)
		if value := n.Get(f.name); value != nil && value.Kind != krm.NullNode || slices.Contains(meant, f.name) {
			found = append(found, f.name)
		}
	}
	switch {
	case len(all) > 0 && len(found) == 0:
		d.rep.Errorf("config-required", n.Pos, "", "one of %s is required", listOf(all))
	case len(found) > 1:
		d.rep.Errorf("config-value", n.Pos.At(found[1]), "keep one of them", "must be the only one of %s, found %s", listOf(all), listOf(found))
	}
}

// unknown reports unknown fields. The fields that are probably meant are not
// missing: one mistake is one finding.
func (d *decoder) unknown(n *krm.Node, known []wireField) (meant []string) {
	names := fieldNames(known)
	for key := range n.Fields() {
		if !slices.Contains(names, key.Text) {
			d.rep.Errorf("config-unknown-field", key.Pos, nearestField(key.Text, names), "unknown field %q", shown(key.Text))
			if near, found := meantField(key.Text, names); found {
				meant = append(meant, near)
			}
		}
	}
	return meant
}

func fieldNames(fields []wireField) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// misspells tells whether the map n has no field of that name, but one that
// probably means it.
func misspells[T any](n *krm.Node, field string) bool {
	if n == nil || n.Get(field) != nil {
		return false
	}
	names := fieldNames(wireFields(reflect.TypeFor[T]()))
	for key := range n.Fields() {
		if near, found := meantField(key.Text, names); found && near == field && !slices.Contains(names, key.Text) {
			return true
		}
	}
	return false
}

// meantField is the field that an unknown one probably means: a name with a slip
// of the pen in it, or one that is part of the right name.
func meantField(name string, known []string) (string, bool) {
	if near, found := krm.Nearest(name, known); found {
		return near, true
	}
	for _, k := range known {
		if len(name) > 3 && strings.Contains(strings.ToLower(k), strings.ToLower(name)) {
			return k, true
		}
	}
	return "", false
}

// nearestField is the hint for an unknown field: the one that is probably meant,
// or else all names.
func nearestField(name string, known []string) string {
	if near, found := meantField(name, known); found {
		return fmt.Sprintf("did you mean `%s`?", near)
	}
	if len(known) == 0 {
		return "it must be empty"
	}
	return "known fields are " + listOf(known)
}

// didYouMean is the hint for a text that must be one of known.
func didYouMean(text string, known []string) string {
	if near, found := krm.Nearest(text, known); found {
		return fmt.Sprintf("did you mean `%s`?", near)
	}
	return ""
}

// shown is a text as messages show it.
func shown(text string) string { return krm.Short(text, 256) }

// listOf renders names as `a`, `b` and `c` would be in a message.
func listOf(names []string) string {
	return "`" + krm.Short(strings.Join(names, "`, `"), 1024) + "`"
}

// describe names a value that is not what it must be.
func describe(n *krm.Node) string {
	switch n.Kind {
	case krm.NullNode:
		return "null"
	case krm.BoolNode:
		return "the boolean " + n.Text
	case krm.IntNode:
		return "the integer " + shown(n.Text)
	case krm.FloatNode:
		return "the number " + shown(n.Text)
	case krm.StringNode:
		return fmt.Sprintf("the string %q", shown(n.Text))
	case krm.ListNode:
		return "a list"
	case krm.MapNode:
		return "a map"
	}
	return "something else"
}

// wireField is a field of a wire struct, from its tags.
type wireField struct {
	index           []int
	name            string
	required, later bool
	// alternative is set for fields of which exactly one is there.
	alternative        bool
	minItems, maxItems int
}

func wireFields(t reflect.Type) []wireField {
	var fields []wireField
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		fields = append(fields, wireField{
			index: f.Index, name: name,
			required: options != "omitzero", later: f.Tag.Get("check") == "later",
			alternative: strings.Contains(f.Tag.Get("jsonschema"), "oneof_required="),
			minItems:    intOption(f.Tag, "minItems"), maxItems: intOption(f.Tag, "maxItems"),
		})
	}
	return fields
}

// intOption reads a number from a `jsonschema` tag, 0 when it is not there.
func intOption(tag reflect.StructTag, key string) int {
	for option := range strings.SplitSeq(tag.Get("jsonschema"), ",") {
		if value, found := strings.CutPrefix(option, key+"="); found {
			n, _ := strconv.Atoi(value)
			return n
		}
	}
	return 0
}
