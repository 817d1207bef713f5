// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NameFlags say what a tool's name is not what it looks like. They never
// change the name: it is matched byte for byte, and a flagged name is a
// warning beside the verdict.
type NameFlags uint16

// The flags. Append only: the strings are shown to users.
const (
	NameMissing      NameFlags = 1 << iota // the span has no name
	NameWrongType                          // a value stands there that is no string
	NameNotUTF8                            // bytes that are not UTF-8, or what stands for such
	NameControl                            // control characters, line breaks among them, and private ones
	NameBidi                               // characters that change the reading direction
	NameZeroWidth                          // characters that nobody sees
	NameMixedScript                        // letters of alphabets that look alike
	NameNotNFKC                            // another name after compatibility normalization
	NameSpace                              // white space at an end
	NameServerPrefix                       // a server's name stands before the tool's
	NamePlaceholder                        // the emitter's word for having no name
)

var nameFlagNames = [...]string{
	"missing", "wrong_type", "not_utf8", "control", "bidi", "zero_width",
	"mixed_script", "not_nfkc", "space", "server_prefix", "placeholder",
}

// Has reports whether f has all of want.
func (f NameFlags) Has(want NameFlags) bool { return f&want == want }

// Suspicious reports whether the name is built to look like another.
func (f NameFlags) Suspicious() bool {
	return f&(NameNotUTF8|NameControl|NameBidi|NameZeroWidth|NameMixedScript|NameNotNFKC|NameSpace) != 0
}

// Names lists the flags of f.
func (f NameFlags) Names() []string { return bitNames(nameFlagNames[:], uint16(f)) }

// placeholderNames are what emitters write where a tool has no name.
var placeholderNames = map[string]bool{"<not found>": true, "unknown": true, "unknown_tool": true}

// lookAlikes are the alphabets with letters that pass for Latin ones.
var lookAlikes = [...]*unicode.RangeTable{
	unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu,
}

// FlagName says what a careful reader should know about the tool name s.
func FlagName(s string) NameFlags {
	if s == "" {
		return NameMissing
	}
	flags := prefixFlags(s)
	if placeholderNames[s] {
		flags |= NamePlaceholder
	}
	plain := true
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e {
			plain = false
			break
		}
	}
	if plain {
		return flags
	}
	return flags | runeFlags(s)
}

func runeFlags(s string) NameFlags {
	if !utf8.ValidString(s) {
		return NameNotUTF8
	}
	var flags NameFlags
	var scripts uint8
	for _, r := range s {
		flags |= runeFlag(r)
		for i, table := range lookAlikes {
			if unicode.Is(table, r) {
				scripts |= 1 << i
			}
		}
	}
	if scripts&(scripts-1) != 0 {
		flags |= NameMixedScript
	}
	if !norm.NFKC.IsNormalString(s) {
		flags |= NameNotNFKC
	}
	if strings.TrimSpace(s) != s {
		flags |= NameSpace
	}
	return flags
}

func runeFlag(r rune) NameFlags {
	switch {
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return NameBidi
	case r >= 0x200b && r <= 0x200d, r >= 0x2060 && r <= 0x2064, r == 0xfeff, r == 0x00ad, r == 0x180e, r >= 0xe0000 && r <= 0xe007f:
		return NameZeroWidth
	case r > 0x7f && (unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)):
		return NameZeroWidth
	case r == 0x2800, unicode.Is(unicode.Cf, r):
		return NameZeroWidth
	case r == utf8.RuneError:
		return NameNotUTF8
	case unicode.IsControl(r), r == 0x2028, r == 0x2029, unicode.Is(unicode.Co, r):
		return NameControl
	}
	return 0
}

func prefixFlags(s string) NameFlags {
	if rest, ok := strings.CutPrefix(s, "mcp__"); ok && strings.Contains(rest, "__") {
		return NameServerPrefix
	}
	if i := strings.IndexAny(s, "./:"); i > 0 && i < len(s)-1 {
		return NameServerPrefix
	}
	return 0
}
