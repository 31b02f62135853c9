package config

import (
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// area is where a generator looks for tenants: everything below the literal
// prefix of its path pattern is a tenant's.
type area struct {
	// disk is the directory as an absolute path, "" when it is not known or packed.
	disk string
	// full is as much of its path in a list as is known, and ahead how many of its
	// first segments a list has not when its root is the base directory, that of
	// the source, or between them.
	full  []string
	ahead int
	// local is the directory from the base directory.
	local string
	// whole is set when the prefix is empty: the whole source is a tenant's.
	whole bool
}

// newArea is the area below prefix in the source directory dir.
func (b base) newArea(dir, prefix string) area {
	a := area{local: path.Join(dir, prefix), whole: prefix == ""}
	if disk := path.Join(b.from(dir), prefix); path.IsAbs(disk) {
		a.disk = disk
	}
	a.full, a.ahead = b.readings(dir, prefix)
	return a
}

// readings say which paths the area may have in a list. A host that gives no
// package path does not say what paths are relative to.
func (b base) readings(dir, prefix string) (full []string, ahead int) {
	down := segmentsOf(dir)
	if path.IsAbs(dir) && path.IsAbs(b.dir) && within(path.Clean(dir), b.dir) {
		down = segmentsOf(relative(path.Clean(dir), b.dir))
	}
	outside := path.IsAbs(dir) && !within(path.Clean(dir), b.dir)
	for len(down) > 0 && down[0] == ".." {
		down, outside = down[1:], true
	}
	full = slices.Concat(down, segmentsOf(prefix))
	if outside { // The base directory may lie anywhere on the way to the area.
		return full, max(0, len(full)-1)
	}
	return full, len(down)
}

func segmentsOf(p string) []string {
	p = strings.Trim(path.Clean(p), "/")
	if p == "." || p == "" {
		return nil
	}
	return strings.Split(p, "/")
}

// covers tells whether an item's file lies in the area. Where nobody says what
// paths are relative to, the root of the list may lie above the base directory or
// on the way to the area: what may be a tenant's then counts as a tenant's.
func (a area) covers(item *krm.Item, b base) bool {
	if item == nil || item.Path() == "" {
		return false
	}
	// A backslash is part of a name on one system, and parts names on another.
	return a.coversPath(item, item.Path(), b) || a.coversPath(item, strings.ReplaceAll(item.Path(), `\`, "/"), b)
}

func (a area) coversPath(item *krm.Item, p string, b base) bool {
	pkg, known := b.packageOf(item)
	if known && a.disk != "" {
		return below(path.Join(pkg, rooted(p)), a.disk)
	}
	p = rooted(p)
	if known {
		p = path.Join(relative(pkg, b.dir), p)
	}
	return a.whole || a.beginsWith(p, len(a.full)-1) || strings.Contains("/"+p, "/"+strings.Join(a.full, "/")+"/")
}

// beginsWith tells whether a path begins with that of the area, or with what is
// left of it without up to skip of its first segments.
func (a area) beginsWith(p string, skip int) bool {
	for i := range skip + 1 {
		if strings.HasPrefix(p, strings.Join(a.full[i:], "/")+"/") {
			return true
		}
	}
	return false
}

// areas are those of several generators.
type areas []area

// covering are the areas that an item's file lies in.
func (as areas) covering(item *krm.Item, b base) areas {
	var found areas
	for _, a := range as {
		if a.covers(item, b) {
			found = append(found, a)
		}
	}
	return found
}

// cover tells whether an item's file lies in one of the areas.
func (as areas) cover(item *krm.Item, b base) bool { return len(as.covering(item, b)) > 0 }

// whole tells whether all of the areas are whole sources.
func (as areas) whole() bool {
	for _, a := range as {
		if !a.whole {
			return false
		}
	}
	return true
}

// parts are the areas that are part of a source.
func (as areas) parts() areas {
	return slices.DeleteFunc(slices.Clone(as), func(a area) bool { return a.whole })
}

// coverFile tells whether a file, from the base directory, lies in an area. Where
// the base directory itself is a tenant's, nothing else is left for the platform's
// files.
func (as areas) coverFile(file string, b base) bool {
	for _, a := range as {
		if !a.holds(b) && (below(file, a.local) || a.disk != "" && below(b.from(file), a.disk)) {
			return true
		}
	}
	return false
}

// holds tells whether the base directory lies in the area, a whole source.
func (a area) holds(b base) bool {
	local := path.Clean(a.local)
	return a.whole && (local == "." || local == ".." || strings.HasPrefix(local, "../") || path.IsAbs(local) && within(b.dir, local))
}
