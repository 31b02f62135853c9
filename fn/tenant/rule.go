package tenant

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

const (
	// maxExpression bounds the length of an expression, in bytes.
	maxExpression = 4 << 10
	// maxCost bounds one evaluation, in CEL's units: some tenths of a second. A
	// count, not a clock: equal input must give equal output.
	maxCost = 250_000
	// maxCached and maxCachedValue bound what a rule remembers.
	maxCached, maxCachedValue = 10_000, 128
)

// Rule is a compiled CEL predicate over one string variable. The zero Rule
// admits nothing.
type Rule struct{ *compiled }

type compiled struct {
	text     krm.Str
	variable string
	program  cel.Program
	// literals are the values that the expression spells out.
	literals []string

	mutex    sync.Mutex
	verdicts map[string]verdict
}

type verdict struct {
	allowed bool
	err     error
}

// environments are built when the first rule asks for one: a run without rules
// must not pay for them.
var (
	nameEnvironment  = sync.OnceValues(func() (*cel.Env, error) { return newEnvironment("ns") })
	valueEnvironment = sync.OnceValues(func() (*cel.Env, error) { return newEnvironment("value") })
)

// newEnvironment is the standard environment of Flux, without its variables:
// nothing there reads a clock or the outside world.
func newEnvironment(variable string) (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable(variable, cel.StringType),
		ext.Strings(), ext.Sets(), ext.Encoders(),
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
	)
}

func environment(variable string) (*cel.Env, error) {
	switch variable {
	case "ns":
		return nameEnvironment()
	case "value":
		return valueEnvironment()
	}
	return newEnvironment(variable)
}

// ParseRule compiles an expression over `variable`, which must come to a boolean
// (Flux: managedNamespaces.allowedNames, allowedLabels, allowedAnnotations). All
// mistakes are found here, before any file is read, and give their column
// inside the expression.
func ParseRule(s krm.Str, variable string, rep *krm.Report) (Rule, bool) {
	switch {
	case strings.TrimSpace(s.Text) == "":
		rep.Errorf("expression-syntax", s.Pos, "write a rule such as "+example(variable), "the CEL expression is empty")
		return Rule{}, false
	case len(s.Text) > maxExpression:
		rep.Errorf("expression-too-long", s.Pos, "", "the CEL expression has %d bytes, at most %d are allowed: it is too long from %s on",
			len(s.Text), maxExpression, placeIn(s.Text, maxExpression))
		return Rule{}, false
	}
	env, err := environment(variable)
	if err != nil {
		rep.Errorf("expression-syntax", s.Pos, "", "cannot set up CEL: %v", err)
		return Rule{}, false
	}
	ast, program, ok := compile(env, s, variable, rep)
	if !ok {
		return Rule{}, false
	}
	lint(s, variable, ast, rep)
	return Rule{&compiled{text: s, variable: variable, program: program, literals: literals(ast), verdicts: map[string]verdict{}}}, true
}

// compile checks syntax, types, and constant regular expressions.
func compile(env *cel.Env, s krm.Str, variable string, rep *krm.Report) (*cel.Ast, cel.Program, bool) {
	ast, issues := env.Compile(s.Text)
	if issues.Err() != nil {
		reportIssues(s, variable, issues, rep)
		return nil, nil, false
	}
	isBoolean := ast.OutputType().IsExactType(cel.BoolType)
	if !isBoolean {
		start := len(s.Text) - len(strings.TrimLeftFunc(s.Text, unicode.IsSpace))
		rep.Errorf("expression-not-boolean", s.Pos, booleanHint(s.Text, variable),
			"the CEL expression %q must come to a boolean, it comes to a %s, at %s", short(s.Text), ast.OutputType(), placeIn(s.Text, start))
	}
	if !checkPatterns(s, ast, rep) || !isBoolean {
		return nil, nil, false
	}
	program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost))
	if err != nil {
		rep.Errorf("expression-syntax", s.Pos, "", "the CEL expression %q does not compile: %s", short(s.Text), shortError(err))
		return nil, nil, false
	}
	return ast, program, true
}

// reportIssues reports each mistake that the compiler found.
func reportIssues(s krm.Str, variable string, issues *cel.Issues, rep *krm.Report) {
	for _, issue := range issues.Errors() {
		message := strings.TrimSuffix(issue.Message, " (in container '')")
		message = strings.TrimPrefix(message, "Syntax error: ")
		message, _, _ = strings.Cut(message, " expecting ")
		line, column := issue.Location.Line(), issue.Location.Column()
		if issue.ExprID != 0 { // not an error of syntax
			column = functionName(s.Text, line, column)
		}
		rep.Errorf("expression-syntax", s.Pos, issueHint(message, variable),
			"the CEL expression %q does not compile: %s at %s", short(s.Text), krm.Short(message, 256), within(line, column))
	}
}

// within renders a position inside an expression; the column counts from 0.
func within(line, column int) string {
	if line > 1 {
		return fmt.Sprintf("line %d, column %d", line, max(column, 0)+1)
	}
	return fmt.Sprintf("column %d", max(column, 0)+1)
}

// placeIn renders the position of a byte offset.
func placeIn(text string, offset int) string {
	before := text[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return within(strings.Count(before, "\n")+1, utf8.RuneCountInString(before[start:]))
}

// functionName turns the column of a call, which for CEL is its parenthesis,
// into that of the function's name. Columns count from 0, in characters.
func functionName(text string, line, column int) int {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return column
	}
	characters := []rune(lines[line-1])
	if column < 0 || column >= len(characters) || characters[column] != '(' {
		return column
	}
	before := strings.TrimRight(string(characters[:column]), " \t")
	outside := strings.TrimRightFunc(before, func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) })
	if outside == before {
		return column
	}
	return utf8.RuneCountInString(outside)
}

// methods are the functions of strings that people look for.
var methods = []string{
	"contains", "startsWith", "endsWith", "matches", "size", "split", "replace", "substring",
	"lowerAscii", "upperAscii", "trim", "indexOf", "lastIndexOf", "charAt", "join", "all", "exists",
}

// issueHint explains the compiler's message in the words of this product.
func issueHint(message, variable string) string {
	if name, found := strings.CutPrefix(message, "undeclared reference to '"); found {
		name = strings.TrimSuffix(name, "'")
		if near, found := krm.Nearest(name, slices.Concat(methods, []string{variable})); found {
			return fmt.Sprintf("did you mean `%s`?", near)
		}
		return fmt.Sprintf("the only variable here is `%s`, a string; there is no clock", variable)
	}
	switch {
	case strings.HasPrefix(message, "invalid argument to has()"):
		return fmt.Sprintf("`has()` asks for a field; `%s` is always there: leave the `has()` out", variable)
	case strings.Contains(message, "does not support field selection"):
		return fmt.Sprintf("`%s` is a string and has no fields", variable)
	case strings.Contains(message, " input ") || strings.Contains(message, "token recognition") || strings.HasPrefix(message, "reserved identifier"):
		return fmt.Sprintf("a rule is written like %s: text in quotes, `==` to compare, `matches` for patterns; there are no globs", example(variable))
	}
	return ""
}

// example is a rule that people write.
func example(variable string) string {
	if variable == "ns" {
		return "`ns.startsWith(\"tenant-\")`"
	}
	return "`" + variable + " == \"…\"`"
}

func booleanHint(text, variable string) string {
	if bare := strings.Trim(text, `'"`); bare == "true" || bare == "false" {
		return fmt.Sprintf("leave the inner quotes out: `%s`", bare)
	}
	return fmt.Sprintf("write a comparison such as `%s == 'a'` or `%s.startsWith('a')`", variable, variable)
}

// String is the expression as written.
func (r Rule) String() string {
	if r.compiled == nil {
		return ""
	}
	return r.text.Text
}

// Allows evaluates the rule. An error, such as an index out of bounds or too
// costly an evaluation, never comes with true.
func (r Rule) Allows(value string) (bool, error) {
	if r.compiled == nil {
		return false, nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if known, found := r.verdicts[value]; found {
		return known.allowed, known.err
	}
	v := r.evaluate(value)
	if len(r.verdicts) < maxCached && len(value) <= maxCachedValue {
		r.verdicts[value] = v
	}
	return v.allowed, v.err
}

func (c *compiled) evaluate(value string) verdict {
	out, _, err := c.program.Eval(map[string]any{c.variable: value})
	if err != nil {
		return verdict{err: err}
	}
	allowed, isBool := out.Value().(bool)
	if !isBool {
		return verdict{err: fmt.Errorf("the result is a %s", out.Type().TypeName())}
	}
	return verdict{allowed: allowed}
}

// accepted are the values that the expression spells out and admits.
func (r Rule) accepted() []string {
	if r.compiled == nil {
		return nil
	}
	var values []string
	for _, value := range r.literals {
		if allowed, err := r.Allows(value); allowed && err == nil {
			values = append(values, value)
		}
	}
	return values
}
