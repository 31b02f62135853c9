package fn

import (
	"cmp"
	"path"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/config"
	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// generatedDir is where new objects go, below the directory of the configuration.
const generatedDir = "generated"

// generatedPath is unique for an object: kind, namespace and name. A
// cluster-scoped object is filed under its own name.
func generatedPath(id krm.Identity, plan *config.Plan) string {
	folder := cmp.Or(id.Namespace, id.Name)
	return path.Join(plan.Dir, generatedDir, folder, strings.ToLower(id.Kind)+"-"+id.Name+".yaml")
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
	if plan.Echo != nil || list.Bare {
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
// each.
func fill(inventory, objects []*krm.Object) {
	var text []byte
	for _, o := range objects {
		entry := map[string]string{"kind": o.Kind, "name": o.Name, "filename": cmp.Or(o.Annotations[krm.InternalPathKey], o.Annotations[krm.PathKey])}
		setIf(entry, "namespace", o.Namespace)
		setIf(entry, "digest", o.Annotations[krm.DigestKey])
		text = krm.NewList(krm.NewStringMap(entry)).AppendYAML(text, 0)
	}
	for _, o := range inventory {
		o.Data = map[string]string{"inventory.yaml": cmp.Or(string(text), "[]\n")}
	}
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
