package resourceset

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// newSet is a ResourceSet on all artifacts that a provider `p` selects.
func newSet(t *testing.T, text string) *Set {
	t.Helper()
	rep := &krm.Report{}
	set, ok := New(Fields{
		Name: "set", Namespace: "default", From: []Reference{{Name: krm.Str{Text: "p"}}}, Parts: []Part{{Template: krm.Str{Text: text}}},
	}, rep)
	require.True(t, ok, "%v", rep.Findings())
	return set
}

func environment(artifacts ...*Artifact) Environment {
	none := func(string) bool { return false }
	return Environment{
		Render: true, Artifacts: artifacts, Control: none, Forbidden: none,
		Providers: []*Provider{{Name: "p", Namespace: "default", Type: TypeArtifact, Limit: 10_000, Selectors: []ArtifactSelector{{Namespace: "*"}}}},
	}
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: << inputs.name >>, namespace: << inputs.namespace >>}\n"

func TestTenThousandArtifacts(t *testing.T) {
	var artifacts []*Artifact
	for i := range 10_000 {
		artifacts = append(artifacts, &Artifact{Namespace: fmt.Sprintf("tenant-%05d", i), Name: "web"})
	}
	rep := &krm.Report{}
	result := Evaluate([]*Set{newSet(t, configMap)}, environment(artifacts...), rep)
	require.Empty(t, rep.Findings())
	require.Len(t, result.Objects, 10_000)
	assert.Equal(t, "tenant-09999", result.Objects[9999].Namespace)

	result = Evaluate([]*Set{newSet(t, configMap)}, environment(append(artifacts, &Artifact{Namespace: "x", Name: "web"})...), rep)
	assert.Empty(t, result.Objects, "none is better than all but one")
	require.Len(t, rep.Findings(), 1)
	assert.Equal(t, "provider-limit", rep.Findings()[0].Code)
}

// One template that fails for everybody is not tried for everybody.
func TestMistakesAreBounded(t *testing.T) {
	var artifacts []*Artifact
	for i := range 1000 {
		artifacts = append(artifacts, &Artifact{Namespace: fmt.Sprintf("tenant-%05d", i), Name: "web"})
	}
	for text, want := range map[string]int{
		configMap + "data: {k: << inputs.nope >>}\n":                                  20,
		configMap + "data: {k: << range 1000000000 >>x<< end >>}\n":                   2,
		configMap + "data: {k: 5}\n":                                                  20,
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"<< inputs.name >>/\"}\n": 20,
	} {
		rep := &krm.Report{}
		Evaluate([]*Set{newSet(t, text)}, environment(artifacts...), rep)
		findings := rep.Findings()
		require.Len(t, findings, want, text)
		assert.Contains(t, findings[want-1].Message, "no further inputs are tried", text)
	}
}

// What one template does to its inputs is no other template's business.
func TestInputsAreNotShared(t *testing.T) {
	rep := &krm.Report{}
	set, ok := New(Fields{
		Name: "set", Namespace: "default", From: []Reference{{Name: krm.Str{Text: "p"}}},
		Parts: []Part{
			{Template: krm.Str{Text: "<< $_ := set inputs \"name\" \"changed\" >><< $_ := set inputs.deep \"k\" \"changed\" >>" + configMap}},
			{Template: krm.Str{Text: configMap + "data: {k: << inputs.deep.k >>}\n"}},
		},
	}, rep)
	require.True(t, ok)
	artifact := &Artifact{Namespace: "a", Name: "web", Inputs: map[string]any{"deep": map[string]any{"k": "v"}}}
	result := Evaluate([]*Set{set}, environment(artifact), rep)
	require.Empty(t, rep.Findings())
	require.Len(t, result.Objects, 2)
	assert.Equal(t, "changed", result.Objects[0].Name)
	assert.Equal(t, "web", result.Objects[1].Name)
	assert.Contains(t, string(result.Objects[1].AppendYAML(nil, 0)), "k: v\n")
}

func TestNormalisedNames(t *testing.T) {
	for name, want := range map[string]string{"My Provider": "my_provider", "a--b.c": "a_b_c", "é-a": "a", "_x_": "x"} {
		assert.Equal(t, want, normalised(name))
	}
}

func TestIDs(t *testing.T) {
	for text, want := range map[string]string{
		"some-tenant/some-module": "1812859138", "apps/auth-dev": "592053506", "tenant-a/web": "509871238", "tenant-b/web": "510198919",
	} {
		assert.Equal(t, want, idOf(text))
	}
}
