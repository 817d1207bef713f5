// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Of many names only the nearest are told.
const (
	fewNames   = 8
	maxNearest = 3
)

// nearest is the end of a sentence about a name that is not known: all known
// ones where they are few, else those that were likely meant.
func nearest(name string, known []string) string {
	if len(known) <= fewNames {
		return fmt.Sprintf(", known are %q", known)
	}
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, k := range known {
		if d := distance(name, k); d <= len(name)/3+1 {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	near = near[:min(len(near), maxNearest)]
	if len(near) == 0 {
		return ", docs/dialects.md lists all"
	}
	quoted := make([]string, len(near))
	for i := range near {
		quoted[i] = fmt.Sprintf("%q", near[i].name)
	}
	return ", near are " + strings.Join(quoted, ", ") + "; docs/dialects.md lists all"
}

// distance is how far two names are apart, whatever separates their words. A
// name that begins another one is near to it.
func distance(a, b string) int {
	a, b = letters(a), letters(b)
	if a != "" && strings.HasPrefix(b, a) {
		return min(1, len(b)-len(a))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		above := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := above
			if a[i] != b[j] {
				change++
			}
			above = row[j+1]
			row[j+1] = min(row[j]+1, row[j+1]+1, change)
		}
	}
	return row[len(b)]
}

func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}
