// Package artifact builds what a generator publishes: copy operations over
// source trees, the archive and its digest, and the exported inputs.
package artifact

import (
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// Strategy is how a copy meets a file that is already there.
type Strategy int

// The strategies of spec.artifacts[].copy[].strategy.
const (
	Overwrite Strategy = iota
	Merge
	Extract
)

// Fields is a copy operation as written.
type Fields struct {
	From, To krm.Str
	Exclude  []krm.Str
	Strategy krm.Str // "" is Overwrite
	Pos      krm.Pos
}

// Operation is a valid copy operation whose paths may hold captures.
type Operation struct{}

// ParseOperation checks everything about an operation that needs no file.
func ParseOperation(f Fields, rep *krm.Report) (Operation, bool) { return Operation{}, false }

// Artifact is a built artifact.
type Artifact struct {
	Digest string // sha256:<hex> of the archive
	Size   int64
}

// Build runs the operations in a tree of their own. values are the raw captures
// of the match; what names the artifact in messages.
func Build(what string, ops []Operation, values map[string]string, trees map[string]*source.Tree, rep *krm.Report) (*Artifact, bool) {
	return nil, false
}
