package source

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Memory is a tree of the given files; a name with a trailing slash is a
// directory, and so is a name that others are below. A name that no Tree can have
// is left out.
func Memory(place string, files map[string]Content) *Tree {
	root := memoryDirectory{}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(files))) { // what is below a name comes first
		path, dir := strings.CutSuffix(name, "/")
		if slices.ContainsFunc(strings.Split(path, "/"), unreachable) {
			continue
		}
		kind := File
		if dir {
			kind = Directory
		}
		content := files[name]
		_, _ = root.put(path, memoryEntry{kind: kind, file: func(int64) (Content, error) { return content, nil }}) // fails for a file that is a directory already
	}
	t, _ := newTree(root, place) // listing memory does not fail
	return t
}

func unreachable(segment string) bool { return segment == "" || segment == "." || segment == ".." }

// memoryDirectory is a directory in memory, by name.
type memoryDirectory map[string]*memoryEntry

type memoryEntry struct {
	kind EntryType
	// file is that of a File, entries are those of a Directory.
	file    memoryFile
	entries memoryDirectory
}

// memoryFile makes the content of a file. More than limit bytes are an error
// elsewhere, so that it need not look.
type memoryFile func(limit int64) (Content, error)

// put adds an entry and the directories above it, which must not be something
// else. A directory that is there stays, anything else is replaced. made is the
// number of entries that were not there.
func (d memoryDirectory) put(path string, e memoryEntry) (made int, err error) {
	for at, name := range steps(path) {
		kind := Directory
		if at == path {
			kind = e.kind
		}
		there, found := d[name]
		switch {
		case !found:
			there = newMemoryEntry(kind)
			d[name] = there
			made++
		case (there.kind == Directory) != (kind == Directory):
			return made, fmt.Errorf("it holds %q as %s and as %s", krm.Short(at, shown), there.kind, kind)
		}
		if kind != Directory {
			there.kind, there.file = kind, e.file
		}
		d = there.entries
	}
	return made, nil
}

func newMemoryEntry(kind EntryType) *memoryEntry {
	e := &memoryEntry{kind: kind}
	if kind == Directory {
		e.entries = memoryDirectory{}
	}
	return e
}

func (d memoryDirectory) list() ([]Entry, error) {
	entries := make([]Entry, 0, len(d))
	for name, e := range d {
		entries = append(entries, Entry{name, e.kind})
	}
	return entries, nil
}

func (d memoryDirectory) open(name string) (directory, error) {
	if e, found := d[name]; found && e.kind == Directory {
		return e.entries, nil
	}
	return nil, fs.ErrNotExist
}

func (d memoryDirectory) read(name string, limit int64) (Content, error) {
	e, found := d[name]
	if !found || e.kind != File {
		return Content{}, fs.ErrNotExist
	}
	content, err := e.file(limit)
	switch {
	case err != nil:
		return Content{}, err
	case int64(len(content.Data)) > limit:
		return Content{}, &TooLargeError{int64(len(content.Data)), limit}
	}
	return content, nil
}

func (d memoryDirectory) close() {}
