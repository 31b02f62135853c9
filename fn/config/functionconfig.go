package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/handoff"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// settings are what the functionConfig says besides its generators.
type settings struct {
	// name and namespace are the configuration's.
	name, namespace string
	entries         directories
	configs, state  []filePattern
	appliers        handoff.Appliers
	// roots are the generators in the functionConfig: itself, or inline ones.
	roots                 []document
	defaultServiceAccount string
	protected             []string
	baseline              directory
	most                  Limit
	allowEmpty            bool
	publish               *Publish
}

const functionInput = "function-input"

// readFunctionConfig reads the functionConfig by its kind.
func (r *reader) readFunctionConfig() {
	config := r.list.Config
	if config == nil {
		return
	}
	wanted := map[string]string{functionKind: functionVersion, generatorKind: generatorVersion, "ConfigMap": "v1"}
	version, known := wanted[config.Kind]
	switch {
	case !known:
		kinds := []string{generatorKind, "ConfigMap", functionKind}
		r.rep.Errorf("config-kind", config.Pos().At("kind"), didYouMean(config.Kind, kinds),
			"the functionConfig must be one of %s, found kind %q", listOf(kinds), shown(config.Kind))
		return
	case config.APIVersion != version:
		r.reportVersion(config.Pos(), config.Kind, config.APIVersion, version)
		return
	}
	node, ok := config.Node(r.rep)
	if !ok {
		return
	}
	r.config = node
	r.name, r.namespace = config.Name, orDefault(config.Namespace, defaultNamespace)
	switch config.Kind {
	case functionKind:
		r.readFull(node)
	case generatorKind:
		r.roots = []document{{id: identityOf(config), node: node, item: config, isConfig: true}}
	default:
		r.readConfigMap(node)
	}
}

func (r *reader) reportVersion(pos krm.Pos, kind, found, wanted string) {
	r.rep.Errorf("config-version", pos.At("apiVersion"), "write `apiVersion: "+wanted+"`",
		"kind %s must have `apiVersion` %q, found %q", kind, wanted, shown(found))
}

// readFull reads a ProvisionTenants.
func (r *reader) readFull(node *krm.Node) {
	wire := decode[provisionTenants](node, r.rep)
	r.checkOptions(wire.Metadata.Annotations, "use the fields of `spec`")
	spec := wire.Spec
	r.entries, r.configs, r.state = spec.Sources, spec.Configs, spec.State
	r.readAppliers(spec.Appliers)
	r.defaultServiceAccount = spec.DefaultServiceAccount.Text
	for _, name := range spec.ProtectedNames {
		r.protected = append(r.protected, name.Text)
	}
	slices.Sort(r.protected)
	r.protected = slices.Compact(r.protected)
	if d := spec.Deletion; d != nil {
		r.baseline, r.most, r.allowEmpty = directory(d.Baseline), d.MaxNamespaces.Limit, d.AllowEmpty.Value
	}
	r.publish = newPublish(spec.Publish, r.rep)
	r.readInline(node.Get("spec").Get("generators"), spec.Generators)
}

// readAppliers says who applies the output, where anybody does.
func (r *reader) readAppliers(names []applierName) {
	var seen []string
	for _, name := range names {
		if slices.Contains(seen, name.Text) {
			r.rep.Errorf("config-duplicate", name.Pos, "remove one of the two", "applier %q is there twice", shown(name.Text))
		}
		seen = append(seen, name.Text)
	}
	if len(seen) > 0 {
		r.appliers = handoff.Named(seen)
	}
}

// readInline turns spec.generators into documents; mistakes in them have been
// reported.
func (r *reader) readInline(list *krm.Node, decoded []inlineGenerator) {
	for i := range decoded {
		node := list.Items[i]
		wire := &decoded[i]
		if node.Kind != krm.MapNode {
			continue
		}
		if wire.APIVersion.Text != "" && wire.APIVersion.Text != generatorVersion {
			r.reportVersion(node.Pos, generatorKind, wire.APIVersion.Text, generatorVersion)
		}
		if wire.Kind.Text != "" && wire.Kind.Text != generatorKind {
			r.rep.Errorf("config-kind", wire.Kind.Pos, didYouMean(wire.Kind.Text, []string{generatorKind}),
				"must be %q, found %q", generatorKind, shown(wire.Kind.Text))
		}
		id := nodeIdentity(node)
		id.Group, id.Kind = generatorGroup, generatorKind
		r.roots = append(r.roots, document{id: id, node: node, inline: wire})
	}
}

// checkOptions refuses the annotations of a generator, and unknown ones, on a kind
// that has fields instead.
func (r *reader) checkOptions(annotations annotationMap, hint string) {
	options := slices.Concat(shortFormOptions, generatorOptions)
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		name, ours := strings.CutPrefix(key, krm.Prefix)
		switch {
		case !ours || slices.Contains(stampOptions, name):
		case slices.Contains(options, name):
			r.rep.Errorf("config-annotation", annotations[key].Pos, hint, "annotation `%s` counts only on an ArtifactGenerator", key)
		default:
			r.rep.Errorf("config-annotation", annotations[key].Pos, hint, "unknown annotation `%s`", shown(key))
		}
	}
}

// readConfigMap reads kpt's `configMap:` sugar.
func (r *reader) readConfigMap(node *krm.Node) {
	wire := decode[configMap](node, r.rep)
	r.name = orDefault(r.name, functionInput)
	if meta := wire.Metadata; meta != nil {
		r.checkOptions(meta.Annotations, "use the fields of `data`, or pass a ProvisionTenants")
	}
	if data := wire.Data; data != nil {
		if data.Directory.Text != "" {
			r.entries = directories{{Directory: data.Directory}}
		}
		r.allowEmpty = data.AllowEmpty.Text == "true"
	}
}

// adoptShortForm takes the options of the only generator for the whole run, when
// it is the configuration.
func (r *reader) adoptShortForm(generators []*generator) {
	alone := r.list.Config == nil && len(generators) == 1
	for _, g := range generators {
		if !alone && (g.item == nil || g.item != r.list.Config) {
			ignoreShortForm(g.Metadata.Annotations, r.rep)
			continue
		}
		if g.directory.Text != "" {
			r.entries = directories{{Directory: g.directory}}
		}
		r.baseline, r.most = g.baseline, g.most
		r.allowEmpty = g.allowEmpty
	}
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
