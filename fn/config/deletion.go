package config

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// defaultLimit is what applies with a baseline: 10%, at least 1.
var defaultLimit = Limit{Number: 10, Percent: true}

// limit is a number or a percentage.
type limit struct {
	Limit Limit
}

// decode accepts an integer, and a string that ends in `%`.
func (l *limit) decode(n *krm.Node, rep *krm.Report) {
	switch {
	case n.Kind == krm.IntNode, n.Kind == krm.StringNode && strings.HasSuffix(n.Text, "%"):
		l.Limit = parseLimit(n.Str(), rep)
	default:
		rep.Errorf("config-type", n.Pos, "write a number such as 5, or a percentage such as 10%",
			"must be a number or a percentage, found %s", describe(n))
	}
}

// parseLimit reads `5` and `10%`; the result has a Pos even when it is wrong.
func parseLimit(value krm.Str, rep *krm.Report) Limit {
	digits, percent := strings.CutSuffix(value.Text, "%")
	number, err := strconv.ParseInt(digits, 10, 32)
	switch {
	case err != nil:
		rep.Errorf("config-value", value.Pos, "write a number such as 5, or a percentage such as 10%",
			"must be a number or a percentage, found %q", shown(value.Text))
	case number < 0:
		rep.Errorf("config-value", value.Pos, "", "must not be negative, found %q", shown(value.Text))
	case percent && number > 100:
		rep.Errorf("config-value", value.Pos, "", "must be at most 100%%, found %q", shown(value.Text))
	}
	return Limit{Number: int(number), Percent: percent, Pos: value.Pos}
}

// newDeletion checks the safeguards.
func newDeletion(baseline krm.Str, most Limit, allowEmpty bool, rep *krm.Report) Deletion {
	d := Deletion{Max: defaultLimit, AllowEmpty: allowEmpty}
	if most.Pos != (krm.Pos{}) {
		d.Max = most
	}
	if baseline.Text != "" && confined(baseline, rep) {
		d.Baseline = krm.Str{Text: path.Clean(baseline.Text), Pos: baseline.Pos}
	}
	return d
}

// optionNames are those of the short form where the options come as annotations:
// the configuration is one generator.
func (r *reader) optionNames(generators []*generator) OptionNames {
	full := OptionNames{"`spec.deletion.baseline`", "`spec.deletion.maxNamespaces`", "`spec.deletion.allowEmpty`"}
	config := r.list.Config
	switch {
	case config == nil && len(generators) == 1, config != nil && config.Kind == generatorKind:
		annotation := func(name string) string { return "the annotation `" + krm.Prefix + name + "`" }
		return OptionNames{annotation("baseline"), annotation("max-namespaces"), annotation("allow-empty")}
	case config != nil && config.Kind == functionKind:
		return full
	}
	const elsewhere = " of a ProvisionTenants"
	names := OptionNames{full.Baseline + elsewhere, full.Max + elsewhere, full.AllowEmpty + elsewhere}
	if config != nil {
		names.AllowEmpty = "`data.allowEmpty`"
	}
	return names
}

// confined tells whether a path stays below the base directory.
func confined(p krm.Str, rep *krm.Report) bool {
	what := ""
	switch {
	case path.IsAbs(p.Text):
		what = "is absolute"
	case hasDots(p.Text):
		what = "has a `..` segment"
	default:
		return true
	}
	rep.Errorf("config-path", p.Pos, "only `sources` may lie elsewhere",
		"%s", fmt.Sprintf("must be below the base directory, %q %s", shown(p.Text), what))
	return false
}

func hasDots(p string) bool {
	for segment := range strings.SplitSeq(p, "/") {
		if segment == ".." {
			return true
		}
	}
	return false
}
