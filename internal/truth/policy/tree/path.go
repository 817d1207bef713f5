// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"strconv"
	"strings"
)

// maxName bounds how much of one field's name a path repeats.
const maxName = 80

// A Path names a field from the root, as in tools.allow[2]. The zero Path is
// the root. Paths share their beginnings and cost nothing until printed.
type Path struct{ last *step }

type step struct {
	up    *step
	key   string
	index int // -1: the step is key
}

// Key returns the path of a member of p.
func (p Path) Key(name string) Path { return Path{&step{p.last, name, -1}} }

// Index returns the path of an element of p.
func (p Path) Index(i int) Path { return Path{&step{p.last, "", i}} }

// String prints p. A name that is more than letters, digits, dash, dollar and
// underscore is quoted.
func (p Path) String() string {
	var steps []*step
	for s := p.last; s != nil; s = s.up {
		steps = append(steps, s)
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		steps[i].print(&b)
	}
	return b.String()
}

func (s *step) print(b *strings.Builder) {
	switch {
	case s.index >= 0:
		b.WriteString("[" + strconv.Itoa(s.index) + "]")
	case !plainName(s.key):
		b.WriteString("[" + strconv.Quote(clip(s.key)) + "]")
	default:
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.key)
	}
}

// clip shortens a name that would flood a message.
func clip(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "…"
}

func plainName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '$':
		default:
			return false
		}
	}
	return true
}
