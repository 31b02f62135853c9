package krm

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxKey bounds a key as it is written, in bytes. YAML ends a key without `?`
// after 1024 characters, and an escape has up to ten of them.
const maxKey = 1000

// writable refuses a scalar with a character that an escape can put into it and
// that the hosts' library cannot read again once it has written it. What is
// behind an alias has been looked at where its anchor is.
func (c *converter) writable(y *yaml.Node, pos Pos) bool {
	at := strings.IndexFunc(y.Value, isUnwritable)
	if at < 0 {
		return true
	}
	if len(c.open) == 0 {
		r, _ := utf8.DecodeRuneInString(y.Value[at:])
		c.fail("yaml-character", pos, "remove the character", "the text holds the character U+%04X, which not every reader of YAML accepts", r)
	}
	return false
}

// isUnwritable knows the characters that YAML does not count among the printable
// ones, and NEL, which is a line end in YAML 1.1. Byte order marks and what has no
// width are written as escapes.
func isUnwritable(r rune) bool {
	if r == '\t' || r == '\n' || r == '\r' {
		return false
	}
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff
}

// Unwritable finds what keeps a text that no parser here has read from being
// written, and names it; "" when there is nothing.
func Unwritable(text string) string {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(r)) {
			return fmt.Sprintf("the byte 0x%02x, which is not UTF-8", text[i])
		}
		if isUnwritable(r) {
			return fmt.Sprintf("the character U+%04X", r)
		}
	}
	return ""
}

func (c *converter) keyFits(y *yaml.Node, pos Pos) bool {
	length := len(y.Value)
	if length <= maxKey {
		length = len(appendText(nil, y.Value))
	}
	if length <= maxKey {
		return true
	}
	if len(c.open) == 0 {
		c.fail("yaml-key-length", pos, "", "the key has %d bytes with its escapes, %d are allowed", length, maxKey)
	}
	return false
}
