package fn

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/resourceset"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

// Who deletes a namespace, and when, over several revisions.

const (
	resourceSet = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata:\n  name: tenants\n  namespace: flux-system\n  uid: 1d3e\n"
	reference   = "fluxcd.controlplane.io/v1/ResourceSet/flux-system/tenants/1d3e"
	finalizerOf = "    source.extensions.fluxcd.io/externalFinalizer: "
)

// guarded is the platform's configuration with what was applied last in a file.
func guarded(t *testing.T, pairs ...string) string {
	t.Helper()
	return with(t, append([]string{"spec:\n  sources", "spec:\n  deletion: {baseline: rendered, maxNamespaces: 9}\n  sources"}, pairs...)...)
}

// apply makes an outcome the baseline.
func apply(t *testing.T, o outcome) {
	t.Helper()
	require.Zero(t, o.status, o.stderr)
	write(t, ".", "rendered/all.yaml", documents(t, o.stdout))
}

// liveNamespace is an export of a Namespace with annotations, each a line.
func liveNamespace(name string, annotations ...string) string {
	text := "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n  uid: uid-" + name + "\n  annotations:\n    provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/tenants\n"
	return text + strings.Join(annotations, "")
}

// keepKeys are the annotations that make the appliers keep the object.
func (e object) keepKeys() []string {
	var keys []string
	for key := range handoff.Default().Keep(nil) {
		if _, there := e.Metadata.Annotations[key]; there {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

var allKeepKeys = []string{
	"argocd.argoproj.io/sync-options", "client.lifecycle.config.k8s.io/deletion", "fluxcd.controlplane.io/prune",
	"helm.sh/resource-policy", "kustomize.toolkit.fluxcd.io/prune",
}

// A namespace that is to survive leaves one revision after appliers were told.
func TestReleaseTakesTwoRevisions(t *testing.T) {
	repo(t, m{tenantA: manifest, tenantB: manifest, "rendered/.keep": ""})
	apply(t, renderAgain(t, guarded(t)))
	remove(t, ofA)
	release := guarded(t, "prune: true", "prune: false")

	first := renderAgain(t, release)
	assert.Equal(t, []string{"tenant-a", "tenant-b", "tenant-b/m"}, first.ours())
	assert.Equal(t, allKeepKeys, first.get(t, "tenant-a").keepKeys())
	assert.Equal(t, untilApplied, first.get(t, "tenant-a").annotation("retained"))
	assert.Equal(t, []string{"warning gc-once-more"}, first.found())

	assert.Equal(t, first.stdout, renderAgain(t, release).stdout, "nothing was applied in between")
	apply(t, first)
	second := renderAgain(t, release)
	assert.Equal(t, []string{"tenant-b", "tenant-b/m"}, second.ours())
	assert.Equal(t, []string{"info gc-kept"}, second.found())
	apply(t, second)
	assert.Empty(t, renderAgain(t, release).found(), "it is forgotten")
}

// kpt runs the function as often as it likes between two revisions: what it hands
// back is no proof that a cluster has seen it.
func TestReleaseUnderKpt(t *testing.T) {
	repo(t, m{tenantA: manifest, tenantB: manifest})
	kptfile := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n  annotations:\n    config.kubernetes.io/path: Kptfile\n"
	release := with(t, "prune: true", "prune: false")
	again := func(config string, o outcome, without string, more ...string) outcome {
		items := append([]string{kptfile}, more...)
		for document := range strings.SplitSeq(documents(t, o.stdout), "---\n") {
			if document != "" && !strings.Contains(document, "Kptfile") && !strings.Contains(document, "uid:") && (without == "" || !strings.Contains(document, without)) {
				items = append(items, document)
			}
		}
		return observe(t, listOf(config, items...))
	}
	before := renderAgain(t, platform)
	remove(t, ofA)
	first := again(release, before, "")
	assert.Equal(t, []string{"tenant-a", "tenant-b", "tenant-b/m"}, first.ours())
	second := again(release, first, "")
	assert.Equal(t, itemsText(first.stdout), itemsText(second.stdout))
	assert.Contains(t, second.the(t, "gc-once-more").Message, `remove "generated/tenant-a/namespace-tenant-a.yaml"`)

	gone := again(release, second, "namespace-tenant-a.yaml")
	assert.Equal(t, []string{"tenant-b", "tenant-b/m"}, gone.ours(), "somebody has removed the file")

	exported := liveNamespace("tenant-a", "    config.kubernetes.io/path: live/a.yaml\n")
	stays := again(release, second, "", exported)
	assert.Contains(t, stays.the(t, "gc-once-more").Message, "export the namespace again")
	told := handoff.Default().Keep(nil)
	for key, value := range told {
		exported += "    " + key + ": " + value + "\n"
	}
	gone = again(release, second, "", exported)
	assert.Equal(t, "Namespace", gone.objects[1].Kind, "the export passes")
	assert.Equal(t, "true", gone.objects[1].Metadata.Annotations["config.kubernetes.io/local-config"])
	assert.Contains(t, gone.found(), "info gc-kept")

	write(t, ".", tenantA, manifest)
	back := again(release, second, "")
	assert.Empty(t, back.get(t, "tenant-a").annotation("retained"), "its directory is there again")
}

// What was handed to a ResourceSet is kept by every applier but the one that has
// to delete it.
func TestHandover(t *testing.T) {
	repo(t, m{
		tenantA: manifest, tenantB: manifest, "rendered/.keep": "", "live/sets.yaml": resourceSet,
		"live/a.yaml": liveNamespace("tenant-a", finalizerOf+reference+"\n"),
	})
	config := guarded(t, "spec:\n  deletion", "spec:\n  state: [live/*.yaml]\n  deletion")
	o := renderAgain(t, config)
	want := slices.DeleteFunc(slices.Clone(allKeepKeys), func(key string) bool { return key == "fluxcd.controlplane.io/prune" })
	assert.Equal(t, want, o.get(t, "tenant-a").keepKeys())
	assert.Equal(t, reference, o.get(t, "tenant-a").annotation("finalized-by"))
	assert.Empty(t, o.get(t, "tenant-b").keepKeys())
	assert.NotContains(t, itemsText(o.stdout), "externalFinalizer", "it is never part of what is wanted")
	assert.Equal(t, []string{"info finalizer-found"}, o.found())

	apply(t, o)
	kept := "    kustomize.toolkit.fluxcd.io/prune: disabled\n    client.lifecycle.config.k8s.io/deletion: detach\n    helm.sh/resource-policy: keep\n    argocd.argoproj.io/sync-options: Prune=false,Delete=false\n"
	write(t, ".", "live/a.yaml", liveNamespace("tenant-a", finalizerOf+reference+"\n", kept))
	remove(t, ofA)
	o = renderAgain(t, config)
	assert.Equal(t, []string{"tenant-b", "tenant-b/m"}, o.ours())
	assert.Equal(t, reference, o.the(t, "gc-finalizer").Tags["deletedBy"])

	// The finalizer was made anew: it does not know the namespace, which nobody deletes.
	write(t, ".", "live/sets.yaml", strings.Replace(resourceSet, "1d3e", "2e4f", 1))
	o = renderAgain(t, config)
	assert.Equal(t, []string{"warning finalizer-gone live/a.yaml", "warning gc-leaked"}, o.found())

	// It has done its duty, and the applier must not make the namespace anew.
	write(t, ".", "live/a.yaml", liveNamespace("tenant-b"))
	write(t, ".", "live/sets.yaml", resourceSet)
	baseline := read(t, ".", "rendered/all.yaml")
	write(t, ".", "rendered/all.yaml", strings.Replace(baseline, "kustomize.toolkit.fluxcd.io/prune", "x", 1))
	o = renderAgain(t, config)
	assert.Equal(t, []string{"info gc-finalizer"}, o.found())
	assert.Equal(t, []string{"tenant-b", "tenant-b/m"}, o.ours())

	remove(t, "live")
	write(t, ".", "live/sets.yaml", resourceSet)
	write(t, ".", "rendered/all.yaml", baseline)
	assert.Equal(t, reference, renderAgain(t, config).the(t, "gc-finalizer").Tags["deletedBy"], "the cluster does not show the namespace, and the last run knew")
}

// One export without a namespace ends no handoff: appliers would delete it when it
// leaves. One that shows the namespace without a finalizer does.
func TestHandoverOutlivesAnExport(t *testing.T) {
	repo(t, m{
		tenantA: manifest, "rendered/.keep": "", "live/sets.yaml": resourceSet,
		"live/a.yaml": liveNamespace("tenant-a", finalizerOf+reference+"\n"),
	})
	config := guarded(t, "spec:\n  deletion", "spec:\n  state: [live/*.yaml]\n  deletion")
	before := renderAgain(t, config)
	apply(t, before)
	remove(t, "live/a.yaml")
	o := renderAgain(t, config)
	assert.Equal(t, []string{"warning finalizer-unknown"}, o.found())
	assert.Equal(t, before.get(t, "tenant-a"), o.get(t, "tenant-a"))
	write(t, ".", "live/a.yaml", liveNamespace("tenant-a"))
	o = renderAgain(t, config)
	assert.Equal(t, []string{"warning finalizer-unknown"}, o.found())
	assert.Empty(t, o.get(t, "tenant-a").keepKeys())
	assert.Empty(t, o.get(t, "tenant-a").annotation("finalized-by"))
}

// The generator is gone, and not a finalizer that the last run knew nothing of:
// appliers have to be told first, as of any other namespace.
func TestHandoverWithoutTheGenerator(t *testing.T) {
	repo(t, m{
		tenantB: manifest, "live/all.yaml": liveNamespace("tenant-a", finalizerOf+reference+"\n") + "---\n" + resourceSet,
		"rendered/all.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: tenant-a\n  annotations:\n    provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/gone\n    provision-tenants.fn.kpt.dev/name: /Namespace//tenant-a\n" +
			"---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: tenant-b\n  annotations:\n    provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/tenants\n",
	})
	config := guarded(t, "spec:\n  deletion", "spec:\n  state: [live/*]\n  deletion")
	o := renderAgain(t, config)
	assert.Equal(t, []string{"tenant-a", "tenant-b", "tenant-b/m"}, o.ours())
	assert.Equal(t, reference, o.get(t, "tenant-a").annotation("finalized-by"))
	assert.Equal(t, []string{"warning gc-once-more"}, o.found())
	apply(t, o)
	var kept []string
	for key, value := range handoff.Default().Keep(nil) {
		if key != "fluxcd.controlplane.io/prune" {
			kept = append(kept, "    "+key+": "+value+"\n")
		}
	}
	write(t, ".", "live/all.yaml", liveNamespace("tenant-a", append(kept, finalizerOf+reference+"\n")...)+"---\n"+resourceSet)
	o = renderAgain(t, config)
	assert.Equal(t, reference, o.the(t, "gc-finalizer").Tags["deletedBy"])
	assert.Equal(t, []string{"tenant-b", "tenant-b/m"}, o.ours())
}

// A ResourceSet of the run that declares the namespace as its own is as good as a
// live reference to it, and one that the cluster knows is better.
func TestHandoverBySelf(t *testing.T) {
	const owner = "ArtifactGenerator/flux-system/tenants"
	plan := &config.Plan{Appliers: handoff.Default(), Generators: []config.Generator{{Owner: owner, Managed: &tenant.Policy{}, Prune: true}}}
	plan.Deletion = config.Deletion{Max: config.Limit{Number: 9}, AllowEmpty: true}
	namespace := func(name string) *krm.Object {
		return &krm.Object{APIVersion: "v1", Kind: "Namespace", Name: name, Annotations: m{krm.OwnerKey: owner}}
	}
	list, err := krm.Read(listOf("", strings.Replace(liveNamespace("tenant-c"), "  uid: uid-tenant-c\n", "", 1), strings.Replace(liveNamespace("tenant-d"), "  uid: uid-tenant-d\n", "", 1)))
	require.NoError(t, err)
	selves := resourceset.Finalized{"tenant-a": {Owner: "ResourceSet/flux-system/tenants"}, "tenant-c": {Owner: "ResourceSet/flux-system/tenants"}}
	rep := &krm.Report{}
	p := &previous{made: list.Items, owners: map[string]bool{owner: true}}
	objects := settle([]*krm.Object{namespace("tenant-a"), namespace("tenant-b")}, p, plan, selves, rep)

	require.Len(t, objects, 3)
	want := merged(plan.Appliers.Except(resourceSets).Keep(nil), m{krm.OwnerKey: owner, krm.FinalizedByKey: "ResourceSet/flux-system/tenants"})
	assert.Equal(t, want, objects[0].Annotations)
	assert.Equal(t, m{krm.OwnerKey: owner}, objects[1].Annotations)
	assert.Equal(t, "tenant-c", objects[2].Name, "it is handed over and leaves, and appliers were never told")
	assert.Equal(t, untilApplied, objects[2].Annotations[krm.RetainedKey])
	assert.Equal(t, "ResourceSet/flux-system/tenants", objects[2].Annotations[krm.FinalizedByKey])
	var found []string
	for _, f := range rep.Findings() {
		found = append(found, strings.TrimSpace(f.Code+" "+f.DeletedBy))
	}
	assert.Equal(t, []string{"gc-once-more nobody", "finalizer-found", "gc-applier applier"}, found)
}

func merged(all ...m) m {
	one := m{}
	for _, some := range all {
		maps.Copy(one, some)
	}
	return one
}

// What leaves together with the namespace does not use it.
func TestLiveUsers(t *testing.T) {
	artifact := func(name, owner string) string {
		text := "apiVersion: source.toolkit.fluxcd.io/v1\nkind: ExternalArtifact\nmetadata:\n  name: " + name + "\n  namespace: tenant-a\n  uid: " + name + "\n"
		if owner != "" {
			text += "  annotations:\n    provision-tenants.fn.kpt.dev/owner: " + owner + "\n"
		}
		return text
	}
	list, err := krm.Read(listOf("", artifact("one", "gone"), artifact("two", "of-this-run"), artifact("three", "stranger"), artifact("four", "")))
	require.NoError(t, err)
	var exported []handoff.Live
	for _, item := range list.Items {
		exported = append(exported, handoff.Live{Item: item})
	}
	rep := &krm.Report{}
	plan := &config.Plan{State: handoff.NewState(exported, rep)}
	var users []string
	for _, u := range newCustody(plan, map[string]bool{"of-this-run": true}, nil, rep).liveUsers(&past{name: "tenant-a", owner: "gone"}) {
		users = append(users, u.id.Name+" of "+u.owner)
	}
	assert.Equal(t, []string{"three of stranger", "four of "}, users)
}

// The key that names a finalizer is refused wherever it comes from.
func TestNoObjectOfOursNamesAFinalizer(t *testing.T) {
	for _, o := range []*krm.Object{
		{APIVersion: "v1", Kind: "Namespace", Name: "a", Annotations: m{handoff.FinalizerKey: reference}},
		{APIVersion: "v1", Kind: "Namespace", Name: "a", Labels: m{handoff.FinalizerKey: "self"}, Annotations: m{}},
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "a", Name: "a", Annotations: m{handoff.FinalizerKey: "self"}},
	} {
		rep := &krm.Report{}
		settle([]*krm.Object{o}, &previous{}, &config.Plan{}, nil, rep)
		assert.Equal(t, "metadata-forbidden-key", rep.Findings()[0].Code)
		assert.True(t, rep.Failed())
	}
}

// A generator is renamed: nothing is deleted, nothing is made anew, and where
// everything is renamed nobody believes that it was ours.
func TestRenamedGenerator(t *testing.T) {
	repo(t, m{tenantA: manifest, tenantB: manifest, "rendered/.keep": ""})
	apply(t, renderAgain(t, guarded(t)))
	o := renderAgain(t, guarded(t, "metadata: {name: tenants,", "metadata: {name: customers,"))
	assert.Empty(t, o.found())
	remove(t, ofA)
	o = renderAgain(t, guarded(t, "metadata: {name: tenants,", "metadata: {name: customers,"))
	assert.Contains(t, o.the(t, "gc-applier").Message, "ArtifactGenerator/flux-system/tenants, which made it, is not part of this run")
	rename(t, "tenants/tenant-b", "tenants/tenant-c")
	o = renderAgain(t, guarded(t, "metadata: {name: tenants,", "metadata: {name: customers,"))
	assert.Equal(t, []string{"error baseline-foreign spec.deletion.baseline"}, o.found())
}

// A module moves from one generator to another with equal content: the owner
// changes, and nothing leaves.
func TestATransferIsNoDeletion(t *testing.T) {
	repo(t, m{tenantA: manifest, tenantB: manifest, "rendered/.keep": ""})
	before := renderAgain(t, guarded(t))
	apply(t, before)
	_, generator, _ := strings.Cut(platform, "  generators:\n")
	second := strings.NewReplacer("{name: tenants,", "{name: others,", "ns.startsWith('tenant-')", "ns == 'tenant-b'", "@repo/tenants/", "@repo/more/").Replace(generator)
	rename(t, "tenants/tenant-b", "more")
	require.NoError(t, os.MkdirAll("more2", 0o755))
	rename(t, "more", "more2/tenant-b")
	rename(t, "more2", "more")
	o := renderAgain(t, guarded(t)+second)
	assert.Empty(t, o.found())
	assert.Equal(t, "ArtifactGenerator/flux-system/others", o.get(t, "tenant-b").annotation("owner"))
	assert.Equal(t, before.get(t, "tenant-b/m").annotation("digest"), o.get(t, "tenant-b/m").annotation("digest"))
}

// A rename is a deletion and a creation: it is told, counts, and can be refused.
func TestARenameNeedsRoom(t *testing.T) {
	repo(t, m{tenantA: manifest, tenantB: "other", "rendered/.keep": ""})
	apply(t, renderAgain(t, guarded(t)))
	rename(t, "tenants/tenant-b", "tenants/tenant-bee")
	o := renderAgain(t, guarded(t))
	assert.Equal(t, []string{"info gc-applier", "warning namespace-renamed"}, o.found())
	o = renderAgain(t, guarded(t, "maxNamespaces: 9", "maxNamespaces: 0"))
	assert.Equal(t, exitSafeguard, o.status)
}

// What stays in the output counts as leaving once, when it begins to stay.
func TestRetainedCountsOnce(t *testing.T) {
	repo(t, m{tenantA: manifest, tenantB: manifest, "rendered/.keep": ""})
	kept := func(limit string) string {
		return guarded(t, "prune: true", "prune: false", "spec:\n  deletion", "spec:\n  appliers: [Kubectl]\n  deletion", "maxNamespaces: 9", "maxNamespaces: "+limit)
	}
	apply(t, renderAgain(t, kept("0")))
	remove(t, ofA)
	assert.Equal(t, exitSafeguard, renderAgain(t, kept("0")).status)
	for range 3 {
		o := renderAgain(t, kept("1"))
		assert.Equal(t, []string{"tenant-a", "tenant-b", "tenant-b/m"}, o.ours())
		assert.Equal(t, forKubectl, o.get(t, "tenant-a").annotation("retained"))
		assert.Equal(t, []string{"info gc-retained"}, o.found())
		apply(t, o)
	}
	assert.Zero(t, renderAgain(t, kept("0")).status)
	pruned := func(limit string) string { return strings.Replace(kept(limit), "prune: false", "prune: true", 1) }
	assert.Equal(t, exitSafeguard, renderAgain(t, pruned("0")).status, "kubectl deletes it only now")
	assert.Equal(t, []string{"tenant-b", "tenant-b/m"}, renderAgain(t, pruned("1")).ours())
	remove(t, "tenants/tenant-b")
	o := renderAgain(t, kept("5"))
	assert.Contains(t, o.found(), "error deletion-all spec.deletion.maxNamespaces", "nobody asks for any of them")
}

// One switch protects every namespace, for the appliers that are named.
func TestOnlyTheAppliersInUse(t *testing.T) {
	config := with(t, "prune: true", "prune: false", "spec:\n  sources", "spec:\n  appliers: [ArgoCD, Helm]\n  sources")
	o := provision(t, config, m{tenantA: manifest})
	assert.Equal(t, []string{"argocd.argoproj.io/sync-options", "helm.sh/resource-policy"}, o.get(t, "tenant-a").keepKeys())
	for _, name := range o.ours() {
		assert.NotContains(t, o.get(t, name).Metadata.Annotations, "kustomize.toolkit.fluxcd.io/substitute", "Flux does not see it")
	}
	assert.Empty(t, o.found("error", "warning"))
}

// Namespaces that were made by hand, or by somebody else, are never taken by
// accident.
func TestAdoptionIsExplicit(t *testing.T) {
	foreign := "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: tenant-a\n  uid: a1\n"
	state := func(pairs ...string) string {
		return with(t, append([]string{"spec:\n  sources", "spec:\n  state: [live/*]\n  sources"}, pairs...)...)
	}
	files := m{tenantA: manifest, "live/a.yaml": foreign}
	o := provision(t, state(), files)
	assert.Equal(t, []string{"error namespace-not-adopted spec.generators[0]"}, o.found("error"))
	assert.Contains(t, o.stderr, "`provision-tenants.fn.kpt.dev/adopt`")
	o = renderAgain(t, state("namespace: flux-system}", `namespace: flux-system, annotations: {provision-tenants.fn.kpt.dev/adopt: "tenant-x, tenant-a"}}`))
	assert.Equal(t, []string{"info namespace-adopted live/a.yaml", "info no-baseline"}, o.found())
	write(t, ".", "live/a.yaml", liveNamespace("tenant-a"))
	assert.Equal(t, []string{"info no-baseline"}, renderAgain(t, state()).found(), "it is ours")
}

// A tenant's file is no state, whatever it says.
func TestTenantsDoNotHandOver(t *testing.T) {
	repo(t, m{tenantA: manifest})
	kptfile := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n  annotations:\n    config.kubernetes.io/path: Kptfile\n"
	at := "  annotations:\n    config.kubernetes.io/path: "
	namespace := "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: tenant-x\n  uid: x\n" + at + "tenants/tenant-a/ns.yaml\n" + finalizerOf + reference + "\n"
	set := resourceSet + at + "tenants/tenant-a/set.yaml\n"
	o := observe(t, listOf(platform, kptfile, namespace, set))
	assert.Equal(t, []string{"info no-baseline"}, o.found())
	assert.NotContains(t, o.stdout, "finalized-by")
	assert.NotContains(t, itemsText(o.stdout)[:strings.Index(itemsText(o.stdout), "tenant-a\n")], "local-config", "it passes as it is")
}

// What the previous output says is emitted once more, so a tenant must not write it.
func TestTenantsWriteNoPreviousOutput(t *testing.T) {
	forged := "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: victim\n  labels: {pod-security.kubernetes.io/enforce: privileged}\n  annotations:\n    provision-tenants.fn.kpt.dev/owner: ArtifactGenerator/flux-system/tenants\n"
	files := m{tenantA: manifest, "tenants/tenant-a/forged.yaml": forged}
	for _, baseline := range []string{".", "tenants"} {
		o := provision(t, guarded(t, "prune: true", "prune: false", "baseline: rendered", "baseline: "+baseline), files)
		assert.Equal(t, []string{"error config-in-tenant-directory spec.deletion.baseline"}, o.found("error"))
		assert.NotContains(t, itemsText(o.stdout), "privileged")
	}
	whole := guarded(t, "prune: true", "prune: false", "baseline: rendered", "baseline: .", "@repo/tenants/", "@repo/")
	for _, config := range []string{strings.Replace(whole, "directory: .", "directory: tenants", 1), strings.ReplaceAll(whole, "modules/", "")} {
		o := provision(t, config, files)
		assert.Contains(t, o.found("error"), "error config-in-tenant-directory spec.deletion.baseline")
	}
}

// Half of the previous output is none: what it lacks could leave unseen.
func TestPreviousOutputIsWhole(t *testing.T) {
	repo(t, m{tenantA: manifest, tenantB: manifest, "rendered/.keep": ""})
	before := renderAgain(t, guarded(t))
	apply(t, before)
	text := read(t, ".", "rendered/all.yaml")
	write(t, ".", "rendered/all.yaml", text[:len(text)-9])
	assert.Equal(t, []string{"error baseline-unreadable spec.deletion.baseline"}, renderAgain(t, guarded(t)).found("error"))
	remove(t, "rendered/all.yaml")
	write(t, ".", "elsewhere.yaml", text)
	require.NoError(t, os.Symlink("../elsewhere.yaml", "rendered/all.yaml"))
	o := renderAgain(t, guarded(t))
	assert.Equal(t, []string{"error baseline-unreadable spec.deletion.baseline"}, o.found("error"))
	assert.Contains(t, o.stderr, "links are never followed")
}
