package config

import (
	"github.com/provision-tenants/provision-tenants/fn/krm"
	"github.com/provision-tenants/provision-tenants/fn/profile"
)

// ignored names a field that does nothing here.
func (p *profileReader) ignored(set bool, pos krm.Pos, field string) {
	if set {
		p.rep.Infof("profile-field-ignored", pos, "", "`%s` is a matter of running in a cluster, and does nothing here", field)
	}
}

// warnIgnoredFields names what Sveltos knows and nothing here does, and what
// cannot be had from files.
func (p *profileReader) warnIgnoredFields() {
	spec := &p.wire.Spec
	for field, n := range map[string]*krm.Node{
		"maxUpdate": spec.MaxUpdate, "transitionFrom": spec.TransitionFrom,
		"validateHealths": spec.ValidateHealths, "preDeployChecks": spec.PreDeployChecks,
		"preDeleteChecks": spec.PreDeleteChecks, "postDeleteChecks": spec.PostDeleteChecks,
	} {
		if n != nil {
			p.ignored(true, n.Pos, field)
		}
	}
	p.ignored(spec.Reloader.Value, spec.Reloader.Pos, "reloader")
	if len(spec.DriftExclusions) > 0 && len(spec.PolicyRefs) > 0 {
		p.rep.Infof("profile-field-ignored", spec.DriftExclusions[0].Pos, "", "`driftExclusions` count for charts, and do nothing for objects of `policyRefs`")
	}
	if len(spec.KustomizationRefs) > 0 && len(spec.Patches)+len(spec.PatchesFrom) > 0 {
		p.rep.Warnf("profile-field-limited", spec.KustomizationRefs[0].Pos, "write the patches into the directory", "patches do not count for what `kustomizationRefs` build, in Sveltos either")
	}
	for _, key := range []string{"projectsveltos.io/serviceaccount-name", "projectsveltos.io/serviceaccount-namespace"} {
		label, there := p.wire.Metadata.Labels[key]
		p.ignored(there, label.Pos, key)
	}
	if spec.SyncMode.Text == profile.OneTime {
		p.rep.Warnf("profile-field-limited", spec.SyncMode.Pos, "", "`syncMode: OneTime` is rendered in every run: nobody here knows the first one")
	}
	if spec.StopMatchingBehavior.Text == "LeavePolicies" {
		p.rep.Warnf("profile-field-limited", spec.StopMatchingBehavior.Pos, "turn pruning off where the output is applied, if that must not happen",
			"`stopMatchingBehavior: LeavePolicies` does not keep what leaves the output: the applier deletes it")
	}
}
