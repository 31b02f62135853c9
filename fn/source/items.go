package source

import (
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Items is a tree of files that a list holds, by path. A file is put together when
// it is read. None of them is executable, since a list does not say.
func Items(place string, files map[string]krm.File) *Tree {
	root := newMemoryDirectory()
	for path, file := range files {
		root.add(strings.Split(path, "/"), false, func(limit int64) (Content, error) {
			if least := file.Least(); least > limit {
				return Content{}, &TooLargeError{least, limit}
			}
			data, err := file.Read()
			return Content{Data: data, Rewritten: file.Rewritten()}, err
		})
	}
	t, _ := newTree(root, place) // listing memory does not fail
	return t
}
