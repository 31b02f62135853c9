package template

import (
	"fmt"
	"strings"
	"text/template"
)

// Limits of one rendering. An administrator's largest template stays far below
// them; a loop over a tenant's number does not.
const (
	// maxWork counts bytes that functions read and write, and stepCost for every
	// node that is evaluated.
	maxWork  = 20_000_000
	stepCost = 20
	// maxValue and maxOutput are bytes: of one value, and of all that is printed.
	maxValue  = 1 << 20
	maxOutput = 4 << 20
	// maxList is how many entries a list or a map that a function makes may have.
	maxList = 100_000
	// maxCalls is how deep `template` may nest, and maxNesting how deep values do.
	maxCalls   = 500
	maxNesting = 100

	maxPrefix = 256
)

// run is one execution of a template, and the writer of it.
type run struct {
	marks    marks
	skeleton strings.Builder
	tokens   []token
	// line is what the last line holds so far, its first maxPrefix bytes.
	line string
	// printed counts the bytes of the text, those of values included.
	printed int
	work    int
	calls   int
	nested  int
	// limit is the limit that was hit; nil is none.
	limit error
}

// funcs are the functions for the interpreter, each behind its meter.
func (r *run) funcs(library map[string]function) template.FuncMap {
	all := template.FuncMap{
		printName:   r.print,
		literalName: func(text string) literal { return literal(text) },
		stepName:    r.step,
		enterName:   r.enter,
		leaveName:   func() string { r.calls--; return "" },
	}
	for name, f := range library {
		all[name] = r.metered(name, f)
	}
	return all
}

func (r *run) stop(format string, args ...any) error {
	if r.limit == nil {
		r.limit = fmt.Errorf(format, args...)
	}
	return r.limit
}

// charge counts work.
func (r *run) charge(units int) error {
	if r.work += units; units < 0 || r.work > maxWork || r.work < 0 {
		return r.stop("the template does not end within the work that is allowed: it loops too often, or makes too much")
	}
	return nil
}

func (r *run) step(nodes int) (string, error) { return "", r.charge(stepCost * (nodes + 1)) }

func (r *run) enter() (string, error) {
	if r.calls++; r.calls > maxCalls {
		return "", r.stop("templates call each other more than %d deep", maxCalls)
	}
	return "", nil
}

// Write takes what the template has between its actions.
func (r *run) Write(text []byte) (int, error) {
	if err := r.raw(string(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// raw appends template text to the skeleton.
func (r *run) raw(text string) error {
	if err := r.output(len(text)); err != nil {
		return err
	}
	r.skeleton.WriteString(text)
	r.mark(text)
	return nil
}

// mark keeps the last line up to date.
func (r *run) mark(text string) {
	if at := strings.LastIndexByte(text, '\n'); at >= 0 {
		r.line, text = "", text[at+1:]
	}
	r.line += text[:min(len(text), maxPrefix-len(r.line))]
}

func (r *run) output(size int) error {
	if r.printed += size; r.printed > maxOutput {
		return r.stop("the template prints more than %d bytes", maxOutput)
	}
	return r.charge(size)
}
