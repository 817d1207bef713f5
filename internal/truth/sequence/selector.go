// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A selector says which calls an operand means: calls of a set of tools,
// perhaps with arguments that match; or, for a blocklist, calls whose name
// contains a text.
type selector struct {
	names []string // the tools, sorted; none match when it is empty
	args  []argMatch

	byText bool   // a blocklist's pattern, and nothing else
	text   string // which the name must contain
}

// An argMatch is one entry of args_match.
type argMatch struct {
	name    string
	pattern string
	re      *regexp.Regexp // nil where pattern does not compile: it never matches
}

// key returns a text that two selectors share exactly when they mean the same.
func (s *selector) key() string {
	if s.byText {
		return "text " + strconv.Quote(s.text)
	}
	var b strings.Builder
	for _, name := range s.names {
		b.WriteString(strconv.Quote(name))
	}
	for _, a := range s.args {
		b.WriteString(" " + strconv.Quote(a.name) + strconv.Quote(a.pattern))
	}
	return b.String()
}

// means reports whether the selector means the tool called name, arguments
// aside.
func (s *selector) means(name string) bool {
	if s.byText {
		return strings.Contains(name, s.text)
	}
	_, found := slices.BinarySearch(s.names, name)
	return found
}

// matchArgs reports whether every argument that s names, which is at least one,
// is there and matches. What cannot be read never matches (spec section 10):
// that a rule asked for arguments which were not there, a run's record says by a
// caveat.
func (s *selector) matchArgs(c *Call, buf *[]byte) bool {
	if !c.HasArgs || c.Args.Kind() != canon.KindObject {
		return false
	}
	for i := range s.args {
		value, ok := c.Args.Get(s.args[i].name)
		if !ok || !s.args[i].match(value, buf) {
			return false
		}
	}
	return true
}

// match searches the pattern in a string as it is, and in any other value as
// its compact JSON text.
func (a *argMatch) match(value canon.Node, buf *[]byte) bool {
	if a.re == nil {
		return false
	}
	if value.Kind() == canon.KindString {
		return a.re.MatchString(value.Str())
	}
	*buf = appendCompact((*buf)[:0], value)
	return a.re.Match(*buf)
}
