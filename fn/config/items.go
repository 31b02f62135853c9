package config

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// A source can be the list itself: an item is the file at its path, and several
// items of one path are the documents of one file. What configures the run is no
// part of it, nor what a run made: reading that would change the next run.

// fileItem is an item that is a document of a file, or holds the file.
type fileItem struct {
	*krm.Item
	// held is the file in the item's data, nil when the item is a document.
	held *krm.File
}

// itemFiles are the files that the items of the list are, by path.
func (r *reader) itemFiles() map[string]krm.File {
	if r.tree != nil {
		return r.tree
	}
	items := map[string][]fileItem{}
	for _, item := range r.list.Items {
		if file, f, ok := r.fileItem(item); ok {
			items[file] = append(items[file], f)
		}
	}
	r.tree = map[string]krm.File{}
	for _, file := range slices.Sorted(maps.Keys(items)) {
		r.tree[file] = r.newFile(file, items)
	}
	return r.tree
}

// hasPaths tells whether any item has, by its host or by our annotation.
func (r *reader) hasPaths() bool {
	return slices.ContainsFunc(r.list.Items, func(item *krm.Item) bool {
		_, marked := item.Annotations[krm.FileKey]
		return marked || item.Path() != "" && !r.kustomize
	})
}

// fileItem tells which file an item belongs to, and whether it does to any.
func (r *reader) fileItem(item *krm.Item) (file string, f fileItem, ok bool) {
	marked, isMarked := item.Annotations[krm.FileKey]
	switch {
	case item.Path() != "":
		ok = !r.kustomize && !r.isOurs(item) && r.isInBase(item) && r.checkPaths(item)
		return r.base.listed(item), fileItem{Item: item}, ok
	case isMarked && r.checkMark(item, marked):
		held, err := item.HeldFile()
		if err == nil {
			return marked, fileItem{item, &held}, true
		}
		r.rep.Errorf("items-file", item.Pos(), "let a configMapGenerator make it, with one entry under `files` and `config.kubernetes.io/local-config: \"true\"` in the annotations of its options",
			"the object cannot be the file %q: %v", shown(marked), err)
	}
	return "", fileItem{}, false
}

// isOurs tells whether an item configures the run or was made by one. kpt writes
// into the Kptfile of the package what came of it.
func (r *reader) isOurs(item *krm.Item) bool {
	_, made := item.Annotations[krm.OwnerKey]
	return made || r.accepted[item] || r.base.listed(item) == "Kptfile"
}

// isInBase tells whether a file is below the root of the tree: the package of the
// configuration, where packages are known.
func (r *reader) isInBase(item *krm.Item) bool {
	_, inside := r.base.packageOf(item)
	return inside || !r.base.packaged || item.PackagePath() == ""
}

// checkPaths refuses what no host writes: a path that leads out of the list, and
// two different ones.
func (r *reader) checkPaths(item *krm.Item) bool {
	newer, older := item.Annotations[krm.InternalPathKey], item.Annotations[krm.PathKey]
	what := cmp.Or(pathMistake(newer), pathMistake(older))
	if what == "" && newer != "" && older != "" && path.Clean(newer) != path.Clean(older) {
		what = fmt.Sprintf("found %q and %q", shown(newer), shown(older))
	}
	if what != "" {
		r.rep.Errorf("items-path", item.Pos(), "leave the path to the host",
			"the path of %s must be one below the root of the list, %s", titleOf(item), what)
	}
	return what == ""
}

// checkMark checks a path that the platform team wrote: as no host cleans it, it
// must be clean. A backslash would make it the name of a file in the root, and the
// tenant would lack it.
func (r *reader) checkMark(item *krm.Item, marked string) bool {
	what := pathMistake(marked)
	if what == "" && (marked != path.Clean(marked) || marked == "." || strings.Contains(marked, `\`)) {
		what = fmt.Sprintf("found %q", shown(marked))
	}
	if what != "" {
		r.rep.Errorf("items-path", item.Pos().At("metadata.annotations").Key(krm.FileKey), "write it as in `tenants/acme/inputs.yaml`",
			"must be the path of a file below the root of the source, %s", what)
	}
	return what == ""
}

// maxPath is PATH_MAX of Linux, in bytes.
const maxPath = 4095

// pathMistake says what leads a path out of the list, "" when nothing does.
func pathMistake(p string) string {
	switch {
	case len(p) > maxPath:
		return fmt.Sprintf("it has %d bytes, %d are allowed", len(p), maxPath)
	case path.IsAbs(p):
		return fmt.Sprintf("%q is absolute", shown(p))
	case hasDots(p):
		return fmt.Sprintf("%q has a `..` segment", shown(p))
	}
	return ""
}

// newFile puts a file together, and reports what cannot be there together.
func (r *reader) newFile(file string, all map[string][]fileItem) krm.File {
	items := all[file]
	slices.SortFunc(items, inFile)
	for i, second := range items[1:] {
		switch first := items[i]; {
		case first.held != nil || second.held != nil:
			r.reportConflict(first, second, "are the file %q", file)
		case first.Index() == second.Index():
			r.reportConflict(first, second, "are document %d of the file %q", first.Index(), file)
		}
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if above := all[dir]; above != nil {
			r.reportConflict(above[0], items[0], "cannot be there, the file %q would be the directory of %q", dir, file)
		}
	}
	if items[0].held != nil {
		return *items[0].held
	}
	var documents []*krm.Item
	for _, item := range items {
		documents = append(documents, item.Item)
	}
	return krm.NewFile(file, documents)
}

// inFile orders the items of a file.
func inFile(a, b fileItem) int {
	return cmp.Or(cmp.Compare(a.Index(), b.Index()), a.Identity().Compare(b.Identity()), strings.Compare(a.APIVersion, b.APIVersion))
}

func (r *reader) reportConflict(first, second fileItem, format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = shown(text)
		}
	}
	r.rep.Errorf("items-conflict", second.Pos(), "give one of them another path or index, or remove it",
		"%s and %s both %s", titleOf(first.Item), titleOf(second.Item), fmt.Sprintf(format, args...))
}

// titleOf names an item, which need not be an object.
func titleOf(item *krm.Item) string {
	if item.Kind == "" && item.Name == "" {
		return "a plain map"
	}
	return shown(item.Identity().Title())
}
