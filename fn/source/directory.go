package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens the directory dir, which may be a link: where a tree is, is the
// platform team's decision. place is what messages call it; "." leaves it out of
// them. The error says why dir is no directory that can be read.
func Open(dir, place string) (*Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, openError(place, err)
	}
	t, err := newTree(diskDirectory{root}, place)
	if err != nil {
		return nil, openError(place, err)
	}
	return t, nil
}

func openError(place string, err error) error {
	if inner, found := errors.AsType[*fs.PathError](err); found {
		err = inner.Err
	}
	return fmt.Errorf("cannot read the directory %q: %w", place, err)
}

// diskDirectory is a directory on disk. Every level of a tree has a root of its
// own, so that a file is one openat away and nothing above can be reached.
type diskDirectory struct{ root *os.Root }

// list takes the types from the listing itself; a file system that does not put
// them there costs one lstat for each entry.
func (d diskDirectory) list() ([]Entry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	listed, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(listed))
	for i, e := range listed {
		entries[i] = Entry{e.Name(), typeOf(e.Type())}
	}
	return entries, nil
}

func typeOf(mode fs.FileMode) EntryType {
	switch {
	case mode&fs.ModeSymlink != 0:
		return Link
	case mode.IsDir():
		return Directory
	case mode.IsRegular():
		return File
	}
	return Other
}

func (d diskDirectory) open(name string) (directory, error) {
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return diskDirectory{root}, nil
}

func (d diskDirectory) read(name string, limit int64) (Content, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return Content{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return Content{}, err
	case !info.Mode().IsRegular():
		return Content{}, ErrNotFile
	case info.Size() > limit:
		return Content{}, &TooLargeError{info.Size(), limit}
	}
	data, err := readAll(f, info.Size(), limit)
	return Content{Data: data, Executable: info.Mode().Perm()&0o111 != 0}, err
}

// readAll reads to the end, which need not be where size says: the file may grow
// meanwhile, but never beyond limit.
func readAll(r io.Reader, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, size+1)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case int64(len(data)) > limit:
			return nil, &TooLargeError{int64(len(data)), limit}
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func (d diskDirectory) close() { _ = d.root.Close() }
