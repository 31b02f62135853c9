package profile

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// randomWorld is a handful of profiles that want a handful of things. Tiers are
// all different, or few.
type randomWorld struct {
	owners     []*Owner
	claims     map[*Owner][]*Claim
	incumbents []Incumbent
	tie        TieBreak
	distinct   bool
}

func newRandomWorld(random *rand.Rand) *randomWorld {
	w := &randomWorld{claims: map[*Owner][]*Claim{}, distinct: random.IntN(2) == 0}
	w.tie = []TieBreak{ByName, ByInputOrder, ByError}[random.IntN(3)]
	for i, tier := range random.Perm(5)[:2+random.IntN(4)] {
		if !w.distinct {
			tier = random.IntN(2)
		}
		o := &Owner{Kind: "ClusterProfile", Name: string(rune('a' + i)), Tier: tier + 1, Position: i, ContinueOnConflict: random.IntN(2) == 0}
		w.owners = append(w.owners, o)
		for range 1 + random.IntN(5) {
			w.claims[o] = append(w.claims[o], randomClaim(random, o))
		}
		if random.IntN(3) == 0 {
			c := w.claims[o][0]
			w.incumbents = append(w.incumbents, Incumbent{Owner: o.String(), To: c.To, Identity: c.Identity, Ref: c.Ref})
		}
	}
	return w
}

var there = Destination{SveltosCluster, "default", "c1"}

func randomClaim(random *rand.Rand, o *Owner) *Claim {
	name := string(rune('p' + random.IntN(4)))
	c := &Claim{Owner: o, Feature: Helm, Cluster: there, To: there, Identity: Release(name, name)}
	if random.IntN(2) == 0 {
		return c
	}
	c.Feature, c.Identity = Resources, krm.Identity{Kind: "ConfigMap", Namespace: "ns", Name: name}
	ref := random.IntN(3)
	c.Ref = Reference{Kind: "ConfigMap", Namespace: "default", Name: fmt.Sprint("r", ref), Tier: 1 + (ref*7)%3}
	c.Object = &krm.Object{Kind: "ConfigMap", Namespace: "ns", Name: name}
	if random.IntN(5) == 0 {
		c.To = Management
	}
	return c
}

// run resolves the world with its owners in some order. The outcome is the states
// of all claims, in an order of their own.
func (w *randomWorld) run(order []*Owner, incumbents []Incumbent) (claims []*Claim, states []string) {
	for _, o := range order {
		for _, c := range w.claims[o] {
			fresh := *c
			fresh.Outcome = Outcome{}
			claims = append(claims, &fresh)
		}
	}
	Resolve(claims, incumbents, w.tie, &krm.Report{})
	seen := map[string]int{}
	for _, c := range claims {
		key := c.Owner.String()
		seen[key]++
		states = append(states, fmt.Sprintf("%s %02d %s %s %s", key, seen[key], c.Identity, c.State, c.Reason))
	}
	slices.Sort(states)
	return claims, states
}

// live is who has what, as stamps in the cluster would say.
type live struct {
	owner *Owner
	ref   Reference
}

func liveOf(claims []*Claim) map[place]live {
	state := map[place]live{}
	for _, c := range claims {
		if c.State == Deployed || c.State == Kept {
			state[c.place()] = live{c.Owner, c.Ref}
		}
	}
	return state
}

// reconcile is one pass of Sveltos over the objects of one owner: it returns the
// places that change hands (addon-controller v1.14: reference check, owner check,
// and a better tier overrules both).
func reconcile(state map[place]live, mine []*Claim) []place {
	var changed []place
	state = cloned(state)
	stopped := false
	for _, c := range mine {
		if c.Feature == Helm || stopped {
			continue
		}
		had, there := state[c.place()]
		conflict := there && (c.Ref.Tier >= had.ref.Tier && !c.Ref.same(had.ref) || had.owner != c.Owner)
		if conflict && c.Owner.Tier >= had.owner.Tier {
			stopped = !c.Owner.ContinueOnConflict
			continue
		}
		if !there || had.owner != c.Owner || !had.ref.same(c.Ref) {
			changed = append(changed, c.place())
		}
		state[c.place()] = live{c.Owner, c.Ref}
	}
	return changed
}

func cloned(state map[place]live) map[place]live {
	copied := map[place]live{}
	maps.Copy(copied, state)
	return copied
}

func TestOutcomesAreStates(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for i := range 5000 {
		w := newRandomWorld(random)
		claims, states := w.run(w.owners, w.incumbents)
		state := liveOf(claims)
		about := fmt.Sprintf("world %d, %s: %v\nincumbents %v", i, w.tie, states, w.incumbents)
		for _, o := range w.owners {
			require.Empty(t, reconcile(state, claimsOf(claims, o)), "Sveltos would move on from here for %s: %s", o, about)
		}
		requireManagers(t, claims, about)

		var had []Incumbent
		for at, l := range state {
			had = append(had, Incumbent{Owner: l.owner.String(), To: at.to, Identity: at.id, Ref: l.ref})
		}
		_, again := w.run(w.owners, had)
		require.Equal(t, states, again, "the outcome as incumbents changes nothing: %s", about)

		if !w.distinct && w.tie == ByInputOrder {
			continue
		}
		shuffled := slices.Clone(w.owners)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for i, o := range shuffled {
			o.Position = i
		}
		_, other := w.run(shuffled, w.incumbents)
		require.Equal(t, states, other, "the order of the input does not matter: %s", about)
	}
}

func claimsOf(claims []*Claim, o *Owner) []*Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c *Claim) bool { return c.Owner != o })
}

// requireManagers: whoever has a release, nobody who wants it has a better tier.
func requireManagers(t *testing.T, claims []*Claim, about string) {
	t.Helper()
	managers := map[place]*Owner{}
	for _, c := range claims {
		if c.Feature == Helm && (c.State == Deployed || c.State == Blocked && c.Holder == c.Owner) {
			managers[c.place()] = c.Owner
		}
	}
	for _, c := range claims {
		if c.Feature == Helm {
			require.NotNil(t, managers[c.place()], about)
			require.LessOrEqual(t, managers[c.place()].Tier, c.Owner.Tier, about)
		}
	}
}
