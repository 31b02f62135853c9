package tenant

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// maxPattern is the limit of the ArtifactGenerator API, in characters.
const maxPattern = 1024

// aliasPath is how the ArtifactGenerator API writes a path in a source.
var aliasPath = regexp.MustCompile(`^@([a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?)/((?s:.*))$`)

// Pattern is a generator's spec.pathPattern: an alias, and one segment for each
// level of directories. It matches a directory of exactly that depth.
type Pattern struct {
	alias    string
	segments []segment
	captures []string
	// levels gives the index of the segment that holds a capture.
	levels map[string]int
}

// segment is literal text around captures; literals has one entry more than
// captures.
type segment struct {
	text               string
	literals, captures []string
}

// ParsePattern checks a spec.pathPattern: `@alias/`, then literal text and
// captures (Flux ArtifactGenerator, spec.pathPattern). A pattern that upstream
// takes and that matches no directory is an error, but for the slash at its end,
// which is dropped.
func ParsePattern(s krm.Str, rep *krm.Report) (Pattern, bool) {
	parts := aliasPath.FindStringSubmatch(s.Text)
	switch {
	case utf8.RuneCountInString(s.Text) > maxPattern:
		rep.Errorf("pattern-syntax", s.Pos, "", "the path pattern has more than %d characters", maxPattern)
		return Pattern{}, false
	case parts == nil:
		rep.Errorf("pattern-syntax", s.Pos, "write it as `@alias/tenants/{namespace}`",
			"the path pattern %q does not begin with `@`, a source alias and `/`", short(s.Text))
		return Pattern{}, false
	}
	if _, ok := krm.ParseTemplate(s, rep); !ok {
		return Pattern{}, false
	}
	p := Pattern{alias: parts[1], levels: map[string]int{}}
	c := patternCheck{s, len(parts[1]) + 2, rep, true}
	for text := range strings.SplitSeq(strings.TrimSuffix(parts[2], "/"), "/") {
		seg := parseSegment(text)
		c.segment(p, seg)
		for _, name := range seg.captures {
			p.captures = append(p.captures, name)
			p.levels[name] = len(p.segments)
		}
		p.segments = append(p.segments, seg)
		c.offset += len(text) + 1
	}
	return p, c.ok
}

// parseSegment splits a segment whose braces have been checked.
func parseSegment(text string) segment {
	seg := segment{text: text}
	for {
		literal, rest, found := strings.Cut(text, "{")
		seg.literals = append(seg.literals, literal)
		if !found {
			return seg
		}
		name, after, _ := strings.Cut(rest, "}")
		seg.captures = append(seg.captures, name)
		text = after
	}
}

// patternCheck reports what is wrong with the segment at an offset.
type patternCheck struct {
	text   krm.Str
	offset int
	rep    *krm.Report
	ok     bool
}

// errorf reports a mistake at a byte of the segment.
func (c *patternCheck) errorf(code string, at int, hint, format string, args ...any) {
	c.ok = false
	column := utf8.RuneCountInString(c.text.Text[:c.offset+at]) + 1
	c.rep.Errorf(code, c.text.Pos, hint, "%s at column %d of the value %q", fmt.Sprintf(format, args...), column, c.text.Text)
}

func (c *patternCheck) segment(p Pattern, seg segment) {
	switch seg.text {
	case "":
		c.errorf("pattern-never-matches", 0, c.emptyHint(), "empty path segment")
	case ".", "..":
		c.errorf("pattern-never-matches", 0, "a path starts at the root of the source", "path segment %q", seg.text)
	}
	if strings.ContainsAny(strings.Join(seg.literals, ""), "*?[") {
		c.rep.Warnf("pattern-glob", c.text.Pos, "path patterns have no globs: write `{name}` where any directory is meant",
			"the path segment %q matches only a directory of exactly that name", seg.text)
	}
	at := 0
	for i, name := range seg.captures {
		at += len(seg.literals[i])
		if _, before := p.levels[name]; before || slices.Contains(seg.captures[:i], name) {
			c.errorf("capture-duplicate", at, "give one of the two another name", "second capture `{%s}`", name)
		}
		// The name becomes the key of a label.
		if problem := keyName.problem(name); problem != "" {
			c.errorf("capture-name", at, "captures become labels: "+problem, "capture `{%s}` is no label key", name)
		}
		at += len(name) + len("{}")
	}
}

// emptyHint says what to do about the empty segment at the offset.
func (c *patternCheck) emptyHint() string {
	path := strings.IndexByte(c.text.Text, '/') + 1
	switch {
	case c.offset > path:
		return "write one slash between two directories"
	case c.offset == len(c.text.Text):
		return "write the path of the directories behind the alias, as in `@alias/tenants/{namespace}`"
	}
	return "begin the path behind the alias without a slash, as in `@alias/tenants/{namespace}`"
}

// Alias is the source alias.
func (p Pattern) Alias() string { return p.alias }

// Prefix is the literal directory before the first segment with a capture, ""
// when that is the first one.
func (p Pattern) Prefix() string {
	var literal []string
	for _, seg := range p.segments {
		if len(seg.captures) > 0 {
			break
		}
		literal = append(literal, seg.text)
	}
	return strings.Join(literal, "/")
}

// Captures are the capture names in order.
func (p Pattern) Captures() []string { return p.captures }

// cut returns the directory of a match up to the deepest segment that holds one
// of the captures; the whole of it when there are none.
func (p Pattern) cut(dir string, captures []string) string {
	deepest := -1
	for _, name := range captures {
		deepest = max(deepest, p.levels[name])
	}
	if deepest < 0 {
		return dir
	}
	segments := strings.Split(dir, "/")
	return strings.Join(segments[:min(deepest+1, len(segments))], "/")
}

// match returns the text of each capture. Every capture takes at least one
// character and, from left to right, as much as it can, as `(.+)` does in a
// regular expression. Going from the right, each literal is put as far right as
// the captures behind it allow: that is the same, and takes linear time.
func (s segment) match(name string) ([]string, bool) {
	last := len(s.captures)
	if last == 0 {
		return nil, name == s.text
	}
	if !strings.HasPrefix(name, s.literals[0]) || !strings.HasSuffix(name, s.literals[last]) {
		return nil, false
	}
	start, end := len(s.literals[0]), len(name)-len(s.literals[last])
	values := make([]string, last)
	for i := last - 1; i >= 0; i-- {
		from := start
		if i > 0 {
			from = cutBefore(name[:max(end, 0)], s.literals[i])
		}
		if from < start || from >= end {
			return nil, false
		}
		values[i] = name[from:end]
		end = from - len(s.literals[i])
	}
	return values, true
}

// cutBefore finds where a capture begins that ends with text and stands behind
// literal: -1 when there is no such place. The capture has one character at
// least.
func cutBefore(text, literal string) int {
	_, size := utf8.DecodeLastRuneInString(text)
	if size == 0 {
		return -1
	}
	if at := strings.LastIndex(text[:len(text)-size], literal); at >= 0 {
		return at + len(literal)
	}
	return -1
}
