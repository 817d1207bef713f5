// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mustCompile(t testing.TB, pattern string) *Regexp {
	t.Helper()
	re, err := Compile(pattern, Properties{})
	require.NoError(t, err, pattern)
	return re
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		name, pattern string
		yes, no       []string
	}{
		{"the empty pattern is everywhere", ``, []string{"", "x"}, nil},
		{"a match may be anywhere", `b`, []string{"abc"}, []string{"ac"}},
		{"anchors are for the whole text, not for lines", `^b$`, []string{"b"}, []string{"a\nb", "b\n", "\nb"}},
		{"alternatives", `^(?:a|bc|)$`, []string{"a", "bc", ""}, []string{"b", "abc"}},
		{"a dot is any character but the end of a line", `^a.c$`, []string{"abc", "a😀c", "a\u0085c"}, []string{"a\nc", "a\rc", "a\u2028c", "a\u2029c", "ac"}},
		{"digits are ASCII", `^\d+$`, []string{"012"}, []string{"٣", "a"}},
		{"words are ASCII", `^\w+$`, []string{"aZ_9"}, []string{"é", "-"}},
		{"spaces are those of ECMAScript", `^\s+$`, []string{" \t\n\v\f\r\u00a0\u1680\u2003\u2028\u3000\ufeff"}, []string{"\u0085", "\u200b", "x"}},
		{"what is not one", `^\D\W\S$`, []string{"é-x"}, []string{"1-x", "éax", "é- "}},
		{"a boundary of words", `\bcat\b`, []string{"a cat", "écaté"}, []string{"cats"}},
		{"and none", `\Bat\B`, []string{"cats"}, []string{"at", "cat"}},
		{"repetitions", `^a{2}b{1,}c{0,2}d*e+f?$`, []string{"aabe", "aabbccddeef"}, []string{"abe", "aabccce", "aabf"}},
		{"lazy ones match the same texts", `^a+?b??c*?$`, []string{"a", "aabcc"}, []string{"", "b"}},
		{"more repetitions than other engines take", `^a{1001,2000}$`, []string{strings.Repeat("a", 1500)}, []string{strings.Repeat("a", 1000), strings.Repeat("a", 2001)}},
		{"nothing, many times", `^(?:){2147483647}$`, []string{""}, []string{"a"}},
		{"classes", `^[a-c\-\]x]+$`, []string{"abc-]x"}, []string{"d", `\`}},
		{"a class of others", `^[^a-c]$`, []string{"d", "😀", "\n"}, []string{"a", ""}},
		{"no character at all", `[]`, nil, []string{"", "a", "]"}},
		{"any character at all", `^[^]$`, []string{"a", "\n", "😀"}, []string{""}},
		{"escapes in classes", `^[\d\s\b]$`, []string{"1", " ", "\b"}, []string{"b", "a"}},
		{"characters by number", `^\x41\u0042\u{43}\cA\0$`, []string{"ABC\x01\x00"}, []string{"ABC"}},
		{"a surrogate pair is one character", `^\ud83d\ude00$`, []string{"😀"}, nil},
		{"half a pair is in no text", `\ud83d|^[\udc00]`, nil, []string{"😀", ""}},
		{"slashes and brackets, escaped", `^\/\.\[\]\{\}\(\)\^\$\|\?\*\+\\$`, []string{`/.[]{}()^$|?*+\`}, nil},
		{"a general category", `^\p{Lu}\P{Lu}$`, []string{"Éa", "Ab"}, []string{"aé"}},
		{"a category by its long name", `^\p{Letter}\p{gc=Nd}$`, []string{"é٣"}, []string{"1a"}},
		{"scripts", `^\p{Script=Greek}\p{sc=Latn}\p{scx=Grek}$`, []string{"αaβ"}, []string{"aaa"}},
		{"binary properties", `^\p{Emoji}\p{ASCII}\p{Alphabetic}$`, []string{"😀-é"}, []string{"a-é"}},
		{"properties in classes", `^[\p{L}\d]+$`, []string{"é1"}, []string{"-"}},
		{"what is ahead", `^(?=.*\d)(?=.*[a-z]).{4,}$`, []string{"ab12"}, []string{"abcd", "a1"}},
		{"what is not ahead", `^(?!admin)`, []string{"root", ""}, []string{"administrator"}},
		{"what is behind", `(?<=\$)\d+`, []string{"$10"}, []string{"10", "1$"}},
		{"what is not behind", `(?<!a)b`, []string{"cb", "b"}, []string{"ab"}},
		{"what is behind may be long", `(?<=^a+b{2,})c`, []string{"abbc", "aaabbbbc"}, []string{"abc", "xabbc"}},
		{"assertions in assertions", `^(?!.*(?<!\\)").*$`, []string{`a\"b`, ""}, []string{`a"b`}},
		{"assertions in repetitions", `^(?:(?=a)a|b)+$`, []string{"abba"}, []string{"c", ""}},
		{"the same again", `^(a|b)\1$`, []string{"aa", "bb"}, []string{"ab", "a"}},
		{"the same by name", `^(?<q>['"]).*\k<q>$`, []string{`"x"`, `'"'`}, []string{`"x'`}},
		{"a name with an escape", `^(?<\u0061b>x)\k<ab>$`, []string{"xx"}, []string{"x"}},
		{"what was not captured is empty", `^(?:(a)|b)\1$`, []string{"aa", "b"}, []string{"ba", "a"}},
		{"each repetition forgets", `^(?:(a)|(b))*\1$`, []string{"ab", "bb", "aa", ""}, []string{"aba"}},
		{"a reference before its group", `^\1(a)$`, []string{"a"}, []string{"aa"}},
		{"a reference in its group", `^(a\1)+$`, []string{"a", "aa"}, []string{"b"}},
		{"captured ahead", `^(?=(a+))a*b\1$`, []string{"aabaa", "aba"}, []string{"ab", "aab"}},
		{"captured behind, read backward", `(?<=\1(\w))x`, []string{"aax"}, []string{"bax", "ax"}},
		{"nothing captured in what is not there", `^(?!(a)b)a\1$`, []string{"a"}, []string{"aa", "ab"}},
		{"an empty repetition ends", `^(a*)*\1$`, []string{"", "aa"}, []string{"b"}},
		{"escapes of marks that need none", `^\_\#\@\ \~\%\:\"\'\;\=\<\>$`, []string{`_#@ ~%:"';=<>`}, nil},
		{"the same in a class", `^[\_\#\@\ \~\%\:\"\'\;\=]+$`, []string{`_#@ ~%:"';=`}, []string{`\`}},
		{"anchors and a property of other languages are text", `^\z\A\pL*$`, []string{"zApL", "zAp"}, []string{"é", ""}},
		{"brackets that close nothing", `^]}*$`, []string{"]}", "]"}, []string{"}"}},
		{"a class within a class is none", `^[a[b]]$`, []string{"a]", "[]"}, []string{"a"}},
		{"a name with letters of any kind", `^(?<aé$_1\u{200d}>x)$`, []string{"x"}, nil},
		{"runs that may leave each other out", `^a*b?c{0,2}d$`, []string{"d", "aabccd"}, []string{"aabcccd", "c"}},
		{"runs that want the same characters", `^a*ab?b$`, []string{"aab", "abb"}, []string{"b", "a"}},
		{"runs of what Unicode has", `^é+[α-ω]{2}$`, []string{"ééαω"}, []string{"αω", "éα"}},
		{"letters of a long property, many times", `^` + strings.Repeat(`\p{L}?`, 200) + `1$`, []string{"é1"}, []string{"é"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			re := mustCompile(t, tt.pattern)
			assert.Equal(t, tt.pattern, re.String())
			for _, s := range tt.yes {
				assert.True(t, re.MatchString(s), "%q should match", s)
			}
			for _, s := range tt.no {
				assert.False(t, re.MatchString(s), "%q should not match", s)
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{`a(b`, "a parenthesis is not closed at character 3"},
		{`a)`, "a parenthesis too many at character 1"},
		{`[a`, "a bracket is not closed at character 2"},
		{`[a-`, "a bracket is not closed at character 3"},
		{`*a`, "a character that must be escaped at character 0"},
		{`{1}`, "a character that must be escaped at character 0"},
		{`a**`, "a character that must be escaped at character 2"},
		{`a{2,1}`, "a repetition from more to fewer at character 6"},
		{`[b-a]`, "a range from a higher character to a lower at character 4"},
		{`^*`, "nothing to repeat at character 1"},
		{`(?<=a)*`, "nothing to repeat at character 6"},
		{`(?i:a)`, "a group of an unknown kind at character 2"},
		{`(?P<x>a)`, "a group of an unknown kind at character 2"},
		{`(?#c)`, "a group of an unknown kind at character 2"},
		{`(?<1>a)`, "a name with a character that names cannot have at character 3"},
		{`(?<>a)`, "an empty name at character 4"},
		{`(?<a`, "a name is not closed at character 4"},
		{`(?<a>x)(?<a>y)`, "two groups of one name at character 12"},
		{`(?<a>x)\k<b>`, "a reference to no group at character 9"},
		{`(?<a>x)\k`, "a reference without a name at character 9"},
		{`\`, "a backslash at the end at character 1"},
		{`\u{110000})`, "a character beyond Unicode at character 8"},
		{`(?<\x61>a)`, "a name with a character that names cannot have at character 4"},
		{`(?<a\u{}>a)`, "an escape without a meaning at character 7"},
		{`(?<a\u1>a)`, "an escape without a meaning at character 6"},
		{`\p{L)`, "a property without its braces at character 5"},
		{`\pN)`, "a property without its braces at character 2"},
		{`\p{Nope})`, "an unknown property at character 3"},
		{`\x1)`, "an escape without a meaning at character 1"},
		{`\u12)`, "an escape without a meaning at character 2"},
		{`(?<a>x)[\k]`, "an escape without a meaning at character 9"},
		{`a{,3}`, "a brace that is no repetition at character 2"},
		{`{`, "a character that must be escaped at character 0"},
		{`a{x}`, "a brace that is no repetition at character 2"},
		{`(a)\2`, "a reference to no group at character 4"},
		{`[\d-z]`, "a range from or to what is not one character at character 5"},
		{`[a-\d]`, "a range from or to what is not one character at character 5"},
		{`(?=a)*`, "nothing to repeat at character 5"},
		{`\p{Foo}`, "an unknown property at character 3"},
		{`\pX`, "a property without its braces at character 2"},
		{`[\pL]`, "a property without its braces at character 3"},
		{`[\c1]`, "an escape without a meaning at character 2"},
		{`\k`, "a reference without a name at character 2"},
		{`(a)*+`, "a character that must be escaped at character 4"},
		{strings.Repeat("(", 300) + strings.Repeat(")", 300), "groups nested too deep at character 200"},
		{strings.Repeat("a", maxPattern+1), "too long at character 0"},
		{`(?:a{1000}){1000}`, "too large when its repetitions are written out at character 0"},
	} {
		t.Run(tt.pattern[:min(len(tt.pattern), 20)], func(t *testing.T) {
			_, err := Compile(tt.pattern, Properties{})
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, "regular expression: "+tt.want, err.Error())
		})
	}
}

// TestEscapesOfOtherLanguagesAreErrors: read as text, they would quietly accept
// or refuse other arguments than their author meant.
func TestEscapesOfOtherLanguagesAreErrors(t *testing.T) {
	for _, pattern := range []string{
		`\Z`, `\h`, `\R`, `\X`, `\Qx\E`, `\a`, `\e`, `\G`, `\x`, `\x{41}`, `\u`, `\u12`, `\c`, `\00`, `\07`, `\01`, `\8`, `\1`, `\é`, `\k<x>`,
		`\`, `[\A]`, `[\z]`, `[\<]`, `[\1]`, `[\B]`,
	} {
		_, err := Compile(pattern, Properties{})
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, pattern)
	}
}

// TestBeyondUnicodeModeIsOnlyWhatIsListed tries every escape of one printable
// character against the list, in and outside of a class.
func TestBeyondUnicodeModeIsOnlyWhatIsListed(t *testing.T) {
	unicodeMode := map[bool]string{false: `bBdDfnrsStvwW0` + syntaxCharacters, true: `bdDfnrsStvwW0-` + syntaxCharacters}
	for inClass, meant := range unicodeMode {
		for r := ' '; r <= '~'; r++ {
			pattern := `\` + string(r)
			if inClass {
				pattern = "[" + pattern + "]"
			}
			e, listed := legacyEscapes[r]
			listed = listed && e.then == 0 && !(e.outsider && inClass)
			re, err := Compile(pattern, Properties{})
			require.Equal(t, listed || strings.ContainsRune(meant, r), err == nil, pattern)
			if err == nil {
				require.Equal(t, listed, slices.Contains(re.Constructs(), Legacy), pattern)
			}
		}
	}
}

func TestHostilePatternsAreAnsweredByCount(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{`^(a+)+$`, strings.Repeat("a", 5000) + "!", false},
		{`(?!x)(a+)+$`, strings.Repeat("a", 5000) + "!", false},
		{`^(?!.*b)(a?){30}a{30}$`, strings.Repeat("a", 30), true},
		{`(a*)*\1b`, strings.Repeat("a", 40), false},
		{`^(?:(a+)+\1)+$`, strings.Repeat("a", 40) + "!", false},
		{`(.*)\1\1\1x`, strings.Repeat("ab", 100_000), false},
		{`(?=.*x)(?=.*y)(?=.*z)`, strings.Repeat("a", 200_000), false},
	} {
		re := mustCompile(t, tt.pattern)
		assert.Equal(t, tt.want, re.MatchString(tt.text), tt.pattern)
	}
	assert.True(t, mustCompile(t, `(a)\1`).Backtracks())
	assert.False(t, mustCompile(t, `(?=a)(a+)+`).Backtracks())
}

func TestTheBudgetEndsAMatchThatIsThere(t *testing.T) {
	// The only match needs the group to give back one character after 2^40 other
	// attempts.
	re := mustCompile(t, `^(a+)+\1?b|c$`)
	assert.True(t, re.MatchString("aab"))
	assert.True(t, re.MatchString("xc"))
	assert.False(t, re.MatchString(strings.Repeat("a", 40)+"c"), "found too late to count")
}

func TestConstructs(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    []Construct
	}{
		{`^[a-z]+$`, nil}, {`\d\w`, nil}, {`(?=\d)\w`, []Construct{Digit, Word}}, {`.`, []Construct{Dot}}, {`\s`, []Construct{Space}},
		{`\bx`, []Construct{WordBoundary}}, {`(?<a>x)\k<a>`, []Construct{NamedReference}}, {`\0`, []Construct{NulEscape}},
		{`[\b]`, []Construct{BackspaceClass}}, {`[]`, []Construct{EmptyClass}}, {`[^]`, []Construct{EmptyClass}},
		{`\ud83d\ude00`, []Construct{SurrogateEscape}}, {`[a&&b]`, []Construct{SetOperation}}, {`[[a]`, []Construct{SetOperation}},
		{`\_`, []Construct{Legacy}}, {`\pL`, []Construct{Legacy}}, {`]`, []Construct{Legacy}}, {`}`, []Construct{Legacy}},
	} {
		assert.Equal(t, tt.want, mustCompile(t, tt.pattern).Constructs(), tt.pattern)
	}
	for c := Dot; c <= Legacy; c++ {
		assert.NotEmpty(t, c.String())
	}
	assert.Empty(t, Construct(0).String())
	assert.Empty(t, (Legacy + 1).String())
}

func TestPropertiesAreSharedAndRemembered(t *testing.T) {
	props := Properties{}
	_, err := Compile(`\p{Emoji}`, props)
	require.NoError(t, err)
	assert.Contains(t, props, "Emoji")
	for _, name := range []string{"Nope", "Greek", "IsLatin", "lu", "", `L}\p{L`} {
		_, ok := props.lookup(name)
		assert.False(t, ok, name)
	}
}

func TestPatternsAreSafeForConcurrentUse(t *testing.T) {
	for _, pattern := range []string{`^[a-z]+$`, `a|b`, `(?=a)a`, `(a)\1`} {
		re := mustCompile(t, pattern)
		done := make(chan bool)
		for range 4 {
			go func() {
				for range 200 {
					re.MatchString("aab")
					re.MatchString("x")
				}
				done <- true
			}()
		}
		for range 4 {
			<-done
		}
		assert.True(t, re.MatchString("aa"))
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`^a+$`, `(?<n>a)\k<n>`, `[\d-x]`, `\p{L}`, `(?<!a{2,3}?)b|c`, `\u{1F600}`, `a{1001}`, `[^]`, `\c`, `(((a)*)*)*\2`, `{`, `(?=a)*`,
	} {
		f.Add(seed, "aab")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		text = strings.ToValidUTF8(text, "")
		re, err := Compile(pattern, Properties{})
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			return
		}
		require.Equal(t, re.MatchString(text), re.MatchString(text), "the same pattern, the same answer")
	})
}

func BenchmarkMatch(b *testing.B) {
	for _, bb := range []struct{ name, pattern, text string }{
		{"one look", `^/[a-z0-9/._-]+$`, "/srv/data/reports/2024.csv"},
		{"go", `^(?:/[a-z0-9._-]+)+$`, "/srv/data/reports/2024.csv"},
		{"simulation", `^(?!.*\.\.)/.+$`, "/srv/data/reports/2024.csv"},
		{"backtracking", `^(/[^/]+)(?!\1).*$`, "/srv/data/reports/2024.csv"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			re := mustCompile(b, bb.pattern)
			b.ReportAllocs()
			for b.Loop() {
				if !re.MatchString(bb.text) {
					b.Fatal("no match")
				}
			}
		})
	}
}
