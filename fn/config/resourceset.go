package config

import "github.com/provision-tenants/provision-tenants/fn/krm"

const (
	setGroup     = "fluxcd.controlplane.io"
	setVersion   = setGroup + "/v1"
	setKind      = "ResourceSet"
	providerKind = "ResourceSetInputProvider"

	setReconcileKey = setGroup + "/reconcile"
)

// resourceSet is `fluxcd.controlplane.io/v1 ResourceSet`.
type resourceSet struct {
	APIVersion krm.Str         `json:"apiVersion" jsonschema:"enum=fluxcd.controlplane.io/v1" jsonschema_description:"The API of the set."`
	Kind       krm.Str         `json:"kind" jsonschema:"enum=ResourceSet" jsonschema_description:"The kind of the set."`
	Metadata   objectMeta      `json:"metadata" jsonschema_description:"Name and namespace of the set."`
	Spec       resourceSetSpec `json:"spec" jsonschema_description:"What to render, and on which inputs."`
	Status     *krm.Node       `json:"status,omitzero" jsonschema_description:"Ignored."`
}

type resourceSetSpec struct {
	placed
	CommonMetadata     *commonMetadata   `json:"commonMetadata,omitzero" jsonschema_description:"Labels and annotations of every object. They win over those of the templates."`
	Inputs             []inputMap        `json:"inputs,omitzero" jsonschema_description:"Inputs, each a map."`
	InputsFrom         []inputsReference `json:"inputsFrom,omitzero" jsonschema_description:"Providers of inputs, in the namespace of the set."`
	InputStrategy      *inputStrategy    `json:"inputStrategy,omitzero" jsonschema_description:"How the inputs of several providers come together."`
	Resources          []templateObject  `json:"resources,omitzero" jsonschema_description:"Objects whose texts hold templates between << and >>; each is rendered on each input."`
	ResourcesTemplate  krm.Str           `json:"resourcesTemplate,omitzero" jsonschema_description:"A template of YAML documents, rendered on each input."`
	Steps              []setStep         `json:"steps,omitzero" jsonschema:"maxItems=20" jsonschema_description:"Parts to apply one after the other, instead of resources and resourcesTemplate."`
	DependsOn          []*krm.Node       `json:"dependsOn,omitzero" jsonschema_description:"What Flux Operator waits for; of no meaning to a rendering."`
	HealthChecks       []*krm.Node       `json:"healthChecks,omitzero" jsonschema_description:"What Flux Operator waits for; of no meaning to a rendering."`
	HealthCheckExprs   []*krm.Node       `json:"healthCheckExprs,omitzero" jsonschema_description:"What Flux Operator waits for; of no meaning to a rendering."`
	Wait               flag              `json:"wait,omitzero" jsonschema_description:"Whether Flux Operator waits; of no meaning to a rendering."`
	ServiceAccountName subdomain         `json:"serviceAccountName,omitzero" jsonschema_description:"Who applies the objects in Flux Operator; of no meaning to a rendering."`
}

type inputsReference struct {
	placed
	APIVersion krm.Str        `json:"apiVersion,omitzero" jsonschema:"enum=fluxcd.controlplane.io/v1" jsonschema_description:"The API of the provider."`
	Kind       krm.Str        `json:"kind,omitzero" jsonschema:"enum=ResourceSetInputProvider" jsonschema_description:"The kind of the provider."`
	Name       subdomain      `json:"name,omitzero" jsonschema_description:"The name of the provider."`
	Selector   *labelSelector `json:"selector,omitzero" jsonschema_description:"Selects providers by their labels, instead of by name."`
}

type labelSelector struct {
	placed
	MatchLabels      labelMap           `json:"matchLabels,omitzero" jsonschema_description:"Labels that must be there, with these values."`
	MatchExpressions []labelRequirement `json:"matchExpressions,omitzero" jsonschema_description:"Further requirements."`
}

type labelRequirement struct {
	placed
	Key      krm.Str          `json:"key" jsonschema_description:"The key of a label."`
	Operator selectorOperator `json:"operator" jsonschema_description:"What must be true of the label."`
	Values   []krm.Str        `json:"values,omitzero" jsonschema_description:"Values, for In and NotIn."`
}

type inputStrategy struct {
	placed
	Name                  strategyName `json:"name" jsonschema_description:"Flatten puts the inputs of all providers into one list; Permute combines each with each."`
	IncludeEmptyProviders flag         `json:"includeEmptyProviders,omitzero" jsonschema:"default=false" jsonschema_description:"Lets a provider without inputs count in Permute, which then makes nothing."`
}

type setStep struct {
	placed
	Name              labelName        `json:"name" jsonschema_description:"The name of the step."`
	Resources         []templateObject `json:"resources,omitzero" jsonschema_description:"As spec.resources."`
	ResourcesTemplate krm.Str          `json:"resourcesTemplate,omitzero" jsonschema_description:"As spec.resourcesTemplate."`
	Timeout           krm.Str          `json:"timeout,omitzero" jsonschema_description:"How long Flux Operator waits; of no meaning to a rendering."`
}

// inputProvider is `fluxcd.controlplane.io/v1 ResourceSetInputProvider`.
type inputProvider struct {
	APIVersion krm.Str           `json:"apiVersion" jsonschema:"enum=fluxcd.controlplane.io/v1" jsonschema_description:"The API of the provider."`
	Kind       krm.Str           `json:"kind" jsonschema:"enum=ResourceSetInputProvider" jsonschema_description:"The kind of the provider."`
	Metadata   objectMeta        `json:"metadata" jsonschema_description:"Name and namespace of the provider."`
	Spec       inputProviderSpec `json:"spec" jsonschema_description:"Where the inputs come from."`
	Status     *krm.Node         `json:"status,omitzero" jsonschema_description:"Ignored."`
}

type inputProviderSpec struct {
	placed
	Type               krm.Str            `json:"type" jsonschema_description:"ExternalArtifact and Static need no network; other types are left to Flux Operator."`
	Selectors          []artifactSelector `json:"selectors,omitzero" jsonschema_description:"Which ExternalArtifacts export inputs; required for that type."`
	Filter             *inputFilter       `json:"filter,omitzero" jsonschema_description:"Limits the inputs."`
	DefaultValues      *inputMap          `json:"defaultValues,omitzero" jsonschema_description:"Inputs where nothing else has the name."`
	ServiceAccountName subdomain          `json:"serviceAccountName,omitzero" jsonschema_description:"Who reads in Flux Operator; of no meaning to a rendering."`
	URL                krm.Str            `json:"url,omitzero" jsonschema_description:"Of types that ask the network."`
	SecretRef          *krm.Node          `json:"secretRef,omitzero" jsonschema_description:"Of types that ask the network."`
	CertSecretRef      *krm.Node          `json:"certSecretRef,omitzero" jsonschema_description:"Of types that ask the network."`
	Insecure           flag               `json:"insecure,omitzero" jsonschema_description:"Of types that ask the network."`
	Schedule           []*krm.Node        `json:"schedule,omitzero" jsonschema_description:"Of types that ask the network."`
	Skip               *krm.Node          `json:"skip,omitzero" jsonschema_description:"Of types that ask the network."`
}

type artifactSelector struct {
	placed
	MatchLabels      labelMap           `json:"matchLabels,omitzero" jsonschema_description:"Labels that must be there, with these values."`
	MatchExpressions []labelRequirement `json:"matchExpressions,omitzero" jsonschema_description:"Further requirements."`
	Name             subdomain          `json:"name,omitzero" jsonschema_description:"The name of one ExternalArtifact, instead of labels."`
	Namespace        namespaceOrAll     `json:"namespace,omitzero" jsonschema_description:"The namespace to look in, or * for all. Default: the provider's."`
}

// inputFilter is read as far as it counts here.
type inputFilter struct{ limit *krm.Node }

func (f *inputFilter) decode(n *krm.Node, rep *krm.Report) {
	if n.Kind != krm.MapNode {
		rep.Errorf("config-type", n.Pos, "", "must be a map, found %s", describe(n))
		return
	}
	f.limit = n.Get("limit")
}

// inputMap is a map of any values.
type inputMap struct{ *krm.Node }

func (m *inputMap) decode(n *krm.Node, rep *krm.Report) {
	if n.Kind != krm.MapNode {
		rep.Errorf("config-type", n.Pos, "", "must be a map, found %s", describe(n))
		return
	}
	m.Node = n
}

// templateObject is an object with templates in its texts.
type templateObject struct{ *krm.Node }

func (o *templateObject) decode(n *krm.Node, rep *krm.Report) { (*inputMap)(o).decode(n, rep) }
