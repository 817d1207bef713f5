// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// seeds are texts at the borders of what is accepted.
func seeds() []string {
	return []string{
		"", " ", "null", "true", "[]", "{}", `""`, "-0", "1e400", "1e-400", "0.1e-6", "18446744073709551615", "01", "1.", "-",
		`{"a":1,"b":[1,2,{"c":null}]}`, `{"a":1,"\u0061":2}`, `{"\ufb33":1,"\ud83d\ude02":2}`, `"\ud800"`, `"\udc00\ud800"`,
		`"\"\\\/\b\f\n\r\t\u001f"`, "\"\xff\"", "\"\xed\xa0\x80\"", "\uFEFF{}", "[1,]", "{} {}", "{\"a\nb\":1}", "\"\u2028\"",
		`{"api_key":"x","k":{"To-Ken":[{"secret":1}]}}`, "{\"to\u212Aen\":1}", nested(127), nested(128), sampleArguments(300),
		`[5e-324,1.7976931348623158e308,1.7976931348623159e308,9007199254740993,1E2]`, `"0123456789\u00e9abcdef\\"`,
	}
}

// checkText holds every property of one text.
func checkText(t *testing.T, text string) {
	t.Helper()
	var d Doc
	err := d.Parse(text, Limits{})
	if err != nil {
		checkRefused(t, text, err)
		return
	}
	got := d.Root().AppendJCS(nil)
	checkOracles(t, text, got)
	checkStable(t, &d, got)
}

// checkRefused holds the oracles to our refusal, except where they are more
// lenient by design.
func checkRefused(t *testing.T, text string, err error) {
	t.Helper()
	var fault *TextError
	if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(text) {
		t.Fatalf("error is %v, want a fault within the text", err)
	}
	if fault.Truncated && (fault.Fault != FaultSyntax || fault.Offset != len(text)) {
		t.Fatalf("%v is no cut at the end", fault)
	}
	if fault.Fault == FaultDepth {
		return
	}
	if _, err := jcs.Transform([]byte(text)); err == nil {
		t.Fatalf("we say %v, jcs accepts %q", fault, text)
	}
	if v := jsontext.Value(text); fault.Fault != FaultNumberRange && v.Canonicalize() == nil {
		t.Fatalf("we say %v, jsontext accepts %q", fault, text)
	}
}

// checkOracles compares the canonical form with those of two libraries. Beyond
// the length at which strconv misreads numbers they are no oracles.
func checkOracles(t *testing.T, text string, got []byte) {
	t.Helper()
	if len(text) > 9000 {
		return
	}
	want, err := jcs.Transform([]byte(text))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("of %q\n got %s\nwant %s (jcs, %v)", text, got, want, err)
	}
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err != nil || !bytes.Equal(got, v) {
		t.Fatalf("of %q\n got %s\nwant %s (jsontext, %v)", text, got, v, err)
	}
}

// checkStable reads the canonical form back: it is its own canonical form, the
// Builder makes it again, and dropping secrets twice drops no more than once.
func checkStable(t *testing.T, d *Doc, got []byte) {
	t.Helper()
	if again := canonical(t, string(got)); again != string(got) {
		t.Fatalf("%s reads back as %s", got, again)
	}
	if !json.Valid(got) {
		t.Fatalf("%s is not JSON", got)
	}
	rest := d.Root().AppendJCSWithoutSecrets(nil)
	less := parsed(t, string(rest))
	if again := less.Root().AppendJCSWithoutSecrets(nil); !bytes.Equal(rest, again) || !bytes.Equal(rest, less.Root().AppendJCS(nil)) {
		t.Fatalf("%s holds secrets yet", rest)
	}
	var b Builder
	rebuild(&b, d.Root())
	text, err := b.Text()
	if err != nil || canonical(t, text) != string(got) {
		t.Fatalf("%s is rebuilt as %s, %v", got, text, err)
	}
}

// rebuild writes n to b, by the accessors alone.
func rebuild(b *Builder, n Node) {
	switch n.Kind() {
	case KindNull:
		b.Null()
	case KindBool:
		b.Bool(n.Bool())
	case KindNumber:
		b.Float(n.Float())
	case KindString:
		b.Str(n.Str())
	case KindArray:
		b.BeginArray()
		for _, element := range n.All() {
			rebuild(b, element)
		}
		b.EndArray()
	case KindObject:
		b.BeginObject()
		for key, member := range n.All() {
			b.Key(key)
			rebuild(b, member)
		}
		b.EndObject()
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text)
	}
	f.Fuzz(checkText)
}

func FuzzAppendString(f *testing.F) {
	for _, text := range []string{"", "plain", "a\"b\\c\n\x00", "\xff\xe2\x82", "\u2028\uFFFD\U0001F602"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := parsed(t, string(AppendString(nil, text))).Root().Str(), string([]rune(text)); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func FuzzSecretKey(f *testing.F) {
	for _, name := range []string{"", "token", "Api-Key", "to\u212Aen", "\u0130dtoken", "tok\xff"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := SecretKey("_" + name + " -"); got != SecretKey(name) {
			t.Fatalf("%q: separators around it change the answer to %v", name, got)
		}
	})
}

// TestMadeDocuments checks documents of a generator with a fixed seed, half of
// them with one byte changed.
func TestMadeDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	count := 20_000
	if testing.Short() || raceEnabled {
		count = 2_000
	}
	for i := range count {
		var b strings.Builder
		makeValue(&b, rng, 4)
		text := []byte(b.String())
		if i%2 == 1 && len(text) > 0 {
			const bytes = "\"\\{}[],:0123456789eE+-.tfn \x00\x1f\x80\xc3\xe2\xed\xf0\xffu"
			text[rng.IntN(len(text))] = bytes[rng.IntN(len(bytes))]
		}
		checkText(t, string(text))
	}
}

var madeNames = []string{
	"a", "b", "", "token", "Api-Key", "key", `\u0061`, `\"`, "\u00e9", "e\u0301", "\uFB33", `\ud83d\ude02`, "\uFFFF", "a name of some length",
	"a name of some length too", `\n`, "\U0010FFFF", `\u0000`,
}

var madeScalars = []string{
	"null", "true", "false", "0", "-0", "1", "-12.50", "1e21", "1E-7", "9007199254740993", "5e-324", "0.1", `""`, `"x"`,
	`"\ud83d\ude02\n\u001f"`, "\"\u2028\uFEFF\U0001F602\"", `"a longer string, \"with\" escapes\\"`,
}

func makeValue(b *strings.Builder, rng *rand.Rand, depth int) {
	kind := rng.IntN(4)
	switch {
	case depth == 0 || kind == 0:
		b.WriteString(madeScalars[rng.IntN(len(madeScalars))])
	case kind == 1:
		b.WriteString(strconv.FormatFloat(rng.NormFloat64()*1e3, 'g', -1, 64))
	case kind == 2:
		makeMany(b, rng, "[]", func(int) { makeValue(b, rng, depth-1) })
	default:
		names := rng.Perm(len(madeNames))
		makeMany(b, rng, "{}", func(i int) {
			b.WriteString(`"` + madeNames[names[i]] + `" : `)
			makeValue(b, rng, depth-1)
		})
	}
}

func makeMany(b *strings.Builder, rng *rand.Rand, brackets string, one func(i int)) {
	b.WriteByte(brackets[0])
	for i := range rng.IntN(6) {
		if i > 0 {
			b.WriteString(" , ")
		}
		one(i)
	}
	b.WriteByte(brackets[1])
}
