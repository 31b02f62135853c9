package artifact

import (
	"errors"
	"io/fs"

	"github.com/provision-tenants/provision-tenants/fn/source"
)

// outcome counts what a pattern met.
type outcome struct {
	copied, excluded, leftOut, skipped int
}

// copyMatches copies what a pattern matches. `to` is always a directory. A match
// keeps its whole path below the source, but for a pattern that is everything
// below a literal directory: `configs/**` drops `configs` (Flux
// ArtifactGenerator, glob placement). A matched directory is copied with all that
// is in it. An excluded directory is not entered, wherever the match is.
func (c *copier) copyMatches() {
	g, err := source.ParseGlob(c.pattern())
	if err != nil {
		c.rep.Errorf("copy-from", c.op.from.Str().Pos, "", "artifact %s: `from` %q is not a valid pattern", c.what, shown(c.from))
		c.ok = false
		return
	}
	c.base = g.Base()
	var o outcome
	err = c.tree.Select(g, func(path string, e source.Entry, matched bool) bool {
		return c.copyMatch(g, path, e, matched, &o)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, source.ErrNotDirectory):
		c.nothingMatched(g, o)
	case err != nil:
		c.fault(err)
	case o.copied == 0:
		c.nothingMatched(g, o)
	default:
		c.warnSkipped(o)
	}
}

// pattern is the rendered `from` without its alias, captured text escaped: a
// directory named `[a-z]*` must not select other tenants' files.
func (c *copier) pattern() string {
	pattern := c.op.from.RenderQuoted(c.values, source.EscapeGlob)
	return pattern[len("@/")+len(c.op.alias.Text):]
}

// copyMatch takes one entry of the walk, and tells whether to look below it.
func (c *copier) copyMatch(g source.Glob, path string, e source.Entry, matched bool, o *outcome) (enter bool) {
	switch {
	case c.op.exclude.hit(path, c.base):
		o.excluded++
		return false
	case e.Type == source.Link || e.Type == source.Other:
		o.leftOut++
		c.leaveOut(path, e.Type)
		return false
	case !matched:
		return true
	case c.op.strategy == Extract:
		return c.extractMatch(path, e, o)
	}
	o.copied++
	c.copyEntry(path, e.Type, c.matchTarget(g, path))
	return false
}

func (c *copier) matchTarget(g source.Glob, path string) string {
	if g.Everything() {
		path = below(g.Base(), path)
	}
	return join(c.directoryTarget(), path)
}

// extractMatch extracts the tarballs among the matches and leaves out the rest.
// What is inside a matched directory must match by itself.
func (c *copier) extractMatch(path string, e source.Entry, o *outcome) (enter bool) {
	o.copied++
	switch {
	case !isTarball(e.Name):
		o.skipped++
	case e.Type == source.Directory:
		c.rep.Errorf("copy-extract", c.op.from.Str().Pos, "exclude it", "artifact %s: %q is a directory, not a tarball", c.what, shown(c.tree.Place(path)))
		c.ok = false
		return false
	default:
		c.extract(path, c.directoryTarget())
	}
	return true
}

// nothingMatched reports a pattern that selected nothing: a spelling mistake must
// not publish an artifact that lacks its files.
func (c *copier) nothingMatched(g source.Glob, o outcome) {
	if c.op.optional {
		return
	}
	c.ok = false
	pos := c.op.from.Str().Pos
	switch {
	case o.excluded > 0:
		c.rep.Errorf("copy-all-excluded", pos, "exclude less, or set `optional: true`",
			"artifact %s: everything that matches %q is excluded", c.what, shown(c.from))
	case o.leftOut > 0:
		c.rep.Errorf("copy-no-match", pos, "links and special files do not count", "artifact %s: no files match %q", c.what, shown(c.from))
	default:
		c.rep.Errorf("copy-no-match", pos, c.suggest(g.Base()), "artifact %s: no files match %q", c.what, shown(c.from))
	}
}

// warnSkipped tells that an Extract met no tarball among its matches: upstream
// publishes an artifact without them and says nothing.
func (c *copier) warnSkipped(o outcome) {
	if o.skipped > 0 && o.skipped == o.copied && !c.op.optional {
		c.rep.Warnf("copy-no-tarball", c.op.from.Str().Pos, "",
			"artifact %s: nothing is extracted, no name that matches %q ends in `.tar.gz` or `.tgz`", c.what, shown(c.from))
	}
}
