package source

import (
	"maps"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Items is a tree of files that a list holds, by path. A file is put together when
// it is read. None of them is executable, since a list does not say.
func Items(place string, files map[string]krm.File) *Tree {
	root := memoryDirectory{}
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(files))) { // what is below a name comes first
		file := files[path]
		_, _ = root.put(path, memoryEntry{kind: File, file: func(limit int64) (Content, error) {
			if least := file.Least(); least > limit {
				return Content{}, &TooLargeError{least, limit}
			}
			data, err := file.Read()
			return Content{Data: data, Rewritten: file.Rewritten()}, err
		}}) // fails for a file that is a directory already, which has been reported
	}
	t, _ := newTree(root, place) // listing memory does not fail
	return t
}
