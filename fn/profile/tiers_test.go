package profile

import "testing"

// The conflict rules of Sveltos' tiers, one scenario each; world_test.go has the
// language.
func TestTiers(t *testing.T) {
	runScenarios(t, `
# two profiles that overlap, one tier: the first one in the input keeps it
tie InputOrder
vm 100 continue: kyverno prometheus grafana
kyverno 100: kyverno
=
kyverno: kyverno lost by tie to vm
vm: kyverno deployed, prometheus deployed, grafana deployed
warning tie-broken

# the same by name
tie Name
vm 100 continue: kyverno prometheus grafana
kyverno 100: kyverno
=
kyverno: kyverno deployed
vm: kyverno lost by tie to kyverno, prometheus deployed, grafana deployed
warning tie-broken

# the same by name, and the other one is there already
tie Name
had vm kyverno
vm 100 continue: kyverno prometheus grafana
kyverno 100: kyverno
=
kyverno: kyverno lost by tie to vm
vm: kyverno deployed, prometheus deployed, grafana deployed
warning tie-broken

# the same where nobody decides: an error, whatever was there before
had vm kyverno
vm 100 continue: kyverno prometheus grafana
kyverno 100: kyverno
=
kyverno: kyverno deployed
vm: kyverno lost by tie to kyverno, prometheus deployed, grafana deployed
error tier-tie

# the lower tier wins
vm 100 continue: kyverno prometheus grafana
kyverno 50: kyverno
=
kyverno: kyverno deployed
vm: kyverno lost by tier to kyverno, prometheus deployed, grafana deployed
warning tier-lost

# the lower tier wins against what is there
tie InputOrder
had vm kyverno
vm 100 continue: kyverno prometheus grafana
kyverno 50: kyverno
=
kyverno: kyverno deployed
vm: kyverno lost by tier to kyverno, prometheus deployed, grafana deployed
warning tier-lost

# without continueOnConflict a profile stops at what it loses
vm 100: kyverno prometheus grafana
kyverno 50: kyverno
=
kyverno: kyverno deployed
vm: kyverno lost by tier to kyverno, prometheus blocked, a gap, grafana blocked, a gap
error release-gap
warning conflict-blocks tier-lost

# what comes before that is deployed
vm 100: prometheus grafana kyverno
kyverno 50: kyverno
=
kyverno: kyverno deployed
vm: prometheus deployed, grafana deployed, kyverno lost by tier to kyverno
warning tier-lost

# a cluster that one of them is not for
cluster c1 env=fv,region=east
cluster c2 env=fv,region=west
vm 100 continue: kyverno grafana
kyverno 50 on region=west: kyverno
=
kyverno on c2: kyverno deployed
vm: kyverno deployed, grafana deployed
vm on c2: kyverno lost by tier to kyverno, grafana deployed
warning tier-lost

# all losers learn who won
c 100: r1[ns/x]
b 50: r1[ns/x]
a 10: r1[ns/x]
=
a: r1[ns/x] deployed
b: r1[ns/x] lost by tier to a
c: r1[ns/x] lost by tier to a
warning tier-lost

# fallback: the next one takes over what the best one leaves
c 100: r1[ns/x]
b 50: r1[ns/x]
=
b: r1[ns/x] deployed
c: r1[ns/x] lost by tier to b
warning tier-lost

# to share a reference does not help
tie InputOrder
a 100: cm1[ns/m]
b 100: cm1[ns/m]
=
a: cm1[ns/m] deployed
b: cm1[ns/m] lost by tie to a
warning tie-broken

# the same where nobody decides: equal content does not help either
a 100: cm1[ns/m]
b 100: cm1[ns/m]
=
a: cm1[ns/m] deployed
b: cm1[ns/m] lost by tie to a
error tier-tie

# two references of one profile with one tier: the first one has it, and the rest is blocked
tie InputOrder
a 100: r1[ns/sa] r2[ns/sa ns/b]
=
a: r1[ns/sa] deployed, r2[ns/sa] lost to r1, r2[ns/b] blocked
warning conflict-blocks reference-lost

# the better reference takes it, without a conflict
a 100: r1[ns/sa] r2@90[ns/sa ns/b]
=
a: r1[ns/sa] superseded by r2, r2[ns/sa] deployed, r2[ns/b] deployed

# the same where the better reference has it already
tie Name
had a r2[ns/sa]
a 100: r1[ns/sa ns/c] r2@90[ns/sa ns/b]
=
a: r1[ns/sa] superseded by r2, r1[ns/c] deployed, r2[ns/sa] deployed, r2[ns/b] deployed

# reference tiers never cross profiles
a 50: r1@200[ns/x]
b 100: r2@1[ns/x]
=
a: r1[ns/x] deployed
b: r2[ns/x] lost by tier to a
warning tier-lost

# who wants a release to be gone competes like the others
a 50: !kyverno
b 100: kyverno
=
a: kyverno absent
b: kyverno lost by tier to a
warning tier-lost

# a dry run gets nothing
a 5 dryrun: kyverno
b 10: kyverno
=
a: kyverno would take helm release kyverno/kyverno on default/c1 over from ClusterProfile/b, whose tier 10 is above 5
b: kyverno deployed

# a dry run with a worse tier, and one without a rival
a 50 dryrun: kyverno grafana
b 10: kyverno
=
a: kyverno would not get helm release kyverno/kyverno on default/c1, grafana would install helm release grafana/grafana on default/c1
b: kyverno deployed

# a kind without a namespace
a 50: r1[ClusterIssuer:x/le]
b 100: r2[ClusterIssuer:le]
=
a: r1[le] deployed
b: r2[le] lost by tier to a
warning tier-lost

# the default namespace
a 50: r1[Deployment:web]
b 100: r2[Deployment:default/web]
=
a: r1[default/web] deployed
b: r2[default/web] lost by tier to a
warning tier-lost

# templates are filled in before names are compared
a 50: {{.Cluster.metadata.name}}-ing
b 100: c1-ing
=
a: c1-ing deployed
b: c1-ing lost by tier to a
warning tier-lost

# the management cluster is one for all
tie InputOrder
cluster c1 name=one
cluster c2 name=two
a 100 on name=one: ^r1[ns/x]
b 100 on name=two: ^r2[ns/x]
=
a: r1[ns/x] deployed
b on c2: r2[ns/x] lost by tie to a
warning tie-broken

# the management cluster is another one than the cluster itself
a 100: ^r1[ns/x] r2[ns/x]
=
a: r1[ns/x] deployed, r2[ns/x] deployed

# a conflict of Local references stops the others, too
a 50: ^r1[ns/x]
b 100: r2[ns/v] ^r1[ns/x]
=
a: r1[ns/x] deployed
b: r1[ns/x] lost by tier to a, r2[ns/v] blocked
warning conflict-blocks tier-lost

# a Profile writes to its own namespace of the management cluster only
cluster eng/c1 env=fv
eng/p 100: ^r1[other/x] ^r2[Namespace:eng] ^r3[eng/x]
=
eng/p: r1[other/x] deployed, r2[eng] deployed, r3[eng/x] deployed
error profile-confined

# a release that its owner does not get to is deployed by nobody
w 50: y x
v 10: y
l 100: x
=
l: x lost by tier to w
v: y deployed
w: y lost by tier to v, x blocked, a gap
error release-gap
warning conflict-blocks tier-lost

# an object goes to the next one instead
w 50: r1[ns/v ns/x]
v 10: r2[ns/v]
l 100: r3[ns/x]
=
l: r3[ns/x] deployed
v: r2[ns/v] deployed
w: r1[ns/v] lost by tier to v, r1[ns/x] blocked
warning conflict-blocks tier-lost

# an object that its owner has stays where it does not get to it
tie Name
had w r1[ns/x]
w 50: r1[ns/v ns/x]
v 10: r2[ns/v]
l 100: r3[ns/x]
=
l: r3[ns/x] lost by tier to w
v: r2[ns/v] deployed
w: r1[ns/v] lost by tier to v, r1[ns/x] kept
warning tier-lost

# a ClusterProfile and a Profile of one name are two
tie Name
cluster eng/c1 env=fv
a 100: kyverno
eng/a 100: kyverno
=
a: kyverno deployed
eng/a: kyverno lost by tie to a
warning tie-broken

# a release twice in one profile: the last one counts
a 100: kyverno !kyverno
=
a: kyverno superseded by , kyverno absent
warning claimed-twice

# stamps of somebody who is not there any more do not count
tie InputOrder
had eso-test eso
eso-cp 100: eso
=
eso-cp: eso deployed

# stamps of something that its owner does not want any more do not count
tie InputOrder
had a kyverno
a 100: grafana
b 100: kyverno
=
a: grafana deployed
b: kyverno deployed

# a profile that is paused keeps what it has, and gets nothing
had a kyverno
a 100 paused: kyverno grafana
b 200: kyverno
c 200: grafana
=
a: kyverno kept, grafana paused
b: kyverno lost by tier to a
c: grafana deployed
warning profile-paused tier-lost

# a better tier takes it nevertheless
had a kyverno
a 100 paused: kyverno
b 50: kyverno
=
a: kyverno paused
b: kyverno deployed
warning profile-paused

# what a profile depends on goes to the same clusters, and does not outrank it
cluster c1 env=fv
cluster c2 env=other
base 100 on env=nothing: kyverno
app 50 on env=other needs base: kyverno grafana
=
app on c2: kyverno deployed, grafana deployed
base on c2: kyverno lost by tier to app
warning tier-lost

# a dependency that is not there, and two that wait for each other
a 100 needs b: kyverno
b 100 needs a: grafana
c 100 needs d: prometheus
=
a: kyverno deployed
b: grafana deployed
c: prometheus deployed
error dependency-cycle dependency-missing
`)
}
