package source

import (
	"io/fs"
	"slices"
	"strings"
)

// Memory is a tree of the given files; a name with a trailing slash is a
// directory. A name that no Tree can have is left out.
func Memory(place string, files map[string]Content) *Tree {
	root := newMemoryDirectory()
	for path, content := range files {
		dir := strings.HasSuffix(path, "/")
		segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
		if slices.ContainsFunc(segments, unreachable) {
			continue
		}
		root.add(segments, dir, func(int64) (Content, error) { return content, nil })
	}
	t, _ := newTree(root, place) // listing memory does not fail
	return t
}

func unreachable(segment string) bool { return segment == "" || segment == "." || segment == ".." }

type memoryDirectory struct {
	dirs  map[string]*memoryDirectory
	files map[string]memoryFile
}

// memoryFile makes the content of a file. More than limit bytes are an error
// elsewhere, so that it need not look.
type memoryFile func(limit int64) (Content, error)

func newMemoryDirectory() *memoryDirectory {
	return &memoryDirectory{map[string]*memoryDirectory{}, map[string]memoryFile{}}
}

// add puts a file, or an empty directory, below d.
func (d *memoryDirectory) add(segments []string, dir bool, file memoryFile) {
	name := segments[0]
	if len(segments) == 1 && !dir {
		d.files[name] = file
		return
	}
	if d.dirs[name] == nil {
		d.dirs[name] = newMemoryDirectory()
	}
	if len(segments) > 1 {
		d.dirs[name].add(segments[1:], dir, file)
	}
}

// list gives a name that is a file and a directory as a directory.
func (d *memoryDirectory) list() ([]Entry, error) {
	var entries []Entry
	for name := range d.dirs {
		entries = append(entries, Entry{name, Directory})
	}
	for name := range d.files {
		if d.dirs[name] == nil {
			entries = append(entries, Entry{name, File})
		}
	}
	return entries, nil
}

func (d *memoryDirectory) open(name string) (directory, error) {
	if sub, found := d.dirs[name]; found {
		return sub, nil
	}
	return nil, fs.ErrNotExist
}

func (d *memoryDirectory) read(name string, limit int64) (Content, error) {
	file, found := d.files[name]
	if !found {
		return Content{}, fs.ErrNotExist
	}
	content, err := file(limit)
	switch {
	case err != nil:
		return Content{}, err
	case int64(len(content.Data)) > limit:
		return Content{}, &TooLargeError{int64(len(content.Data)), limit}
	}
	return content, nil
}

func (d *memoryDirectory) close() {}
