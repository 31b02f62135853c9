package source

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// ArchiveError is what is wrong with an archive: it is none, damaged, too large, or
// holds what no tree holds. Cure says what to do about it.
type ArchiveError struct{ what, cure string }

func (e *ArchiveError) Error() string { return e.what }

func archiveErrorf(cure, format string, args ...any) error {
	return &ArchiveError{fmt.Sprintf(format, args...), cure}
}

const (
	cureForm    = "make it with `git archive --format=tar.gz` or `tar -czf`"
	cureDamage  = "fetch it or make it again"
	cureContent = "make it again, of a directory: `tar -czf FILE -C DIRECTORY .`"
	cureSize    = "pack less, or unpack it and name the directory"
)

const (
	blockSize = 512
	// maxPath bounds the path of an entry: PATH_MAX of Linux.
	maxPath = 4095
	// shown is how much of a name messages show, in bytes.
	shown = 256
)

// ReadTarball reads a `.tar.gz` to its end and gives each entry to put, in order:
// the path is clean, not empty, and stays inside; links and special files come
// without content. All files together may have limit bytes, and the whole stream
// twice as many. An error of put ends it, every other one is an *ArchiveError or
// that of r.
//
// What put has got counts only if there is no error: the checksum comes last.
func ReadTarball(r io.Reader, limit int64, put func(path string, kind EntryType, content Content) error) error {
	buffered := bufio.NewReader(r)
	switch magic, err := buffered.Peek(2); {
	case len(magic) == 0 && errors.Is(err, io.EOF):
		return archiveErrorf(cureForm, "it is empty")
	case string(magic) != "\x1f\x8b" && (err == nil || errors.Is(err, io.EOF)):
		return archiveErrorf(cureForm, "it is not gzip")
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return damage(err)
	}
	t := tarball{stream: &boundedReader{r: unzipped, limit: 2 * limit}, left: limit, limit: limit}
	t.tar = tar.NewReader(t.stream)
	return t.read(put)
}

// tarball is a ReadTarball at work.
type tarball struct {
	stream *boundedReader
	tar    *tar.Reader
	// left is how many bytes of limit the files may still have.
	left, limit int64
	entries     int
}

func (t *tarball) read(put func(string, EntryType, Content) error) error {
	for {
		end := (t.stream.read + blockSize - 1) / blockSize * blockSize
		header, err := t.tar.Next()
		switch {
		case errors.Is(err, io.EOF):
			return t.finish(end)
		case errors.Is(err, tar.ErrHeader) && t.entries == 0:
			return archiveErrorf(cureForm, "what is inside of the gzip is no tar")
		case err != nil:
			return damage(err)
		case header.Typeflag == tar.TypeXGlobalHeader:
			continue // `git archive` writes the commit there
		}
		t.entries++
		if err := t.entry(header, put); err != nil {
			return err
		}
	}
}

// entry reads one entry to its end.
func (t *tarball) entry(header *tar.Header, put func(string, EntryType, Content) error) error {
	name, err := entryName(header.Name)
	if err != nil {
		return err
	}
	kind, known := entryType(header.Typeflag)
	switch {
	case !known:
		return archiveErrorf(cureContent, "the entry %q is of type %q: neither a file, a directory, a link nor a device", krm.Short(header.Name, shown), header.Typeflag)
	case name == "." && kind == Directory:
		return nil
	case name == ".":
		return archiveErrorf(cureContent, "the entry %q is no directory, although it is the root", krm.Short(header.Name, shown))
	case kind != File:
		return put(name, kind, Content{})
	}
	if t.left -= header.Size; t.left < 0 || header.Size < 0 {
		return archiveErrorf(cureSize, "its files have more than %d bytes", t.limit)
	}
	data := make([]byte, header.Size)
	if _, err := io.ReadFull(t.tar, data); err != nil {
		return damage(err)
	}
	if _, err := io.Copy(io.Discard, t.tar); err != nil {
		return damage(err) // a sparse file with more data than it has room for
	}
	return put(name, File, Content{Data: data, Executable: header.Mode&0o111 != 0})
}

// finish checks that the tar ends as one does, with a block of zeros where end is,
// and that nothing follows. The tree would otherwise be smaller than the one that
// was packed: by what a broken pipe lost, or by a second archive.
func (t *tarball) finish(end int64) error {
	if t.stream.read < end+blockSize || t.stream.zeroes < blockSize {
		return archiveErrorf(cureDamage, "it ends early")
	}
	rest := zeroesOnly{}
	if _, err := io.Copy(&rest, t.stream); err != nil {
		return damage(err)
	}
	switch {
	case rest.broken:
		return archiveErrorf(cureForm, "something follows the end of the tar")
	case t.entries == 0:
		return archiveErrorf(cureForm, "it holds nothing")
	}
	return nil
}

// zeroesOnly is a writer that notices what is not a zero.
type zeroesOnly struct{ broken bool }

func (z *zeroesOnly) Write(p []byte) (int, error) {
	for _, b := range p {
		z.broken = z.broken || b != 0
	}
	return len(p), nil
}

// damage says what is wrong with the gzip or the tar behind the first header.
func damage(err error) error {
	if _, ours := errors.AsType[*ArchiveError](err); ours {
		return err
	}
	if _, disk := errors.AsType[*fs.PathError](err); disk {
		return err
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return archiveErrorf(cureDamage, "it ends early")
	case errors.Is(err, gzip.ErrHeader):
		return archiveErrorf(cureDamage, "something that is not gzip follows it")
	case errors.Is(err, gzip.ErrChecksum):
		return archiveErrorf(cureDamage, "its checksum is wrong")
	}
	return archiveErrorf(cureDamage, "it is damaged: %v", err)
}

// entryName cleans a name: `./x` is fine, whatever could leave the root is not.
func entryName(name string) (string, error) {
	switch {
	case name == "", strings.HasPrefix(name, "/"):
		return "", archiveErrorf(cureContent, "the entry name %q is not a relative path", krm.Short(name, shown))
	case len(name) > maxPath:
		return "", archiveErrorf(cureContent, "an entry name has %d bytes, %d are allowed", len(name), maxPath)
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == ".." {
			return "", archiveErrorf(cureContent, "the entry name %q leads out of the archive", krm.Short(name, shown))
		}
	}
	return path.Clean(name), nil
}

// entryType knows the types of POSIX and of GNU that stand for something in a tree.
// A hard link is a link: what it points to may be anywhere.
func entryType(typeflag byte) (kind EntryType, known bool) {
	switch typeflag {
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
		return File, true
	case tar.TypeDir:
		return Directory, true
	case tar.TypeSymlink, tar.TypeLink:
		return Link, true
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return Other, true
	}
	return 0, false
}

// boundedReader fails, where io.LimitReader would end, after limit bytes.
type boundedReader struct {
	r           io.Reader
	read, limit int64
	// zeroes is how many of the last bytes are zero.
	zeroes int
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.read >= b.limit {
		return 0, archiveErrorf(cureSize, "it unpacks to more than %d bytes", b.limit)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.limit-b.read)])
	b.read += int64(n)
	last := len(bytes.TrimRight(p[:n], "\x00"))
	if last > 0 {
		b.zeroes = 0
	}
	b.zeroes += n - last
	return n, err
}
