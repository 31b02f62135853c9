package krm

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// plainScalar is what a scalar without quotes means.
type plainScalar struct {
	kind      Kind
	text      string
	ambiguous string
}

// resolvePlain reads a scalar by the core schema of YAML 1.2, and says in
// ambiguous what YAML 1.1 makes of it when that is something else.
func resolvePlain(s string) plainScalar {
	if startsLikeString(s) {
		return plainScalar{StringNode, s, ""}
	}
	kind, text := resolveCore(s)
	kind11, text11 := resolve11(s)
	if kind == kind11 && sameValue(kind, text, text11) {
		return plainScalar{kind, text, ""}
	}
	return plainScalar{kind, text, describe11(kind11, text11)}
}

// startsLikeString is true for a scalar whose first letter begins no word of
// either schema: nearly all of them.
func startsLikeString(s string) bool {
	return s != "" && !strings.ContainsRune("0123456789+-.~=<yYnNtTfFoO", rune(s[0]))
}

func sameValue(kind Kind, a, b string) bool {
	if kind == FloatNode {
		return strings.ReplaceAll(b, "_", "") == a || a == b
	}
	return a == b
}

func describe11(kind Kind, text string) string {
	switch kind {
	case BoolNode:
		return "the boolean " + text
	case IntNode:
		return "the integer " + shown(text)
	case FloatNode:
		return "the number " + shown(text)
	case NullNode:
		return "null"
	case StringNode:
		return fmt.Sprintf("the string %q", shown(text))
	case timestamp11:
		return "a timestamp"
	case merge11:
		return "a merge key"
	case ListNode, MapNode:
	}
	return "something else"
}

// The types of YAML 1.1 that YAML 1.2 dropped.
const (
	timestamp11 Kind = 100 + iota
	merge11
)

var (
	coreInt   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	coreOctal = regexp.MustCompile(`^0o[0-7]+$`)
	coreHex   = regexp.MustCompile(`^0x[0-9a-fA-F]+$`)
	coreFloat = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	notFinite = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)

	int11       = regexp.MustCompile(`^[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0|[1-9][0-9_]*)$`)
	base60Int   = regexp.MustCompile(`^[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+$`)
	float11     = regexp.MustCompile(`^[-+]?([0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?)$`)
	base60Float = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*$`)
	time11      = regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?$`)
)

func resolveCore(s string) (Kind, string) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return NullNode, "null"
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return BoolNode, strings.ToLower(s)
	}
	switch {
	case coreInt.MatchString(s):
		return IntNode, decimal(strings.TrimPrefix(s, "+"), 10)
	case coreOctal.MatchString(s):
		return IntNode, decimal(s[2:], 8)
	case coreHex.MatchString(s):
		return IntNode, decimal(s[2:], 16)
	case coreFloat.MatchString(s):
		return FloatNode, jsonFloat(s)
	case notFinite.MatchString(s):
		return FloatNode, strings.ToLower(s)
	}
	return StringNode, s
}

func resolve11(s string) (Kind, string) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return NullNode, "null"
	case "<<", "=":
		return merge11, s
	}
	switch strings.ToLower(s) {
	case "y", "yes", "on", "true":
		return word11(s, "true")
	case "n", "no", "off", "false":
		return word11(s, "false")
	}
	switch {
	case int11.MatchString(s):
		return IntNode, integer11(s)
	case base60Int.MatchString(s):
		return IntNode, s + " in base 60"
	case float11.MatchString(s):
		return FloatNode, jsonFloat(strings.ReplaceAll(s, "_", ""))
	case base60Float.MatchString(s):
		return FloatNode, s + " in base 60"
	case notFinite.MatchString(s):
		return FloatNode, strings.ToLower(s)
	case time11.MatchString(s):
		return timestamp11, s
	}
	return StringNode, s
}

// word11 accepts the three spellings of YAML 1.1: yes, Yes, YES.
func word11(s, value string) (Kind, string) {
	lower := strings.ToLower(s)
	if s == lower || s == strings.ToUpper(s) || s == strings.ToUpper(s[:1])+lower[1:] {
		return BoolNode, value
	}
	return StringNode, s
}

func integer11(s string) string {
	digits := strings.ReplaceAll(strings.TrimPrefix(s, "+"), "_", "")
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	switch {
	case strings.HasPrefix(digits, "0b"):
		return decimal(sign+digits[2:], 2)
	case strings.HasPrefix(digits, "0x"):
		return decimal(sign+digits[2:], 16)
	case strings.HasPrefix(digits, "0"):
		return decimal(sign+digits, 8)
	}
	return decimal(sign+digits, 10)
}

// maxDigits bounds what is converted: the time grows with the square of it, and
// no reader of JSON takes an integer of this length.
const maxDigits = 1000

func decimal(digits string, base int) string {
	if len(digits) > maxDigits {
		return digits
	}
	i, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return digits
	}
	return i.String()
}

// jsonFloat keeps the author's digits, in the form that JSON allows.
func jsonFloat(s string) string {
	s = strings.TrimPrefix(s, "+")
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i:]
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if dotted && fraction == "" {
		fraction = "0"
	}
	if dotted {
		whole += "." + fraction
	}
	return sign + whole + exponent
}
