// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFormats(t *testing.T) {
	label := strings.Repeat("a", maxLabel)
	for _, tt := range []struct {
		format  string
		yes, no []string
	}{
		{
			"date",
			[]string{"2024-02-29", "0000-01-01", "9999-12-31", "2000-02-29"},
			[]string{"2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "2024-04-31", "2024-2-9", "02024-01-01", "2024/01/01", "২024-01-01", ""},
		},
		{
			"time",
			[]string{"12:00:00Z", "12:00:00z", "12:00:00.123456789Z", "12:00:00-23:59", "23:59:60Z", "22:59:60-01:00", "00:29:60+00:30"},
			[]string{"12:00:00", "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00:00.Z", "12:00:00+24:00", "12:00:00+0000", "1:00:00Z", "12:00Z", ""},
		},
		{
			"date-time",
			[]string{"2024-01-01T00:00:00Z", "2024-01-01t00:00:00z", "1985-04-12T23:20:50.52+01:00"},
			[]string{"2024-01-01 00:00:00Z", "2024-02-30T00:00:00Z", "2024-01-01T00:00:00", "2024-01-01T", ""},
		},
		{
			"email",
			[]string{"a@b", "a+b@c.d", `"a b"@c`, `"a\"b"@c`, "a@[1.2.3.4]", "a@[IPv6:::1]", "é@b.co", strings.Repeat("a", 64) + "@b"},
			[]string{"a", "@b", "a@", "a@b@c", "a..b@c", ".a@b", "a.@b", "a@-b", "a@b_c", "a@é.co", "a b@c", `""@c`, `"a@c`, `"é"@c`, "a@[x]", "a@[::1]", "a(c)@b", "😀@b", strings.Repeat("a", 65) + "@b"},
		},
		{"idn-email", []string{"é@é.co", `"é"@b`, "实例@实例.广告", "😀@b"}, []string{"a", "é@-b", "é é@b"}},
		{
			"hostname",
			[]string{"a", "a.b", "1", "a--b", "xn--4gbwdl.xn--wgbh1c", label, strings.Join([]string{label, label, label, label[:61]}, ".")},
			[]string{"", ".", "a.", "-a", "a-", "a_b", "a b", "é", "ab--cd", "xn--", "xn--X", "XN--4GBWDL", label + "a", strings.Join([]string{label, label, label, label}, ".")},
		},
		{
			"idn-hostname",
			[]string{"é.fr", "实例.测试", "a。b", "É", "l·l", "丈・", "क्\u200dष", "אב1", "a\u00adb", "ａ", "xn--4gbwdl"},
			[]string{"", "-a", "é-", "a_b", "😀", "l·a", "abc・", "\u0301a", "אa", "١٢", "a\u200db", "ـ", "é..fr", strings.Repeat("é", 63)},
		},
		{"ipv4", []string{"1.2.3.4", "0.0.0.0", "255.255.255.255"}, []string{"1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "::1", ""}},
		{"ipv6", []string{"::1", "::", "1:2:3:4:5:6:7:8", "::1.2.3.4"}, []string{":::", "::1%lo", "[::1]", "1::2::3", "12345::", "1.2.3.4", ""}},
		{
			"uri",
			[]string{"https://a.b/c?d#e", "a:b", "a:", "urn:x:y", "http://[::1]:80", "http://[v1.a]", "http://a:b@c:1/%41", "http://", "a:?"},
			[]string{"/rel", "", "a", "//a", "#f", "http://a b", "http://a/%zz", "http://a:x", "http://[::1", "http://[x]", "http://a@b@c", "1a:b", "http://é", "a:\\", "a:#b#c", "http://[v.a]", "http://[::1]x"},
		},
		{"uri-reference", []string{"", "a", "/a", "//a", "?a", "#a", "./1:b", "a/b:c", "~"}, []string{"a b", "1:b", ":", "%zz", "[", "é", "//a:b", "\\", "{"}},
		{"iri", []string{"https://é.fr/é?é#é", "a:?\ue000"}, []string{"x", "a:\ue000", "é:a", "a:<"}},
		{"iri-reference", []string{"é", "/é", "?\ue000"}, []string{"\ue000", "a b", "%é"}},
		{
			"uri-template",
			[]string{"", "/a/{b}", "{a,b}", "{+a}", "{?a*,b:2}", "{a.b}", "{%41}", "é", "{=a}"},
			[]string{"/a/{b", "/a/b}", "{}", "{a b}", "{a-b}", "{a..b}", "{a:0}", "{a:10000}", "{a*:3}", "{{a}}", "{$a}", "a b", "%zz", "'"},
		},
		{"json-pointer", []string{"", "/", "/a/b", "/~0~1", "/é"}, []string{"a", "/~2", "/~", "#/a"}},
		{"relative-json-pointer", []string{"0", "1/a", "0#", "10/a"}, []string{"", "/a", "01", "-1", "1a", "1#a", "1/~2", "#"}},
		{"regex", []string{"^a+$", `\d(?=x)`, ""}, []string{"(", "[", "a**"}},
	} {
		t.Run(tt.format, func(t *testing.T) {
			isFormat := formatOf(tt.format, draft7)
			require.NotNil(t, isFormat)
			for _, s := range tt.yes {
				assert.True(t, isFormat(s), "%q is one", s)
			}
			for _, s := range tt.no {
				assert.False(t, isFormat(s), "%q is none", s)
			}
		})
	}
	for _, f := range formats {
		assert.Nil(t, formatOf(f.name, draft2019), "later drafts only annotate")
		assert.Nil(t, formatOf(f.name, draft2020))
	}
	assert.Nil(t, formatOf("uuid", draft7))
	assert.Nil(t, formatOf("iri", draft6))
	assert.Nil(t, formatOf("json-pointer", draft4))
}

func TestFormatsAreForStrings(t *testing.T) {
	s := load(t, `{"$schema": "http://json-schema.org/draft-07/schema#", "format": "date", "contentEncoding": "base64"}`)
	assert.Equal(t, Valid, check(t, s, `1`).Outcome)
}

func TestContent(t *testing.T) {
	for _, tt := range []struct {
		keywords string
		yes, no  []string
	}{
		{`"contentEncoding": "base64"`, []string{"", "aGk=", "YQ=="}, []string{"aGk", "%%%", "YR==", "aGk=\n", "a-_="}},
		{`"contentEncoding": "base64url"`, []string{"a-_-"}, []string{"a+/+"}},
		{`"contentEncoding": "base32"`, []string{"ME======"}, []string{"me======", "1"}},
		{`"contentEncoding": "base16"`, []string{"6869"}, []string{"686", "zz"}},
		{`"contentEncoding": "7bit"`, []string{"%%%"}, nil},
		{`"contentMediaType": "application/json"`, []string{"{}", " 1 ", `{"a":1,"a":2}`}, []string{"", "{", "1e999", `"\ud800"`, "1 2", `{"a":1,"a":2}x`}},
		{`"contentMediaType": "text/plain"`, []string{"{"}, nil},
		{`"contentMediaType": "application/json", "contentEncoding": "base64"`, []string{"e30="}, []string{"bm90IGpzb24=", "%%%", ""}},
	} {
		for _, dialect := range []string{"06", "07"} {
			s := load(t, `{"$schema": "http://json-schema.org/draft-`+dialect+`/schema#", `+tt.keywords+`}`)
			for _, text := range tt.yes {
				assert.Equal(t, Valid, s.Check(parse(t, quote(text))).Outcome, "%s: %q", tt.keywords, text)
			}
			for _, text := range tt.no {
				assert.Equal(t, Violated, s.Check(parse(t, quote(text))).Outcome, "%s: %q", tt.keywords, text)
			}
		}
		s := load(t, `{`+tt.keywords+`}`)
		for _, text := range tt.no {
			assert.Equal(t, Valid, s.Check(parse(t, quote(text))).Outcome, "later drafts only annotate")
		}
	}
	assert.Equal(t, BreaksDialect, load(t, `{"$schema": "http://json-schema.org/draft-06/schema#", "contentEncoding": 1}`).Fault().Reason)
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func TestPunycodeOfRFC3492(t *testing.T) {
	for encoded, label := range map[string]string{
		"bcher-kva": "bücher", "ihqwcrb4cv8a8dqg056pqjye": "他们为什么不说中文", "4dbcagdahymbxekheh6e0a7fei0b": "למההםפשוטלאמדבריםעברית",
		"3B-ww4c5e180e575a65lsy2b": "3年B組金八先生", "-> $1.00 <--": "-> $1.00 <-",
	} {
		assert.Equal(t, encoded, toPunycode([]rune(label)))
		back, ok := fromPunycode(encoded)
		assert.True(t, ok)
		assert.Equal(t, label, string(back))
	}
	for _, bad := range []string{"", "é", "99999999", "a-é", "a-9"} {
		_, ok := fromPunycode(bad)
		assert.False(t, ok, bad)
	}
}

func TestPunycodeGoesThereAndBack(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		label := []rune{'é'}
		for range r.IntN(12) {
			c := rune(r.IntN(unicode.MaxRune))
			if r.IntN(2) == 0 {
				c = rune('a' + r.IntN(26))
			}
			label = append(label, c)
		}
		back, ok := fromPunycode(toPunycode(label))
		require.True(t, ok)
		require.Equal(t, label, back)
	}
}
