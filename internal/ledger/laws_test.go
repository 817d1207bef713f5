// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
)

var lawRules = []string{
	`{type: max_calls, tool: pay, max: 2}`, `{type: never_after, trigger: read, forbidden: mail}`,
	`{type: before, first: read, then: pay}`, `{type: sequence, tools: [read, pay, mail]}`,
	`{type: require, tool: {tool: pay, args_match: {a: "1"}}}`,
}

// observed is one span of a logical call in the laws below, or a span between
// two that is no tool call's.
type observed struct {
	group Group
	call  int
	hop   bool
}

func (o *observed) span() Span   { return o.group.Members[0].Span }
func (o *observed) parent() Span { return o.group.Members[0].Parent }

// someCalls makes logical calls of one to three layers, as agents do: each
// observation has the arguments or not, and all that have them have the same.
// Some have spans of other kinds between them.
func someCalls(rng *rand.Rand, run, n int) []observed {
	var all []observed
	for call := range n {
		name := toolNames[rng.IntN(3)]
		args := fmt.Sprintf(`{"a":%d}`, rng.IntN(3))
		above := 0
		for layer := range 1 + rng.IntN(3) {
			span := run*1000 + call*10 + 3*layer + 1
			if above != 0 && rng.IntN(2) == 0 {
				between := called("", span-1, inRun(run), below(above), at(call*10+layer), lasting(9-2*layer))
				all = append(all, observed{between, call, true})
				above = span - 1
			}
			edits := []edit{inRun(run), as(LayerAgent + Layer(layer)), below(above), at(call*10 + layer), lasting(9 - 2*layer)}
			if rng.IntN(2) == 0 {
				edits = append(edits, given(args))
			}
			all = append(all, observed{called(name, span, edits...), call, false})
			above = span
		}
	}
	return all
}

// climb returns the nearest ancestor of o that is a tool call's span, else the
// first that is not among spans.
func climb(spans []observed, o *observed) Span {
	at := o.parent()
	for {
		i := slices.IndexFunc(spans, func(s observed) bool { return s.span() == at })
		if i < 0 || !spans[i].hop {
			return at
		}
		at = spans[i].parent()
	}
}

// folded is what one batch shows of spans: those of a call that hang together
// are one group, whose primary is the first with arguments, else the outermost.
func folded(spans []observed) ([]Group, []Seen) {
	var groups [][]Group
	in := map[Span]int{}
	seen := rootOf(0)
	seen[0].Root = false
	for i := range spans {
		o := &spans[i]
		g := o.group
		seen[0].Run, seen[0].Trace = g.Run, g.Trace
		g.Members = slices.Clone(g.Members)
		g.Members[0].Parent = climb(spans, o)
		if o.hop {
			seen[0].Hops = append(seen[0].Hops, Hop{o.span(), g.Members[0].Parent})
			continue
		}
		at, ok := in[g.Members[0].Parent]
		if !ok {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], g)
		in[o.span()] = at
	}
	var out []Group
	for _, of := range groups {
		primary := max(0, slices.IndexFunc(of, func(g Group) bool { return g.Call.HasArgs }))
		g := of[primary]
		for i, other := range of {
			if i != primary {
				g.Members = append(g.Members, other.Members...)
			}
		}
		out = append(out, g)
	}
	return out, seen
}

func rootOf(run int) []Seen { return []Seen{{Run: runOf(run), Trace: traceOf(run), Root: true}} }

// TestBatchCutsDoNotMatter is the law that spans cut into batches in any way,
// in the order in which they began, lead to one record: the same orders,
// verdicts, carriers that stand, and rules.
func TestBatchCutsDoNotMatter(t *testing.T) {
	for seed := range 300 {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		spans := someCalls(rng, 1, 1+rng.IntN(8))
		whole := newBook(t, evidence, lawRules...)
		groups, seen := folded(spans)
		whole.placeSeen(append(seen, rootOf(1)...), groups...)
		want := whole.end()

		slices.SortStableFunc(spans, func(a, b observed) int {
			return cmp.Compare(a.group.Members[0].Start, b.group.Members[0].Start)
		})
		for cuts := range 3 {
			b := newBook(t, evidence, lawRules...)
			b.placeSeen(rootOf(1))
			for rest := spans; len(rest) > 0; {
				n := min(len(rest), []int{1, 1 + rng.IntN(4), len(rest)}[cuts])
				groups, seen := folded(rest[:n])
				b.placeSeen(seen, groups...)
				rest = rest[n:]
			}
			got := b.end()
			got.Superseded = nil // which batches had to be corrected is all that may differ
			require.Equal(t, tell(want), tell(got), "seed %d cut %d", seed, cuts)
		}
	}
}

// TestOutcomesDoNotDependOnWhoElseIsThere: 16 goroutines place the batches of
// runs of their own. Each run ends as if it were alone.
func TestOutcomesDoNotDependOnWhoElseIsThere(t *testing.T) {
	const runs = 64
	want := make(map[ID]string)
	batches := make([][]Batch, runs)
	for run := range runs {
		rng := rand.New(rand.NewPCG(uint64(run), 3))
		spans := someCalls(rng, run+1, 1+rng.IntN(8))
		b := newBook(t, evidence, lawRules...)
		for len(spans) > 0 {
			n := min(len(spans), 1+rng.IntN(4))
			groups, seen := folded(spans[:n])
			batches[run] = append(batches[run], Batch{Groups: b.groups(groups), Seen: seen})
			b.placeSeen(seen, groups...)
			spans = spans[n:]
		}
		c := b.end()
		want[c.Run] = tell(c)
	}
	shared := newBook(t, evidence, lawRules...)
	var workers sync.WaitGroup
	for worker := range 16 {
		workers.Go(func() {
			for run := worker; run < runs; run += 16 {
				for _, batch := range batches[run] {
					ps, _ := shared.Place(noon, batch)
					shared.settle(batch.Groups, ps)
				}
			}
		})
	}
	workers.Wait()
	closed := shared.later(time.Hour)
	require.Len(t, closed, runs)
	for _, c := range closed {
		assert.Equal(t, want[c.Run], tell(c))
	}
}

// TestDeliveringAgainChangesNothing is the law of idempotence.
func TestDeliveringAgainChangesNothing(t *testing.T) {
	for seed := range 100 {
		rng := rand.New(rand.NewPCG(uint64(seed), 4))
		once, twice := newBook(t, evidence, lawRules...), newBook(t, evidence, lawRules...)
		var before [][]Group
		for _, o := range someCalls(rng, 1, 6) {
			if o.hop {
				continue
			}
			batch := []Group{o.group}
			once.place(slices.Clone(batch)...)
			twice.place(batch...)
			before = append(before, batch)
			for range rng.IntN(3) {
				again := before[rng.IntN(len(before))]
				for _, p := range twice.place(again...) {
					require.Equal(t, KindResent, p.Kind)
					require.False(t, p.Record)
				}
			}
		}
		require.Equal(t, tell(once.end()), tell(twice.end()), "seed %d", seed)
	}
}

// TestARunDoesNotForget is the law of decision 9: so far only incomplete gives
// way to match.
func TestARunDoesNotForget(t *testing.T) {
	for seed := range 300 {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		b := newBook(t, evidence)
		said := map[[2]int]Group{}
		worst := truth.Match
		for range 20 {
			p := b.place(randomGroup(rng, said))[0]
			if worst >= truth.Mismatch {
				require.GreaterOrEqual(t, p.RunVerdict, worst)
			}
			require.GreaterOrEqual(t, p.RunVerdict, p.Verdict)
			worst = max(worst, p.RunVerdict)
		}
		c := b.end()
		require.Equal(t, worst >= truth.Mismatch, c.Verdict >= truth.Mismatch)
		require.Equal(t, c.Calls, c.Counts.Match+c.Counts.Incomplete+c.Counts.Mismatch+c.Counts.Invalid)
		for i := 1; i < len(c.Cited); i++ {
			require.Less(t, c.Cited[i-1].Order, c.Cited[i].Order)
		}
	}
}
