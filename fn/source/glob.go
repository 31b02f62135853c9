package source

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob is a pattern over the paths of a tree, in the dialect of doublestar: `*`
// and `?` stay inside a segment, `**` as a segment stands for any number of
// segments, `[a-z]`, `{a,b}`, and a backslash makes the next character literal.
// Names that start with a dot match like all others. A `**` at the end stands
// for one segment or more: `a/**` is what is below a, not a itself.
type Glob struct {
	base     string
	segments []segment
	// whole is set when an alternative holds a slash: segments then select too
	// much, and the path must match this.
	whole string
}

type segment struct {
	text      string
	literal   bool
	recursive bool
}

// ParseGlob checks the syntax of a pattern; the error is
// doublestar.ErrBadPattern.
func ParseGlob(pattern string) (Glob, error) {
	if !doublestar.ValidatePattern(pattern) {
		return Glob{}, doublestar.ErrBadPattern
	}
	var g Glob
	for text := range strings.SplitSeq(pattern, "/") {
		if crossesSlashes(text) {
			// Walk everything from here on, and match whole paths.
			g.whole = pattern
			if strings.HasSuffix(pattern, "/**") {
				g.whole += "/*"
			}
			g.segments = append(g.segments, segment{recursive: true})
			break
		}
		g.segments = append(g.segments, newSegment(oneStar(text)))
	}
	g.split()
	return g, nil
}

// crossesSlashes tells whether a part of a pattern between two slashes is no
// pattern for one name: braces that hold a slash, or out of which a `**` comes, as
// out of `{*,a}*`.
func crossesSlashes(text string) bool {
	return !doublestar.ValidatePattern(text) || strings.Contains(text, "{") && strings.Count(text, "*") > 1
}

// split moves the literal segments at the front to base. One segment stays: what
// a pattern without wildcards names is an entry of its base.
func (g *Glob) split() {
	n := 0
	for n < len(g.segments)-1 && g.segments[n].literal && g.segments[n].text != "" {
		n++
	}
	var names []string
	for _, s := range g.segments[:n] {
		names = append(names, s.text)
	}
	g.base, g.segments = strings.Join(names, "/"), g.segments[n:]
}

// oneStar makes one star of several beside other text, where doublestar means the
// same by them but matches too little from three on.
func oneStar(text string) string {
	if text == "**" || strings.ContainsAny(text, `[\`) {
		return text
	}
	for strings.Contains(text, "**") {
		text = strings.ReplaceAll(text, "**", "*")
	}
	return text
}

// newSegment knows a literal segment, escapes resolved: it is compared byte by
// byte, which doublestar does not do with names that are not UTF-8.
func newSegment(text string) segment {
	var literal strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.IndexByte("*?[{", text[i]) >= 0 {
			return segment{text: text, recursive: text == "**"}
		}
		if text[i] == '\\' {
			i++ // ValidatePattern: something follows
		}
		literal.WriteByte(text[i])
	}
	return segment{text: literal.String(), literal: true}
}

// EscapeGlob returns the pattern that matches text and nothing else.
func EscapeGlob(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(`*?[]{}\!^-,`, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Base is the literal directory in front of the first wildcard, "" when there is
// none.
func (g Glob) Base() string { return g.base }

// Everything tells whether the pattern is all that is below Base: `a/b/**`.
func (g Glob) Everything() bool {
	return len(g.segments) == 1 && g.segments[0].recursive && g.whole == ""
}

// Select walks the directories that can hold matches of g, entries in byte order
// and parents first. visit sees every entry that matches, and the directories
// and links that a match could be below; it returns whether to go on below the
// directory that it was shown. Links are never entered.
//
// The error is the first one met; a Base that does not exist is fs.ErrNotExist.
func (t *Tree) Select(g Glob, visit func(path string, e Entry, matched bool) (enter bool)) error {
	return t.selectIn(g, g.base, g.reach(nil, 0), visit)
}

// selectIn walks one directory. states are the segments that an entry of dir may
// match.
func (t *Tree) selectIn(g Glob, dir string, states []int, visit func(string, Entry, bool) bool) error {
	entries, err := t.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := join(dir, e.Name)
		next, matched := g.step(path, e.Name, states)
		below := len(next) > 0 && (e.Type == Directory || e.Type == Link)
		if !matched && !below || !visit(path, e, matched) {
			continue
		}
		if below && e.Type == Directory {
			if err := t.selectIn(g, path, next, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// step gives the states below an entry, and whether the entry itself matches.
func (g Glob) step(path, name string, states []int) (next []int, matched bool) {
	last := len(g.segments) - 1
	for _, i := range states {
		s := g.segments[i]
		if !s.matches(name) {
			continue
		}
		matched = matched || i == last
		if s.recursive {
			next = g.reach(next, i)
		}
		if i < last {
			next = g.reach(next, i+1)
		}
	}
	if matched && g.whole != "" {
		matched = doublestar.MatchUnvalidated(g.whole, path)
	}
	return next, matched
}

func (s segment) matches(name string) bool {
	switch {
	case s.recursive:
		return true
	case s.literal:
		return s.text == name
	}
	return doublestar.MatchUnvalidated(s.text, name)
}

// reach adds state i, and those behind a `**` that stands for nothing.
func (g Glob) reach(states []int, i int) []int {
	for !slices.Contains(states, i) {
		states = append(states, i)
		if !g.segments[i].recursive || i == len(g.segments)-1 {
			break
		}
		i++
	}
	return states
}

// Glob returns the files that match a pattern, sorted. Links and special files
// that match, and links that a match could be below, are never read: they come
// back in skipped. A directory that is not there holds no files.
func (t *Tree) Glob(pattern string) (files, skipped []string, err error) {
	g, err := ParseGlob(pattern)
	if err != nil {
		return nil, nil, err
	}
	err = t.Select(g, func(path string, e Entry, matched bool) bool {
		switch {
		case e.Type == Link, e.Type == Other:
			skipped = append(skipped, path)
		case e.Type == File && matched:
			files = append(files, path)
		}
		return true
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotDirectory) {
		err = nil
	}
	slices.Sort(files)
	slices.Sort(skipped)
	return files, skipped, err
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
