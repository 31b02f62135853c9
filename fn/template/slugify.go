package template

import (
	"fmt"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// maxSlug is the length of a label's value, in bytes.
const maxSlug = 63

// slugWords are characters with a word, or another letter, of their own: quotes
// vanish, dashes are dashes, and the letters of western Europe lose their marks.
var slugWords = func() map[rune]string {
	words := map[rune]string{'&': "and", '@': "at", '"': "", '\'': "", '’': "", '‒': "-", '–': "-", '—': "-", '―': "-"}
	for to, from := range map[string]string{
		"a": "àáâãäå", "ae": "æ", "c": "ç", "d": "ð", "e": "èéêë", "i": "ìíîï", "n": "ñ", "o": "òóôõöø",
		"oe": "œ", "s": "š", "ss": "ß", "th": "þ", "u": "ùúûü", "y": "ýÿ", "z": "ž",
	} {
		for _, r := range from {
			words[r] = to
		}
	}
	return words
}()

// slugify makes a name of a text: lower-case letters, digits, `_` and single
// dashes, 63 characters at most, cut between words where that is possible.
func slugify(text string) (string, error) {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		word, known := slugWords[r]
		switch {
		case known:
			b.WriteString(word)
		case r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case r < 0x80 || r == 0xa0:
			b.WriteByte('-')
		default:
			return "", fmt.Errorf("`slugify` has no letter for %q in %q", r, krm.Short(text, 128))
		}
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' })
	slug := strings.Join(words, "-")
	if len(slug) > maxSlug {
		slug = cutSlug(words)
	}
	return strings.Trim(slug, "-_"), nil
}

// cutSlug keeps as many words as fit.
func cutSlug(words []string) string {
	slug := words[0][:min(len(words[0]), maxSlug)]
	for _, word := range words[1:] {
		if len(slug)+1+len(word) > maxSlug {
			break
		}
		slug += "-" + word
	}
	return slug
}
