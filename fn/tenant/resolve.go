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
	r := &resolver{tree: tree, pattern: p, own: own, rep: rep, index: map[string]int{}, modules: map[[2]string]string{}}
	for _, match := range matches {
		for i, names := range artifacts {
			r.add(match, i, names)
		}
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
	// modules gives the directory that an artifact of a namespace was made of.
	modules map[[2]string]string
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
	key := [2]string{tenant.Namespace, name}
	if first, taken := r.modules[key]; taken {
		r.twice(first, match.Dir, key, names)
		return
	}
	r.modules[key] = match.Dir
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
		"the directory %q gives an artifact the name %q: %s", dir, name, problem)
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
			"the directory %q asks for the namespace %q: %s", dir, namespace, problem)
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
		r.rep.Errorf("namespace-collision", claim.Pos, "rename one of them, or use in the `namespace` of the artifact every capture that tells them apart",
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

// twice reports that two directories, or two entries of spec.artifacts, give one
// artifact.
func (r *resolver) twice(first, second string, key [2]string, names Names) {
	if first == second {
		r.rep.Errorf("artifact-collision", names.Name.Str().Pos, "give the artifacts different names",
			"two artifacts for the directory %q are %q in the namespace %q", second, key[1], key[0])
		return
	}
	hint := "rename one of them"
	if missing := r.unused(names); len(missing) > 0 {
		hint = fmt.Sprintf("use every capture in the `name` or `namespace` of the artifact: `{%s}` is in neither", strings.Join(missing, "}`, `{"))
	}
	r.rep.Errorf("artifact-collision", krm.Pos{File: r.tree.Place(second)}, hint,
		"the directories %q and %q both give the artifact %q in the namespace %q", first, second, key[1], key[0])
}

// unused are the captures that tell no artifact from another.
func (r *resolver) unused(names Names) []string {
	used := slices.Concat(names.Name.Captures(), names.Namespace.Captures())
	return slices.DeleteFunc(slices.Clone(r.pattern.captures), func(c string) bool { return slices.Contains(used, c) })
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
