package krm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity ranks a Finding.
type Severity int

// The severities, lowest first.
const (
	// Info tells something that needs no action.
	Info Severity = iota
	// Warning tells something that is probably not meant.
	Warning
	// Safeguard stops the run until a person confirms, in the configuration,
	// that the outcome is meant. Hosts see it as an error; alone it exits 3.
	Safeguard
	// Error stops the run.
	Error
)

// String returns the KRM result severity: hosts know no safeguard.
func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Safeguard, Error:
		return "error"
	}
	return "error"
}

// Finding is one thing to tell the user.
//
// Message says what is wrong and Hint what to do. Both start in lower case and
// have no full stop; user values are in %q, field names in backquotes; "must",
// never "should"; one finding per mistake.
type Finding struct {
	Severity Severity
	// Code is stable and in kebab-case; each has a row in the README.
	Code    string
	Pos     Pos
	Message string
	Hint    string
	// DeletedBy says who deletes an object that left, as text for machines, "" for
	// findings about anything else.
	DeletedBy string
}

// Report collects findings. It is append-only; Findings sorts, so the order in
// which they were added never shows.
type Report struct {
	findings []Finding
	worst    Severity
	// counts are how often each file shows each mistake. Only the lines of files
	// that hold no object of the platform team's count: what is wrong with fifty
	// tenants can stand at one field of a configuration.
	counts map[mistake]int
	// flood is nil but for a Limited report.
	flood *flood
}

// mistake is what a file can show many times.
type mistake struct {
	severity   Severity
	code, file string
}

// maxPerFile bounds how often one file can show one mistake: a tenant must not
// bury everybody else's findings, nor fill the memory with them.
const maxPerFile = 50

// Errorf adds an error. The hint may be empty.
func (r *Report) Errorf(code string, pos Pos, hint, format string, args ...any) {
	r.add(Error, code, pos, hint, format, args)
}

// Stopf adds a safeguard stop.
func (r *Report) Stopf(code string, pos Pos, hint, format string, args ...any) {
	r.add(Safeguard, code, pos, hint, format, args)
}

// Warnf adds a warning.
func (r *Report) Warnf(code string, pos Pos, hint, format string, args ...any) {
	r.add(Warning, code, pos, hint, format, args)
}

// Infof adds an info.
func (r *Report) Infof(code string, pos Pos, hint, format string, args ...any) {
	r.add(Info, code, pos, hint, format, args)
}

func (r *Report) add(s Severity, code string, pos Pos, hint, format string, args []any) {
	r.insert(Finding{Severity: s, Code: code, Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// Fate adds findings about an object that left.
type Fate struct {
	rep       *Report
	deletedBy string
	pos       Pos
}

// Fate is for an object, and who deletes it.
func (r *Report) Fate(of Identity, deletedBy string) Fate {
	return Fate{r, deletedBy, Pos{Object: of}}
}

// Warnf adds a warning.
func (f Fate) Warnf(code, hint, format string, args ...any) {
	f.rep.insert(Finding{Warning, code, f.pos, fmt.Sprintf(format, args...), hint, f.deletedBy})
}

// Infof adds an info.
func (f Fate) Infof(code, hint, format string, args ...any) {
	f.rep.insert(Finding{Info, code, f.pos, fmt.Sprintf(format, args...), hint, f.deletedBy})
}

func (r *Report) insert(f Finding) {
	r.worst = max(r.worst, f.Severity)
	if r.flood != nil && !r.flood.admits(f) {
		return
	}
	if m := (mistake{f.Severity, f.Code, f.Pos.File}); f.Pos.Line > 0 && f.Pos.Object == (Identity{}) {
		if r.counts == nil {
			r.counts = map[mistake]int{}
		}
		if r.counts[m]++; r.counts[m] > maxPerFile {
			return
		}
	}
	r.findings = append(r.findings, f)
}

// Append adds the findings of another report.
func (r *Report) Append(other *Report) {
	for _, f := range other.findings {
		r.insert(f)
	}
	for _, f := range other.flood.rest() {
		r.insert(f)
	}
}

// Worst is the highest severity so far; Info when nothing was found.
func (r *Report) Worst() Severity { return r.worst }

// Failed tells whether nothing may be emitted.
func (r *Report) Failed() bool { return r.worst >= Safeguard }

// Findings returns all findings, worst first, then by file, position, code and
// message, each once.
func (r *Report) Findings() []Finding {
	sorted := slices.Clone(r.findings)
	slices.SortFunc(sorted, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity),
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Index, b.Pos.Index),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			a.Pos.Object.Compare(b.Pos.Object),
			compareFields(a.Pos.Field, b.Pos.Field),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Hint, b.Hint),
			cmp.Compare(a.DeletedBy, b.DeletedBy),
		)
	})
	return r.sayMore(slices.Compact(sorted))
}

// compareFields orders field paths as people do: `[2]` before `[10]`.
func compareFields(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		if order := cmp.Or(cmp.Compare(x, y), cmp.Compare(a[:x], b[:y])); order != 0 {
			return order
		}
		a, b = a[x:], b[y:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits counts the digits that a text begins with.
func digits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}

// sayMore adds to the last finding of a file and a code how many were left out.
func (r *Report) sayMore(sorted []Finding) []Finding {
	last := map[mistake]int{}
	for i, f := range sorted {
		last[mistake{f.Severity, f.Code, f.Pos.File}] = i
	}
	for m, i := range last {
		if more := r.counts[m] - maxPerFile; more > 0 {
			sorted[i].Message += fmt.Sprintf("; %d more like this in the file", more)
		}
	}
	return sorted
}
