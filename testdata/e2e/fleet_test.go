package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fluxcd/pkg/ssa/utils"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fleet is a repository with tenants, and a configuration, in a directory of its
// own. Its namespaces begin with its name.
type fleet struct {
	*testing.T
	dir, name string
	options   options
	// kpt is set where the fleet is a package that `kpt fn render` renders.
	kpt bool
}

// fleets are the names of all fleets so far.
var fleets sync.Map

// options are what fleets differ in.
type options struct {
	prune    bool
	appliers string // spec.appliers
	baseURL  string // spec.publish.baseURL
	state    bool   // spec.state, what was exported before each rendering
	from     string // spec.managedNamespaces.metadata.from
}

// newFleet makes a fleet with these tenants, each with a module.
func newFleet(t *testing.T, name string, o options, tenants ...string) *fleet {
	t.Helper()
	f := &fleet{T: t, dir: t.TempDir(), name: name, options: o}
	fleets.Store(name, true)
	f.configure()
	f.write("Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: "+name+"\n  annotations:\n    config.kubernetes.io/local-config: \"true\"\n"+
		"pipeline:\n  mutators:\n    - exec: provision-tenants\n      configPath: function-config.yaml\n")
	f.write(".krmignore", "tenants\nlive\nrendered\n")
	f.write("live/README.md", "what the cluster said last\n")
	require.NoError(t, os.Mkdir(filepath.Join(f.dir, "rendered"), 0o755))
	for _, tenant := range tenants {
		f.add(tenant, "web")
	}
	return f
}

// configure writes the configuration.
func (f *fleet) configure() {
	f.Helper()
	var spec strings.Builder
	if f.options.appliers != "" {
		fmt.Fprintf(&spec, "  appliers: %s\n", f.options.appliers)
	}
	if f.options.state {
		spec.WriteString("  state: [live/*.yaml]\n")
	}
	if f.options.baseURL != "" {
		fmt.Fprintf(&spec, "  publish: {baseURL: %q}\n", f.options.baseURL)
	}
	f.write("function-config.yaml", fmt.Sprintf(`apiVersion: fn.kpt.dev/v1alpha1
kind: ProvisionTenants
metadata:
  name: %[1]s
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
%[3]s  deletion: {baseline: rendered, maxNamespaces: 1}
  generators:
    - metadata: {name: %[1]s, namespace: flux-system}
      spec:
        serviceAccountName: flux-operator
        pathPattern: "@repo/tenants/{namespace}/modules/{module}"
        commonMetadata:
          labels: {platform.example.org/fleet: %[1]s}
        sources: [{alias: repo, kind: GitRepository, name: monorepo}]
        artifacts:
          - name: "{module}"
            namespace: "{namespace}"
            inputsFrom: "@repo/tenants/{namespace}/modules/{module}/applier-inputs.yaml"
            copy: [{from: "@repo/tenants/{namespace}/modules/{module}/manifests/**", to: "@artifact/"}]
        managedNamespaces:
          allowedNames: [ns.startsWith("%[1]s-")]
          prune: %[2]t
          metadata:
            fromSource:
              path: "@repo/tenants/{namespace}/namespace-metadata.yaml"
              allowedAnnotations: {platform.example.org/observability: 'value in ["Enabled", "Disabled"]'}
            from: [%[4]s]
`, f.name, f.options.prune, spec.String(), f.options.from))
}

// namespace is the name of a tenant's namespace.
func (f *fleet) namespace(tenant string) string { return f.name + "-" + tenant }

func (f *fleet) module(tenant, module string) string {
	return filepath.Join("tenants", f.namespace(tenant), "modules", module)
}

// add makes a module, and with the first one its tenant.
func (f *fleet) add(tenant, module string) {
	f.Helper()
	f.write(f.module(tenant, module)+"/manifests/config.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "+module+"\n")
	f.write(f.module(tenant, module)+"/applier-inputs.yaml", "replicas: 3\nwants: [dns, \"${shell} stays as it is\"]\n")
}

// remove removes a path, rename a tenant.
func (f *fleet) remove(path string) {
	f.Helper()
	require.NoError(f, os.RemoveAll(filepath.Join(f.dir, path)))
}

func (f *fleet) leave(tenant string) { f.Helper(); f.remove("tenants/" + f.namespace(tenant)) }

func (f *fleet) rename(from, to string) {
	f.Helper()
	tenants := filepath.Join(f.dir, "tenants")
	require.NoError(f, os.Rename(filepath.Join(tenants, f.namespace(from)), filepath.Join(tenants, f.namespace(to))))
}

func (f *fleet) write(path, text string) {
	f.Helper()
	file := filepath.Join(f.dir, path)
	require.NoError(f, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(f, os.WriteFile(file, []byte(text), 0o644))
}

// rendering is how the platform team renders the fleet: with kpt in a package, and
// elsewhere into rendered/, which is the baseline of the next time.
func (f *fleet) rendering() string {
	if f.kpt {
		return "kpt fn render --allow-exec --truncate-output=false"
	}
	return "provision-tenants function-config.yaml </dev/null >new.yaml && mv new.yaml rendered/rendered.yaml"
}

func (f *fleet) render() { f.Helper(); must(f.T, f.dir, f.rendering()) }

// deliver renders and applies.
func (f *fleet) deliver(s session) {
	f.Helper()
	if f.options.state {
		must(f.T, f.dir, "kubectl get namespaces,resourcesets -A -o yaml >live/export.yaml")
	}
	f.render()
	s.apply()
}

// objects is what the last rendering emitted, without what stays local.
func (f *fleet) objects() []*unstructured.Unstructured {
	f.Helper()
	var all []*unstructured.Unstructured
	for _, dir := range []string{"rendered", "generated"} {
		files, err := filepath.Glob(filepath.Join(f.dir, dir, "*.yaml"))
		require.NoError(f, err)
		deeper, err := filepath.Glob(filepath.Join(f.dir, dir, "*/*.yaml"))
		require.NoError(f, err)
		for _, file := range append(files, deeper...) {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			objects, err := utils.ReadObjects(bytes.NewReader(data))
			require.NoError(f, err)
			all = append(all, objects...)
		}
	}
	return slices.DeleteFunc(all, func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()["config.kubernetes.io/local-config"] != ""
	})
}

// here lists what the cluster has of a fleet, Namespaces and ExternalArtifacts that
// are not on their way out, as `kind namespace/name`.
func (f *fleet) here() []string {
	f.Helper()
	found := map[string]bool{}
	for _, o := range slices.Concat(list(f.T, namespaces), list(f.T, artifacts)) {
		if o.GetDeletionTimestamp() == nil && strings.HasPrefix(o.GetNamespace()+o.GetName(), f.name+"-") {
			found[title(&o)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func title(o *unstructured.Unstructured) string {
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}
