// Package profile decides who owns an object that several ask for: the lowest
// tier wins.
package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Claim is an object and who wants it.
type Claim struct {
	Object *krm.Object
	// Owner is the value of the `owner` annotation, such as
	// `ArtifactGenerator/flux-system/monorepo`.
	Owner string
	// Tier decides between claims of one object: the lowest wins.
	Tier int
	// Pos is the owner's.
	Pos krm.Pos
}

// Resolve returns one object for each identity, sorted by the order in which
// they are applied. Two claims of the lowest tier are an error: which of them
// wins must never depend on the order of the input.
func Resolve(claims []Claim, rep *krm.Report) []*krm.Object {
	byIdentity := map[krm.Identity][]Claim{}
	for _, c := range claims {
		byIdentity[c.Object.Identity()] = append(byIdentity[c.Object.Identity()], c)
	}
	r := resolution{rep: rep, ties: map[[2]string]int{}}
	var won []*krm.Object
	for _, id := range slices.SortedFunc(maps.Keys(byIdentity), krm.Identity.Compare) {
		won = append(won, r.decide(byIdentity[id]))
	}
	slices.SortFunc(won, krm.ApplyOrder)
	return won
}

// resolution is the state of a Resolve.
type resolution struct {
	rep *krm.Report
	// ties counts the objects that two owners claim with one tier.
	ties map[[2]string]int
}

// decide picks the winner among the claims of one object.
func (r resolution) decide(rivals []Claim) *krm.Object {
	slices.SortFunc(rivals, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), strings.Compare(a.Owner, b.Owner))
	})
	winner := rivals[0]
	if len(rivals) == 1 {
		return winner.Object
	}
	if rivals[1].Tier == winner.Tier {
		r.tie(winner, rivals[1])
		return winner.Object
	}
	var losers []string
	for _, loser := range rivals[1:] {
		losers = append(losers, loser.Owner)
		r.rep.Warnf("tier-lost", loser.Pos, "", "%s with tier %d does not get %s, which %s claims with tier %d",
			loser.Owner, loser.Tier, winner.Object.Identity().Title(), winner.Owner, winner.Tier)
	}
	winner.Object.Annotations[krm.WinnerKey] = winner.Owner
	winner.Object.Annotations[krm.LosersKey] = strings.Join(losers, ",")
	return winner.Object
}

// maxTies bounds the findings about two owners: they can have a whole fleet in
// common.
const maxTies = 20

func (r resolution) tie(a, b Claim) {
	pair := [2]string{a.Owner, b.Owner}
	if r.ties[pair]++; r.ties[pair] > maxTies {
		return
	}
	r.rep.Errorf("tier-tie", b.Pos, "give one of them a lower tier in the annotation `"+krm.TierKey+"`",
		"%s from %q and from %q are one object, both claimed with tier %d by %s and %s", a.Object.Identity().Title(),
		a.Object.Annotations[krm.OriginKey], b.Object.Annotations[krm.OriginKey], a.Tier, a.Owner, b.Owner)
}
