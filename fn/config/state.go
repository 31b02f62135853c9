package config

import (
	"cmp"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// maxState bounds a file of spec.state, in bytes.
const maxState = 256 << 20

// readState gathers what is known of the cluster: the files of spec.state, and
// items that a server has given a UID. A tenant cannot have written any of them.
func (r *reader) readState(p *Plan) {
	exported := r.stateFiles()
	p.Live = map[*krm.Item]bool{}
	for _, item := range r.list.Items {
		if item.UID == "" || r.accepted[item] || p.TenantData(item) || !isWhole(item) {
			continue
		}
		if item.Path() != "" && r.lost || isAccumulated(item) {
			r.rep.Warnf("state-ignored", item.Pos(), "name its file in `spec.state`",
				"%s %s may be a tenant's file and is not read as state", item.Kind, nameOf(item.Identity()))
			continue
		}
		exported = append(exported, handoff.Live{Item: item, Pos: item.Pos()})
		if isConfiguration(item) {
			continue // which is for the cluster, with a UID or without
		}
		p.Live[item] = true
	}
	slices.SortStableFunc(exported, byPlace)
	p.State = handoff.NewState(exported, r.rep)
}

// stateFiles reads the files of spec.state. What cannot be read is an error: a
// namespace without its finalizer would be the applier's to delete.
func (r *reader) stateFiles() []handoff.Live {
	if len(r.state) == 0 {
		return nil
	}
	tree, err := source.Open(r.base.dir, ".")
	if err != nil {
		r.rep.Errorf("config-unreadable", r.state[0].Pos, source.Cure(err), "the base directory of `state` cannot be read: %s", reason(err, "."))
		return nil
	}
	defer tree.Close()
	files, links := r.matchFiles(tree, r.state)
	for _, link := range links {
		r.rep.Errorf("config-unreadable", link.Pos, "name the file itself", "%q cannot be read: it is a link, and links are never followed", link.Text)
	}
	var exported []handoff.Live
	for _, file := range files {
		if r.areas.coverFile(file.Text, r.base) {
			r.rep.Errorf("config-in-tenant-directory", file.Pos, "narrow the pattern, and keep what was exported outside of the tenants' directories",
				"%q lies in a tenant's directory and must not be read as state", shown(file.Text))
			continue
		}
		exported = append(exported, r.stateFile(tree, file)...)
	}
	return exported
}

func (r *reader) stateFile(tree *source.Tree, file krm.Str) []handoff.Live {
	content, err := tree.ReadFile(file.Text, maxState)
	if err != nil {
		r.rep.Errorf("config-unreadable", file.Pos, source.Cure(err), "%q cannot be read: %s", shown(file.Text), reason(err, file.Text))
		return nil
	}
	items, _ := krm.ReadObjects(tree.Place(file.Text), content.Data, r.rep)
	var exported []handoff.Live
	for i, item := range items {
		pos := krm.Pos{File: tree.Place(file.Text), Index: i, Object: item.Identity(), APIVersion: item.APIVersion}
		if !isWhole(item) {
			r.rep.Errorf("state-object", pos, "write what `kubectl get -o yaml` prints", "object %d of the file has no `apiVersion`, `kind` or `metadata.name`", i+1)
			continue
		}
		exported = append(exported, handoff.Live{Item: item, Pos: pos})
	}
	return exported
}

func isWhole(item *krm.Item) bool {
	return item.APIVersion != "" && item.Kind != "" && item.Name != ""
}

// configurationGroups are the API groups of what configures Flux, Sveltos and
// hosts.
var configurationGroups = []string{
	generatorGroup, sourceGroup, functionGroup,
	"fluxcd.controlplane.io", "config.projectsveltos.io", "lib.projectsveltos.io", "cluster.x-k8s.io", "kpt.dev",
}

// isConfiguration tells whether an item tells a controller in the cluster what to
// do. An artifact is what comes out of that.
func isConfiguration(item *krm.Item) bool {
	return slices.Contains(configurationGroups, krm.GroupOf(item.APIVersion)) && item.Kind != "ExternalArtifact"
}

// byPlace orders exported objects.
func byPlace(a, b handoff.Live) int {
	return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Index, b.Pos.Index), cmp.Compare(a.UID, b.UID))
}
