package tenant

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Digest is the digest of a namespace's metadata: `sha256:` and 64 hex digits,
// of compact JSON with both maps always there, keys sorted in byte order, UTF-8
// and no escapes that JSON does not ask for. The metadata is what was wanted of
// the namespace, without any stamp of this function, so that it is the same in
// every cluster. For a file that holds the two maps:
//
//	jq -cjS '{annotations: (.annotations // {}), labels: (.labels // {})}' metadata.json | sha256sum
func Digest(labels, annotations map[string]string) string {
	text := []byte(`{"annotations":`)
	text = appendMap(text, annotations)
	text = append(text, `,"labels":`...)
	text = appendMap(text, labels)
	sum := sha256.Sum256(append(text, '}'))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func appendMap(text []byte, entries map[string]string) []byte {
	text = append(text, '{')
	for i, key := range slices.Sorted(maps.Keys(entries)) {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(appendString(text, key), ':')
		text = appendString(text, entries[key])
	}
	return append(text, '}')
}

// appendString writes a JSON string. encoding/json escapes more than it must
// (`<`, U+2028), which no other tool would reproduce.
func appendString(text []byte, s string) []byte {
	text = append(text, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			text = append(text, '\\', c)
		case '\b':
			text = append(text, `\b`...)
		case '\f':
			text = append(text, `\f`...)
		case '\n':
			text = append(text, `\n`...)
		case '\r':
			text = append(text, `\r`...)
		case '\t':
			text = append(text, `\t`...)
		default:
			if c < ' ' {
				text = fmt.Appendf(text, `\u%04x`, c)
				continue
			}
			text = append(text, c)
		}
	}
	return append(text, '"')
}
