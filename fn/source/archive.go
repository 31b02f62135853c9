package source

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const (
	// maxArchive bounds what an archive may take in memory: as much as an artifact.
	maxArchive = 256 << 20
	// entryCost is about what an entry takes besides its path and its content.
	entryCost = 128
)

// OpenArchive reads a `.tar.gz` file into a tree: what unpacking it would give, but
// for the disk. Of two entries with one name the later one counts; links and
// special files are there as what they are. place is what messages call the file.
//
// All of it is in memory: nobody can read in the middle of a gzip stream, and most
// of a source is read. The error says why file is no archive that can be read.
func OpenArchive(file, place string) (*Tree, error) {
	root, held, err := readArchive(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the archive %q: %w", place, plain(err))
	}
	t, err := newTree(root, place)
	t.Held = held
	return t, err
}

// readArchive also tells how much memory the archive takes.
func readArchive(file string) (packedDirectory, int64, error) {
	// A pipe that nobody writes to would block Open.
	switch info, err := os.Stat(file); {
	case err != nil:
		return packedDirectory{}, 0, err
	case info.IsDir():
		return packedDirectory{}, 0, archiveErrorf("name it in `directory` instead of `archive`", "it is a directory")
	case !info.Mode().IsRegular():
		return packedDirectory{}, 0, archiveErrorf(cureForm, "it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return packedDirectory{}, 0, err
	}
	defer func() { _ = f.Close() }()
	var entries []packedEntry
	held := int64(0)
	err = ReadTarball(f, maxArchive, func(path string, kind EntryType, content Content) error {
		entries = append(entries, packedEntry{path, kind, content})
		if held += int64(entryCost + len(path) + len(content.Data)); held > maxArchive {
			return archiveErrorf(cureSize, "it takes more than %d bytes in memory", maxArchive)
		}
		return nil
	})
	if err != nil {
		return packedDirectory{}, 0, err
	}
	entries, err = settled(entries)
	return packedDirectory{entries: entries}, held, err
}

// packedEntry is an entry of an archive; its path has no slash at the end.
type packedEntry struct {
	path    string
	kind    EntryType
	content Content
}

// settled sorts entries and keeps the last one of each path. What unpacking could
// not do is an error: nothing can be below a file, or replace a directory.
func settled(entries []packedEntry) ([]packedEntry, error) {
	slices.SortStableFunc(entries, func(a, b packedEntry) int { return ComparePaths(a.path, b.path) })
	kept := entries[:0]
	for _, e := range entries {
		if len(kept) > 0 {
			last := &kept[len(kept)-1]
			same := last.path == e.path
			switch {
			case last.kind != Directory && isBelow(e.path, last.path):
				return nil, archiveErrorf(cureContent, "it holds %q as %s and as %s", krm.Short(last.path, shown), last.kind, Directory)
			case same && (last.kind == Directory) != (e.kind == Directory):
				return nil, archiveErrorf(cureContent, "it holds %q as %s and as %s", krm.Short(e.path, shown), last.kind, e.kind)
			case same:
				*last = e
				continue
			}
		}
		kept = append(kept, e)
	}
	clear(entries[len(kept):])
	return kept, nil
}

func isBelow(path, dir string) bool {
	return len(path) > len(dir) && path[len(dir)] == '/' && path[:len(dir)] == dir
}

// ComparePaths orders paths as a walk does that goes by names in byte order: `a`,
// `a/b`, `a.yaml`. A slash comes before every other byte.
func ComparePaths(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		switch {
		case a[i] == b[i]:
			continue
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		}
		return int(a[i]) - int(b[i])
	}
	return len(a) - len(b)
}

// packedDirectory is a directory of an archive. An archive need not name the
// directories that its files are in.
type packedDirectory struct {
	// entries are those below the directory, in the order of ComparePaths.
	entries []packedEntry
	// start is where their paths go on behind that of the directory.
	start int
}

// first is the first name in the directory, with how many entries are it or below
// it. There must be one.
func (d packedDirectory) first() (e Entry, n int) {
	path := d.entries[0].path
	name, _, below := strings.Cut(path[d.start:], "/")
	whole := path[:d.start+len(name)]
	n = sort.Search(len(d.entries), func(i int) bool {
		other := d.entries[i].path
		return other != whole && !isBelow(other, whole)
	})
	if below {
		return Entry{name, Directory}, n
	}
	return Entry{name, d.entries[0].kind}, n
}

// from is what remains from a name on.
func (d packedDirectory) from(name string) packedDirectory {
	i := sort.Search(len(d.entries), func(i int) bool { return ComparePaths(d.entries[i].path[d.start:], name) >= 0 })
	d.entries = d.entries[i:]
	return d
}

func (d packedDirectory) list() ([]Entry, error) {
	var entries []Entry
	for len(d.entries) > 0 {
		e, n := d.first()
		entries = append(entries, e)
		d.entries = d.entries[n:]
	}
	return entries, nil
}

func (d packedDirectory) open(name string) (directory, error) {
	d = d.from(name)
	if len(d.entries) == 0 {
		return nil, fs.ErrNotExist
	}
	e, n := d.first()
	if e.Name != name || e.Type != Directory {
		return nil, fs.ErrNotExist
	}
	d.entries = d.entries[:n]
	if d.entries[0].path[d.start:] == name {
		d.entries = d.entries[1:] // the directory itself
	}
	d.start += len(name) + len("/")
	return d, nil
}

func (d packedDirectory) read(name string, limit int64) (Content, error) {
	d = d.from(name)
	if len(d.entries) == 0 || d.entries[0].path[d.start:] != name {
		return Content{}, fs.ErrNotExist
	}
	content := d.entries[0].content
	if size := int64(len(content.Data)); size > limit {
		return Content{}, &TooLargeError{size, limit}
	}
	return content, nil
}

func (packedDirectory) close() {}
