package krm

import "strings"

// Short cuts a text to about `most` bytes for a message, and shows both ends of
// what is longer: a tenant's text must not blow up the findings.
func Short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	half := most / 2
	return strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
}
