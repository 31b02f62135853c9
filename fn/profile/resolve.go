package profile

import (
	"cmp"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Resolve decides who gets what several want, and says so in the claims. Claims
// of an owner are in its own order; the order of owners does not matter, except
// for InputOrder, where Position is it.
//
// The outcome is a state that Sveltos would stay in: the better tier wins, equal
// tiers leave an object where it is, and an owner that meets a conflict stops
// there unless it is told to go on (addon-controller v1.14, conflict rules of
// features Helm, Resources and Kustomize). From the states that schedules of
// Sveltos can end in, this is the one of a clean cluster that meets the best tier
// first.
func Resolve(claims []*Claim, incumbents []Incumbent, tie TieBreak, rep *krm.Report) {
	r := resolver{
		tie:     tie,
		held:    make(map[place]*holding, len(claims)),
		stopped: map[stop]*Claim{},
	}
	owners := ordered(claims, tie)
	r.seat(owners, incumbents)
	for _, mine := range owners {
		r.register(mine)
	}
	for _, mine := range owners {
		for _, c := range mine {
			r.decide(c)
		}
	}
	for _, mine := range owners {
		for _, c := range mine {
			r.conclude(c)
		}
	}
	tell(owners, tie, rep)
}

// place is where one object fits.
type place struct {
	to Destination
	id krm.Identity
}

func (c *Claim) place() place { return place{c.To, c.Identity} }

// holding says who has a place.
type holding struct {
	owner *Owner
	ref   Reference
	// claim is nil for an incumbent that nobody has confirmed yet.
	claim *Claim
}

// stop is what a conflict stops: one feature of one owner for one cluster.
type stop struct {
	owner   *Owner
	cluster Destination
	feature Feature
}

func (c *Claim) stop() stop { return stop{c.Owner, c.Cluster, c.Feature} }

type resolver struct {
	tie     TieBreak
	held    map[place]*holding
	stopped map[stop]*Claim
}

// ordered groups claims by owner, the one that is to be served first in front.
func ordered(claims []*Claim, tie TieBreak) [][]*Claim {
	index := map[*Owner]int{}
	var groups [][]*Claim
	for _, c := range claims {
		i, seen := index[c.Owner]
		if !seen {
			i = len(groups)
			index[c.Owner] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	slices.SortFunc(groups, func(a, b []*Claim) int {
		x, y := a[0].Owner, b[0].Owner
		order := cmp.Compare(x.Tier, y.Tier)
		if tie == ByInputOrder {
			order = cmp.Or(order, cmp.Compare(x.Position, y.Position))
		}
		return cmp.Or(order, x.compareNames(y))
	})
	return groups
}

// seat gives incumbents what they had, as far as they still claim it. Of owners
// that take part that counts only where a tie is decided: otherwise the outcome
// would depend on history. Who is paused or does a dry run keeps what it has.
func (r *resolver) seat(owners [][]*Claim, incumbents []Incumbent) {
	had := make(map[place]Incumbent, len(incumbents))
	for _, i := range incumbents {
		had[place{i.To, i.Identity}] = i
	}
	if len(had) == 0 {
		return
	}
	for _, mine := range owners {
		for _, c := range mine {
			was, there := had[c.place()]
			if there && was.Owner == c.Owner.String() && (r.tie != ByError || c.Mode != Active) {
				r.seatOne(c, was)
			}
		}
	}
}

// seatOne seats an incumbent by the claim that it still makes: through the same
// reference if there is one.
func (r *resolver) seatOne(c *Claim, was Incumbent) {
	h := r.held[c.place()]
	if h == nil || c.Ref.same(was.Ref) && !h.ref.same(was.Ref) {
		r.held[c.place()] = &holding{owner: c.Owner, ref: c.Ref}
	}
}

// register gives an owner the releases that nobody with the same or a better tier
// has: who gets a release is decided for all charts before one is deployed.
func (r *resolver) register(mine []*Claim) {
	for _, c := range mine {
		if c.Feature != Helm || c.Mode != Active {
			continue
		}
		h := r.held[c.place()]
		if h == nil || h.owner == c.Owner || c.Owner.Tier < h.owner.Tier {
			r.held[c.place()] = &holding{owner: c.Owner, ref: c.Ref}
		}
	}
}

// decide is for the next claim of an owner.
func (r *resolver) decide(c *Claim) {
	if c.Mode != Active {
		return
	}
	h := r.held[c.place()]
	if first := r.stopped[c.stop()]; first != nil {
		r.block(c, h, first)
		return
	}
	switch {
	case h == nil || h.owner != c.Owner && c.Owner.Tier < h.owner.Tier:
		r.take(c)
	case h.owner != c.Owner && c.Owner.Tier == h.owner.Tier:
		r.lose(c, h, ByTie)
	case h.owner != c.Owner:
		r.lose(c, h, ByTier)
	case h.ref.same(c.Ref):
		r.supersede(h.claim, c, ByDuplicate)
		r.take(c)
	case c.Ref.Tier < h.ref.Tier:
		r.supersede(h.claim, c, ByReference)
		r.take(c)
	case h.claim == nil && c.Ref.Tier > h.ref.Tier:
		// The better reference comes later in the list. Sveltos, too, begins with
		// this one and ends with that one.
		c.State, c.Reason, c.Holder, c.HolderRef = Superseded, ByReference, h.owner, h.ref
	default:
		r.lose(c, h, ByReference)
	}
}

// block: behind a conflict nothing is deployed. What the owner had stays as it
// is. A release can be its own and nobody deploys it.
func (r *resolver) block(c *Claim, h *holding, first *Claim) {
	c.State, c.Reason, c.By = Blocked, ByConflict, first
	switch {
	case h == nil || h.owner != c.Owner:
	case c.Feature == Helm:
		c.Holder = c.Owner
	case h.claim == nil:
		c.State, h.claim = Kept, c
	}
}

func (r *resolver) take(c *Claim) {
	c.State = Deployed
	if c.Absent {
		c.State = Gone
	}
	r.held[c.place()] = &holding{c.Owner, c.Ref, c}
}

// supersede is for what another claim of the same owner replaces.
func (r *resolver) supersede(old, by *Claim, reason Reason) {
	if old != nil {
		old.State, old.Reason, old.By, old.Holder, old.HolderRef = Superseded, reason, by, by.Owner, by.Ref
	}
}

func (r *resolver) lose(c *Claim, h *holding, reason Reason) {
	c.State, c.Reason, c.Holder, c.HolderRef = Lost, reason, h.owner, h.ref
	if !c.Owner.ContinueOnConflict {
		r.stopped[c.stop()] = c
	}
}

// conclude names the claim that has what this one wants, and evaluates those that
// take nothing.
func (r *resolver) conclude(c *Claim) {
	h := r.held[c.place()]
	switch {
	case c.Mode != Active:
		r.evaluate(c, h)
	case c.State == Lost || c.State == Superseded:
		if c.Reason == ByReference && !h.ref.same(c.HolderRef) {
			c.State = Superseded // by one that came later, and not by the one at the time
		}
		if c.State == Superseded && !h.ref.same(c.Ref) {
			c.Reason = ByReference
		}
		c.By, c.Holder, c.HolderRef = h.claim, h.owner, h.ref
		if h.claim != nil && c.Reason != ByDuplicate {
			h.claim.Losers = append(h.claim.Losers, c)
		}
	}
}

// evaluate says what becomes of a claim that takes no part.
func (r *resolver) evaluate(c *Claim, h *holding) {
	switch {
	case h != nil && h.owner == c.Owner && (h.claim == nil || h.claim == c):
		h.claim, c.State = c, Kept
	case c.Mode == Paused:
		c.State = Skipped
	default:
		c.State = Evaluated
		if h == nil {
			return
		}
		c.By, c.Holder, c.HolderRef = h.claim, h.owner, h.ref
		c.Reason = ByTier
		if c.Owner.Tier == h.owner.Tier {
			c.Reason = ByTie
		}
	}
}
