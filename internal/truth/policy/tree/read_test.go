// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func mustRead(t testing.TB, text string) *Node {
	t.Helper()
	n, err := Read("p.yaml", []byte(text))
	require.NoError(t, err)
	return n
}

func TestReadMeansWhatItSays(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a mapping in flow style", `{a: [1, x], b: {c: ~}}`, `{"a":[1,"x"],"b":{"c":null}}`},
		{"a mapping in block style", "a:\n  - 1\n  - x\nb:\n  c:\n", `{"a":[1,"x"],"b":{"c":null}}`},
		{"quotes make strings", `{a: "1", b: 'true', c: "null"}`, `{"a":"1","b":"true","c":"null"}`},
		{"block scalars are strings", "a: |-\n  1\nb: >-\n  x\n  y\n", `{"a":"1","b":"x y"}`},
		{"anchors repeat", "a: &x {k: 1}\nb: *x\nc: [*x, *x]\n", `{"a":{"k":1},"b":{"k":1},"c":[{"k":1},{"k":1}]}`},
		{"an anchor can be given again", "a: &x 1\nb: &x 2\nc: *x\n", `{"a":1,"b":2,"c":2}`},
		{"an anchored name", "&x a: 1\nb: *x\n", `{"a":1,"b":"a"}`},
		{"a merge key is a name like any", "a: &x {k: 1}\nb: {<<: *x}\n", `{"a":{"k":1},"b":{"<<":{"k":1}}}`},
		{"a byte order mark is no part of it", "\uFEFFa: 1\n", `{"a":1}`},
		{"a directive for YAML 1.2", "# c\n%YAML 1.2\n---\na: 1\n", `{"a":1}`},
		{"the end of the document", "a: 1\n...\n", `{"a":1}`},
		{"comments", "# x\na: 1 # y\n", `{"a":1}`},
		{"an explicit name", "? a\n: 1\n", `{"a":1}`},
		{"an escaped slash", `{"a": "x\/y", "b": "\\/", 'c': '\/', d: "\v"}`, "{\"a\":\"x/y\",\"b\":\"\\\\/\",\"c\":\"\\\\/\",\"d\":\"\\u000b\"}"},
		{"a tag that is no one's own", `{a: !!str 1, b: !!set {x, y}, c: !!binary aGk=}`, `{"a":"1","b":{"x":null,"y":null},"c":"aGk="}`},
		{"a tag by its address", `{a: !<tag:example.com,2000:x> 5}`, `{"a":"5"}`},
		{"tabs between JSON tokens", "{\n\t\"a\":\t1\n}", `{"a":1}`},
		{"next line folds in quotes", "a: \"x\u0085y\"", `{"a":"x y"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, string(mustRead(t, tt.text).AppendJSON(nil)))
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "p.yaml:1:1: the document is empty, a policy is a mapping"},
		{"a list", "- a\n", "p.yaml:1:1: a policy is a mapping, this is something else"},
		{"an empty document", "---\n", "p.yaml:2:1: a policy is a mapping, this is something else"},
		{"two documents", "a: 1\n---\nb: 1\n", "p.yaml:2:1: a second document, a policy is one"},
		{"what is no YAML", "a: [1\n", "p.yaml:1: did not find expected ',' or ']'"},
		{"what is not UTF-8", "a: 'x\xff'", "p.yaml:1:6: text that is not UTF-8"},
		{"half a surrogate pair", "a: '\xed\xa0\x80'", "p.yaml:1:5: text that is not UTF-8"},
		{"a control character", "a: 1\nb: 'x\x01'", "p.yaml:2:6: character U+0001 is not allowed in a document"},
		{"DEL", "a: '\x7f'", "p.yaml:1:5: character U+007F is not allowed in a document"},
		{"an escaped surrogate pair", `{"a": "\ud83d\ude00"}`, "p.yaml:1: found invalid Unicode character escape code"},
		{"a name twice", "a: {b: 1, c: 2, b: 3}\n", "p.yaml:1:17: a.b: the second of this name in one mapping"},
		{"a name twice, quoted", "a: 1\n'a': 2\n", "p.yaml:2:1: a: the second of this name in one mapping"},
		{"one number as a name twice", "a: {1: x, 0x1: y}\n", `p.yaml:1:11: a.1: the second of this name in one mapping`},
		{"an alias for nothing", "a: 1\nb: *x\n", "p.yaml:2: unknown anchor 'x' referenced"},
		{"an alias in itself", "a: &x {b: [*x]}\n", "p.yaml:1:12: a.b[0]: an alias inside of what it stands for"},
		{"a large integer", "a: [1, 18446744073709551616]\n", "p.yaml:1:8: a[1]: an integer that 64 bits do not hold"},
		{"a tag that swallows a comma", "a: [b, !!str, c]\n", "p.yaml:1:8: a[1]: a tag and the comma or bracket behind it need a space between them"},
		{"a tag of one's own that does", "a: [!b, c]\n", "p.yaml:1:5: a[0]: a tag and the comma or bracket behind it need a space between them"},
		{"a tag that lies", "a: !!bool yes\n", "p.yaml:1:4: a: the value is not what its tag says"},
		{"a slash escaped where every other escape is used", `{"a": "\/\v\a\e\b"}`, "p.yaml:1: found unknown escape character"},
		{"a slash escaped where every other escape is spelled", `{"a": "\/\x0B\x07\u001b\U00000008"}`, "p.yaml:1: found unknown escape character"},
		{"what a second document has wrong", "a: 1\n---\nb: [\n", "p.yaml:3: did not find expected node content"},
		{"an alias of the whole", "&x\na: *x\n", "p.yaml:2:4: a: an alias inside of what it stands for"},
		{"a document for another version", "%YAML 2.0\n---\na: 1\n", "p.yaml:1: found incompatible YAML document"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read("p.yaml", []byte(tt.text))
			require.Error(t, err)
			var one *Error
			require.ErrorAs(t, err, &one)
			assert.Equal(t, tt.want, err.Error())
		})
	}
}

func TestReadReportsAllFaultsInOrder(t *testing.T) {
	_, err := Read("p", []byte("a: {x: 1, x: 2}\nb: 18446744073709551616\nc: !!int y\n"))
	var all Errors
	require.ErrorAs(t, err, &all)
	require.Len(t, all, 3)
	assert.Equal(t, []int{1, 2, 3}, []int{all[0].Line, all[1].Line, all[2].Line})
	assert.Len(t, strings.Split(err.Error(), "\n"), 3)
	var first *Error
	require.ErrorAs(t, err, &first)
	assert.Equal(t, 1, first.Line)
}

func TestErrorsLeavesOutWhatNobodyReads(t *testing.T) {
	es := Errors{}
	for range maxErrors + 7 {
		es = append(es, &Error{Msg: "x"})
	}
	assert.True(t, strings.HasSuffix(es.Error(), "\nand 7 more"))
	assert.NoError(t, Errors(nil).Err())
}

func TestDepth(t *testing.T) {
	nested := func(n int) string { return "a: " + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "\n" }
	mustRead(t, nested(maxNesting))
	_, err := Read("p", []byte(nested(maxNesting+1)))
	require.ErrorContains(t, err, "more than 128 nested")
	_, err = Read("p", []byte(strings.Repeat("[", 100_000)))
	require.Error(t, err)

	anchored := "a: &x " + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "\nb: "
	mustRead(t, anchored+strings.Repeat("[", 57)+"*x"+strings.Repeat("]", 57)+"\n")
	_, err = Read("p", []byte(anchored+strings.Repeat("[", 58)+"*x"+strings.Repeat("]", 58)+"\n"))
	require.ErrorContains(t, err, "more than 128 nested")
}

func TestSizes(t *testing.T) {
	_, err := Read("p", []byte("a: "+strings.Repeat("x", MaxBytes)))
	require.ErrorContains(t, err, "at most 4194304 are read")

	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 9 {
		alias := "*a" + string(rune('0'+i))
		bomb += "a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.TrimSuffix(strings.Repeat(alias+",", 10), ",") + "]\n"
	}
	_, err = Read("p", []byte(bomb))
	require.ErrorContains(t, err, "values when aliases are written out")
	assert.Equal(t, 5, mustRead(t, "a: &x [1]\nb: *x\n").Size())
}

func TestPlacesSurvive(t *testing.T) {
	n := mustRead(t, "a:\n  - 1\n  - {b: 2}\nc: &x 3\nd: *x\n")
	a, _ := n.Get("a")
	assert.Equal(t, Pos{2, 5}, a.Items[0].Pos())
	assert.Equal(t, Pos{3, 6}, a.Items[1].KeyPos[0])
	assert.Equal(t, []Pos{{1, 1}, {4, 1}, {5, 1}}, n.KeyPos)
	d, _ := n.Get("d")
	assert.Equal(t, Pos{4, 4}, d.Pos(), "where it was anchored")
	_, ok := n.Get("e")
	assert.False(t, ok)
}

func TestWhatJSONHasNoWordForIsLeftToTheReader(t *testing.T) {
	n := mustRead(t, "a: {1: x, b: !own y}\nc: [! z]\nd: ok\n! e: 1\n&x ! f: 1\ng: '! h'\n")
	a, _ := n.Get("a")
	assert.Equal(t, "p:1:5: a: a name must be a string: quote it\np:1:14: a.b: a tag of your own has no meaning here",
		a.Strict("p", Path{}.Key("a")).Error())
	pos, odd := a.OddKey()
	assert.True(t, odd)
	assert.Equal(t, Pos{1, 5}, pos)
	assert.True(t, a.Items[1].Tagged())
	c, _ := n.Get("c")
	assert.Len(t, c.Strict("p", Path{}), 1)
	for _, fine := range []string{"d", "e", "f", "g"} {
		item, _ := n.Get(fine)
		assert.Empty(t, item.Strict("p", Path{}), fine)
	}
	_, odd = n.OddKey()
	assert.False(t, odd, "a tag on a name is not seen")
}

func TestPathsAreReadable(t *testing.T) {
	assert.Empty(t, Path{}.String())
	assert.Equal(t, `schemas["a.b"].x[3]["é"]`, Path{}.Key("schemas").Key("a.b").Key("x").Index(3).Key("é").String())
	assert.Less(t, len(Path{}.Key(strings.Repeat("x", 1000)).String()), 100)
	assert.Equal(t, `[""]`, Path{}.Key("").String())
}

func TestBuilderMakesWhatADocumentCould(t *testing.T) {
	b := Builder{At: Pos{7, 3}}
	n := b.Object().Add("a", b.String("x")).Add("b", b.Array(b.True(), b.Integer("1")))
	assert.Equal(t, `{"a":"x","b":[true,1]}`, string(n.AppendJSON(nil)))
	assert.Equal(t, 5, n.Size())
	assert.Equal(t, 2, n.height)
	assert.Equal(t, Pos{7, 3}, n.Pos())
	r := n.Replace("a", b.Array()).Replace("c", b.True())
	assert.Equal(t, `{"a":[],"b":[true,1],"c":true}`, string(r.AppendJSON(nil)))
	assert.Equal(t, `{"a":"x","b":[true,1]}`, string(n.AppendJSON(nil)), "the old one is as it was")
	assert.True(t, r.Has("c"))
	assert.Equal(t, map[string]any{"a": []any{}, "b": []any{true, n.Items[1].Items[1].Any()}, "c": true}, r.Any())
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"a: 1\n", "{\"a\": [1, 2.5, null, true, \"\\/\"]}", "a: &x [1]\nb: *x\n", "a: &x {b: *x}\n", "%YAML 1.2\n---\na: 0x1F\n",
		"a: !!int 3\nb: !x y\n? [z]\n: 1\n", "a: |\n  x\nb: >\n y\n", "a: \"\\u0041\\x41\\v\\/\"\n", "<<: {a: 1}\n", "a: {1: x, 1: y}\n",
		"\xff", "\uFEFFa: .nan\n", "a: 1\n---\nb: 2\n", "a: ! 3\n", "a: 18446744073709551616", "{{", "a:\n\t- b\n", "*a : b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := Read("p", text)
		again, errAgain := Read("p", text)
		if err != nil {
			var one *Error
			require.ErrorAs(t, err, &one, "every error has a place or is one")
			require.Equal(t, err.Error(), errAgain.Error(), "the same document, the same faults")
			return
		}
		json := n.AppendJSON(nil)
		require.Equal(t, string(json), string(again.AppendJSON(nil)), "the same document, the same tree")
		if n.Strict("p", Path{}) == nil && n.height <= 127 {
			var d canon.Doc
			require.NoError(t, d.Parse(string(json), canon.Limits{}), "a strict tree is strict JSON")
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text, err := os.ReadFile("../../../../testdata/vectors/speed/policy_500.json")
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("p", text); err != nil {
			b.Fatal(err)
		}
	}
}
