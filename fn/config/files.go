package config

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// maxFile bounds a file of spec.configs.
const maxFile = 1 << 20

// configFiles reads the files of spec.configs, which are below the base
// directory.
func (r *reader) configFiles() []document {
	if len(r.configs) == 0 {
		return nil
	}
	tree, err := source.Open(r.base.dir, ".")
	if err != nil {
		r.rep.Errorf("config-unreadable", r.configs[0].Pos, source.Cure(err), "the base directory of `configs` cannot be read: %s", reason(err, "."))
		return nil
	}
	defer tree.Close()
	var docs []document
	var links []krm.Str
	r.files, links = r.matchFiles(tree, r.configs)
	for _, link := range links {
		r.rep.Warnf("config-link", link.Pos, "name the file itself", "%q is a link and is not read", link.Text)
	}
	for _, file := range r.files {
		docs = append(docs, r.readFile(tree, file)...)
	}
	return docs
}

// matchFiles are the files that patterns match, each once, sorted, and the links.
// Each stands where its pattern does.
func (r *reader) matchFiles(tree *source.Tree, patterns []filePattern) (all, links []krm.Str) {
	for _, pattern := range patterns {
		if pattern.Text == "" || !confined(krm.Str(pattern), r.rep) {
			continue
		}
		files, linked, err := tree.Glob(pattern.Text)
		switch {
		case err != nil:
			r.rep.Errorf("config-unreadable", pattern.Pos, source.Cure(err), "%q cannot be read: %s", shown(pattern.Text), reason(err, pattern.Text))
		case len(files) == 0:
			r.rep.Errorf("config-not-found", pattern.Pos, "paths start from the base directory, "+r.base.words(),
				"no file matches %q", shown(pattern.Text))
		}
		for _, link := range linked {
			links = append(links, krm.Str{Text: link, Pos: pattern.Pos})
		}
		for _, file := range files {
			all = append(all, krm.Str{Text: file, Pos: pattern.Pos})
		}
	}
	slices.SortStableFunc(all, func(a, b krm.Str) int { return strings.Compare(a.Text, b.Text) })
	return slices.CompactFunc(all, func(a, b krm.Str) bool { return a.Text == b.Text }), links
}

func (r *reader) readFile(tree *source.Tree, file krm.Str) []document {
	content, err := tree.ReadFile(file.Text, maxFile)
	if err != nil {
		r.rep.Errorf("config-unreadable", file.Pos, source.Cure(err), "%q cannot be read: %s", shown(file.Text), reason(err, file.Text))
		return nil
	}
	nodes, _ := krm.ParseFiles(tree.Place(file.Text), content.Data, r.rep)
	var docs []document
	for _, node := range nodes {
		if d, ok := r.fileDocument(node, file.Text); ok {
			docs = append(docs, d)
		}
	}
	return docs
}

// reason says why a file or directory cannot be read, and names what was in the
// way only where that is something else.
func reason(err error, file string) string {
	if at, found := errors.AsType[*fs.PathError](err); found {
		if at.Path != file {
			return fmt.Sprintf("%q: %v", shown(at.Path), at.Err)
		}
		return at.Err.Error()
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// fileDocument keeps what configures a run. A wildcard may match the
// functionConfig itself; anything else has no business in `configs`.
func (r *reader) fileDocument(node *krm.Node, file string) (document, bool) {
	if node.Kind != krm.MapNode {
		r.rep.Errorf("config-type", node.Pos, "", "must be a map, found %s", describe(node))
		return document{}, false
	}
	id := nodeIdentity(node)
	node.In(id, textOf(node.Get("apiVersion")))
	switch {
	case id.Kind == generatorKind && id.Group == generatorGroup:
		return document{id: id, node: node, file: file}, true
	case id.Group == sourceGroup && isSourceKind(id.Kind):
		r.sources = append(r.sources, node)
	case r.list.Config != nil && id.Kind == r.list.Config.Kind && id.Name == r.list.Config.Name:
	default:
		kinds := append([]string{generatorKind}, sourceKinds()...)
		r.rep.Errorf("config-kind", node.Pos.At("kind"), didYouMean(id.Kind, kinds),
			"a file of `configs` must hold one of %s, found kind %q", listOf(kinds), shown(id.Kind))
	}
	return document{}, false
}

// refuseConfigsInArea: who can write a configuration decides about everybody, and
// one wide pattern would hand that to every tenant.
func (r *reader) refuseConfigsInArea(area areas) {
	for _, file := range r.files {
		if area.coverFile(file.Text, r.base) {
			r.rep.Errorf("config-in-tenant-directory", file.Pos, "narrow the pattern, and keep configuration outside of the tenants' directories",
				"%q lies in a tenant's directory and must not be read as configuration", shown(file.Text))
		}
	}
}
