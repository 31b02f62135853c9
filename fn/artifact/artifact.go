// Package artifact builds what a generator publishes: copy operations over
// source trees, the archive and its digest, and the exported inputs.
package artifact

import (
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// Artifact is a built artifact.
type Artifact struct {
	// Digest is `sha256:<hex>` of the archive. The same from a file that
	// WriteArchive wrote: sha256sum <file>.
	Digest string
	// Size is the length of the archive in bytes.
	Size int64

	what  string
	stage stage
	// paths are those of stage, in archive order.
	paths []string
}

// Build runs the operations, in order, in a tree of their own. values are the raw
// captures of the match; what names the artifact in messages, as
// `namespace/name`. Every operation runs, also after one that failed, so that all
// mistakes are reported. All files of the artifact are in memory until Release.
// With false the artifact holds nothing; it serves InputsFrom.Load, which reports
// the mistakes of the inputs all the same.
//
// Of each mistake at most maxReported are reported one by one.
func Build(what string, ops []Operation, values map[string]string, trees map[string]*source.Tree, rep *krm.Report) (*Artifact, bool) {
	limited := krm.Limited(maxReported, func(krm.Pos) string { return "artifact " + what })
	defer func() { rep.Append(limited) }()
	return build(what, ops, values, trees, limited)
}

// maxReported bounds how often one artifact can show one mistake: a tenant's files
// are many.
const maxReported = 20

func build(what string, ops []Operation, values map[string]string, trees map[string]*source.Tree, rep *krm.Report) (*Artifact, bool) {
	b := builder{what: what, values: values, trees: trees, rep: rep, ok: true}
	b.stage.files = map[string]staged{}
	for _, op := range ops {
		b.run(op)
	}
	unbuilt := &Artifact{what: what}
	if !b.ok {
		return unbuilt, false
	}
	a := &Artifact{what: what, stage: b.stage, paths: b.stage.paths()}
	if !a.inspect(rep) {
		return unbuilt, false
	}
	if a.isEmpty() && !allOptional(ops) {
		rep.Warnf("artifact-empty", ops[0].from.Str().Pos, "what Flux leaves out does not count: files of version control and of CI, pictures and archives",
			"artifact %s holds no file", what)
	}
	a.seal()
	return a, true
}

// Release lets go of the files. Digest and Size stay.
func (a *Artifact) Release() { a.stage, a.paths = stage{}, nil }

func allOptional(ops []Operation) bool {
	return !slices.ContainsFunc(ops, func(op Operation) bool { return !op.optional })
}
