package profile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// maxTies bounds the findings about two owners: they can have a whole fleet in
// common.
const maxTies = 20

// teller says what became of claims.
type teller struct {
	tie TieBreak
	rep *krm.Report
	// ties counts the objects that two owners claim with one tier.
	ties map[[2]*Owner]int
}

// tell reports conflicts: which object, who has it, why, and what to do.
func tell(owners [][]*Claim, tie TieBreak, rep *krm.Report) {
	t := teller{tie, rep, map[[2]*Owner]int{}}
	for _, mine := range owners {
		blocked, paused := map[stop][]*Claim{}, map[Destination][]*Claim{}
		for _, c := range mine {
			switch c.State {
			case Lost:
				t.lost(c)
			case Superseded:
				t.superseded(c)
			case Blocked:
				blocked[c.stop()] = append(blocked[c.stop()], c)
			case Evaluated:
				t.evaluated(c)
			case Kept, Skipped:
				paused[c.Cluster] = append(paused[c.Cluster], c)
			case Deployed, Gone:
			}
		}
		for _, claims := range blocked {
			t.blocked(claims)
		}
		for _, claims := range paused {
			t.paused(claims)
		}
	}
}

// title names what a claim is about: `Namespace nginx on default/prod-west`.
func (c *Claim) title() string {
	if c.To == (Destination{}) {
		return c.Identity.Title()
	}
	return c.Identity.Title() + " on " + c.To.name()
}

// name is how messages name a destination.
func (d Destination) name() string {
	if d == Management {
		return "the management cluster"
	}
	return d.String()
}

// through says which reference an object comes from, behind what it follows.
func through(r Reference) string {
	if r.Kind == "" {
		return ""
	}
	return " through " + r.String()
}

// lost tells the loser who has the object, why, and what to do.
func (t teller) lost(c *Claim) {
	switch c.Reason {
	case ByTier:
		hint := fmt.Sprintf("to get it, set %s below %d; else remove it here", c.Owner.TierField, c.Holder.Tier)
		if c.Holder.Tier == 1 {
			hint = fmt.Sprintf("to get it, give %s a higher tier; else remove it here", c.Holder)
		}
		t.rep.Warnf("tier-lost", c.Pos, hint,
			"%s with tier %d does not get %s%s, which %s claims with tier %d%s",
			c.Owner, c.Owner.Tier, c.title(), through(c.Ref), c.Holder, c.Holder.Tier, through(c.HolderRef))
	case ByTie:
		t.tied(c)
	case ByReference:
		t.rep.Warnf("reference-lost", c.Pos, fmt.Sprintf("to get it from here, set the `tier` of this reference below %d; else remove one of the two", c.HolderRef.Tier),
			"%s gets %s through %s with tier %d, and not through %s with tier %d", c.Owner, c.title(), c.HolderRef, c.HolderRef.Tier, c.Ref, c.Ref.Tier)
	case ByConflict, ByDuplicate:
	}
}

// tied: which of two equal tiers wins must not depend on the order of the input
// unless somebody asks for that.
func (t teller) tied(c *Claim) {
	pair := [2]*Owner{c.Holder, c.Owner}
	if t.ties[pair]++; t.ties[pair] > maxTies {
		return
	}
	hint := fmt.Sprintf("give one of them a lower tier in %s", c.Owner.TierField)
	if c.Holder.TierField != c.Owner.TierField {
		hint = fmt.Sprintf("give one of them a lower tier, %s in %s or %s in %s", c.Holder, c.Holder.TierField, c.Owner, c.Owner.TierField)
	}
	about := fmt.Sprintf("%s is claimed with tier %d by %s from %s and by %s from %s",
		c.title(), c.Owner.Tier, c.Holder, from(c.By, c.HolderRef), c.Owner, from(c, c.Ref))
	if t.tie == ByError {
		t.rep.Errorf("tier-tie", c.Pos, hint, "%s", about)
		return
	}
	t.rep.Warnf("tie-broken", c.Pos, hint, "%s, and goes to %s by `tieBreak: %s`", about, c.Holder, t.tie)
}

// from says where an object comes from: its reference, the directory that a
// generator found, or the profile itself.
func from(c *Claim, ref Reference) string {
	switch {
	case ref.Kind != "":
		return ref.String()
	case c != nil && c.Object != nil && c.Object.Annotations[krm.OriginKey] != "":
		return fmt.Sprintf("%q", c.Object.Annotations[krm.OriginKey])
	case c != nil && c.Pos.Field != "":
		return "`" + c.Pos.Field + "`"
	}
	return "an earlier run"
}

func (t teller) superseded(c *Claim) {
	switch {
	case c.Reason == ByReference:
		t.rep.Infof("reference-superseded", c.Pos, "", "%s gets %s through %s with tier %d instead of %s with tier %d",
			c.Owner, c.title(), c.HolderRef, c.HolderRef.Tier, c.Ref, c.Ref.Tier)
	case c.By.Cluster != c.Cluster && !sameContent(c, c.By):
		t.rep.Warnf("claimed-twice", c.Pos, "put the name of the cluster into that of the object",
			"%s makes %s for %s and for %s, and the last one counts", c.Owner, c.title(), c.Cluster, c.By.Cluster)
	case c.By.Cluster == c.Cluster && !sameContent(c, c.By):
		t.rep.Warnf("claimed-twice", c.Pos, "remove one of the two", "%s has %s twice in %s, and the last one counts", c.Owner, c.title(), where(c))
	}
}

// where is the part of a profile that a claim comes from.
func where(c *Claim) string {
	if c.Feature == Helm {
		return "`spec.helmCharts`"
	}
	return c.Ref.String()
}

// sameContent tells whether two claims ask for the same object, content and all.
func sameContent(a, b *Claim) bool {
	return a.Object != nil && b.Object != nil && string(a.Object.AppendYAML(nil, 0)) == string(b.Object.AppendYAML(nil, 0))
}

// blocked tells what stands behind a conflict; claims are those of one feature,
// in order. A release that its owner has and does not deploy is deployed by nobody.
func (t teller) blocked(claims []*Claim) {
	first := claims[0].By
	var names []string
	for _, c := range claims {
		names = append(names, c.Identity.Title())
		if c.Holder == c.Owner {
			t.rep.Errorf("release-gap", c.Pos, "set `continueOnConflict: true`, or put it before "+first.Identity.Title(),
				"nobody deploys %s: %s has it by its tier %d, and stops before it at %s", c.title(), c.Owner, c.Owner.Tier, first.title())
		}
	}
	t.rep.Warnf("conflict-blocks", claims[0].Pos, "set `continueOnConflict: true`, or remove what conflicts",
		"%s stops at %s, which %s has, and does not deploy what comes behind it: %s",
		claims[0].Owner, first.title(), first.Holder, krm.Short(strings.Join(slices.Compact(names), ", "), 512))
}

// evaluated tells what a dry run would do.
func (t teller) evaluated(c *Claim) {
	t.rep.Infof("dry-run", c.Pos, "", "%s does a dry run: it %s", c.Owner, c.Action())
}

// Action says what a claim that is evaluated would do.
func (c *Claim) Action() string {
	verb := "create"
	if c.Feature == Helm {
		verb = "install"
	}
	switch {
	case c.Holder == nil && c.Absent:
		return "would leave out " + c.title()
	case c.Holder == nil:
		return "would " + verb + " " + c.title()
	case c.Holder == c.Owner:
		return "would update " + c.title()
	case c.Owner.Tier < c.Holder.Tier:
		return fmt.Sprintf("would take %s over from %s, whose tier %d is above %d", c.title(), c.Holder, c.Holder.Tier, c.Owner.Tier)
	}
	return fmt.Sprintf("would not get %s, which %s claims with tier %d, and not below %d", c.title(), c.Holder, c.Holder.Tier, c.Owner.Tier)
}

// paused tells how much stays as it was; claims are those of one owner for one
// cluster.
func (t teller) paused(claims []*Claim) {
	kept := 0
	for _, c := range claims {
		if c.State == Kept {
			kept++
		}
	}
	c := claims[0]
	if c.Mode == Paused {
		t.rep.Warnf("profile-paused", c.Owner.Pos, "remove the pause to render it",
			"%s is paused for %s: %d of its objects stay as they were, and %d are left out", c.Owner, c.Cluster, kept, len(claims)-kept)
	}
}
