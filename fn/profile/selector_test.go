package profile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

func TestSelectorsAsText(t *testing.T) {
	labels := map[string]string{"env": "fv", "region": "west", "empty": "", "example.org/a.b": "1"}
	for text, want := range map[string]bool{
		"env=fv": true, "env==fv": true, " env = fv , region=west ": true, "env=fv,region=east": false,
		"env!=prod": true, "env!=fv": false, "zone!=a": true,
		"env in (prod, fv)": true, "env in (prod)": false, "zone in (a)": false,
		"env notin (prod)": true, "env notin (fv,prod)": false, "zone notin (a)": true,
		"env": true, "zone": false, "!zone": true, "!env": false,
		"empty=": true, "zone=": false, "example.org/a.b=1": true,
		"env in (fv),region notin (east),!zone": true,
		"":                                      false, "  ": false,
	} {
		rep := &krm.Report{}
		s, ok := ParseSelector(krm.Str{Text: text}, rep)
		require.True(t, ok, "%q: %v", text, rep.Findings())
		assert.Equal(t, want, s.Matches(labels), text)
	}
	for _, text := range []string{
		"env>3", "env < 3", "a,,b", ",", "env=a,env=b", "env in (a", "env in a", "=a", "env=a b", "a b", "env=-a", "-a", "a/b/c", "env in (a;b)", "!", "env===a",
	} {
		rep := &krm.Report{}
		_, ok := ParseSelector(krm.Str{Text: text}, rep)
		assert.False(t, ok, text)
		require.NotEmpty(t, rep.Findings(), text)
		assert.Equal(t, "selector-syntax", rep.Findings()[0].Code)
	}
}

func TestSelectorsAsMaps(t *testing.T) {
	text := func(s string) krm.Str { return krm.Str{Text: s} }
	expression := func(key, operator string, values ...string) Expression {
		e := Expression{Key: text(key), Operator: text(operator)}
		for _, value := range values {
			e.Values = append(e.Values, text(value))
		}
		return e
	}
	labels := map[string]string{"env": "fv", "region": "west"}
	for _, c := range []struct {
		labels      map[string]krm.Str
		expressions []Expression
		want        bool
	}{
		{nil, nil, false},
		{map[string]krm.Str{"env": text("fv")}, nil, true},
		{map[string]krm.Str{"env": text("fv"), "region": text("east")}, nil, false},
		{map[string]krm.Str{"env": text("fv")}, []Expression{expression("region", "In", "east", "west")}, true},
		{nil, []Expression{expression("region", "NotIn", "west")}, false},
		{nil, []Expression{expression("zone", "NotIn", "a")}, true},
		{nil, []Expression{expression("zone", "DoesNotExist"), expression("env", "Exists")}, true},
		{nil, []Expression{expression("zone", "Exists")}, false},
	} {
		s, ok := NewSelector(c.labels, c.expressions, krm.Pos{}, &krm.Report{})
		require.True(t, ok)
		assert.Equal(t, c.want, s.Matches(labels), "%v %v", c.labels, c.expressions)
	}
}
