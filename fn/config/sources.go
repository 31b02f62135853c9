package config

import (
	"maps"
	"path"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// directories are the entries of spec.sources, or what stands for them in the
// other kinds of functionConfig: one entry without an alias.
type directories []sourceEntry

// entry is the one for an alias.
func (ds directories) entry(alias string) (sourceEntry, bool) {
	for _, d := range ds {
		if d.Alias.Text == alias {
			return d, true
		}
	}
	if len(ds) == 1 && ds[0].Alias.Text == "" {
		return ds[0], true
	}
	return sourceEntry{}, false
}

// of is the directory of an alias; the base directory when nothing is said. The
// paths of items start there, too, as far as anybody says, and an archive counts as
// one of the base directory: nothing says of which it is.
func (ds directories) of(alias string) string {
	if d, found := ds.entry(alias); found && d.Directory.Text != "" {
		return path.Clean(d.Directory.Text)
	}
	return "."
}

// area is where a pattern looks for tenants. The directory that was packed into an
// archive may be anywhere.
func (ds directories) area(p tenant.Pattern, b base) area {
	a := b.newArea(ds.of(p.Alias()), p.Prefix())
	if entry, _ := ds.entry(p.Alias()); entry.Archive.Text != "" {
		a.disk = ""
	}
	return a
}

// readSources maps the aliases of all generators to trees, and with all also
// those that no generator names: a profile may.
func (r *reader) readSources(generators []*generator, all bool, own string) []Source {
	used := map[string]krm.Pos{}
	for _, g := range generators {
		for _, s := range g.Spec.Sources {
			if _, seen := used[s.Alias.Text]; !seen && s.Alias.Text != "" {
				used[s.Alias.Text] = s.Alias.Pos
			}
		}
	}
	for _, entry := range r.entries {
		if _, seen := used[entry.Alias.Text]; all && !seen && entry.Alias.Text != "" {
			used[entry.Alias.Text] = entry.Alias.Pos
		}
	}
	r.checkOneSource(generators)
	aliases := slices.Sorted(maps.Keys(used))
	r.checkEntries(aliases)
	var sources []Source
	for _, alias := range aliases {
		pos := used[alias]
		entry, found := r.entries.entry(alias)
		if found {
			pos = entry.where()
		}
		if r.isMapped(alias, aliases) {
			sources = append(sources, r.source(alias, entry, pos, own))
			continue
		}
		r.rep.Errorf("source-unmapped", pos, r.unmappedHint(alias), "nothing says where the files of source %q are", shown(alias))
	}
	return sources
}

// source is the tree that an entry of spec.sources stands for: that of the base
// directory when there is no entry.
func (r *reader) source(alias string, entry sourceEntry, pos krm.Pos, own string) Source {
	dir := r.entries.of(alias)
	s := Source{Alias: alias, Place: dir, Skip: r.base.skip(dir, own), Pos: pos}
	switch file := entry.Archive.Text; {
	case entry.Items != nil:
		s.Items = r.itemFiles()
	case file != "":
		s.Archive, s.Place = r.base.from(file), path.Clean(file)
	default:
		s.Directory = r.base.from(dir)
	}
	return s
}

// where is the field that says where the files are.
func (e sourceEntry) where() krm.Pos {
	switch {
	case e.Items != nil:
		return e.Items.Pos
	case e.Archive.Text != "":
		return e.Archive.Pos
	}
	return e.Directory.Pos
}

// checkOneSource warns when an alias stands for sources of two names: all of them
// are read from one directory.
func (r *reader) checkOneSource(generators []*generator) {
	type claim struct {
		by *generator
		sourceReference
	}
	first := map[string]claim{}
	for _, g := range generators {
		for _, s := range g.Spec.Sources {
			f, seen := first[s.Alias.Text]
			if !seen {
				first[s.Alias.Text] = claim{g, s}
				continue
			}
			if a, b := f.about(), s.about(); f.by != g && a != b {
				r.rep.Warnf("source-ambiguous", s.Alias.Pos, "use two aliases, each with its directory, if they are two trees",
					"source alias %q stands for %s here and for %s elsewhere, and both are read from one directory", shown(s.Alias.Text), b, a)
			}
		}
	}
}

func (s sourceReference) about() string {
	return shown(s.Kind.Text) + " " + shown(s.Name.Text)
}

// isMapped: one entry without an alias, or none, stands for the only alias.
func (r *reader) isMapped(alias string, aliases []string) bool {
	for _, entry := range r.entries {
		if entry.Alias.Text == alias {
			return true
		}
	}
	named := slices.ContainsFunc(r.entries, func(e sourceEntry) bool { return e.Alias.Text != "" })
	return len(aliases) == 1 && !named || slices.ContainsFunc(r.entries, sourceEntry.isMisnamed)
}

// isMisnamed tells whether the alias is no alias, which has been reported.
func (e sourceEntry) isMisnamed() bool {
	return e.Alias.Text != "" && syntaxOf[aliasName]().mistake(e.Alias.Text) != ""
}

func (r *reader) unmappedHint(alias string) string {
	var written []string
	for _, entry := range r.entries {
		written = append(written, entry.Alias.Text)
	}
	if hint := didYouMean(alias, written); hint != "" {
		return hint
	}
	return "with more than one alias, give each an entry with `alias` and `directory` in `spec.sources` of a ProvisionTenants"
}

// checkEntries checks spec.sources against itself and the aliases of the run.
func (r *reader) checkEntries(aliases []string) {
	seen := map[string]bool{}
	for _, entry := range r.entries {
		alias := krm.Str(entry.Alias)
		switch {
		case alias.Text == "" && len(r.entries) > 1:
			r.rep.Errorf("config-required", entry.Pos.At("alias"), "", "`alias` is required with more than one source")
		case seen[alias.Text]:
			r.rep.Errorf("config-duplicate", alias.Pos, "remove one of the two", "source alias %q is there twice", shown(alias.Text))
		case alias.Text != "" && !slices.Contains(aliases, alias.Text) && !entry.isMisnamed():
			r.rep.Warnf("source-unused", alias.Pos, didYouMean(alias.Text, aliases), "no generator has the source alias %q", shown(alias.Text))
		}
		seen[alias.Text] = true
	}
}
