// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func loadSpec(t testing.TB, spec []specRule) *Rules {
	t.Helper()
	lines := make([]string, len(spec))
	for i, r := range spec {
		lines[i] = r.yaml()
	}
	return flow(t, specAliases, lines...)
}

func letters(calls string) []Call { return named(strings.Join(strings.Split(calls, ""), " ")) }

var bothExtents = []Extent{Partial, Complete}

// agrees compares a record with what the table says, of which a state keeps
// bound indices at most.
func (want specRecord) agrees(got *Record, bound int) bool {
	kept := want.spanned
	if bounded := got.Kind == KindRequire || got.Kind == KindBlocklist || got.Kind == KindMaxCalls ||
		got.Kind == KindEventually || got.Kind == KindAfter; bounded && len(kept) > bound {
		kept = kept[:bound]
	}
	return want.outcome == got.Outcome.String() && got.SpannedTotal == len(want.spanned) &&
		slices.Equal(kept, got.Spanned) && got.Spanned != nil && (got.Outcome == Held) == (got.Reason == NoReason)
}

// TestEveryShortRun holds both evaluators against the table: every run of up to
// six calls of three tools, at both extents, whole and with few indices kept.
func TestEveryShortRun(t *testing.T) {
	spec := specRules()
	r := loadSpec(t, spec)
	traces(6, func(calls string) {
		states := map[int]*State{1: play(r, 1, letters(calls)), 3: play(r, 3, letters(calls))}
		for _, e := range bothExtents {
			batch, one, three := r.Evaluate(letters(calls), e), states[1].Records(e), states[3].Records(e)
			for i := range spec {
				want := spec[i].evaluate(calls, e == Complete)
				if !want.agrees(&batch[i], len(calls)) || !want.agrees(&one[i], 1) || !want.agrees(&three[i], 3) {
					t.Fatalf("%s on %q, %s: want %v\nbatch %+v\nkeeping 1 %+v\nkeeping 3 %+v",
						spec[i].yaml(), calls, e, want, batch[i], one[i], three[i])
				}
			}
		}
	})
}

// TestEveryPrefix says that a state read at any time, or stored and read back,
// is what the calls so far say, and that Take names the rules that a call
// turned violated.
func TestEveryPrefix(t *testing.T) {
	spec := specRules()
	r := loadSpec(t, spec)
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		calls := randomCalls(random, 30)
		s := r.NewState(4)
		for n := range len(calls) {
			was := violatedBySpec(spec, calls[:n])
			added := s.Add(Call{Name: calls[n : n+1]})
			now := violatedBySpec(spec, calls[:n+1])
			require.Equal(t, minus(now, was), added, "the rules that call %d of %q turned violated", n, calls)
			s = stored(t, s)
			for _, e := range bothExtents {
				for i, got := range s.Records(e) {
					if want := spec[i].evaluate(calls[:n+1], e == Complete); !want.agrees(&got, 4) {
						t.Fatalf("%s on %q, %s: want %v, got %+v", spec[i].yaml(), calls[:n+1], e, want, got)
					}
				}
			}
		}
	}
}

func randomCalls(random *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(allTools[min(random.IntN(5), 2)])
	}
	return b.String()
}

func violatedBySpec(spec []specRule, calls string) (violated []int) {
	for i := range spec {
		if spec[i].evaluate(calls, false).outcome == "violated" {
			violated = append(violated, i)
		}
	}
	return violated
}

func minus(a, b []int) (rest []int) {
	for _, n := range a {
		if !slices.Contains(b, n) {
			rest = append(rest, n)
		}
	}
	return rest
}

// stored returns s after a restart.
func stored(t testing.TB, s *State) *State {
	t.Helper()
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	back := s.rules.NewState(0)
	require.NoError(t, back.UnmarshalBinary(data))
	return back
}

// TestALongRun says the same of a run in which every count is large.
func TestALongRun(t *testing.T) {
	spec := specRules()
	r := loadSpec(t, spec)
	random := rand.New(rand.NewPCG(3, 4))
	calls := randomCalls(random, 3000)
	s := play(r, DefaultBound, letters(calls))
	for _, e := range bothExtents {
		for i, got := range s.Records(e) {
			want := spec[i].evaluate(calls, e == Complete)
			assert.True(t, want.agrees(&got, DefaultBound), "%s, %s", spec[i].yaml(), e)
		}
	}
}

// TestMoreCallsNeverMend says of every kind but require that what is violated
// on a partial run stays so whatever comes, and of require that what holds does.
func TestMoreCallsNeverMend(t *testing.T) {
	spec := specRules()
	r := loadSpec(t, spec)
	traces(4, func(calls string) {
		was := r.Evaluate(letters(calls), Partial)
		for i := range allTools {
			for j, now := range r.Evaluate(letters(calls+allTools[i:i+1]), Partial) {
				lasting := Violated
				if now.Kind == KindRequire {
					lasting = Held
				}
				if was[j].Outcome == lasting && now.Outcome != lasting {
					t.Fatalf("%s on %q: %s, and with one more call %s", spec[j].yaml(), calls, was[j].Outcome, now.Outcome)
				}
			}
		}
	})
}
