// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The longest name and label of DNS.
const (
	maxHost  = 253
	maxLabel = 63
)

// isHostname reports whether s is a host name of RFC 1123. A label that stands
// for one in Unicode must stand for a good one.
func isHostname(s string) bool {
	if len(s) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !asciiLabel(label) {
			return false
		}
	}
	return true
}

func asciiLabel(s string) bool {
	if s == "" || len(s) > maxLabel || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	if len(s) < 4 || s[2:4] != "--" {
		return true
	}
	encoded, ok := strings.CutPrefix(s, "xn--")
	if !ok {
		return false
	}
	decoded, ok := fromPunycode(encoded)
	return ok && !isASCII(decoded) && unicodeLabel(decoded) && toPunycode(decoded) == encoded
}

func isASCII(s []rune) bool {
	for _, r := range s {
		if r > unicode.MaxASCII {
			return false
		}
	}
	return true
}

// dots are what separates labels in an internationalized name.
var dots = strings.NewReplacer("。", ".", "．", ".", "｡", ".")

// isIDNHostname reports whether s is an internationalized host name. It maps
// s as users type it, then asks of each label what RFC 5892 does, save for its
// rarest rules.
func isIDNHostname(s string) bool {
	length := 0
	for label := range strings.SplitSeq(dots.Replace(s), ".") {
		mapped := mapLabel(label)
		n := len(mapped)
		if isASCII([]rune(mapped)) {
			if !asciiLabel(mapped) {
				return false
			}
		} else {
			runes := []rune(mapped)
			n = len("xn--") + len(toPunycode(runes))
			if n > maxLabel || !unicodeLabel(runes) {
				return false
			}
		}
		length += n + 1
	}
	return length-1 <= maxHost
}

// mapLabel folds case and compatibility forms, and drops what is invisible.
func mapLabel(s string) string {
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case r == 0xAD || r == 0x200B || r == 0x2060 || r == 0xFEFF || r >= 0xFE00 && r <= 0xFE0F:
			return -1
		case r == 'ς' || r == 'ß':
			return r
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(s)))
}

// unicodeLabel reports whether a label that is not all ASCII is one.
func unicodeLabel(s []rune) bool {
	if s[0] == '-' || s[len(s)-1] == '-' || len(s) > 3 && s[2] == '-' && s[3] == '-' || unicode.Is(unicode.M, s[0]) {
		return false
	}
	for i, r := range s {
		if !labelRune(s, i, r) {
			return false
		}
	}
	return string(s) == norm.NFC.String(string(s)) && rightToLeft(s)
}

// labelRune reports whether r may be at i of the label s.
func labelRune(s []rune, i int, r rune) bool {
	before, after := rune(-1), rune(-1)
	if i > 0 {
		before = s[i-1]
	}
	if i+1 < len(s) {
		after = s[i+1]
	}
	switch r {
	case '-', '〇', 0x06FD, 0x06FE, 0x0F0B:
		return true
	case 0x00B7: // middle dot, as in Catalan
		return before == 'l' && after == 'l'
	case 0x0375: // Greek numeral sign
		return unicode.Is(unicode.Greek, after)
	case 0x05F3, 0x05F4: // Hebrew punctuation
		return unicode.Is(unicode.Hebrew, before)
	case 0x30FB: // Katakana middle dot
		return hasScript(s, unicode.Hiragana, unicode.Katakana, unicode.Han)
	case 0x200C, 0x200D: // joiners
		return virama(before)
	case 0x0640, 0x07FA, 0x302E, 0x302F, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303B:
		return false
	}
	return unicode.In(r, unicode.Ll, unicode.Lo, unicode.Lm, unicode.Mn, unicode.Mc, unicode.Nd)
}

func hasScript(s []rune, scripts ...*unicode.RangeTable) bool {
	for _, r := range s {
		if r != 0x30FB && unicode.In(r, scripts...) {
			return true
		}
	}
	return false
}

// virama reports whether r joins consonants in an Indic script.
func virama(r rune) bool {
	switch r {
	case 0x094D, 0x09CD, 0x0A4D, 0x0ACD, 0x0B4D, 0x0BCD, 0x0C4D, 0x0CCD, 0x0D4D, 0x0DCA, 0x0E3A, 0x0F84, 0x1039, 0x17D2:
		return true
	}
	return false
}

// rightToLeft reports whether a label with a letter that is written from right
// to left begins with one and has no others, as RFC 5893 asks; digits of such
// a script do not stand alone.
func rightToLeft(s []rune) bool {
	scripts := []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko}
	right, left, foreignDigits := false, false, false
	for _, r := range s {
		arabicDigit := r >= 0x0660 && r <= 0x0669
		foreignDigits = foreignDigits || arabicDigit
		switch {
		case arabicDigit || unicode.Is(unicode.M, r):
		case unicode.In(r, scripts...) && unicode.IsLetter(r):
			right = true
		case unicode.IsLetter(r):
			left = true
		}
	}
	if !right {
		return !foreignDigits
	}
	return !left && unicode.In(s[0], scripts...) && unicode.IsLetter(s[0])
}
