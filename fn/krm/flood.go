package krm

import "fmt"

// flood bounds how often one mistake is reported of the things that belong
// together: a directory of 200,000 links must not fill the output with them.
type flood struct {
	most  int
	where func(Pos) string
	seen  map[kindOfMistake]*repeated
}

// kindOfMistake is what is counted.
type kindOfMistake struct {
	severity    Severity
	code, where string
}

// repeated is the last finding that was kept and how many there are.
type repeated struct {
	last  Finding
	count int
}

// Limited returns a report that keeps the first findings of each severity and code
// in each place, at most so many, and counts the rest. Append hands over what it
// kept, and for each place one finding more that says how many were left out.
// where names the place of a finding, as in `7 more like this in <place>`.
func Limited(most int, where func(Pos) string) *Report {
	return &Report{flood: &flood{most, where, map[kindOfMistake]*repeated{}}}
}

// admits counts a finding and tells whether it is kept.
func (l *flood) admits(f Finding) bool {
	key := kindOfMistake{f.Severity, f.Code, l.where(f.Pos)}
	r := l.seen[key]
	if r == nil {
		r = &repeated{}
		l.seen[key] = r
	}
	r.count++
	if r.count > l.most {
		return false
	}
	r.last = f
	return true
}

// rest are the findings that stand for those that were left out. Their order does
// not matter: findings are sorted.
func (l *flood) rest() []Finding {
	if l == nil {
		return nil
	}
	var rest []Finding
	for key, r := range l.seen {
		if more := r.count - l.most; more > 0 {
			f := r.last
			f.Message, f.Hint = fmt.Sprintf("%d more like this in %s", more, key.where), ""
			rest = append(rest, f)
		}
	}
	return rest
}
