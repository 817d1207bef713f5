// SPDX-License-Identifier: Apache-2.0

package regex

// Unicode mode refuses what has no meaning, where the older grammar of annex B
// lets it stand for itself. The contract is Unicode mode, but its vectors want
// a few of those older spellings, and they win (spec section 5): a ] or } that
// closes nothing, as after [[:alpha:]], which the parser takes for itself, and
// the escapes in legacyEscapes. Everything else is an error here too, so that a
// pattern written for another language is found out and not read as text.

// legacyEscapes are the escapes beyond Unicode mode. Each stands for the
// character after the backslash.
var legacyEscapes = map[rune]struct {
	then     rune // the character that must come next, 0 for any
	outsider bool // not in a class, where no vector and no other engine has it
}{
	// Marks that need no escape, but often are given one.
	'-': {outsider: true}, ',': {}, '!': {}, '&': {}, '`': {},
	'_': {}, '#': {}, '@': {}, ' ': {}, '~': {}, '%': {}, ':': {}, '"': {}, '\'': {}, ';': {}, '=': {},
	'<': {outsider: true}, '>': {outsider: true},

	// Anchors and a property of other languages. Here they are text.
	'A': {outsider: true}, 'z': {outsider: true},
	'p': {then: 'L', outsider: true},
}

// legacyEscape reports whether the character that comes next, after a
// backslash, is one of legacyEscapes, and notes it if so.
func (p *parser) legacyEscape(inClass bool) bool {
	e, known := legacyEscapes[p.peek()]
	switch {
	case !known, e.outsider && inClass:
		return false
	case e.then != 0 && (p.at+1 >= len(p.src) || p.src[p.at+1] != e.then):
		return false
	}
	p.note(Legacy)
	return true
}
