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

// edits counts the bytes to insert, delete or replace, and the neighbours to
// swap, that make a into b (optimal string alignment); anything of limit or
// above is reported as limit+1 or more where that is cheaper.
func edits(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	// Row i holds the distances of a[:i] to every beginning of b.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
