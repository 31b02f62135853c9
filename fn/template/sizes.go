package template

import (
	"math"
	"reflect"
	"strings"
)

// sizes are at least what functions make, for those whose result can be many times
// what comes in. They are asked before the function is: what it makes would be in
// memory already. Arguments of other types than the function takes count nothing,
// it refuses them.
var sizes = map[string]func(args []any) int{
	"repeat": func(a []any) int { return times(intAt(a, 0), len(textAt(a, 1))) },
	"replace": func(a []any) int {
		found := strings.Count(textAt(a, 2), textAt(a, 0))
		return times(found, len(textAt(a, 1))) + len(textAt(a, 2))
	},
	"indent": func(a []any) int {
		if len(a) < 2 {
			return 0
		}
		text := textOf(a[1])
		return times(strings.Count(text, "\n")+1, intAt(a, 0)+1) + len(text)
	},
	"until":     func(a []any) int { return times(steps(0, intAt(a, 0), 1), entrySize) },
	"untilStep": func(a []any) int { return times(steps(intAt(a, 0), intAt(a, 1), intAt(a, 2)), entrySize) },
	"seq":       seqSize,
	"split":     func(a []any) int { return splitSize(textAt(a, 1), textAt(a, 0)) },
	"splitn":    func(a []any) int { return splitSize(textAt(a, 2), textAt(a, 0)) },
	"splitList": func(a []any) int { return splitSize(textAt(a, 1), textAt(a, 0)) },
	"join":      func(a []any) int { return times(lengthAt(a, 1), len(textAt(a, 0))) },
	"concat": func(a []any) int {
		total := 0
		for i := range a {
			total += lengthAt(a, i)
		}
		return times(total, entrySize)
	},
	"uniq": square, "mustUniq": square,
	"without": product, "mustWithout": product,
	"printf": printfSize,
}

// entrySize is what an entry of a list costs at least, in bytes.
const entrySize = maxValue / maxList

func intAt(args []any, i int) int {
	if i >= len(args) {
		return 0
	}
	n, ok := convert(args[i], reflect.TypeFor[int]())
	if !ok {
		return 0
	}
	return int(n.Int())
}

func textAt(args []any, i int) string {
	if i >= len(args) {
		return ""
	}
	text, _ := args[i].(string)
	return text
}

func lengthAt(args []any, i int) int {
	if i >= len(args) || args[i] == nil || reflect.TypeOf(args[i]).Kind() != reflect.Slice {
		return 1
	}
	return reflect.ValueOf(args[i]).Len()
}

// times multiplies what cannot be negative, and stays below infinity.
func times(a, b int) int {
	switch {
	case a <= 0 || b <= 0:
		return 0
	case a > math.MaxInt32/b:
		return math.MaxInt32
	}
	return a * b
}

// steps is how many numbers there are between two.
func steps(from, to, step int) int {
	const largest = 1 << 53 // beyond it a sum may overflow
	for _, n := range []int{from, to, step} {
		if n > largest || n < -largest {
			return math.MaxInt32
		}
	}
	distance, stride := math.Abs(float64(to)-float64(from)), math.Abs(float64(step))
	if stride == 0 {
		return 0 // the function returns nothing then
	}
	return int(min(distance/stride+1, math.MaxInt32))
}

func seqSize(a []any) int {
	const digits = 21
	switch len(a) {
	case 1:
		return times(steps(1, intAt(a, 0), 1), digits)
	case 2:
		return times(steps(intAt(a, 0), intAt(a, 1), 1), digits)
	}
	return times(steps(intAt(a, 0), intAt(a, 2), intAt(a, 1)), digits)
}

func splitSize(text, separator string) int {
	return times(strings.Count(text, separator)+1, entrySize)
}

// square and product are for functions that compare every entry with every other.
func square(a []any) int { return times(lengthAt(a, 0), lengthAt(a, 0)) / 16 }

func product(a []any) int { return times(lengthAt(a, 0), len(a)) / 16 }

// printfSize takes the longest argument for every verb, and refuses a width that
// nobody means.
func printfSize(a []any) int {
	format, longest := textAt(a, 0), 64
	for _, arg := range a[min(1, len(a)):] {
		longest = max(longest, len(textOf(arg)))
		if n, ok := convert(arg, reflect.TypeFor[int]()); ok && strings.Contains(format, "*") && (n.Int() > maxWidth || n.Int() < -maxWidth) {
			return math.MaxInt32
		}
	}
	number, widths := 0, 0
	for _, c := range []byte(format) {
		if c < '0' || c > '9' {
			number = 0
			continue
		}
		if number = number*10 + int(c-'0'); number > maxWidth {
			return math.MaxInt32
		}
		widths = max(widths, number)
	}
	if strings.Contains(format, "*") {
		widths = maxWidth
	}
	return times(strings.Count(format, "%"), longest+widths) + len(format)
}

// maxWidth bounds the numbers in a format.
const maxWidth = 10_000
