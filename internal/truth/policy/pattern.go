// SPDX-License-Identifier: Apache-2.0

package policy

import "strings"

// A Pattern matches tool names, byte by byte (spec section 2). Stars count at
// the ends alone: between other characters a star is a character like any. The
// zero Pattern is the exact empty name.
type Pattern struct {
	text   string
	inner  string
	prefix bool // a star leads: anything may come before inner
	suffix bool // a star trails: anything may come after inner
}

// ParsePattern returns the pattern that s spells. Every text is a pattern.
func ParsePattern(s string) Pattern {
	inner := strings.TrimLeft(s, "*")
	p := Pattern{text: s, prefix: len(inner) < len(s)}
	p.inner = strings.TrimRight(inner, "*")
	p.suffix = len(p.inner) < len(inner)
	return p
}

// Match reports whether name fits p.
func (p Pattern) Match(name string) bool {
	switch {
	case p.prefix && p.suffix:
		return strings.Contains(name, p.inner)
	case p.prefix:
		return strings.HasSuffix(name, p.inner)
	case p.suffix:
		return strings.HasPrefix(name, p.inner)
	}
	return name == p.inner
}

// String returns p as it was written.
func (p Pattern) String() string { return p.text }

// Exact reports whether p matches one name alone, its own text.
func (p Pattern) Exact() bool { return !p.prefix && !p.suffix }

// LiteralStar reports whether p has a star that is not a wildcard. No sane tool
// has such a name: the line was meant to say more than it does.
func (p Pattern) LiteralStar() bool { return strings.Contains(p.inner, "*") }
