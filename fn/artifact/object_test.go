package artifact

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

func TestInputsObject(t *testing.T) {
	const head = "apiVersion: fn.kpt.dev/v1alpha1\nkind: Inputs\n"
	for text, want := range map[string]string{
		head + "metadata: {name: x, annotations: {a: b}}\nspec: {a: 1}\n": "a: 1\n",
		head + "spec: {}\n": "{}\n",
		head + "metadata: null\nspec:\n  kind: Inputs\n": "kind: Inputs\n",
		"kind: Deployment\napiVersion: apps/v1\n":        "apiVersion: apps/v1\nkind: Deployment\n",
		"metadata: {a: b}\nspec: {}\n":                   "metadata:\n  a: b\nspec: {}\n",
	} {
		rep := &krm.Report{}
		node, ok := ParseInputs([]byte(text), krm.Pos{File: "f", Line: 1}, rep)
		require.True(t, ok, "%s%v", text, rep.Findings())
		assert.Equal(t, want, string(node.AppendYAML(nil, 0)), text)
		assert.Empty(t, rep.Findings())
	}
	for text, want := range map[string]string{
		head:                                          "f:1:1: spec: `spec` is missing, it must be the map of the inputs",
		head + "metadata: x\nspec: {}\n":              "f:3:11: metadata: `metadata` must be a map, found a string",
		head + "metadata: {nam: x}\nspec: {}\n":       "f:3:12: metadata.nam: unknown field \"nam\"",
		head + "sepc: {}\n":                           "f:3:1: sepc: unknown field \"sepc\"",
		head + "spec: null\n":                         "f:3:7: spec: the inputs must be a map, found null",
		"kind: Inputs\nspec: {}\n":                    "f:1:1: an object with inputs must be fn.kpt.dev/v1alpha1 Inputs, found \"\" \"Inputs\"",
		"apiVersion: fn.kpt.dev/v1alpha1\nspec: {}\n": "f:1:1: an object with inputs must be fn.kpt.dev/v1alpha1 Inputs, found \"fn.kpt.dev/v1alpha1\" \"\"",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: b}\n":    "f:1:1: an object with inputs must be fn.kpt.dev/v1alpha1 Inputs, found \"v1\" \"ConfigMap\"",
		"apiVersion: fn.kpt.dev/v1alpha1\nkind: [Inputs]\nmetadata: {}\nspec: {}": "f:1:1: an object with inputs must be fn.kpt.dev/v1alpha1 Inputs, found \"fn.kpt.dev/v1alpha1\" \"\"",
	} {
		rep := &krm.Report{}
		_, ok := ParseInputs([]byte(text), krm.Pos{File: "f", Line: 1}, rep)
		assert.False(t, ok, text)
		require.Len(t, rep.Findings(), 1, text)
		f := rep.Findings()[0]
		assert.Equal(t, want, f.Pos.String()+": "+f.Message, text)
	}
}
