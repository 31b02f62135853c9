package artifact

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// Strategy is how a copy meets a file that is already there.
type Strategy int

// The strategies of spec.artifacts[].copy[].strategy.
const (
	// Overwrite replaces the file.
	Overwrite Strategy = iota
	// Merge merges two YAML maps, the later on top, wherever two files meet.
	Merge
	// Extract unpacks tarballs instead of copying them.
	Extract
)

// Fields is a copy operation as written.
type Fields struct {
	From, To krm.Str
	Exclude  []krm.Str
	Strategy krm.Str // "" is Overwrite
	// Optional lets the operation match nothing.
	Optional bool
	Pos      krm.Pos
}

// Limits on what an operation may say (Flux ArtifactGenerator API).
const (
	maxPathText = 1024
	maxExcludes = 100
)

// artifactRoot is what every `to` starts with.
const artifactRoot = "@artifact/"

// Operation is a valid copy operation whose paths may hold captures.
type Operation struct {
	alias krm.Str
	// from and to still have their `@alias/`.
	from, to krm.Template
	// glob is decided by the text as written: a directory that a tenant calls
	// `[a-z]*` makes no pattern of a path.
	glob     bool
	exclude  excludes
	strategy Strategy
	optional bool
}

// ParseOperation checks everything about an operation that needs no file (Flux
// ArtifactGenerator, copy operations; stricter where a pattern could never
// match). It does not know which aliases and captures exist: see Alias and
// CheckCaptures.
func ParseOperation(f Fields, rep *krm.Report) (Operation, bool) {
	op := Operation{optional: f.Optional}
	var good [4]bool
	op.alias, op.from, op.glob, good[0] = parseFrom(f, rep)
	op.to, good[1] = parseTo(f, rep)
	op.exclude, good[2] = parseExcludes(f, rep)
	op.strategy, good[3] = parseStrategy(f.Strategy, rep)
	return op, !slices.Contains(good[:], false)
}

// Alias is the source alias of `from`.
func (op Operation) Alias() krm.Str { return op.alias }

// CheckCaptures tells whether every capture of `from` and `to` is one of known.
func (op Operation) CheckCaptures(known []string, rep *krm.Report) bool {
	from := op.from.CheckCaptures(known, rep)
	to := op.to.CheckCaptures(known, rep)
	return from && to
}

// orPos is the position of a field, which the operation's stands in for when the
// field was not written.
func orPos(s krm.Str, f Fields, name string) krm.Str {
	if s.Pos == (krm.Pos{}) {
		s.Pos = f.Pos.At(name)
	}
	return s
}

func parseFrom(f Fields, rep *krm.Report) (alias krm.Str, t krm.Template, glob, ok bool) {
	from := orPos(f.From, f, "from")
	alias, path, what, hint := splitAlias(from)
	glob = strings.ContainsAny(path, "*?[]")
	if what == "" {
		what, hint = badSource(path, glob)
	}
	if what != "" {
		rep.Errorf("copy-from", from.Pos, hint, "`from` %q %s", shown(from.Text), what)
		return alias, t, glob, false
	}
	t, ok = krm.ParseTemplate(from, rep)
	if ok && glob && !validGlob(t) {
		rep.Errorf("copy-from", from.Pos, "", "`from` %q is not a valid pattern", shown(from.Text))
		ok = false
	}
	return alias, t, glob, ok
}

var aliasText = regexp.MustCompile(`^@([a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)/`)

// splitAlias cuts `@alias/path`, and says what is wrong with its length and its
// alias.
func splitAlias(s krm.Str) (alias krm.Str, path, what, hint string) {
	found := aliasText.FindStringSubmatch(s.Text)
	switch {
	case found == nil:
		return krm.Str{}, "", "does not start with a source alias", "write `@alias/path`, with an alias of `spec.sources`"
	case len(s.Text) > maxPathText:
		return krm.Str{}, "", "is longer than 1024 bytes", ""
	}
	return krm.Str{Text: found[1], Pos: s.Pos}, s.Text[len(found[0]):], "", ""
}

// badSource says what is wrong with a path in a source. A slash at the end of a
// path says that it is a directory; at the end of a pattern, nothing matches it.
func badSource(path string, glob bool) (what, hint string) {
	if glob && strings.HasSuffix(path, "/") {
		return "is a pattern that can never match, because it ends with a slash", "leave the slash out"
	}
	return badPath(strings.TrimSuffix(path, "/"))
}

// validGlob checks the pattern with a letter in the place of each capture:
// captured text is escaped, so it cannot change the syntax.
func validGlob(t krm.Template) bool {
	letters := map[string]string{}
	for _, name := range t.Captures() {
		letters[name] = "a"
	}
	_, err := source.ParseGlob(t.Render(letters))
	return err == nil
}

// badPath says what is wrong with a path below a root: every segment must name
// something. "" is the root itself.
func badPath(path string) (what, hint string) {
	if path == "" {
		return "", ""
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "":
			return "has an empty path segment", "remove the slash that nothing stands before"
		case ".":
			return "has the path segment `.`", "leave the `.` out"
		case "..":
			return "has the path segment `..`", "paths stay inside their root"
		}
	}
	return "", ""
}

func parseTo(f Fields, rep *krm.Report) (krm.Template, bool) {
	to := orPos(f.To, f, "to")
	path, rooted := strings.CutPrefix(to.Text, artifactRoot)
	switch {
	case !rooted:
		rep.Errorf("copy-to", to.Pos, "", "`to` %q does not start with %q", shown(to.Text), artifactRoot)
		return krm.Template{}, false
	case len(to.Text) > maxPathText:
		rep.Errorf("copy-to", to.Pos, "", "`to` has %d bytes, %d are allowed", len(to.Text), maxPathText)
		return krm.Template{}, false
	}
	if what, hint := badTarget(path); what != "" {
		rep.Errorf("copy-to", to.Pos, hint, "`to` %q %s", shown(to.Text), what)
		return krm.Template{}, false
	}
	return krm.ParseTemplate(to, rep)
}

// badTarget is badPath for a place in the artifact, where `.` is the root.
func badTarget(path string) (what, hint string) {
	if path == "." {
		return "", ""
	}
	return badPath(strings.TrimSuffix(path, "/"))
}

func parseStrategy(s krm.Str, rep *krm.Report) (Strategy, bool) {
	switch s.Text {
	case "", "Overwrite":
		return Overwrite, true
	case "Merge":
		return Merge, true
	case "Extract":
		return Extract, true
	}
	hint := "use Overwrite, Merge or Extract"
	if near, found := krm.Nearest(s.Text, []string{"Overwrite", "Merge", "Extract"}); found {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	rep.Errorf("copy-strategy", s.Pos, hint, "unknown copy strategy %q", shown(s.Text))
	return Overwrite, false
}

// excludes are the patterns that keep paths out of a copy. They are never
// rendered: braces in them are alternatives.
type excludes []string

func parseExcludes(f Fields, rep *krm.Report) (excludes, bool) {
	ok := true
	if len(f.Exclude) > maxExcludes {
		rep.Errorf("copy-exclude", f.Pos.At("exclude"), "", "there are %d patterns in `exclude`, %d are allowed", len(f.Exclude), maxExcludes)
		ok = false
	}
	var patterns excludes
	for _, s := range f.Exclude {
		if what, hint := badExclude(s.Text); what != "" {
			rep.Errorf("copy-exclude", s.Pos, hint, "the exclude pattern %q %s", shown(s.Text), what)
			ok = false
		}
		patterns = append(patterns, s.Text)
	}
	return patterns, ok
}

// badExclude refuses patterns that match nothing whatever the tree holds: they
// would silently exclude nothing.
func badExclude(pattern string) (what, hint string) {
	switch {
	case pattern == "":
		return "is empty", ""
	case len(pattern) > maxPathText:
		return "is longer than 1024 bytes", ""
	case strings.HasPrefix(pattern, "!"):
		return "starts with `!`, which is not supported", "list what to leave out; write `\\!` for a name that starts with it"
	case strings.HasPrefix(pattern, "/"):
		return "can never match, because it starts with a slash", "paths are relative to the source, without a slash in front"
	case strings.HasSuffix(pattern, "/"):
		return "can never match, because it ends with a slash", "leave the slash out: a directory is excluded with all that is in it"
	case !doublestar.ValidatePattern(pattern):
		return "has a syntax error", ""
	}
	if what, hint := badPath(pattern); what != "" {
		return "can never match, because it " + what, hint
	}
	return "", ""
}

// hit tells whether a path is excluded: a pattern matches the path from the root
// of the source, or from base, the directory that the copy starts from; a
// pattern without a slash also matches the name alone, at any depth (Flux
// ArtifactGenerator, exclude).
func (x excludes) hit(path, base string) bool {
	if len(x) == 0 {
		return false
	}
	relative := below(base, path)
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, pattern := range x {
		if doublestar.MatchUnvalidated(pattern, path) || relative != path && doublestar.MatchUnvalidated(pattern, relative) {
			return true
		}
		if !strings.Contains(pattern, "/") && doublestar.MatchUnvalidated(pattern, name) {
			return true
		}
	}
	return false
}

// below is path relative to base, which it is below.
func below(base, path string) string {
	if base == "" {
		return path
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, base), "/")
}
