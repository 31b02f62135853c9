package resourceset

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Annotations by which an object takes over what others hold (Flux Operator).
const (
	copyFromKey     = "fluxcd.controlplane.io/copyFrom"
	checksumFromKey = "fluxcd.controlplane.io/checksumFrom"
	checksumKey     = "fluxcd.controlplane.io/checksum"
	kubeConfigKey   = "fluxcd.controlplane.io/convertKubeConfigFrom"
)

// keep keeps a draft. Its tree is kept, too, only while somebody may need it.
func (e *evaluation) keep(d *draft) {
	if !e.Render {
		return
	}
	e.drafts = append(e.drafts, d)
	kind := textOf(d.node.Get("kind"))
	if kind != "ConfigMap" && kind != "Secret" && !strings.Contains(d.unit.text, checksumFromKey) {
		d.write()
		return
	}
	e.kept[d.id()] = d
}

// fill copies what `copyFrom` names, then adds the sums that `checksumFrom` asks
// for: a sum counts what was copied.
func (e *evaluation) fill() {
	for _, d := range e.drafts {
		if d.node != nil {
			e.copyFrom(d)
		}
	}
	for _, d := range e.drafts {
		if d.node != nil && strings.Contains(d.unit.text, checksumFromKey) {
			d.node = e.withSums(d, d.node)
		}
	}
}

func (e *evaluation) copyFrom(d *draft) {
	id := d.id()
	annotations := d.node.Get("metadata").Get("annotations")
	if annotations.Get(kubeConfigKey) != nil {
		e.failFill(d, "render the ConfigMap elsewhere, or leave the ResourceSet to Flux Operator", "%s asks for `%s`, which only Flux Operator does", id.Title(), kubeConfigKey)
	}
	from := annotations.Get(copyFromKey)
	if from == nil || id.Group != "" {
		return
	}
	namespace, name, found := strings.Cut(from.Text, "/")
	sourceID := krm.Identity{Kind: id.Kind, Namespace: namespace, Name: name}
	source := e.find(sourceID)
	switch {
	case !found || namespace == "" || name == "" || strings.Contains(name, "/"):
		e.failFill(d, "write `namespace/name`", "`%s` of %s is %q", copyFromKey, id.Title(), krm.Short(from.Text, 128))
	case source == nil:
		e.failFill(d, "pass it among the items", "%s copies from %s %s/%s, which is not in the list", id.Title(), id.Kind, krm.Short(namespace, 64), krm.Short(name, 64))
	default:
		d.node = withData(d.node, source)
		before := e.kept[sourceID]
		d.copied = before != nil && before.isTenants()
	}
}

// failFill reports a draft that nobody can fill.
func (e *evaluation) failFill(d *draft, hint, format string, args ...any) {
	if d.unit.mistakes++; d.unit.mistakes <= maxMistakes {
		e.rep.Errorf("resourceset-copy", d.unit.pos, hint, format+", rendered with %s", append(args, d.inputs.title())...)
	}
}

// find looks among what has been rendered, then in the list.
func (e *evaluation) find(id krm.Identity) *krm.Node {
	if d := e.kept[id]; d != nil {
		return d.node
	}
	return e.Find(id)
}

// withData is a ConfigMap or Secret with the data of another one.
func withData(n, source *krm.Node) *krm.Node {
	copied := []string{"data", "binaryData", "stringData", "type"}
	var all []krm.Entry
	for key, value := range n.Fields() {
		if !slices.Contains(copied, key.Text) {
			all = append(all, krm.Entry{Key: key, Value: value})
		}
	}
	for key, value := range source.Fields() {
		if slices.Contains(copied, key.Text) {
			all = append(all, krm.Entry{Key: key, Value: value})
		}
	}
	return krm.NewEntries(n.Pos, all)
}

// withSums adds the sum to all metadata in a value that asks for one: of the
// object, and of templates of pods in it.
func (e *evaluation) withSums(d *draft, n *krm.Node) *krm.Node {
	if n.Kind == krm.ListNode {
		list := krm.NewList()
		for _, item := range n.Items {
			list.Items = append(list.Items, e.withSums(d, item))
		}
		return list
	}
	if n.Kind != krm.MapNode {
		return n
	}
	var all []krm.Entry
	for key, value := range n.Fields() {
		value = e.withSums(d, value)
		if asked := value.Get("annotations").Get(checksumFromKey); key.Text == "metadata" && asked != nil {
			if sum, ok := e.sum(d, asked.Text); ok {
				value = withAllIn(value, map[string]string{checksumKey: sum})
			}
		}
		all = append(all, krm.Entry{Key: key, Value: value})
	}
	return krm.NewEntries(n.Pos, all)
}

// withAllIn is a metadata with more annotations.
func withAllIn(meta *krm.Node, more map[string]string) *krm.Node {
	return edited(meta, "annotations", func(m *krm.Node) *krm.Node {
		all := map[string]*krm.Node{}
		for k, v := range fieldsOf(m) {
			all[k.Text] = v
		}
		for key, value := range more {
			all[key] = krm.NewString(value)
		}
		return krm.NewMap(all)
	})
}

// sum is `sha256:` and the SHA-256, in hex, of what `Kind/namespace/name,…` name:
// for each its reference and a zero byte, then each key and its value, sorted by
// key, with a zero byte behind both (Flux Operator).
func (e *evaluation) sum(d *draft, references string) (string, bool) {
	hash := sha256.New()
	for reference := range strings.SplitSeq(references, ",") {
		reference = strings.TrimSpace(reference)
		parts := strings.Split(reference, "/")
		if len(parts) != 3 || parts[0] != "ConfigMap" && parts[0] != "Secret" {
			e.failFill(d, "write `Kind/namespace/name`, with the kind ConfigMap or Secret", "`%s` of %s names %q", checksumFromKey, d.id().Title(), krm.Short(reference, 128))
			return "", false
		}
		source := e.find(krm.Identity{Kind: parts[0], Namespace: parts[1], Name: parts[2]})
		if source == nil {
			e.failFill(d, "pass it among the items", "%s wants the sum of %s, which is not in the list", d.id().Title(), krm.Short(reference, 128))
			return "", false
		}
		_, _ = hash.Write([]byte(reference + "\x00"))
		data := dataOf(source)
		for _, key := range slices.Sorted(maps.Keys(data)) {
			_, _ = hash.Write([]byte(key + "\x00" + data[key] + "\x00"))
		}
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), true
}

// dataOf is what a ConfigMap or Secret holds, decoded.
func dataOf(n *krm.Node) map[string]string {
	all := map[string]string{}
	for key, value := range fieldsOf(n.Get("data")) {
		all[key.Text] = value.Text
		if decoded, err := base64.StdEncoding.DecodeString(value.Text); err == nil && textOf(n.Get("kind")) == "Secret" {
			all[key.Text] = string(decoded)
		}
	}
	for key, value := range fieldsOf(n.Get("binaryData")) {
		if decoded, err := base64.StdEncoding.DecodeString(value.Text); err == nil {
			all[key.Text] = string(decoded)
		}
	}
	for key, value := range fieldsOf(n.Get("stringData")) {
		all[key.Text] = value.Text
	}
	return all
}
