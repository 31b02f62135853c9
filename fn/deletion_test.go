package fn

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/tenant"
)

func fleetOf(names ...string) fleet {
	f := fleet{}
	for _, name := range names {
		f[name] = []string{"sha256:" + name}
	}
	return f
}

// fleet29 is large enough for a share of it to be rounded down.
func fleet29() fleet {
	f := fleet{}
	for i := range 29 {
		f[fmt.Sprintf("tenant-%02d", i)] = []string{fmt.Sprintf("sha256:%d", i)}
	}
	return f
}

func without(f fleet, names ...string) fleet {
	rest := maps.Clone(f)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

var percent10 = config.Limit{Number: 10, Percent: true}

func TestGuardDeletions(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after fleet
		deletion      config.Deletion
		want          []string
	}{
		"first run":          {nil, fleetOf("a"), config.Deletion{Max: percent10}, nil},
		"nothing leaves":     {fleetOf("a"), fleetOf("a", "b"), config.Deletion{Max: percent10}, nil},
		"the default is one": {fleetOf("a", "b"), fleetOf("a"), config.Deletion{Max: percent10}, []string{"namespace-left"}},
		"rounded down":       {fleet29(), without(fleet29(), "tenant-01", "tenant-02"), config.Deletion{Max: percent10}, []string{"namespace-left", "namespace-left"}},
		"one too many":       {fleet29(), without(fleet29(), "tenant-01", "tenant-02", "tenant-03"), config.Deletion{Max: percent10}, []string{"deletion-limit", "namespace-left", "namespace-left", "namespace-left"}},
		"raised":             {fleet29(), without(fleet29(), "tenant-01", "tenant-02", "tenant-03"), config.Deletion{Max: config.Limit{Number: 3}}, []string{"namespace-left", "namespace-left", "namespace-left"}},
		"zero":               {fleetOf("a", "b"), fleetOf("a"), config.Deletion{Max: config.Limit{Number: 0}}, []string{"deletion-limit", "namespace-left"}},
		"all":                {fleetOf("a"), nil, config.Deletion{Max: percent10}, []string{"deletion-all", "namespace-left"}},
		"all, allowed":       {fleetOf("a"), nil, config.Deletion{Max: percent10, AllowEmpty: true}, []string{"namespace-left"}},
		"all, half allowed":  {fleetOf("a", "b"), nil, config.Deletion{Max: percent10, AllowEmpty: true}, []string{"deletion-limit", "namespace-left", "namespace-left"}},
		"a rename counts": {
			fleet{"a": {"x"}, "b": {"y"}, "c": {"z"}},
			fleet{"c": {"z"}, "a2": {"x"}, "b2": {"y"}},
			config.Deletion{Max: percent10},
			[]string{"deletion-limit", "namespace-renamed", "namespace-renamed"},
		},
		"an empty namespace is not renamed": {fleet{"a": nil, "b": nil}, fleet{"b": nil, "c": nil}, config.Deletion{Max: percent10}, []string{"namespace-left"}},
	} {
		t.Run(name, func(t *testing.T) {
			rep := &krm.Report{}
			guardDeletions(tc.before, tc.after, tc.deletion, rep)
			var got []string
			for _, f := range rep.Findings() {
				got = append(got, f.Code)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestRenameNamesBoth(t *testing.T) {
	rep := &krm.Report{}
	guardDeletions(fleet{"tenant-b": {"x"}, "tenant-a": nil}, fleet{"tenant-bee": {"x"}, "tenant-a": nil}, config.Deletion{Max: percent10}, rep)
	assert.Equal(t, `namespace "tenant-b" is gone and "tenant-bee" is new with the same artifacts: a rename deletes one and creates the other`, rep.Findings()[0].Message)
	assert.False(t, rep.Failed())
}

func TestFleetCountsOnlyManagedNamespaces(t *testing.T) {
	assert.Equal(t, fleet{"a": {"x", "y"}, "b": nil}, newFleet([]stamp{
		{id: krm.Identity{Group: "source.toolkit.fluxcd.io", Kind: "ExternalArtifact", Namespace: "a", Name: "1"}, digest: "y"},
		{id: krm.Identity{Group: "source.toolkit.fluxcd.io", Kind: "ExternalArtifact", Namespace: "flux-system", Name: "1"}, digest: "z"},
		{id: krm.Identity{Kind: "Namespace", Name: "a"}, digest: "m"},
		{id: krm.Identity{Kind: "Namespace", Name: "b"}, digest: "m"},
		{id: krm.Identity{Group: "source.toolkit.fluxcd.io", Kind: "ExternalArtifact", Namespace: "a", Name: "2"}, digest: "x"},
		{id: krm.Identity{Kind: "ConfigMap", Namespace: "a", Name: "inventory"}, digest: ""},
	}))
}

func TestGuardLeaving(t *testing.T) {
	namespace := func(name, owner string, kept bool) stamp {
		return stamp{id: krm.Identity{Kind: "Namespace", Name: name}, owner: owner, kept: kept}
	}
	used := stamp{id: krm.Identity{Group: "source.toolkit.fluxcd.io", Kind: "ExternalArtifact", Namespace: "a", Name: "x"}, owner: "two"}
	plan := &config.Plan{Generators: []config.Generator{
		{Owner: "asks", Managed: &tenant.Policy{Common: tenant.Metadata{Annotations: map[string]krm.Str{"source.extensions.fluxcd.io/prune": {Text: "Disabled"}}}}, Prune: true},
		{Owner: "keeps", Managed: &tenant.Policy{}},
		{Owner: "prunes", Managed: &tenant.Policy{}, Prune: true},
		{Owner: "two"},
	}}
	for name, tc := range map[string]struct {
		before, now []stamp
		want        []string
	}{
		"prune: true":             {[]stamp{namespace("a", "prunes", false)}, nil, nil},
		"prune: false, told":      {[]stamp{namespace("a", "keeps", true)}, nil, nil},
		"prune: false, not told":  {[]stamp{namespace("a", "keeps", false)}, nil, []string{"keep-not-applied"}},
		"asked for by metadata":   {[]stamp{namespace("a", "asks", false)}, nil, []string{"keep-not-applied"}},
		"it is still there":       {[]stamp{namespace("a", "keeps", false)}, []stamp{namespace("a", "keeps", true), used}, nil},
		"somebody else uses it":   {[]stamp{namespace("a", "prunes", false)}, []stamp{used}, []string{"namespace-in-use"}},
		"in use, and kept":        {[]stamp{namespace("a", "prunes", true)}, []stamp{used}, nil},
		"another one is used":     {[]stamp{namespace("b", "prunes", false)}, []stamp{used}, nil},
		"of a removed generator":  {[]stamp{namespace("a", "gone", false)}, nil, nil},
		"an artifact that leaves": {[]stamp{used}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rep := &krm.Report{}
			guardLeaving(tc.before, tc.now, plan, rep)
			var got []string
			for _, f := range rep.Findings() {
				got = append(got, f.Code)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestANamespaceOfSomebodyElseStays(t *testing.T) {
	list, err := krm.Read([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: b\n"))
	require.NoError(t, err)
	assert.Equal(t, []stamp{{id: krm.Identity{Kind: "Namespace", Name: "a"}}}, staying(list.Items, &config.Plan{}))
}
