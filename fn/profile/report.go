package profile

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Rows are the claims of profiles as a YAML list, one map each: who wants what for
// which cluster, and what became of it.
func Rows(claims []*Claim) string {
	text := make([]byte, 0, len("[]\n"))
	for _, c := range sortedClaims(claims) {
		text = krm.NewList(c.row()).AppendYAML(text, 0)
	}
	return cmp.Or(string(text), "[]\n")
}

// sortedClaims leaves out what generators claim, and what somebody who is paused
// does not have: only an earlier run knows that. It sorts by cluster, feature and
// identity, the best tier first.
func sortedClaims(claims []*Claim) []*Claim {
	sorted := slices.DeleteFunc(slices.Clone(claims), func(c *Claim) bool { return c.Cluster == (Destination{}) || c.State == Skipped })
	features := []Feature{Helm, Resources, Kustomize}
	slices.SortStableFunc(sorted, func(a, b *Claim) int {
		return cmp.Or(
			a.Cluster.compare(b.Cluster),
			cmp.Compare(slices.Index(features, a.Feature), slices.Index(features, b.Feature)),
			cmp.Compare(a.Identity.Group+":"+a.Identity.Kind, b.Identity.Group+":"+b.Identity.Kind),
			cmp.Compare(a.Identity.Namespace, b.Identity.Namespace),
			cmp.Compare(a.Identity.Name, b.Identity.Name),
			cmp.Compare(a.Owner.Tier, b.Owner.Tier), a.Owner.compareNames(b.Owner),
		)
	})
	return sorted
}

func (c *Claim) row() *krm.Node {
	row := map[string]*krm.Node{
		"tier": krm.NewInt(int64(c.Owner.Tier)),
	}
	for key, text := range map[string]string{
		"cluster": c.Cluster.String(), "clusterType": clusterType(c.Cluster), "feature": string(c.Feature),
		"resourceType": c.resourceType(), "namespace": c.Identity.Namespace, "name": c.Identity.Name,
		"version": c.Version, "deploymentType": c.deploymentType(), "profile": c.Owner.String(),
		"reference": c.Ref.String(), "state": string(c.State), "reason": string(c.Reason),
	} {
		if text != "" {
			row[key] = krm.NewString(text)
		}
	}
	if c.Ref.Kind != "" {
		row["referenceTier"] = krm.NewInt(int64(c.Ref.Tier))
	}
	switch {
	case c.State == Evaluated:
		row["reason"] = krm.NewString(c.Action())
	case c.State == Gone:
		row["reason"] = krm.NewString("uninstalled by " + c.Owner.String())
	case c.Holder != nil:
		row["by"] = krm.NewString(c.Holder.ranked())
	}
	if _, lost := c.Verdict()[krm.LosersKey]; lost {
		losers := krm.NewList()
		for loser := range strings.SplitSeq(c.Verdict()[krm.LosersKey], ";") {
			losers.Items = append(losers.Items, krm.NewString(loser))
		}
		row["losers"] = losers
	}
	return krm.NewMap(row)
}

func clusterType(d Destination) string {
	if d.Kind == CAPICluster {
		return "Capi"
	}
	return "Sveltos"
}

func (c *Claim) resourceType() string {
	if c.Feature == Helm {
		return "helm chart"
	}
	return c.Identity.Group + ":" + c.Identity.Kind
}

// Table is what is deployed, in the columns of `sveltosctl show addons`. Nobody
// here looks at a clock.
func Table(claims []*Claim) string {
	rows := [][]string{{"CLUSTER", "RESOURCE TYPE", "NAMESPACE", "NAME", "VERSION", "TIME", "PROFILES"}}
	for _, c := range sortedClaims(claims) {
		if c.State == Deployed || c.State == Kept {
			rows = append(rows, []string{
				c.Cluster.String(), c.resourceType(), c.Identity.Namespace, c.Identity.Name, cmp.Or(c.Version, "N/A"), "-", c.Owner.Kind + "/" + c.Owner.Name,
			})
		}
	}
	return drawTable(rows)
}

func drawTable(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	dashes := make([]string, len(widths))
	for i, width := range widths {
		dashes[i] = strings.Repeat("-", width+2)
	}
	border := "+" + strings.Join(dashes, "+") + "+"
	var b strings.Builder
	for n, row := range rows {
		if n < 2 {
			b.WriteString(border + "\n")
		}
		b.WriteString("|")
		for i, cell := range row {
			left, free := 1, widths[i]+2-utf8.RuneCountInString(cell)
			if n == 0 {
				left = free / 2
			}
			b.WriteString(strings.Repeat(" ", left) + cell + strings.Repeat(" ", free-left) + "|")
		}
		b.WriteString("\n")
	}
	b.WriteString(border + "\n")
	return b.String()
}
