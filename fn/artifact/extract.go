package artifact

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// maxUnpacked bounds the whole tar stream of a tarball: headers cost time, too.
const maxUnpacked = 2 * maxExtracted

// isTarball goes by the name, as upstream does.
func isTarball(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// extract unpacks a tarball into target.
func (c *copier) extract(tarball, target string) {
	content, ok := c.read(tarball)
	if !ok {
		return
	}
	err := untar(content.Data, func(name string, f staged) error {
		f.origin = origin{c.tree, tarball, true}
		return c.extractEntry(join(target, name), f)
	})
	if err != nil && !c.full {
		c.rep.Errorf("copy-extract", krm.Pos{File: c.tree.Place(tarball)}, "", "artifact %s: cannot extract the tarball: %v", c.what, err)
		c.ok = false
	}
}

var errFull = errors.New("the artifact is at its limit")

// extractEntry ends the extraction with an error when the artifact is full.
func (c *copier) extractEntry(target string, f staged) error {
	var err error
	if f.directory {
		err = c.stage.mkdir(target, f.origin)
	} else {
		err = c.stage.put(target, f)
	}
	if err == nil && c.stage.size > maxArtifact {
		c.overflow()
		err = errFull
	}
	return err
}

// untar gives the files and directories of a tarball to put, under names that
// are clean and relative. Anything else in the tarball is an error: a link could
// lead out of the artifact, or become an empty file.
func untar(tarball []byte, put func(name string, f staged) error) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return fmt.Errorf("it is not gzip: %w", err)
	}
	stream := &boundedReader{r: unzipped, left: maxUnpacked}
	archive := tar.NewReader(stream)
	room := int64(maxExtracted)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return drain(stream)
		}
		if err != nil {
			return err
		}
		if room -= header.Size; room < 0 || header.Size < 0 {
			return fmt.Errorf("it holds more than %d bytes", maxExtracted)
		}
		if err := untarEntry(header, archive, put); err != nil {
			return err
		}
	}
}

// drain reads what is behind the last entry, so that gzip checks its sum.
func drain(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

func untarEntry(header *tar.Header, content io.Reader, put func(string, staged) error) error {
	if header.Typeflag == tar.TypeXGlobalHeader {
		return nil // `git archive` writes the commit there
	}
	name, err := entryName(header.Name)
	switch {
	case err != nil:
		return err
	case header.Typeflag == tar.TypeDir && name == ".":
		return nil
	case header.Typeflag == tar.TypeDir:
		return put(name, staged{directory: true})
	case header.Typeflag != tar.TypeReg || name == ".":
		return fmt.Errorf("the entry %q is %s, only files and directories can be extracted", shown(header.Name), entryKind(header.Typeflag))
	}
	data := make([]byte, header.Size)
	if _, err := io.ReadFull(content, data); err != nil {
		return fmt.Errorf("the entry %q ends early: %w", shown(header.Name), err)
	}
	return put(name, staged{data: data, executable: header.Mode&0o111 != 0})
}

// entryName cleans a name: `./x` is fine, whatever could leave the artifact is
// not.
func entryName(name string) (string, error) {
	switch {
	case name == "", strings.HasPrefix(name, "/"), strings.Contains(name, `\`):
		return "", fmt.Errorf("the entry name %q is not a relative path", shown(name))
	case len(name) > maxName:
		return "", fmt.Errorf("an entry name has %d bytes, %d are allowed", len(name), maxName)
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == ".." {
			return "", fmt.Errorf("the entry name %q leads out of the artifact", shown(name))
		}
	}
	return path.Clean(name), nil
}

func entryKind(typeflag byte) string {
	switch typeflag {
	case tar.TypeLink:
		return "a hard link"
	case tar.TypeSymlink:
		return "a link"
	case tar.TypeReg:
		return "the root"
	}
	return fmt.Sprintf("of type %q", typeflag)
}

// boundedReader fails, where io.LimitReader would end, after left bytes.
type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it unpacks to more than %d bytes", maxUnpacked)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
