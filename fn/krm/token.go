package krm

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// token is a value that ends on its line.
type token struct {
	style tokenStyle
	// text is the value of a scalar, and a flow list or map as written.
	text string
}

type tokenStyle int

const (
	plainToken tokenStyle = iota
	quotedToken
	flowToken
)

// scalar is the text of a scalar whatever its type, "" for null and for what is
// no scalar: so do hosts read `name: 123`.
func (t token) scalar() string {
	if t.style == flowToken || t.style == plainToken && isNullWord(t.text) {
		return ""
	}
	return t.text
}

func isNullWord(s string) bool {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// isPlainString tells whether a plain scalar is certainly a string: the types
// of all YAML versions begin with another character, or are one of few words.
func isPlainString(s string) bool {
	return s != "" && (isLetter(s[0]) || s[0] == '/') && !isTypedWord(s)
}

// isTypedWord tells whether some version of YAML reads a word, in some
// spelling, as a boolean, null or a number.
func isTypedWord(s string) bool {
	if len(s) > len("false") {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		return true
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isComment tells whether what follows a value is a comment.
func isComment(rest string) bool {
	return rest[0] == ' ' && strings.HasPrefix(strings.TrimLeft(rest, " "), "#")
}

// cutKey reads a key and the colon behind it; the value is trimmed on the left.
func cutKey(text string) (key, value string, ok bool) {
	rest := ""
	switch text[0] {
	case '"':
		key, rest, ok = cutDoubleQuoted(text)
	case '\'':
		key, rest, ok = cutSingleQuoted(text)
	default:
		end := 0
		for end < len(text) && isKeyByte(text[end]) {
			end++
		}
		key, rest, ok = text[:end], text[end:], end > 0 && text[0] != '-'
	}
	// A parser looks for the colon in the next 1024 characters only.
	if !ok || rest == "" || rest[0] != ':' || len(text)-len(rest) > 1000 {
		return "", "", false
	}
	if rest = rest[1:]; rest != "" && rest[0] != ' ' {
		return "", "", false
	}
	return key, strings.TrimLeft(rest, " "), true
}

func isKeyByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '_' || c == '.' || c == '/' || c == '$'
}

// cutToken reads a value that is no block scalar, up to its end.
func cutToken(text string) (value token, rest string, ok bool) {
	switch text[0] {
	case '"':
		value.style = quotedToken
		value.text, rest, ok = cutDoubleQuoted(text)
	case '\'':
		value.style = quotedToken
		value.text, rest, ok = cutSingleQuoted(text)
	case '[', '{':
		rest, ok = cutFlow(text, 0)
		value = token{flowToken, text[:len(text)-len(rest)]}
	default:
		value.text, rest, ok = cutPlain(text)
	}
	return value, rest, ok
}

// cutPlain reads a scalar without quotes, which ends at a comment.
func cutPlain(text string) (value, rest string, ok bool) {
	value = text
	if i := strings.Index(text, " #"); i >= 0 {
		value, rest = strings.TrimRight(text[:i], " "), text[i:]
	}
	ok = canBeginPlain(text) && !strings.Contains(value, ": ") && !strings.HasSuffix(value, ":")
	return value, rest, ok
}

// canBeginPlain tells whether a text begins with a character that has no
// meaning of its own in YAML.
func canBeginPlain(text string) bool {
	if text[0] == '-' {
		return len(text) > 1 && text[1] != ' '
	}
	return strings.IndexByte("?:,[]{}#&*!|>'\"%@`", text[0]) < 0
}

// cutSingleQuoted reads '…', where two quotes stand for one.
func cutSingleQuoted(text string) (value, rest string, ok bool) {
	doubled := false
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != '\'':
		case i+1 < len(text) && text[i+1] == '\'':
			doubled = true
			i++
		case doubled:
			return strings.ReplaceAll(text[1:i], "''", "'"), text[i+1:], true
		default:
			return text[1:i], text[i+1:], true
		}
	}
	return "", "", false
}

// cutDoubleQuoted reads "…" with the usual escapes.
func cutDoubleQuoted(text string) (value, rest string, ok bool) {
	end := strings.IndexAny(text[1:], `"\`) + 1
	if end == 0 {
		return "", "", false
	}
	if text[end] == '"' {
		return text[1:end], text[end+1:], true
	}
	unquoted := make([]byte, 0, len(text))
	for i := 1; i < len(text); {
		switch text[i] {
		case '"':
			return string(unquoted), text[i+1:], true
		case '\\':
			r, size := unescape(text[i:])
			if size == 0 {
				return "", "", false
			}
			unquoted = utf8.AppendRune(unquoted, r)
			i += size
		default:
			unquoted = append(unquoted, text[i])
			i++
		}
	}
	return "", "", false
}

// unescape reads one escape sequence; its size is 0 when we do not know it.
func unescape(text string) (r rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	const letters, meaning = `0abtnvfre"\/NLP_`, "\x00\a\b\t\n\v\f\r\x1b\"\\/\u0085\u2028\u2029\u00a0"
	if i := strings.IndexByte(letters, text[1]); i >= 0 {
		return []rune(meaning)[i], 2
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 || len(text) < 2+digits {
		return 0, 0
	}
	code, err := strconv.ParseUint(text[2:2+digits], 16, 32)
	if err != nil || !utf8.ValidRune(rune(code)) {
		return 0, 0
	}
	return rune(code), 2 + digits
}

// cutFlow reads a flow list or map of simple scalars and of such lists and maps.
func cutFlow(text string, depth int) (rest string, ok bool) {
	closing := byte(']')
	if text[0] == '{' {
		closing = '}'
	}
	rest = strings.TrimLeft(text[1:], " ")
	if rest != "" && rest[0] == closing {
		return rest[1:], true
	}
	for depth < maxNesting {
		if closing == '}' {
			if rest, ok = cutFlowKey(rest); !ok {
				return "", false
			}
		}
		if rest, ok = cutFlowValue(rest, depth); !ok || rest == "" {
			return "", false
		}
		switch rest[0] {
		case closing:
			return rest[1:], true
		case ',':
			rest = strings.TrimLeft(rest[1:], " ")
		default:
			return "", false
		}
	}
	return "", false
}

func cutFlowKey(text string) (rest string, ok bool) {
	if text == "" {
		return "", false
	}
	_, rest, ok = cutKey(text)
	return rest, ok
}

// cutFlowValue reads an entry of a flow list or map and the spaces behind it.
func cutFlowValue(text string, depth int) (rest string, ok bool) {
	if text == "" {
		return "", false
	}
	switch text[0] {
	case '"':
		_, rest, ok = cutDoubleQuoted(text)
	case '\'':
		_, rest, ok = cutSingleQuoted(text)
	case '[', '{':
		rest, ok = cutFlow(text, depth+1)
	default:
		rest, ok = cutFlowPlain(text)
	}
	return strings.TrimLeft(rest, " "), ok
}

// cutFlowPlain reads a scalar without quotes in a flow list or map, such as
// `ns.startsWith("a")`. One that holds `:`, `#` or `?` is for the library.
func cutFlowPlain(text string) (rest string, ok bool) {
	end := strings.IndexAny(text, ",[]{}:#?")
	if end <= 0 {
		return "", false
	}
	return text[end:], canBeginPlain(text) && text[0] != '-'
}
