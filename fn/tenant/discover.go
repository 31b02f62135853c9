package tenant

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// Match is one directory that the pattern matched.
type Match struct {
	// Dir is the directory, relative to the tree's root.
	Dir string
	// Raw are the captured texts, Lower the same in lower case.
	Raw, Lower map[string]string
}

// Discover walks the levels that the pattern can match, and returns the matches
// in walk order: byte order of the names, level by level.
//
// Only directories match, as in upstream; links never do. Unlike there,
// directories whose name begins with a dot are left out, and every name that
// cannot be used is reported, once, when a directory below it matches. The
// result is false when a directory could not be read: what is in it is not
// gone.
func Discover(tree *source.Tree, p Pattern, rep *krm.Report) ([]Match, bool) {
	limited := krm.Limited(maxListed, func(pos krm.Pos) string { return inDirectory(pos.File) })
	defer func() { rep.Append(limited) }()
	w := &walk{tree: tree, pattern: p, rep: limited}
	if len(p.segments) > 0 {
		w.descend(step{})
	}
	w.reportHidden()
	w.reportUnused()
	return w.matches, !w.failed
}

// inDirectory is where a file or directory stands, for the sum of the findings
// about its siblings.
func inDirectory(file string) string {
	return fmt.Sprintf("the directory %q", shortName(path.Dir(file)))
}

// walk is the state of a Discover.
type walk struct {
	tree    *source.Tree
	pattern Pattern
	rep     *krm.Report
	matches []Match
	// failed is set when a directory could not be read.
	failed bool
	// hidden are places and unused directories, for the infos at the end.
	hidden, unused []string
}

// step is a directory on the way down.
type step struct {
	dir   string
	level int
	// values are the raw captures so far, in the order of Pattern.captures.
	values []string
	// unusable is set when one of them cannot be used.
	unusable bool
}

// descend walks below a directory and tells whether anything there matches the
// whole pattern.
func (w *walk) descend(s step) bool {
	if s.level == len(w.pattern.segments) {
		if !s.unusable {
			w.matches = append(w.matches, w.pattern.newMatch(s.dir, s.values))
		}
		return true
	}
	seg := w.pattern.segments[s.level]
	if len(seg.captures) == 0 {
		return w.literal(s, seg)
	}
	entries, err := w.tree.ReadDir(s.dir)
	if err != nil {
		w.unreadable(s.dir, err)
		return true
	}
	found := false
	for _, entry := range entries {
		if values, ok := w.candidate(s, seg, entry); ok {
			found = w.enter(s, seg, entry.Name, values) || found
		}
	}
	return found
}

// literal goes on in the one directory that a segment without captures names.
func (w *walk) literal(s step, seg segment) bool {
	dir := path.Join(s.dir, seg.text)
	switch kind, err := w.tree.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err != nil:
		w.unreadable(dir, err)
		return true
	case kind == source.Link:
		w.link(dir)
		return false
	case kind != source.Directory:
		return false
	}
	return w.descend(step{dir, s.level + 1, s.values, s.unusable})
}

// candidate tells whether the walk goes into an entry, and what the segment
// captures of its name.
func (w *walk) candidate(s step, seg segment, entry source.Entry) ([]string, bool) {
	values, ok := seg.match(entry.Name)
	dir := path.Join(s.dir, entry.Name)
	switch {
	case !ok:
		return nil, false
	case entry.Type == source.Directory && seg.hides(entry.Name):
		w.hidden = append(w.hidden, w.tree.Place(dir))
		return nil, false
	case entry.Type == source.Link && !seg.hides(entry.Name):
		w.link(dir)
		return nil, false
	}
	return values, entry.Type == source.Directory
}

// hides tells whether a name begins with a dot that the pattern did not ask for.
func (s segment) hides(name string) bool {
	return strings.HasPrefix(name, ".") && !strings.HasPrefix(s.literals[0], ".")
}

// enter goes on below a directory that a segment with captures matched.
func (w *walk) enter(s step, seg segment, name string, values []string) bool {
	dir := path.Join(s.dir, name)
	bad, hint := seg.unusable(values)
	unused := len(w.unused)
	found := w.descend(step{dir, s.level + 1, slices.Concat(s.values, values), s.unusable || bad != ""})
	switch {
	case !found:
		w.unused = append(w.unused[:unused], dir)
	case bad != "":
		w.rep.Errorf("directory-name", krm.Pos{File: w.tree.Place(dir)}, hint, "the directory %q cannot be used: %s", shortName(dir), bad)
	}
	return found
}

// unusable says why captured texts cannot become labels, and what to do.
func (s segment) unusable(values []string) (bad, hint string) {
	for i, value := range values {
		what := "the capture `{" + s.captures[i] + "}`"
		switch problem := labelValue.problem(strings.ToLower(value)); {
		case !isASCII(value):
			bad = fmt.Sprintf("%s must be ASCII, %q has %s", what, short(value), codePoints(value))
		case problem != "":
			bad = fmt.Sprintf("%s is %q, and %s", what, short(value), problem)
		}
		if bad != "" {
			return bad, labelValue.rename(what, value)
		}
	}
	return "", ""
}

func (p Pattern) newMatch(dir string, values []string) Match {
	m := Match{Dir: dir, Raw: make(map[string]string, len(values))}
	m.Lower = m.Raw
	for i, value := range values {
		m.Raw[p.captures[i]] = value
	}
	if !slices.ContainsFunc(values, func(v string) bool { return strings.ToLower(v) != v }) {
		return m
	}
	m.Lower = make(map[string]string, len(values))
	for i, value := range values {
		m.Lower[p.captures[i]] = strings.ToLower(value)
	}
	return m
}

func (w *walk) unreadable(dir string, err error) {
	w.failed = true
	w.rep.Errorf("directory-unreadable", krm.Pos{File: w.tree.Place(dir)}, source.Cure(err), "cannot read the directory %q: %s", shortName(dir), shortError(bare(err)))
}

func (w *walk) link(dir string) {
	w.rep.Warnf("link-skipped", krm.Pos{File: w.tree.Place(dir)}, "put a directory in its place",
		"%q is a link, links are never followed", shortName(dir))
}

// maxListed bounds how many names one message lists.
const maxListed = 20

func (w *walk) reportHidden() {
	if len(w.hidden) > 0 {
		w.rep.Infof("directory-hidden", krm.Pos{}, "",
			"skipped directories whose names begin with a dot: %s", listed(w.hidden))
	}
}

// reportUnused tells of directories that match the beginning of the pattern
// only, such as one that asks for a namespace and has no modules.
func (w *walk) reportUnused() {
	for _, dir := range w.unused {
		level := strings.Count(dir, "/") + 1
		w.rep.Infof("directory-unused", krm.Pos{File: w.tree.Place(dir)}, "",
			"the directory %q yields nothing: no directory in it matches %q", shortName(dir), w.pattern.from(level))
	}
}

// from is the pattern below a level.
func (p Pattern) from(level int) string {
	var rest []string
	for _, seg := range p.segments[level:] {
		rest = append(rest, seg.text)
	}
	return strings.Join(rest, "/")
}

// listed quotes and joins names, and counts those beyond maxListed.
func listed(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), maxListed)] {
		quoted = append(quoted, fmt.Sprintf("%q", short(name)))
	}
	list := strings.Join(quoted, ", ")
	if more := len(names) - maxListed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// NoMatch says why the pattern matches nothing in tree: the first segment that
// nothing matched, and the nearest existing names.
func (p Pattern) NoMatch(tree *source.Tree) string {
	dirs := []string{""}
	for _, seg := range p.segments {
		var next, names []string
		for _, dir := range dirs {
			here := directories(tree, dir)
			names = append(names, here...)
			for _, name := range here {
				if _, ok := seg.match(name); ok && !seg.hides(name) {
					next = append(next, path.Join(dir, name))
				}
			}
		}
		if len(next) == 0 {
			return noMatch(seg, dirs, names)
		}
		dirs = next
	}
	return "every directory that matches is left out"
}

func directories(tree *source.Tree, dir string) []string {
	entries, _ := tree.ReadDir(dir) // Discover has reported the error
	var names []string
	for _, entry := range entries {
		if entry.Type == source.Directory {
			names = append(names, entry.Name)
		}
	}
	return names
}

func noMatch(seg segment, dirs, names []string) string {
	where := fmt.Sprintf("in %q", shortName(dirs[0]))
	switch {
	case dirs[0] == "":
		where = "in the root of the source"
	case len(dirs) > 1:
		where = fmt.Sprintf("in any of %d directories, the first of them %q,", len(dirs), shortName(dirs[0]))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	message := fmt.Sprintf("no directory %s matches the path segment %q", where, seg.text)
	near, found := krm.Nearest(seg.text, names)
	switch {
	case found:
		return fmt.Sprintf("%s, did you mean %q?", message, shortName(near))
	case len(names) == 0:
		return message + ", there are no directories"
	}
	return fmt.Sprintf("%s, the directories there are %s", message, listed(names))
}
