// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"
	"strconv"
	"strings"
)

// Reasons appends the decision's reason codes to dst, sorted and without
// repetition. A match has none.
func (d *Decision) Reasons(dst []string) []string {
	from := len(dst)
	for i := range d.Findings {
		if r := d.Findings[i].Reason; r != NoReason {
			dst = append(dst, string(r))
		}
	}
	slices.Sort(dst[from:])
	return slices.Compact(dst)
}

// Explanation says the verdict and its reasons in one sentence, worst first.
// It names declared lines and schema locations, never an observed value.
func (d *Decision) Explanation() string {
	if d.Verdict == Match {
		return "Every constraint that applies was checked and held."
	}
	var b strings.Builder
	for v := Invalid; v > Match; v-- {
		for i := range d.Findings {
			if f := &d.Findings[i]; f.Verdict == v {
				f.appendClause(&b)
			}
		}
	}
	b.WriteByte('.')
	return b.String()
}

func (f *Finding) appendClause(b *strings.Builder) {
	text := f.Reason.Text()
	switch {
	case f.Reason == NoReason:
		return // an axis of a call that was not judged has nothing to say
	case text == "":
		text = "this axis did not match"
	}
	if b.Len() == 0 {
		text = strings.ToUpper(text[:1]) + text[1:]
	} else {
		b.WriteString("; ")
	}
	b.WriteString(text)
	if f.Rule != nil {
		b.WriteString(" (" + f.Rule.Field + "[" + strconv.Itoa(f.Rule.Index) + "])")
	}
	if f.Keyword != "" {
		b.WriteString(" (" + f.Keyword + " at " + orRoot(f.Location) + ")")
	}
}

func orRoot(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return pointer
}
