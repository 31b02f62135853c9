package tenant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Admit returns the tenants whose namespaces the policy allows; every other one
// is an error. The generator's own namespace is never managed, so artifacts that
// name no namespace pass.
func (p *Policy) Admit(tenants []Tenant, rep *krm.Report) []Tenant {
	var admitted []Tenant
	for _, tenant := range tenants {
		if tenant.Own || p.admits(&tenant, rep) {
			admitted = append(admitted, tenant)
		}
	}
	return admitted
}

func (p *Policy) admits(tenant *Tenant, rep *krm.Report) bool {
	if refuseReserved(tenant, p.Own, p.Protected, rep) {
		return false
	}
	var results []string
	for _, rule := range p.Allowed {
		allowed, err := rule.Allows(tenant.Namespace)
		switch {
		case err != nil:
			results = append(results, fmt.Sprintf("`%s` failed: %s", short(rule.String()), shortError(err)))
		case allowed:
			return true
		default:
			results = append(results, fmt.Sprintf("`%s` is false", short(rule.String())))
		}
	}
	rep.Errorf("namespace-not-allowed", tenant.Pos, "give it another name, or allow this one in `allowedNames`",
		"%s asks for the namespace %q, which `allowedNames` does not admit: %s", tenant.asker(), tenant.Namespace, strings.Join(results[:min(len(results), maxListed)], ", "))
	return false
}

// RefuseReserved returns the tenants of a generator that manages no namespaces
// and has no allow-list. A namespace that is made of captures, which a tenant
// decides about, must not be one that is refused to every tenant: own, that of the
// generator, protected ones, and those of the system. A namespace that the
// generator names itself passes.
func RefuseReserved(tenants []Tenant, own string, protected []string, rep *krm.Report) []Tenant {
	var admitted []Tenant
	for _, tenant := range tenants {
		if len(tenant.Raw) == 0 || !refuseReserved(&tenant, own, protected, rep) {
			admitted = append(admitted, tenant)
		}
	}
	return admitted
}

// refuseReserved tells whether it has refused a reserved name.
func refuseReserved(tenant *Tenant, own string, protected []string, rep *krm.Report) bool {
	why := reserved(tenant.Namespace, own, protected)
	if why != "" {
		rep.Errorf("namespace-reserved", tenant.Pos, "give it another name", "%s asks for the namespace %q, which is %s", tenant.asker(), tenant.Namespace, why)
	}
	return why != ""
}

// reserved says why a name is refused whatever an allow-list says, "" when it is
// not.
func reserved(name, own string, protected []string) string {
	switch {
	case name == own:
		return "the generator's own"
	case name == "default", name == "flux-system", strings.HasPrefix(name, "kube-"):
		return "a system namespace"
	case slices.Contains(protected, name):
		return "in `protectedNames`"
	}
	return ""
}
