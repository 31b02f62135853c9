package tenant

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// Metadata fills in the Labels and Annotations of the tenants: commonMetadata,
// then what the tenant's NamespaceMetadata asks for and may have, then the
// operations of metadata.from in their order (Flux: managedNamespaces.metadata).
// A later step wins. Stamps are left to the caller; reserve gives the bytes of
// the annotations that it will add, which count against the limit of the API.
//
// trees are the sources by alias. The generator's own namespace is left alone.
func (p *Policy) Metadata(trees map[string]*source.Tree, tenants []Tenant, reserve func(*Tenant) int, rep *krm.Report) {
	for i := range tenants {
		if tenant := &tenants[i]; !tenant.Own {
			p.tenantMetadata(trees, tenant, reserve, rep)
		}
	}
	p.unmatched(tenants, rep)
}

func (p *Policy) tenantMetadata(trees map[string]*source.Tree, tenant *Tenant, reserve func(*Tenant) int, rep *krm.Report) {
	m := Metadata{Labels: copied(p.Common.Labels), Annotations: copied(p.Common.Annotations)}
	if f := p.FromSource; f != nil && trees[f.Alias] != nil {
		asked := f.read(trees[f.Alias], tenant, rep)
		replace(m.Labels, asked.Labels, label, rep)
		replace(m.Annotations, asked.Annotations, annotation, rep)
	}
	for _, operation := range p.From {
		if operation.Namespace.Text == anyNamespace || operation.Namespace.Text == tenant.Namespace {
			operation.apply(m)
		}
	}
	tenant.Labels, tenant.Annotations = texts(m.Labels), texts(m.Annotations)
	checkSize(m.Annotations, reserve(tenant), tenant, rep)
}

func copied(entries map[string]krm.Str) map[string]krm.Str {
	if entries == nil {
		return map[string]krm.Str{}
	}
	return maps.Clone(entries)
}

func texts(entries map[string]krm.Str) map[string]string {
	plain := make(map[string]string, len(entries))
	for key, value := range entries {
		plain[key] = value.Text
	}
	return plain
}

// replace sets the tenant's entries, and warns of those that replace another
// value of spec.commonMetadata: others may select by it.
func replace(entries, asked map[string]krm.Str, what string, rep *krm.Report) {
	for key, value := range asked {
		if common, there := entries[key]; there && common.Text != value.Text {
			rep.Warnf("metadata-replaced", value.Pos, "", "the %s %q is %q here and replaces %q of `spec.commonMetadata`",
				what, shortName(key), short(value.Text), short(common.Text))
		}
		entries[key] = value
	}
}

// apply does one operation on what has been collected so far.
func (o Operation) apply(m Metadata) {
	if o.Strategy == Reset {
		clear(m.Labels)
		clear(m.Annotations)
	}
	o.merge(m.Labels, o.Labels)
	o.merge(m.Annotations, o.Annotations)
}

// merge sets every entry, under Merge only those that are absent. An empty value
// is a value.
func (o Operation) merge(entries, wanted map[string]krm.Str) {
	for key, value := range wanted {
		if _, there := entries[key]; !there || o.Strategy != Merge {
			entries[key] = value
		}
	}
}

// unmatched tells of operations for namespaces that nobody asks for: tenants
// come and go, so it is no mistake.
func (p *Policy) unmatched(tenants []Tenant, rep *krm.Report) {
	var names []string
	for _, tenant := range tenants {
		if !tenant.Own {
			names = append(names, tenant.Namespace)
		}
	}
	for _, operation := range p.From {
		name := operation.Namespace
		if name.Text == anyNamespace || slices.Contains(names, name.Text) {
			continue
		}
		hint := ""
		if near, found := krm.Nearest(name.Text, names); found {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		rep.Infof("from-unmatched", name.Pos, hint, "no directory asks for the namespace %q, the operation does nothing", name.Text)
	}
}

// checkSize applies the API server's limit for the annotations of one object.
func checkSize(annotations map[string]krm.Str, reserved int, tenant *Tenant, rep *krm.Report) {
	total := reserved
	for key, value := range annotations {
		total += len(key) + len(value.Text)
	}
	if total <= maxAnnotations {
		return
	}
	size := func(key string) int { return len(key) + len(annotations[key].Text) }
	keys := slices.SortedFunc(maps.Keys(annotations), func(a, b string) int {
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a, b))
	})
	pos := tenant.Pos
	var largest []string
	for i, key := range keys[:min(len(keys), 3)] {
		if i == 0 {
			pos = annotations[key].Pos
		}
		largest = append(largest, fmt.Sprintf("%q with %d", shortName(key), size(key)))
	}
	rep.Errorf("annotations-too-large", pos, "shorten the largest",
		"the annotations of the namespace %q have %d bytes, %d of them ours, at most %d are allowed; the largest are %s",
		tenant.Namespace, total, reserved, maxAnnotations, strings.Join(largest, ", "))
}
