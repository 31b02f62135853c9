package krm

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Limits on what all aliases of one document may add together: nine levels of
// nine aliases would add a billion values, and ten thousand aliases of one long
// text a gigabyte.
const (
	maxAliased      = 10_000
	maxAliasedBytes = 1 << 20
)

// expansion counts what aliases add to a document.
type expansion struct {
	// open are the aliases being expanded: one inside itself never ends.
	open map[*yaml.Node]bool
	// values and bytes are the nodes in aliases, and the text in them.
	values, bytes int
}

func newExpansion() expansion { return expansion{open: map[*yaml.Node]bool{}} }

// count counts a node if it is inside an alias.
func (e *expansion) count(node *yaml.Node) {
	if len(e.open) == 0 {
		return
	}
	e.values++
	if node.Kind == yaml.ScalarNode {
		e.bytes += len(node.Value)
	}
}

// exceeded names the limit that is exceeded, "" when none is.
func (e *expansion) exceeded() string {
	switch {
	case e.values > maxAliased:
		return fmt.Sprintf("%d values", maxAliased)
	case e.bytes > maxAliasedBytes:
		return fmt.Sprintf("%d bytes", maxAliasedBytes)
	}
	return ""
}
