package fn

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const (
	setHead      = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: set, namespace: flux-system}\nspec:\n"
	providerHead = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSetInputProvider\nmetadata: {name: modules, namespace: flux-system}\nspec:\n"
	allModules   = providerHead + "  type: ExternalArtifact\n  selectors: [{namespace: \"*\"}]\n"
	// onModules is a set with one template for what every module exports.
	onModules = setHead + "  inputsFrom: [{name: modules}]\n  resourcesTemplate: |\n"
)

// template is a resourcesTemplate of a ConfigMap with this data.
func configMapOf(data string) string {
	return "    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: << inputs.name >>, namespace: << inputs.namespace >>}\n    data:\n" + indented(data, "      ") + "\n"
}

// renders runs the function with ResourceSets in a file of `configs`.
func renders(t *testing.T, mode string, files m, sets ...string) outcome {
	t.Helper()
	files = maps.Clone(files)
	if files == nil {
		files = m{}
	}
	if len(files) == 0 {
		files[tenantA] = manifest
	}
	for name := range files { // a module with inputs has something to apply
		if module, found := strings.CutSuffix(name, "/applier-inputs.yaml"); found {
			files[module+"/manifests/cm.yaml"] = manifest
		}
	}
	files["sets.yaml"] = strings.Join(sets, "---\n")
	config := with(t, "spec:\n  sources:", "spec:\n  configs: [sets.yaml]\n  resourceSets: "+mode+"\n  sources:",
		"            copy:\n", "            inputsFrom: \"@repo/tenants/{namespace}/modules/{module}/applier-inputs.yaml\"\n            copy:\n")
	for name := range files {
		if module, found := strings.CutSuffix(name, "/manifests/cm.yaml"); found && files[module+"/applier-inputs.yaml"] == "" {
			files[module+"/applier-inputs.yaml"] = "{}\n"
		}
	}
	return provision(t, config, files)
}

// madeBySets are the objects that ResourceSets made, each on a line as JSON, without
// our annotations.
func (o outcome) madeBySets(t *testing.T) []string {
	t.Helper()
	var list struct{ Items []map[string]any }
	require.NoError(t, yaml.Unmarshal([]byte(o.stdout), &list))
	var lines []string
	for _, item := range list.Items {
		meta := item["metadata"].(map[string]any)
		annotations, _ := meta["annotations"].(map[string]any)
		if owner, _ := annotations[krm.OwnerKey].(string); !strings.HasPrefix(owner, "ResourceSet/") {
			continue
		}
		maps.DeleteFunc(annotations, func(key string, _ any) bool {
			return strings.HasPrefix(key, krm.Prefix) || key == krm.PathKey || key == krm.IndexKey
		})
		if len(annotations) == 0 {
			delete(meta, "annotations")
		}
		text, err := json.Marshal(item)
		require.NoError(t, err)
		lines = append(lines, string(text))
	}
	return lines
}

// data is the data of the ConfigMaps that ResourceSets made, as JSON.
func (o outcome) data(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, line := range o.madeBySets(t) {
		var object struct{ Data json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(line), &object))
		all = append(all, string(object.Data))
	}
	return all
}

// What Flux Operator does with the inputs of one artifact, and what differs because
// a tenant's input is data. The tenant exports `inputs`, the template is the data of
// a ConfigMap.
func TestSetsRenderValues(t *testing.T) {
	for name, test := range map[string]struct{ inputs, data, want string }{
		"a string":                    {"x: hello", "a: << inputs.x >>", `{"a":"hello"}`},
		"who the artifact is":         {"{}", "a: << inputs.namespace >>/<< inputs.name >>", `{"a":"tenant-a/m"}`},
		"labels":                      {"{}", "a: << inputs.module >>\nb: << get inputs \"my.org/provisioner\" >>", `{"a":"m","b":"monorepo"}`},
		"id":                          {"{}", "a: << inputs.id >>", `{"a":"363856821"}`},
		"provider":                    {"provider: mine", "a: << inputs.provider.kind >> << inputs.provider.name >>", `{"a":"ResourceSetInputProvider modules"}`},
		"no name of the tenant wins":  {"namespace: kube-system\nname: x\nid: '1'", "a: << inputs.namespace >>/<< inputs.name >>", `{"a":"tenant-a/m"}`},
		"get with a default":          {"{}", `a: << get inputs "x" | default "d" >>`, `{"a":"d"}`},
		"a number in quotes":          {"x: '007'", "a: << inputs.x >>", `{"a":"007"}`},
		"64 bits":                     {"x: 9007199254740993", "a: << inputs.x | quote >>", `{"a":"9007199254740993"}`},
		"a boolean in quotes":         {"x: 'true'", "a: << inputs.x >>", `{"a":"true"}`},
		"quote":                       {"x: 5", "a: << inputs.x | quote >>", `{"a":"5"}`},
		"a line end, a key":           {"x: \"v\\nb: 2\"", "a: << inputs.x >>", `{"a":"v\nb: 2"}`},
		"a document":                  {"x: \"v\\n---\\nkind: Secret\"", "a: << inputs.x >>", `{"a":"v\n---\nkind: Secret"}`},
		"a colon, a comment, a quote": {"x: 'k: v # \" ''t'", "a: << inputs.x >>", `{"a":"k: v # \" 't"}`},
		"templates and variables":     {"x: '<< inputs.name >>{{ .x }}${y}$$'", "a: << inputs.x >>", `{"a":"\u003c\u003c inputs.name \u003e\u003e{{ .x }}${y}$$"}`},
		"an alias and an anchor":      {"x: '*a'\nz: '&a b'", "a: << inputs.x >>\nb: << inputs.z >>", `{"a":"*a","b":"\u0026a b"}`},
		"a nested list":               {"x: [[1, [a, null]], {b: []}]", "a: << toJson inputs.x | quote >>", `{"a":"[[1,[\"a\",null]],{\"b\":[]}]"}`},
		"range and if":                {"x: [b, c]", "a: '<<- range inputs.x >><< if ne . \"b\" >>not b<< else >><< . >>, << end >><< end >>'", `{"a":"b, not b"}`},
	} {
		t.Run(name, func(t *testing.T) {
			o := renders(t, "Render", m{inputsA: test.inputs}, allModules, onModules+configMapOf(test.data))
			require.Zero(t, o.status, o.stderr)
			assert.Equal(t, []string{test.want}, o.data(t))
		})
	}
}

// The whole of an object, with numbers and lists.
func TestSetsRenderObjects(t *testing.T) {
	const head = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"kustomize.toolkit.fluxcd.io/substitute":"disabled"},"name":"m","namespace":"tenant-a"},"spec":`
	for name, test := range map[string]struct{ inputs, spec, want string }{
		"an integer":           {"x: 9007199254740993", "{replicas: << inputs.x >>}", `{"replicas":9007199254740993}`},
		"null":                 {"x: null", "{x: << inputs.x >>}", `{"x":null}`},
		"toJson is a value":    {"x: {a: [1, b]}", "{x: << toJson inputs.x >>}", `{"x":{"a":[1,"b"]}}`},
		"toYaml is a value":    {"x: [{name: b}]", "{x: << inputs.x | toYaml | nindent 4 >>}", `{"x":[{"name":"b"}]}`},
		"a boolean":            {"x: true", "{x: << inputs.x >>}", `{"x":true}`},
		"the author's numbers": {"x: ''", "{x: << inputs.x | default \"3\" >>}", `{"x":3}`},
	} {
		t.Run(name, func(t *testing.T) {
			set := setHead + "  inputsFrom: [{selector: {}}]\n  resources:\n  - apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: << inputs.name >>, namespace: << inputs.namespace >>}\n    spec: " + test.spec + "\n"
			o := renders(t, "Render", m{inputsA: test.inputs}, allModules, set)
			require.Zero(t, o.status, o.stderr)
			assert.Equal(t, []string{head + test.want + "}"}, o.madeBySets(t))
		})
	}
}

// Rules of ResourceSets that are not about one value. Sets have inline inputs, which
// are the platform team's.
func TestSetsFollowFluxOperator(t *testing.T) {
	const inputs = "  inputs: [{x: a}, {x: b}]\n"
	resource := func(name, data string) string {
		return "  - {apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + "}, data: {k: " + data + "}}\n"
	}
	document := func(name, more string) string {
		return "    ---\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: " + name + more + "}\n"
	}
	made := func(name, more string) string {
		return `{"apiVersion":"v1",` + more + `"kind":"ConfigMap","metadata":{"name":"` + name + `"}}`
	}
	for name, test := range map[string]struct {
		spec       string
		want, says []string
	}{
		"each input":       {inputs + "  resources:\n" + resource("<< inputs.x >>", "v"), []string{made("a", `"data":{"k":"v"},`), made("b", `"data":{"k":"v"},`)}, nil},
		"no inputs at all": {"  resources:\n" + resource("a", "v"), []string{made("a", `"data":{"k":"v"},`)}, nil},
		"no ids":           {inputs + "  resources:\n" + resource("<< inputs.id >>", "v"), nil, []string{"error template-failed sets.yaml:7:56", "error template-failed sets.yaml:7:56"}},
		"no defaults of missing names": {
			inputs + "  resources:\n" + resource("<< inputs.b | default \"d\" >>", "v"), nil, []string{"error template-failed sets.yaml:7:56", "error template-failed sets.yaml:7:56"},
		},
		"null is no crash": {"  inputs: [{n: null, z: 1}]\n  resources:\n" + resource("a", "<< inputs.z >>"), nil, []string{"error yaml-key-not-string sets.yaml:5:13"}},
		"nulls":            {"  inputs: [{nil: null}]\n  resources:\n" + resource("a", "\"<< get inputs `nil` | quote >>\""), []string{made("a", `"data":{"k":null},`)}, nil},
		"the set as provider": {
			"  inputs: [{provider: x}]\n  resources:\n" + resource("<< inputs.provider.name >>", "<< inputs.provider.kind >>"), []string{made("set", `"data":{"k":"ResourceSet"},`)}, nil,
		},
		"first of equal names wins": {
			inputs + "  resources:\n" + resource("same", "<< inputs.x >>"), []string{made("same", `"data":{"k":"a"},`)}, []string{"warning resourceset-duplicate sets.yaml:7:5"},
		},
		"the version is no part of a name": {
			"  inputs: [{v: v1}, {v: v1beta1}]\n  resources:\n  - {apiVersion: example.org/<< inputs.v >>, kind: Thing, metadata: {name: a}}\n",
			[]string{`{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"name":"a"}}`},
			[]string{"warning resourceset-duplicate sets.yaml:7:5"},
		},
		"resources win over the template": {
			"  inputs: [{x: a}]\n  resources:\n" + resource("a", "r") + "  resourcesTemplate: |\n" + document("a", "") + document("b", ""),
			[]string{made("a", `"data":{"k":"r"},`), made("b", "")},
			[]string{"warning resourceset-duplicate sets.yaml:8:22"},
		},
		"identical objects are one": {inputs + "  resources:\n" + resource("same", "v"), []string{made("same", `"data":{"k":"v"},`)}, nil},
		"a List is its items": {
			"  resourcesTemplate: |\n    apiVersion: v1\n    kind: List\n    items:\n    - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n    - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n",
			[]string{made("a", ""), made("b", "")},
			nil,
		},
		"no object": {
			"  resourcesTemplate: |\n    a: b\n    ---\n    # nothing\n    ---\n    apiVersion: kustomize.config.k8s.io/v1beta1\n    kind: Kustomization\n    metadata: {name: x}\n",
			nil,
			[]string{"warning resourceset-dropped sets.yaml:5:22"},
		},
		"disabled": {
			"  inputs: [{x: disabled}, {x: Disabled}]\n  resources:\n  - {apiVersion: v1, kind: ConfigMap, metadata: {name: << inputs.x | lower >>-<< inputs.x >>, annotations: {fluxcd.controlplane.io/reconcile: << inputs.x >>}}}\n",
			[]string{`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"fluxcd.controlplane.io/reconcile":"Disabled"},"name":"disabled-Disabled"}}`},
			nil,
		},
		"disabled in a template without inputs": {
			"  resourcesTemplate: |\n" + document("a", ", annotations: {fluxcd.controlplane.io/reconcile: disabled}"), nil, nil,
		},
		"disabled without inputs is made": {
			"  resources:\n  - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {fluxcd.controlplane.io/reconcile: disabled}}}\n",
			[]string{`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"fluxcd.controlplane.io/reconcile":"disabled"},"name":"a"}}`},
			nil,
		},
		"common metadata wins": {
			"  commonMetadata: {labels: {a: common, b: common}}\n  resourcesTemplate: |\n" + document("a", ", labels: {a: own, c: own}"),
			[]string{`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"a":"common","b":"common","c":"own"},"name":"a"}}`},
			nil,
		},
		"a static provider": {
			"  inputsFrom: [{name: static}]\n  resources:\n" + resource("<< inputs.x >>", "\"<< inputs.id >>\""), []string{made("value", `"data":{"k":"152109705"},`)}, nil,
		},
		"flatten keeps sets apart": {
			"  inputs: [{x: a}]\n  inputsFrom: [{name: static}]\n  resources:\n" + resource("<< inputs.x >>", "v"), []string{made("a", `"data":{"k":"v"},`), made("value", `"data":{"k":"v"},`)}, nil,
		},
		"permute": {
			inputs + "  inputsFrom: [{name: static}]\n  inputStrategy: {name: Permute}\n  resources:\n" + resource("<< inputs.set.x >>-<< inputs.static.x >>", "id << inputs.id >>"),
			[]string{made("a-value", `"data":{"k":"id 634651870"},`), made("b-value", `"data":{"k":"id 635307231"},`)},
			nil,
		},
		"steps": {
			"  steps:\n  - {name: one, resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]}\n  - {name: two, resourcesTemplate: \"{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\"}\n",
			[]string{made("a", ""), made("b", "")},
			nil,
		},
		"an object in two steps": {
			"  steps:\n  - {name: one, resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]}\n  - {name: two, resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]}\n",
			nil,
			[]string{"error resourceset-duplicate sets.yaml:7:29"},
		},
		"chance":         {"  resources:\n" + resource("a", "<< randInt 1 2 >>"), nil, []string{"error template-function sets.yaml:6:70"}},
		"a clock":        {"  resources:\n" + resource("a", "<< ago inputs.x >>"), nil, []string{"error template-function sets.yaml:6:70"}},
		"a local time":   {"  resources:\n" + resource("a", "<< toDate \"2006\" \"2020\" >>"), nil, []string{"error template-function sets.yaml:6:70"}},
		"a printed map":  {"  inputs: [{x: {k: v}}]\n  resources:\n" + resource("a", "<< inputs.x >>"), nil, []string{"error template-value sets.yaml:7:70"}},
		"nothing at all": {"  inputs: [{x: a}]\n", nil, []string{"error resourceset-empty sets.yaml:1:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			static := strings.Replace(providerHead, "name: modules", "name: static", 1) + "  type: Static\n  defaultValues: {x: value}\n"
			o := renders(t, "Render", nil, setHead+test.spec, static)
			assert.Equal(t, test.says, o.found("error", "warning"), o.stderr)
			assert.Equal(t, test.want, o.madeBySets(t))
		})
	}
}

// Adler-32 of namespace/name.
func TestSetsKnowIDs(t *testing.T) {
	files := m{}
	for _, dir := range []string{"tenant-a/modules/web", "tenant-b/modules/web"} {
		files["tenants/"+dir+"/applier-inputs.yaml"] = "{}\n"
	}
	o := renders(t, "Render", files, allModules, onModules+configMapOf("id: << inputs.id | quote >>"))
	assert.Equal(t, []string{`{"id":"509871238"}`, `{"id":"510198919"}`}, o.data(t))
}

// A provider lets in what it selects, and no more than its limit.
func TestProviders(t *testing.T) {
	files, many := m{"tenants/tenant-b/modules/m/applier-inputs.yaml": "{}\n"}, m{}
	for i := range 101 {
		many[fmt.Sprintf("tenants/tenant-a/modules/m%03d/applier-inputs.yaml", i)] = "{}\n"
	}
	for _, name := range []string{"m000", "m007"} {
		files["tenants/tenant-a/modules/"+name+"/applier-inputs.yaml"] = "{}\n"
	}
	set := onModules + configMapOf("a: << inputs.name >>")
	provider := func(spec string) string { return providerHead + "  type: ExternalArtifact\n" + spec }
	for name, test := range map[string]struct {
		provider string
		made     int
		says     []string
	}{
		"more than the default limit": {provider("  selectors: [{namespace: \"*\"}]\n"), 0, []string{"error provider-limit sets.yaml:5:3"}},
		"more than the limit":         {provider("  selectors: [{namespace: \"*\"}]\n  filter: {limit: 2}\n"), 0, []string{"error provider-limit sets.yaml:7:19"}},
		"all":                         {provider("  selectors: [{namespace: \"*\"}]\n  filter: {limit: 3}\n"), 3, nil},
		"a namespace":                 {provider("  selectors: [{namespace: tenant-b}]\n"), 1, nil},
		"a name":                      {provider("  selectors: [{namespace: tenant-a, name: m007}, {namespace: tenant-b, name: m}, {namespace: \"*\", name: m007}]\n"), 2, nil},
		"labels":                      {provider("  selectors: [{namespace: \"*\", matchLabels: {module: m}}]\n"), 1, nil},
		"expressions": {
			provider("  selectors: [{namespace: \"*\", matchExpressions: [{key: module, operator: In, values: [m000, m]}, {key: namespace, operator: NotIn, values: [tenant-b]}]}]\n"), 1, nil,
		},
		"its own namespace has none": {
			provider("  selectors: [{matchLabels: {module: m}}]\n"), 0,
			[]string{"error resourceset-no-inputs sets.yaml:8:1", "warning provider-no-artifact sets.yaml:6:15"},
		},
		"a network": {providerHead + "  type: GitHubPullRequest\n  url: https://example.org\n", 0, []string{"error provider-network sets.yaml:1:1"}},
		"disabled": {
			strings.Replace(allModules, "namespace: flux-system", "namespace: flux-system, annotations: {fluxcd.controlplane.io/reconcile: Disabled}", 1), 0,
			[]string{"error provider-disabled sets.yaml:1:1"},
		},
		"another one": {strings.Replace(allModules, "name: modules", "name: other", 1), 0, []string{"error provider-missing sets.yaml:12:16"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree := files
			if name == "more than the default limit" {
				tree = many
			}
			o := renders(t, "Render", tree, test.provider, set)
			assert.Equal(t, test.says, o.found("error", "warning"), o.stderr)
			assert.Len(t, o.madeBySets(t), test.made)
		})
	}
}

// Artifacts of somebody else count unless a tenant can have written them.
func TestSetsTakeForeignArtifacts(t *testing.T) {
	foreign := func(name, path string) string {
		return "apiVersion: source.toolkit.fluxcd.io/v1\nkind: ExternalArtifact\nmetadata:\n  name: " + name + "\n  namespace: apps\n  annotations: {config.kubernetes.io/path: " + path +
			"}\nspec: {sourceRef: {kind: X, name: x}}\nstatus:\n  artifact: {revision: \"latest@sha256:1\"}\n  exportedInputs: {x: theirs}\n"
	}
	repo(t, m{tenantA: manifest, inputsA: "x: ours\n", "sets.yaml": allModules + "---\n" + onModules + configMapOf("x: << inputs.x >>\nr: << get inputs \"revision\" | trunc 7 >>")})
	config := withInputs(t, "spec:\n  sources:", "spec:\n  configs: [sets.yaml]\n  resourceSets: Render\n  sources:")
	o := observe(t, listOf(config, foreign("good", "apps/good.yaml"), foreign("evil", "tenants/tenant-a/evil.yaml")))
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{`{"r":"latest@","x":"theirs"}`, `{"r":"latest@","x":"ours"}`}, o.data(t))
	assert.Empty(t, o.found("warning"))
	o = observe(t, listOf(config, foreign("good", "apps/good.yaml"))) // whose files are these?
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{`{"r":"latest@","x":"ours"}`}, o.data(t))
	assert.Contains(t, o.the(t, "tenant-configuration-ignored").Message, "ExternalArtifact apps/good may be a tenant's")
}

// A copy of a tenant's text is a tenant's text.
func TestSetsStampCopies(t *testing.T) {
	inline := strings.Replace(setHead, "name: set", "name: zz", 1) + "  resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: copy, namespace: apps, annotations: {fluxcd.controlplane.io/copyFrom: tenant-a/m}}}]\n"
	o := renders(t, "Render", m{inputsA: "x: ${SECRET}"}, allModules, onModules+configMapOf("a: << inputs.x >>"), inline)
	require.Zero(t, o.status, o.stderr)
	made := o.madeBySets(t)
	require.Len(t, made, 2)
	for _, object := range made {
		assert.Contains(t, object, `"kustomize.toolkit.fluxcd.io/substitute":"disabled"`)
	}
}

// Which objects carry a tenant's text, and how they are stamped.
func TestSetsStampObjects(t *testing.T) {
	inline := strings.Replace(setHead, "name: set", "name: inline", 1) + "  inputs: [{x: \"${VERSION}\"}]\n  resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: inline}, data: {k: << inputs.x >>}}]\n"
	stepped := strings.Replace(setHead, "name: set", "name: steps", 1) + "  steps: [{name: one, resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: step}}]}]\n"
	o := renders(t, "Render", m{inputsA: "x: \"${SECRET}\""}, allModules, onModules+configMapOf("x: << inputs.x >>"), inline, stepped)
	require.Zero(t, o.status, o.stderr)
	configMap := func(name string) object {
		i := slices.IndexFunc(o.objects, func(c object) bool { return c.Kind == "ConfigMap" && c.Metadata.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		return o.objects[i]
	}
	tenants, theirs, step := configMap("m"), configMap("inline"), configMap("step")
	assert.Equal(t, m{
		krm.OwnerKey: "ResourceSet/flux-system/set", krm.OriginKey: "tenants/tenant-a/modules/m", krm.NameKey: "/ConfigMap/tenant-a/m",
		"kustomize.toolkit.fluxcd.io/substitute": "disabled", krm.PathKey: "generated/tenant-a/configmap-m.yaml", krm.IndexKey: "0",
	}, tenants.Metadata.Annotations)
	assert.Equal(t, "sets.yaml", theirs.annotation("origin"))
	assert.Empty(t, theirs.Metadata.Annotations["kustomize.toolkit.fluxcd.io/substitute"], "the platform team's variables are substituted")
	assert.Equal(t, map[string]any{"k": "${VERSION}"}, theirs.Data)
	assert.Equal(t, "1/one", step.annotation("step"))
}

// Two kinds of one name have two files.
func TestSetsWithNamesakesHaveFiles(t *testing.T) {
	set := setHead + "  resources:\n  - {apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: a, namespace: b}}\n  - {apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}}\n"
	o := renders(t, "Render", nil, set)
	require.Zero(t, o.status, o.stderr)
	var files []string
	for _, made := range o.objects {
		if made.Kind == "Service" {
			files = append(files, made.APIVersion+" "+made.Metadata.Annotations[krm.PathKey])
		}
	}
	assert.Equal(t, []string{"v1 generated/b/service-a.yaml", "serving.knative.dev/v1 generated/b/service.serving.knative.dev-a.yaml"}, files)
}

// A lower tier gets the object, whoever it is.
func TestSetsHaveTiers(t *testing.T) {
	set := func(name, tier, value string) string {
		return strings.Replace(setHead, "name: set", "annotations: {"+krm.TierKey+": \""+tier+"\"}, name: "+name, 1) +
			"  resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: " + value + "}}]\n"
	}
	o := renders(t, "Render", nil, set("late", "100", "late"), set("early", "50", "early"))
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{`{"k":"early"}`}, o.data(t))
	assert.Equal(t, []string{"warning tier-lost sets.yaml:1:1"}, o.found("warning"))
	o = renders(t, "Render", nil, set("late", "50", "late"), set("early", "50", "early"))
	assert.Equal(t, []string{"error tier-tie sets.yaml:1:1"}, o.found("error"))
}

// What a tenant's map adds to labels and annotations is no instruction.
func TestSetsTakeNoInstructionsFromTenants(t *testing.T) {
	set := onModules + "    apiVersion: v1\n    kind: ConfigMap\n    metadata:\n      name: << inputs.name >>\n      annotations:\n        kustomize.toolkit.fluxcd.io/prune: disabled\n    << toYaml inputs.annotations | indent 4 >>\n"
	o := renders(t, "Render", m{inputsA: "annotations: {config.kubernetes.io/local-config: 'true', fluxcd.controlplane.io/force: enabled, my.org/note: hello}"}, allModules, set)
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{"warning inputs-control-key sets.yaml:13:22", "warning inputs-control-key sets.yaml:13:22"}, o.found("warning"))
	assert.Equal(t, []string{`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"kustomize.toolkit.fluxcd.io/prune":"disabled","kustomize.toolkit.fluxcd.io/substitute":"disabled","my.org/note":"hello"},"name":"m"}}`}, o.madeBySets(t))
}

// Whether an object is there, and who deletes a namespace, is no tenant's to say.
// Flux Operator would listen, so there it is an error.
func TestSetsAreNotLedByTenants(t *testing.T) {
	const disabled, self = "annotations: {fluxcd.controlplane.io/reconcile: disabled}", "annotations: {source.extensions.fluxcd.io/externalFinalizer: self}"
	quota := onModules + "    apiVersion: v1\n    kind: ResourceQuota\n    metadata:\n      name: q\n      annotations: << toYaml inputs.annotations | nindent 8 >>\n"
	o := renders(t, "Render", m{inputsA: disabled}, allModules, quota)
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{"warning inputs-control-key sets.yaml:13:22"}, o.found("warning"))
	assert.Len(t, o.madeBySets(t), 1)
	namespace := strings.Replace(strings.Replace(quota, "ResourceQuota", "Namespace", 1), "name: q", "name: << inputs.namespace >>-extra", 1)
	o = renders(t, "Render", m{inputsA: self}, allModules, namespace)
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{"warning inputs-control-key sets.yaml:13:22"}, o.found("warning"))
	assert.Len(t, o.madeBySets(t), 1)
	for _, annotations := range []string{disabled, self, "annotations: {fluxcd.controlplane.io/copyFrom: flux-system/keys}"} {
		o := renders(t, "Passthrough", m{inputsA: annotations}, allModules, quota)
		assert.Equal(t, []string{"error inputs-control-key " + inputsA + ":1:1"}, o.found("error", "warning"), o.stderr)
	}
	o = renders(t, "Passthrough", m{inputsA: "annotations: {my.org/note: hello}"}, allModules, quota)
	assert.Empty(t, o.found("error", "warning"))
}

// One tenant cannot take an object from another.
func TestSetsKeepTenantsApart(t *testing.T) {
	set := onModules + "    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: << inputs.x >>, namespace: shared}\n    data: {by: << inputs.namespace >>}\n"
	files := m{inputsA: "x: theirs\n", "tenants/tenant-b/modules/m/applier-inputs.yaml": "x: theirs\n"}
	o := renders(t, "Render", files, allModules, set)
	assert.Equal(t, []string{"error resourceset-duplicate sets.yaml:13:22"}, o.found("error", "warning"), o.stderr)
	assert.Contains(t, o.stderr, "ConfigMap shared/theirs made with the inputs of ExternalArtifact tenant-b/m is dropped")
	files["tenants/tenant-b/modules/m/applier-inputs.yaml"] = "x: ours\n"
	o = renders(t, "Render", files, allModules, set)
	assert.Equal(t, []string{`{"by":"tenant-b"}`, `{"by":"tenant-a"}`}, o.data(t))
}

// Names become files, and identities.
func TestSetsRefuseOddObjects(t *testing.T) {
	for name, test := range map[string]struct{ inputs, metadata, code string }{
		"a path":               {"x: ../../x", "{name: << inputs.x >>}", "resourceset-object"},
		"no name":              {"x: ''", "{name: << inputs.x >>}", "resourceset-object"},
		"a number":             {"x: 5", "{name: << inputs.x >>}", "resourceset-object"},
		"a namespace":          {"x: Kube_System", "{name: a, namespace: << inputs.x >>}", "resourceset-object"},
		"a label that is none": {"x: 5", "{name: a, labels: {l: << inputs.x >>}}", "resourceset-object"},
		"our own annotation":   {"x: a", "{name: a, annotations: {" + krm.OwnerKey + ": << inputs.x >>}}", "resourceset-forbidden-key"},
		"the host's":           {"x: a", "{name: a, annotations: {config.kubernetes.io/path: << inputs.x >>}}", "resourceset-forbidden-key"},
		"annotations":          {"x: \"" + strings.Repeat("x", 90<<10) + "\"", "{name: a, annotations: {a: << inputs.x >>, b: << inputs.x >>, c: << inputs.x >>}}", "annotations-too-large"},
		"two readings":         {"x: a", "{name: a, generation: 0644}", "resourceset-object"},
	} {
		t.Run(name, func(t *testing.T) {
			o := renders(t, "Render", m{inputsA: test.inputs}, allModules, onModules+"    apiVersion: v1\n    kind: ConfigMap\n    metadata: "+test.metadata+"\n")
			if test.code == "annotations-too-large" { // and all of them are ours, too
				assert.Equal(t, []string{"error " + test.code + " sets.yaml:8:1"}, o.found("error"), o.stderr)
				return
			}
			assert.Equal(t, []string{"error " + test.code + " sets.yaml:13:22"}, o.found("error"), o.stderr)
			assert.Contains(t, o.stderr, "the inputs of ExternalArtifact tenant-a/m")
		})
	}
}

// A namespace that a set deletes in the generator's place carries nothing else.
func TestSetsFinalizeNamespaces(t *testing.T) {
	namespace := func(metadata string) string {
		return onModules + "    apiVersion: v1\n    kind: Namespace\n    metadata: " + metadata + "\n"
	}
	const self = "source.extensions.fluxcd.io/externalFinalizer: self"
	for _, mode := range []string{"Render", "Passthrough"} {
		o := renders(t, mode, nil, allModules, namespace("{name: << inputs.namespace >>, annotations: {"+self+"}}"))
		require.Zero(t, o.status, o.stderr)
		assert.Empty(t, o.found("warning", "error"))
		assert.Equal(t, "ArtifactGenerator/flux-system/tenants", o.get(t, "tenant-a").annotation("owner"), "the generator's object is the one")
	}
	o := renders(t, "Render", nil, allModules, namespace("{name: other, annotations: {"+self+"}}"))
	assert.Equal(t, []string{"warning finalizer-unmanaged sets.yaml:13:22"}, o.found("warning", "error"))
	for name, metadata := range map[string]string{
		"a label":           "{name: << inputs.namespace >>, labels: {a: b}, annotations: {" + self + "}}",
		"an annotation":     "{name: << inputs.namespace >>, annotations: {a: b, " + self + "}}",
		"a finalizer":       "{name: << inputs.namespace >>, finalizers: [x], annotations: {" + self + "}}",
		"a reference":       "{name: << inputs.namespace >>, annotations: {source.extensions.fluxcd.io/externalFinalizer: fluxcd.controlplane.io/v1/ResourceSet/a/b/c}}",
		"as a label":        "{name: << inputs.namespace >>, labels: {" + self + "}}",
		"another namespace": "{name: a, namespace: b, annotations: {" + self + "}}",
	} {
		for _, mode := range []string{"Render", "Passthrough"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				o := renders(t, mode, nil, allModules, namespace(metadata))
				assert.Equal(t, []string{"error finalizer-declaration sets.yaml:13:22"}, o.found("warning", "error"), o.stderr)
			})
		}
	}
}

// Passthrough finds what text substitution, with the rights of Flux Operator, would
// make of a tenant's inputs, and names the file and the input.
func TestPassthroughFindsInjections(t *testing.T) {
	for name, test := range map[string]struct{ inputs, data, says string }{
		"a key":                    {"x: \"v\\nb: 2\"", "a: << inputs.x >>", "`inputs.x` in line 5, column 9 of the template at `spec.resourcesTemplate` of ResourceSet flux-system/set: substituted as text it adds the key `b`"},
		"a document":               {"x: \"v\\n---\\nkind: Secret\"", "a: << inputs.x >>", "changes the number of documents from 1 to 2"},
		"an annotation":            {"x: \"v\\n  b: 2\"", "a: << inputs.x >>", "adds the key `data.b`"},
		"a number":                 {"x: '007'", "a: << inputs.x >>", "becomes the number 7 at `data.a`"},
		"a boolean for some":       {"x: 'yes'", "a: << inputs.x >>", "becomes the boolean true at `data.a`"},
		"nothing":                  {"x: ''", "a: << inputs.x >>", "becomes null at `data.a`"},
		"a map":                    {"x: '{a: b}'", "a: << inputs.x >>", "becomes a map at `data.a`"},
		"an anchor":                {"x: '*a'", "a: << inputs.x >>", "breaks the YAML"},
		"a quote out of quotes":    {"x: '\", b: \"c'", "a: {b: \"<< inputs.x >>\"}", "breaks the YAML"},
		"a comment":                {"x: 'v # w'", "a: << inputs.x >>", ""},
		"quote":                    {"x: \"v\\nb: 2\"", "a: << inputs.x | quote >>", ""},
		"toYaml":                   {"x: {b: [1, \"v\\nc: 2\"]}", "a: << inputs.x | toYaml | nindent 4 >>", ""},
		"text in a block":          {"x: \"v\\nb: 2\"", "a: |\n<< inputs.x | indent 4 >>", ""},
		"text out of a block":      {"x: \"v\\nb: 2\"", "a: |\n        << inputs.x >>", "adds the key `b`"},
		"a number that is one":     {"x: 5", "a: << inputs.x >>", ""},
		"a name":                   {"x: hello", "a: << inputs.x >>-b", ""},
		"a name that becomes two":  {"x: '2020-01'", "a: << inputs.x >>-01", "becomes a timestamp at `data.a`"},
		"the id is digits":         {"{}", "a: << inputs.id >>", "becomes the number 363856821"},
		"what the author wrote":    {"x: \"a: b\"", "a: << inputs.x | quote >>\nmode: 0644\nb: << inputs.id | quote >>", ""},
		"a value of a neighbour":   {"x: 'v, b: evil} #'", "a: {a: << inputs.x >>, b: good}", "changes `data.a.b` from \"good\" to \"evil\""},
		"another input":            {"x: 'v, b: evil} #'", "a: {a: << inputs.x >>, b: << inputs.namespace >>}", "changes `data.a.b` from"},
		"a neighbour in quotes":    {"x: 'v\", b: \"evil\"} #'", "a: {a: \"<< inputs.x >>\", b: \"a-<< inputs.namespace >>\"}", "changes `data.a.b` from"},
		"its own value":            {"x: 'it''s \"so\"  \\n'", "a: << inputs.x >>\nb: << inputs.namespace >>-x", ""},
		"branches of the template": {"x: true", "a: << if inputs.x >>b<< else >>c<< end >>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := renders(t, "Passthrough", m{inputsA: test.inputs}, allModules, onModules+strings.ReplaceAll(configMapOf(test.data), "      <<", "    <<"))
			if test.says == "" {
				assert.Empty(t, o.found("error"), o.stderr)
				assert.Empty(t, o.madeBySets(t))
				return
			}
			assert.Equal(t, []string{"error input-injection " + inputsA + ":1:1"}, o.found("error"), o.stderr)
			assert.Contains(t, o.the(t, "input-injection").Message, test.says)
		})
	}
}

// Passthrough leaves what it does not know to Flux Operator, and says so.
func TestPassthroughChecks(t *testing.T) {
	for name, test := range map[string]struct {
		provider, data string
		says           []string
	}{
		"good":                  {allModules, "a: << inputs.x >>", nil},
		"a template":            {allModules, "a: << inputs.x", []string{"error template-syntax sets.yaml:13:22"}},
		"an unknown input":      {allModules, "a: << inputs.xx >>", []string{"warning inputs-unknown sets.yaml:13:22"}},
		"a template that fails": {allModules, "a: << fail \"no\" >>", []string{"error template-failed sets.yaml:13:22"}},
		"a network":             {providerHead + "  type: GitHubPullRequest\n", "a: << inputs.x >>", []string{"warning provider-network sets.yaml:1:1"}},
		"no provider":           {strings.Replace(allModules, "name: modules", "name: other", 1), "a: << inputs.x >>", []string{"warning provider-missing sets.yaml:12:16"}},
		"no artifacts": {
			strings.Replace(allModules, "\"*\"", "nowhere", 1), "a: << inputs.x >>",
			[]string{"warning provider-no-artifact sets.yaml:6:15", "warning resourceset-no-inputs sets.yaml:8:1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := renders(t, "Passthrough", m{inputsA: "x: a"}, test.provider, onModules+configMapOf(test.data))
			assert.Equal(t, test.says, o.found("error", "warning"), o.stderr)
		})
	}
}

// A set that makes nothing deletes what it made.
func TestSetsWithoutInputsAreStopped(t *testing.T) {
	for _, mode := range []string{"Render", "Passthrough"} { // a mistake is one finding
		o := renders(t, mode, m{inputsA: "[]"}, allModules, onModules+configMapOf("a: b"))
		assert.Len(t, o.found("error", "warning"), 1, o.stderr)
	}
	none := strings.Replace(allModules, "\"*\"", "nowhere", 1)
	set := onModules + configMapOf("a: << inputs.x >>")
	o := renders(t, "Render", nil, none, set)
	assert.Equal(t, 3, o.status, "only safeguards: %s", o.stderr)
	o = renders(t, "Render", nil, none, strings.Replace(set, "name: set", "annotations: {"+krm.Prefix+"allow-empty: \"true\"}, name: set", 1))
	assert.Zero(t, o.status, o.stderr)
}

// copyFrom and checksumFrom, on what is in the list.
func TestSetsCopyAndSum(t *testing.T) {
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: src, namespace: flux-system, annotations: {config.kubernetes.io/path: secret.yaml}}\ntype: Opaque\ndata: {b: Yg==, a: YQ==}\n"
	set := setHead + "  resources:\n" +
		"  - {apiVersion: v1, kind: Secret, metadata: {name: copy, annotations: {fluxcd.controlplane.io/copyFrom: flux-system/src}}, stringData: {old: x}}\n" +
		"  - {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {metadata: {annotations: {fluxcd.controlplane.io/checksumFrom: Secret/flux-system/src}}}}}\n"
	repo(t, m{tenantA: manifest, "sets.yaml": set})
	config := with(t, "spec:\n  sources:", "spec:\n  configs: [sets.yaml]\n  resourceSets: Render\n  sources:")
	const kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: x, annotations: {config.kubernetes.io/path: Kptfile}}\n"
	o := observe(t, listOf(config, secret, kptfile))
	require.Zero(t, o.status, o.stderr)
	// printf 'Secret/flux-system/src\0a\0a\0b\0b\0' | sha256sum
	const sum = "sha256:7eb215d0563797a9f3c701a9f280a55bc1aa5373d7c145ee90014d319543a223"
	assert.Equal(t, []string{
		`{"apiVersion":"v1","data":{"a":"YQ==","b":"Yg=="},"kind":"Secret","metadata":{"annotations":{"fluxcd.controlplane.io/copyFrom":"flux-system/src"},"name":"copy"},"type":"Opaque"}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"template":{"metadata":{"annotations":{"fluxcd.controlplane.io/checksum":"` + sum + `","fluxcd.controlplane.io/checksumFrom":"Secret/flux-system/src"}}}}}`,
	}, o.madeBySets(t))
	o = observe(t, listOf(config, strings.Replace(secret, "path: secret.yaml", "path: tenants/tenant-a/secret.yaml", 1), kptfile))
	assert.Equal(t, []string{"error resourceset-copy sets.yaml:6:5", "error resourceset-copy sets.yaml:7:5"}, o.found("error"), "a tenant's Secret is none")
}

// A ResourceSet in a tenant's directory is a file like any other.
func TestSetsOfTenantsAreNoConfiguration(t *testing.T) {
	repo(t, m{tenantA: manifest})
	config := with(t, "spec:\n  sources:", "spec:\n  resourceSets: Render\n  sources:")
	set := strings.Replace(setHead, "namespace: flux-system", "namespace: flux-system, annotations: {config.kubernetes.io/path: tenants/tenant-a/set.yaml}", 1) +
		"  resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]\n"
	o := observe(t, listOf(config, set))
	require.Zero(t, o.status, o.stderr)
	assert.Equal(t, []string{"warning tenant-configuration-ignored tenants/tenant-a/set.yaml"}, o.found("warning"))
	assert.Empty(t, o.madeBySets(t))
	assert.NotContains(t, o.stdout, "local-config\": \"true\"\n      config.kubernetes.io/path: tenants/tenant-a/set.yaml")

	o = observe(t, listOf(config, strings.ReplaceAll(set, "tenants/tenant-a/set.yaml", "platform/set.yaml"), "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: x, annotations: {config.kubernetes.io/path: Kptfile}}\n"))
	require.Zero(t, o.status, o.stderr)
	assert.Len(t, o.madeBySets(t), 1)
	assert.Equal(t, []string{"info local-config-added platform/set.yaml", "info no-baseline"}, o.found("info"))
}

// Where nobody says whose an item is, nothing is rendered from it.
func TestSetsOfNobody(t *testing.T) {
	repo(t, m{tenantA: manifest})
	const resources = "  resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]\n"
	filed := strings.Replace(setHead, "namespace: flux-system", "namespace: flux-system, annotations: {config.kubernetes.io/path: acme/set.yaml}", 1) + resources
	gathered := strings.Replace(setHead, "namespace: flux-system", "namespace: flux-system, annotations: {kustomize.config.k8s.io/id: \"1\"}", 1) + resources
	for _, test := range []struct{ mode, set, says string }{
		{"Render", filed, "error tenant-configuration-ambiguous acme/set.yaml"},
		{"Passthrough", filed, "warning tenant-configuration-ignored acme/set.yaml"},
		{"Render", gathered, "warning tenant-configuration-ignored"},
	} {
		config := with(t, "spec:\n  sources:", "spec:\n  resourceSets: "+test.mode+"\n  sources:")
		o := observe(t, listOf(config, test.set))
		assert.Equal(t, []string{test.says}, o.found("error", "warning"), o.stderr)
		assert.Empty(t, o.madeBySets(t))
	}
}

// Fixture 10: variables of Flux survive, and nothing else is needed.
func TestFixture10ResourceSet(t *testing.T) {
	dir := fixture(t, "10")
	config := "apiVersion: fn.kpt.dev/v1alpha1\nkind: ProvisionTenants\nmetadata: {name: apps, namespace: flux-system}\nspec: {resourceSets: Render}\n"
	o := observe(t, listOf(config, read(t, dir, "resourceset.yaml")))
	require.Zero(t, o.status, o.stderr)
	lines := o.madeBySets(t)
	var made []string
	for _, line := range lines {
		assert.NotContains(t, line, "substitute")
		var object object
		require.NoError(t, json.Unmarshal([]byte(line), &object))
		made = append(made, strings.TrimSuffix(object.Kind+" "+object.Metadata.Namespace+"/"+object.Metadata.Name, "/"))
	}
	slices.Sort(made)
	assert.Equal(t, []string{
		"Namespace /backend", "Namespace /frontend", "RoleBinding backend/flux", "RoleBinding frontend/flux", "ServiceAccount backend/flux", "ServiceAccount frontend/flux",
	}, made)
	assert.Contains(t, lines, `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"flux","namespace":"backend"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"admin"},"subjects":[{"kind":"ServiceAccount","name":"flux","namespace":"backend"}]}`)
	edit(t, "resourceset.yaml", "labels: {toolkit", "annotations: {tag: << inputs.tag >>}\n        labels: {toolkit")
	o = observe(t, listOf(config, read(t, dir, "resourceset.yaml")))
	assert.Contains(t, o.madeBySets(t)[0], `"tag":"${ARTIFACT_TAG}"`)
}

// Fixture 14: the same texts as inputs, in each place that a template has.
func TestFixture14InputsAreData(t *testing.T) {
	texts := []string{
		`sum(rate(http_requests_total{namespace="$namespace"}[5m])) > ${THRESHOLD}`, "{{ $labels.pod }} is down",
		"kpt-set: ${team}", "$(date) `id` $$", "<< inputs.tenant >>",
	}
	for _, text := range texts {
		input, err := json.Marshal(map[string]string{"x": text})
		require.NoError(t, err)
		o := renders(t, "Render", m{inputsA: string(input)}, allModules,
			onModules+configMapOf("a: << inputs.x >>\nb: \"<< inputs.x >>\"\nc: << inputs.x | quote >>\nd: x << inputs.x >>\ne: << toYaml inputs.x >>\n<< inputs.x | sha256sum >>: k"))
		require.Zero(t, o.status, o.stderr)
		var data map[string]string
		require.NoError(t, json.Unmarshal([]byte(o.data(t)[0]), &data))
		assert.Equal(t, []string{text, text, text, "x " + text, text}, []string{data["a"], data["b"], data["c"], data["d"], data["e"]})
	}
}
