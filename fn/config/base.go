package config

import (
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// base is the directory that relative paths start from.
type base struct {
	// dir is absolute or ".", the working directory.
	dir string
	// packaged is set under `kpt fn render`, which names the package of every
	// item. The paths of items are then exact; otherwise nobody says what they
	// are relative to.
	packaged bool
}

// findBase looks for the package path of `kpt fn render`: on the functionConfig,
// which is the platform team's, else on the items, where a tenant could have
// written it.
func findBase(list *krm.List) base {
	if list.Config != nil && path.IsAbs(list.Config.PackagePath()) {
		return base{path.Clean(list.Config.PackagePath()), true}
	}
	if root, ok := rootPackage(list.Items); ok {
		return base{root, true}
	}
	return base{".", false}
}

// rootPackage is the package that holds all others. It is believed when every
// item with a file names a package and the outermost one has its Kptfile here.
// kustomize knows no packages: on what it has gathered they are a tenant's word.
func rootPackage(items []*krm.Item) (string, bool) {
	items = slices.DeleteFunc(slices.Clone(items), func(item *krm.Item) bool { return item.Path() == "" || isAccumulated(item) })
	root, kptfile := "", ""
	for _, item := range items {
		pkg := path.Clean(item.PackagePath())
		switch {
		case !path.IsAbs(pkg):
			return "", false
		case root == "" || len(pkg) < len(root):
			root = pkg
		}
		if isKptfile(item) && item.Path() == "Kptfile" && (kptfile == "" || len(pkg) < len(kptfile)) {
			kptfile = pkg
		}
	}
	for _, item := range items {
		if !within(path.Clean(item.PackagePath()), root) {
			return "", false
		}
	}
	return root, root != "" && kptfile == root
}

func isKptfile(item *krm.Item) bool {
	return item.Kind == "Kptfile" && krm.GroupOf(item.APIVersion) == "kpt.dev"
}

// words say what the base directory is.
func (b base) words() string {
	if b.packaged {
		return "which is that of the package"
	}
	return "which is the working directory"
}

// disk is the absolute path of an item's file, where it is known.
func (b base) disk(item *krm.Item) (string, bool) {
	pkg, known := b.packageOf(item)
	if !known || item.Path() == "" {
		return "", false
	}
	return path.Join(pkg, rooted(item.Path())), true
}

// packageOf is the absolute path of an item's package, where it is known.
func (b base) packageOf(item *krm.Item) (string, bool) {
	pkg := path.Clean(item.PackagePath())
	return pkg, b.packaged && within(pkg, b.dir)
}

// listed is the path of an item's file below the root of the list.
func (b base) listed(item *krm.Item) string {
	if disk, known := b.disk(item); known {
		return relative(disk, b.dir)
	}
	return rooted(item.Path())
}

// rooted cleans a path as if the root of the list were the root of a disk: kpt
// writes `/a` and `x/../a` below its package too.
func rooted(p string) string { return strings.TrimPrefix(path.Clean("/"+p), "/") }

// within tells whether p is dir or below it; both are clean.
func within(p, dir string) bool { return p == dir || below(p, dir) }

// below tells whether p is below dir; everything is below "", "." and "/".
func below(p, dir string) bool {
	switch dir {
	case "", ".":
		return !path.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../")
	case "/":
		return path.IsAbs(p)
	}
	return strings.HasPrefix(p, dir+"/")
}

// relative is the path of p from dir, which p is within.
func relative(p, dir string) string {
	if p == dir {
		return ""
	}
	if dir == "" || dir == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
}

// from joins a path of the configuration with the base directory.
func (b base) from(dir string) string {
	if path.IsAbs(dir) {
		return path.Clean(dir)
	}
	return path.Join(b.dir, dir)
}

// skip is where generated files go, as a path of the tree in the source directory
// dir; "" when that is not known to be inside. own is the directory of the
// configuration in the list.
func (b base) skip(dir, own string) string {
	generated := path.Join(b.dir, own, generatedDirectory)
	if tree := b.from(dir); below(generated, tree) {
		return relative(generated, tree)
	}
	return ""
}

// generatedDirectory is the directory, beside the configuration, that is ours.
const generatedDirectory = "generated"
