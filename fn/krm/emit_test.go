package krm

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"
)

func sampleObject() *Object {
	return &Object{
		APIVersion: "source.toolkit.fluxcd.io/v1", Kind: "ExternalArtifact", Namespace: "tenant-a", Name: "billing",
		Labels: map[string]string{"app.kubernetes.io/managed-by": "provision-tenants", "1st": "yes"},
		Annotations: map[string]string{
			"a.b/c": "0", "empty": "", "emoji": "a 😀 é", "lines": "a\nb\t\"c\"\\",
		},
		Data: map[string]string{"Namespace-.tenant-a": "x", "on": "12", "list.yaml": "- a: b\n  c: d\n"},
		Spec: NewMap(map[string]*Node{
			"sourceRef": NewMap(map[string]*Node{"kind": NewString("ArtifactGenerator"), "name": NewString("null")}),
			"none":      {Kind: NullNode, Text: "null"},
			"flag":      {Kind: BoolNode, Text: "true"},
			"big":       {Kind: IntNode, Text: "123456789012345678901234567890"},
			"ratio":     {Kind: FloatNode, Text: "1.5"},
			"noMap":     NewMap(nil),
			"noList":    NewList(),
		}).Encode(),
		Status: NewMap(map[string]*Node{
			"list": NewList(
				NewString("a"), newInt(1), NewList(NewList(NewString("deep")), NewString("0744")), NewMap(map[string]*Node{
					"b": NewList(NewMap(map[string]*Node{"c": newInt(2), "d": NewString("e")}), NewMap(nil), NewList()),
					"a": NewString("main@sha1:abc"),
				}),
			),
			strings.Repeat("k", 129): NewMap(map[string]*Node{"x": newInt(1), "y": NewList(NewString("z"))}),
			"two\nlines":             NewList(NewString("a"), NewMap(map[string]*Node{"b": NewString("c"), "d": NewString("e")})),
		}).Encode(),
	}
}

func TestAppendYAML(t *testing.T) {
	want := `apiVersion: source.toolkit.fluxcd.io/v1
kind: ExternalArtifact
metadata:
  name: billing
  namespace: tenant-a
  labels:
    "1st": "yes"
    app.kubernetes.io/managed-by: "provision-tenants"
  annotations:
    a.b/c: "0"
    emoji: "a \U0001F600 é"
    empty: ""
    lines: "a\nb\t\"c\"\\"
data:
  Namespace-.tenant-a: "x"
  list.yaml: |
    - a: b
      c: d
  "on": "12"
spec:
  big: 123456789012345678901234567890
  flag: true
  noList: []
  noMap: {}
  none: null
  ratio: 1.5
  sourceRef:
    kind: ArtifactGenerator
    name: "null"
status:
  ? ` + strings.Repeat("k", 129) + `
  : x: 1
    "y":
    - z
  list:
  - a
  - 1
  - - - deep
    - "0744"
  - a: "main@sha1:abc"
    b:
    - c: 2
      d: e
    - {}
    - []
  ? "two\nlines"
  : - a
    - b: c
      d: e
`
	object := sampleObject()
	assert.Equal(t, want, string(object.AppendYAML(nil, 0)))
	indented := "- " + strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n", "\n  ") + "\n"
	assert.Equal(t, indented, string(object.AppendYAML([]byte("- "), 2)))
}

func TestAppendYAMLLeavesOutWhatIsEmpty(t *testing.T) {
	assert.Equal(t, "apiVersion: v1\nkind: ConfigMap\n",
		string((&Object{APIVersion: "v1", Kind: "ConfigMap", Data: map[string]string{}}).AppendYAML(nil, 0)))
	assert.Equal(t, "kind: Namespace\nmetadata:\n  name: a\n",
		string((&Object{Kind: "Namespace", Name: "a", Labels: map[string]string{}}).AppendYAML(nil, 0)))
}

func TestAppendYAMLOfNode(t *testing.T) {
	for want, node := range map[string]*Node{
		"a\n": NewString("a"), "\"1\"\n": NewString("1"), "[]\n": NewList(), "{}\n": NewMap(nil),
		"- a\n  - b: c\n    d: e\n": NewList(NewString("a"), NewStringMap(map[string]string{"b": "c", "d": "e"})),
		"a: 1\n  b:\n  - 2\n":       NewMap(map[string]*Node{"a": newInt(1), "b": NewList(newInt(2))}),
	} {
		assert.Equal(t, want, string(node.AppendYAML(nil, 2)))
	}
}

// A literal block is for lines that it shows as they are.
func TestAppendYAMLLines(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\n": "k: |\n  a\n  b\n", "- a: b\n  c: d\n": "k: |\n  - a: b\n    c: d\n", "# a\n---\n": "k: |\n  # a\n  ---\n",
		"a\n": `k: "a\n"` + "\n", "a\nb": `k: "a\nb"` + "\n", " a\nb\n": `k: " a\nb\n"` + "\n", "a\n\nb\n": `k: "a\n\nb\n"` + "\n",
		"a \nb\n": `k: "a \nb\n"` + "\n", "a\n\tb\n": `k: "a\n\tb\n"` + "\n", "é\nb\n": `k: "é\nb\n"` + "\n", "a\r\nb\n": `k: "a\r\nb\n"` + "\n",
	} {
		assert.Equal(t, want, string(NewStringMap(map[string]string{"k": text}).AppendYAML(nil, 0)))
	}
}

func TestAppendText(t *testing.T) {
	for s, want := range map[string]string{
		"tenant-a": "tenant-a", "v1": "v1", "a/b.c_d-": "a/b.c_d-", "Yesterday": "Yesterday", "infinite": "infinite",
		"": `""`, "y": `"y"`, "N": `"N"`, "Yes": `"Yes"`, "oN": `"oN"`, "FALSE": `"FALSE"`, "null": `"null"`, "NaN": `"NaN"`, "inf": `"inf"`,
		"0": `"0"`, "0x1f": `"0x1f"`, "1e3": `"1e3"`, "-a": `"-a"`, ".inf": `".inf"`, "/a": `"/a"`, "~": `"~"`, "2001-01-01": `"2001-01-01"`,
		"a b": `"a b"`, "a:": `"a:"`, "a#": `"a#"`, "a\n": `"a\n"`, "é": `"é"`, "a,b": `"a,b"`,
		"\x00\x01\x1f\x7f": `"\0\x01\x1F\x7F"`, "\a\b\t\n\v\f\r\x1b": `"\a\b\t\n\v\f\r\e"`,
		"\u0080\u0085\u2028\u2029": `"\x80\N\L\P"`, "\u00ad\u200b\u202e\u2066\ufeff": `"\u00AD\u200B\u202E\u2066\uFEFF"`,
		"\uffff😀\U000e0041": `"\uFFFF\U0001F600\U000E0041"`, "\u00a0": "\"\u00a0\"", "a\xffb": `"a` + "\ufffd" + `b"`,
	} {
		assert.Equal(t, want, string(appendText(nil, s)), "%q", s)
	}
}

// What kpt does with a file on every render.
func kioRoundTrip(t *testing.T, text string) string {
	var out bytes.Buffer
	nodes, err := (&kio.ByteReader{Reader: strings.NewReader(text), PreserveSeqIndent: true}).Read()
	require.NoError(t, err)
	require.NoError(t, kio.ByteWriter{Writer: &out}.Write(nodes))
	return out.String()
}

func TestEmittedTextSurvivesKpt(t *testing.T) {
	first := string(sampleObject().AppendYAML(nil, 0))
	text := first + "---\n" + string((&Object{APIVersion: "v1", Kind: "Namespace", Name: "tenant-a"}).AppendYAML(nil, 0))
	assert.Equal(t, first, kioRoundTrip(t, first))
	assert.Equal(t, text, kioRoundTrip(t, text))
}

func FuzzEmit(f *testing.F) {
	for _, value := range scalarSeeds {
		f.Add(value, "key")
		f.Add("value", value)
		f.Add(value, value)
	}
	f.Add("- a: b\n  c: d\n", "two\nlines\n")
	f.Add("a\n b\n#\n", "k")
	f.Add("\u2028\u202e\u200b\U0010ffff\ufffd", "\u0085")
	f.Fuzz(func(t *testing.T, value, key string) {
		if utf8.ValidString(value) && utf8.ValidString(key) {
			checkEmit(t, value, key)
		}
	})
}

// checkEmit writes the two strings everywhere, and reads them back by a YAML 1.1
// and by a YAML 1.2 library.
func checkEmit(t *testing.T, value, key string) {
	pair := map[string]string{key: value}
	node := NewMap(map[string]*Node{key: NewList(NewString(value), NewMap(map[string]*Node{key: NewStringMap(pair)}))})
	object := &Object{
		APIVersion: "v1", Kind: "ConfigMap", Name: value, Namespace: key,
		Labels: pair, Annotations: pair, Data: pair, Spec: node.Encode(), Status: NewMap(map[string]*Node{key: node}).Encode(),
	}
	text := object.AppendYAML(nil, 0)
	require.True(t, utf8.Valid(text))

	plain := map[string]any{key: value}
	nested := map[string]any{key: []any{value, map[string]any{key: plain}}}
	metadata := map[string]any{"labels": plain, "annotations": plain}
	want := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
		"data": plain, "spec": nested, "status": map[string]any{key: nested},
	}
	if value != "" {
		metadata["name"] = value
	}
	if key != "" {
		metadata["namespace"] = key
	}
	var got11, got12 map[string]any
	require.NoError(t, yaml.UnmarshalStrict(text, &got11), "%s", text)
	require.Equal(t, want, got11)
	require.NoError(t, kyaml.Unmarshal(text, &got12), "%s", text)
	require.Equal(t, want, got12)
	checkEmitStable(t, string(text))
	checkEmitRead(t, object)
}

// checkEmitStable tells that yaml.v3 writes the text as it is, unless it has
// invisible characters. Of a string that begins with U+FEFF it escapes
// everything.
func checkEmitStable(t *testing.T, text string) {
	docs, err := decodeYAML([]byte(text))
	require.NoError(t, err)
	again, err := encodeAndCheck(docs[0].Content[0])
	require.NoError(t, err)
	if !strings.Contains(text, `\uFEFF`) && strings.IndexFunc(again, func(r rune) bool { return unicode.Is(unicode.Cf, r) }) < 0 {
		require.Equal(t, text, again)
	}
}

// checkEmitRead tells that Read understands what Render writes.
func checkEmitRead(t *testing.T, object *Object) {
	list, err := Read([]byte(header1 + "items:\n  - kind: Wide\n"))
	require.NoError(t, err)
	list, err = Read(rendered(list, list.Items, []*Object{object}, nil))
	require.NoError(t, err)
	require.Equal(t, object.Identity(), list.Items[1].Identity())
	require.Equal(t, object.Annotations, list.Items[1].Annotations)
}

func newInt(i int) *Node { return &Node{Kind: IntNode, Text: strconv.Itoa(i)} }

func TestNewObjectLosesNothing(t *testing.T) {
	text := `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: tenant-a
  labels:
    app: "web"
  annotations:
    a.b/c: "0"
  finalizers:
  - a.b/c
  ownerReferences:
  - name: x
    uid: "12"
immutable: true
spec:
  replicas: 3
  template:
    spec:
      containers:
      - args:
        - "--x"
        name: web
`
	node, ok := ParseFile("f.yaml", []byte(text), &Report{})
	require.True(t, ok)
	o := NewObject(node)
	assert.Equal(t, Identity{"apps", "Deployment", "tenant-a", "web"}, o.Identity())
	assert.Equal(t, text, string(o.AppendYAML(nil, 0)))
	assert.Equal(t, "  "+strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ")+"\n", "  "+string(o.AppendYAML(nil, 2)))

	bare, ok := ParseFile("f.yaml", []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: null}\n"), &Report{})
	require.True(t, ok)
	o = NewObject(bare)
	o.Annotations["a"] = "b"
	assert.Equal(t, "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n    a: \"b\"\n", string(o.AppendYAML(nil, 0)))
}
