// Package chart turns Sveltos' helmCharts into Flux objects: a HelmRelease for
// each release, the HelmRepositories and OCIRepositories that several share, and
// what holds values and credentials.
package chart

import "github.com/provision-tenants/provision-tenants/fn/krm"

// Chart is an entry of `spec.helmCharts`, decoded, with Sveltos' defaults filled
// in. Its texts may be templates until Render has been called.
type Chart struct {
	Pos                                               krm.Pos
	RepositoryURL, RepositoryName, ChartName, Version krm.Str
	ReleaseNamespace, ReleaseName                     krm.Str
	// Values is the text of a YAML map, or empty.
	Values     krm.Str
	ValuesFrom []Reference
	// Uninstall wants the release to be absent.
	Uninstall bool
	Options   Options
	// Credentials and CA are Secrets; nil for none. CredentialsKey is the key of
	// the data to use, empty for the usual one.
	Credentials, CA *Reference
	CredentialsKey  krm.Str
	// PlainHTTP is where `plainHTTP: true` stands.
	PlainHTTP Flag
	// Signature is nil when nothing is to be verified.
	Signature *Signature
}

// Flag is a boolean that knows where it was written.
type Flag struct {
	On  bool
	Pos krm.Pos
}

// Reference names a ConfigMap or a Secret.
type Reference struct {
	Pos krm.Pos
	// Kind is ConfigMap or Secret.
	Kind string
	// Namespace is empty where none was written: Profile.Namespace counts then.
	Namespace, Name krm.Str
	// Optional lets the object be missing.
	Optional bool
}

// Signature is how an OCI chart is verified: by the public keys in Secret, or
// keyless by one of Identities.
type Signature struct {
	Pos        krm.Pos
	Secret     *Reference
	Identities []SignatureIdentity
}

// SignatureIdentity is who may have signed: regular expressions.
type SignatureIdentity struct{ Issuer, Subject krm.Str }

// Options are those of a chart, with Sveltos' defaults: CreateNamespace and
// Replace are on and MaxHistory is 2 unless something else was written.
type Options struct {
	SkipCRDs, SkipSchemaValidation, DisableOpenAPIValidation bool
	Wait, WaitForJobs, Atomic, RunTests, DisableHooks        bool
	// Timeout is a duration, empty for the default.
	Timeout krm.Str
	// PostRenderStrategy is combined, separate, nohooks or empty.
	PostRenderStrategy krm.Str
	PassCredentialsAll Flag
	Install            struct{ CreateNamespace, Replace, DisableHooks, TakeOwnership bool }
	Upgrade            struct {
		Force, CleanupOnFail, CRDs, DisableHooks, TakeOwnership bool
		ResetValues, ReuseValues, ResetThenReuseValues          Flag
		MaxHistory                                              int
	}
	Uninstall struct {
		KeepHistory, DisableHooks bool
		// DeletionPropagation is orphan, foreground, background or empty.
		DeletionPropagation krm.Str
	}
}

// Release is what makes a release one release in a cluster.
type Release struct{ Namespace, Name string }

// String renders `namespace/name`.
func (r Release) String() string { return r.Namespace + "/" + r.Name }

// Release is the identity of the chart's release. Its texts must have been
// rendered.
func (c *Chart) Release() Release {
	return Release{c.ReleaseNamespace.Text, c.ReleaseName.Text}
}

// Profile is a profile's charts for one cluster, and what it says about all of
// them. All texts have been rendered.
type Profile struct {
	// Charts are those that the profile deploys here, in its order: not the ones
	// that it lost. Those with Uninstall may be among them.
	Charts []Chart
	// Namespace is that of references which name none: the cluster's namespace for
	// a ClusterProfile, its own for a Profile. Confined refuses others.
	Namespace string
	Confined  bool
	// Patches are, in this order, those of `patches`, of templated and of plain
	// `patchesFrom`.
	Patches         []Patch
	DriftExclusions []DriftExclusion
	// ExtraLabels and ExtraAnnotations are for all objects of the charts.
	ExtraLabels, ExtraAnnotations map[string]krm.Str
	// SyncMode is OneTime, Continuous, ContinuousWithDriftDetection, DryRun or empty.
	SyncMode krm.Str
	// ContinueOnError lets each chart be deployed without the ones before it.
	ContinueOnError bool
	// MaxConsecutiveFailures is 0 for no limit.
	MaxConsecutiveFailures int
	// DependsOn are the releases of the profiles that this one depends on. Those
	// that are not emitted do not count.
	DependsOn []Release
	// Find looks up an object of the input; (nil, false) when it is not there.
	// With applied the object reaches the cluster as it is.
	Find func(krm.Identity) (object *krm.Node, applied bool)
	// Render fills in the template that text is, such as the data of a ConfigMap
	// with `projectsveltos.io/template`. It reports its mistakes, and shows nothing
	// of a secret text.
	Render func(text krm.Str, secret bool) (krm.Str, bool)
}

// Patch is a strategic merge patch or a JSON patch, and what it is for.
type Patch struct {
	Patch  krm.Str
	Target *Target
}

// Target selects objects. Group to Name are regular expressions.
type Target struct {
	Pos                                                                      krm.Pos
	Group, Version, Kind, Namespace, Name, LabelSelector, AnnotationSelector krm.Str
}

// DriftExclusion are JSON pointers into objects whose drift does not count.
type DriftExclusion struct {
	Paths  []krm.Str
	Target *Target
}

// Place is where the objects of one cluster go.
type Place struct {
	// Namespace is that of all objects, `flux-system` unless somebody says otherwise.
	Namespace string
	// ReleaseInterval and SourceInterval are durations; empty for 10m and 1h.
	ReleaseInterval, SourceInterval string
	// KubeConfig is the Secret with the kubeconfig of the cluster, empty where Flux
	// runs in the cluster itself.
	KubeConfig string
}
