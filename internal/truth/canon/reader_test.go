// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		text   string
		fault  Fault
		offset int
	}{
		{"no text", "", FaultSyntax, 0},
		{"nothing but space", " \n\t\r", FaultSyntax, 4},
		{"a byte order mark", "\uFEFF{}", FaultSyntax, 0},
		{"two values", "{} {}", FaultSyntax, 3},
		{"a NUL behind the value", "{}\x00", FaultSyntax, 2},
		{"a NUL for a value", "\x00", FaultSyntax, 0},
		{"a no-break space around the value", "\u00A0{}", FaultSyntax, 0},
		{"a vertical tab", "\v1", FaultSyntax, 0},
		{"a word that JSON lacks", "NaN", FaultSyntax, 0},
		{"a word that nearly is one", "nulL", FaultSyntax, 3},
		{"a word with a letter more", "truee", FaultSyntax, 4},
		{"single quotes", "{'a':1}", FaultSyntax, 1},
		{"a comment", "{}// x", FaultSyntax, 2},
		{"a comma behind the last element", "[1,]", FaultSyntax, 3},
		{"a comma behind the last member", `{"a":1,}`, FaultSyntax, 7},
		{"a comma before the first element", "[,1]", FaultSyntax, 1},
		{"a missing comma", "[1 2]", FaultSyntax, 3},
		{"a missing colon", `{"a" 1}`, FaultSyntax, 5},
		{"a name without quotes", "{a:1}", FaultSyntax, 1},
		{"a number for a name", "{1:1}", FaultSyntax, 1},
		{"a bracket that closes a brace", `{"a":1]`, FaultSyntax, 6},
		{"a bracket with no opening", "]", FaultSyntax, 0},
		{"a zero before a digit", "01", FaultSyntax, 1},
		{"a zero before a digit, negative", "-01", FaultSyntax, 2},
		{"a plus sign", "+1", FaultSyntax, 0},
		{"a point first", ".5", FaultSyntax, 0},
		{"a point last", "[1.]", FaultSyntax, 3},
		{"an exponent without digits", "[1e+]", FaultSyntax, 4},
		{"a minus alone", "[-]", FaultSyntax, 2},
		{"a minus twice", "--1", FaultSyntax, 1},
		{"hexadecimal", "0x10", FaultSyntax, 1},
		{"digits of another script", "\u0661", FaultSyntax, 0},
		{"a line break in a string", "\"a\nb\"", FaultSyntax, 2},
		{"a control character in a long string", "\"0123456789\x1fabcdef\"", FaultSyntax, 11},
		{"an unknown escape", `"\q"`, FaultSyntax, 2},
		{"an escaped NUL character", "\"\\\x00\"", FaultSyntax, 2},
		{"an escape with a capital U", `"\U0041"`, FaultSyntax, 2},
		{"an escape with a digit that is none", `"\u00g0"`, FaultSyntax, 5},
		{"the first half of a pair alone", `"\ud800"`, FaultSurrogate, 1},
		{"the second half of a pair alone", `"x\udc00"`, FaultSurrogate, 2},
		{"the halves of a pair in the wrong order", `"\udc00\ud800"`, FaultSurrogate, 1},
		{"the first half twice", `"\ud800\ud800\udc00"`, FaultSurrogate, 1},
		{"the first half and a letter", `"\ud800\u0041"`, FaultSurrogate, 1},
		{"the first half and another escape", `"\ud800\n"`, FaultSurrogate, 1},
		{"half a pair in a name", `{"\udfff":1}`, FaultSurrogate, 2},
		{"a byte that UTF-8 lacks", "\"\xff\"", FaultUTF8, 1},
		{"an overlong form", "\"\xc0\x80\"", FaultUTF8, 1},
		{"a surrogate in UTF-8", "\"a\xed\xa0\x80\"", FaultUTF8, 2},
		{"a character beyond U+10FFFF", "\"\xf4\x90\x80\x80\"", FaultUTF8, 1},
		{"a replacement character, then a bad byte", "\"\uFFFD\x80\"", FaultUTF8, 4},
		{"a bad byte behind the value", "{}\xff", FaultUTF8, 2},
		{"half a character at the end", "\"\xe2\x82", FaultUTF8, 1},
		{"a name twice", `{"a":1,"a":2}`, FaultDuplicateKey, 0},
		{"a name twice, once with an escape", `[{"a":1,"\u0061":2}]`, FaultDuplicateKey, 1},
		{"a name twice, apart", `{"b":0,"a":{"k":1,"z":2,"k":3},"c":1}`, FaultDuplicateKey, 11},
		{"no name twice", `{"":1,"":2}`, FaultDuplicateKey, 0},
		{"a name of NULs twice", `{"\u0000":1,"":2,"\u0000":3}`, FaultDuplicateKey, 0},
		{"a long name twice", `{"0123456789a":1,"0123456789b":2,"0123456789a":3}`, FaultDuplicateKey, 0},
		{"a number beyond doubles", `{"a":1e400}`, FaultNumberRange, 5},
		{"the first number beyond doubles", "1.7976931348623159e308", FaultNumberRange, 0},
		{"an integer beyond doubles", "[-" + strings.Repeat("9", 400) + ",1]", FaultNumberRange, 1},
		{"a monstrous exponent", "[1e99999999999999999999999]", FaultNumberRange, 1},
		{"128 arrays", nested(128), FaultDepth, 127},
		{"128 objects", strings.Repeat(`{"a":`, 128), FaultDepth, 5 * 127},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fault := faultOf(t, tt.text, Limits{})
			assert.Equal(t, TextError{Fault: tt.fault, Offset: tt.offset}, *fault)
		})
	}
}

func TestParseAccepts(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"space around a scalar", " \t\r\n42\n", "42"},
		{"space everywhere", ` { "b" : [ 1 , 2 ] , "a" : null } `, `{"a":null,"b":[1,2]}`},
		{"an empty object", "{ }", "{}"},
		{"an empty array", "[ ]", "[]"},
		{"an empty string", `""`, `""`},
		{"the words", "[true,false,null]", "[true,false,null]"},
		{"every escape", `"\"\\\/\b\f\n\r\t\u0000\u001F\u007f\u00e9"`, `"\"\\/\b\f\n\r\t\u0000\u001f` + "\x7f\u00e9\""},
		{"a pair of surrogates", `"\ud83d\uDE02"`, "\"\U0001F602\""},
		{"characters that some escape", "\"\u2028<>&\"", "\"\u2028<>&\""},
		{"a replacement character", "\"\uFFFD\"", "\"\uFFFD\""},
		{"names apart by case", `{"a":1,"A":2}`, `{"A":2,"a":1}`},
		{"one name in two objects", `[{"a":1},{"a":1}]`, `[{"a":1},{"a":1}]`},
		{"names apart by normalization", `{"\u00e9":1,"e\u0301":2}`, "{\"e\u0301\":2,\"\u00e9\":1}"},
		{"names apart by a trailing NUL", `{"a\u0000":1,"a":2}`, `{"a":2,"a\u0000":1}`},
		{"an escaped name", `{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		{"the order of UTF-16", `{"\ufb33":1,"\ud83d\ude02":2,"\u20ac":3}`, "{\"\u20ac\":3,\"\U0001F602\":2,\"\ufb33\":1}"},
		{"minus zero", "[-0,-0.0,0e9,-0E-9]", "[0,0,0,0]"},
		{"an integer beyond 2^53", "[9007199254740993]", "[9007199254740992]"},
		{"underflow", "[1e-400,-1e-999999999999999999999]", "[0,0]"},
		{"zero with any exponent", "0e999999999999999999999", "0"},
		{"the largest double", "1.7976931348623158e308", "1.7976931348623157e+308"},
		{"127 arrays", nested(127), nested(127)},
		{"127 containers again and again", "[" + nested(126) + "," + nested(126) + "]", "[" + nested(126) + "," + nested(126) + "]"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, canonical(t, tt.text)) })
	}
}

// TestEveryCutIsTruncated cuts texts at every byte. What is left either is a
// value or is known for a cut one.
func TestEveryCutIsTruncated(t *testing.T) {
	for _, text := range []string{
		`{"path":"C:\\x\n\u00e9\ud83d\ude02","n":[-1.5e+10,0,{}],"on":true,"off":false,"none":null}`,
		`[[],[[]],{"a":{"b":{}}}]`,
		`"\ud83d\ude02"`, "-12.5E-7", " true ", "false", "null", "[1" + strings.Repeat("0", 400) + "e-200]",
	} {
		for i := range text {
			head := text[:i]
			var d Doc
			err := d.Parse(head, Limits{})
			if err == nil {
				continue
			}
			want := &TextError{Fault: FaultSyntax, Offset: i, Truncated: strings.TrimSpace(head) != ""}
			assert.Equal(t, want, err, "cut after %d bytes of %s", i, text)
		}
	}
}

func TestWhatNoTextCanFollowIsNotTruncated(t *testing.T) {
	for _, text := range []string{"tru3", "[1,2}", `{"a":"\x`, "01", "{}}", "1e400", `"\ud800x`, "[-]", "\x00"} {
		assert.False(t, faultOf(t, text, Limits{}).Truncated, text)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		lim  Limits
		want *TextError
	}{
		{"the size may be reached", `{"a":1}`, Limits{Bytes: 7}, nil},
		{"the size is checked first", "\xff{{{{{{{", Limits{Bytes: 7}, &TextError{Fault: FaultSize, Offset: 8}},
		{"the members may be reached", `{"a":{"b":1}}`, Limits{Members: 2}, nil},
		{"members count in the whole text", `[{"a":1},{"a":1},{"a":1}]`, Limits{Members: 2}, &TextError{Fault: FaultMembers, Offset: 18}},
		{"elements are no members", "[1,2,3,4]", Limits{Members: 1}, nil},
		{"zero is no limit", `{"a":1,"b":2}`, Limits{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := new(Doc).Parse(tt.text, tt.lim)
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, tt.want, err)
		})
	}
}

// TestReuse reads many texts with one Doc. Each must answer as it does with a
// Doc of its own, whatever came before.
func TestReuse(t *testing.T) {
	texts := []string{
		sampleArguments(4 << 10), "", `{"a":1}`, `["\u0041\n"]`, "[", nested(127), nested(128), `{"a":1,"a":2}`, "null",
		`{"token":"x"}`, `{"\u0061":"\t"}`, "\xff", sampleArguments(300), "1e999", `"\ud800"`, "0", `{"b":{"y":1,"x":2},"a":[]}`,
	}
	var d Doc
	for round := range 3 {
		for i, text := range texts {
			want := new(Doc)
			wantErr := want.Parse(text, Limits{Members: 3000})
			require.Equal(t, wantErr, d.Parse(text, Limits{Members: 3000}), "round %d, text %d", round, i)
			require.Equal(t, want.Root().Kind(), d.Root().Kind())
			require.Equal(t, want.Root().Any(), d.Root().Any())
			require.Equal(t, string(want.Root().AppendJCSWithoutSecrets(nil)), string(d.Root().AppendJCSWithoutSecrets(nil)))
		}
	}
}

func TestStringsOutliveTheNextParse(t *testing.T) {
	var d Doc
	require.NoError(t, d.Parse(`["plain","with\u0020escape"]`, Limits{}))
	var kept []string
	for _, n := range d.Root().All() {
		kept = append(kept, n.Str())
	}
	require.NoError(t, d.Parse(`["PLAIN","WITH\u0020ESCAPE"]`, Limits{}))
	assert.Equal(t, []string{"plain", "with escape"}, kept)
}

func TestReset(t *testing.T) {
	var d Doc
	require.NoError(t, d.Parse("["+strings.Repeat("0,", 2*keepNodes)+"0]", Limits{}))
	d.Reset()
	assert.Equal(t, KindNone, d.Root().Kind())
	assert.Zero(t, cap(d.nodes), "oversized storage is let go")
	require.NoError(t, d.Parse("[1]", Limits{}))
	d.Reset()
	assert.NotZero(t, cap(d.nodes), "other storage is kept")
	assert.Empty(t, d.text, "a pooled Doc does not hold its text")
}

func TestErrorsNeverQuoteTheText(t *testing.T) {
	for _, text := range []string{`{"hunter2":1,"hunter2":2}`, `["hunter2`, `"hunter2\q"`, `hunter2`, "\"hunter2\xff\""} {
		fault := faultOf(t, text, Limits{})
		assert.NotContains(t, fault.Error(), "hunter2")
		assert.Contains(t, fault.Error(), fault.Fault.String())
	}
	assert.Equal(t, "json text: not_json: cut off at byte 1", faultOf(t, "[", Limits{}).Error())
	assert.Equal(t, "json text: duplicate_key at byte 0", faultOf(t, `{"a":1,"a":1}`, Limits{}).Error())
}

func TestFaultNames(t *testing.T) {
	want := []string{
		"not_json", "invalid_utf8", "lone_surrogate", "duplicate_key",
		"number_out_of_range", "too_deep", "too_large", "too_many_members",
	}
	got := make([]string, 0, len(want))
	for _, f := range Faults() {
		got = append(got, fmt.Sprint(f))
	}
	assert.Equal(t, want, got)
	assert.Equal(t, "not_json", Fault(0).String(), "a forgotten fault is a fault")
	assert.Equal(t, "not_json", Fault(200).String())
}
