package fn

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// generatedDir is where new objects go, below the directory of the configuration.
const generatedDir = "generated"

// generatedPath is that of an object: kind, namespace and name. A cluster-scoped
// object is filed under its own name, and what is for another cluster than the one
// that generators are for below that.
func generatedPath(at spot, plan *config.Plan) string {
	folder := plan.Dir + "/" + generatedDir
	if at.cluster != "" {
		folder += "/clusters/" + at.cluster
	}
	id := at.id
	return strings.TrimPrefix(path.Join(folder, fileName(cmp.Or(id.Namespace, id.Name)), strings.ToLower(id.Kind)+"-"+fileName(id.Name)+".yaml"), "/")
}

// fileName is a name as a part of a path on every system: RBAC has names such as
// `system:nodes`.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// generatedPaths are those that an object can have, the first free one counts: its
// own, that with the group where another kind has the same name, and one that
// nobody else can have.
func generatedPaths(at spot, plan *config.Plan) []string {
	sum := sha256.Sum256([]byte(at.id.String()))
	own := generatedPath(at, plan)
	grouped := at
	grouped.id.Kind += "." + at.id.Group
	return []string{own, generatedPath(grouped, plan), strings.TrimSuffix(own, ".yaml") + "-" + hex.EncodeToString(sum[:4]) + ".yaml"}
}

// ownerOf is the owner of what belongs to the run as a whole.
func ownerOf(plan *config.Plan) string {
	return "ProvisionTenants/" + plan.Namespace + "/" + plan.Name
}

// newInventory makes the inventory, without its data: a ConfigMap that no applier
// touches, since a kind of our own would need its CRD. There is none under
// kustomize, where such objects vanish and those of two bases would collide, and
// none among bare documents, which name no files.
func newInventory(list *krm.List, plan *config.Plan) []*krm.Object {
	if plan.Kustomize || list.Bare {
		return nil
	}
	o := &krm.Object{
		APIVersion: "v1", Kind: "ConfigMap", Namespace: plan.Namespace, Name: plan.Name + "-inventory",
		Annotations: plan.Appliers.NoSubstitution(map[string]string{krm.LocalConfigKey: "true"}), // it holds tenants' names
	}
	signed(o, ownerOf(plan), cmp.Or(plan.Dir, "."))
	return []*krm.Object{o}
}

// fill lists the objects, in the order in which they are applied, and the file of
// each; then what stays as it was.
func fill(inventory, objects []*krm.Object, kept []*krm.Item) {
	var text []byte
	for _, o := range objects {
		text = appendEntry(text, o.Identity(), o.Annotations)
	}
	for _, item := range kept {
		text = appendEntry(text, item.Identity(), item.Annotations)
	}
	for _, o := range inventory {
		o.Data = map[string]string{"inventory.yaml": cmp.Or(string(text), "[]\n")}
	}
}

func appendEntry(text []byte, id krm.Identity, annotations map[string]string) []byte {
	entry := map[string]string{"kind": id.Kind, "name": id.Name, "filename": cmp.Or(annotations[krm.InternalPathKey], annotations[krm.PathKey])}
	setIf(entry, "namespace", id.Namespace)
	setIf(entry, "cluster", annotations[krm.ClusterKey])
	setIf(entry, "digest", annotations[krm.DigestKey])
	return krm.NewList(krm.NewStringMap(entry)).AppendYAML(text, 0)
}

func setIf(m map[string]string, key, value string) {
	if value != "" {
		m[key] = value
	}
}

// signed adds the annotations that every object of ours carries.
func signed(o *krm.Object, owner, origin string) {
	o.Annotations[krm.OwnerKey] = owner
	o.Annotations[krm.OriginKey] = origin
	o.Annotations[krm.NameKey] = o.Identity().String()
}
