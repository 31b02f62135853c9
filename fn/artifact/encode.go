package artifact

import (
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// encode is a stand-in until krm can write nodes.
func encode(n *krm.Node) []byte { return append(appendJSON(nil, n), '\n') }

func appendJSON(buf []byte, n *krm.Node) []byte {
	switch n.Kind {
	case krm.StringNode:
		return strconv.AppendQuote(buf, n.Text)
	case krm.MapNode:
		var parts []string
		for k, v := range n.Fields() {
			parts = append(parts, strconv.Quote(k.Text)+": "+string(appendJSON(nil, v)))
		}
		return append(buf, "{"+strings.Join(parts, ", ")+"}"...)
	case krm.ListNode:
		var parts []string
		for _, v := range n.Items {
			parts = append(parts, string(appendJSON(nil, v)))
		}
		return append(buf, "["+strings.Join(parts, ", ")+"]"...)
	case krm.NullNode, krm.BoolNode, krm.IntNode, krm.FloatNode:
	}
	return append(buf, n.Text...)
}
