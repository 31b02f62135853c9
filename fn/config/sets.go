package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/resourceset"
)

// isSet tells whether an item is a ResourceSet or a provider, of any version.
func isSet(item *krm.Item) bool {
	return krm.GroupOf(item.APIVersion) == setGroup && (item.Kind == setKind || item.Kind == providerKind)
}

// setDocuments are the ResourceSets and providers that no tenant can have written,
// each identity once, sorted by it. Of an item of which nobody knows whose it is,
// rendering cannot do without an answer.
func (r *reader) setDocuments() []document {
	docs := slices.Clone(r.setFiles)
	for _, item := range r.list.Items {
		switch {
		case !isSet(item) || item.UID != "": // what a cluster knows is state
			continue
		case r.renderSets && r.lost && item.Path() != "" && !r.areas.cover(item, r.base):
			reportLost(item, r.rep)
			continue
		case !r.isTrusted(item):
			warnIgnored(item, r.rep)
			continue
		}
		if node, ok := item.Node(r.rep); ok {
			docs = append(docs, document{id: identityOf(item), node: node, item: item})
		}
	}
	return r.unique(docs)
}

// isTrusted tells whether no tenant can have written an item.
func (r *reader) isTrusted(item *krm.Item) bool {
	return r.isFree(item, r.areas) && !r.isResource(item)
}

// fileOf is the path of a document's file, "" when it has none.
func (r *reader) fileOf(d document) string {
	if d.item != nil && d.item.Path() != "" {
		return r.base.listed(d.item)
	}
	return d.file
}

// readSets decodes what setDocuments found.
func (r *reader) readSets(p *Plan) {
	for _, d := range r.sets {
		if version := textOf(d.node.Get("apiVersion")); version != setVersion {
			r.reportVersion(d.node.Pos, d.id.Kind, version, setVersion)
			continue
		}
		if d.id.Kind == setKind {
			r.readSet(d, p)
		} else {
			r.readProvider(d, p)
		}
	}
}

func (r *reader) readSet(d document, p *Plan) {
	all := r.rep
	r.rep = &krm.Report{}
	fields, ok := r.setFields(d)
	if ok && r.rep.Worst() < krm.Error { // part of a set would seem to lack the rest
		if set, ok := resourceset.New(fields, r.rep); ok {
			p.ResourceSets = append(p.ResourceSets, set)
		}
	}
	all.Append(r.rep)
	r.rep = all
}

// setFields reads a set; false is for one that is disabled.
func (r *reader) setFields(d document) (resourceset.Fields, bool) {
	wire := decode[resourceSet](d.node, r.rep)
	options := readOptions(wire.Metadata.Annotations, r.rep)
	ignoreShortForm(wire.Metadata.Annotations, r.rep)
	if r.isDisabledSet(d, wire.Metadata.Annotations) {
		return resourceset.Fields{}, false
	}
	spec := &wire.Spec
	r.checkParts(spec)
	r.tellWaits(d, spec)
	fields := resourceset.Fields{
		Name: d.id.Name, Namespace: d.id.Namespace, Pos: d.pos(), Tier: options.tier, Item: d.item,
		Origin: orDefault(r.fileOf(d), "."), AllowEmpty: options.allowEmpty || r.allowEmpty,
	}
	if common := spec.CommonMetadata; common != nil {
		fields.Labels, fields.Annotations = common.Labels, common.Annotations
	}
	for _, in := range spec.Inputs {
		if in.Node != nil {
			fields.Inputs = append(fields.Inputs, in.Node)
		}
	}
	for i := range spec.InputsFrom {
		fields.From = append(fields.From, r.inputsReference(&spec.InputsFrom[i]))
	}
	if s := spec.InputStrategy; s != nil {
		fields.Permute, fields.IncludeEmpty = s.Name.Text == "Permute", s.IncludeEmptyProviders.Value
	}
	fields.Parts = append(fields.Parts, newPart("", spec.Resources, spec.ResourcesTemplate))
	for _, step := range spec.Steps {
		fields.Parts = append(fields.Parts, newPart(step.Name.Text, step.Resources, step.ResourcesTemplate))
	}
	return fields, true
}

func newPart(step string, resources []templateObject, text krm.Str) resourceset.Part {
	part := resourceset.Part{Step: step, Template: text}
	for _, o := range resources {
		if o.Node != nil {
			part.Resources = append(part.Resources, o.Node)
		}
	}
	return part
}

// isDisabledSet: upstream, a disabled set leaves in the cluster what it made; here
// that would be an output without it.
func (r *reader) isDisabledSet(d document, annotations annotationMap) bool {
	value, there := annotations[setReconcileKey]
	if !there || !strings.EqualFold(value.Text, "disabled") {
		return false
	}
	if r.renderSets {
		r.rep.Errorf("resourceset-disabled", value.Pos, "remove the annotation; to stop rendering, do not run the function",
			"ResourceSet %s is disabled, and leaving out what it makes would delete that", nameOf(d.id))
	}
	return true
}

// tellWaits names what only Flux Operator does while it applies.
func (r *reader) tellWaits(d document, spec *resourceSetSpec) {
	var fields []string
	for field, there := range map[string]bool{
		"dependsOn": len(spec.DependsOn) > 0, "healthChecks": len(spec.HealthChecks) > 0, "healthCheckExprs": len(spec.HealthCheckExprs) > 0, "wait": spec.Wait.Value,
	} {
		if there {
			fields = append(fields, field)
		}
	}
	if slices.Sort(fields); r.renderSets && len(fields) > 0 {
		r.rep.Infof("resourceset-waits", spec.Pos, "see to the order where the output is applied",
			"ResourceSet %s has %s, which Flux Operator goes by when it applies, and nobody who applies what is rendered here", nameOf(d.id), listOf(fields))
	}
}

// checkParts: steps stand instead of the other templates, and have unique names.
func (r *reader) checkParts(spec *resourceSetSpec) {
	if len(spec.Steps) > 0 && (len(spec.Resources) > 0 || spec.ResourcesTemplate.Text != "") {
		r.rep.Errorf("config-value", spec.Pos.At("steps"), "move `resources` and `resourcesTemplate` into a step", "`steps` must stand alone")
	}
	seen := map[string]bool{}
	for i, step := range spec.Steps {
		if len(step.Resources) == 0 && step.ResourcesTemplate.Text == "" {
			r.rep.Errorf("config-required", spec.Pos.At("steps").Item(i), "", "`resources` or `resourcesTemplate` is required")
		}
		if seen[step.Name.Text] {
			r.rep.Errorf("config-duplicate", step.Name.Pos, "give one of the two another name", "step %q is there twice", shown(step.Name.Text))
		}
		seen[step.Name.Text] = true
	}
}

func (r *reader) inputsReference(f *inputsReference) resourceset.Reference {
	if f.Kind.Text != "" && f.Kind.Text != providerKind {
		r.rep.Errorf("config-kind", f.Kind.Pos, didYouMean(f.Kind.Text, []string{providerKind}), "must be %q, found %q", providerKind, shown(f.Kind.Text))
	}
	if f.APIVersion.Text != "" && f.APIVersion.Text != setVersion {
		r.reportVersion(f.Pos, providerKind, f.APIVersion.Text, setVersion)
	}
	if (f.Name.Text == "") == (f.Selector == nil) {
		r.rep.Errorf("config-value", f.Pos, "", "must have exactly one of `name` and `selector`")
	}
	ref := resourceset.Reference{Name: krm.Str(f.Name), Pos: f.Pos}
	if f.Selector != nil {
		ref.Selector = r.selector(f.Selector.MatchLabels, f.Selector.MatchExpressions)
	}
	return ref
}

func (r *reader) selector(labels labelMap, expressions []labelRequirement) *resourceset.Selector {
	s := &resourceset.Selector{Labels: labels}
	for _, e := range expressions {
		wantsValues := e.Operator.Text == resourceset.In || e.Operator.Text == resourceset.NotIn
		if e.Operator.Text != "" && wantsValues != (len(e.Values) > 0) {
			r.rep.Errorf("config-value", e.Pos.At("values"), "", "must have entries for In and NotIn, and none for Exists and DoesNotExist")
		}
		s.Requirements = append(s.Requirements, resourceset.Requirement{Key: e.Key.Text, Operator: e.Operator.Text, Values: texts(e.Values)})
	}
	return s
}

func texts(all []krm.Str) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Text)
	}
	return out
}

func (r *reader) readProvider(d document, p *Plan) {
	wire := decode[inputProvider](d.node, r.rep)
	value := wire.Metadata.Annotations[setReconcileKey]
	fields := resourceset.Provider{
		Name: d.id.Name, Namespace: d.id.Namespace, Pos: d.pos(), UID: textOf(wire.Metadata.UID), Type: wire.Spec.Type.Text,
		Disabled: strings.EqualFold(value.Text, "disabled"), Item: d.item, Labels: map[string]string{},
	}
	for key, label := range wire.Metadata.Labels {
		fields.Labels[key] = label.Text
	}
	r.checkProvider(&wire.Spec)
	fields.Limit, fields.LimitPos = r.providerLimit(&wire.Spec)
	for i := range wire.Spec.Selectors {
		fields.Selectors = append(fields.Selectors, r.artifactSelector(&wire.Spec.Selectors[i], d.id.Namespace))
	}
	var defaults *krm.Node
	if wire.Spec.DefaultValues != nil {
		defaults = wire.Spec.DefaultValues.Node
	}
	if provider, ok := resourceset.NewProvider(fields, defaults, r.rep); ok {
		p.Providers = append(p.Providers, provider)
	}
}

// checkProvider: which fields go with a type.
func (r *reader) checkProvider(spec *inputProviderSpec) {
	artifacts := spec.Type.Text == resourceset.TypeArtifact
	if artifacts != (len(spec.Selectors) > 0) && spec.Type.Text != "" {
		r.rep.Errorf("config-value", spec.Pos.At("selectors"), "", "must have entries for the type ExternalArtifact, and none for another one")
	}
	remote := spec.URL.Text != "" || spec.SecretRef != nil || spec.CertSecretRef != nil || spec.Insecure.Set
	if remote && (artifacts || spec.Type.Text == resourceset.TypeStatic) {
		r.rep.Errorf("config-value", spec.Pos, "remove them", "a provider of type %s must have no `url`, `secretRef`, `certSecretRef` or `insecure`", spec.Type.Text)
	}
}

// The limits of what a provider exports (Flux Operator).
const (
	defaultInputs = 100
	maxInputs     = 10_000
)

func (r *reader) providerLimit(spec *inputProviderSpec) (int, krm.Pos) {
	if spec.Filter == nil || spec.Filter.limit == nil {
		return defaultInputs, spec.Pos
	}
	n := spec.Filter.limit
	limit, err := strconv.Atoi(n.Text)
	switch {
	case err != nil || n.Kind != krm.IntNode || limit > maxInputs:
		r.rep.Errorf("config-value", n.Pos, "", "must be an integer up to %d, found %s", maxInputs, describe(n))
	case limit > 0:
		return limit, n.Pos
	}
	return defaultInputs, n.Pos
}

func (r *reader) artifactSelector(f *artifactSelector, namespace string) resourceset.ArtifactSelector {
	if f.Name.Text != "" && len(f.MatchLabels)+len(f.MatchExpressions) > 0 {
		r.rep.Errorf("config-value", f.Pos, "", "must have either `name`, or `matchLabels` and `matchExpressions`")
	}
	return resourceset.ArtifactSelector{
		Selector: *r.selector(f.MatchLabels, f.MatchExpressions),
		Name:     f.Name.Text, Namespace: orDefault(f.Namespace.Text, namespace), Pos: f.Pos,
	}
}
