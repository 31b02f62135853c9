package krm

import "strings"

// Nearest finds the known name that was probably meant by name: the same but
// for case, or at most two edits away (one for names of up to four bytes). The
// lexically first of equally near names wins.
func Nearest(name string, known []string) (string, bool) {
	best, distance := "", 3
	if len(name) <= 4 {
		distance = 2
	}
	found := false
	for _, k := range known {
		d := edits(strings.ToLower(name), strings.ToLower(k), distance)
		if d < distance || found && d == distance && k < best {
			best, distance, found = k, d, true
		}
	}
	return best, found
}

// edits is the Levenshtein distance of two texts in bytes; anything of limit or
// above is reported as limit+1 or more where that is cheaper.
func edits(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
