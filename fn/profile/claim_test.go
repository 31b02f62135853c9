package profile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

func claim(kind, namespace, name, owner string, tier int) Claim {
	return Claim{
		Object: &krm.Object{APIVersion: "v1", Kind: kind, Namespace: namespace, Name: name, Annotations: map[string]string{krm.OriginKey: "dir/" + owner}},
		Owner:  owner,
		Tier:   tier,
	}
}

func TestLowestTierWinsWhateverTheOrder(t *testing.T) {
	a, b, c := claim("Namespace", "", "n", "A", 100), claim("Namespace", "", "n", "B", 50), claim("Namespace", "", "n", "C", 200)
	for _, claims := range [][]Claim{{a, b, c}, {c, b, a}, {b, a, c}, {c, a, b}} {
		rep := &krm.Report{}
		won := Resolve(claims, rep)
		require.Len(t, won, 1)
		assert.Equal(t, "dir/B", won[0].Annotations[krm.OriginKey])
		assert.Equal(t, "B", won[0].Annotations[krm.WinnerKey])
		assert.Equal(t, "A,C", won[0].Annotations[krm.LosersKey])
		require.Len(t, rep.Findings(), 2)
		assert.Equal(t, "A with tier 100 does not get Namespace n, which B claims with tier 50", rep.Findings()[0].Message)
		assert.False(t, rep.Failed())
	}
}

func TestTieIsAnErrorThatNamesBoth(t *testing.T) {
	rep := &krm.Report{}
	Resolve([]Claim{claim("Namespace", "", "n", "B", 7), claim("Namespace", "", "n", "A", 7)}, rep)
	require.Len(t, rep.Findings(), 1)
	assert.Equal(t, `Namespace n from "dir/A" and from "dir/B" are one object, both claimed with tier 7 by A and B`, rep.Findings()[0].Message)
	assert.Equal(t, krm.Error, rep.Worst())
}

func TestWithoutRivalsNothingIsStamped(t *testing.T) {
	rep := &krm.Report{}
	won := Resolve([]Claim{
		claim("ConfigMap", "b", "a", "A", 1), claim("ExternalArtifact", "b", "x", "A", 1), claim("ExternalArtifact", "a", "y", "A", 1),
		claim("Namespace", "", "z", "A", 1), claim("Namespace", "", "b", "A", 1),
	}, rep)
	var order []string
	for _, o := range won {
		order = append(order, o.Kind+" "+o.Namespace+"/"+o.Name)
		assert.NotContains(t, o.Annotations, krm.WinnerKey)
	}
	assert.Equal(t, []string{"Namespace /b", "Namespace /z", "ExternalArtifact a/y", "ExternalArtifact b/x", "ConfigMap b/a"}, order)
	assert.Empty(t, rep.Findings())
}
