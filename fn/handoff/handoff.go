// Package handoff says, in each applier's own words, what it may delete. The
// keys are those that the appliers document; what they mean is decided here.
package handoff

import (
	"maps"
	"slices"
	"strings"
)

// Dialect is one applier: the annotations that make it keep an object which
// leaves its input. All of them are read from the live object.
type Dialect struct {
	Name string
	Keep map[string]string
}

// Dialects are the appliers that a run serves unless told otherwise. kubectl is
// not among them: its prunes honour no metadata.
func Dialects() []Dialect {
	return []Dialect{
		{"Flux", map[string]string{"kustomize.toolkit.fluxcd.io/prune": "disabled"}},
		{"KptLive", map[string]string{"client.lifecycle.config.k8s.io/deletion": "detach"}},
		{"ArgoCD", map[string]string{syncOptions: "Prune=false,Delete=false"}},
		{"Helm", map[string]string{"helm.sh/resource-policy": "keep"}},
		{"ConfigSync", map[string]string{"client.lifecycle.config.k8s.io/deletion": "detach"}},
		{"FluxOperator", map[string]string{"fluxcd.controlplane.io/prune": "disabled"}},
	}
}

const (
	syncOptions = "argocd.argoproj.io/sync-options"
	substitute  = "kustomize.toolkit.fluxcd.io/substitute"
)

// Keep returns annotations with the keep metadata of every dialect added. What
// the platform team already asked of Argo CD stays in the list of options.
func Keep(annotations map[string]string, dialects []Dialect) map[string]string {
	kept := maps.Clone(annotations)
	for _, d := range dialects {
		for key, value := range d.Keep {
			if key == syncOptions {
				value = mergeOptions(kept[key], value)
			}
			kept[key] = value
		}
	}
	return kept
}

// Keeps tells whether annotations have the keep metadata of every dialect.
func Keeps(annotations map[string]string, dialects []Dialect) bool {
	for _, d := range dialects {
		for key, value := range d.Keep {
			have := strings.Split(annotations[key], ",")
			for option := range strings.SplitSeq(value, ",") {
				if !slices.Contains(have, option) {
					return false
				}
			}
		}
	}
	return true
}

// mergeOptions appends options to a comma-separated list, in the place of those
// that say something else about the same subject.
func mergeOptions(have, want string) string {
	wanted := strings.Split(want, ",")
	var options []string
	for option := range strings.SplitSeq(have, ",") {
		subject, _, _ := strings.Cut(option, "=")
		same := func(w string) bool { return strings.HasPrefix(w, strings.TrimSpace(subject)+"=") }
		if option != "" && !slices.ContainsFunc(wanted, same) {
			options = append(options, option)
		}
	}
	return strings.Join(append(options, wanted...), ",")
}

// NoSubstitution returns annotations under which Flux leaves the object's text
// alone: what a tenant wrote is data, `${…}` included. The value is compared
// case-sensitively, so it is set last and always.
func NoSubstitution(annotations map[string]string) map[string]string {
	data := maps.Clone(annotations)
	data[substitute] = "disabled"
	return data
}

// KeepAsked tells whether metadata of the object itself asks to keep it, as
// `source.extensions.fluxcd.io/prune: Disabled` does.
func KeepAsked(annotations map[string]string) bool {
	return strings.EqualFold(annotations["source.extensions.fluxcd.io/prune"], "disabled")
}
