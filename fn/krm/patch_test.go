package krm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {a: "1"}}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - {name: web, image: "web:1"}
      - {name: log, image: "log:1"}
`

func parsed(t *testing.T, text string) *Node {
	t.Helper()
	rep := &Report{}
	n, ok := ParseFile("x.yaml", []byte(text), rep)
	require.True(t, ok, "%v", rep.Findings())
	return n
}

func TestMergePatchMergesListsByKey(t *testing.T) {
	got, err := parsed(t, deployment).MergePatch(parsed(t, `{spec: {replicas: 5, template: {spec: {containers: [{name: log, image: "log:2"}]}}}, metadata: {labels: {a: null, b: "yes"}}}`))
	require.NoError(t, err)
	assert.Equal(t, "5", got.Get("spec").Get("replicas").Text)
	containers := got.Get("spec").Get("template").Get("spec").Get("containers")
	require.Len(t, containers.Items, 2)
	images := map[string]string{}
	for _, c := range containers.Items {
		images[c.Get("name").Text] = c.Get("image").Text
	}
	assert.Equal(t, map[string]string{"web": "web:1", "log": "log:2"}, images)
	assert.Equal(t, map[string]string{"b": "yes"}, got.Get("metadata").Get("labels").texts())
	assert.Equal(t, StringNode, got.Get("metadata").Get("labels").Get("b").Kind)

	_, err = parsed(t, deployment).MergePatch(parsed(t, `{$patch: delete}`))
	assert.EqualError(t, err, "it deletes the object")
}

func TestJSONPatch(t *testing.T) {
	got, err := parsed(t, deployment).JSONPatch(parsed(t, `[{op: replace, path: /spec/replicas, value: 12345678901234567890}, {op: remove, path: /spec/nothing}, {op: add, path: /metadata/labels/b, value: "0x1"}]`))
	require.NoError(t, err)
	assert.Equal(t, "12345678901234567890", got.Get("spec").Get("replicas").Text)
	assert.Equal(t, map[string]string{"a": "1", "b": "0x1"}, got.Get("metadata").Get("labels").texts())

	_, err = parsed(t, deployment).JSONPatch(parsed(t, `[{op: replace, path: /spec/nothing, value: 1}]`))
	assert.ErrorContains(t, err, "/spec/nothing")
}

func TestAppendJSONIsGos(t *testing.T) {
	n := parsed(t, `{z: "<a&b>", a: [1, 1.50, 1e3, true, null, {}], "é": "\u2028"}`)
	assert.Equal(t, `{"a":[1,1.5,1000,true,null,{}],"z":"\u003ca\u0026b\u003e","é":"\u2028"}`, string(n.AppendJSON(nil)))
}
