// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

const lawPolicy = `
tools: {allow: [a, b, c], deny: [d]}
schemas:
  a: {type: object, properties: {n: {type: integer, maximum: 5}}, required: [n]}
  b: {type: object}
  c: {type: object}
sequences:
  - {type: require, tool: a}
  - {type: blocklist, pattern: d}
  - {type: before, first: a, then: b}
  - {type: never_after, trigger: c, forbidden: d}
  - {type: max_calls, tool: {tool: a, args_match: {n: '[3-9]'}}, max: 1}
  - {type: eventually, tool: b, within: 4}
  - {type: after, trigger: a, then: c, within: 2}
  - {type: sequence, tools: [a, b, c]}
`

// someRun returns the spans of a run in the order in which they began: an
// agent's root, and below it calls of one or two layers with arguments on
// either, and spans of other kinds between them.
func someRun(rng *rand.Rand, trace int) []part {
	parts := []part{{trace: trace, id: 1, start: 0, end: 1000}}
	id, now := 2, 1
	for range 1 + rng.IntN(6) {
		now += 3 * rng.IntN(3) // often at the same time
		tool := string("abcd"[rng.IntN(4)])
		args := []string{``, `{"n":1}`, `{"n":4}`, `{"n":9}`, `{"n":"x"}`}[rng.IntN(5)]
		outer := part{trace: trace, id: id, parent: 1, tool: tool, args: args, start: now, end: now + 3}
		id++
		if rng.IntN(2) == 0 {
			parts = append(parts, outer)
			continue
		}
		hop := part{trace: trace, id: id, parent: outer.id, start: now + 1, end: now + 3}
		inner := part{trace: trace, id: id + 1, parent: hop.id, tool: tool, args: args, mcp: true, start: now + 2, end: now + 3}
		id += 2
		if rng.IntN(2) == 0 {
			outer.args = "" // only the server knows them
		}
		parts = append(parts, outer, hop, inner)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.start - b.start })
	return parts
}

// told is what finally stands recorded of runs: their records and the carriers
// that they cite. What was superseded on the way does not count.
func told(t testing.TB, runs map[string]*ClosedRun) map[string]string {
	all := map[string]string{}
	for name, run := range runs {
		record := *run.Record
		record.Supersedes = ""
		text, err := json.Marshal(record)
		require.NoError(t, err)
		var out strings.Builder
		out.Write(text)
		for _, c := range run.Closed.Cited {
			fmt.Fprintf(&out, "\n%d %s", c.Order, c.Carrier.Digest())
		}
		all[name] = out.String()
	}
	return all
}

// TestTheSameSpansGiveTheSameRecords is the law of determinism: however the
// spans are cut into batches, shuffled within them, delivered again or spread
// over goroutines, the same records stand in the end.
func TestTheSameSpansGiveTheSameRecords(t *testing.T) {
	policies := policyOf(t, lawPolicy)
	for seed := range 60 {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		var runs [][]part
		for i := range 1 + rng.IntN(16) {
			runs = append(runs, someRun(rng, i+1))
		}
		want := deliver(t, policies, func(send func(...part)) {
			send(slices.Concat(runs...)...)
		})
		require.Len(t, want, len(runs))
		for way, arrive := range map[string]func(send func(...part)){
			"one span a batch": func(send func(...part)) {
				for _, run := range runs {
					for _, p := range run {
						send(p)
					}
				}
			},
			"shuffled within one batch": func(send func(...part)) {
				all := slices.Concat(runs...)
				rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				send(all...)
			},
			"cut at random, shuffled within batches, runs interleaved": func(send func(...part)) {
				cuts := make([][][]part, len(runs))
				for i := range runs {
					cuts[i] = cut(rng, runs[i])
				}
				for left := len(runs); left > 0; {
					var batch []part
					left = 0
					for i := range cuts {
						if len(cuts[i]) > 0 && rng.IntN(2) == 0 {
							batch, cuts[i] = append(batch, cuts[i][0]...), cuts[i][1:]
						}
						left += len(cuts[i])
					}
					rng.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
					send(batch...)
				}
			},
			"each batch delivered again": func(send func(...part)) {
				for _, run := range runs {
					for _, batch := range cut(rng, run) {
						send(batch...)
						send(batch...)
					}
				}
			},
			"a goroutine for each run": func(send func(...part)) {
				var all sync.WaitGroup
				for _, run := range runs {
					batches := cut(rng, run)
					all.Go(func() {
						for _, batch := range batches {
							send(batch...)
						}
					})
				}
				all.Wait()
			},
		} {
			require.Equal(t, want, deliver(t, policies, arrive), "seed %d, %s", seed, way)
		}
	}
}

func deliver(t *testing.T, p Policies, arrive func(send func(...part))) map[string]string {
	t.Helper()
	e := newTestEngine(t)
	arrive(func(parts ...part) {
		_, err := e.Process(context.Background(), noon, p, batchOf(parts...))
		if err != nil {
			t.Error(err)
		}
	})
	return told(t, closeAll(t, e))
}

// TestAHeldRuleStaysHeldHoweverItsRunIsCut is the law on extents: what held over
// a complete run does not depend on where batches end.
func TestAHeldRuleStaysHeldHoweverItsRunIsCut(t *testing.T) {
	policies := policyOf(t, lawPolicy)
	held := 0
	for seed := range 300 {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		run := someRun(rng, 1)
		var want []sequence.Record
		for way, batches := range [][][]part{{run}, cut(rng, run), cut(rng, run)} {
			e := newTestEngine(t)
			for _, batch := range batches {
				process(t, e, policies, batch...)
			}
			for _, closed := range closeAll(t, e) {
				require.Equal(t, sequence.Complete, closed.Record.Extent)
				var records []sequence.Record
				for _, rule := range closed.Record.Rules {
					if rule.Outcome == sequence.Held {
						records = append(records, rule.Record)
					}
				}
				if way == 0 {
					want, held = records, held+len(records)
				}
				require.Equal(t, want, records, "seed %d", seed)
			}
		}
	}
	require.Greater(t, held, 300, "too few to mean anything")
}
