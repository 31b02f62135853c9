package artifact

import (
	"iter"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// scalars iterates over the scalars of a value, keys left out, in key order.
func scalars(node *krm.Node) iter.Seq[*krm.Node] {
	return func(yield func(*krm.Node) bool) { eachScalar(node, yield) }
}

func eachScalar(node *krm.Node, yield func(*krm.Node) bool) bool {
	if node.Kind != krm.ListNode && node.Kind != krm.MapNode {
		return yield(node)
	}
	for _, item := range node.Items {
		if !eachScalar(item, yield) {
			return false
		}
	}
	for _, value := range node.Fields() {
		if !eachScalar(value, yield) {
			return false
		}
	}
	return true
}
