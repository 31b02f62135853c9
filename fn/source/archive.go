package source

import (
	"fmt"
	"os"
)

const (
	// maxArchive bounds what an archive may take in memory: as much as an artifact.
	maxArchive = 256 << 20
	// entryCost is about what an entry takes besides its name and its content.
	entryCost = 256
)

// OpenArchive reads a `.tar.gz` file into a tree: what unpacking it would give, but
// for the disk. Of two entries with one name the later one counts; links and
// special files are there as what they are. place is what messages call the file.
//
// All of it is in memory: nobody can read in the middle of a gzip stream, and most
// of a source is read. The error says why file is no archive that can be read.
func OpenArchive(file, place string) (*Tree, error) {
	root, err := readArchive(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the archive %q: %w", place, plain(err))
	}
	return newTree(root, place)
}

func readArchive(file string) (memoryDirectory, error) {
	// A pipe that nobody writes to would block Open.
	switch info, err := os.Stat(file); {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, archiveErrorf("name it in `directory` instead of `archive`", "it is a directory")
	case !info.Mode().IsRegular():
		return nil, archiveErrorf(cureForm, "it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	root, left := memoryDirectory{}, int64(maxArchive)
	err = ReadTarball(f, maxArchive, func(path string, kind EntryType, content Content) error {
		made, err := root.put(path, memoryEntry{kind: kind, file: func(int64) (Content, error) { return content, nil }})
		if err != nil {
			return archiveErrorf(cureContent, "%v", err)
		}
		if left -= int64(made*entryCost + len(path) + len(content.Data)); left < 0 {
			return archiveErrorf(cureSize, "it takes more than %d bytes in memory", maxArchive)
		}
		return nil
	})
	return root, err
}
