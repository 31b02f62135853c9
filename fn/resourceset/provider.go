package resourceset

import (
	"cmp"
	"fmt"
	"hash/adler32"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// The types of providers that need no network.
const (
	TypeArtifact = "ExternalArtifact"
	TypeStatic   = "Static"
)

// Provider is a valid ResourceSetInputProvider.
type Provider struct {
	Name, Namespace string
	Pos             krm.Pos
	Labels          map[string]string
	// UID is "" for a provider that no cluster has seen.
	UID  string
	Type string
	// Disabled is set when Flux Operator would leave it alone.
	Disabled  bool
	Selectors []ArtifactSelector
	Limit     int
	LimitPos  krm.Pos
	Defaults  map[string]any
	Item      *krm.Item
}

// ArtifactSelector is an entry of spec.selectors.
type ArtifactSelector struct {
	Selector
	// Name is "" to select by labels; Namespace is never empty, `*` for all.
	Name, Namespace string
	Pos             krm.Pos
}

// NewProvider checks a provider's default values, which are a map or nil.
func NewProvider(p Provider, defaults *krm.Node, rep *krm.Report) (*Provider, bool) {
	ok := true
	if defaults != nil {
		p.Defaults, ok = inputValues(defaults, rep)
	}
	return &p, ok
}

// Artifact is an ExternalArtifact that providers can select.
type Artifact struct {
	Namespace, Name, Revision string
	Labels                    map[string]string
	// Inputs are status.exportedInputs.
	Inputs map[string]any
	// File is where the inputs come from, Origin the `origin` annotation.
	File   krm.Pos
	Origin string
}

// Take takes exported inputs, a map or nil.
func (a *Artifact) Take(inputs *krm.Node, rep *krm.Report) {
	if inputs == nil || inputs.Kind != krm.MapNode {
		return
	}
	if inputs.Pos.File != "" {
		a.File = inputs.Pos
	}
	a.Inputs, _ = inputValues(inputs, rep)
}

func (a *Artifact) id() string { return a.Namespace + "/" + a.Name }

// id is the `id` of an input: the Adler-32 sum of a text, in decimal.
func idOf(text string) string { return strconv.FormatUint(uint64(adler32.Checksum([]byte(text))), 10) }

// inputSet is what templates get as `inputs`, once.
type inputSet struct {
	values map[string]any
	// about names it, for messages.
	about string
	// artifact is nil unless a tenant's inputs are among the values.
	artifact *Artifact
	origin   string
}

// selected are the artifacts that a provider selects, sorted by namespace and name,
// each once.
func (p *Provider) selected(env Environment, rep *krm.Report) []*Artifact {
	var found []*Artifact
	for _, s := range p.Selectors {
		before := len(found)
		for _, a := range env.Artifacts {
			if s.selects(a) {
				found = append(found, a)
			}
		}
		if len(found) == before && !env.Partial {
			rep.Warnf("provider-no-artifact", s.Pos, "correct the labels, the name or the namespace; the labels of artifacts are `commonMetadata` and the captures of the path pattern",
				"provider %s/%s: the selector matches no ExternalArtifact of %d", p.Namespace, p.Name, len(env.Artifacts))
		}
	}
	slices.SortFunc(found, func(a, b *Artifact) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return slices.Compact(found)
}

func (s *ArtifactSelector) selects(a *Artifact) bool {
	switch {
	case s.Namespace != "*" && s.Namespace != a.Namespace:
		return false
	case s.Name != "":
		return s.Name == a.Name
	}
	return s.Matches(a.Labels)
}

// export makes the inputs of a provider.
func (p *Provider) export(env Environment, rep *krm.Report) []inputSet {
	if p.Type == TypeStatic {
		values := maps.Clone(p.Defaults)
		if values == nil {
			values = map[string]any{}
		}
		values["id"] = idOf(cmp.Or(p.UID, p.Name))
		values["provider"] = p.self()
		return []inputSet{{values: values, about: fmt.Sprintf("provider %s/%s", p.Namespace, p.Name)}}
	}
	selected := p.selected(env, rep)
	if len(selected) > p.Limit {
		rep.Errorf("provider-limit", p.LimitPos, fmt.Sprintf("set `spec.filter.limit` to %d or more", len(selected)),
			"provider %s/%s selects %d ExternalArtifacts and exports %d: the others would silently lose what is made for them", p.Namespace, p.Name, len(selected), p.Limit)
		return nil
	}
	hidden := map[string][]*Artifact{}
	sets := make([]inputSet, 0, len(selected))
	for _, a := range selected {
		sets = append(sets, inputSet{values: p.values(a, hidden), about: "ExternalArtifact " + a.id(), artifact: a, origin: a.Origin})
	}
	p.warnHidden(hidden, rep)
	return sets
}

// values are the inputs of an artifact. A later layer wins: default values, what
// the tenant exports, labels, who it is, and who provides it.
func (p *Provider) values(a *Artifact, hidden map[string][]*Artifact) map[string]any {
	values := make(map[string]any, len(p.Defaults)+len(a.Inputs)+len(a.Labels)+5)
	maps.Copy(values, p.Defaults)
	maps.Copy(values, a.Inputs)
	top := map[string]any{"id": idOf(a.id()), "name": a.Name, "namespace": a.Namespace, "provider": p.self()}
	if a.Revision != "" {
		top["revision"] = a.Revision
	}
	for key, value := range a.Labels {
		values[key] = value
	}
	maps.Copy(values, top)
	for key := range a.Inputs {
		_, label := a.Labels[key]
		if _, own := top[key]; own || label {
			hidden[key] = append(hidden[key], a)
		}
	}
	return values
}

func (p *Provider) warnHidden(hidden map[string][]*Artifact, rep *krm.Report) {
	for _, key := range slices.Sorted(maps.Keys(hidden)) {
		by := hidden[key]
		more := ""
		if len(by) > 1 {
			more = fmt.Sprintf(" and %d more", len(by)-1)
		}
		rep.Warnf("inputs-hidden", by[0].File, "call the input something else",
			"the input %q of %s%s is not used: provider %s/%s sets that name to a label, or to what the artifact is", krm.Short(key, 128), by[0].id(), more, p.Namespace, p.Name)
	}
}

// self is the input `provider`.
func (p *Provider) self() map[string]any { return providerValue(providerKind, p.Namespace, p.Name) }

func providerValue(kind, namespace, name string) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "name": name, "namespace": namespace}
}
