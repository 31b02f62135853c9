// Package fn is the KRM function: a ResourceList in, a ResourceList out.
//
// # From the input to the output
//
//	Main             the verbs; without one, the function (cli.go)
//	krm.Read         the list; what is not ours stays the text that came in (ReadDocuments: bare documents)
//	config.Parse     functionConfig and configuration items become a Plan; all of it is valid
//	openTrees        the files of every source
//	split            what an earlier run made leaves the input
//	newDeployment    which clusters profiles are for, and claims: what they want there
//	                 (profile.Match, Expander, in profiles.go; charts.go)
//	findHoldings     what profiles had before (holdings.go)
//	generate         for each generator, in generate.go:
//	                 tenant.Discover, Resolve, Admit: who asks for a namespace, and whether they may
//	                 tenant.Policy.Metadata: the labels and annotations a Namespace ends up with
//	                 artifact.Build, InputsFrom.Load: what a module publishes and exports
//	                 handoff.Appliers.Tell: what they may do with it, in each one's own keys
//	evaluateSets     what ResourceSets render on the inputs of the artifacts, or would
//	                 do with them (resourceset.Evaluate, in resourcesets.go)
//	profile.Resolve  one owner for each object and release: the lowest tier
//	granted          the objects of those who got them; chart.Set: Flux objects of releases
//	settle           who deletes what leaves; namespaces must not leave by accident, nor before
//	                 appliers know that they must keep them
//	previous.place   which file an object goes to; what stands in its way
//	List.Render      all of it, or the input and the findings
//
// Publish makes the same run twice and writes what artifact.Build builds.
//
// Arrows between packages point down: main, fn, config, then tenant, artifact,
// profile, chart, resourceset and handoff, which do not know each other, then template,
// then source, then krm.
//
// # Words
//
// Pos, Str: a place, and a string that knows it. Node: a YAML value. Object: what
// we emit. Item: what came in. Finding, Report: what there is to say. Tree: files.
// Pattern, Match: a path with captures, and a directory that has them. Tenant,
// Module: a namespace, and an artifact wanted in it. Set, Provider: a ResourceSet, and
// what exports inputs for it. Rule, Policy: an allow-list
// entry, and all about managed namespaces. Operation, Artifact: a copy, and what
// copies make. Claim: an object or a release, who wants it, with which tier, and
// what became of that. Owner: who wants. Destination: a cluster. Dialect: one
// applier's keys. Plan: everything asked for.
//
// # Decisions
//
//   - Values are read by YAML 1.2 and refused where YAML 1.1 reads them otherwise
//     (`yes`, `0744`, `1e3`, merge keys), because hosts and appliers use both. One
//     version everywhere would change it.
//   - `origin` is a path inside the source, not below the base directory, so that a
//     tree gives the same output from every configuration directory. Two sources
//     with equal paths that people confuse would change it.
//   - An item counts as a tenant's when any reading of its path puts it into a
//     tenant's area, since `kpt fn eval` does not say what paths start from, and
//     `configs` may name no file there. A host that says so is believed.
//   - Reserved and protected names are refused for captured namespaces without
//     managedNamespaces, too: an artifact in kube-system is no tenant's to ask for.
//   - A file among the items has the bytes that kpt writes, without what hosts add;
//     under kustomize, which proves no author and no path, ConfigMaps with our
//     annotation are the files. A host that hands over original bytes would change it.
//   - A namespace that must survive stays in the output until the baseline or the
//     live object shows that appliers were told, under kpt until its file is removed:
//     own output must not change. A host that tells revisions apart would change it.
//   - Who finalises a namespace is not told to keep it: Flux Operator would honour
//     its key, and the namespace would stay for ever. `ssa`, `reconcile` and `prune`
//     count on Namespaces only: on artifacts they would make orphans.
//   - A file of an artifact may have 100 MiB, an artifact and the archive of a source
//     256 MiB, all in memory; a tenant's file shows 50 findings of a code, then their
//     number. A legitimate tenant at a limit would change it.
//   - What a ResourceSet's template prints is data: only the text of the template has
//     structure and types. Of two objects with one name the first wins, as in Flux
//     Operator; between the artifacts of two namespaces it is an error.
//   - A paused or dry-run profile keeps what it had under every `tieBreak`: leaving it
//     out would delete it. Other clusters than the run's own go to
//     `generated/clusters/`: no other directory is exempt from discovery and trust.
//   - A HelmRelease is called after its release alone, in 63 characters, since
//     helm-controller writes it into a label; two releases that come to one name are
//     an error, because Flux installs anew what is renamed.
//   - Direct dependencies besides the chosen ones: golang.org/x/term (is stdin a
//     terminal), invopop/jsonschema (schemas from Go types), slim-sprig (functions of
//     templates), Masterminds/semver (versions as Helm reads them), json-patch. For
//     tests: golang.org/x/tools/txtar, sigs.k8s.io/yaml.
package fn

import (
	"io"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// Run renders a list and writes the result to w. With an error or a safeguard in
// the report, that is the input and the findings, and nothing else. The error is
// that of w.
func Run(list *krm.List, w io.Writer, rep *krm.Report) error {
	items, objects := render(list, nil, rep)
	if rep.Failed() {
		items, objects = list.Items, nil
	}
	return list.Render(w, items, objects, rep.Findings())
}

// render is the page: every step of a run, in order. The result counts only
// while the report has not failed. publish, unless it is nil, gets every archive
// while it is in memory.
func render(list *krm.List, publish archiveSink, rep *krm.Report) ([]*krm.Item, []*krm.Object) {
	plan, ok := config.Parse(list, rep)
	if !ok {
		return nil, nil
	}
	trees, ok := openTrees(plan, rep)
	defer trees.close()
	if !ok {
		return nil, nil
	}
	previous := split(list, plan)
	profiles := newDeployment(plan, rep)
	held := findHoldings(list, previous.made, plan, profiles)
	claims, exported := profiles.claims(trees, held), newExports(plan)
	for i := range plan.Generators {
		claims = append(claims, generate(&plan.Generators[i], profiles.home, plan, trees, publish, exported, rep)...)
	}
	sets := evaluateSets(list, plan, exported, rep)
	claims = append(claims, setClaims(sets, profiles.home, plan, rep)...)
	warnUnmanaged(sets.Finalized, claims, plan, rep)
	profile.Resolve(claims, held.incumbents(), plan.TieBreak, rep)
	previous.hold(claims, held, profiles.home)
	objects := settle(granted(claims, profiles, list), &previous, plan, sets.Finalized, rep)
	tellMany(list, objects, rep)
	inventory := newInventory(list, plan)
	emitted := slices.Concat(objects, inventory, newReport(list, plan, claims))
	previous.place(emitted, plan, rep)
	fill(inventory, objects, previous.staying())
	if !rep.Failed() {
		rep.Append(&previous.done)
		tellStatus(objects, rep)
	}
	return previous.rest, emitted
}

// maxForKustomize is how many objects kustomize takes ten seconds for.
const maxForKustomize = 2000

// tellMany shows the way around kustomize, which gives items no paths.
func tellMany(list *krm.List, objects []*krm.Object, rep *krm.Report) {
	if len(objects) > maxForKustomize && !list.Bare && !slices.ContainsFunc(list.Items, func(i *krm.Item) bool { return i.Path() != "" }) {
		rep.Infof("many-objects", krm.Pos{}, "pipe: `provision-tenants CONFIG </dev/null` prints the same objects; or use kpt",
			"the run makes %d objects, and the time that kustomize takes grows with the square of their number: ten seconds for %d", len(objects), maxForKustomize)
	}
}

// tellStatus says once that there is more than a plain apply delivers.
func tellStatus(objects []*krm.Object, rep *krm.Report) {
	if slices.ContainsFunc(objects, func(o *krm.Object) bool { return o.Status != "" }) {
		rep.Infof("status-needs-subresource", krm.Pos{}, "apply with `kubectl apply --server-side --subresource=status`, too",
			"ExternalArtifacts have a `status`, which a plain apply drops")
	}
}
