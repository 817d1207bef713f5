// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"encoding"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	_ encoding.BinaryMarshaler   = (*State)(nil)
	_ encoding.BinaryAppender    = (*State)(nil)
	_ encoding.BinaryUnmarshaler = (*State)(nil)
)

func TestAStoredStateGoesOnAsIfNothingHadHappened(t *testing.T) {
	r := argRules(t)
	calls := append(named("a b c a"), withArgs(t, "a", `{"x":1}`), withArgs(t, "b", `{"x":2}`), Call{Name: "c"})
	for range 7 {
		calls = append(calls, calls...)
	}
	whole := r.NewState(3)
	cut := r.NewState(3)
	for i, c := range calls {
		require.Equal(t, whole.Add(c), cut.Add(c))
		if i%37 == 0 {
			cut = stored(t, cut)
		}
	}
	assert.Equal(t, whole.Records(Complete), cut.Records(Complete))
	a, _ := whole.MarshalBinary()
	b, _ := cut.MarshalBinary()
	assert.Equal(t, a, b, "equal states have one text")
}

func TestAStateOfOtherRulesIsRefused(t *testing.T) {
	const one = "{type: max_calls, tool: {tool: a, args_match: {x: '1'}}, max: 1}"
	data, err := play(flow(t, "", one), 0, named("a")).MarshalBinary()
	require.NoError(t, err)
	for name, other := range map[string]*Rules{
		"another bound":               flow(t, "", "{type: max_calls, tool: {tool: a, args_match: {x: '1'}}, max: 2}"),
		"another regex, the same id":  flow(t, "", "{type: max_calls, tool: {tool: a, args_match: {x: '2'}}, max: 1}"),
		"another meaning of an alias": flow(t, "a: [b]", one),
		"one rule more":               flow(t, "", one, one),
		"none":                        flow(t, ""),
	} {
		assert.ErrorIs(t, other.NewState(0).UnmarshalBinary(data), ErrOtherRules, name)
	}
	same := flow(t, "unused: [b]", "{type: max_calls, tool: {tool: a, args_match: {x: '1'}}, max: 1, id: refunds}")
	assert.NoError(t, same.NewState(0).UnmarshalBinary(data), "an id and an unused alias change nothing")
}

func TestDamageIsRefused(t *testing.T) {
	r := flow(t, "", "{type: after, trigger: a, then: b, within: 3}", "{type: sequence, tools: [a, b, c]}")
	data, err := play(r, 0, named("a c")).MarshalBinary()
	require.NoError(t, err)
	const header = 1 + printSize
	edit := func(at int, to byte) []byte {
		changed := append([]byte(nil), data...)
		changed[at] = to
		return changed
	}
	for _, tt := range []struct {
		name string
		data []byte
		want error
	}{
		{"nothing", nil, ErrState},
		{"a header alone", data[:header], ErrState},
		{"cut short", data[:len(data)-1], ErrState},
		{"something behind", append(append([]byte(nil), data...), 0), ErrState},
		{"another version", edit(0, 2), ErrStateVersion},
		{"other rules", edit(1, data[1]+1), ErrOtherRules},
		{"a number that is longer than it must be", append(append(append([]byte(nil), data[:header]...), data[header]|0x80, 0), data[header+1:]...), ErrState},
		{"a bound of zero", edit(header, 0), ErrState},
		{"fewer calls than the log has", edit(header+1, 1), ErrState},
		{"a phase that is none", edit(header+2, 9), ErrState},
		{"more kept than calls", edit(header+3, 3), ErrState},
		{"a window that is longer than the rule's", edit(header+4, 4), ErrState},
		{"an open window of no calls", edit(header+4, 0), ErrState},
		{"a rule that is not there", edit(len(data)-2, 2), ErrState},
		{"indices that do not rise", edit(len(data)-1, 0), ErrState},
		{"an index that the run has not reached", edit(len(data)-1, 2), ErrState},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := play(r, 0, named("b"))
			before := briefs(s.Records(Complete))
			require.ErrorIs(t, s.UnmarshalBinary(tt.data), tt.want)
			assert.Equal(t, before, briefs(s.Records(Complete)), "a refusal changes nothing")
		})
	}
}

// TestNoFlippedBitBreaksAState says that a damaged state is refused, or is one
// that works.
func TestNoFlippedBitBreaksAState(t *testing.T) {
	r := argRules(t)
	calls := append(named("a b c"), withArgs(t, "a", `{"x":1}`))
	for range 7 {
		calls = append(calls, calls...)
	}
	data, err := play(r, 3, calls).MarshalBinary()
	require.NoError(t, err)
	for i := range 8 * len(data) {
		changed := append([]byte(nil), data...)
		changed[i/8] ^= 1 << (i % 8)
		useStored(t, r, changed)
	}
}

func useStored(t testing.TB, r *Rules, data []byte) {
	s := r.NewState(0)
	if s.UnmarshalBinary(data) != nil {
		return
	}
	again, err := s.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, data, again)
	for range 2 {
		for _, e := range bothExtents {
			require.Len(t, s.Records(e), r.Len())
		}
		s.Add(Call{Name: "a"})
		s.Add(Call{Name: "b"})
		_, _ = s.Replace(s.Calls()-1, withArgs(t, "b", `{"x":12}`))
	}
}

func FuzzStoredState(f *testing.F) {
	r := argRules(f)
	for _, calls := range []string{"", "a", "b a c", "a b c c b a", "a a a a a b b b b c c c c"} {
		data, err := play(r, 3, named(calls)).MarshalBinary()
		require.NoError(f, err)
		f.Add(data[1+printSize:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		useStored(t, r, append(append([]byte{stateVersion}, r.print[:]...), body...))
	})
}
