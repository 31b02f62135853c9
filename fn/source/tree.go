// Package source is where files come from: a directory on disk, an archive, a list,
// or memory. It is the only package that touches the disk, and every read of a tree
// is confined to that tree's root; links are reported, never followed.
package source

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// EntryType says what a directory entry is.
type EntryType int

// The entry types. Other is a device, a socket, a pipe: it is never opened.
const (
	File EntryType = iota
	Directory
	Link
	Other
)

func (t EntryType) String() string {
	return [...]string{File: "a file", Directory: "a directory", Link: "a link", Other: "a special file"}[t]
}

// Entry is one name in a directory.
type Entry struct {
	Name string
	Type EntryType
}

// Content is what a regular file holds.
type Content struct {
	Data []byte
	// Executable is set when any x bit is.
	Executable bool
	// Rewritten is set when a host has written the text anew.
	Rewritten bool
}

// Start is where the text begins in the file at a place. What was written anew has
// no lines: they are not those that the author sees.
func (c Content) Start(place string) krm.Pos {
	if c.Rewritten {
		return krm.Pos{File: place}
	}
	return krm.Pos{File: place, Line: 1}
}

// What a Tree says about a path besides fs.ErrNotExist and fs.ErrPermission. All
// errors of a Tree are *fs.PathError, and their Path is the Place of the entry
// that was in the way.
var (
	// ErrLink is the error for a link, and for every path through one.
	ErrLink = errors.New("it is a link, and links are never followed")
	// ErrNotFile is the error for reading a directory, a device or a pipe as a file.
	ErrNotFile = errors.New("it is not a regular file")
	// ErrNotDirectory is the error for listing a file.
	ErrNotDirectory = errors.New("it is not a directory")
	// ErrDepth is the error for a directory below more than 250 others.
	ErrDepth = errors.New("directories nest more than 250 deep")
)

// TooLargeError is the error for a file above the limit of its reader. The file
// was not read.
type TooLargeError struct {
	// Size and Limit are in bytes.
	Size, Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("it has %d bytes, %d are allowed", e.Size, e.Limit)
}

// Cure says what to do about an error of a Tree, or of what opens one; "" when the
// error says it all. A file that only its owner reads is the common one: kustomize
// and kpt run containers as nobody.
func Cure(err error) string {
	if broken, found := errors.AsType[*ArchiveError](err); found {
		return broken.cure
	}
	if errors.Is(err, fs.ErrPermission) {
		return "let everybody read it (chmod -R a+rX), a container reads it as the user nobody"
	}
	return ""
}

// maxDepth bounds the handles that a tree can hold open.
const maxDepth = 250

// Tree is a tree of files. Paths are slash-separated and relative to its root,
// which is "". A path with an empty, `.` or `..` segment does not exist, and
// neither does one below a file. Names are compared byte by byte with the
// listing of their directory, so that a file system that ignores case gives the
// same answers as one that does not.
//
// A Tree keeps open, and remembers the listings of, the directories on the way
// to the last path it was asked for. Depth first is therefore fast, and memory
// does not grow with the tree. It is not safe for concurrent use.
type Tree struct {
	// Held is how many bytes of memory the files take, 0 when they are on disk.
	Held int64

	place  string
	levels []level
	hidden []string
}

// level is one directory of the current chain.
type level struct {
	name    string
	dir     directory
	entries []Entry
}

// directory is what a kind of tree has to know how to do. Names are single
// segments that list has returned with the right type.
type directory interface {
	// list returns the entries in any order.
	list() ([]Entry, error)
	open(name string) (directory, error)
	read(name string, limit int64) (Content, error)
	close()
}

// newTree lists the root at once: a root that cannot be read is no tree.
func newTree(root directory, place string) (*Tree, error) {
	t := &Tree{place: place}
	return t, t.push("", "", root)
}

// Hide leaves a directory, and everything below it, out of the tree: what a run
// writes must never be what the next run reads.
//
// "" hides nothing.
func (t *Tree) Hide(dir string) {
	if dir == "" {
		return
	}
	t.hidden = append(t.hidden, dir)
	t.leave(1)
	if len(t.levels) > 0 {
		t.levels[0].entries = t.visible("", slices.Clone(t.levels[0].entries))
	}
}

// visible drops the hidden directories from the listing of dir.
func (t *Tree) visible(dir string, entries []Entry) []Entry {
	for _, hidden := range t.hidden {
		if parent, name := split(hidden); parent == dir {
			entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Name == name })
		}
	}
	return entries
}

// Place is what messages call a path of the tree: one line of text, whatever
// bytes the name holds.
func (t *Tree) Place(path string) string {
	switch {
	case path == "":
		return t.place
	case t.place != ".":
		path = strings.TrimSuffix(t.place, "/") + "/" + path
	}
	if !printable(path) {
		quoted := strconv.Quote(path)
		return quoted[1 : len(quoted)-1]
	}
	return path
}

// printable tells whether a terminal shows text as it is.
func printable(text string) bool {
	for _, r := range text {
		if r == '\uFFFD' || r != ' ' && !strconv.IsGraphic(r) {
			return false
		}
	}
	return true
}

// ReadDir lists a directory, sorted by name in byte order. The result belongs to
// the tree.
func (t *Tree) ReadDir(dir string) ([]Entry, error) {
	l, err := t.enter(dir)
	if err != nil {
		return nil, err
	}
	return l.entries, nil
}

// Stat tells what is at a path; a link in the middle of it is an error.
func (t *Tree) Stat(path string) (EntryType, error) {
	if path == "" {
		return Directory, nil
	}
	_, kind, err := t.find(path)
	return kind, err
}

// ReadFile reads a regular file of at most limit bytes.
func (t *Tree) ReadFile(path string, limit int64) (Content, error) {
	l, kind, err := t.find(path)
	switch {
	case err != nil:
		return Content{}, err
	case kind == Link:
		return Content{}, t.fault("read", path, ErrLink)
	case kind != File:
		return Content{}, t.fault("read", path, ErrNotFile)
	}
	_, name := split(path)
	content, err := l.dir.read(name, limit)
	if err != nil {
		return Content{}, t.fault("read", path, err)
	}
	return content, nil
}

// Close releases the tree.
func (t *Tree) Close() { t.leave(0) }

// find enters the directory of a path and looks the last name up.
func (t *Tree) find(path string) (*level, EntryType, error) {
	parent, name := split(path)
	l, err := t.enter(parent)
	switch {
	case errors.Is(err, ErrNotDirectory), strings.HasPrefix(path, "/"):
		return nil, 0, t.fault("stat", path, fs.ErrNotExist)
	case err != nil:
		return nil, 0, err
	}
	i, found := l.lookup(name)
	if !found {
		return nil, 0, t.fault("stat", path, fs.ErrNotExist)
	}
	return l, l.entries[i].Type, nil
}

// enter makes dir the end of the chain, or a part of it, and returns its level.
func (t *Tree) enter(dir string) (*level, error) {
	if len(t.levels) == 0 {
		return nil, t.fault("open", dir, fs.ErrClosed)
	}
	depth := 0
	for path, name := range steps(dir) {
		depth++
		if depth < len(t.levels) && t.levels[depth].name == name {
			continue
		}
		t.leave(depth)
		if err := t.descend(path, name); err != nil {
			return nil, t.inTheMiddle(err, path, dir)
		}
	}
	return &t.levels[depth], nil
}

// steps yields the directories on the way to dir, dir included, and their names.
func steps(dir string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for start := 0; dir != ""; {
			end := strings.IndexByte(dir[start:], '/')
			if end < 0 {
				yield(dir, dir[start:])
				return
			}
			if !yield(dir[:start+end], dir[start:start+end]) {
				return
			}
			start += end + 1
		}
	}
}

// inTheMiddle turns the error for a path that goes on below a file: there is
// nothing there.
func (t *Tree) inTheMiddle(err error, at, dir string) error {
	if at != dir && errors.Is(err, ErrNotDirectory) {
		return t.fault("open", dir, fs.ErrNotExist)
	}
	return err
}

// descend opens the directory name, whose path is dir, below the end of the
// chain.
func (t *Tree) descend(dir, name string) error {
	last := &t.levels[len(t.levels)-1]
	i, found := last.lookup(name)
	switch {
	case !found:
		return t.fault("open", dir, fs.ErrNotExist)
	case last.entries[i].Type == Link:
		return t.fault("open", dir, ErrLink)
	case last.entries[i].Type != Directory:
		return t.fault("open", dir, ErrNotDirectory)
	case len(t.levels) > maxDepth:
		return t.fault("open", dir, ErrDepth)
	}
	opened, err := last.dir.open(name)
	if err != nil {
		return t.fault("open", dir, err)
	}
	// The name is cloned: it must not keep a caller's long path alive.
	return t.push(dir, strings.Clone(name), opened)
}

func (t *Tree) push(path, name string, dir directory) error {
	entries, err := dir.list()
	if err != nil {
		dir.close()
		return t.fault("list", path, err)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	t.levels = append(t.levels, level{name, dir, t.visible(path, entries)})
	return nil
}

// leave closes the levels from depth on.
func (t *Tree) leave(depth int) {
	for i := depth; i < len(t.levels); i++ {
		t.levels[i].dir.close()
		t.levels[i] = level{}
	}
	t.levels = t.levels[:min(depth, len(t.levels))]
}

func (l *level) lookup(name string) (int, bool) {
	return slices.BinarySearchFunc(l.entries, name, func(e Entry, name string) int {
		return strings.Compare(e.Name, name)
	})
}

// fault names the place of an error, which the operating system does not know.
func (t *Tree) fault(op, path string, err error) error {
	if inner, found := errors.AsType[*fs.PathError](err); found {
		err = inner.Err
	}
	return &fs.PathError{Op: op, Path: t.Place(path), Err: err}
}

// split cuts a path before its last segment.
func split(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}
