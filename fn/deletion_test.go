package fn

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
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
		"the default is one": {fleetOf("a", "b"), fleetOf("a"), config.Deletion{Max: percent10}, nil},
		"rounded down":       {fleet29(), without(fleet29(), "tenant-01", "tenant-02"), config.Deletion{Max: percent10}, nil},
		"one too many":       {fleet29(), without(fleet29(), "tenant-01", "tenant-02", "tenant-03"), config.Deletion{Max: percent10}, []string{"deletion-limit"}},
		"raised":             {fleet29(), without(fleet29(), "tenant-01", "tenant-02", "tenant-03"), config.Deletion{Max: config.Limit{Number: 3}}, nil},
		"zero":               {fleetOf("a", "b"), fleetOf("a"), config.Deletion{Max: config.Limit{Number: 0}}, []string{"deletion-limit"}},
		"all":                {fleetOf("a"), nil, config.Deletion{Max: percent10}, []string{"deletion-all"}},
		"all, allowed":       {fleetOf("a"), nil, config.Deletion{Max: percent10, AllowEmpty: true}, nil},
		"all, half allowed":  {fleetOf("a", "b"), nil, config.Deletion{Max: percent10, AllowEmpty: true}, []string{"deletion-limit"}},
		"a rename counts": {
			fleet{"a": {"x"}, "b": {"y"}, "c": {"z"}},
			fleet{"c": {"z"}, "a2": {"x"}, "b2": {"y"}},
			config.Deletion{Max: percent10},
			[]string{"deletion-limit", "namespace-renamed", "namespace-renamed"},
		},
		"an empty namespace is not renamed": {fleet{"a": nil, "b": nil}, fleet{"b": nil, "c": nil}, config.Deletion{Max: percent10}, nil},
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
	artifact := func(namespace, name, digest string) *krm.Object {
		return &krm.Object{APIVersion: "source.toolkit.fluxcd.io/v1", Kind: "ExternalArtifact", Namespace: namespace, Name: name, Annotations: m{krm.DigestKey: digest}}
	}
	namespace := func(name string) *krm.Object { return &krm.Object{APIVersion: "v1", Kind: "Namespace", Name: name} }
	list, err := krm.Read([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: c\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: d\n"))
	require.NoError(t, err)
	assert.Equal(t, fleet{"a": {"x", "y"}, "b": nil, "c": nil}, newFleet([]*krm.Object{
		artifact("a", "1", "y"), artifact("flux-system", "1", "z"), namespace("a"), namespace("b"), artifact("a", "2", "x"),
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "a", Name: "inventory"},
	}, list.Items), "a Namespace of the platform team that passes through stays")
}
