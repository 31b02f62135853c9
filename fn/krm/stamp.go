package krm

import (
	"cmp"
	"strings"
)

// The keys of what we write on objects, and of what we read on configuration.
const (
	Prefix = "provision-tenants.fn.kpt.dev/"

	// OwnerKey names who asked for the object: `ArtifactGenerator/<namespace>/<name>`.
	OwnerKey = Prefix + "owner"
	// OriginKey is the slash path, inside its source, of what the object was made of.
	OriginKey = Prefix + "origin"
	// DigestKey is the digest of a Namespace's metadata or of an artifact's archive.
	DigestKey = Prefix + "digest"
	// NameKey is the object's own Identity, so that a renamed copy shows.
	NameKey = Prefix + "name"
	// WinnerKey and LosersKey are owners, where a tier decided between them.
	WinnerKey = Prefix + "winner"
	LosersKey = Prefix + "losers"
	// ServiceAccountKey is the account that the generator runs as.
	ServiceAccountKey = Prefix + "service-account"
	// FinalizedByKey names who deletes a Namespace in the applier's place.
	FinalizedByKey = Prefix + "finalized-by"
	// RetainedKey is on a Namespace that nobody asks for any more and that must not
	// leave the output, with the reason.
	RetainedKey = Prefix + "retained"
	// AdoptKey is read on generators: names of live Namespaces to take over.
	AdoptKey = Prefix + "adopt"
	// TierKey is read on generators.
	TierKey = Prefix + "tier"

	// ManagedByKey and ManagedBy are the label of Namespaces and ExternalArtifacts.
	ManagedByKey = "app.kubernetes.io/managed-by"
	ManagedBy    = "provision-tenants"

	// LocalConfigKey keeps an object from every applier.
	LocalConfigKey = "config.kubernetes.io/local-config"
	// PathKey and IndexKey are how a host that writes files places an object.
	PathKey  = "config.kubernetes.io/path"
	IndexKey = "config.kubernetes.io/index"
	// InternalPathKey is the newer spelling of PathKey.
	InternalPathKey = "internal.config.kubernetes.io/path"
)

// IsStamp tells whether a key below Prefix is one that is written on objects.
func IsStamp(key string) bool {
	switch key {
	case OwnerKey, OriginKey, DigestKey, NameKey, WinnerKey, LosersKey, ServiceAccountKey, FinalizedByKey, RetainedKey:
		return true
	}
	return false
}

// ApplyOrder sorts Namespaces first, then ExternalArtifacts, then the rest, each
// by namespace and name.
func ApplyOrder(a, b *Object) int {
	return cmp.Or(
		cmp.Compare(stage(a.Kind), stage(b.Kind)),
		strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name),
		a.Identity().Compare(b.Identity()),
	)
}

func stage(kind string) int {
	switch kind {
	case "Namespace":
		return 0
	case "ExternalArtifact":
		return 1
	}
	return 2
}
