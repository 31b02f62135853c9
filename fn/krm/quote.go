package krm

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// appendText appends a string, in quotes unless every version of YAML reads it
// as a string without them.
func appendText(buf []byte, s string) []byte {
	if needsNoQuotes(s) {
		return append(buf, s...)
	}
	return appendQuoted(buf, s)
}

// IsPlainWord tells whether every version of YAML reads a text as a string, wherever
// it stands: a letter and then letters, digits, `.`, `_`, `-` and `/`, if that is no
// word with a meaning.
func IsPlainWord(text string) bool { return needsNoQuotes(text) }

// needsNoQuotes is true for a letter and then letters, digits, `.`, `_`, `-`
// and `/`, if that is no word with a meaning.
func needsNoQuotes(s string) bool {
	if s == "" || !isLetter(s[0]) || isTypedWord(s) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '.' && c != '_' && c != '-' && c != '/' {
			return false
		}
	}
	return true
}

// hasLineEnd tells whether a string has a character that ends a line in YAML
// 1.1.
func hasLineEnd(s string) bool { return strings.ContainsAny(s, "\n\r\u0085\u2028\u2029") }

// appendQuoted appends a string in double quotes, on one line. A byte that is
// not UTF-8 comes out as U+FFFD.
func appendQuoted(buf []byte, s string) []byte {
	buf = append(buf, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			buf = append(buf, '\\', c)
		case c >= ' ' && c < 0x7f:
			buf = append(buf, c)
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			buf = appendRune(buf, r)
			i += size
			continue
		}
		i++
	}
	return append(buf, '"')
}

// shortEscapes are the escapes with a letter that YAML 1.1 and 1.2 share and
// yaml.v3 writes.
var shortEscapes = map[rune]string{
	0: `\0`, '\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`,
	0x1b: `\e`, 0x85: `\N`, 0x2028: `\L`, 0x2029: `\P`,
}

// appendRune appends a character as yaml.v3 writes it, so that a round trip
// changes nothing, and in addition escapes what a reader cannot see: bidi
// controls, zero-width characters and their like (Unicode category Cf) can make
// a text look like another one.
func appendRune(buf []byte, r rune) []byte {
	short, found := shortEscapes[r]
	switch {
	case found:
		return append(buf, short...)
	case r <= 0xff && unicode.IsControl(r):
		return fmt.Appendf(buf, `\x%02X`, r)
	case r > 0xffff:
		return fmt.Appendf(buf, `\U%08X`, r)
	case unicode.Is(unicode.Cf, r), r >= 0xfffe:
		return fmt.Appendf(buf, `\u%04X`, r)
	}
	return utf8.AppendRune(buf, r)
}
