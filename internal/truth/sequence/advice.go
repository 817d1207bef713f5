// SPDX-License-Identifier: Apache-2.0

package sequence

import "strings"

// advice says what an unknown name should have been: the known name that is
// closest, or when none is close enough to be what was meant, all of them.
func advice(name string, known []string) string {
	best, nearest := len(name)/2+1, ""
	for _, k := range known {
		if d := distance(strings.ToLower(name), k); d < best {
			best, nearest = d, k
		}
	}
	if nearest != "" {
		return "did you mean " + nearest + "?"
	}
	return "known are " + strings.Join(known, ", ")
}

// distance is the number of insertions, deletions and substitutions of bytes
// that lead from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
