package profile

import (
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Scope is what is known of a kind.
type Scope int

// The scopes.
const (
	Unknown Scope = iota
	Namespaced
	ClusterWide
)

// Scopes are the kinds of CustomResourceDefinitions, by group and kind.
type Scopes map[[2]string]Scope

// Add learns the kind of a CustomResourceDefinition; other objects are none.
func (s Scopes) Add(n *krm.Node) {
	spec := n.Get("spec")
	group, kind, scope := spec.Get("group"), spec.Get("names").Get("kind"), spec.Get("scope")
	if !isCRD(n) || group == nil || kind == nil || scope == nil {
		return
	}
	s[[2]string{group.Text, kind.Text}] = map[string]Scope{"Cluster": ClusterWide, "Namespaced": Namespaced}[scope.Text]
}

func isCRD(n *krm.Node) bool {
	kind, version := n.Get("kind"), n.Get("apiVersion")
	return kind != nil && kind.Text == "CustomResourceDefinition" && version != nil && krm.GroupOf(version.Text) == "apiextensions.k8s.io"
}

// clusterWide are the kinds without a namespace, by group, in the groups that we
// know: those of Kubernetes 1.36, and the few others that platform teams write.
// All other kinds of these groups have one.
var clusterWide = map[string]string{
	"":                               "ComponentStatus Namespace Node PersistentVolume",
	"admissionregistration.k8s.io":   "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
	"apiextensions.k8s.io":           "CustomResourceDefinition",
	"apiregistration.k8s.io":         "APIService",
	"apps":                           "",
	"authentication.k8s.io":          "SelfSubjectReview TokenReview",
	"authorization.k8s.io":           "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
	"autoscaling":                    "",
	"batch":                          "",
	"certificates.k8s.io":            "CertificateSigningRequest ClusterTrustBundle",
	"coordination.k8s.io":            "",
	"discovery.k8s.io":               "",
	"events.k8s.io":                  "",
	"flowcontrol.apiserver.k8s.io":   "FlowSchema PriorityLevelConfiguration",
	"internal.apiserver.k8s.io":      "StorageVersion",
	"networking.k8s.io":              "IngressClass IPAddress ServiceCIDR",
	"node.k8s.io":                    "RuntimeClass",
	"policy":                         "PodSecurityPolicy",
	"rbac.authorization.k8s.io":      "ClusterRole ClusterRoleBinding",
	"resource.k8s.io":                "DeviceClass DeviceTaintRule ResourceSlice",
	"scheduling.k8s.io":              "PriorityClass",
	"storage.k8s.io":                 "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
	"storagemigration.k8s.io":        "StorageVersionMigration",
	"acme.cert-manager.io":           "",
	"cert-manager.io":                "ClusterIssuer",
	"cilium.io":                      "CiliumBGPAdvertisement CiliumBGPClusterConfig CiliumBGPPeerConfig CiliumCIDRGroup CiliumClusterwideEnvoyConfig CiliumClusterwideNetworkPolicy CiliumEgressGatewayPolicy CiliumExternalWorkload CiliumIdentity CiliumL2AnnouncementPolicy CiliumLoadBalancerIPPool CiliumNode",
	"config.projectsveltos.io":       "ClusterConfiguration ClusterProfile",
	"external-secrets.io":            "ClusterExternalSecret ClusterPushSecret ClusterSecretStore",
	"gateway.networking.k8s.io":      "GatewayClass",
	"helm.toolkit.fluxcd.io":         "",
	"image.toolkit.fluxcd.io":        "",
	"kustomize.toolkit.fluxcd.io":    "",
	"kyverno.io":                     "ClusterCleanupPolicy ClusterPolicy GlobalContextEntry",
	"lib.projectsveltos.io":          "Classifier ClusterHealthCheck ClusterSet DebuggingConfiguration EventSource EventTrigger HealthCheck Reloader RoleRequest Techsupport",
	"monitoring.coreos.com":          "",
	"notification.toolkit.fluxcd.io": "",
	"source.extensions.fluxcd.io":    "",
	"source.toolkit.fluxcd.io":       "",
}

// scope is what is known of a kind: the table first, then definitions in the
// input.
func (s Scopes) scope(group, kind string) Scope {
	if kinds, known := clusterWide[group]; known {
		for k := range strings.FieldsSeq(kinds) {
			if k == kind {
				return ClusterWide
			}
		}
		return Namespaced
	}
	return s[[2]string{group, kind}]
}

// Normalise gives an object the namespace that it ends up in: the default one
// where it has none and needs one, none where its kind has none. What it returns
// says what was done to decide that.
func (s Scopes) Normalise(o *krm.Object) Scope {
	scope := s.scope(krm.GroupOf(o.APIVersion), o.Kind)
	switch {
	case scope == ClusterWide:
		o.Namespace = ""
	case scope == Namespaced && o.Namespace == "":
		o.Namespace = "default"
	}
	return scope
}
