package tenant

import (
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Keys that others set: the API server, kubectl, and whoever takes over the
// deletion of a live namespace.
const (
	metadataName = "kubernetes.io/metadata.name"
	lastApplied  = "kubectl.kubernetes.io/last-applied-configuration"
	finalizer    = "source.extensions.fluxcd.io/externalFinalizer"
)

// controlPrefixes are the prefixes, and the ends of prefixes, by which
// orchestrators and appliers are told what to do with an object.
var controlPrefixes = []string{
	"config.kubernetes.io", "config.k8s.io", "fluxcd.io", "controlplane.io", "cli-utils.sigs.k8s.io",
	"lifecycle.config.k8s.io", "configmanagement.gke.io", "configsync.gke.io", "applyset.kubernetes.io",
	"argoproj.io", "helm.sh", "projectsveltos.io", "kpt.dev",
}

// IsControl tells whether a label or annotation tells an orchestrator or an
// applier what to do with the object: drop it (`config.kubernetes.io/local-config`),
// rename it, never delete it. A tenant must not decide that, so such a key is
// never taken from a tenant and cannot be in an allow-list.
func IsControl(key string) bool {
	prefix, _, _ := strings.Cut(strings.ToLower(key), "/")
	return key == metadataName || key == krm.ManagedByKey || key == lastApplied ||
		strings.Contains(key, "/") && slices.ContainsFunc(controlPrefixes, func(control string) bool {
			return prefix == control || strings.HasSuffix(prefix, "."+control)
		})
}

// adminForbidden are the prefixes that not even spec.commonMetadata and
// metadata.from may set: one `local-config` there deletes the fleet.
var adminForbidden = []string{
	"config.kubernetes.io/", "internal.config.kubernetes.io/", "kustomize.config.k8s.io/",
	"applyset.kubernetes.io/", krm.Prefix,
}

// AdminForbidden tells whether an admin must not set a key either. The
// externalFinalizer is among them: the handoff of a namespace is recorded on the
// live object, and the generator's own desired state would forge it.
func AdminForbidden(key string) bool {
	return key == finalizer || key == krm.ManagedByKey || key == metadataName ||
		slices.ContainsFunc(adminForbidden, func(prefix string) bool { return strings.HasPrefix(strings.ToLower(key), prefix) })
}
