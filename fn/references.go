package fn

import (
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// input is what profiles refer to.
func (d *deployment) input(trees trees) profile.Input {
	return profile.Input{
		Find: d.plan.Find, IsTenants: d.plan.IsTenants, Definitions: d.plan.Definitions(),
		Files: func(ref krm.Identity, path krm.Str) ([]profile.File, bool) {
			alias, known := d.plan.SourceAlias(ref.Kind, ref.Namespace, ref.Name)
			if !known || trees[alias] == nil {
				return nil, false
			}
			return d.files(trees[alias], alias, path), true
		},
	}
}

// maxManifest bounds a file with manifests, in bytes.
const maxManifest = 1 << 20

// files reads all files below a path of a source. Tenants must not write what a
// profile deploys: one wide path would hand the cluster to every tenant.
func (d *deployment) files(tree *source.Tree, alias string, path krm.Str) []profile.File {
	dir := strings.Trim(strings.TrimPrefix(path.Text, "./"), "/")
	pattern := "**"
	if dir != "" && dir != "." {
		pattern = source.EscapeGlob(dir) + "/**"
	}
	names, links, err := tree.Glob(pattern)
	switch {
	case err != nil:
		d.rep.Errorf("reference-unreadable", path.Pos, source.Cure(err), "the files of source %q cannot be read: %v", alias, err)
	case len(names) == 0:
		d.rep.Errorf("reference-unreadable", path.Pos, "a path starts from the root of the source", "there are no files below %q in source %q", path.Text, alias)
	}
	for _, link := range links {
		d.rep.Warnf("link-skipped", path.Pos, "", "%q is a link, which is never followed", link)
	}
	var files []profile.File
	for _, name := range names {
		if d.plan.TenantFile(alias, name) {
			d.rep.Errorf("config-in-tenant-directory", path.Pos, "narrow the path, and keep what profiles deploy outside of the tenants' directories",
				"%q lies in a tenant's directory, and a profile must not deploy it", name)
			break
		}
		content, err := tree.ReadFile(name, maxManifest)
		if err != nil {
			d.rep.Errorf("reference-unreadable", path.Pos, source.Cure(err), "%q cannot be read: %v", name, err)
			continue
		}
		files = append(files, profile.File{Path: name, Text: string(content.Data)})
	}
	return files
}
