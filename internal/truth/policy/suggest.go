// SPDX-License-Identifier: Apache-2.0

package policy

import "strings"

// maxSuggest is the length of a name beyond which it is no misspelling.
const maxSuggest = 64

// nearest returns the known name that a misspelled one most likely meant, or
// false when none is near enough to be worth naming.
func nearest(name string, known []string) (string, bool) {
	if len(name) > maxSuggest {
		return "", false
	}
	best, distance := "", len(name)/3+1
	for _, k := range known {
		d := editDistance(strings.ToLower(name), strings.ToLower(k))
		if len(name) > 3 && (strings.HasPrefix(k, name) || strings.HasPrefix(name, k)) {
			d = min(d, 1)
		}
		if d < distance || d == distance && best == "" {
			best, distance = k, d
		}
	}
	return best, best != ""
}

// editDistance is how many letters must be put in, taken out, changed or
// swapped with their neighbor to make b out of a.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
