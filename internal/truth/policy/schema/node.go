// SPDX-License-Identifier: Apache-2.0

package schema

import "github.com/tool-decision-truth/collector/internal/truth/canon"

// kinds is the number of canon's kinds.
const kinds = int(canon.KindObject) + 1

// A node is one compiled schema.
type node struct {
	location string // JSON pointer into the declared schema
	resource *resource
	never    bool // the schema false
	leaf     bool // it applies no other schema
	types    typeSet
	rules    [kinds][]boundRule

	inPlace   []*node // what is applied to the value that the node is applied to
	recurring bool    // the node can come upon itself for the same value
	tracks    bool    // a rule asks which members or elements were evaluated
}

// A boundRule is a rule under its keyword.
type boundRule struct {
	keyword string
	rule    rule
}

// A rule is one keyword, or some that belong together, of one schema.
type rule interface {
	// holds reports whether v keeps to the rule. Unless ev is nil, it marks in ev
	// the members or elements of v that the rule evaluated.
	holds(c *checker, v value, ev *evaluated) bool
}

// An explainer is a rule that can say where below it a value breaks it. A rule
// that is none is broken where it stands.
type explainer interface {
	explain(c *checker, v value, r *report)
}

// add gives n a rule for values of the kinds given; none means all.
func (n *node) add(keyword string, r rule, of ...canon.Kind) {
	if len(of) == 0 {
		for k := range n.rules {
			of = append(of, canon.Kind(k))
		}
	}
	for _, k := range of {
		n.rules[k] = append(n.rules[k], boundRule{keyword, r})
	}
}

// close ends the compilation of n.
func (n *node) close() {
	n.leaf = !n.never
	for _, rules := range n.rules {
		for _, b := range rules {
			switch b.rule.(type) {
			case *enumRule, *rangeRule, *multipleRule, *lengthRule, *patternRule, *textRule, *sizeRule, uniqueRule:
			default:
				n.leaf = false
			}
		}
	}
}

// apply notes that sub is applied to the same value as n.
func (n *node) apply(subs ...*node) {
	for _, sub := range subs {
		if sub != nil {
			n.inPlace = append(n.inPlace, sub)
		}
	}
}

// An evaluated is a set of members or elements of one value, by index.
type evaluated struct{ bits []uint64 }

// mark adds i. A nil set takes no notice.
func (e *evaluated) mark(i int) {
	if e == nil {
		return
	}
	for len(e.bits) <= i/64 {
		e.bits = append(e.bits, 0)
	}
	e.bits[i/64] |= 1 << (i % 64)
}

func (e *evaluated) has(i int) bool {
	return i/64 < len(e.bits) && e.bits[i/64]&(1<<(i%64)) != 0
}

// merge adds all of other.
func (e *evaluated) merge(other *evaluated) {
	if e == nil || other == nil {
		return
	}
	for len(e.bits) < len(other.bits) {
		e.bits = append(e.bits, 0)
	}
	for i, word := range other.bits {
		e.bits[i] |= word
	}
}

// fresh returns an empty set if e is wanted, and nil if it is not.
func (e *evaluated) fresh() *evaluated {
	if e == nil {
		return nil
	}
	return &evaluated{}
}
