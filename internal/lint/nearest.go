// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"maps"
	"slices"
	"strings"
)

// nearestKeyword returns the keyword of the dialect that a misspelled one most
// likely meant, or "" when none is near.
func nearestKeyword(key string, d draft) string {
	best, distance := "", len(key)/4+2
	for _, known := range slices.Sorted(maps.Keys(keywords)) {
		if !keywords[known].drafts.has(d) {
			continue
		}
		if n := editDistance(strings.ToLower(key), strings.ToLower(known)); n < distance {
			best, distance = known, n
		}
	}
	return best
}

// editDistance is how many letters must be put in, taken out or changed to make
// b out of a.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j]+1, row[j+1]+1, change)
		}
	}
	return row[len(b)]
}
