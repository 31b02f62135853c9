package artifact

import "github.com/provision-tenants/provision-tenants/fn/krm"

// leastSize is how many bytes a value has in block style, without quotes and
// escapes. It stops counting beyond the limit: an indentation takes no bytes in flow
// style, and an alias hardly any.
func leastSize(node *krm.Node, limit int) int {
	m := measure{limit: limit}
	m.add(node, 0, 0)
	return m.size
}

type measure struct{ size, limit int }

// add counts a value whose entries are indented by indent bytes, but for the first
// one, which has first bytes in front of it: none behind a dash.
func (m *measure) add(node *krm.Node, first, indent int) {
	m.size += len(node.Text)
	if node.Text == "" && len(node.Items)+node.Len() == 0 {
		m.size += len(`""`) // or `[]`, or `{}`
	}
	for _, item := range node.Items {
		if m.size > m.limit {
			return
		}
		m.size += first + len("- ")
		m.add(item, 0, indent+len("- "))
		first = indent
	}
	for key, value := range node.Fields() {
		if m.size > m.limit {
			return
		}
		m.size += first + len(key.Text) + len(":")
		deeper := indent + 2
		if value.Kind == krm.ListNode {
			deeper = indent // lists stand in the column of their key
		}
		m.add(value, deeper, deeper)
		first = indent
	}
}
