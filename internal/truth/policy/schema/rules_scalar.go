// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A typeRule is the keyword type.
type typeRule struct {
	kinds   [kinds]bool
	integer bool // integers, where kinds has no numbers
	strict  bool // draft-04: an integer is written as one, if 64 bits hold it
}

func (t *typeRule) allows(kind canon.Kind, v value) bool {
	if t.kinds[kind] || kind != canon.KindNumber || !t.integer {
		return t.kinds[kind]
	}
	n := parseNumber(v.node.Number())
	return n.integer || n.whole() && (!t.strict || math.Abs(n.float) >= 1<<63)
}

// An enumRule is the keyword enum, and const with one value.
type enumRule struct{ values []*tree.Node }

func (e *enumRule) holds(_ *checker, v value, _ *evaluated) bool {
	return slices.ContainsFunc(e.values, v.equals)
}

// A rangeRule is the limits of a number; a limit is nil where there is none.
type rangeRule struct {
	minimum, maximum, above, below *number
	node                           *node
}

func (r *rangeRule) holds(_ *checker, v value, _ *evaluated) bool {
	n := parseNumber(v.node.Number())
	return (r.minimum == nil || n.compare(*r.minimum) >= 0) &&
		(r.maximum == nil || n.compare(*r.maximum) <= 0) &&
		(r.above == nil || n.compare(*r.above) > 0) &&
		(r.below == nil || n.compare(*r.below) < 0)
}

func (r *rangeRule) explain(_ *checker, v value, out *report) {
	n := parseNumber(v.node.Number())
	for _, limit := range []struct {
		broken  bool
		keyword string
	}{
		{r.minimum != nil && n.compare(*r.minimum) < 0, "minimum"},
		{r.maximum != nil && n.compare(*r.maximum) > 0, "maximum"},
		{r.above != nil && n.compare(*r.above) <= 0, "exclusiveMinimum"},
		{r.below != nil && n.compare(*r.below) >= 0, "exclusiveMaximum"},
	} {
		if limit.broken {
			out.add(r.node.location+"/"+limit.keyword, limit.keyword)
		}
	}
}

// A multipleRule is the keyword multipleOf.
type multipleRule struct{ of number }

func (m *multipleRule) holds(_ *checker, v value, _ *evaluated) bool {
	return parseNumber(v.node.Number()).multipleOf(m.of)
}

// A lengthRule is minLength or maxLength, in characters.
type lengthRule struct{ min, max int }

func (l *lengthRule) holds(_ *checker, v value, _ *evaluated) bool {
	s := v.str()
	if len(s) < l.min {
		return false
	}
	if l.min == 0 && len(s) <= l.max {
		return true
	}
	n := utf8.RuneCountInString(s)
	return l.min <= n && n <= l.max
}

// A patternRule is the keyword pattern.
type patternRule struct{ re *regex.Regexp }

func (p *patternRule) holds(_ *checker, v value, _ *evaluated) bool {
	return p.re.MatchString(v.str())
}

// A textRule is format, contentEncoding or contentMediaType.
type textRule struct{ check func(string) bool }

func (t *textRule) holds(_ *checker, v value, _ *evaluated) bool { return t.check(v.str()) }

// A sizeRule is minItems, maxItems, minProperties or maxProperties.
type sizeRule struct{ min, max int }

func (s *sizeRule) holds(_ *checker, v value, _ *evaluated) bool {
	n := v.node.Len()
	return s.min <= n && n <= s.max
}

// A uniqueRule is uniqueItems: true.
type uniqueRule struct{}

func (uniqueRule) holds(_ *checker, v value, _ *evaluated) bool { return unique(v.node) }
