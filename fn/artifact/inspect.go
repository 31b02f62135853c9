package artifact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// inspect looks at what the artifact holds once all operations have run.
func (a *Artifact) inspect(rep *krm.Report) bool {
	ok := true
	forms := map[string]string{}
	namespaces := namespaceFinder{}
	for _, path := range a.paths {
		f := a.stage.files[path]
		ok = a.checkName(path, f, rep) && ok
		a.warnTwin(path, f, forms, rep)
		if !f.directory && namespaces.declared(path, f.data) {
			rep.Warnf("artifact-namespace", krm.Pos{File: f.origin.place()},
				"ask for the namespace by its directory, and exclude the file",
				"artifact %s: %q declares a Namespace: whoever applies the artifact and whoever applies this output will both own it", a.what, shown(path))
		}
	}
	return ok
}

// checkName refuses names with which no archive can be unpacked: Flux takes a
// backslash and `../`, also behind other letters, for an attempt to escape.
func (a *Artifact) checkName(path string, f staged, rep *krm.Report) bool {
	_, name := cutName(path)
	what := ""
	switch {
	case strings.ContainsAny(name, "\\\n\x00"):
		what = "a backslash, a line end or a zero byte"
	case f.directory && strings.HasSuffix(name, ".."):
		what = "`..` at the end of a directory's name"
	case len(path) > maxName:
		what = "more than 4095 bytes in its path"
	default:
		return true
	}
	rep.Errorf("artifact-file-name", krm.Pos{File: f.origin.place()}, "rename or exclude it",
		"artifact %s: %q has %s, nobody could unpack the archive", a.what, shown(path), what)
	return false
}

// warnTwin reports two names in one directory that differ in nothing but how an
// accent is encoded: macOS has one file there, Linux two. forms collects the
// names that were seen, by skeleton.
func (a *Artifact) warnTwin(path string, f staged, forms map[string]string, rep *krm.Report) {
	parent, name := cutName(path)
	if isASCII(name) {
		return
	}
	key := parent + "/" + skeleton(name)
	other, found := forms[key]
	if !found {
		forms[key] = name
		return
	}
	if hasMarks(name) != hasMarks(other) {
		rep.Warnf("artifact-unicode-twins", krm.Pos{File: f.origin.place()}, "keep one of the two",
			"artifact %s: the names %+q and %+q look alike, their accents are encoded differently", a.what, other, name)
	}
}

// skeleton replaces every character that is not ASCII, and every character that
// carries a combining mark, by a placeholder: the composed and the decomposed
// form of a name have the same one.
func skeleton(name string) string {
	var runes []rune
	for _, r := range name {
		switch {
		case isMark(r) && len(runes) > 0:
			runes[len(runes)-1] = unicode.ReplacementChar
		case r >= 0x80:
			runes = append(runes, unicode.ReplacementChar)
		default:
			runes = append(runes, r)
		}
	}
	return string(runes)
}

func hasMarks(name string) bool { return strings.ContainsFunc(name, isMark) }

// isMark knows the combining marks, and the vowels and endings of Hangul, which
// follow their consonant in the decomposed form.
func isMark(r rune) bool {
	return r >= 0x300 && (unicode.Is(unicode.Mn, r) || r >= 0x1160 && r <= 0x11ff)
}

// kindNamespace finds what can only be a Namespace, or something that mentions
// one, without parsing; topNamespace the line of a block style manifest.
var (
	kindNamespace = regexp.MustCompile(`(?m)["']?kind["']?\s*:\s*["']?Namespace["']?\s*(?:[,}#]|$)`)
	topNamespace  = regexp.MustCompile(`(?m)^kind\s*:\s*["']?Namespace["']?\s*(?:#|$)`)
)

// namespaceFinder looks for Namespaces in the manifests of one artifact.
type namespaceFinder struct {
	// parsed are the bytes that were given to a parser so far.
	parsed int
}

// maxParsed bounds parsed: parsing is slow, and an artifact can be large.
const maxParsed = 1 << 20

// declared tells whether a manifest declares a `v1` Namespace. Only a file that
// mentions one is parsed; one that is no YAML (a template), or beyond the limit,
// goes by its lines.
func (n *namespaceFinder) declared(path string, data []byte) bool {
	if !isManifest(path) || !bytes.Contains(data, []byte("Namespace")) || !kindNamespace.Match(data) {
		return false
	}
	if n.parsed+len(data) > maxParsed {
		return topNamespace.Match(data)
	}
	n.parsed += len(data)
	docs, ok := krm.ParseFiles(path, data, &krm.Report{})
	if !ok {
		return topNamespace.Match(data)
	}
	return slices.ContainsFunc(docs, isNamespace)
}

func isManifest(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml") || strings.HasSuffix(path, ".json")
}

// isNamespace looks into the items of a List, too.
func isNamespace(object *krm.Node) bool {
	kind, version := object.Get("kind"), object.Get("apiVersion")
	if kind == nil || version == nil || version.Text != "v1" {
		return false
	}
	if items := object.Get("items"); kind.Text == "List" && items != nil {
		return slices.ContainsFunc(items.Items, isNamespace)
	}
	return kind.Text == "Namespace"
}
