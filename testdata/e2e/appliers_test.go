package e2e

import (
	"testing"
)

// An applier makes the cluster like a fleet, revision by revision.
type applier struct {
	name string
	// destroys names how everything leaves at once. It is empty where an applier
	// has nothing of the kind.
	destroys string
	needs    []string
	// appliers is spec.appliers, where it matters.
	appliers string
	// open prepares what the applier keeps in the cluster. The session that it
	// returns belongs to one fleet.
	open func(*testing.T, *fleet) session
}

// session is an applier at work for one fleet.
type session struct {
	// apply applies what the fleet was last rendered to.
	apply func()
	// destroy removes what was applied, with the applier's own object.
	destroy func()
}

// appliers are those that run here. Argo CD and Config Sync need controllers;
// what they go by is asserted in keys_test.go.
var appliers = []applier{
	kubectlApply, kubectlPrune, kubectlApplySet, named(kubectlPrune), named(kubectlApplySet), kptLive, flux, fluxOperator, helm,
}
