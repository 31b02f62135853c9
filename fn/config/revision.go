package config

import (
	"slices"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// imageRevision is where a source's artifact keeps the revision that it was made
// of (Open Container Initiative, image annotations).
const imageRevision = "org.opencontainers.image.revision"

func sourceKinds() []string { return syntaxOf[sourceKind]().enum }

func isSourceKind(kind string) bool { return slices.Contains(sourceKinds(), kind) }

// revision resolves an artifact's `revision`: what spec.sources says, else the
// source's own status.
func (s *spec) revision(ref krm.Str) string {
	alias, ok := s.reference(ref)
	if !ok {
		return ""
	}
	revision, _ := s.knownRevision(alias)
	if _, mapped := s.entries.entry(alias); revision != "" || !mapped && len(s.entries) > 0 {
		return revision // a source that is nowhere is reported as that
	}
	s.rep.Errorf("revision-unknown", ref.Pos, "set `revision` in `spec.sources` of a ProvisionTenants, or pass the source object with its status",
		"the revision of source %q is not known", shown(alias))
	return ""
}

// originRevision resolves an artifact's `originRevision`. Upstream falls back to
// the revision, and does without when there is none.
func (s *spec) originRevision(ref krm.Str) string {
	alias, ok := s.reference(ref)
	if !ok {
		return ""
	}
	revision, origin := s.knownRevision(alias)
	if origin == "" {
		origin = revision
	}
	if origin == "" {
		s.rep.Infof("origin-revision-unknown", ref.Pos, "set `originRevision` in `spec.sources` of a ProvisionTenants, or pass the source object with its status",
			"the origin revision of source %q is not known and left out", shown(alias))
	}
	return origin
}

// reference reads `@alias`; anything else has been reported.
func (s *spec) reference(ref krm.Str) (string, bool) {
	alias, found := strings.CutPrefix(ref.Text, "@")
	if !found || syntaxOf[aliasReference]().mistake(ref.Text) != "" {
		return "", false
	}
	return alias, s.checkAlias(krm.Str{Text: alias, Pos: ref.Pos})
}

// knownRevision is what is known of a source: configuration first, then the
// source object's status.
func (s *spec) knownRevision(alias string) (revision, origin string) {
	entry, _ := s.entries.entry(alias)
	revision, origin = entry.Revision.Text, entry.OriginRevision.Text
	if revision != "" && origin != "" {
		return revision, origin
	}
	status := s.sourceArtifact(alias)
	return orDefault(revision, textOf(status.Get("revision"))),
		orDefault(origin, textOf(status.Get("metadata").Get(imageRevision)))
}

// sourceArtifact is the source object's status.artifact, nil when it is unknown.
func (s *spec) sourceArtifact(alias string) *krm.Node {
	for _, source := range s.Spec.Sources {
		if source.Alias.Text == alias {
			id := krm.Identity{
				Group: sourceGroup, Kind: source.Kind.Text, Namespace: orDefault(source.Namespace.Text, s.id.Namespace), Name: source.Name.Text,
			}
			return s.findSource(id).Get("status").Get("artifact")
		}
	}
	return nil
}

// findSource looks for a Flux source in files of spec.configs and among the
// items. What may be a tenant's is none, nor is one that we made.
func (r *reader) findSource(id krm.Identity) *krm.Node {
	node, asked := r.found[id]
	if !asked {
		node = r.lookUpSource(id)
		r.found[id] = node
	}
	return node
}

func (r *reader) lookUpSource(id krm.Identity) *krm.Node {
	for _, node := range r.sources {
		if nodeIdentity(node) == id {
			return node
		}
	}
	for _, item := range r.list.Items {
		found := item.Identity()
		found.Namespace = orDefault(found.Namespace, defaultNamespace)
		if _, ours := item.Annotations[krm.OwnerKey]; found != id || ours || !r.isFree(item, r.areas) || r.isResource(item) {
			continue
		}
		if node, ok := item.Node(r.rep); ok {
			return node
		}
	}
	return nil
}

func textOf(n *krm.Node) string {
	if n == nil || n.Kind != krm.StringNode {
		return ""
	}
	return n.Text
}
