package krm

import (
	"encoding/json"
	"strconv"
)

// AppendJSON appends a value as Go's encoding/json writes it: keys sorted, `<`,
// `>` and `&` escaped, floats in their shortest form.
func (n *Node) AppendJSON(buf []byte) []byte {
	switch n.Kind {
	case StringNode:
		return appendJSONString(buf, n.Text)
	case FloatNode:
		return appendJSONFloat(buf, n.Text)
	case ListNode:
		buf = append(buf, '[')
		for i, item := range n.Items {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = item.AppendJSON(buf)
		}
		return append(buf, ']')
	case MapNode:
		buf = append(buf, '{')
		first := true
		for key, value := range n.Fields() {
			if !first {
				buf = append(buf, ',')
			}
			first = false
			buf = append(appendJSONString(buf, key.Text), ':')
			buf = value.AppendJSON(buf)
		}
		return append(buf, '}')
	default: // null, a boolean, an integer
		return append(buf, n.Text...)
	}
}

func appendJSONString(buf []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		return append(buf, `""`...) // no string fails
	}
	return append(buf, quoted...)
}

// appendJSONFloat writes a number; what JSON has no number for stays as it is.
func appendJSONFloat(buf []byte, text string) []byte {
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		if written, err := json.Marshal(f); err == nil {
			return append(buf, written...)
		}
	}
	return append(buf, text...)
}
