package krm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWithLocalConfig(t *testing.T) {
	for _, tc := range []struct{ name, item, want string }{
		{
			"below annotations", "- kind: A\n  metadata:\n    annotations: # why\n      a: b\n    name: x\n",
			"- kind: A\n  metadata:\n    annotations: # why\n      config.kubernetes.io/local-config: \"true\"\n      a: b\n    name: x\n",
		},
		{
			"in the column that the map has", "- metadata:\n      annotations:\n        # first\n\n           a: b\n",
			"- metadata:\n      annotations:\n           config.kubernetes.io/local-config: \"true\"\n        # first\n\n           a: b\n",
		},
		{
			"annotations are null", "- metadata:\n    annotations:\n    name: x\n",
			"- metadata:\n    annotations:\n      config.kubernetes.io/local-config: \"true\"\n    name: x\n",
		},
		{
			"no annotations", "# c\n- kind: A\n  metadata:\n    name: 'x'   # odd\n  spec:\n    metadata:\n      annotations:\n        a: b\n",
			"# c\n- kind: A\n  metadata:\n    annotations:\n      config.kubernetes.io/local-config: \"true\"\n    name: 'x'   # odd\n  spec:\n    metadata:\n      annotations:\n        a: b\n",
		},
		{
			"metadata is null", "- metadata:\n  kind: A\n",
			"- metadata:\n    annotations:\n      config.kubernetes.io/local-config: \"true\"\n  kind: A\n",
		},
		{
			"no metadata", "- kind: A # comment\n",
			"- kind: A # comment\n  metadata:\n    annotations:\n      config.kubernetes.io/local-config: \"true\"\n",
		},
		{
			"flow style", "- kind: A\n  metadata: {name: x, annotations: {a: b}}\n  text: |\n    a\n\n     b\n",
			"- kind: A\n  metadata: {name: x, annotations: {config.kubernetes.io/local-config: \"true\", a: b}}\n  text: |\n    a\n\n     b\n",
		},
		{
			"empty flow map", "- kind: A\n  metadata:\n    annotations: {}\n",
			"- kind: A\n  metadata:\n    annotations: {config.kubernetes.io/local-config: \"true\"}\n",
		},
		{
			"flow style over lines", "- metadata:\n    annotations: { # c\n      a: b,\n      c: d} # e\n",
			"- metadata:\n    annotations: {config.kubernetes.io/local-config: \"true\",  # c\n      a: b,\n      c: d} # e\n",
		},
		{
			"flow style without annotations", "- {kind: A, metadata: {name: 'ä'}, x: [y]} # z\n",
			"- {kind: A, metadata: {annotations: {config.kubernetes.io/local-config: \"true\"}, name: 'ä'}, x: [y]} # z\n",
		},
		{
			"null in words", "- kind: A\n  metadata:\n    name: x\n    annotations: ~ # none\n  spec: [ (, a\"b ]\n",
			"- kind: A\n  metadata:\n    name: x\n    annotations: {config.kubernetes.io/local-config: \"true\"} # none\n  spec: [ (, a\"b ]\n",
		},
		{
			"odd text in the rest", "- kind: A\n  metadata: # m\n    # of the name\n\n    name: x\n  spec:\n    names: [ns.startsWith(\"a-\"), it's, a > b] # use [\"true\"].\n\n    ? [k]\n    : {v: [a,\n      b]}\n    x: 'a\n\n      b'\n    y: \"\u2028\"\n",
			"- kind: A\n  metadata: # m\n    annotations:\n      config.kubernetes.io/local-config: \"true\"\n    # of the name\n\n    name: x\n  spec:\n    names: [ns.startsWith(\"a-\"), it's, a > b] # use [\"true\"].\n\n    ? [k]\n    : {v: [a,\n      b]}\n    x: 'a\n\n      b'\n    y: \"\u2028\"\n",
		},
		{
			"behind odd line ends", "- x: |\n    a\u2028        b\u0085        c\n  metadata:\n    annotations: &a\n        b: c\n",
			"- x: |\n    a\u2028        b\u0085        c\n  metadata:\n    annotations: &a\n        config.kubernetes.io/local-config: \"true\"\n        b: c\n",
		},
		{
			"an anchor on a line of its own", "- metadata:\n    annotations:\n      &a\n      b: c\n",
			"- metadata:\n    annotations:\n      &a\n      config.kubernetes.io/local-config: \"true\"\n      b: c\n",
		},
		{
			"an alias of the annotations", "- x: &a {b: c}\n  metadata:\n    annotations: *a\n",
			"- x:\n    b: c\n  metadata:\n    annotations:\n      config.kubernetes.io/local-config: \"true\"\n      b: c\n",
		},
		{
			"annotations that stand elsewhere, too", "- metadata:\n    annotations: &a\n      b: c\n  x: *a\n",
			"- metadata:\n    annotations:\n      config.kubernetes.io/local-config: \"true\"\n      b: c\n  x:\n    b: c\n",
		},
		{"there already", "- metadata:\n    annotations:\n      config.kubernetes.io/local-config: \"false\"\n", ""},
		{"there as a boolean", "- metadata:\n    annotations:\n      config.kubernetes.io/local-config: true\n", ""},
		{"there in flow style", "- metadata: {annotations: {config.kubernetes.io/local-config: null}}\n", ""},
		{"metadata is a list", "- metadata:\n  - a\n", ""},
		{"annotations are a string", "- metadata:\n    annotations: a\n", ""},
	} {
		for name, indent := range map[string]string{"compact": "", "wide": "  "} {
			t.Run(tc.name+" "+name, func(t *testing.T) {
				item := mustRead(t, header1+"items:\n"+indented(tc.item, indent)).Items[0]
				edited := item.WithLocalConfig()
				if tc.want == "" {
					assert.Same(t, item, edited)
					return
				}
				assert.Equal(t, indented(tc.want, indent), edited.text)
				assert.Equal(t, "true", edited.Annotations["config.kubernetes.io/local-config"])
				assert.NotContains(t, item.Annotations, "config.kubernetes.io/local-config")
				assert.Equal(t, *mustRead(t, header1+"items:\n"+edited.text).Items[0], *edited)
			})
		}
	}
}

func indented(text, by string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if line != "" && line != "\n" {
			lines[i] = by + line
		}
	}
	return strings.Join(lines, "")
}

func TestWithLocalConfigOnConfig(t *testing.T) {
	list := mustRead(t, header1+"functionConfig:\n  kind: A\n  metadata:\n    name: x\n")
	require.NotNil(t, list.Config)
	assert.Equal(t, "functionConfig:\n  kind: A\n  metadata:\n    annotations:\n      config.kubernetes.io/local-config: \"true\"\n    name: x\n",
		list.Config.WithLocalConfig().text)
}

// The worked example as an item: two lines come in, whatever is in the rest.
func TestWithLocalConfigKeepsTheSeed(t *testing.T) {
	text := header1 + `items:
- apiVersion: source.extensions.fluxcd.io/v1beta1
  kind: ArtifactGenerator
  metadata:
    name: monorepo
    namespace: flux-system
  spec:
    managedNamespaces:
      allowedNames: [ns.startsWith("tenant-")] # To allow any namespaces use ["true"].

      prune: true
    copy: [{from: "@repo/{x}/**", to: "@artifact/"}] # both
`
	list := mustRead(t, text)
	list.Items[0] = list.Items[0].WithLocalConfig()
	added := "    annotations:\n      config.kubernetes.io/local-config: \"true\"\n"
	assert.Equal(t, strings.Replace(text, "    name: monorepo\n", added+"    name: monorepo\n", 1), string(rendered(list, list.Items, nil, nil)))
}
