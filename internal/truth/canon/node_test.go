// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNodeOfEachKind(t *testing.T) {
	for _, tt := range []struct {
		text   string
		kind   Kind
		length int
		truth  bool
		str    string
		number string
		float  float64
	}{
		{text: "null", kind: KindNull},
		{text: "true", kind: KindBool, truth: true},
		{text: "false", kind: KindBool},
		{text: "-1.50e1", kind: KindNumber, number: "-1.50e1", float: -15},
		{text: `"plain"`, kind: KindString, str: "plain"},
		{text: `"\u00e9\n"`, kind: KindString, str: "\u00e9\n"},
		{text: `[1,[2,3],4]`, kind: KindArray, length: 3},
		{text: `{"a":{"b":1,"c":2}}`, kind: KindObject, length: 1},
	} {
		t.Run(tt.text, func(t *testing.T) {
			n := parsed(t, tt.text).Root()
			assert.Equal(t, tt.kind, n.Kind())
			assert.Equal(t, tt.length, n.Len())
			assert.Equal(t, tt.truth, n.Bool())
			assert.Equal(t, tt.str, n.Str())
			assert.Equal(t, tt.number, n.Number())
			assert.InDelta(t, tt.float, n.Float(), 0)
		})
	}
}

func TestWhatIsNoNode(t *testing.T) {
	var empty Doc
	stale := parsed(t, "[1]").Root()
	stale.doc.Reset()
	for _, n := range []Node{{}, empty.Root(), stale, (*Doc)(nil).Root()} {
		assert.Equal(t, KindNone, n.Kind())
		assert.Zero(t, n.Len())
		assert.False(t, n.Bool())
		assert.Empty(t, n.Str())
		assert.Empty(t, n.Number())
		assert.Zero(t, n.Float())
		assert.Nil(t, n.Any())
		assert.Empty(t, n.AppendJCS(nil))
		for range n.All() {
			t.Fatal("it contains something")
		}
		_, found := n.Get("a")
		assert.False(t, found)
	}
}

func TestAllKeepsTheWrittenOrder(t *testing.T) {
	n := parsed(t, `{"b":[1,{"x":0}],"a":"","\u0063":{"b":2}}`).Root()
	var got []string
	for key, member := range n.All() {
		got = append(got, key+"="+string(member.AppendJCS(nil)))
	}
	assert.Equal(t, []string{`b=[1,{"x":0}]`, `a=""`, `c={"b":2}`}, got)
	got = nil
	for key, element := range parsed(t, `[[1],2,"x"]`).Root().All() {
		assert.Empty(t, key)
		got = append(got, string(element.AppendJCS(nil)))
		if len(got) == 2 {
			break
		}
	}
	assert.Equal(t, []string{"[1]", "2"}, got)
}

func TestGet(t *testing.T) {
	n := parsed(t, `{"b":1,"":2,"\ud83d\ude02":3,"\ufb33":4,"a long name":5,"a long name too":6,"o":{"b":7}}`).Root()
	for key, want := range map[string]string{
		"b": "1", "": "2", "\U0001F602": "3", "\uFB33": "4", "a long name": "5", "a long name too": "6", "o": `{"b":7}`,
	} {
		got, found := n.Get(key)
		require.True(t, found, "%q", key)
		assert.Equal(t, want, got.Number()+map[bool]string{true: `{"b":7}`}[key == "o"])
	}
	for _, key := range []string{"B", "a long nam", "a long name ", "\x00", "c"} {
		_, found := n.Get(key)
		assert.False(t, found, "%q", key)
	}
	_, found := parsed(t, `["a"]`).Root().Get("")
	assert.False(t, found, "an element has no name")
}

func TestAny(t *testing.T) {
	got := parsed(t, `{"s":"x","t":true,"n":null,"a":[1,{}],"o":{"k":"\n"}}`).Root().Any()
	assert.Equal(t, map[string]any{
		"s": "x", "t": true, "n": nil, "a": []any{json.Number("1"), map[string]any{}}, "o": map[string]any{"k": "\n"},
	}, got)
	for text, want := range map[string]json.Number{
		"1": "1", "-9223372036854775808": "-9223372036854775808", "9007199254740993": "9007199254740993",
		"18446744073709551615": "18446744073709551615", "18446744073709551616": "18446744073709552000",
		"-9223372036854775809": "-9223372036854776000", "-0": "0", "1.0": "1", "1e2": "100", "0.10": "0.1",
		"1e-999999999": "0", "1e300": "1e+300", "0.1000000000000000055": "0.1",
	} {
		assert.Equal(t, want, parsed(t, text).Root().Any(), text)
	}
}

func TestAnyLosesNothing(t *testing.T) {
	text := sampleArguments(8 << 10)
	again, err := json.Marshal(parsed(t, text).Root().Any())
	require.NoError(t, err)
	assert.JSONEq(t, text, string(again))
}

// TestConcurrentReaders reads one Doc from many goroutines; -race watches.
func TestConcurrentReaders(t *testing.T) {
	d := parsed(t, sampleArguments(2<<10))
	want := string(d.Root().AppendJCS(nil))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				assert.Equal(t, want, string(d.Root().AppendJCS(nil)))
				_, found := d.Root().Get("note")
				assert.True(t, found)
			}
		})
	}
	wg.Wait()
}

func TestKindNames(t *testing.T) {
	got := fmt.Sprint(KindNone, KindNull, KindBool, KindNumber, KindString, KindArray, KindObject, Kind(99))
	assert.Equal(t, "none null boolean number string array object none", got)
}
