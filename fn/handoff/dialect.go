package handoff

// Ask is what a platform team asks of whoever applies an object.
type Ask int

// The asks, by the annotation `source.extensions.fluxcd.io/…` that makes each.
const (
	// Keep is `prune: Disabled`, `prune: false` of managedNamespaces, and part of
	// Ignore and Pause: an object that leaves the input stays in the cluster.
	Keep Ask = iota
	// Merge is `ssa: Merge`: fields of other managers stay.
	Merge
	// CreateOnly is `ssa: IfNotPresent`: an object that is there is not updated.
	CreateOnly
	// Ignore is `ssa: Ignore`: neither created, nor updated, nor deleted.
	Ignore
	// Pause is `reconcile: Disabled`: the same.
	Pause
)

// String is the annotation that asks, without its prefix.
func (a Ask) String() string {
	switch a {
	case Keep:
		return "prune: Disabled"
	case Merge:
		return "ssa: Merge"
	case CreateOnly:
		return "ssa: IfNotPresent"
	case Ignore:
		return "ssa: Ignore"
	case Pause:
		return "reconcile: Disabled"
	}
	return ""
}

// Dialect is one applier.
type Dialect struct {
	Name string
	// Group is the API group of the objects that make it apply and delete.
	Group string
	// Answers are the asks that it understands.
	Answers map[Ask]Answer
	// FoldCase is set when it compares values without regard to case.
	FoldCase bool
	// Order is how it can be told to delete a reconciler before the account and
	// the roles that the reconciler uses.
	Order Order
}

// Answer is how to ask one applier. Without Keys there is nothing to tell it: it
// does so anyway.
type Answer struct {
	Keys map[string]string
	// But is what it does all the same, "" when it does as it is asked.
	But string
}

// Order is a way to say what is deleted first.
type Order int

// The orders.
const (
	// NoOrder cannot be told.
	NoOrder Order = iota
	// OwnOrder needs no telling.
	OwnOrder
	// DependsOn is `config.kubernetes.io/depends-on`.
	DependsOn
	// SyncWave is `argocd.argoproj.io/sync-wave`.
	SyncWave
)

const (
	flux    = "Flux"
	kubectl = "Kubectl"

	syncOptions = "argocd.argoproj.io/sync-options"
	substitute  = "kustomize.toolkit.fluxcd.io/substitute"
	detach      = "client.lifecycle.config.k8s.io/deletion"
	mutation    = "client.lifecycle.config.k8s.io/mutation"
)

// dialects are all appliers. Two keys that look right are in none of the rows,
// because an object that has them at once leaves the input as the applier sees it,
// and is deleted before it can be told to stay: Argo CD's `hook: Skip`, and
// `fluxcd.controlplane.io/reconcile: disabled` of Flux Operator. A third one,
// `configmanagement.gke.io/managed: disabled` of Config Sync, must not reach a
// cluster, where other appliers of the same output would put it, and stops the
// whole sync unless everything in the namespace has it, too.
func dialects() []Dialect {
	return []Dialect{
		{
			Name: flux, Group: "kustomize.toolkit.fluxcd.io", FoldCase: true,
			Answers: map[Ask]Answer{
				Keep:       {Keys: map[string]string{"kustomize.toolkit.fluxcd.io/prune": "disabled"}},
				Merge:      {Keys: map[string]string{"kustomize.toolkit.fluxcd.io/ssa": "Merge"}},
				CreateOnly: {Keys: map[string]string{"kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent"}},
				Ignore:     {Keys: map[string]string{"kustomize.toolkit.fluxcd.io/ssa": "Ignore"}},
				Pause:      {Keys: map[string]string{"kustomize.toolkit.fluxcd.io/reconcile": "disabled"}},
			},
		},
		{
			// Of the two keys with that prefix kpt 1.0.0-beta.56 knows only the first;
			// Config Sync, which is built on the same library, knows both.
			Name: "KptLive", Group: "kpt.dev", Order: DependsOn,
			Answers: map[Ask]Answer{
				Keep:       {Keys: map[string]string{detach: "detach"}},
				Merge:      {},
				CreateOnly: {Keys: map[string]string{mutation: "ignore"}, But: "kpt 1.0.0-beta.56 does not read it"},
				Ignore:     {Keys: map[string]string{mutation: "ignore"}, But: "applies it all the same"},
				Pause:      {Keys: map[string]string{mutation: "ignore"}, But: "applies it all the same"},
			},
		},
		{
			Name: "ArgoCD", Group: "argoproj.io", Order: SyncWave,
			Answers: map[Ask]Answer{
				Keep:  {Keys: map[string]string{syncOptions: "Prune=false,Delete=false"}},
				Merge: {},
			},
		},
		{
			Name: "Helm", Group: "helm.toolkit.fluxcd.io",
			Answers: map[Ask]Answer{
				Keep:  {Keys: map[string]string{"helm.sh/resource-policy": "keep"}},
				Merge: {},
			},
		},
		{
			Name: "ConfigSync", Group: "configsync.gke.io", Order: DependsOn,
			Answers: map[Ask]Answer{
				Keep:       {Keys: map[string]string{detach: "detach"}},
				Merge:      {},
				CreateOnly: {Keys: map[string]string{mutation: "ignore"}},
				Ignore:     {Keys: map[string]string{mutation: "ignore"}, But: "creates it where it is missing"},
				Pause:      {Keys: map[string]string{mutation: "ignore"}, But: "creates it where it is missing"},
			},
		},
		{
			Name: "FluxOperator", Group: "fluxcd.controlplane.io", FoldCase: true, Order: OwnOrder,
			Answers: map[Ask]Answer{
				Keep: {Keys: map[string]string{"fluxcd.controlplane.io/prune": "disabled"}},
			},
		},
		{
			Name:    kubectl,
			Answers: map[Ask]Answer{Merge: {}},
		},
	}
}
