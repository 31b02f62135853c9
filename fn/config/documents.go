package config

import (
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// documents gathers the generators of a run, each identity once, sorted by it.
func (r *reader) documents() []document {
	r.own = slices.Concat(r.roots, r.configFiles())
	r.findEcho()
	r.kustomize = r.isFromKustomize()
	r.lost = r.isLost(r.areasOf(r.own))
	r.readResources()
	roots := slices.Concat(r.own, r.itemsWithoutFile())
	area := r.areasOf(roots)
	r.refuseConfigsInArea(area)
	r.acceptCopies(area)
	candidates := r.candidates(roots, area)
	if r.lost {
		ignoreAll(candidates, roots, area, r.base, r.rep)
		candidates = nil
	}
	docs := r.unique(slices.Concat(roots, judge(candidates, area, r.base, r.rep)))
	r.areas = r.areasOf(docs)
	return docs
}

// areasOf is where generators look for tenants.
func (r *reader) areasOf(docs []document) areas {
	var all areas
	for _, d := range docs {
		all = append(all, areasOf(d.node, r.directoriesFor(d), r.base)...)
	}
	return all
}

// directoriesFor are the directories that count for a generator: without a
// functionConfig it may bring its own.
func (r *reader) directoriesFor(d document) directories {
	own := d.node.Get("metadata").Get("annotations").Get(krm.Prefix + "directory")
	if own == nil || own.Kind != krm.StringNode || own.Text == "" {
		return r.entries
	}
	if r.list.Config == nil || d.item == r.list.Config {
		return directories{{Directory: directory(own.Str())}}
	}
	return r.entries
}

// findEcho finds kustomize's copy of the functionConfig: the same object, and no
// file.
func (r *reader) findEcho() {
	for _, item := range r.list.Items {
		if r.isNamesake(item) && item.Path() == "" && r.echo == nil && r.sameAsConfig(item) {
			r.echo = item
			r.accepted[item] = true
		}
	}
}

// isNamesake tells whether an item has the identity of the functionConfig.
func (r *reader) isNamesake(item *krm.Item) bool {
	return r.config != nil && identityOf(item) == identityOf(r.list.Config)
}

func (r *reader) sameAsConfig(item *krm.Item) bool {
	node, ok := item.Node(&krm.Report{})
	return ok && document{node: r.config}.same(document{node: node})
}

// acceptCopies finds the file of a functionConfig that is no generator among the
// items. A file of that identity and other content must not exist, unless it is
// a tenant's.
func (r *reader) acceptCopies(area areas) {
	for _, item := range r.list.Items {
		if !r.isNamesake(item) || isGenerator(item) || item == r.echo {
			continue
		}
		ownFile := item.Path() != "" && r.isFileOf(item, document{item: r.list.Config})
		free := r.isFree(item, area)
		switch same := r.sameAsConfig(item); {
		case same && (free || ownFile):
			r.accepted[item] = true
		case !same && free && item.Kind == functionKind && !isAccumulated(item):
			r.rep.Errorf("config-conflict", item.Pos(), "remove one of the two",
				"%s %s is there twice with different contents, first as the functionConfig", item.Kind, nameOf(item.Identity()))
		}
	}
}

// isFree tells whether no tenant can have written an item's file.
func (r *reader) isFree(item *krm.Item, area areas) bool {
	return (!r.lost || item.Path() == "") && !area.cover(item, r.base)
}

// itemsWithoutFile are generators that the caller handed over as objects, not as
// files.
func (r *reader) itemsWithoutFile() []document {
	var docs []document
	for _, item := range r.list.Items {
		if !isGenerator(item) || item.Path() != "" || item == r.echo || r.isResource(item) {
			continue
		}
		if node, ok := item.Node(r.rep); ok {
			docs = append(docs, document{id: identityOf(item), node: node, item: item})
			r.accepted[item] = true
		}
	}
	return docs
}

// candidates are the generators with files, without the copies of roots that
// kpt puts among the items. In a tenant's directory an item is such a copy only
// where the root says so. What is wrong with them is not reported yet: a
// tenant's file must not stop the run.
func (r *reader) candidates(roots []document, area areas) []*candidate {
	var found []*candidate
	for _, item := range r.list.Items {
		if !isGenerator(item) || item.Path() == "" || r.isResource(item) {
			continue
		}
		d := document{id: identityOf(item), item: item, unread: true}
		var ok bool
		if d.node, ok = item.Node(&krm.Report{}); !ok {
			d.node = krm.NewMap(nil)
		}
		if root, found := rootLike(d, roots); found {
			if r.isFree(item, area) || r.isFileOf(item, root) {
				r.accepted[item] = true
				continue
			}
			if area.covering(item, r.base).whole() && !r.lost {
				continue // Most likely the root's own file, but nobody can tell.
			}
		}
		found = append(found, &candidate{document: d, areas: areasOf(d.node, r.directoriesFor(d), r.base)})
	}
	return found
}

// rootLike is the root that a document says the same as.
func rootLike(d document, roots []document) (document, bool) {
	i := slices.IndexFunc(roots, func(root document) bool { return root.id == d.id && root.same(d) })
	if i < 0 {
		return document{}, false
	}
	return roots[i], true
}

func (r *reader) isFileOf(item *krm.Item, root document) bool {
	if root.item != nil && root.item.Path() != "" {
		return r.base.listed(item) == r.base.listed(root.item)
	}
	return root.file != "" && r.base.listed(item) == root.file
}

// unique keeps one document for each identity; two that differ are an error.
func (r *reader) unique(docs []document) []document {
	slices.SortStableFunc(docs, byIdentity)
	var kept []document
	for _, d := range docs {
		if d.item != nil && d.item != r.list.Config {
			r.accepted[d.item] = true
		}
		if len(kept) == 0 || kept[len(kept)-1].id != d.id {
			kept = append(kept, d)
			continue
		}
		if first := kept[len(kept)-1]; d.id.Name != "" && !first.same(d) {
			r.rep.Errorf("config-conflict", d.pos(), "remove one of the two",
				"%s %s is there twice with different contents, first %s", d.id.Kind, nameOf(d.id), first.where())
		}
	}
	return kept
}
