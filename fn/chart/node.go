package chart

import (
	"strconv"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// fields are those of a map that we emit.
type fields map[string]*krm.Node

func (f fields) node() *krm.Node { return krm.NewMap(f) }

// on sets a flag that is off unless it is written.
func (f fields) on(key string, set bool) {
	if set {
		f[key] = boolean(true)
	}
}

// text sets a string unless it is empty.
func (f fields) text(key, value string) {
	if value != "" {
		f[key] = text(value)
	}
}

// named sets a reference to an object in the same namespace; nil for none.
func (f fields) named(key string, object *shared) {
	if object != nil {
		f[key] = fields{"name": text(object.name)}.node()
	}
}

func text(value string) *krm.Node { return krm.NewString(value) }

func number(n int) *krm.Node { return krm.NewInt(int64(n)) }

func boolean(on bool) *krm.Node { return &krm.Node{Kind: krm.BoolNode, Text: strconv.FormatBool(on)} }

func list[T any](all []T, node func(T) *krm.Node) *krm.Node {
	items := make([]*krm.Node, len(all))
	for i, one := range all {
		items[i] = node(one)
	}
	return krm.NewList(items...)
}
