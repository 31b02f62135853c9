// Package config turns the functionConfig, the configuration items and the
// files named by spec.configs into a Plan. It is the only package that knows
// field names.
package config

import (
	"fmt"
	"path"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Parse reads the configuration of a run. All mistakes are reported; with one
// that is an error the result is (nil, false).
func Parse(list *krm.List, rep *krm.Report) (*Plan, bool) {
	r := &reader{list: list, rep: rep, base: findBase(list), accepted: map[*krm.Item]bool{}, found: map[krm.Identity]*krm.Node{}}
	r.appliers = handoff.Default()
	r.readFunctionConfig()
	docs := r.documents()
	r.sets = r.setDocuments()
	generators := r.decodeAll(docs)
	profiles := r.profileDocuments()
	plan := r.plan(docs, generators, profiles)
	r.readSets(plan)
	r.checkTenantItems(plan)
	if rep.Failed() {
		return nil, false
	}
	return plan, true
}

// reader is a run of Parse.
type reader struct {
	list *krm.List
	rep  *krm.Report
	base base
	// config is the functionConfig parsed, nil when there is none.
	config *krm.Node
	settings
	// echo is kustomize's copy of the functionConfig among the items.
	echo *krm.Item
	// accepted are the items that were read as configuration.
	accepted map[*krm.Item]bool
	// own are the generators that the functionConfig brings: itself, inline ones
	// and those in files of spec.configs.
	own []document
	// lost is set when the root of the list may lie in a tenant's directory.
	lost bool
	// files are those of spec.configs, each where its pattern stands.
	files []krm.Str
	// sources are Flux sources in files of spec.configs.
	sources []*krm.Node
	// sets are the ResourceSets and providers, setFiles those in files of
	// spec.configs.
	sets, setFiles []document
	// found are the Flux sources that were looked for, nil where there is none.
	found map[krm.Identity]*krm.Node
	areas areas
	// kustomize is set when all items are what kustomize has gathered: a path on
	// one of them is its author's word, and not the host's.
	kustomize bool
	// tree is the list as files, nil unless a source is that.
	tree map[string]krm.File
	// fileProfiles and fileObjects are profiles, and what they refer to, in files of
	// spec.configs.
	fileProfiles []document
	fileObjects  []*krm.Node
	// objects are what profiles may refer to.
	objects *objects
}

// plan puts together what was read.
func (r *reader) plan(docs []document, generators []*generator, profiles []document) *Plan {
	if len(generators)+len(profiles)+len(r.sets) == 0 && !r.rep.Failed() {
		r.reportNoGenerator()
	}
	r.adoptShortForm(generators)
	p := &Plan{
		Name: r.name, Namespace: r.namespace,
		Base:           r.base.dir,
		ProtectedNames: r.protected,
		Appliers:       r.appliers,
		Deletion:       newDeletion(krm.Str(r.baseline), r.most, r.allowEmpty, r.rep),
		Publish:        r.publish,
		RenderSets:     r.renderSets,
		trusted:        r.isTrusted,
		Consumed:       r.consumed(),
		Echo:           r.echo,
		Kustomize:      r.echo != nil || r.kustomize,
		HasPaths:       r.hasPaths(),
		base:           r.base,
		areas:          r.areas,
		accepted:       r.accepted,
	}
	if first := slices.Concat(docs, profiles); r.list.Config == nil && len(first) > 0 {
		p.Name, p.Namespace = first[0].id.Name, orDefault(first[0].id.Namespace, defaultNamespace)
	}
	p.Deletion.Names = r.optionNames(generators)
	p.Dir = r.ownDirectory(slices.Concat(docs, profiles))
	r.addProfiles(p, profiles)
	p.Sources = r.readSources(generators, usesSources(p.Profiles), p.Dir)
	p.sourceAliases = r.sourceAliases(generators, p.Sources)
	r.readState(p)
	for _, g := range generators {
		p.Generators = append(p.Generators, r.newGenerator(g))
	}
	return p
}

func (r *reader) reportNoGenerator() {
	if r.list.Config == nil {
		r.rep.Errorf("config-missing", krm.Pos{}, "pass a functionConfig of kind ProvisionTenants or ArtifactGenerator, or an ArtifactGenerator or a ClusterProfile among the items",
			"there is no functionConfig, no ArtifactGenerator and no profile")
		return
	}
	hint := "add one to `spec.generators`, to a file of `spec.configs` or to the items"
	for _, item := range r.list.Items {
		if item.Kind == functionKind && item.Identity() != r.list.Config.Identity() {
			hint = fmt.Sprintf("%s %s is among the items: pass it as functionConfig", functionKind, shown(item.Name))
		}
	}
	r.rep.Errorf("config-missing", r.list.Config.Pos(), hint, "there is no ArtifactGenerator and no profile")
}

// consumed are the generators and profiles among the items that would reach a
// cluster, and the ResourceSets and providers that are rendered here.
func (r *reader) consumed() []*krm.Item {
	var items []*krm.Item
	for _, item := range r.list.Items {
		kind := isGenerator(item) || isProfile(item) || isSet(item) && r.renderSets
		if _, local := item.Annotations[krm.LocalConfigKey]; r.accepted[item] && item != r.echo && kind && !local {
			items = append(items, item)
		}
	}
	return items
}

// ownDirectory is the directory of the configuration's file in the list.
func (r *reader) ownDirectory(docs []document) string {
	file := r.list.Config
	switch {
	case file == nil && len(docs) > 0:
		file = docs[0].item
	case file != nil && file.Path() == "":
		file = r.onlyCopy()
	}
	if file == nil || file.Path() == "" {
		return ""
	}
	if dir := path.Dir(r.base.listed(file)); dir != "." {
		return dir
	}
	return ""
}

// onlyCopy is the functionConfig's file among the items: `kpt fn eval` gives the
// functionConfig no path, but its file has one. Of two, one may be a tenant's, and
// no tenant may decide where output goes.
func (r *reader) onlyCopy() *krm.Item {
	var found []*krm.Item
	for _, item := range r.list.Items {
		if r.accepted[item] && r.isNamesake(item) && item.Path() != "" && !r.isResource(item) && !r.areas.cover(item, r.base) {
			found = append(found, item)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// Start says where relative paths of the configuration start from. The absolute
// path is the host's secret: it would differ from one checkout to the next.
func (p *Plan) Start() string {
	if p.base.packaged {
		return "the directory of the package"
	}
	return "the working directory: under kustomize that of the kustomization, elsewhere that of the caller"
}

// IsItems tells whether the files of an alias are items of the list.
func (p *Plan) IsItems(alias string) bool {
	return slices.ContainsFunc(p.Sources, func(s Source) bool { return s.Alias == alias && s.Items != nil })
}

// Listed is the path of an item's file below the root of the list, "" when it has
// none: under `kpt fn render` a path starts from the item's own package.
func (p *Plan) Listed(item *krm.Item) string {
	if item.Path() == "" {
		return ""
	}
	return p.base.listed(item)
}

// checkTenantItems finds items that imitate our output, and packages whose functions
// kpt has run.
func (r *reader) checkTenantItems(p *Plan) {
	for _, item := range r.list.Items {
		if !p.TenantData(item) {
			continue
		}
		if _, stamped := item.Annotations[krm.OwnerKey]; stamped {
			r.rep.Errorf("forged-owner", item.Pos().At("metadata.annotations").Key(krm.OwnerKey), "remove the annotation; only generated files have it",
				"%s %s lies in a tenant's directory and imitates generated output", item.Kind, nameOf(item.Identity()))
		}
		if r.hasPipeline(item) {
			r.rep.Errorf("tenant-pipeline", item.Pos().At("pipeline"), "remove the pipeline, and let CI refuse a Kptfile there before kpt runs; `kpt fn source` and `kpt fn eval` run no pipelines",
				"%q lies in a tenant's directory, and kpt has run its functions: they may have put any file anywhere in the package", shown(r.base.listed(item)))
		}
	}
}

// hasPipeline tells whether an item is the Kptfile of an inner package with functions
// of its own. Under `kpt fn render` those ran before this one, and what they hand on
// is in the package and at the path that they say.
func (r *reader) hasPipeline(item *krm.Item) bool {
	if !r.base.packaged || !isKptfile(item) || r.base.listed(item) == "Kptfile" {
		return false
	}
	node, ok := item.Node(r.rep)
	return ok && slices.ContainsFunc([]string{"mutators", "validators"}, func(list string) bool {
		functions := node.Get("pipeline").Get(list)
		return functions != nil && len(functions.Items) > 0
	})
}

// TenantData tells whether an item is a tenant's file: data, whatever its kind
// and its annotations say. It is one when it lies in a source tree under the
// literal prefix of a path pattern, and is neither in the directory that we
// generate nor the configuration itself.
func (p *Plan) TenantData(item *krm.Item) bool {
	if p.accepted[item] || item.Path() == "" || below(p.base.listed(item), path.Join(p.Dir, generatedDirectory)) {
		return false
	}
	return p.areas.cover(item, p.base)
}

// TenantPath tells whether a file, from the base directory, lies in the part of a
// source that is the tenants'.
func (p *Plan) TenantPath(file string) bool { return p.areas.coverFile(file, p.base) }

// TenantBase tells whether the base directory itself is a tenant's.
func (p *Plan) TenantBase() bool {
	return slices.ContainsFunc(p.areas, func(a area) bool { return a.holds(p.base) })
}

// Trusted tells whether an item is certainly none that a tenant can have written.
func (p *Plan) Trusted(item *krm.Item) bool { return p.trusted(item) }
