package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/cli-utils/pkg/object"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// flux is what kustomize-controller does for a Kustomization with `prune: true`.
var flux = applier{
	name:     "Flux Kustomization",
	destroys: "Flux Kustomization, deleted",
	open: func(t *testing.T, f *fleet) session {
		return fluxSession(t, f, dialect{
			field: "kustomize-controller", group: "kustomize.toolkit.fluxcd.io",
			skip:       map[string]string{"kustomize.toolkit.fluxcd.io/reconcile": "disabled", "kustomize.toolkit.fluxcd.io/ssa": "Ignore"},
			keep:       map[string]string{"kustomize.toolkit.fluxcd.io/prune": "disabled"},
			createOnly: map[string]string{"kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent"},
			merge:      map[string]string{"kustomize.toolkit.fluxcd.io/ssa": "Merge"},
		})
	},
}

// fluxOperator is what Flux Operator does for a ResourceSet, with the same library.
var fluxOperator = applier{
	name:     "Flux Operator ResourceSet",
	destroys: "Flux Operator ResourceSet, deleted",
	open: func(t *testing.T, f *fleet) session {
		return fluxSession(t, f, dialect{
			field: "flux-operator", group: "resourceset.fluxcd.controlplane.io",
			keep: map[string]string{"fluxcd.controlplane.io/prune": "disabled"},
		})
	},
}

// dialect is what the controllers on top of the library differ in.
type dialect struct {
	field, group string
	// skip is metadata of what is neither applied nor deleted, keep of what is not
	// deleted, createOnly of what is not updated, merge of what keeps the fields of
	// other managers.
	skip, keep, createOnly, merge map[string]string
}

// fluxSession applies everything, then deletes what was in the inventory and is
// not any more.
func fluxSession(t *testing.T, f *fleet, d dialect) session {
	t.Helper()
	ctx := context.Background()
	poller := polling.NewStatusPoller(cluster.Client, cluster.RESTMapper(), polling.Options{})
	manager := ssa.NewResourceManager(cluster.Client, poller, ssa.Owner{Field: d.field, Group: d.group})
	var inventory object.ObjMetadataSet
	prune := func(leaving object.ObjMetadataSet) {
		t.Helper()
		deletion := ssa.DeleteOptions{
			PropagationPolicy: metav1.DeletePropagationBackground,
			Inclusions:        manager.GetOwnerLabels(f.name, "flux-system"),
			Exclusions:        map[string]string{},
		}
		for _, metadata := range []map[string]string{d.skip, d.keep} {
			for key, value := range metadata {
				deletion.Exclusions[key] = value
			}
		}
		var objects []*unstructured.Unstructured
		for _, id := range leaving {
			o := &unstructured.Unstructured{}
			mapping, err := cluster.RESTMapper().RESTMapping(id.GroupKind)
			require.NoError(t, err)
			o.SetGroupVersionKind(mapping.GroupVersionKind)
			o.SetNamespace(id.Namespace)
			o.SetName(id.Name)
			objects = append(objects, o)
		}
		changes, err := manager.DeleteAll(ctx, objects, deletion)
		require.NoError(t, err)
		t.Logf("%s prunes:\n%s", d.field, changes)
	}
	return session{
		apply: func() {
			t.Helper()
			objects := f.objects()
			require.NoError(t, normalize.UnstructuredList(objects))
			manager.SetOwnerLabels(objects, f.name, "flux-system")
			options := ssa.DefaultApplyOptions()
			options.WaitInterval, options.WaitTimeout = 100*time.Millisecond, patience
			options.ExclusionSelector = d.skip
			options.IfNotPresentSelector = d.createOnly
			options.Cleanup.Exclusions = d.merge
			options.Cleanup.FieldManagers = []ssa.FieldManager{
				{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
				{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
				{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			}
			changes, err := manager.ApplyAllStaged(ctx, objects, options)
			require.NoError(t, err)
			t.Logf("%s applies:\n%s", d.field, changes)
			before := inventory
			inventory = nil
			for _, entry := range changes.Entries {
				inventory = append(inventory, entry.ObjMetadata)
			}
			prune(before.Diff(inventory))
		},
		destroy: func() { t.Helper(); prune(inventory) },
	}
}
