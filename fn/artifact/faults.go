package artifact

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// leaveOut tells that something met inside a directory is not copied.
func (c *copier) leaveOut(path string, kind source.EntryType) {
	pos := krm.Pos{File: c.tree.Place(path)}
	if kind == source.Link {
		c.rep.Warnf("copy-link-left-out", pos, "replace the link by what it points to, or exclude it",
			"the link is not part of the artifact, links are never followed")
		return
	}
	c.rep.Warnf("copy-special-left-out", pos, "exclude it",
		"the pipe, socket or device is not part of the artifact")
}

// overflow reports once that the artifact is at its limit.
func (c *copier) overflow() {
	if !c.full {
		c.rep.Errorf("artifact-too-large", c.op.from.Str().Pos, "copy less, or exclude what is not needed",
			"artifact %s is larger than %d bytes with %q", c.what, maxArtifact, shown(c.from))
	}
	c.full, c.ok = true, false
}

// conflict reports a file that meets a directory.
func (c *copier) conflict(err error, path string) {
	c.rep.Errorf("copy-conflict", c.op.to.Str().Pos, "copy to another path, or exclude one of the two",
		"artifact %s: cannot copy %q: %v", c.what, shown(c.tree.Place(path)), err)
	c.ok = false
}

// fault reports what the source says about a path.
func (c *copier) fault(err error) {
	c.ok = false
	pos, place, cause := c.op.from.Str().Pos, "", err
	from := shown(c.from)
	if at, found := errors.AsType[*fs.PathError](err); found {
		place, cause = shown(at.Path), at.Err
	}
	switch {
	case errors.Is(err, source.ErrLink):
		c.rep.Errorf("copy-link", pos, "name the directory or file that the link points to",
			"artifact %s: cannot copy %q: %q is a link, and links are never followed", c.what, from, place)
	case errors.Is(err, source.ErrNotFile):
		c.rep.Errorf("copy-special-file", pos, "",
			"artifact %s: cannot copy %q: %q is a pipe, a socket or a device", c.what, from, place)
	default:
		c.rep.Errorf("copy-unreadable", pos, source.Cure(err), "artifact %s: cannot copy %q: cannot read %q: %v", c.what, from, place, cause)
	}
}

// nothingThere reports a path that does not exist, unless the operation is
// optional.
func (c *copier) nothingThere(path string) {
	if c.op.optional {
		return
	}
	c.rep.Errorf("copy-source-missing", c.op.from.Str().Pos, c.suggest(path),
		"artifact %s: the source %q does not exist", c.what, shown(c.from))
	c.ok = false
}

// suggest names an entry that is spelt like the first part of path that is
// missing.
func (c *copier) suggest(path string) string {
	const optional = "or set `optional: true`"
	dir := ""
	for name := range strings.SplitSeq(path, "/") {
		entries, err := c.tree.ReadDir(dir)
		if err != nil || name == "" {
			break
		}
		names := entryNames(entries)
		if slices.Contains(names, name) {
			dir = join(dir, name)
			continue
		}
		if near, found := krm.Nearest(name, names); found {
			return fmt.Sprintf("did you mean %q? correct the path, %s", shown(c.tree.Place(join(dir, near))), optional)
		}
		return fmt.Sprintf("there is no %q in %q: correct the path, %s", shown(name), shown(c.tree.Place(dir)), optional)
	}
	return "correct the path, " + optional
}

// shown is a text as messages show it.
func shown(text string) string { return krm.Short(text, 256) }

func entryNames(entries []source.Entry) []string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names
}
