package artifact

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// builder builds one artifact.
type builder struct {
	what   string
	values map[string]string
	trees  map[string]*source.Tree
	rep    *krm.Report
	stage  stage
	ok     bool
	// full is set once the artifact has reached its limit: what follows is not
	// even read.
	full bool
}

// copier runs one operation.
type copier struct {
	*builder
	op   Operation
	tree *source.Tree
	// from is the rendered `from`, for messages; to the rendered `to` without
	// `@artifact/`.
	from, to string
	// base is what excludes are relative to, besides the root of the source.
	base string
}

func (b *builder) run(op Operation) {
	c := copier{builder: b, op: op, tree: b.trees[op.alias.Text]}
	c.from = op.from.Render(b.values)
	c.to = strings.TrimPrefix(op.to.Render(b.values), artifactRoot)
	path := strings.TrimPrefix(c.from, "@"+op.alias.Text+"/")
	switch {
	case !c.rendersWell(path):
		b.ok = false
	case op.glob:
		c.copyMatches()
	default:
		c.copyPath(strings.TrimSuffix(path, "/"))
	}
}

// rendersWell checks the paths again: a captured text can be `.`, and with what
// stands around it become `..`.
func (c *copier) rendersWell(path string) bool {
	path = strings.TrimSuffix(path, "/")
	what, hint := badPath(path)
	if path == "" && len(c.op.from.Captures()) > 0 {
		what = "is the whole source, although it has captures"
	}
	if what != "" {
		c.rep.Errorf("copy-from", c.op.from.Str().Pos, hint, "artifact %s: `from` %q %s", c.what, shown(c.from), what)
		return false
	}
	if what, hint := badTarget(c.to); what != "" {
		c.rep.Errorf("copy-to", c.op.to.Str().Pos, hint, "artifact %s: `to` %q %s", c.what, shown(artifactRoot+c.to), what)
		return false
	}
	return true
}

// copyPath copies what a path without wildcards names.
func (c *copier) copyPath(path string) {
	kind, err := c.tree.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.nothingThere(path)
	case err != nil:
		c.fault(err)
	case kind == source.Link:
		c.fault(&fs.PathError{Path: c.tree.Place(path), Err: source.ErrLink})
	case kind == source.Other:
		c.fault(&fs.PathError{Path: c.tree.Place(path), Err: source.ErrNotFile})
	case kind == source.Directory:
		c.copyNamedDirectory(path)
	default:
		c.copyNamedFile(path)
	}
}

// copyNamedDirectory nests a directory in `to`; the root of a source has no name,
// so its content lands in `to` directly. The directory itself is never excluded.
func (c *copier) copyNamedDirectory(path string) {
	if c.op.strategy == Extract {
		c.rep.Errorf("copy-extract", c.op.from.Str().Pos, "name a tarball, or use a pattern",
			"artifact %s: `from` %q is a directory, only tarballs can be extracted", c.what, shown(c.from))
		c.ok = false
		return
	}
	_, name := cutName(path)
	c.base = path
	target := c.directoryTarget()
	if name != "" {
		target = join(target, name)
	}
	c.copyDirectory(path, target)
}

// copyNamedFile copies one file: to exactly `to`, or into it where it is a
// directory by its slash or is there as one. An excluded file is no error, as
// upstream does.
func (c *copier) copyNamedFile(path string) {
	if c.op.exclude.hit(path, "") {
		return
	}
	_, name := cutName(path)
	switch target := c.directoryTarget(); {
	case c.op.strategy == Extract && !isTarball(name):
		c.rep.Errorf("copy-extract", c.op.from.Str().Pos, "",
			"artifact %s: `from` %q is no tarball, its name must end in `.tar.gz` or `.tgz`", c.what, shown(c.from))
		c.ok = false
	case c.op.strategy == Extract:
		c.extract(path, target)
	case c.to == "." || strings.HasSuffix(c.to, "/") || c.stage.isDirectory(target):
		c.copyFile(path, join(target, name))
	default:
		c.copyFile(path, target)
	}
}

// directoryTarget is `to` where it can only be a directory.
func (c *copier) directoryTarget() string {
	if c.to == "." {
		return ""
	}
	return strings.TrimSuffix(c.to, "/")
}

func (c *copier) copyDirectory(dir, target string) {
	if !c.mkdir(target, dir) {
		return
	}
	entries, err := c.tree.ReadDir(dir)
	if err != nil {
		c.fault(err)
		return
	}
	for _, e := range entries {
		path := join(dir, e.Name)
		if !c.op.exclude.hit(path, c.base) {
			c.copyEntry(path, e.Type, join(target, e.Name))
		}
	}
}

// mkdir makes target, the copy of the directory dir; it is false when that fails
// or the artifact is at its limit.
func (c *copier) mkdir(target, dir string) bool {
	if err := c.stage.mkdir(target, origin{c.tree, dir, false}); err != nil {
		c.conflict(err, dir)
		return false
	}
	if c.stage.size > maxArtifact {
		c.overflow()
	}
	return !c.full
}

// copyEntry copies what was met inside a directory. Links and special files are
// left out there: Flux drops links from what it archives, too.
func (c *copier) copyEntry(path string, kind source.EntryType, target string) {
	switch kind {
	case source.File:
		c.copyFile(path, target)
	case source.Directory:
		c.copyDirectory(path, target)
	case source.Link, source.Other:
		c.leaveOut(path, kind)
	}
}

func (c *copier) copyFile(path, target string) {
	if content, ok := c.read(path); ok {
		c.put(target, staged{data: content.Data, executable: content.Executable, origin: origin{c.tree, path, content.Rewritten}})
	}
}

// read reads a file within the limits of a file and of the artifact.
func (c *copier) read(path string) (source.Content, bool) {
	if c.full {
		return source.Content{}, false
	}
	limit := min(maxFile, c.stage.room())
	content, err := c.tree.ReadFile(path, limit)
	var large *source.TooLargeError
	switch {
	case errors.As(err, &large) && limit < maxFile && large.Size <= maxFile:
		c.overflow()
	case errors.As(err, &large):
		c.rep.Errorf("artifact-file-too-large", krm.Pos{File: c.tree.Place(path)}, "exclude the file",
			"the file has %d bytes, a file of an artifact may have %d", large.Size, maxFile)
		c.ok = false
	case err != nil:
		c.fault(err)
	}
	return content, err == nil
}

// put writes a file to the stage by the strategy of the operation.
func (c *copier) put(target string, f staged) {
	old, meets := c.stage.files[target]
	if meets && !old.directory && c.op.strategy == Merge {
		merged, ok := c.merge(old, f)
		if !ok {
			c.ok = false
			return
		}
		f.data, f.executable, f.origin.made = merged, old.executable, true
	}
	if err := c.stage.put(target, f); err != nil {
		c.conflict(err, f.origin.path)
		return
	}
	if c.stage.size > maxArtifact {
		c.overflow()
	}
}
