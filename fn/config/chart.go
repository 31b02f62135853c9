package config

import (
	"maps"
	"slices"
	"strconv"

	"github.com/provision-tenants/provision-tenants/fn/chart"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// helmChart is an entry of a profile's `spec.helmCharts`. Every text may be a
// template, so what it must look like is checked once it has been rendered; only
// what Sveltos' own API checks is checked here.
type helmChart struct {
	placed
	RepositoryURL             chartText              `json:"repositoryURL" jsonschema_description:"Where the chart is: http://, https:// or oci:// for a repository, gitrepository://, ocirepository:// or bucket:// with namespace/name/path for a Flux source."`
	RepositoryName            chartText              `json:"repositoryName,omitzero" jsonschema_description:"The name of the repository, required for http, https and oci. The Flux source is called after it."`
	ChartName                 chartText              `json:"chartName,omitzero" jsonschema_description:"The name of the chart, required for http, https and oci. One leading repositoryName/ is dropped."`
	ChartVersion              chartText              `json:"chartVersion,omitzero" jsonschema_description:"The version of the chart, or a range of versions; required for http, https and oci."`
	ReleaseName               chartText              `json:"releaseName" jsonschema_description:"The name of the release, at most 53 characters."`
	ReleaseNamespace          chartText              `json:"releaseNamespace" jsonschema_description:"The namespace of the release."`
	Values                    krm.Str                `json:"values,omitzero" jsonschema_description:"The values, as the text of a YAML map."`
	ValuesFrom                []valueReference       `json:"valuesFrom,omitzero" jsonschema_description:"ConfigMaps and Secrets with more values. Later ones win, and all of them win over values."`
	HelmChartAction           chartAction            `json:"helmChartAction,omitzero" jsonschema:"default=Install" jsonschema_description:"Uninstall wants the release to be absent."`
	Options                   *helmOptions           `json:"options,omitzero" jsonschema_description:"How to install, upgrade and uninstall."`
	RegistryCredentialsConfig *registryCredentials   `json:"registryCredentialsConfig,omitzero" jsonschema_description:"How to reach the repository."`
	SignatureVerification     *signatureVerification `json:"signatureVerification,omitzero" jsonschema_description:"How to verify the signature of a chart in an OCI registry."`
	ProvenanceVerification    *provenance            `json:"provenanceVerification,omitzero" jsonschema_description:"The keyring for provenance files. Flux has nothing like it: a warning."`
}

type valueReference struct {
	placed
	Kind      valuesKind `json:"kind" jsonschema_description:"ConfigMap or Secret."`
	Namespace krm.Str    `json:"namespace,omitzero" jsonschema_description:"The namespace of the object. Default: the cluster's, for a Profile its own."`
	Name      chartText  `json:"name" jsonschema_description:"The name of the object."`
	Optional  flag       `json:"optional,omitzero" jsonschema:"default=false" jsonschema_description:"Lets the object be missing."`
}

type secretReference struct {
	placed
	Namespace krm.Str   `json:"namespace,omitzero" jsonschema_description:"The namespace of the Secret. Default: the cluster's, for a Profile its own."`
	Name      chartText `json:"name" jsonschema_description:"The name of the Secret."`
}

type registryCredentials struct {
	placed
	Credentials           *secretReference `json:"credentials,omitzero" jsonschema_description:"The Secret with a user name and password, or with a Docker configuration."`
	Key                   krm.Str          `json:"key,omitzero" jsonschema_description:"The key in the Secret that holds the Docker configuration. Default: .dockerconfigjson."`
	CA                    *secretReference `json:"ca,omitzero" jsonschema_description:"The Secret with the certificate authority, key ca.crt."`
	InsecureSkipTLSVerify flag             `json:"insecureSkipTLSVerify,omitzero" jsonschema_description:"Flux has nothing like it: a warning. Set ca instead."`
	PlainHTTP             flag             `json:"plainHTTP,omitzero" jsonschema_description:"Reaches an OCI registry without TLS."`
}

type signatureVerification struct {
	placed
	Provider          signatureProvider `json:"provider" jsonschema_description:"PublicKey or Keyless."`
	SecretRef         *secretReference  `json:"secretRef,omitzero" jsonschema_description:"For PublicKey: the Secret with the public keys, such as cosign.pub."`
	MatchOIDCIdentity []oidcIdentity    `json:"matchOIDCIdentity,omitzero" jsonschema_description:"For Keyless: who may have signed."`
}

type oidcIdentity struct {
	placed
	Issuer  chartText `json:"issuer" jsonschema_description:"A regular expression for the issuer."`
	Subject chartText `json:"subject" jsonschema_description:"A regular expression for the subject."`
}

type provenance struct {
	placed
	KeyringSecretRef *secretReference `json:"keyringSecretRef" jsonschema_description:"The Secret with the keyring."`
}

type helmOptions struct {
	placed
	SkipCRDs                 flag               `json:"skipCRDs,omitzero" jsonschema:"default=false" jsonschema_description:"Leaves CRDs alone."`
	SkipSchemaValidation     flag               `json:"skipSchemaValidation,omitzero" jsonschema:"default=false" jsonschema_description:"Does not check the values against the chart's schema."`
	Wait                     flag               `json:"wait,omitzero" jsonschema:"default=false" jsonschema_description:"Waits until all objects are ready."`
	WaitForJobs              flag               `json:"waitForJobs,omitzero" jsonschema:"default=false" jsonschema_description:"Waits until all jobs are complete, too."`
	Timeout                  helmDuration       `json:"timeout,omitzero" jsonschema:"default=5m" jsonschema_description:"How long a Helm operation may take."`
	DisableHooks             flag               `json:"disableHooks,omitzero" jsonschema:"default=false" jsonschema_description:"Runs no hooks."`
	DisableOpenAPIValidation flag               `json:"disableOpenAPIValidation,omitzero" jsonschema:"default=false" jsonschema_description:"Does not check objects against the API server's schema."`
	Atomic                   flag               `json:"atomic,omitzero" jsonschema:"default=false" jsonschema_description:"Waits, and takes back what fails."`
	DependencyUpdate         flag               `json:"dependencyUpdate,omitzero" jsonschema:"default=false" jsonschema_description:"Flux has nothing like it: a warning."`
	Labels                   textMap            `json:"labels,omitzero" jsonschema_description:"Flux has nothing like it: a warning."`
	EnableClientCache        flag               `json:"enableClientCache,omitzero" jsonschema:"default=false" jsonschema_description:"Flux has nothing like it: a warning."`
	Description              krm.Str            `json:"description,omitzero" jsonschema_description:"Flux has nothing like it: a warning."`
	PassCredentialsAll       flag               `json:"passCredentialsAll,omitzero" jsonschema:"default=false" jsonschema_description:"Sends the credentials to other hosts, too."`
	RunTests                 flag               `json:"runTests,omitzero" jsonschema:"default=false" jsonschema_description:"Runs the chart's tests; one that fails is a failure of the release."`
	PostRenderStrategy       postRenderStrategy `json:"postRenderStrategy,omitzero" jsonschema_description:"How hooks and other objects are post-rendered."`
	InstallOptions           *installOptions    `json:"installOptions,omitzero" jsonschema_description:"How to install."`
	UpgradeOptions           *upgradeOptions    `json:"upgradeOptions,omitzero" jsonschema_description:"How to upgrade."`
	UninstallOptions         *uninstallOptions  `json:"uninstallOptions,omitzero" jsonschema_description:"How to uninstall."`
}

type installOptions struct {
	placed
	CreateNamespace                 flag    `json:"createNamespace,omitzero" jsonschema:"default=true" jsonschema_description:"Creates the namespace of the release."`
	Replace                         flag    `json:"replace,omitzero" jsonschema:"default=true" jsonschema_description:"Uses the name of a deleted release again."`
	DisableHooks                    flag    `json:"disableHooks,omitzero" jsonschema:"default=false" jsonschema_description:"Runs no hooks."`
	TakeOwnership                   flag    `json:"takeOwnership,omitzero" jsonschema:"default=false" jsonschema_description:"Takes over objects that no release owns."`
	RecoverAfterConsecutiveFailures integer `json:"recoverAfterConsecutiveFailures,omitzero" jsonschema:"default=5" jsonschema_description:"Flux has nothing like it: a warning."`
}

type upgradeOptions struct {
	placed
	Force                flag    `json:"force,omitzero" jsonschema:"default=false" jsonschema_description:"Replaces objects that cannot be changed; without server-side apply."`
	ResetValues          flag    `json:"resetValues,omitzero" jsonschema:"default=false" jsonschema_description:"Forgets the values of the last release, which is the default."`
	ReuseValues          flag    `json:"reuseValues,omitzero" jsonschema:"default=false" jsonschema_description:"Keeps the values of the last release."`
	ResetThenReuseValues flag    `json:"resetThenReuseValues,omitzero" jsonschema:"default=false" jsonschema_description:"Keeps the values of the last release on top of the chart's. Flux has reuseValues only: a warning."`
	Recreate             flag    `json:"recreate,omitzero" jsonschema:"default=false" jsonschema_description:"Flux has nothing like it: a warning."`
	MaxHistory           integer `json:"maxHistory,omitzero" jsonschema:"default=2" jsonschema_description:"How many revisions to keep, at least 1."`
	CleanupOnFail        flag    `json:"cleanupOnFail,omitzero" jsonschema:"default=false" jsonschema_description:"Deletes new objects of an upgrade that fails."`
	SubNotes             flag    `json:"subNotes,omitzero" jsonschema:"default=false" jsonschema_description:"Flux has nothing like it: a warning."`
	UpgradeCRDs          flag    `json:"upgradeCRDs,omitzero" jsonschema:"default=false" jsonschema_description:"Creates and replaces CRDs."`
	DisableHooks         flag    `json:"disableHooks,omitzero" jsonschema:"default=false" jsonschema_description:"Runs no hooks."`
	TakeOwnership        flag    `json:"takeOwnership,omitzero" jsonschema:"default=false" jsonschema_description:"Takes over objects that no release owns."`
}

type uninstallOptions struct {
	placed
	KeepHistory         flag                `json:"keepHistory,omitzero" jsonschema:"default=false" jsonschema_description:"Keeps the history of the release."`
	DeletionPropagation deletionPropagation `json:"deletionPropagation,omitzero" jsonschema:"default=background" jsonschema_description:"How dependents are deleted."`
	DisableHooks        flag                `json:"disableHooks,omitzero" jsonschema:"default=false" jsonschema_description:"Runs no hooks."`
}

// integer is a whole number of 32 bits that knows whether it was written.
type integer struct {
	Value int
	Set   bool
	Pos   krm.Pos
}

func (i *integer) decode(n *krm.Node, rep *krm.Report) {
	i.Pos = n.Pos
	value, err := strconv.ParseInt(n.Text, 10, 32)
	if n.Kind != krm.IntNode || n.Ambiguous != "" || err != nil {
		rep.Errorf("config-type", n.Pos, "", "must be a whole number of at most 32 bits, found %s", describe(n))
		return
	}
	i.Value, i.Set = int(value), true
}

// or is the number, or what counts when none was written.
func (i integer) or(other int) int {
	if i.Set {
		return i.Value
	}
	return other
}

// orTrue is the flag of a field that is on unless it says otherwise.
func (f flag) orTrue() bool { return f.Value || !f.Set }

func (f flag) chart() chart.Flag { return chart.Flag{On: f.Value, Pos: f.Pos} }

// newChart makes a chart of its wire form. It warns about every field that Flux
// cannot express, whatever the chart is.
func newChart(wire *helmChart, rep *krm.Report) chart.Chart {
	c := chart.Chart{
		Pos:           wire.Pos,
		RepositoryURL: krm.Str(wire.RepositoryURL), RepositoryName: krm.Str(wire.RepositoryName),
		ChartName: krm.Str(wire.ChartName), Version: krm.Str(wire.ChartVersion),
		ReleaseNamespace: krm.Str(wire.ReleaseNamespace), ReleaseName: krm.Str(wire.ReleaseName),
		Values:    wire.Values,
		Uninstall: wire.HelmChartAction.Text == "Uninstall",
		Options:   newOptions(wire.Options),
	}
	for _, from := range wire.ValuesFrom {
		c.ValuesFrom = append(c.ValuesFrom, chart.Reference{
			Pos: from.Pos, Kind: from.Kind.Text, Namespace: from.Namespace, Name: krm.Str(from.Name), Optional: from.Optional.Value,
		})
	}
	if registry := wire.RegistryCredentialsConfig; registry != nil {
		c.Credentials, c.CA = registry.Credentials.reference(), registry.CA.reference()
		c.CredentialsKey, c.PlainHTTP = registry.Key, registry.PlainHTTP.chart()
	}
	c.Signature = newSignature(wire.SignatureVerification, rep)
	warnUnsupported(wire, rep)
	return c
}

func newOptions(wire *helmOptions) chart.Options {
	if wire == nil {
		wire = &helmOptions{}
	}
	o := chart.Options{
		SkipCRDs: wire.SkipCRDs.Value, SkipSchemaValidation: wire.SkipSchemaValidation.Value,
		DisableOpenAPIValidation: wire.DisableOpenAPIValidation.Value,
		Wait:                     wire.Wait.Value, WaitForJobs: wire.WaitForJobs.Value, Atomic: wire.Atomic.Value,
		RunTests: wire.RunTests.Value, DisableHooks: wire.DisableHooks.Value,
		Timeout: krm.Str(wire.Timeout), PostRenderStrategy: krm.Str(wire.PostRenderStrategy),
		PassCredentialsAll: wire.PassCredentialsAll.chart(),
	}
	o.Install.CreateNamespace, o.Install.Replace, o.Upgrade.MaxHistory = true, true, 2
	if in := wire.InstallOptions; in != nil {
		o.Install.CreateNamespace, o.Install.Replace = in.CreateNamespace.orTrue(), in.Replace.orTrue()
		o.Install.DisableHooks, o.Install.TakeOwnership = in.DisableHooks.Value, in.TakeOwnership.Value
	}
	if up := wire.UpgradeOptions; up != nil {
		o.Upgrade.Force, o.Upgrade.CleanupOnFail, o.Upgrade.CRDs = up.Force.Value, up.CleanupOnFail.Value, up.UpgradeCRDs.Value
		o.Upgrade.DisableHooks, o.Upgrade.TakeOwnership = up.DisableHooks.Value, up.TakeOwnership.Value
		o.Upgrade.ResetValues, o.Upgrade.ReuseValues = up.ResetValues.chart(), up.ReuseValues.chart()
		o.Upgrade.ResetThenReuseValues, o.Upgrade.MaxHistory = up.ResetThenReuseValues.chart(), up.MaxHistory.or(2)
	}
	if un := wire.UninstallOptions; un != nil {
		o.Uninstall.KeepHistory, o.Uninstall.DisableHooks = un.KeepHistory.Value, un.DisableHooks.Value
		o.Uninstall.DeletionPropagation = krm.Str(un.DeletionPropagation)
	}
	return o
}

func (r *secretReference) reference() *chart.Reference {
	if r == nil {
		return nil
	}
	return &chart.Reference{Pos: r.Pos, Kind: "Secret", Namespace: r.Namespace, Name: krm.Str(r.Name)}
}

// newSignature reads `signatureVerification`. One that says nothing about who may
// have signed would let everybody.
func newSignature(wire *signatureVerification, rep *krm.Report) *chart.Signature {
	if wire == nil {
		return nil
	}
	s := &chart.Signature{Pos: wire.Pos}
	switch {
	case wire.Provider.Text == "PublicKey" && wire.SecretRef == nil:
		rep.Errorf("config-required", wire.Pos.At("secretRef"), "", "`secretRef` is required for the provider PublicKey")
	case wire.Provider.Text == "PublicKey":
		s.Secret = wire.SecretRef.reference()
	case wire.Provider.Text == "Keyless" && len(wire.MatchOIDCIdentity) == 0:
		rep.Errorf("config-required", wire.Pos.At("matchOIDCIdentity"), "", "`matchOIDCIdentity` is required for the provider Keyless: without it everybody may have signed")
	}
	if wire.Provider.Text == "Keyless" {
		for _, id := range wire.MatchOIDCIdentity {
			s.Identities = append(s.Identities, chart.SignatureIdentity{Issuer: krm.Str(id.Issuer), Subject: krm.Str(id.Subject)})
		}
	}
	return s
}

// warnUnsupported names the fields that no Flux object has a place for.
func warnUnsupported(wire *helmChart, rep *krm.Report) {
	warn := func(set bool, pos krm.Pos, field, hint string) {
		if set {
			rep.Warnf("chart-unsupported", pos, hint, "Flux has nothing like `%s`, it is left out", field)
		}
	}
	if registry := wire.RegistryCredentialsConfig; registry != nil {
		warn(registry.InsecureSkipTLSVerify.Value, registry.InsecureSkipTLSVerify.Pos, "registryCredentialsConfig.insecureSkipTLSVerify",
			"Flux verifies the certificate: set `registryCredentialsConfig.ca` if it is not a public one")
	}
	if wire.ProvenanceVerification != nil {
		warn(true, wire.ProvenanceVerification.Pos, "provenanceVerification", "the chart is not verified: only charts in OCI registries can be, see `signatureVerification`")
	}
	o := wire.Options
	if o == nil {
		return
	}
	flags := map[string]flag{
		"options.dependencyUpdate": o.DependencyUpdate, "options.enableClientCache": o.EnableClientCache,
	}
	if up := o.UpgradeOptions; up != nil {
		flags["options.upgradeOptions.subNotes"], flags["options.upgradeOptions.recreate"] = up.SubNotes, up.Recreate
	}
	for field, f := range flags {
		warn(f.Value, f.Pos, field, "")
	}
	for _, key := range slices.Sorted(maps.Keys(o.Labels))[:min(1, len(o.Labels))] {
		warn(true, o.Labels[key].Pos, "options.labels", "labels for the objects of a chart are `extraLabels` of the profile")
	}
	warn(o.Description.Text != "", o.Description.Pos, "options.description", "")
	if in := o.InstallOptions; in != nil {
		after := in.RecoverAfterConsecutiveFailures
		warn(after.Set, after.Pos, "options.installOptions.recoverAfterConsecutiveFailures", "")
	}
}
