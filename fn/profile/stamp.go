package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// The keys that Sveltos puts on what it deploys (libsveltos, v1beta1).
const (
	sveltosPrefix = "projectsveltos.io/"

	reasonKey      = sveltosPrefix + "reason"
	refKindKey     = sveltosPrefix + "reference-kind"
	refNSKey       = sveltosPrefix + "reference-namespace"
	refNameKey     = sveltosPrefix + "reference-name"
	refTierKey     = sveltosPrefix + "reference-tier"
	ownerKindKey   = sveltosPrefix + "owner-kind"
	ownerNameKey   = sveltosPrefix + "owner-name"
	ownerTierKey   = sveltosPrefix + "owner-tier"
	hashKey        = sveltosPrefix + "hash"
	summaryKey     = sveltosPrefix + "clustersummary"
	deploymentKey  = sveltosPrefix + "deploymenttype"
	capiPrefix     = "capi"
	sveltosCluster = "sveltos"
)

// Stamp puts on an object what Sveltos would: whose it is, and by which reference;
// then the profile's own labels and annotations. A Kustomization stamps what it
// builds itself.
func (c *Claim) Stamp(p *Profile) {
	if c.node == nil {
		return
	}
	c.Object.Annotations[hashKey] = hash(c.node, c.Object.Namespace)
	c.Object.Labels[reasonKey] = string(c.Feature)
	maps.Copy(c.Object.Annotations, map[string]string{
		refKindKey: c.Ref.Kind, refNSKey: c.Ref.Namespace, refNameKey: c.Ref.Name, refTierKey: strconv.Itoa(c.Ref.Tier),
		ownerKindKey: c.Owner.Kind, ownerNameKey: c.Owner.Name, ownerTierKey: strconv.Itoa(c.Owner.Tier),
		summaryKey: c.Cluster.summary(), deploymentKey: c.deploymentType(),
	})
	for key, value := range p.ExtraLabels {
		c.Object.Labels[key] = value.Text
	}
	for key, value := range p.ExtraAnnotations {
		c.Object.Annotations[key] = value.Text
	}
}

// Verdict are the annotations about who prevailed, where a tier decided: none
// where nobody else wanted the object.
func (c *Claim) Verdict() map[string]string {
	if len(c.Losers) == 0 {
		return nil
	}
	losers := slices.Clone(c.Losers)
	slices.SortFunc(losers, func(a, b *Claim) int {
		return cmp.Or(cmp.Compare(a.Owner.Tier, b.Owner.Tier), a.Owner.compareNames(b.Owner), cmp.Compare(a.Ref.Tier, b.Ref.Tier), cmp.Compare(a.Ref.String(), b.Ref.String()))
	})
	var names []string
	for _, loser := range losers {
		name := loser.Owner.ranked()
		if loser.Owner == c.Owner {
			name = loser.ranked()
		}
		names = append(names, name)
	}
	return map[string]string{krm.WinnerKey: c.ranked(), krm.LosersKey: strings.Join(slices.Compact(names), ";")}
}

// ranked is `ClusterProfile/kyverno@50`.
func (o *Owner) ranked() string { return o.String() + "@" + strconv.Itoa(o.Tier) }

// ranked is `ClusterProfile/kyverno@50 (ConfigMap default/nginx@100)`.
func (c *Claim) ranked() string {
	if c.Ref.Kind == "" {
		return c.Owner.ranked()
	}
	return c.Owner.ranked() + " (" + c.Ref.String() + "@" + strconv.Itoa(c.Ref.Tier) + ")"
}

// summary is the type, namespace and name of a cluster, as Sveltos joins them.
func (d Destination) summary() string {
	kind := sveltosCluster
	if d.Kind == CAPICluster {
		kind = capiPrefix
	}
	return kind + "-" + d.Namespace + "-" + d.Name
}

func (c *Claim) deploymentType() string {
	if c.To == Management {
		return "Local"
	}
	return "Remote"
}

// hash is that of Sveltos: SHA-256 of the object's JSON before it is stamped, with
// the namespace that it ends up in. `jq -cS` of the object gives the same text
// where that has no `<`, `>` and `&`.
func hash(n *krm.Node, namespace string) string {
	sum := sha256.Sum256(stampless(n, namespace).AppendJSON(nil))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func stampless(n *krm.Node, namespace string) *krm.Node {
	object := fieldsOf(n)
	meta := fieldsOf(n.Get("metadata"))
	delete(meta, "namespace")
	if namespace != "" {
		meta["namespace"] = krm.NewString(namespace)
	}
	if old := n.Get("metadata").Get("annotations"); old.Get(hashKey) != nil {
		annotations := fieldsOf(old)
		delete(annotations, hashKey)
		meta["annotations"] = krm.NewMap(annotations)
	}
	object["metadata"] = krm.NewMap(meta)
	return krm.NewMap(object)
}

func fieldsOf(n *krm.Node) map[string]*krm.Node {
	fields := map[string]*krm.Node{}
	for key, value := range n.Fields() {
		fields[key.Text] = value
	}
	return fields
}

// NewIncumbent reads the stamps of an object, ours first, then those of Sveltos;
// false when it has none. fallback is the destination of what does not say its own.
func NewIncumbent(id krm.Identity, annotations map[string]string, to Destination) (Incumbent, bool) {
	i := Incumbent{To: to, Identity: id, Owner: annotations[krm.OwnerKey]}
	if i.Owner == "" && annotations[ownerKindKey] != "" {
		owner := Owner{Kind: annotations[ownerKindKey], Name: annotations[ownerNameKey]}
		if owner.Kind == "Profile" {
			owner.Namespace = to.Namespace
		}
		i.Owner = owner.String()
	}
	if release, there := strings.CutPrefix(annotations[krm.IdentityKey], "helm:"); there {
		namespace, name, _ := strings.Cut(release, "/")
		i.Identity = Release(namespace, name)
	}
	i.Ref = Reference{Kind: annotations[refKindKey], Namespace: annotations[refNSKey], Name: annotations[refNameKey]}
	return i, i.Owner != ""
}

// FeatureOf is the part of a profile that something came from: "" for what a
// release needs besides itself.
func FeatureOf(i Incumbent, annotations map[string]string) Feature {
	switch {
	case i.Identity.Kind == releaseKind:
		return Helm
	case annotations[ownerKindKey] != "":
		return Resources
	case i.Identity.Group == kustomizeGroup:
		return Kustomize
	}
	return ""
}

// Summarises tells whether annotations say that an object was deployed for the
// cluster, as Sveltos stamps it.
func (c *Cluster) Summarises(annotations map[string]string) bool {
	return annotations[summaryKey] == c.summary()
}

// IsLocal tells whether annotations say that an object is for the management
// cluster.
func IsLocal(annotations map[string]string) bool { return annotations[deploymentKey] == "Local" }
