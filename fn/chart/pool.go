package chart

import (
	"maps"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// shared is an object that releases name: a source, or a copy of a ConfigMap or a
// Secret. What it is called shows once all of them are known.
type shared struct {
	// kind and key make it one object; base is the name that it would like to have.
	kind, key, base string
	name            string
	releases        []Release
	object          func() *krm.Object
}

// existing is an object that somebody else emits.
func existing(name string) *shared { return &shared{name: name, key: "=" + name} }

// keyOf is what tells an object apart that refers to s; nil is none.
func keyOf(s *shared) string {
	if s == nil {
		return ""
	}
	return s.key
}

// pool holds each shared object once, by kind and key.
type pool map[[2]string]*shared

// share returns the object of that kind and key, made for one more release. Of
// several names that it would like to have the first by alphabet counts.
func (p pool) share(s shared, r Release) *shared {
	id := [2]string{s.kind, s.key}
	known, found := p[id]
	if !found {
		known = &s
		p[id] = known
	}
	known.base = min(known.base, s.base)
	if !slices.Contains(known.releases, r) {
		known.releases = append(known.releases, r)
	}
	return known
}

// objects names everything in the pool, and then makes it: sources name Secrets.
// A name that several would like to have gets a hash of each one's key.
func (p pool) objects(namespace string) []Made {
	wanted := map[[2]string]int{}
	for _, s := range p {
		wanted[[2]string{s.kind, s.base}]++
	}
	for _, s := range p {
		s.name = fit(s.base, maxName)
		if wanted[[2]string{s.kind, s.base}] > 1 {
			s.name = fit(s.base, maxName-1-len(digest(""))) + "-" + digest(s.key)
		}
	}
	var all []Made
	for s := range maps.Values(p) {
		o := s.object()
		o.Kind, o.Namespace, o.Name = s.kind, namespace, s.name
		all = append(all, Made{o, slices.SortedFunc(slices.Values(s.releases), compare)})
	}
	return all
}
