package profile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// A scenario is what is in the input, `=`, and what comes of it:
//
//	tie InputOrder            the tie-break, Error unless this says otherwise
//	cluster c2 env=fv         a cluster in the namespace default; c1 with env=fv if there is none
//	had base kyverno          what an owner had before
//	base 100 continue: kyverno
//	eng/west 50 on region=west: r1@90[ns/a Deployment:web] ^r2[x/y] !grafana
//
// is a ClusterProfile, and a Profile of the namespace eng. What they want are
// releases (`kyverno/kyverno`, with `!` to be gone) and references: a ConfigMap
// with objects, `@` its tier, `^` for Local ones. An object without a kind is a
// ConfigMap. Flags are continue, dryrun, paused.
//
// Behind `=` each owner has a line for each cluster that it is for, with the state
// of each claim in order, and a line for the codes of errors and of warnings.
type world struct {
	tie       TieBreak
	clusters  []Cluster
	profiles  []Profile
	wants     map[string][]string
	had       [][]string
	configs   map[krm.Identity]*krm.Node
	incumbent []Incumbent
	shuffle   func([]*Claim)
}

func newWorld(t testing.TB, text string) *world {
	t.Helper()
	w := &world{tie: ByError, wants: map[string][]string{}, configs: map[krm.Identity]*krm.Node{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "tie":
			w.tie = TieBreak(words[1])
		case words[0] == "cluster":
			w.addCluster(t, words[1], words[2])
		case words[0] == "had":
			w.had = append(w.had, words[1:])
		default:
			head, items, found := strings.Cut(line, ":")
			require.True(t, found, line)
			w.addProfile(t, strings.Fields(head), splitItems(items))
		}
	}
	if len(w.clusters) == 0 {
		w.addCluster(t, "c1", "env=fv")
	}
	slices.SortFunc(w.profiles, func(a, b Profile) int { return a.compareNames(&b.Owner) })
	return w
}

func (w *world) addCluster(t testing.TB, name, labels string) {
	t.Helper()
	c := Cluster{Destination: Destination{SveltosCluster, "default", name}, Labels: map[string]string{}}
	if namespace, short, found := strings.Cut(name, "/"); found {
		c.Destination = Destination{SveltosCluster, namespace, short}
	}
	for label := range strings.SplitSeq(labels, ",") {
		key, value, _ := strings.Cut(label, "=")
		c.Labels[key] = value
	}
	c.Object = node(t, fmt.Sprintf("apiVersion: lib.projectsveltos.io/v1beta1\nkind: SveltosCluster\nmetadata: {name: %s, namespace: %s}\n", c.Name, c.Namespace))
	w.clusters = append(w.clusters, c)
}

func node(t testing.TB, text string) *krm.Node {
	t.Helper()
	n, ok := krm.ParseFile("", []byte(text), &krm.Report{})
	require.True(t, ok, text)
	return n
}

// splitItems splits at spaces outside of brackets and braces.
func splitItems(text string) []string {
	var items []string
	depth, start := 0, 0
	text += " "
	for i, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ' ':
			if depth == 0 {
				if item := text[start:i]; item != "" {
					items = append(items, item)
				}
				start = i + 1
			}
		}
	}
	return items
}

func (w *world) addProfile(t testing.TB, head, items []string) {
	t.Helper()
	tier, err := strconv.Atoi(head[1])
	require.NoError(t, err)
	p := Profile{Owner: Owner{Kind: "ClusterProfile", Name: head[0], Tier: tier, Position: len(w.profiles), TierField: "`spec.tier`"}}
	if namespace, name, found := strings.Cut(head[0], "/"); found {
		p.Kind, p.Namespace, p.Name = "Profile", namespace, name
	}
	p.Pos = krm.Pos{Object: krm.Identity{Kind: p.Kind, Namespace: p.Namespace, Name: p.Name}}
	selector := "env=fv"
	for i, flag := range head[2:] {
		switch flag {
		case "continue":
			p.ContinueOnConflict = true
		case "dryrun":
			p.SyncMode.Text = DryRunMode
		case "paused":
			p.Paused = true
		case "on":
			selector = head[i+3]
		case "needs":
			p.DependsOn = append(p.DependsOn, krm.Str{Text: head[i+3]})
		}
	}
	var ok bool
	p.Selector, ok = ParseSelector(krm.Str{Text: selector}, &krm.Report{})
	require.True(t, ok)
	for _, item := range items {
		if name, objects, isRef := strings.Cut(strings.TrimSuffix(item, "]"), "["); isRef {
			w.addReference(t, &p, name, strings.Fields(objects))
			continue
		}
		w.wants[p.String()] = append(w.wants[p.String()], item)
	}
	w.profiles = append(w.profiles, p)
}

func (w *world) addReference(t testing.TB, p *Profile, name string, objects []string) {
	t.Helper()
	ref := PolicyRef{Kind: "ConfigMap", Tier: 100, Pos: p.Pos.At(fmt.Sprintf("spec.policyRefs[%d]", len(p.Policies)))}
	name, ref.Local = strings.CutPrefix(name, "^")
	if short, tier, found := strings.Cut(name, "@"); found {
		var err error
		name = short
		ref.Tier, err = strconv.Atoi(tier)
		require.NoError(t, err)
	}
	ref.Name.Text = name
	p.Policies = append(p.Policies, ref)
	if len(objects) == 0 {
		return
	}
	var text strings.Builder
	for _, object := range objects {
		text.WriteString("---\n" + manifest(object))
	}
	namespace := "default"
	if p.Namespace != "" {
		namespace = p.Namespace
	}
	data := krm.NewMap(map[string]*krm.Node{
		"metadata": krm.NewMap(map[string]*krm.Node{"name": krm.NewString(name)}),
		"data":     krm.NewMap(map[string]*krm.Node{"all.yaml": krm.NewString(text.String())}),
	})
	w.configs[krm.Identity{Kind: "ConfigMap", Namespace: namespace, Name: name}] = data
}

var versions = map[string]string{"Deployment": "apps/v1", "ClusterIssuer": "cert-manager.io/v1"}

func manifest(object string) string {
	kind, name, found := strings.Cut(object, ":")
	if !found {
		kind, name = "ConfigMap", object
	}
	version := versions[kind]
	if version == "" {
		version = "v1"
	}
	text := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n", version, kind)
	if namespace, short, found := strings.Cut(name, "/"); found {
		return text + fmt.Sprintf("  namespace: %s\n  name: %s\n", namespace, short)
	}
	return text + "  name: " + name + "\n"
}

// run expands and resolves the world.
func (w *world) run() ([]*Claim, *krm.Report) {
	rep := &krm.Report{}
	matched := Match(w.profiles, w.clusters, nil, rep)
	e := NewExpander(Input{
		Find:      func(id krm.Identity) (*krm.Node, bool) { n, found := w.configs[id]; return n, found },
		IsTenants: func(krm.Identity) bool { return false },
	}, rep)
	var claims []*Claim
	for i := range w.profiles {
		for _, c := range matched[i] {
			claims = append(claims, w.expand(e, &w.profiles[i], c)...)
		}
	}
	e.Settle(claims)
	if w.shuffle != nil {
		w.shuffle(claims)
	}
	Resolve(claims, append(w.incumbent, w.incumbents()...), w.tie, rep)
	return claims, rep
}

func (w *world) expand(e *Expander, p *Profile, c *Cluster) []*Claim {
	v, ok := e.View(p, c)
	if !ok {
		return nil
	}
	claims := e.Objects(p, c, v)
	for i, item := range w.wants[p.String()] {
		name, absent := strings.CutPrefix(item, "!")
		filled, _ := v.Text(krm.Str{Text: name})
		claims = append(claims, &Claim{
			Owner: &p.Owner, Feature: Helm, Cluster: c.Destination, To: c.Destination, Identity: Release(filled.Text, filled.Text), Absent: absent,
			Pos: p.Pos.At(fmt.Sprintf("spec.helmCharts[%d]", i)),
		})
	}
	for _, claim := range claims {
		switch {
		case p.Paused:
			claim.Mode = Paused
		case p.SyncMode.Text == DryRunMode:
			claim.Mode = DryRun
		}
	}
	return claims
}

// incumbents are what `had` says, in the first cluster.
func (w *world) incumbents() []Incumbent {
	var all []Incumbent
	for _, words := range w.had {
		owner := "ClusterProfile/" + words[0]
		to := w.clusters[0].Destination
		for _, item := range words[1:] {
			name, objects, isRef := strings.Cut(strings.TrimSuffix(item, "]"), "[")
			if !isRef {
				all = append(all, Incumbent{Owner: owner, To: to, Identity: Release(item, item)})
				continue
			}
			namespace, short, _ := strings.Cut(objects, "/")
			all = append(all, Incumbent{Owner: owner, To: to, Identity: krm.Identity{Kind: "ConfigMap", Namespace: namespace, Name: short}, Ref: Reference{Kind: "ConfigMap", Namespace: "default", Name: name}})
		}
	}
	return all
}

// outcome is the text behind `=`.
func outcome(claims []*Claim, rep *krm.Report) string {
	var lines []string
	line := ""
	for i, c := range claims {
		head := c.Owner.label()
		if c.Cluster.Name != "c1" {
			head += " on " + c.Cluster.Name
		}
		if i == 0 || claims[i-1].Owner != c.Owner || claims[i-1].Cluster != c.Cluster {
			if line != "" {
				lines = append(lines, line)
			}
			line = head + ": " + c.verdict()
			continue
		}
		line += ", " + c.verdict()
	}
	lines = append(lines, line)
	for _, severity := range []krm.Severity{krm.Error, krm.Warning} {
		var found []string
		for _, f := range rep.Findings() {
			if f.Severity == severity {
				found = append(found, f.Code)
			}
		}
		slices.Sort(found)
		if found = slices.Compact(found); len(found) > 0 {
			lines = append(lines, severity.String()+" "+strings.Join(found, " "))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func (o *Owner) label() string {
	if o.Namespace != "" {
		return o.Namespace + "/" + o.Name
	}
	return o.Name
}

func (c *Claim) verdict() string {
	name := c.Identity.Name
	if c.Feature != Helm {
		name = c.Ref.Name + "[" + strings.TrimPrefix(c.Identity.Namespace+"/"+c.Identity.Name, "/") + "]"
	}
	text := name + " " + string(c.State)
	switch {
	case c.State == Lost && c.Reason == ByReference:
		text += " to " + c.HolderRef.Name
	case c.State == Lost:
		text += " by " + string(c.Reason) + " to " + c.Holder.label()
	case c.State == Superseded:
		text += " by " + c.HolderRef.Name
	case c.State == Blocked && c.Holder == c.Owner:
		text += ", a gap"
	case c.State == Evaluated:
		text = name + " " + strings.Split(c.Action(), ", which")[0]
	}
	return text
}

func runScenarios(t *testing.T, text string) {
	t.Helper()
	for scenario := range strings.SplitSeq(text, "\n# ") {
		title, body, _ := strings.Cut(scenario, "\n")
		if strings.TrimSpace(title) == "" {
			continue
		}
		t.Run(title, func(t *testing.T) {
			in, want, found := strings.Cut(body, "\n=\n")
			require.True(t, found, "a scenario needs a line with `=`")
			claims, rep := newWorld(t, in).run()
			assert.Equal(t, strings.TrimSpace(want)+"\n", outcome(claims, rep), "%v", rep.Findings())
		})
	}
}
