package source

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Folder is a directory to write files to. Names are slash-separated; one that
// leaves the directory, through a link that is there, too, is an error.
type Folder struct {
	root *os.Root
}

// CreateFolder opens a directory, and makes it where it is missing. The directory
// itself may be a link.
func CreateFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot write to the directory %q: %w", dir, plain(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot write to the directory %q: %w", dir, plain(err))
	}
	return &Folder{root}, nil
}

// Close releases the directory.
func (f *Folder) Close() { _ = f.root.Close() }

// Holds tells whether a regular file of this size and digest, `sha256:<hex>`, is
// there. Its content counts, not what an earlier run believed to have written.
func (f *Folder) Holds(name, digest string, size int64) bool {
	info, err := f.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != size {
		return false
	}
	file, err := f.root.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return err == nil && "sha256:"+hex.EncodeToString(sum.Sum(nil)) == digest
}

// Write writes a file, and the directories it needs. The file appears whole or
// not at all: content goes to a file beside it, `.provision-tenants-*`, which
// takes the name at the end. A run that is killed leaves that file, and nobody
// reads it.
func (f *Folder) Write(name string, content func(io.Writer) error) error {
	err := f.root.MkdirAll(path.Dir(name), 0o755)
	if err == nil {
		err = f.replace(name, content)
	}
	if err != nil {
		return fmt.Errorf("cannot write %q in the directory %q: %w", name, f.root.Name(), plain(err))
	}
	return nil
}

func (f *Folder) replace(name string, content func(io.Writer) error) error {
	temporary := path.Join(path.Dir(name), ".provision-tenants-"+rand.Text())
	file, err := f.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = f.root.Remove(temporary) }() // gone already when all went well
	// The mode is not left to the umask: whoever serves the files must read them.
	if err := errors.Join(content(file), file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return f.root.Rename(temporary, name)
}

// plain is what went wrong without the names of temporary files and system calls.
func plain(err error) error {
	if inner, found := errors.AsType[*fs.PathError](err); found {
		return inner.Err
	}
	if inner, found := errors.AsType[*os.LinkError](err); found {
		return inner.Err
	}
	return err
}

// WriteFile writes dir/name as Folder.Write does.
func WriteFile(dir, name string, data []byte) error {
	folder, err := CreateFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Write(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReadFile reads a file that the caller of the program names.
func ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }
