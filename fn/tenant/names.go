package tenant

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of the Kubernetes API.
const (
	maxLabelValue = 63 // also a DNS label and the name part of a key
	maxSubdomain  = 253
)

// nameRule is one syntax of names of the Kubernetes API.
type nameRule struct {
	// what is the article and name of the syntax.
	what string
	max  int
	// inside are the bytes that are allowed between letters and digits.
	inside string
	// upper is set where upper-case letters are allowed.
	upper string
}

const upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

var (
	labelValue = nameRule{"a label value", maxLabelValue, "-_.", upperLetters}
	dnsLabel   = nameRule{"a DNS label", maxLabelValue, "-", ""}
	subdomain  = nameRule{"a DNS subdomain", maxSubdomain, "-.", ""}
	keyName    = nameRule{"the name part of a key", maxLabelValue, "-_.", upperLetters}
	keyPrefix  = nameRule{"the prefix of a key", maxSubdomain, "-.", ""}
)

// problem says which part of the rule a name breaks, "" when it breaks none.
func (r nameRule) problem(name string) string {
	switch {
	case name == "":
		return r.what + " must not be empty"
	case len(name) > r.max:
		return fmt.Sprintf("%s has at most %d characters, this one has %d", r.what, r.max, len(name))
	}
	for i, c := range name {
		if !r.letter(c) && !strings.ContainsRune(r.inside, c) {
			return fmt.Sprintf("%s must not contain %s (character %d)", r.what, describe(c), i+1)
		}
	}
	for _, part := range r.parts(name) {
		if part == "" || !r.letter(rune(part[0])) || !r.letter(rune(part[len(part)-1])) {
			return r.what + " must begin and end" + r.everyPart() + " with a letter or a digit"
		}
	}
	return ""
}

func (r nameRule) letter(c rune) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.ContainsRune(r.upper, c)
}

// parts are what must begin and end with a letter or digit: in DNS names
// everything between two dots.
func (r nameRule) parts(name string) []string {
	if r.upper == "" {
		return strings.Split(name, ".")
	}
	return []string{name}
}

func (r nameRule) everyPart() string {
	if r.upper == "" && strings.Contains(r.inside, ".") {
		return " every part between dots"
	}
	return ""
}

// suggest turns a name into one that keeps the rule, "" when nothing useful is
// left. A name that is too long is not cut: two cut names can be equal.
func (r nameRule) suggest(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case r.letter(c), strings.ContainsRune(r.inside, c):
			b.WriteRune(c)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	suggestion := strings.Trim(b.String(), "-_.")
	if suggestion == name || r.problem(suggestion) != "" {
		return ""
	}
	return suggestion
}

// rename is the hint for a directory that gives what a name that breaks the
// rule.
func (r nameRule) rename(what, name string) string {
	hint := "rename the directory so that " + what
	switch suggestion := r.suggest(name); {
	case !isASCII(name):
		return hint + " has only the letters a to z, digits and `-`"
	case suggestion != "":
		return fmt.Sprintf("%s is, for example, %q", hint, suggestion)
	case len(name) > r.max:
		return fmt.Sprintf("%s is shorter by %d or more", hint, len(name)-r.max)
	}
	return hint + " keeps the rule"
}

func describe(c rune) string {
	if c < utf8.RuneSelf && unicode.IsPrint(c) {
		return fmt.Sprintf("%q", c)
	}
	return fmt.Sprintf("U+%04X", c)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// codePoints lists the characters of a name that are not ASCII, and says which
// normal form it is in: a name can look the same and be another one.
func codePoints(name string) string {
	var points []string
	form := "composed"
	for i, c := range name {
		switch _, size := utf8.DecodeRuneInString(name[i:]); {
		case c == utf8.RuneError && size == 1:
			points, form = append(points, fmt.Sprintf("the byte 0x%02X", name[i])), "not UTF-8"
		case c >= utf8.RuneSelf:
			points = append(points, fmt.Sprintf("U+%04X", c))
		}
		if unicode.Is(unicode.M, c) && form == "composed" {
			form = "decomposed"
		}
	}
	list := strings.Join(points[:min(len(points), maxListed)], " ")
	if more := len(points) - maxListed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list + " (" + form + ")"
}

// keyProblem checks the qualified name that is a label's or annotation's key.
func keyProblem(key string) string {
	prefix, name, found := strings.Cut(key, "/")
	if !found {
		return keyName.problem(key)
	}
	if problem := keyPrefix.problem(prefix); problem != "" {
		return problem
	}
	return keyName.problem(name)
}

// annotationKeyProblem is keyProblem as the API server checks it for
// annotations: there a prefix may have upper-case letters.
func annotationKeyProblem(key string) string { return keyProblem(strings.ToLower(key)) }

// labelValueProblem is the rule for a label's value: it may be empty.
func labelValueProblem(value string) string {
	if value == "" {
		return ""
	}
	return labelValue.problem(value)
}
