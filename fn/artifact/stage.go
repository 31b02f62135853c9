package artifact

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// Limits on what one artifact may hold in memory, so that no tenant can exhaust
// it. Upstream has the last one only, and only for what it extracts.
const (
	// maxArtifact bounds the files of an artifact, each with its name and a tar
	// header.
	maxArtifact = 256 << 20
	// maxFile bounds one file.
	maxFile = 100 << 20
	// maxExtracted bounds the content of one tarball.
	maxExtracted = 100 << 20
	// maxName bounds the path of a file inside an artifact: PATH_MAX of Linux.
	maxName = 4095
)

const headerSize = 512

// stage is the tree that one artifact is built in. Nothing else can reach it, so
// neither the names of artifacts nor those of sources can make two builds meet.
// The root is "" and always there.
type stage struct {
	files map[string]staged
	// size counts towards maxArtifact.
	size int64
}

// staged is a file or a directory of a stage.
type staged struct {
	data                  []byte
	executable, directory bool
	origin                origin
}

// origin says where content was read, for messages.
type origin struct {
	tree *source.Tree
	path string
	// made is set for what was extracted from the file, merged from it and others,
	// or written anew by a host: the file's lines are not those of the content.
	made bool
}

// start is where the content begins; what is made has no lines.
func (o origin) start() krm.Pos {
	if o.made {
		return krm.Pos{File: o.place()}
	}
	return krm.Pos{File: o.place(), Line: 1}
}

func (o origin) place() string {
	if o.tree == nil {
		return ""
	}
	return o.tree.Place(o.path)
}

// conflictError is a file where a directory is needed, or the other way round.
type conflictError struct{ path, is string }

func (e *conflictError) Error() string {
	return fmt.Sprintf("%q is a %s already", shown(e.path), e.is)
}

// mkdir makes a directory and those above it.
func (s *stage) mkdir(path string, o origin) error {
	if path == "" {
		return nil
	}
	if f, found := s.files[path]; found {
		if f.directory {
			return nil
		}
		return &conflictError{path, "file"}
	}
	parent, _ := cutName(path)
	if err := s.mkdir(parent, o); err != nil {
		return err
	}
	s.files[path] = staged{directory: true, origin: o}
	s.size += int64(headerSize + len(path))
	return nil
}

// put writes a file, over a file that is there.
func (s *stage) put(path string, f staged) error {
	old, found := s.files[path]
	if found && old.directory {
		return &conflictError{path, "directory"}
	}
	if !found {
		parent, _ := cutName(path)
		if err := s.mkdir(parent, f.origin); err != nil {
			return err
		}
		s.size += int64(headerSize + len(path))
	}
	s.files[path] = f
	s.size += int64(len(f.data) - len(old.data))
	return nil
}

// read returns a file and where its content begins. The archive may leave it out.
func (s *stage) read(path string) ([]byte, krm.Pos, error) {
	f, found := s.files[path]
	switch {
	case !found:
		return nil, krm.Pos{}, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	case f.directory:
		return nil, krm.Pos{}, &fs.PathError{Op: "read", Path: path, Err: source.ErrNotFile}
	}
	return f.data, f.origin.start(), nil
}

// isDirectory tells whether path is a directory of the stage.
func (s *stage) isDirectory(path string) bool { return path == "" || s.files[path].directory }

// room is how many bytes more the artifact may have.
func (s *stage) room() int64 { return max(0, maxArtifact-s.size) }

// paths are all paths in the order of a walk: parents first, names in byte order
// within each directory.
func (s *stage) paths() []string {
	paths := make([]string, 0, len(s.files))
	for path := range s.files {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, source.ComparePaths)
	return paths
}

// cutName cuts a path before its last segment.
func cutName(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
