// Package template evaluates Go text templates on data that nobody trusts.
//
// It guarantees:
//
//   - Equal input gives equal output. No function looks at a clock, chance, the
//     environment, the network or the disk, and maps are walked in the order of
//     their keys. A function that would is a mistake that says why.
//   - A rendering ends, within maxWork, and so does all it makes, within maxValue,
//     maxList and maxOutput: loops, recursion and functions are metered.
//   - Data is never template text: what an action prints becomes a token, the
//     rendered YAML is parsed with its tokens, and only then values take their
//     places (Output.Documents). A value can fill a scalar, a part of one or a key;
//     what `toYaml` and `toJson` return fills a node. Output.Text is what text
//     substitution makes of the same rendering.
//   - Every mistake has the line and column in the template (Mistake).
//
// The functions are those of text/template, the hermetic ones of slim-sprig,
// toYaml, fromYaml, their kin (library.go), and slugify.
package template

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// maxText bounds a template, in bytes.
const maxText = 1 << 20

// Delimiters are what actions stand between.
type Delimiters struct{ Left, Right string }

// The delimiters of Go, and those of Flux's ResourceSets.
var (
	Braces = Delimiters{"{{", "}}"}
	Angles = Delimiters{"<<", ">>"}
)

// Template is a parsed template. It is not safe for concurrent use.
type Template struct {
	text    string
	delims  Delimiters
	actions []action
	// functions are the names of all that it calls.
	functions map[string]bool
	run       *run
	root      *template.Template
	marks     marks
	// parsed are the documents of renderings seen before, with their tokens: most
	// inputs take the same way through a template.
	parsed      map[string]parsed
	parsedBytes int
}

// action is a place of a template that prints, as an offset.
type action int

// rootName is a name that nobody gives to a template of his own.
const rootName = "(root)"

// Parse parses a template. funcs are further functions by name; `inputs` and the
// like. They return one value, or one and an error, and what they return is data.
func Parse(text string, delims Delimiters, funcs map[string]any) (*Template, *Mistake) {
	t := &Template{text: text, delims: delims, run: &run{}, parsed: map[string]parsed{}}
	if len(text) > maxText {
		return nil, t.mistake("template-limit", 0, "", "the template has %d bytes, %d are allowed", len(text), maxText)
	}
	library := newLibrary(t.run)
	for name, fn := range funcs {
		library[name] = fromOutside(fn)
	}
	trees := map[string]*parse.Tree{}
	tree := parse.New(rootName)
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, delims.Left, delims.Right, trees); err != nil {
		return nil, t.syntaxMistake(err)
	}
	trees[rootName] = tree // an empty template is in no set
	w := rewriter{template: t, known: library, names: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		w.tree(trees[name])
	}
	if w.mistake != nil {
		return nil, w.mistake
	}
	t.functions = w.names
	t.marks = newMarks(text + w.literals.String())
	t.root = template.New(rootName).Option("missingkey=error").Funcs(t.run.funcs(library))
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		if _, err := t.root.AddParseTree(name, trees[name]); err != nil {
			return nil, t.syntaxMistake(err)
		}
	}
	return t, nil
}

// Execute renders the template; data is what `.` is.
func (t *Template) Execute(data any) (*Output, *Mistake) {
	*t.run = run{marks: t.marks}
	if err := t.root.Execute(t.run, data); err != nil {
		return nil, t.executionMistake(err)
	}
	return &Output{template: t, skeleton: t.run.skeleton.String(), tokens: t.run.tokens}, nil
}

// Calls tells whether the template has a call of the function.
func (t *Template) Calls(function string) bool { return t.functions[function] }

// marks are what the number of a token stands between: two characters for private
// use that the template does not have.
type marks struct{ open, close string }

func newMarks(text string) marks {
	var free []string
	for r := rune(0xe000); len(free) < 2; r++ {
		if !strings.ContainsRune(text, r) {
			free = append(free, string(r))
		}
	}
	return marks{free[0], free[1]}
}

func (m marks) token(i int) string { return m.open + strconv.Itoa(i) + m.close }

// Values turns a node into what templates work on: maps, lists, strings, booleans,
// int64, uint64 and float64. The error says what does not fit.
func Values(n *krm.Node) (any, error) { return valueOf(n) }
