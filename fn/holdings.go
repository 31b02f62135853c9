package fn

import (
	"cmp"
	"slices"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// holding is an object that a profile had before: in our previous output, or alive
// in a cluster.
type holding struct {
	profile.Incumbent
	// cluster is the one that the profile had it for.
	cluster profile.Destination
	// feature is empty for what a release needs: it stays as long as a release does.
	feature profile.Feature
	item    *krm.Item
}

type holdings []holding

// findHoldings reads who had what. A tenant's items say nothing about that.
func findHoldings(list *krm.List, made []*krm.Item, plan *config.Plan, d *deployment) holdings {
	if len(d.rounds) == 0 {
		return nil
	}
	var held holdings
	for _, item := range made {
		held = held.add(item, d)
	}
	for _, item := range list.Items {
		if item.UID != "" && plan.Trusted(item) {
			held = held.add(item, d)
		}
	}
	slices.SortStableFunc(held, func(a, b holding) int {
		return cmp.Or(a.item.Identity().Compare(b.item.Identity()), cmp.Compare(a.To.String(), b.To.String()), cmp.Compare(a.item.Path(), b.item.Path()))
	})
	return held
}

func (hs holdings) add(item *krm.Item, d *deployment) holdings {
	h := holding{cluster: d.home, item: item}
	to := d.home
	for _, c := range d.clusters {
		if c.Summarises(item.Annotations) {
			h.cluster, to = c.Destination, c.Destination
		}
	}
	for _, c := range d.clusters {
		if item.Annotations[krm.ClusterKey] == c.String() {
			to = c.Destination
		}
	}
	if item.Annotations[krm.ClusterKey] == profile.Management.String() || profile.IsLocal(item.Annotations) {
		to = profile.Management
	} else if item.Annotations[krm.ClusterKey] != "" {
		h.cluster = to
	}
	var found bool
	if h.Incumbent, found = profile.NewIncumbent(item.Identity(), item.Annotations, to); !found {
		return hs
	}
	h.feature = profile.FeatureOf(h.Incumbent, item.Annotations)
	return append(hs, h)
}

func (hs holdings) incumbents() []profile.Incumbent {
	var all []profile.Incumbent
	for _, h := range hs {
		all = append(all, h.Incumbent)
	}
	return all
}

// of are claims for all that a profile had for a cluster, which it keeps unless
// somebody has a better tier.
func (hs holdings) of(r *round) []*profile.Claim {
	var claims []*profile.Claim
	for _, h := range hs {
		if h.feature != "" && h.Owner == r.String() && h.cluster == r.cluster.Destination {
			claims = append(claims, &profile.Claim{
				Owner: &r.Owner, Feature: h.feature, Cluster: h.cluster, To: h.To, Identity: h.Identity, Ref: h.Ref,
				Mode: profile.Paused, Pos: r.Pos,
			})
		}
	}
	return claims
}

// checkPlaced refuses to guess: what was made for the only cluster does not say
// which one that was, and what a profile keeps must not leave because another
// cluster came in.
func (hs holdings) checkPlaced(d *deployment) {
	if d.home != profile.Management {
		return
	}
	for _, r := range d.rounds {
		i := slices.IndexFunc(hs, func(h holding) bool {
			silent := h.item.Annotations[krm.ClusterKey] == "" && !profile.IsLocal(h.item.Annotations)
			return silent && h.item.UID == "" && h.feature != "" && h.Owner == r.String() && (h.cluster == r.cluster.Destination || h.cluster == d.home)
		})
		if r.mode() != profile.Active && i >= 0 {
			d.rep.Errorf("paused-unplaced", r.Pos, "run once without the pause or dry run, or set `spec.cluster` of a ProvisionTenants",
				"%s keeps what it has, and nothing says for which of the %d clusters %s was made", &r.Owner, len(d.clusters), hs[i].item.Identity().Title())
		}
	}
}

// others are the claims of `of` for what the profile does not ask for any more.
func (hs holdings) others(r *round) []*profile.Claim {
	type place struct {
		to profile.Destination
		id krm.Identity
	}
	wanted := map[place]bool{}
	for _, c := range r.claims {
		wanted[place{c.To, c.Identity}] = true
	}
	var claims []*profile.Claim
	for _, c := range hs.of(r) {
		if !wanted[place{c.To, c.Identity}] {
			claims = append(claims, c)
		}
	}
	return claims
}

// kept are the items of claims that stay as they are, and what releases among them
// need.
func (hs holdings) kept(claims []*profile.Claim) []*krm.Item {
	type place struct {
		to profile.Destination
		id krm.Identity
	}
	type ownerIn struct {
		to    profile.Destination
		owner string
	}
	stay, releases := map[place]bool{}, map[ownerIn]bool{}
	for _, c := range claims {
		if c.State == profile.Kept {
			stay[place{c.To, c.Identity}] = true
			releases[ownerIn{c.To, c.Owner.String()}] = releases[ownerIn{c.To, c.Owner.String()}] || c.Feature == profile.Helm
		}
	}
	var items []*krm.Item
	for _, h := range hs {
		needed := h.feature == "" && releases[ownerIn{h.To, h.Owner}]
		if h.item.UID == "" && (needed || h.feature != "" && stay[place{h.To, h.Identity}]) {
			items = append(items, h.item)
		}
	}
	return items
}
