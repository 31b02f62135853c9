package artifact

import (
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const (
	// maxMerged bounds a file that is parsed: like every file of a tenant that is.
	maxMerged = 1 << 20
	// maxResult bounds what a merge makes: block style takes more room than flow
	// style, and aliases are written out.
	maxResult = 4 * maxMerged
)

// merge lays the map of one YAML file over that of another: maps merge key by
// key, everything else is replaced, an explicit null included. The result has
// its keys sorted and no comments; numbers keep their digits. What a merge would
// lose or change silently is an error: further documents, a list or scalar at the
// top, a key that is there twice, and a value that YAML versions read differently.
func (c *copier) merge(base, overlay staged) ([]byte, bool) {
	below, ok1 := c.parseMerged(base)
	above, ok2 := c.parseMerged(overlay)
	if !ok1 || !ok2 {
		return nil, false
	}
	return c.write(mergeNodes(below, above), overlay)
}

// write gives the text of a merge, unless it would be too large.
func (c *copier) write(merged *krm.Node, overlay staged) ([]byte, bool) {
	limit := int(min(maxResult, c.stage.room()))
	if leastSize(merged, limit) <= limit {
		if text := merged.AppendYAML(nil, 0); len(text) <= limit {
			return text, true
		}
	}
	if limit < maxResult {
		c.overflow()
		return nil, false
	}
	c.rep.Errorf("merge-too-large", krm.Pos{File: overlay.origin.place()}, "", "artifact %s: with this file the merged file has more than %d bytes", c.what, limit)
	return nil, false
}

// parseMerged parses one side; an empty file is an empty map.
func (c *copier) parseMerged(f staged) (*krm.Node, bool) {
	if len(f.data) > maxMerged {
		c.rep.Errorf("merge-too-large", krm.Pos{File: f.origin.place()}, "", "artifact %s: the file has %d bytes, a file to merge may have %d", c.what, len(f.data), maxMerged)
		return nil, false
	}
	node, ok := krm.ParseAt(f.origin.start(), f.data, c.rep)
	switch {
	case !ok:
		return nil, false
	case node == nil:
		return krm.NewMap(nil), true
	case node.Kind != krm.MapNode:
		c.rep.Errorf("merge-not-map", node.Pos, "exclude the file, or copy it with another strategy",
			"artifact %s: the file cannot be merged, it must hold a map", c.what)
		return nil, false
	}
	return node, c.readsOneWay(node)
}

// readsOneWay refuses plain scalars that YAML 1.1 and 1.2 read as different
// values: written again they could only mean one of the two.
func (c *copier) readsOneWay(node *krm.Node) bool {
	ok := true
	for scalar := range scalars(node) {
		if scalar.Ambiguous != "" {
			c.rep.Errorf("merge-ambiguous-scalar", scalar.Pos, "put the value in quotes, or write the number in decimal",
				"artifact %s: the value %q cannot be merged, YAML 1.1 reads it as %s", c.what, shown(scalar.Written), scalar.Ambiguous)
			ok = false
		}
	}
	return ok
}

func mergeNodes(base, overlay *krm.Node) *krm.Node {
	if base.Kind != krm.MapNode || overlay.Kind != krm.MapNode {
		return overlay
	}
	merged := make(map[string]*krm.Node, base.Len()+overlay.Len())
	for key, value := range base.Fields() {
		merged[key.Text] = value
	}
	for key, value := range overlay.Fields() {
		if below := merged[key.Text]; below != nil {
			value = mergeNodes(below, value)
		}
		merged[key.Text] = value
	}
	return krm.NewMap(merged)
}
