// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// A shape is a pattern apart: what may come around its inner text.
type shape struct {
	inner          string
	before, behind bool
}

func shapeOf(p policy.Pattern) shape {
	text := p.String()
	inner := strings.TrimLeft(text, "*")
	s := shape{before: len(inner) < len(text)}
	s.inner = strings.TrimRight(inner, "*")
	s.behind = len(s.inner) < len(inner)
	return s
}

func (s shape) exact() bool { return !s.before && !s.behind }

func (s shape) all() bool { return s.inner == "" && !s.exact() }

// match reports whether a name fits.
func (s shape) match(name string) bool {
	switch {
	case s.before && s.behind:
		return strings.Contains(name, s.inner)
	case s.before:
		return strings.HasSuffix(name, s.inner)
	case s.behind:
		return strings.HasPrefix(name, s.inner)
	}
	return name == s.inner
}

// covers reports whether every name that fits of fits s.
func (s shape) covers(of shape) bool {
	switch {
	case s.all():
		return true
	case of.exact():
		return s.match(of.inner)
	case s.exact():
		return false
	case s.before && s.behind:
		return strings.Contains(of.inner, s.inner)
	case s.behind:
		return !of.before && strings.HasPrefix(of.inner, s.inner)
	}
	return !of.behind && strings.HasSuffix(of.inner, s.inner)
}

// meets reports whether some name fits both.
func (s shape) meets(other shape) bool {
	switch {
	case s.exact():
		return other.match(s.inner)
	case other.exact():
		return s.match(other.inner)
	case !s.before && !other.before:
		return strings.HasPrefix(s.inner, other.inner) || strings.HasPrefix(other.inner, s.inner)
	case !s.behind && !other.behind:
		return strings.HasSuffix(s.inner, other.inner) || strings.HasSuffix(other.inner, s.inner)
	}
	return true // one after the other, they make a name
}
