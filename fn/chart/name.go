package chart

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Lengths that Kubernetes and Helm allow. A HelmRelease's name becomes the value
// of a label on every object of its chart.
const (
	maxLabel       = 63
	maxName        = 253
	maxReleaseName = 53
)

// ObjectName is the name of the HelmRelease: `<namespace>-<name>`, cut where it is
// longer than a label. Whose release it is does not show, so that Flux upgrades it
// in place when that changes.
func (r Release) ObjectName() string { return fit(r.Namespace+"-"+r.Name, maxLabel) }

func compare(a, b Release) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// fit cuts a name and replaces the rest by a hash of the whole.
func fit(name string, most int) string {
	if len(name) <= most {
		return name
	}
	hash := digest(name)
	return strings.TrimRight(name[:most-1-len(hash)], "-.") + "-" + hash
}

// digest is the first 8 hex digits of a text's SHA-256.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// objectName makes a name of any text: what Kubernetes does not allow becomes `-`.
func objectName(text string) string {
	if isSubdomain(text) {
		return text
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(text))
	if name = strings.Trim(name, "-"); name == "" {
		return "repository"
	}
	return fit(name, maxName)
}

// isLabel tells whether a text is an RFC 1123 label, what names a namespace.
func isLabel(text string) bool { return len(text) <= maxLabel && isPart(text) }

// isSubdomain tells whether a text is an RFC 1123 subdomain, what names an object.
func isSubdomain(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if !isPart(part) {
			return false
		}
	}
	return len(text) <= maxName
}

func isPart(text string) bool {
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return text != "" && text[0] != '-' && text[len(text)-1] != '-'
}

// checkRelease checks what a release is called: Helm and Kubernetes would refuse
// the rest.
func (a *adder) checkRelease() {
	name, namespace := a.chart.ReleaseName, a.chart.ReleaseNamespace
	a.must(isSubdomain(name.Text), name, "consist of lower-case letters, digits, `-` and `.`, with a letter or digit at both ends of each part")
	a.must(len(name.Text) <= maxReleaseName, name, fmt.Sprintf("have at most %d characters", maxReleaseName))
	a.must(isLabel(namespace.Text), namespace, "be the name of a namespace: at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends")
}

// must reports a text that is not what it must be.
func (s *Set) must(ok bool, text krm.Str, what string) bool {
	if !ok {
		s.rep.Errorf("config-value", text.Pos, "", "must %s, found %q", what, shown(text.Text))
	}
	return ok
}

// shown is a text as messages show it.
func shown(text string) string { return krm.Short(text, 256) }
