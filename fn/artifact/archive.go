package artifact

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"strings"
	"sync"
)

// Modes of everything in an archive, so that a checkout's umask never shows.
const (
	modeDirectory  = 0o750
	modeFile       = 0o600
	modeExecutable = 0o700
)

// seal computes Digest and Size. Nothing but the archive as a stream is made for
// that.
func (a *Artifact) seal() {
	sum, size := sha256.New(), counter(0)
	_ = a.WriteArchive(io.MultiWriter(sum, &size)) // neither of them fails
	a.Digest = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	a.Size = int64(size)
}

// WriteArchive writes the artifact as a `.tar.gz`. The same files give the same
// bytes, whatever Go or zlib this runs with: the tar has the layout of Flux
// (source-watcher, storage), and the gzip around it is not compressed.
func (a *Artifact) WriteArchive(w io.Writer) error {
	block := blocks.Get().(*[blockHeader + maxStored]byte)
	defer blocks.Put(block)
	z := &storedGzip{w: w, block: block[:blockHeader]}
	err := a.writeTar(z)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("cannot write the archive of %s: %w", a.what, err)
	}
	return nil
}

// writeTar writes the root as `.`, then all directories and files in the order of
// a walk, without a leading `./` or a trailing slash. Owners are 0 and without
// names, times are the epoch.
func (a *Artifact) writeTar(w *storedGzip) error {
	if err := writeHeader(w, ".", staged{directory: true}); err != nil {
		return err
	}
	for path, f := range a.archived() {
		if err := writeEntry(w, path, f); err != nil {
			return err
		}
	}
	_, err := w.Write(zeros[:2*headerSize]) // the end of a tar
	return err
}

// archived iterates over what is not on the ignore list.
func (a *Artifact) archived() iter.Seq2[string, staged] {
	return func(yield func(string, staged) bool) {
		skip := ""
		for _, path := range a.paths {
			f := a.stage.files[path]
			switch {
			case skip != "" && strings.HasPrefix(path, skip+"/"):
			case ignored(path, f.directory):
				skip = path
			case !yield(path, f):
				return
			}
		}
	}
}

// isEmpty tells whether no file is left for the archive.
func (a *Artifact) isEmpty() bool {
	for _, f := range a.archived() {
		if !f.directory {
			return false
		}
	}
	return true
}

var zeros [2 * headerSize]byte

func writeEntry(w *storedGzip, path string, f staged) error {
	if err := writeHeader(w, path, f); err != nil {
		return err
	}
	if _, err := w.Write(f.data); err != nil {
		return err
	}
	_, err := w.Write(zeros[:-len(f.data)&(headerSize-1)])
	return err
}

// writeHeader writes what archive/tar writes, which is slow for what nearly every
// entry is: a short ASCII name.
func writeHeader(w *storedGzip, name string, f staged) error {
	if block, ok := shortHeader(name, f); ok {
		_, err := w.Write(block[:])
		return err
	}
	header := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: modeFile, Size: int64(len(f.data))}
	switch {
	case f.directory:
		header.Typeflag, header.Mode = tar.TypeDir, modeDirectory
	case f.executable:
		header.Mode = modeExecutable
	}
	var blocks bytes.Buffer
	if err := tar.NewWriter(&blocks).WriteHeader(header); err != nil {
		return err
	}
	_, err := w.Write(blocks.Bytes())
	return err
}

// ustar is a header in the POSIX ustar format with everything filled in but name,
// mode, size, type and checksum.
var ustar = func() (block [headerSize]byte) {
	copy(block[100:], "0000000\x000000000\x000000000\x0000000000000\x0000000000000\x00") // mode uid gid size mtime
	copy(block[257:], "ustar\x0000")
	copy(block[329:], "0000000\x000000000\x00") // device numbers
	return block
}()

func shortHeader(name string, f staged) (block [headerSize]byte, ok bool) {
	if len(name) > 100 || !isASCII(name) || int64(len(f.data)) >= 1<<33 {
		return block, false
	}
	block = ustar
	copy(block[:100], name)
	switch {
	case f.directory:
		copy(block[104:], "750")
		block[156] = tar.TypeDir
	case f.executable:
		copy(block[104:], "700")
		block[156] = tar.TypeReg
	default:
		copy(block[104:], "600")
		block[156] = tar.TypeReg
	}
	octal(block[124:135], len(f.data))
	sum := 8 * int(' ')
	for _, c := range block {
		sum += int(c)
	}
	octal(block[148:154], sum)
	block[155] = ' '
	return block, true
}

// octal fills field with the digits of n.
func octal(field []byte, n int) {
	for i := range field {
		field[len(field)-1-i] = '0' + byte(n>>(3*i)&7)
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] == 0 || text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// maxStored is the most that a stored block of DEFLATE holds (RFC 1951, 3.2.4).
const maxStored = 65535

// storedGzip writes a gzip member (RFC 1952) whose blocks are all stored: no
// name, no time, XFL 0, OS 255 (unknown). Every block is full but the last one,
// none is empty, and the last one has the final bit.
type storedGzip struct {
	w io.Writer
	// block has room for the five bytes in front of the data.
	block     []byte
	sum, size uint32
	started   bool
}

const blockHeader = 5

// blocks are used again: a fleet has thousands of small artifacts.
var blocks = sync.Pool{New: func() any { return new([blockHeader + maxStored]byte) }}

// Write buffers up to a block, and writes it once more data follows.
func (z *storedGzip) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		if len(z.block) == blockHeader+maxStored {
			if err := z.flush(0); err != nil {
				return written, err
			}
		}
		n := min(len(p), blockHeader+maxStored-len(z.block))
		z.block = append(z.block, p[:n]...)
		p = p[n:]
		written += n
	}
	return written, nil
}

// Close writes the last block and the trailer.
func (z *storedGzip) Close() error {
	if err := z.flush(1); err != nil {
		return err
	}
	trailer := binary.LittleEndian.AppendUint32(nil, z.sum)
	_, err := z.w.Write(binary.LittleEndian.AppendUint32(trailer, z.size))
	return err
}

// flush writes the block; final is 1 for the last one.
func (z *storedGzip) flush(final byte) error {
	if !z.started {
		z.started = true
		if _, err := z.w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}); err != nil {
			return err
		}
	}
	data := z.block[blockHeader:]
	z.sum = crc32.Update(z.sum, crc32.IEEETable, data)
	z.size += uint32(len(data))
	z.block[0] = final // the two bits above it are the type of the block: stored
	binary.LittleEndian.PutUint16(z.block[1:], uint16(len(data)))
	binary.LittleEndian.PutUint16(z.block[3:], ^uint16(len(data)))
	_, err := z.w.Write(z.block)
	z.block = z.block[:blockHeader]
	return err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
