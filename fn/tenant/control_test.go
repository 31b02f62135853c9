package tenant

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsControl(t *testing.T) {
	for _, key := range []string{
		"config.kubernetes.io/local-config", "internal.config.kubernetes.io/path", "config.k8s.io/owning-inventory", "kustomize.config.k8s.io/needs-hash",
		"kustomize.config.k8s.io/behavior", "kustomize.toolkit.fluxcd.io/prune", "source.extensions.fluxcd.io/externalFinalizer", "fluxcd.io/sync-checksum",
		"fluxcd.controlplane.io/reconcile", "controlplane.io/x", "cli-utils.sigs.k8s.io/on-remove", "client.lifecycle.config.k8s.io/deletion",
		"configmanagement.gke.io/managed", "configsync.gke.io/x", "applyset.kubernetes.io/part-of", "argocd.argoproj.io/sync-options", "argoproj.io/x",
		"helm.sh/resource-policy", "meta.helm.sh/release-name", "projectsveltos.io/x", "reference.projectsveltos.io/y", "provision-tenants.fn.kpt.dev/owner", "kpt.dev/x",
		"kubernetes.io/metadata.name", "app.kubernetes.io/managed-by", "kubectl.kubernetes.io/last-applied-configuration", "Config.Kubernetes.io/local-config",
	} {
		assert.True(t, IsControl(key), key)
	}
	for _, key := range []string{
		"my.org.io/observability", "team", "notfluxcd.io/x", "helm.sh.example.org/x", "helm.sh", "config.kubernetes.io", "app.kubernetes.io/name", "app.kubernetes.io/part-of",
		"kubernetes.io/x", "kubectl.kubernetes.io/restartedAt", "pod-security.kubernetes.io/enforce", "xconfig.kubernetes.io/x", "k8s.io/fluxcd.io", "",
	} {
		assert.False(t, IsControl(key), key)
	}
}

func TestAdminForbidden(t *testing.T) {
	for _, key := range []string{
		"config.kubernetes.io/local-config", "internal.config.kubernetes.io/path", "kustomize.config.k8s.io/behavior", "applyset.kubernetes.io/part-of",
		"source.extensions.fluxcd.io/externalFinalizer", "provision-tenants.fn.kpt.dev/owner", "app.kubernetes.io/managed-by", "kubernetes.io/metadata.name",
		"Config.Kubernetes.IO/local-config",
	} {
		assert.True(t, AdminForbidden(key), key)
	}
	for _, key := range []string{
		"kustomize.toolkit.fluxcd.io/prune", "argocd.argoproj.io/sync-wave", "helm.sh/resource-policy", "source.extensions.fluxcd.io/prune",
		"client.lifecycle.config.k8s.io/deletion", "pod-security.kubernetes.io/enforce", "app.kubernetes.io/part-of", "team",
	} {
		assert.False(t, AdminForbidden(key), key+": the admin decides")
	}
}
