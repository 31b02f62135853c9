package fn

import (
	"cmp"
	"errors"
	"io/fs"
	"path"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// maxBaseline bounds a file of the previous output, in bytes.
const maxBaseline = 256 << 20

// stamps is what the previous output held: the items of a host that writes files,
// and what `deletion.baseline` names. With neither there is no safeguard, and an
// info says so.
func (p *previous) stamps(plan *config.Plan, rep *krm.Report) []stamp {
	stamps := stampsIn(p.made)
	switch {
	case plan.Deletion.Baseline.Text != "":
		stamps = append(stamps, readBaseline(plan, rep)...)
	case len(stamps) == 0:
		rep.Infof("no-baseline", krm.Pos{}, "set "+plan.Deletion.Names.Baseline+" to the previous output, unless this is the first",
			"no deletion safeguard is active: without the previous output nobody sees what leaves it")
	}
	return stamps
}

// readBaseline reads the previous output from a file, or from the YAML and JSON
// files below a directory. What is missing is an error, and so are files without
// anything of ours, such as one that a shell has emptied before we could read it:
// both would look like a first run. An empty directory is one.
func readBaseline(plan *config.Plan, rep *krm.Report) []stamp {
	baseline := plan.Deletion.Baseline
	const hint = "for a first run, make it an empty directory"
	tree, err := source.Open(plan.Base, ".")
	if err == nil {
		defer tree.Close()
	}
	var files []string
	if err == nil {
		files, err = baselineFiles(tree, path.Clean(baseline.Text))
	}
	if err != nil {
		rep.Errorf("baseline-unreadable", baseline.Pos, cmp.Or(source.Cure(err), hint),
			"the previous output %q cannot be read: %v", baseline.Text, err)
		return nil
	}
	var stamps []stamp
	for _, file := range files {
		stamps = append(stamps, baselineStamps(tree, file, baseline.Pos, rep)...)
	}
	if len(files) > 0 && len(stamps) == 0 {
		rep.Errorf("baseline-unreadable", baseline.Pos, hint, "the previous output %q holds nothing that was generated", baseline.Text)
	}
	return stamps
}

func baselineFiles(tree *source.Tree, at string) ([]string, error) {
	kind, err := tree.Stat(at)
	switch {
	case at == ".":
		at = ""
	case err != nil:
		return nil, err
	case kind == source.File:
		return []string{at}, nil
	case kind != source.Directory:
		return nil, &fs.PathError{Op: "read", Path: tree.Place(at), Err: errors.New("it is neither a file nor a directory")}
	}
	files, _, err := tree.Glob(path.Join(source.EscapeGlob(at), "**/*.{yaml,yml,json}"))
	return files, err
}

func baselineStamps(tree *source.Tree, file string, pos krm.Pos, rep *krm.Report) []stamp {
	content, err := tree.ReadFile(file, maxBaseline)
	if err != nil {
		rep.Errorf("baseline-unreadable", pos, source.Cure(err), "the previous output cannot be read: %v", err)
		return nil
	}
	items, _ := krm.ReadObjects(tree.Place(file), content.Data, rep)
	return stampsIn(items)
}
