// Package source is where files come from: a directory on disk for now. It is
// the only package that touches the disk, and every read of a tree is confined
// to that tree's root; links are reported, never followed.
package source

// EntryType says what a directory entry is.
type EntryType int

// The entry types. Other is a device, a socket, a pipe.
const (
	File EntryType = iota
	Directory
	Link
	Other
)

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
}
