package config

import (
	"path"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// usesSources tells whether a profile reads the tree of a Flux source.
func usesSources(profiles []profile.Profile) bool {
	return slices.ContainsFunc(profiles, func(p profile.Profile) bool {
		return slices.ContainsFunc(p.Policies, func(ref profile.PolicyRef) bool { return isSourceKind(ref.Kind) })
	})
}

// sourceAliases says by which alias the tree of a Flux source is known: that of a
// generator which names the source, else, without kind and namespace, its name.
func (r *reader) sourceAliases(generators []*generator, sources []Source) map[krm.Identity]string {
	aliases := map[krm.Identity]string{}
	for _, s := range sources {
		aliases[krm.Identity{Name: s.Alias}] = s.Alias
	}
	for _, g := range generators {
		for _, s := range g.Spec.Sources {
			aliases[krm.Identity{Kind: s.Kind.Text, Namespace: orDefault(s.Namespace.Text, g.id.Namespace), Name: s.Name.Text}] = s.Alias.Text
		}
	}
	return aliases
}

// SourceAlias is the alias of a Flux source that a profile refers to.
func (p *Plan) SourceAlias(kind, namespace, name string) (alias string, found bool) {
	if alias, found = p.sourceAliases[krm.Identity{Kind: kind, Namespace: namespace, Name: name}]; found {
		return alias, true
	}
	alias, found = p.sourceAliases[krm.Identity{Name: name}]
	return alias, found
}

// Find looks up an object that a profile refers to.
func (p *Plan) Find(id krm.Identity) (*krm.Node, bool) { return p.objects.find(namespaced(id)) }

// IsTenants tells whether a tenant has an object of this identity, which Find
// therefore does not see.
func (p *Plan) IsTenants(id krm.Identity) bool { return p.objects.hidden[namespaced(id)] }

// Definitions are the CustomResourceDefinitions that say which kinds have a
// namespace.
func (p *Plan) Definitions() []*krm.Node {
	var all []*krm.Node
	for _, id := range p.objects.identities(func(id krm.Identity) bool {
		return id.Group == "apiextensions.k8s.io" && id.Kind == "CustomResourceDefinition"
	}) {
		if node, ok := p.objects.find(id); ok {
			all = append(all, node)
		}
	}
	return all
}

// Applied tells whether an object that Find finds is emitted as it is: an item
// that no applier is told to leave alone.
func (p *Plan) Applied(id krm.Identity) bool {
	items := p.objects.items[namespaced(id)]
	return slices.ContainsFunc(items, func(item *krm.Item) bool {
		_, local := item.Annotations[krm.LocalConfigKey]
		return !local && item.UID == ""
	})
}

// TenantFile tells whether a file of a source lies where a generator looks for
// tenants.
func (p *Plan) TenantFile(alias, file string) bool {
	for _, g := range p.Generators {
		if g.Pattern == nil {
			continue
		}
		for _, s := range p.Sources {
			for _, of := range p.Sources {
				if s.Alias == alias && of.Alias == g.Pattern.Alias() && below(path.Join(s.Directory, file), path.Join(of.Directory, g.Pattern.Prefix())) {
					return true
				}
			}
		}
	}
	return false
}
