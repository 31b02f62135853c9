package template

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// valueOf turns a node into what templates work on.
func valueOf(n *krm.Node) (any, error) {
	switch n.Kind {
	case krm.NullNode:
		return nil, nil
	case krm.BoolNode:
		return n.Text == "true", nil
	case krm.IntNode:
		return integer(n)
	case krm.FloatNode:
		return float(n)
	case krm.StringNode:
		return n.Text, nil
	case krm.ListNode:
		all := make([]any, len(n.Items))
		for i, item := range n.Items {
			v, err := valueOf(item)
			if err != nil {
				return nil, err
			}
			all[i] = v
		}
		return all, nil
	case krm.MapNode:
	}
	all := make(map[string]any, n.Len())
	for key, value := range n.Fields() {
		v, err := valueOf(value)
		if err != nil {
			return nil, err
		}
		all[key.Text] = v
	}
	return all, nil
}

func integer(n *krm.Node) (any, error) {
	if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
		return i, nil
	}
	if u, err := strconv.ParseUint(n.Text, 10, 64); err == nil {
		return u, nil
	}
	return nil, fmt.Errorf("the integer %s has more than 64 bits", krm.Short(n.Text, 64))
}

func float(n *krm.Node) (any, error) {
	switch n.Text {
	case ".inf", "+.inf":
		return math.Inf(1), nil
	case "-.inf":
		return math.Inf(-1), nil
	case ".nan":
		return math.NaN(), nil
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %s is too large", krm.Short(n.Text, 64))
	}
	return f, nil
}

// nodeOf turns a value back into a node.
func nodeOf(v any) (*krm.Node, error) {
	switch v := v.(type) {
	case nil:
		return &krm.Node{Kind: krm.NullNode, Text: "null"}, nil
	case *layout:
		return krm.NewString(v.String()), nil
	case map[string]any:
		return mapNode(v)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return stringNode(r.String())
	case reflect.Bool:
		return &krm.Node{Kind: krm.BoolNode, Text: strconv.FormatBool(r.Bool())}, nil
	case reflect.Int, reflect.Int64:
		return krm.NewInt(r.Int()), nil
	case reflect.Uint64:
		return &krm.Node{Kind: krm.IntNode, Text: strconv.FormatUint(r.Uint(), 10)}, nil
	case reflect.Float64:
		return floatNode(r.Float())
	case reflect.Slice:
		list := krm.NewList()
		for i := range r.Len() {
			item, err := nodeOf(r.Index(i).Interface())
			if err != nil {
				return nil, err
			}
			list.Items = append(list.Items, item)
		}
		return list, nil
	case reflect.Map:
		m := map[string]any{}
		for key, value := range r.Seq2() {
			m[textOf(key.Interface())] = value.Interface()
		}
		return mapNode(m)
	default:
		return nil, fmt.Errorf("%s is no value of YAML", r.Type())
	}
}

func mapNode(m map[string]any) (*krm.Node, error) {
	entries := make(map[string]*krm.Node, len(m))
	for key, value := range m {
		if odd := krm.Unwritable(key); odd != "" {
			return nil, fmt.Errorf("a key holds %s", odd)
		}
		node, err := nodeOf(value)
		if err != nil {
			return nil, err
		}
		entries[key] = node
	}
	return krm.NewMap(entries), nil
}

func stringNode(text string) (*krm.Node, error) {
	if odd := krm.Unwritable(text); odd != "" {
		return nil, fmt.Errorf("the text holds %s", odd)
	}
	return krm.NewString(text), nil
}

func floatNode(f float64) (*krm.Node, error) {
	if !isFinite(f) {
		return nil, fmt.Errorf("%v is no number that JSON has", f)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if math.Abs(f) >= 1e21 || f != 0 && math.Abs(f) < 1e-6 {
		text = strconv.FormatFloat(f, 'e', -1, 64)
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		text += ".0"
	}
	return &krm.Node{Kind: krm.FloatNode, Text: text}, nil
}
