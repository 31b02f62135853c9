package template

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// places are templates with an input in every kind of place.
var places = []string{
	"a: << inputs.x >>\nb: 1\n",
	"a: \"<< inputs.x >>\"\nb: '<< inputs.x >>'\n",
	"a: p-<< inputs.x >>\nb: << inputs.x >>-s\nc: << inputs.x >> << inputs.x >>\n",
	"a: {b: << inputs.x >>, c: [<< inputs.x >>, d]}\n",
	"<< inputs.x >>: 1\n\"p<< inputs.x >>\": 2\n",
	"- << inputs.x >>\n- - << inputs.x >>\n",
	"a: |\n  one << inputs.x >>\n  << inputs.x >>\nb: 1\n",
	"a: >-\n  one << inputs.x >>\n  two\nb: 1\n",
	"a: |\n<< inputs.x | indent 2 >>\nb: 1\n",
	"a: << inputs.x | quote >>\nb: << inputs.x | squote >>\nc: << inputs.x | toYaml >>\nd: << inputs.x | toJson >>\n",
	"a:\n<< toYaml inputs | indent 2 >>\nb:\n  c: 1\n  << dict \"k\" inputs.x | toYaml | nindent 2 >>\n",
	"a: << inputs.x | trim | upper | trunc 30 >>\nb: << printf \"%s!\" inputs.x >>\nc: << list inputs.x inputs.x | join \",\" >>\n",
	"a: << inputs.x >>\n---\nb: << inputs.x >>\n",
	"? << inputs.x >>\n: << inputs.x >>\n",
	"a: << inputs.x >> # << inputs.x >>\nb: 1\n",
	"<<- range list inputs.x \"a\" >>\n<< . | sha256sum >>: << . >>\n<<- end >>",
	"a: << inputs.x | default \"d\" >>\nb: << inputs.x | nindent 4 >>\nc: 1\n",
}

// pieces are what hostile strings are made of.
var pieces = []string{
	"\n", "---", "\n---\n", ": ", ":", " #", "#", "'", "\"", "<<", ">>", "{{", "}}", "${", "}", "{", "[", "]", ",", "- ", "-", "&a", "*a", "!!int ", "!",
	"|", ">", "%", "@", "`", "null", "true", "~", "yes", "0x1", "007", "1e3", ".inf", "2020-01-01", " ", "  ", "\t", "a", "b: c", "\u2028", "\ue000", "\ue0000\ue001", "é", "\\", "\\n", "x", "apiVersion: v1\n", "=", "?", "? ",
}

// shape is what a tenant must not change: documents, keys and types. Keys that are
// made of the input are shown as what they are made of.
func shape(n *krm.Node) string {
	switch n.Kind {
	case krm.MapNode:
		var entries []string
		for key, value := range n.Fields() {
			name := key.Text
			if key.Pos.Line == 0 {
				name = "made"
			}
			entries = append(entries, name+":"+shape(value))
		}
		slices.Sort(entries) // what a key is made of decides where it stands
		return "{" + strings.Join(entries, ",") + "}"
	case krm.ListNode:
		var items []string
		for _, item := range n.Items {
			items = append(items, shape(item))
		}
		return "[" + strings.Join(items, ",") + "]"
	default:
		return fmt.Sprint(n.Kind)
	}
}

// place is a parsed template and what it gets.
type place struct {
	text     string
	template *Template
	inputs   any
}

func newPlaces(tb testing.TB) []*place {
	tb.Helper()
	var all []*place
	for _, text := range places {
		p := &place{text: text}
		var mistake *Mistake
		p.template, mistake = Parse(text, Angles, map[string]any{"inputs": func() any { return p.inputs }})
		require.Nil(tb, mistake, "%q", text)
		all = append(all, p)
	}
	return all
}

// shapes are those of the documents, false where there are none: a key is there
// twice, or a character that YAML has not.
func (p *place) shapes(x string) ([]string, bool) {
	p.inputs = map[string]any{"x": x}
	out, mistake := p.template.Execute(nil)
	if mistake != nil {
		return nil, false
	}
	documents, mistakes := out.Documents()
	var shapes []string
	for _, d := range documents {
		shapes = append(shapes, shape(d))
	}
	return shapes, len(mistakes) == 0
}

// For any string that a tenant writes, the documents, keys and types are those of
// the string "x".
func TestNoStringIsStructure(t *testing.T) {
	random, all := rand.New(rand.NewPCG(1, 2)), newPlaces(t)
	for range 500 {
		var x strings.Builder
		for range 1 + random.IntN(6) {
			x.WriteString(pieces[random.IntN(len(pieces))])
		}
		checkShapes(t, all, x.String())
	}
}

func FuzzNoStringIsStructure(f *testing.F) {
	all := newPlaces(f)
	for _, piece := range pieces {
		f.Add(piece + "a" + piece)
	}
	f.Fuzz(func(t *testing.T, x string) {
		if x != "" { // which `default` looks at
			checkShapes(t, all, x)
		}
	})
}

func checkShapes(t *testing.T, all []*place, x string) {
	t.Helper()
	rendered := 0
	for _, p := range all {
		want, ok := p.shapes("x")
		require.True(t, ok, "%q", p.text)
		if got, ok := p.shapes(x); ok {
			rendered++
			require.Equal(t, want, got, "%q in %q", x, p.text)
		}
	}
	if krm.Unwritable(x) == "" {
		require.Greater(t, rendered, len(all)/2, "%q", x)
	}
}

// Where Plain says that text substitution gives the same, it does.
func TestPlainIsTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	texts := append([]string{
		"a: tr<< inputs.x >>\n", "a: 1<< inputs.x >>\n", "a: << inputs.x >>-01-01\n", "a: << inputs.x >>.5\n", "a: [<< inputs.x >>, b]\n", "a: << inputs.x >>: b\n",
		"a: << inputs.x >> b\n", "a: b << inputs.x >>\n", "a: n-<< inputs.x | quote >>\n", "a: ~<< inputs.x >>\n", "a: .<< inputs.x >>\n", "- << inputs.x >>\n- -<< inputs.x >>\n",
	}, places...)
	words := []string{"ue", "ull", "e5", "es", "true", "a:b", "a:", "2020", "null", "y", "no", "latest@sha256:abc", "x", "0x1f", "abc/def", "inf", "-", "5", "01", "a b", "x#", "@a", ":a", ""}
	plain := 0
	for _, text := range texts {
		var inputs any
		tmpl, mistake := Parse(text, Angles, map[string]any{"inputs": func() any { return inputs }})
		if mistake != nil {
			continue
		}
		for range 200 {
			x := words[random.IntN(len(words))]
			if random.IntN(2) == 0 {
				x += words[random.IntN(len(words))]
			}
			inputs = map[string]any{"x": x}
			out, mistake := tmpl.Execute(nil)
			require.Nil(t, mistake)
			if !out.Plain() {
				continue
			}
			plain++
			want, mistakes := out.Documents()
			require.Empty(t, mistakes, "%q in %q", x, text)
			rep := &krm.Report{}
			got, ok := krm.ParseFiles("", []byte(out.Text()), rep)
			require.True(t, ok, "%q in %q: %v", x, text, rep.Findings())
			require.Len(t, got, len(want), "%q in %q", x, text)
			for i := range want {
				require.True(t, want[i].Equal(got[i]), "%q in %q", x, text)
				require.Equal(t, ambiguous(want[i]), ambiguous(got[i]), "%q in %q", x, text)
			}
		}
	}
	require.Greater(t, plain, 500)
}

// ambiguous counts the scalars that two versions of YAML read as different values.
func ambiguous(n *krm.Node) int {
	count := 0
	if n.Ambiguous != "" {
		count = 1
	}
	for _, item := range n.Items {
		count += ambiguous(item)
	}
	for _, value := range n.Fields() {
		count += ambiguous(value)
	}
	return count
}
