// Package tenant finds who asks for a namespace: the path pattern, discovery,
// the allow-lists, and the metadata a namespace ends up with.
package tenant

import (
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/source"
)

// Pattern is a generator's spec.pathPattern.
type Pattern struct {
	alias string
}

// ParsePattern checks the grammar of flux.md 1.1 and 1.2.
func ParsePattern(s krm.Str, rep *krm.Report) (Pattern, bool) { return Pattern{}, false }

// Alias is the source alias.
func (p Pattern) Alias() string { return p.alias }

// Prefix is the literal directory before the first capture, "" when there is none.
func (p Pattern) Prefix() string { return "" }

// Captures are the capture names in order.
func (p Pattern) Captures() []string { return nil }

// Match is one directory that the pattern matched.
type Match struct {
	// Dir is the directory, relative to the tree's root.
	Dir string
	// Raw are the captured texts, Lower the same in lower case.
	Raw, Lower map[string]string
}

// Discover walks the levels that the pattern can match, and returns the matches
// in walk order. It does not enter skip (a path of the tree, "" for none).
func Discover(tree *source.Tree, p Pattern, skip string, rep *krm.Report) []Match { return nil }

// NoMatch says why the pattern matches nothing in tree: the first segment that
// nothing matched, and the nearest existing names.
func (p Pattern) NoMatch(tree *source.Tree) string { return "" }

// Rule is a compiled CEL predicate over one string variable.
type Rule struct{}

// ParseRule compiles an expression over `variable`. All mistakes are found here,
// before any file is read.
func ParseRule(s krm.Str, variable string, rep *krm.Report) (Rule, bool) { return Rule{}, false }

// Strategy is how an Operation meets what is there.
type Strategy int

// The strategies of spec.managedNamespaces.metadata.from.
const (
	Reset Strategy = iota
	Override
	Merge
)

// Operation is one entry of spec.managedNamespaces.metadata.from.
type Operation struct {
	Strategy Strategy
	// Namespace is a name or `*`.
	Namespace           krm.Str
	Labels, Annotations map[string]krm.Str
}

// FromSource is spec.managedNamespaces.metadata.fromSource.
type FromSource struct {
	Alias               string
	Path                krm.Template // below the alias root
	Labels, Annotations map[string]Rule
}

// Policy is spec.managedNamespaces, valid.
type Policy struct {
	Allowed    []Rule
	FromSource *FromSource
	From       []Operation
}

// Names are the templates of one artifact.
type Names struct {
	Name      krm.Template
	Namespace krm.Template // the zero Template: the generator's own namespace
}

// Module is one artifact to build.
type Module struct {
	Match Match
	// Artifact is the index in the generator's spec.artifacts.
	Artifact int
	Name     string
}

// Tenant is a namespace and what is wanted in it.
type Tenant struct {
	Namespace string
	// Dir is the directory of the tenant: the longest common directory of its matches.
	Dir     string
	Modules []Module
	// Raw are the raw captures that the namespace was made of.
	Raw map[string]string
	// Labels and Annotations are the namespace's metadata, without any of ours.
	Labels, Annotations map[string]string
}
