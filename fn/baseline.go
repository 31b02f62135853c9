package fn

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// maxBaseline bounds a file of the previous output, in bytes.
const maxBaseline = 256 << 20

// history is what the previous output held: the items of a host that writes files,
// and what `deletion.baseline` names.
func (p *previous) history(plan *config.Plan, rep *krm.Report) history {
	var baseline []*krm.Item
	if plan.Deletion.Baseline.Text != "" {
		baseline = readBaseline(plan, rep)
	}
	return newHistory(p.made, baseline, plan.Deletion)
}

// refuseForeign reports a baseline that is somebody else's output: none of it was
// made by a generator of this run, and none of its namespaces is in the output.
func (p *previous) refuseForeign(h history, now fleet, plan *config.Plan, rep *krm.Report) {
	var owners []string
	for name, past := range h {
		if _, there := now[name]; there || p.owners[past.owner] {
			return
		}
		owners = append(owners, past.owner)
	}
	if len(owners) > 0 {
		slices.Sort(owners)
		rep.Errorf("baseline-foreign", plan.Deletion.Baseline.Pos, "name the previous output of this configuration; if all its generators and namespaces have other names now, make it an empty directory",
			"the previous output %q was made by %s, not by this configuration", plan.Deletion.Baseline.Text, abridged(slices.Compact(owners)))
	}
}

// refuseNewer reports what leaves and says more than this version understands:
// nobody here can tell what becomes of it.
func refuseNewer(gone []*past, rep *krm.Report) {
	for _, p := range gone {
		for _, key := range slices.Sorted(maps.Keys(p.item.Annotations)) {
			value := p.item.Annotations[key]
			unknown := strings.HasPrefix(key, krm.Prefix) && !krm.IsStamp(key) || key == krm.RetainedKey && value != untilApplied && value != forKubectl
			if unknown {
				rep.Errorf("baseline-newer", p.item.Pos().At("metadata.annotations").Key(key), "use the version that made it, or a newer one",
					"the previous output says something of namespace %q that this version does not know: `%s: %s`", p.name, krm.Short(key, 256), krm.Short(value, 256))
			}
		}
	}
}

// readBaseline reads the previous output from a file, or from the YAML and JSON
// files below a directory. What is missing is an error, and so are files without
// anything of ours, such as one that a shell has emptied before we could read it:
// both would look like a first run. An empty directory is one.
func readBaseline(plan *config.Plan, rep *krm.Report) []*krm.Item {
	baseline := plan.Deletion.Baseline
	const hint = "for a first run, make it an empty directory"
	tree, err := source.Open(plan.Base, ".")
	if err == nil {
		defer tree.Close()
	}
	var files, links []string
	if err == nil {
		files, links, err = baselineFiles(tree, path.Clean(baseline.Text))
	}
	if err != nil {
		rep.Errorf("baseline-unreadable", baseline.Pos, cmp.Or(source.Cure(err), hint),
			"the previous output %q cannot be read: %v", baseline.Text, err)
		return nil
	}
	for _, link := range links {
		rep.Errorf("baseline-unreadable", baseline.Pos, "name the file or the directory itself", "the previous output cannot be read: %q is a link, and links are never followed", tree.Place(link))
	}
	var made []*krm.Item
	for _, file := range files {
		if plan.TenantPath(file) || plan.TenantBase() && path.Clean(baseline.Text) == "." { // who writes the previous output can have anything emitted
			rep.Errorf("config-in-tenant-directory", baseline.Pos, "keep the previous output outside of the tenants' directories", "%q lies in a tenant's directory and must not be read as previous output", tree.Place(file))
			return nil
		}
		made = append(made, baselineFile(tree, file, baseline.Pos, rep)...)
	}
	if len(files) > 0 && len(made) == 0 {
		rep.Errorf("baseline-unreadable", baseline.Pos, hint, "the previous output %q holds nothing that was generated", baseline.Text)
	}
	return made
}

func baselineFiles(tree *source.Tree, at string) (files, links []string, err error) {
	kind, err := tree.Stat(at)
	switch {
	case at == ".":
		at = ""
	case err != nil:
		return nil, nil, err
	case kind == source.File:
		return []string{at}, nil, nil
	case kind != source.Directory:
		return nil, nil, &fs.PathError{Op: "read", Path: tree.Place(at), Err: errors.New("it is neither a file nor a directory")}
	}
	return tree.Glob(path.Join(source.EscapeGlob(at), "**/*.{yaml,yml,json}"))
}

// baselineFile are the objects of a file that carry our owner annotation.
func baselineFile(tree *source.Tree, file string, pos krm.Pos, rep *krm.Report) []*krm.Item {
	content, err := tree.ReadFile(file, maxBaseline)
	if err != nil {
		rep.Errorf("baseline-unreadable", pos, source.Cure(err), "the previous output cannot be read: %v", err)
		return nil
	}
	if path.Ext(file) != ".json" && len(content.Data) > 0 && !bytes.HasSuffix(content.Data, []byte("\n")) {
		rep.Errorf("baseline-unreadable", pos, "render it again from the revision that was applied last; who writes it must end it with a line break", "the previous output %q seems to be cut off: its last line does not end", tree.Place(file))
	}
	items, _ := krm.ReadObjects(tree.Place(file), content.Data, rep)
	return slices.DeleteFunc(items, func(item *krm.Item) bool { return item.Annotations[krm.OwnerKey] == "" })
}
