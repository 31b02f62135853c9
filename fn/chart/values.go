package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// valuesKey is an entry of a HelmRelease's `valuesFrom`.
type valuesKey struct {
	kind     string
	object   *shared
	key      string
	optional bool
}

func (v valuesKey) node() *krm.Node {
	f := fields{"kind": text(v.kind), "name": text(v.object.name), "valuesKey": text(v.key)}
	f.on("optional", v.optional)
	return f.node()
}

// secretType is what Secrets with values must be of: profiles read no others.
const secretType = "addons.projectsveltos.io/cluster-profile"

// valuesFrom is a reference of `valuesFrom`, looked up.
type valuesFrom struct {
	*Reference
	content
	found bool
	// maps are the data parsed, in the order of the keys.
	maps []*krm.Node
}

// values works out the values of a chart: `values`, then what plain objects hold,
// then what templates do, later ones over earlier ones. Where all of it is known
// and none is secret, the result is the merged map, nil when that is empty.
// Otherwise Flux merges, in the same order, and r names what.
func (a *adder) values(r *release) *krm.Node {
	inline, ok := a.parse(a.chart.Values, false)
	sources, known := a.valuesFrom()
	switch {
	case !ok:
		return nil
	case !known:
		r.values = a.valuesKeys(inline, sources)
		return nil
	}
	for _, source := range sources {
		for _, more := range source.maps {
			inline = merge(inline, more)
		}
	}
	if inline.Len() == 0 {
		return nil
	}
	return inline
}

// valuesFrom looks up the references, plain ones first. known tells whether all
// of them hold nothing but known text.
func (a *adder) valuesFrom() (sources []valuesFrom, known bool) {
	known = true
	for i := range a.chart.ValuesFrom {
		from := valuesFrom{Reference: &a.chart.ValuesFrom[i]}
		var ok bool
		from.content, from.found, ok = a.find(from.Reference)
		if !ok || from.found && !a.readValues(&from) {
			continue // reported
		}
		known = known && from.found && from.Kind == "ConfigMap"
		sources = append(sources, from)
	}
	slices.SortStableFunc(sources, func(a, b valuesFrom) int {
		switch {
		case a.templated == b.templated:
			return 0
		case a.templated:
			return 1
		}
		return -1
	})
	return sources, known
}

func (a *adder) readValues(from *valuesFrom) bool {
	secret := from.Kind == "Secret"
	if secret && from.secretType != secretType {
		a.rep.Errorf("secret-type", from.Pos, "write `type: "+secretType+"`", "%s has the type %q", from.id.Title(), shown(from.secretType))
		return false
	}
	ok := a.render(&from.content)
	if !ok {
		return false
	}
	for _, key := range from.keys() {
		node, good := a.parse(from.data[key], secret)
		from.maps, ok = append(from.maps, node), ok && good
	}
	return ok
}

// valuesKeys lists what Flux is to merge: the inline values as an object, then
// each key of each reference.
func (a *adder) valuesKeys(inline *krm.Node, sources []valuesFrom) []valuesKey {
	const defaultKey = "values.yaml"
	var all []valuesKey
	if inline.Len() > 0 {
		data := map[string]string{defaultKey: a.chart.Values.Text}
		all = append(all, valuesKey{"ConfigMap", a.pool.share(shared{
			kind: "ConfigMap", key: "values of " + a.release.String(), base: a.release.ObjectName() + "-values",
			object: func() *krm.Object { return newData("ConfigMap", data, "") },
		}, a.release), defaultKey, false})
	}
	for _, from := range sources {
		if !from.found {
			hint := "copy it there, with the values in the key `" + defaultKey + "`"
			all = append(all, valuesKey{from.Kind, a.unseen(from.Reference, from.id, hint), defaultKey, from.Optional})
			continue
		}
		object := existing(from.id.Name)
		if !from.inPlace {
			data := map[string]string{}
			for key, value := range from.data {
				data[key] = value.Text
			}
			object = a.copy(&from.content, data, "", "values")
		}
		for _, key := range from.keys() {
			all = append(all, valuesKey{from.Kind, object, key, from.Optional})
		}
	}
	return all
}

// parse reads the text of a YAML map; an empty text is an empty map. Nothing of
// what is secret is shown.
func (a *adder) parse(s krm.Str, secret bool) (*krm.Node, bool) {
	rep := &krm.Report{}
	node, ok := krm.ParseAt(krm.Pos{Line: 1}, []byte(s.Text), rep)
	switch {
	case ok && node == nil:
		return krm.NewMap(nil), true
	case ok && node.Kind != krm.MapNode:
		rep.Errorf("", node.Pos, "write `name: value` pairs", "must be a map")
	case ok:
		checkScalars(node, rep)
	}
	for _, f := range rep.Findings() {
		place := "line " + strconv.Itoa(f.Pos.Line) + ", column " + strconv.Itoa(f.Pos.Column)
		if secret {
			a.rep.Errorf("chart-values", s.Pos, "", "the values must be the text of a YAML map, and are not in %s", place)
			break
		}
		a.rep.Errorf("chart-values", s.Pos, f.Hint, "the values must be the text of a YAML map: %s: %s", place, f.Message)
	}
	if rep.Failed() {
		return krm.NewMap(nil), false
	}
	return node, true
}

// checkScalars refuses what readers of YAML read as different values, and numbers
// that JSON cannot hold.
func checkScalars(node *krm.Node, rep *krm.Report) {
	for _, item := range node.Items {
		checkScalars(item, rep)
	}
	for _, value := range node.Fields() {
		checkScalars(value, rep)
	}
	switch {
	case node.Ambiguous != "":
		rep.Errorf("", node.Pos, "put it in quotes if it is text; write numbers in decimal and booleans as true or false",
			"%q is %s for YAML 1.1 only", shown(node.Written), node.Ambiguous)
	case node.Kind == krm.IntNode && !fits64(node.Text), node.Kind == krm.FloatNode && !finite(node.Text):
		rep.Errorf("", node.Pos, "put it in quotes", "the number %s does not fit into 64 bits", shown(node.Text))
	}
}

func fits64(text string) bool {
	if _, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64); err == nil {
		return true
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

func finite(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// merge puts one map over another: maps are merged, anything else is replaced,
// null and lists too.
func merge(under, over *krm.Node) *krm.Node {
	if under == nil || under.Kind != krm.MapNode || over.Kind != krm.MapNode {
		return over
	}
	all := fields{}
	for key, value := range under.Fields() {
		all[key.Text] = value
	}
	for key, value := range over.Fields() {
		all[key.Text] = merge(all[key.Text], value)
	}
	return all.node()
}
