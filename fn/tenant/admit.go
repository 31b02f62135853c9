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
	if why := p.reserved(tenant.Namespace); why != "" {
		rep.Errorf("namespace-reserved", tenant.Pos, "give it another name", "%s asks for the namespace %q, which is %s", tenant.asker(), tenant.Namespace, why)
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

// reserved says why a name is refused whatever the allow-list says, "" when it
// is not.
func (p *Policy) reserved(name string) string {
	switch {
	case name == p.Own:
		return "the generator's own"
	case name == "default", name == "flux-system", strings.HasPrefix(name, "kube-"):
		return "a system namespace"
	case slices.Contains(p.Protected, name):
		return "in `protectedNames`"
	}
	return ""
}
