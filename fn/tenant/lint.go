package tenant

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// lint warns about expressions that admit more than it seems.
func lint(s krm.Str, variable string, ast *cel.Ast, rep *krm.Report) {
	root := celast.NavigateAST(ast.NativeRep())
	if root.Kind() == celast.LiteralKind && root.AsLiteral().Value() == true {
		rep.Warnf("expression-always-true", s.Pos, "", "the CEL expression is `true`: every %s is admitted", subject(variable))
	}
	for call := range calls(root) {
		if call.name == operators.LogicalNot {
			continue // an open pattern refuses more there, not less
		}
		pattern, ok := constantPattern(call)
		if !ok || anchored(pattern) {
			continue
		}
		rep.Warnf("expression-unanchored", s.Pos, anchorHint(variable, call.text, pattern),
			"`matches` is true for every text that %s a match of %q, the pattern at %s of the CEL expression",
			reach(pattern), short(call.text), placeOf(ast, call.arg))
	}
}

// placeOf is where an expression stands in the text.
func placeOf(ast *cel.Ast, e celast.NavigableExpr) string {
	start := ast.NativeRep().SourceInfo().GetStartLocation(e.ID())
	return within(start.Line(), start.Column())
}

// checkPatterns reports the constant patterns of `matches` that are none: CEL
// refuses them too, but not before it is asked for a program, and without a
// place.
func checkPatterns(s krm.Str, ast *cel.Ast, rep *krm.Report) bool {
	ok := true
	for _, e := range celast.MatchDescendants(celast.NavigateAST(ast.NativeRep()), celast.FunctionMatcher("matches")) {
		children := e.Children()
		arg := children[len(children)-1]
		text, isText := constant(arg)
		if !isText {
			continue
		}
		if _, err := syntax.Parse(text, syntax.Perl); err != nil {
			ok = false
			rep.Errorf("expression-syntax", s.Pos, "regular expressions follow RE2: no look-around, no back references",
				"the CEL expression %q does not compile: %s at %s", short(s.Text), shortError(err), placeOf(ast, arg))
		}
	}
	return ok
}

func subject(variable string) string {
	if variable == "ns" {
		return "namespace name"
	}
	return "value"
}

// call is a function call in an expression: what it is called on and with. arg
// is the last of its arguments, text what it says when it is a constant string.
type call struct {
	name string
	all  []celast.NavigableExpr
	arg  celast.NavigableExpr
	text string
}

// calls visits the calls of an expression, outside in; not those below a
// negation.
func calls(e celast.NavigableExpr) func(yield func(call) bool) {
	return func(yield func(call) bool) { visitCalls(e, yield) }
}

func visitCalls(e celast.NavigableExpr, yield func(call) bool) bool {
	children := e.Children()
	if e.Kind() == celast.CallKind && len(children) > 0 {
		c := call{name: e.AsCall().FunctionName(), all: children, arg: children[len(children)-1]}
		c.text, _ = constant(c.arg)
		if !yield(c) {
			return false
		}
		if c.name == operators.LogicalNot {
			return true
		}
	}
	for _, child := range children {
		if !visitCalls(child, yield) {
			return false
		}
	}
	return true
}

func constant(e celast.NavigableExpr) (string, bool) {
	if e.Kind() != celast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().Value().(string)
	return text, ok
}

func constantPattern(c call) (*syntax.Regexp, bool) {
	if _, isText := constant(c.arg); c.name != "matches" || !isText {
		return nil, false
	}
	pattern, err := syntax.Parse(c.text, syntax.Perl)
	return pattern, err == nil
}

// anchored tells whether a pattern can match whole texts only: each of its
// alternatives begins with `^` and ends with `$`.
func anchored(re *syntax.Regexp) bool {
	return anchoredAt(re, syntax.OpBeginText, firstOf) && anchoredAt(re, syntax.OpEndText, lastOf)
}

// reach says where in a text a pattern that is not anchored finds a match.
func reach(re *syntax.Regexp) string {
	switch {
	case anchoredAt(re, syntax.OpBeginText, firstOf):
		return "begins with"
	case anchoredAt(re, syntax.OpEndText, lastOf):
		return "ends in"
	}
	return "holds"
}

func firstOf(subs []*syntax.Regexp) *syntax.Regexp { return subs[0] }
func lastOf(subs []*syntax.Regexp) *syntax.Regexp  { return subs[len(subs)-1] }

func anchoredAt(re *syntax.Regexp, anchor syntax.Op, edge func([]*syntax.Regexp) *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpConcat, syntax.OpCapture:
		return anchoredAt(edge(re.Sub), anchor, edge)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !anchoredAt(sub, anchor, edge) })
	default:
		return re.Op == anchor
	}
}

func anchorHint(variable, text string, pattern *syntax.Regexp) string {
	values := spelledOut(pattern)
	list := quotedTexts(values)
	switch {
	case len(list) > maxHint, len(text) > maxHint:
		return "write `^(` in front of the pattern and `)$` behind it"
	case len(values) == 1:
		return fmt.Sprintf("write `%s == %s` for the whole text, `%s.startsWith(%s)` for its beginning", variable, list, variable, list)
	case len(values) > 1:
		return fmt.Sprintf("write `%s in [%s]`", variable, list)
	}
	bare := strings.TrimPrefix(text, "^")
	if cut := strings.TrimSuffix(bare, "$"); !strings.HasSuffix(cut, `\`) {
		bare = cut
	}
	return fmt.Sprintf("write `matches(%s)`", quotedTexts([]string{"^(" + bare + ")$"}))
}

// maxHint bounds what a hint spells out, in bytes.
const maxHint = 400

// quotedTexts are CEL literals, raw ones where that saves escapes.
func quotedTexts(texts []string) string {
	var quoted []string
	for _, text := range texts {
		switch {
		case strings.ContainsFunc(text, unicode.IsControl), strings.Contains(text, "'"):
			text = strconv.Quote(text)
		case strings.Contains(text, `\`):
			text = "r'" + text + "'"
		default:
			text = "'" + text + "'"
		}
		quoted = append(quoted, text)
	}
	return strings.Join(quoted, ", ")
}

// literals are the texts that an expression compares its variable with: in a
// list, with `==`, and the alternatives of an anchored pattern.
func literals(ast *cel.Ast) []string {
	var values []string
	for call := range calls(celast.NavigateAST(ast.NativeRep())) {
		switch call.name {
		case operators.Equals:
			values = append(values, constants(call.all)...)
		case operators.In:
			values = append(values, constants(call.arg.Children())...)
		case "matches":
			if pattern, ok := constantPattern(call); ok && anchored(pattern) {
				values = append(values, spelledOut(pattern)...)
			}
		}
	}
	return values
}

func constants(expressions []celast.NavigableExpr) []string {
	var values []string
	for _, e := range expressions {
		if text, ok := constant(e); ok {
			values = append(values, text)
		}
	}
	return values
}

// maxSpelledOut bounds the values of a pattern that are worth listing.
const maxSpelledOut = 64

// spelledOut lists the texts that a pattern stands for, nil when there are
// many or no end of them. Anchors do not count.
func spelledOut(re *syntax.Regexp) []string {
	var values []string
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			values = []string{string(re.Rune)}
		}
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText:
		values = []string{""}
	case syntax.OpCapture:
		values = spelledOut(re.Sub[0])
	case syntax.OpQuest:
		if some := spelledOut(re.Sub[0]); some != nil {
			values = append(some, "")
		}
	case syntax.OpCharClass:
		values = characters(re.Rune)
	case syntax.OpAlternate:
		values = alternatives(re.Sub)
	case syntax.OpConcat:
		values = products(re.Sub)
	default:
		return nil
	}
	if len(values) > maxSpelledOut {
		return nil
	}
	return values
}

// characters lists a class, which is given as pairs of first and last.
func characters(ranges []rune) []string {
	var values []string
	for i := 0; i+1 < len(ranges); i += 2 {
		if int(ranges[i+1]-ranges[i]) > maxSpelledOut {
			return nil
		}
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			values = append(values, string(c))
		}
	}
	return values
}

func alternatives(subs []*syntax.Regexp) []string {
	var values []string
	for _, sub := range subs {
		some := spelledOut(sub)
		if some == nil {
			return nil
		}
		values = append(values, some...)
	}
	return values
}

func products(subs []*syntax.Regexp) []string {
	values := []string{""}
	for _, sub := range subs {
		some := spelledOut(sub)
		if some == nil || len(some)*len(values) > maxSpelledOut {
			return nil
		}
		var next []string
		for _, head := range values {
			for _, tail := range some {
				next = append(next, head+tail)
			}
		}
		values = next
	}
	return values
}
