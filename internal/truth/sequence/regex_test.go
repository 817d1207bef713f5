// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"regexp"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRegexDialect(t *testing.T) {
	for _, tt := range []struct {
		name, pattern, text string
		want                bool
	}{
		{"it searches anywhere", "b", "abc", true},
		{"an anchor is an anchor", "^b", "abc", false},
		{"$ is the end of the text", "a$", "a\n", false},
		{"a digit of any script", `^\d$`, "٣", true},
		{"no digit", `^\D$`, "٣", false},
		{"a letter of any script", `^\w+$`, "été_1", true},
		{"a joiner is of a word", `^\w$`, "\u200d", true},
		{"a circled letter is alphabetic", `^\w$`, "Ⓐ", true},
		{"no word", `^\W$`, "é", false},
		{"any white space", `^\s\s\s$`, "\u2003\u0085\v", true},
		{"no white space", `^\S$`, "\u00a0", false},
		{"in brackets", `^[\d.]+$`, "٣.3", true},
		{"in brackets, before a dash", `^[\w-]+$`, "é-", true},
		{"in brackets, a dash is no range", `^[\s-a]+$`, " -a", true},
		{"a negation in brackets", `^[\W\d]+$`, "3-٣", true},
		{"a negation in brackets leaves letters out", `[\W\d]`, "é", false},
		{"a negated bracket", `^[^\w]$`, "é", false},
		{"a negated bracket with a negation", `^[^\W]$`, "é", true},
		{"no space in brackets", `^[\S]$`, "\u2003", false},
		{"no space, or that one", `^[\S ]+$`, "a b", true},
		{"case folding goes on", `(?i)^[\W]$`, "K", false},
		{"quoted text is no class", `^\Q\d\E$`, `\d`, true},
		{"quoted to the end", `^\Q\w[`, `\w[`, true},
		{"behind quoted text", `^\Q[\E\d$`, "[٣", true},
		{"an escaped backslash is no class", `^\\d$`, `\d`, true},
		{"an escaped bracket opens none", `^\[\d]$`, "[٣]", true},
		{"a bracket that comes first is a member", `^[]\d]+$`, "]٣", true},
		{"or first behind the caret", `^[^]\d]$`, "٣", false},
		{"a named class stays ASCII", `^[[:alpha:]\d]+$`, "a٣", true},
		{"and ends at its own bracket", `^[[:alpha:]]\d$`, "a٣", true},
		{"a bracket in brackets is a member", `^[[\d]+$`, "[٣", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			re, err := compileRegex(tt.pattern)
			require.NoError(t, err)
			assert.Equal(t, tt.want, re.MatchString(tt.text))
		})
	}
}

func TestWhatIsNoRegexIsRefused(t *testing.T) {
	for _, pattern := range []string{
		"(?=a)", `(a)\1`, `\Z`, "*", `\`, "[a", "(a", "a{1001}", "(?:a{1000}){1000}", `\x4`, `[a-\d]`, `[\d`, "(?u:a)", `\pX`, "\xff",
	} {
		_, err := compileRegex(pattern)
		assert.Error(t, err, pattern)
	}
}

// TestPerlClassesAreUnicodeEverywhere looks at every rune where a class could
// begin or end, in each place where the class can stand.
func TestPerlClassesAreUnicodeEverywhere(t *testing.T) {
	digit := func(r rune) bool { return unicode.Is(unicode.Nd, r) }
	for class, in := range map[string]func(rune) bool{`\d`: digit, `\s`: isSpace, `\w`: isWord} {
		negated := map[string]string{`\d`: `\D`, `\s`: `\S`, `\w`: `\W`}[class]
		var yes, no []*regexp.Regexp
		for _, form := range []string{"^%$", "^[%]$", "^[%%]$", "(?i)^%$", "(?i)^[%]$"} {
			yes = append(yes, regexOf(t, form, class))
			no = append(no, regexOf(t, form, negated))
		}
		no = append(no, regexOf(t, "^[^%]$", class))
		yes = append(yes, regexOf(t, "^[^%]$", negated))
		for _, r := range edges(in) {
			for i := range yes {
				if yes[i].MatchString(string(r)) != in(r) || no[i].MatchString(string(r)) == in(r) {
					t.Fatalf("%s or %s on %U: %s, %s", class, negated, r, yes[i], no[i])
				}
			}
		}
	}
}

func regexOf(t *testing.T, form, class string) *regexp.Regexp {
	t.Helper()
	re, err := compileRegex(regexp.MustCompile("%").ReplaceAllLiteralString(form, class))
	require.NoError(t, err)
	return re
}

// edges returns the runes of ASCII, and each two neighbors of which one is in
// and the other is not.
func edges(in func(rune) bool) (runes []rune) {
	for r := range rune(0x80) {
		runes = append(runes, r)
	}
	was := in(0x7f)
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		is := in(r)
		if is != was {
			runes = append(runes, r-1, r)
		}
		was = is
	}
	return slices.DeleteFunc(runes, func(r rune) bool { return !utf8.ValidRune(r) })
}
