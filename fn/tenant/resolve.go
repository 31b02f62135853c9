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

// Resolve renders the names of every artifact for every match, and returns the
// tenants sorted by namespace. own is the generator's namespace.
//
// Names are made of the lower-cased captures. Two directories that come to the
// same name are an error, and so is a namespace that is reached from different
// raw captures: one tenant could put artifacts into another's namespace.
func Resolve(tree *source.Tree, p Pattern, matches []Match, artifacts []Names, own string, rep *krm.Report) []Tenant {
	r := &resolver{tree: tree, pattern: p, own: own, rep: rep, index: map[string]int{}, makers: map[moduleKey]maker{}, clashes: map[moduleKey][]maker{}}
	for _, match := range matches {
		for i, names := range artifacts {
			r.add(match, i, names)
		}
	}
	for key, others := range r.clashes {
		r.reportClash(key, slices.Concat([]maker{r.makers[key]}, others))
	}
	slices.SortFunc(r.tenants, func(a, b Tenant) int { return cmp.Compare(a.Namespace, b.Namespace) })
	for i := range r.tenants {
		slices.SortFunc(r.tenants[i].Modules, func(a, b Module) int { return cmp.Compare(a.Name, b.Name) })
	}
	return r.tenants
}

// resolver is the state of a Resolve.
type resolver struct {
	tree    *source.Tree
	pattern Pattern
	own     string
	rep     *krm.Report
	tenants []Tenant
	// index finds a tenant by its namespace.
	index map[string]int
	// makers gives what an artifact was made of, clashes what else would make it.
	makers  map[moduleKey]maker
	clashes map[moduleKey][]maker
}

type moduleKey struct{ namespace, name string }

// maker is a match and an entry of spec.artifacts that come to an artifact.
type maker struct {
	match Match
	names Names
}

// add resolves one artifact of one match.
func (r *resolver) add(match Match, artifact int, names Names) {
	name, named := r.name(match, names)
	claim, claimed := r.claim(match, names)
	if !named || !claimed {
		return
	}
	tenant := r.tenant(claim)
	if tenant == nil {
		return
	}
	key := moduleKey{tenant.Namespace, name}
	if _, taken := r.makers[key]; taken {
		r.clashes[key] = append(r.clashes[key], maker{match, names})
		return
	}
	r.makers[key] = maker{match, names}
	tenant.Modules = append(tenant.Modules, Module{Match: match, Artifact: artifact, Name: name})
}

func (r *resolver) name(match Match, names Names) (string, bool) {
	name := names.Name.Render(match.Lower)
	problem := subdomain.problem(name)
	if problem == "" {
		return name, true
	}
	dir, pos := r.place(match, names.Name)
	r.rep.Errorf("artifact-name", pos, subdomain.rename("the artifact's name", name),
		"the directory %q gives an artifact the name %q: %s", shortName(dir), shortName(name), problem)
	return "", false
}

// claim is the tenant that a match asks for; the modules are added later.
func (r *resolver) claim(match Match, names Names) (Tenant, bool) {
	if names.Namespace.IsZero() {
		return Tenant{Namespace: r.own, Own: true, Dir: match.Dir, Pos: names.Name.Str().Pos}, true
	}
	namespace := names.Namespace.Render(match.Lower)
	dir, pos := r.place(match, names.Namespace)
	if problem := dnsLabel.problem(namespace); problem != "" {
		r.rep.Errorf("namespace-name", pos, dnsLabel.rename("the namespace", namespace),
			"the directory %q asks for the namespace %q: %s", shortName(dir), shortName(namespace), problem)
		return Tenant{}, false
	}
	raw := map[string]string{}
	for _, capture := range names.Namespace.Captures() {
		raw[capture] = match.Raw[capture]
	}
	return Tenant{Namespace: namespace, Dir: dir, Pos: pos, Raw: raw}, true
}

// tenant finds or adds the tenant of a claim; nil when the namespace belongs to
// other captures.
func (r *resolver) tenant(claim Tenant) *Tenant {
	at, found := r.index[claim.Namespace]
	if !found {
		r.index[claim.Namespace] = len(r.tenants)
		r.tenants = append(r.tenants, claim)
		return &r.tenants[len(r.tenants)-1]
	}
	tenant := &r.tenants[at]
	if !maps.Equal(tenant.Raw, claim.Raw) {
		r.rep.Errorf("namespace-collision", claim.Pos, namespaceHint(tenant.Raw, claim.Raw),
			"%s and %s both ask for the namespace %q", tenant.asker(), claim.asker(), claim.Namespace)
		return nil
	}
	tenant.Own = tenant.Own && claim.Own
	if dir := commonDir(tenant.Dir, claim.Dir); dir != tenant.Dir {
		tenant.Dir = dir
		if len(tenant.Raw) > 0 {
			tenant.Pos = krm.Pos{File: r.tree.Place(dir)}
		}
	}
	return tenant
}

// place is the directory that the captures of a template come from, and where a
// finding about what it renders to stands: there, or at the template when that
// has no captures.
func (r *resolver) place(match Match, t krm.Template) (string, krm.Pos) {
	captures := t.Captures()
	dir := r.pattern.cut(match.Dir, captures)
	if len(captures) == 0 || r.tree == nil {
		return dir, t.Str().Pos
	}
	return dir, krm.Pos{File: r.tree.Place(dir)}
}

// lowerCased is the hint for names that differ in nothing else.
const lowerCased = "names are lower-cased, letter case does not tell them apart: rename one of them"

// namespaceHint says what to do about two sets of raw captures that come to one
// namespace.
func namespaceHint(first, second map[string]string) string {
	captures := slices.Sorted(maps.Keys(first))
	switch {
	case !slices.Equal(captures, slices.Sorted(maps.Keys(second))):
		return "rename one of them, or make both namespaces of the same captures"
	case maps.EqualFunc(first, second, strings.EqualFold):
		return lowerCased
	}
	return fmt.Sprintf("rename one of them: the texts of `{%s}` add up to the same name", strings.Join(captures, "}` and `{"))
}

// reportClash reports everything that makes one artifact: each directory that
// makes it twice, through two entries of spec.artifacts, and each directory
// besides the first.
func (r *resolver) reportClash(key moduleKey, makers []maker) {
	first := makers[0].match.Dir
	byDir := map[string][]maker{}
	for _, m := range makers {
		byDir[m.match.Dir] = append(byDir[m.match.Dir], m)
	}
	for dir, here := range byDir {
		if len(here) > 1 {
			r.rep.Errorf("artifact-collision", here[1].names.Name.Str().Pos, "give the artifacts different names",
				"two artifacts for the directory %q are %q in the namespace %q", shortName(dir), key.name, key.namespace)
		}
		if dir != first {
			r.rep.Errorf("artifact-collision", krm.Pos{File: r.tree.Place(dir)}, r.artifactHint(slices.Concat(byDir[first], here)),
				"the directories %q and %q both give the artifact %q in the namespace %q", shortName(first), shortName(dir), key.name, key.namespace)
		}
	}
}

// artifactHint says what would tell two directories apart: captures that one of
// the names leaves out, or another name.
func (r *resolver) artifactHint(makers []maker) string {
	first, last := makers[0].match.Lower, makers[len(makers)-1].match.Lower
	var missing []string
	for _, capture := range r.pattern.captures {
		if first[capture] != last[capture] && slices.ContainsFunc(makers, func(m maker) bool { return !m.names.use(capture) }) {
			missing = append(missing, capture)
		}
	}
	switch {
	case len(missing) > 0:
		return fmt.Sprintf("use every capture in the `name` or `namespace` of the artifact: `{%s}` is in neither", strings.Join(missing, "}`, `{"))
	case maps.Equal(first, last):
		return lowerCased
	}
	return "rename one of them"
}

// use tells whether a capture is part of the artifact's name or namespace.
func (n Names) use(capture string) bool {
	return slices.Contains(n.Name.Captures(), capture) || slices.Contains(n.Namespace.Captures(), capture)
}

// commonDir is the deepest directory that holds both.
func commonDir(a, b string) string {
	if a == b {
		return a
	}
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return strings.Join(x[:n], "/")
}
