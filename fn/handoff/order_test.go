package handoff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// tenantObjects is what a platform team renders for a tenant.
const tenantObjects = `
apiVersion: v1
kind: Namespace
metadata: {name: a}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: flux, namespace: a}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: other, namespace: a}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: all, namespace: a}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: flux, namespace: a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: all}
subjects: [{kind: ServiceAccount, name: flux, namespace: a}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader, annotations: {argocd.argoproj.io/sync-wave: "4"}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: readers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: Group, name: "system:serviceaccounts:a"}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: elsewhere, namespace: b}
roleRef: {kind: ClusterRole, name: not-in-the-output}
subjects: [{kind: User, name: "system:serviceaccount:a:flux"}, {kind: ServiceAccount, name: flux, namespace: b}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: others, namespace: a}
roleRef: {kind: Role, name: all}
subjects: [{kind: ServiceAccount, name: other, namespace: a}]
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: a}
spec: {serviceAccountName: flux}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: app, namespace: a, annotations: {config.kubernetes.io/depends-on: /namespaces/a/ConfigMap/x}}
spec: {serviceAccountName: other}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: remote, namespace: a}
spec: {serviceAccountName: flux, kubeConfig: {secretRef: {name: k}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: nobody, namespace: a}
spec: {path: x}
---
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
metadata: {name: no-reconciler, namespace: a}
spec: {serviceAccountName: flux}
`

func objectsOf(t *testing.T, text string) []*krm.Object {
	t.Helper()
	rep := &krm.Report{}
	nodes, ok := krm.ParseFiles("f", []byte(text), rep)
	require.True(t, ok, rep.Findings())
	var objects []*krm.Object
	for _, n := range nodes {
		objects = append(objects, krm.NewObject(n))
	}
	return objects
}

func annotated(objects []*krm.Object, key string) m {
	found := m{}
	for _, o := range objects {
		if value, there := o.Annotations[key]; there {
			found[o.Kind+" "+o.Name] = value
		}
	}
	return found
}

// A reconciler goes before what it acts with; nothing ever waits for a Namespace.
func TestOrder(t *testing.T) {
	const group = "rbac.authorization.k8s.io"
	readers := group + "/ClusterRole/reader," + group + "/ClusterRoleBinding/readers"
	dependencies := m{
		"Kustomization app": "/namespaces/a/ServiceAccount/flux," + readers + "," + group + "/namespaces/a/Role/all," +
			group + "/namespaces/a/RoleBinding/flux," + group + "/namespaces/b/RoleBinding/elsewhere",
		"HelmRelease app": "/namespaces/a/ConfigMap/x,/namespaces/a/ServiceAccount/other," + readers + "," + group + "/namespaces/a/Role/all," +
			group + "/namespaces/a/RoleBinding/others",
	}
	mine := m{"HelmRelease app": "/namespaces/a/ConfigMap/x"}
	waves, wave := m{"ClusterRole reader": "4", "Kustomization app": "5", "HelmRelease app": "5"}, m{"ClusterRole reader": "4"}
	for appliers, want := range map[string][2]m{
		"KptLive":                         {dependencies, wave},
		"ConfigSync":                      {dependencies, wave},
		"ArgoCD":                          {mine, waves},
		"Flux,Helm,FluxOperator,Kubectl":  {mine, wave}, // they have no such hint
		"Flux,KptLive,ArgoCD,ConfigSync":  {dependencies, waves},
		"Helm,Kubectl,FluxOperator":       {mine, wave},
		"FluxOperator,ConfigSync,Kubectl": {dependencies, wave},
	} {
		objects := objectsOf(t, tenantObjects)
		as := Named(strings.Split(appliers, ","))
		as.Order(objects)
		assert.Equal(t, want[0], annotated(objects, dependsOn), appliers)
		assert.Equal(t, want[1], annotated(objects, syncWave), appliers)
		as.Order(objects)
		assert.Equal(t, want[0], annotated(objects, dependsOn), "twice is once")
	}
}

func TestOrderReadsASpecThatWeMade(t *testing.T) {
	o := &krm.Object{
		APIVersion: "helm.toolkit.fluxcd.io/v2", Kind: "HelmRelease", Namespace: "a", Name: "x", Annotations: m{},
		Spec: krm.NewMap(map[string]*krm.Node{"serviceAccountName": krm.NewString("flux")}).Encode(),
	}
	account := &krm.Object{APIVersion: "v1", Kind: "ServiceAccount", Namespace: "a", Name: "flux"}
	Default().Order([]*krm.Object{o, account})
	assert.Equal(t, m{dependsOn: "/namespaces/a/ServiceAccount/flux", syncWave: "1"}, o.Annotations)
	assert.Empty(t, account.Annotations)
}

func TestOrderLeavesTheWaveOfTheTemplate(t *testing.T) {
	objects := objectsOf(t, strings.Replace(tenantObjects, "{name: app, namespace: a}", "{name: app, namespace: a, annotations: {argocd.argoproj.io/sync-wave: \"9\"}}", 1))
	Default().Order(objects)
	assert.Equal(t, "9", annotated(objects, syncWave)["Kustomization app"])
}

func TestCheckKept(t *testing.T) {
	kept, plain := Default().Keep(nil), m{}
	flux := m{"kustomize.toolkit.fluxcd.io/prune": "disabled"}
	for name, tc := range map[string]struct {
		namespace, object m
		says              string
	}{
		"neither":   {plain, plain, ""},
		"both":      {kept, kept, ""},
		"namespace": {kept, plain, ""},
		"object":    {plain, flux, "Flux"},
		"some":      {flux, kept, "KptLive, ArgoCD, Helm, ConfigSync, FluxOperator"},
	} {
		rep := &krm.Report{}
		Default().CheckKept([]*krm.Object{
			{APIVersion: "v1", Kind: "Namespace", Name: "a", Annotations: tc.namespace},
			{APIVersion: "v1", Kind: "ConfigMap", Namespace: "a", Name: "x", Annotations: tc.object},
			{APIVersion: "v1", Kind: "ConfigMap", Namespace: "not-ours", Name: "x", Annotations: kept},
		}, rep)
		if tc.says == "" {
			assert.Empty(t, rep.Findings(), name)
			continue
		}
		require.Len(t, rep.Findings(), 1, name)
		assert.Equal(t, "what tells "+tc.says+` to keep an object is in vain on object "ConfigMap a/x": the namespace goes, and takes it along`, rep.Findings()[0].Message)
	}
}
