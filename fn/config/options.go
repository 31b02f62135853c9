package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// defaultTier is what a generator has that names none.
const defaultTier = 100

// Annotations of Flux that a generator carries.
const (
	reconcileKey      = "source.extensions.fluxcd.io/reconcile"
	reconcileEveryKey = "source.extensions.fluxcd.io/reconcileEvery"
)

// options are what a generator says in annotations: those of the short form,
// which make it the whole configuration, and its own.
type options struct {
	directory, baseline directory
	most                Limit
	allowEmpty          bool
	tier                int
	adopt               []string
}

// The option annotations. Those of the short form count on the configuration
// only: several generators cannot each have a baseline.
var (
	shortFormOptions = []string{"directory", "baseline", "max-namespaces"}
	generatorOptions = []string{"adopt", "allow-empty", "tier"}
	// stampOptions are what we write; a generator may have been stamped by hand.
	stampOptions = []string{"owner", "origin", "digest", "name", "winner", "losers", "service-account", "service-account-name", "finalized-by", "retained"}
)

// readOptions reads the annotations below our prefix.
func readOptions(annotations annotationMap, rep *krm.Report) options {
	o := options{tier: defaultTier}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if name, ours := strings.CutPrefix(key, krm.Prefix); ours {
			o.read(name, annotations[key], rep)
		}
	}
	return o
}

func (o *options) read(name string, value krm.Str, rep *krm.Report) {
	switch name {
	case "directory":
		o.directory = directory(notEmpty(value, rep))
	case "baseline":
		o.baseline = directory(notEmpty(value, rep))
	case "max-namespaces":
		o.most = parseLimit(value, rep)
	case "allow-empty":
		o.allowEmpty = parseBool(value, rep)
	case "tier":
		o.tier = parseTier(value, rep)
	case "adopt":
		o.adopt = parseNames(value, rep)
	default:
		if !slices.Contains(stampOptions, name) {
			rep.Errorf("config-annotation", value.Pos, nearestField(name, slices.Concat(shortFormOptions, generatorOptions)),
				"unknown annotation `%s%s`", krm.Prefix, shown(name))
		}
	}
}

// ignoreShortForm warns about the short form on a generator that is not the
// whole configuration.
func ignoreShortForm(annotations annotationMap, rep *krm.Report) {
	for _, name := range shortFormOptions {
		if value, there := annotations[krm.Prefix+name]; there {
			rep.Warnf("config-annotation-ignored", value.Pos, "set it on the functionConfig",
				"annotation `%s%s` counts only on the generator that is the functionConfig", krm.Prefix, name)
		}
	}
}

func notEmpty(value krm.Str, rep *krm.Report) krm.Str {
	if value.Text == "" {
		rep.Errorf("config-value", value.Pos, "", "must not be empty")
	}
	return value
}

func parseBool(value krm.Str, rep *krm.Report) bool {
	if value.Text != "true" && value.Text != "false" {
		rep.Errorf("config-value", value.Pos, "", "must be %q or %q, found %q", "true", "false", shown(value.Text))
	}
	return value.Text == "true"
}

func parseTier(value krm.Str, rep *krm.Report) int {
	tier, err := strconv.ParseInt(value.Text, 10, 32)
	if err != nil || tier < 1 {
		rep.Errorf("config-value", value.Pos, "", "must be an integer from 1 to 2147483647, found %q", shown(value.Text))
		return defaultTier
	}
	return int(tier)
}

// parseNames reads names of namespaces with commas between them.
func parseNames(value krm.Str, rep *krm.Report) []string {
	var names []string
	for name := range strings.SplitSeq(value.Text, ",") {
		name = strings.TrimSpace(name)
		if what := syntaxOf[labelName]().mistake(name); what != "" {
			rep.Errorf("config-value", value.Pos, "write names with commas between them", "each name must %s", what)
		}
		names = append(names, name)
	}
	return names
}
