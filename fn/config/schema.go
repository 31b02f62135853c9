package config

import (
	"encoding/json"
	"math"
	"path"
	"reflect"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// SchemaFile is the JSON Schema of one kind.
type SchemaFile struct {
	Kind string
	// Path is `<group>/<lower-case kind>_<version>.json`, what kubeconform finds
	// by `{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`.
	Path string
	Data []byte
}

// schemaKinds are the kinds with a schema, by the struct that a file is read
// into.
var schemaKinds = []struct {
	apiVersion, kind, about string
	wire                    any
}{
	{generatorVersion, generatorKind, "What artifacts to build from Flux sources, and which namespaces to manage for them.", artifactGenerator{}},
	{profileGroup + "/v1beta1", clusterProfileKind, "What Sveltos deploys to clusters, with a tier.", clusterProfile{}},
	{generatorVersion, "NamespaceMetadata", "Metadata that a tenant wants on a namespace: a file in the tenant's directory, never applied to a cluster.", namespaceMetadataFile{}},
	{profileGroup + "/v1beta1", profileKind, "What Sveltos deploys to the clusters of one namespace, with a tier.", clusterProfile{}},
	{functionVersion, functionKind, "Configuration of the KRM function provision-tenants.", provisionTenants{}},
	{setVersion, setKind, "Objects to render for each set of inputs.", resourceSet{}},
	{setVersion, providerKind, "Inputs for ResourceSets.", inputProvider{}},
}

// Schemas are the JSON Schemas (draft 2020-12) of all kinds, sorted by kind.
func Schemas() []SchemaFile {
	var files []SchemaFile
	for _, k := range schemaKinds {
		group, version := path.Split(k.apiVersion)
		files = append(files, SchemaFile{
			Kind: k.kind,
			Path: group + strings.ToLower(k.kind) + "_" + version + ".json",
			Data: newSchema(k.wire, k.kind, k.about),
		})
	}
	return files
}

func newSchema(wire any, title, about string) []byte {
	schema := newReflector().Reflect(wire)
	schema.Title, schema.Description = title, about
	data, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil // a schema is made of strings and numbers
	}
	return append(data, '\n')
}

func newReflector() *jsonschema.Reflector {
	return &jsonschema.Reflector{
		Anonymous:      true,
		ExpandedStruct: true,
		Mapper:         func(t reflect.Type) *jsonschema.Schema { return leafSchema(t) },
	}
}

// leafSchema is the schema of a wire type that is no struct or list; nil for
// those.
func leafSchema(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[krm.Node]():
		return &jsonschema.Schema{}
	case reflect.TypeFor[inputMap](), reflect.TypeFor[templateObject](), reflect.TypeFor[inputFilter]():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: jsonschema.TrueSchema}
	case reflect.TypeFor[flag]():
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.TypeFor[limit]():
		return limitSchema()
	case reflect.TypeFor[clusterSelector]():
		return selectorSchema()
	case reflect.TypeFor[tier]():
		return &jsonschema.Schema{Type: "integer", Minimum: "1", Maximum: json.Number(strconv.Itoa(math.MaxInt32))}
	case reflect.TypeFor[labelMap]():
		return mapSchema(&jsonschema.Schema{Type: "string", Pattern: valuePattern})
	case reflect.TypeFor[annotationMap]():
		return mapSchema(&jsonschema.Schema{Type: "string"})
	case reflect.TypeFor[integer]():
		return &jsonschema.Schema{Type: "integer", Minimum: json.Number(strconv.Itoa(math.MinInt32)), Maximum: json.Number(strconv.Itoa(math.MaxInt32))}
	case reflect.TypeFor[tenantMap](), reflect.TypeFor[textMap]():
		return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}}
	case reflect.TypeFor[ruleMap]():
		return mapSchema(syntaxOf[ruleText]().schema())
	case reflect.TypeFor[krm.Str]():
		return &jsonschema.Schema{Type: "string"}
	}
	if syn, found := syntaxes()[t]; found {
		return syn.schema()
	}
	return nil
}

func limitSchema() *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "integer", Minimum: "0"},
		{Type: "string", Pattern: `^(100|[1-9]?[0-9])%$`},
	}}
}

// selectorSchema is that of v1beta1, the version that schemas are for.
func selectorSchema() *jsonschema.Schema {
	schema := newReflector().Reflect(labelSelector{})
	schema.Version = ""
	schema.Definitions = nil
	requirement := newReflector().Reflect(labelRequirement{})
	requirement.Version = ""
	schema.Properties.Set("matchExpressions", &jsonschema.Schema{Type: "array", Items: requirement, Description: "Further requirements."})
	return schema
}

func mapSchema(values *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		PropertyNames:        &jsonschema.Schema{Pattern: keyPattern, MaxLength: length(253 + len("/") + 63)},
		AdditionalProperties: values,
	}
}

func (s syntax) schema() *jsonschema.Schema {
	out := &jsonschema.Schema{Type: "string", Pattern: s.pattern, MinLength: length(s.min), MaxLength: length(s.max)}
	for _, value := range s.enum {
		out.Enum = append(out.Enum, value)
	}
	return out
}

// length is nil for no limit.
func length(n int) *uint64 {
	if n <= 0 {
		return nil
	}
	limit := uint64(n)
	return &limit
}

// JSONSchemaExtend says that a tenant's metadata needs an allow-list.
func (fromSource) JSONSchemaExtend(s *jsonschema.Schema) {
	s.AnyOf = []*jsonschema.Schema{
		needs("allowedAnnotations", &jsonschema.Schema{MinProperties: length(1)}),
		needs("allowedLabels", &jsonschema.Schema{MinProperties: length(1)}),
	}
}

// JSONSchemaExtend says that metadata comes from somewhere.
func (namespaceMetadata) JSONSchemaExtend(s *jsonschema.Schema) {
	s.AnyOf = []*jsonschema.Schema{
		needs("fromSource", &jsonschema.Schema{}),
		needs("from", &jsonschema.Schema{MinItems: length(1)}),
	}
}

// needs is an object with a property, of this schema.
func needs(property string, value *jsonschema.Schema) *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	properties.Set(property, value)
	return &jsonschema.Schema{Required: []string{property}, Properties: properties}
}

// Field is a field of a kind, for tables.
type Field struct {
	// Path is such as `spec.artifacts[].copy[].from`.
	Path     string
	Required bool
	About    string
}

// Fields lists the fields of a kind in the order of its schema; nil when there is
// no such kind. What only a server sets is left out.
func Fields(kind string) []Field {
	for _, k := range schemaKinds {
		if k.kind == kind {
			return fieldsOf(reflect.TypeOf(k.wire), "")
		}
	}
	return nil
}

func fieldsOf(t reflect.Type, prefix string) []Field {
	var fields []Field
	for _, f := range wireFields(t) {
		field := t.FieldByIndex(f.index)
		about := field.Tag.Get("jsonschema_description")
		if strings.HasPrefix(about, "Set by a server") {
			continue
		}
		fields = append(fields, Field{prefix + f.name, f.required, about})
		switch inner, list := elementOf(field.Type); {
		case inner == nil || inner == reflect.TypeFor[inlineGenerator]():
		case list:
			fields = append(fields, fieldsOf(inner, prefix+f.name+"[].")...)
		default:
			fields = append(fields, fieldsOf(inner, prefix+f.name+".")...)
		}
	}
	return fields
}

// elementOf is the wire struct that a field holds, or a list of it; nil when it
// holds something else.
func elementOf(t reflect.Type) (element reflect.Type, list bool) {
	if t.Kind() == reflect.Slice {
		t, list = t.Elem(), true
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || leafSchema(t) != nil {
		return nil, list
	}
	return t, list
}
