package handoff

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// FinalizerKey is the annotation of a live Namespace that names who deletes it in
// the applier's place. Whoever takes over that duty sets it; it is never part of
// what is wanted of a Namespace here.
const FinalizerKey = extensions + "externalFinalizer"

// Self is how a ResourceSet writes its own reference into a Namespace that it
// declares; it is nobody's reference.
const Self = "self"

// Reference is the value of FinalizerKey:
// `group/version/kind/namespace/name/uid`. The group of core kinds and the
// namespace of cluster-scoped objects are empty.
type Reference struct {
	krm.Identity
	Version, UID string
}

// fieldSyntax is compiled when there is a reference to read.
var fieldSyntax = sync.OnceValue(func() map[string]*regexp.Regexp {
	const label = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	const segment = `^[^/%\s\pC]+$`
	return map[string]*regexp.Regexp{
		"group":     regexp.MustCompile(`^(` + label + `(\.` + label + `)*)?$`),
		"version":   regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`),
		"kind":      regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`),
		"namespace": regexp.MustCompile(`^(` + label + `)?$`),
		"name":      regexp.MustCompile(segment),
		"uid":       regexp.MustCompile(segment),
	}
})

// ParseReference reads a reference. Nothing is trimmed and case counts: the value
// is written by a machine. The error finishes the sentence "the reference …".
func ParseReference(text string) (Reference, error) {
	fields := strings.Split(text, "/")
	if len(fields) != 6 {
		if text == Self {
			return Reference{}, errors.New("is the word that a ResourceSet puts its own reference in the place of")
		}
		return Reference{}, fmt.Errorf("must have the 6 fields group/version/kind/namespace/name/uid, found %d", len(fields))
	}
	for i, name := range []string{"group", "version", "kind", "namespace", "name", "uid"} {
		if !fieldSyntax()[name].MatchString(fields[i]) || fields[i] == "." || fields[i] == ".." {
			return Reference{}, fmt.Errorf("has no valid %s, found %q", name, krm.Short(fields[i], 256))
		}
	}
	return Reference{krm.Identity{Group: fields[0], Kind: fields[2], Namespace: fields[3], Name: fields[4]}, fields[1], fields[5]}, nil
}

// String is the reference as it was written.
func (r Reference) String() string {
	return strings.Join([]string{r.Group, r.Version, r.Kind, r.Namespace, r.Name, r.UID}, "/")
}
