package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// bystanders are there before any fleet and are nobody's of these tests, though
// some look like ours.
const bystanders = `
apiVersion: v1
kind: Namespace
metadata: {name: bystander}
---
apiVersion: v1
kind: Namespace
metadata:
  name: bystander-tenant
  labels: {app.kubernetes.io/managed-by: provision-tenants, platform.example.org/fleet: another}
  annotations: {provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/another}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: notes, namespace: bystander}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: ExternalArtifact
metadata:
  name: web
  namespace: bystander-tenant
  labels: {app.kubernetes.io/managed-by: provision-tenants, platform.example.org/fleet: another}
`

// makeBystanders makes them with kubectl, whose prunes look for what it has made.
var makeBystanders = sync.OnceValues(func() ([]byte, error) {
	command := exec.Command("kubectl", "apply", "-f", "-")
	command.Stdin = strings.NewReader(bystanders)
	return command.CombinedOutput()
})

// keepBystanders checks at the end of the test that nothing of what was there
// before has gone.
func keepBystanders(t *testing.T) {
	t.Helper()
	text, err := makeBystanders()
	require.NoError(t, err, string(text))
	before := others(t)
	require.Contains(t, before, "Namespace /kube-system")
	require.Contains(t, before, "ExternalArtifact bystander-tenant/web")
	t.Cleanup(func() { assert.Subset(t, others(t), before, "what is not the fleet's has gone") })
}

// others lists what is in the cluster and of no fleet.
func others(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, o := range slices.Concat(list(t, namespaces), list(t, configMaps), list(t, artifacts)) {
		if !ofAFleet(o.GetNamespace()+o.GetName()) && o.GetDeletionTimestamp() == nil {
			names = append(names, title(&o))
		}
	}
	return names
}

func ofAFleet(name string) bool {
	is := false
	fleets.Range(func(fleet, _ any) bool {
		is = is || strings.HasPrefix(name, fleet.(string)+"-")
		return !is
	})
	return is
}

// A revision is what somebody pushes.
type revision struct {
	name string
	push func(*fleet)
	// tenants and modules are what is there afterwards.
	modules []string
}

var revisions = []revision{
	{"first", func(*fleet) {}, []string{"reef/web", "tide/web"}},
	{"one is added", func(f *fleet) { f.add("wave", "web"); f.add("wave", "api") }, []string{"reef/web", "tide/web", "wave/api", "wave/web"}},
	{"one changes", func(f *fleet) {
		f.write(f.module("tide", "web")+"/manifests/config.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\n")
		f.write("tenants/"+f.namespace("tide")+"/namespace-metadata.yaml", "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: NamespaceMetadata\n"+
			"metadata:\n  annotations: {platform.example.org/observability: Enabled}\n")
		f.remove(f.module("wave", "api"))
	}, []string{"reef/web", "tide/web", "wave/web"}},
	{"one is renamed", func(f *fleet) { f.rename("wave", "foam") }, []string{"foam/web", "reef/web", "tide/web"}},
	{"one is removed", func(f *fleet) { f.leave("reef") }, []string{"foam/web", "tide/web"}},
}

// TestRevisions takes a fleet through its life with each applier. After each
// revision the cluster has what was rendered, as it was rendered, and no more.
func TestRevisions(t *testing.T) {
	t.Parallel()
	for i, a := range appliers {
		t.Run(a.name, func(t *testing.T) {
			needs(t, append(a.needs, "kubectl")...)
			t.Parallel()
			f := newFleet(t, fmt.Sprintf("life%d", i), options{prune: true, appliers: a.appliers}, "reef", "tide")
			keepBystanders(t)
			session := a.open(t, f)
			var past []string
			for _, r := range revisions {
				r.push(f)
				f.deliver(session)
				want := f.expected(r.modules)
				if a.name == kubectlApply.name { // removes nothing
					past = append(past, want...)
					want = slices.Compact(slices.Sorted(slices.Values(past)))
				}
				f.assertHere(want, r.name)
				f.assertApplied(r.name)
				f.deliver(session)
				f.assertApplied(r.name + ", again")
			}
		})
	}
}

// expected are the titles of the objects for `tenant/module`s.
func (f *fleet) expected(modules []string) []string {
	var titles []string
	for _, m := range modules {
		tenant, module, _ := strings.Cut(m, "/")
		titles = append(titles, "Namespace /"+f.namespace(tenant), "ExternalArtifact "+f.namespace(tenant)+"/"+module)
	}
	slices.Sort(titles)
	return slices.Compact(titles)
}

// assertHere waits for what the cluster has of the fleet to be as expected: what
// was in a namespace goes after it.
func (f *fleet) assertHere(want []string, when string) {
	f.Helper()
	_ = poll(func() (bool, error) { return slices.Equal(want, f.here()), nil })
	assert.Equal(f, want, f.here(), when)
}

// assertApplied checks that the cluster has every object of the last rendering
// with the metadata and the spec that were rendered. Appliers add to them.
func (f *fleet) assertApplied(when string) {
	f.Helper()
	objects := f.objects()
	require.NotEmpty(f, objects, when)
	for _, want := range objects {
		got := &unstructured.Unstructured{}
		got.SetGroupVersionKind(want.GroupVersionKind())
		require.NoError(f, cluster.Get(context.Background(), client.ObjectKeyFromObject(want), got), when)
		for _, metadata := range []struct{ want, got map[string]string }{
			{want.GetAnnotations(), got.GetAnnotations()}, {want.GetLabels(), got.GetLabels()},
		} {
			for key, value := range metadata.want {
				if value == "provision-tenants" && metadata.got[key] == "Helm" {
					continue // `app.kubernetes.io/managed-by`, which Helm sets and asks for
				}
				assert.Equal(f, value, metadata.got[key], "%s: %s %s", when, title(want), key)
			}
		}
		if spec, ok := want.Object["spec"]; ok {
			assert.Equal(f, spec, got.Object["spec"], "%s: %s", when, title(want))
		}
	}
}
