package handoff

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const (
	dependsOn = "config.kubernetes.io/depends-on"
	syncWave  = "argocd.argoproj.io/sync-wave"

	rbacGroup = "rbac.authorization.k8s.io"
)

// Order says of each reconciler among the objects of an output, a Flux
// Kustomization or HelmRelease, that it is deleted before the account that it acts
// as and what that account may do: without them it cannot delete what it has
// applied. Only an object of the same output is named, and never a Namespace, which
// appliers order by themselves.
func (as Appliers) Order(objects []*krm.Object) {
	ordered := func(order Order) bool {
		return slices.ContainsFunc(as, func(d Dialect) bool { return d.Order == order })
	}
	depends, waves := ordered(DependsOn), ordered(SyncWave)
	reconcilers := slices.DeleteFunc(slices.Clone(objects), func(o *krm.Object) bool { return !isReconciler(o) })
	if len(reconcilers) == 0 || !depends && !waves {
		return
	}
	g := newGrants(objects)
	for _, o := range reconcilers {
		needs := g.of(account(o))
		if depends && len(needs) > 0 {
			addDependencies(o, needs)
		}
		if waves && len(needs) > 0 && o.Annotations[syncWave] == "" {
			o.Annotations[syncWave] = strconv.Itoa(g.lastWave(needs) + 1)
		}
	}
}

func isReconciler(o *krm.Object) bool {
	switch krm.GroupOf(o.APIVersion) {
	case "kustomize.toolkit.fluxcd.io":
		return o.Kind == "Kustomization"
	case "helm.toolkit.fluxcd.io":
		return o.Kind == "HelmRelease"
	}
	return false
}

// account is the ServiceAccount that a reconciler acts as, the zero Identity when
// it names none, or one of another cluster.
func account(o *krm.Object) krm.Identity {
	spec := field(o, "spec")
	name := spec.Get("serviceAccountName")
	if name == nil || name.Kind != krm.StringNode || name.Text == "" || spec.Get("kubeConfig") != nil {
		return krm.Identity{}
	}
	return krm.Identity{Kind: "ServiceAccount", Namespace: o.Namespace, Name: name.Text}
}

// field is a field of an object, nil when it has none.
func field(o *krm.Object, name string) *krm.Node {
	if name == "spec" && o.Spec != "" {
		node, _ := krm.ParseAt(krm.Pos{}, []byte(o.Spec), &krm.Report{})
		return node
	}
	node, _ := krm.ParseAt(krm.Pos{}, []byte(o.Rest), &krm.Report{})
	return node.Get(name)
}

// grants are the objects of an output by which accounts may do something.
type grants struct {
	objects map[krm.Identity]*krm.Object
	// bySubject are bindings, and the roles of the output that they bind.
	bySubject map[subject][]krm.Identity
}

type subject struct{ kind, namespace, name string }

func newGrants(objects []*krm.Object) grants {
	g := grants{map[krm.Identity]*krm.Object{}, map[subject][]krm.Identity{}}
	for _, o := range objects {
		g.objects[o.Identity()] = o
	}
	for _, o := range objects {
		if krm.GroupOf(o.APIVersion) == rbacGroup && (o.Kind == "RoleBinding" || o.Kind == "ClusterRoleBinding") {
			g.add(o)
		}
	}
	return g
}

func (g grants) add(binding *krm.Object) {
	granted := []krm.Identity{binding.Identity()}
	if role := roleOf(binding); g.objects[role] != nil {
		granted = append(granted, role)
	}
	subjects := field(binding, "subjects")
	if subjects == nil {
		return
	}
	for _, s := range subjects.Items {
		key := subject{textOf(s.Get("kind")), textOf(s.Get("namespace")), textOf(s.Get("name"))}
		g.bySubject[key] = append(g.bySubject[key], granted...)
	}
}

func roleOf(binding *krm.Object) krm.Identity {
	ref := field(binding, "roleRef")
	role := krm.Identity{Group: rbacGroup, Kind: textOf(ref.Get("kind")), Name: textOf(ref.Get("name"))}
	if role.Kind == "Role" {
		role.Namespace = binding.Namespace
	}
	return role
}

func textOf(n *krm.Node) string {
	if n == nil || n.Kind != krm.StringNode {
		return ""
	}
	return n.Text
}

// of are an account and what it may do, as far as they are in the output, sorted.
func (g grants) of(account krm.Identity) []krm.Identity {
	if account == (krm.Identity{}) {
		return nil
	}
	var needs []krm.Identity
	if g.objects[account] != nil {
		needs = append(needs, account)
	}
	for _, s := range []subject{ // how RBAC names an account (Kubernetes: RBAC authorization)
		{"ServiceAccount", account.Namespace, account.Name},
		{"User", "", "system:serviceaccount:" + account.Namespace + ":" + account.Name},
		{"Group", "", "system:serviceaccounts:" + account.Namespace},
		{"Group", "", "system:serviceaccounts"},
	} {
		needs = append(needs, g.bySubject[s]...)
	}
	slices.SortFunc(needs, krm.Identity.Compare)
	return slices.Compact(needs)
}

// lastWave is the last wave in which one of the objects is applied.
func (g grants) lastWave(needs []krm.Identity) int {
	last := 0
	for _, id := range needs {
		wave, _ := strconv.Atoi(g.objects[id].Annotations[syncWave])
		last = max(last, wave)
	}
	return last
}

// addDependencies appends to what the object depends on already.
func addDependencies(o *krm.Object, needs []krm.Identity) {
	var all []string
	for text := range strings.SplitSeq(o.Annotations[dependsOn], ",") {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	for _, id := range needs {
		if text := dependency(id); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	o.Annotations[dependsOn] = strings.Join(all, ",")
}

// dependency is how depends-on names an object (cli-utils, explicit dependencies).
func dependency(id krm.Identity) string {
	if id.Namespace == "" {
		return id.Group + "/" + id.Kind + "/" + id.Name
	}
	return id.Group + "/namespaces/" + id.Namespace + "/" + id.Kind + "/" + id.Name
}

// CheckKept warns about objects that appliers are told to keep and that go with
// their namespace, which they are not told to keep.
func (as Appliers) CheckKept(objects []*krm.Object, rep *krm.Report) {
	namespaces := map[string]*krm.Object{}
	for _, o := range objects {
		if o.Identity() == (krm.Identity{Kind: "Namespace", Name: o.Name}) {
			namespaces[o.Name] = o
		}
	}
	lost := map[string][]string{}
	for _, o := range objects {
		ns := namespaces[o.Namespace]
		if keeping := as.Keeping(o.Annotations); ns != nil && len(keeping) > 0 {
			if deaf := slices.DeleteFunc(keeping, func(d Dialect) bool { return d.keeps(ns.Annotations) }); len(deaf) > 0 {
				lost[deaf.String()] = append(lost[deaf.String()], o.Identity().Title())
			}
		}
	}
	for _, appliers := range slices.Sorted(maps.Keys(lost)) {
		rep.Warnf("keep-without-namespace", krm.Pos{}, "keep the namespace, too", "what tells %s to keep an object is in vain on %s: the namespace goes, and takes it along", appliers, Listed("object", lost[appliers]))
	}
}
