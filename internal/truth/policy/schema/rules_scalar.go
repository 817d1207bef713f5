// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"math"
	"unicode/utf8"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A typeSet is the keyword type: a bit for each of canon's kinds, and more. The
// empty set is that of a schema without the keyword, and allows any type.
type typeSet uint16

const (
	integers typeSet = 1 << (kinds + iota) // whole numbers
	strictly                               // draft-04: an integer is written as one, if 64 bits hold it
	typed                                  // the keyword is there
)

// allows reports whether a value of a kind has one of the types.
func (t typeSet) allows(kind canon.Kind, v value) bool {
	if t == 0 || t&(1<<kind) != 0 {
		return true
	}
	if kind != canon.KindNumber || t&integers == 0 {
		return false
	}
	n := numberOf(v.node)
	return n.integer || n.whole() && (t&strictly == 0 || math.Abs(n.float) >= 1<<63)
}

// An enumRule is the keyword enum, and const with one value.
type enumRule struct{ values []*tree.Node }

func (e *enumRule) holds(c *checker, v value, _ *evaluated) bool {
	for _, allowed := range e.values {
		if c.equals(v, allowed) {
			return true
		}
	}
	return false
}

// A rangeRule is the limits of a number; a limit is nil where there is none.
type rangeRule struct {
	minimum, maximum, above, below *number
	node                           *node
}

func (r *rangeRule) holds(_ *checker, v value, _ *evaluated) bool {
	n := numberOf(v.node)
	return (r.minimum == nil || n.compare(*r.minimum) >= 0) &&
		(r.maximum == nil || n.compare(*r.maximum) <= 0) &&
		(r.above == nil || n.compare(*r.above) > 0) &&
		(r.below == nil || n.compare(*r.below) < 0)
}

func (r *rangeRule) explain(_ *checker, v value, out *report) {
	n := numberOf(v.node)
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
	return numberOf(v.node).multipleOf(m.of)
}

// A lengthRule is minLength or maxLength, in characters.
type lengthRule struct{ min, max int }

func (l *lengthRule) holds(c *checker, v value, _ *evaluated) bool {
	s := c.str(v)
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

func (p *patternRule) holds(c *checker, v value, _ *evaluated) bool {
	return p.re.MatchString(c.str(v))
}

// A textRule is format, contentEncoding or contentMediaType.
type textRule struct{ check func(string) bool }

func (t *textRule) holds(c *checker, v value, _ *evaluated) bool { return t.check(c.str(v)) }

// A sizeRule is minItems, maxItems, minProperties or maxProperties.
type sizeRule struct{ min, max int }

func (s *sizeRule) holds(_ *checker, v value, _ *evaluated) bool {
	n := v.node.Len()
	return s.min <= n && n <= s.max
}

// A uniqueRule is uniqueItems: true.
type uniqueRule struct{}

func (uniqueRule) holds(_ *checker, v value, _ *evaluated) bool { return unique(v.node) }
