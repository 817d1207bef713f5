// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

func TestALongRunKeepsCountAndNotItsCalls(t *testing.T) {
	b := newBook(t, Options{Records: 100, Window: 64}, `{type: max_calls, tool: pay, max: 5000}`, `{type: never_after, trigger: read, forbidden: mail}`)
	b.one("read", 1, given(`{}`))
	var size int64
	for i := 2; i <= 10_000; i++ {
		p := b.one("pay", i, deciding(truth.Verdicts()[i%3]))
		require.Equal(t, int64(i-1), p.Order)
		if i == 5000 {
			size = b.Stats().Bytes
		}
	}
	assert.InDelta(t, size, b.Stats().Bytes, 12_000, "it costs no more than it did")
	old := b.one("pay", 9, deciding(truth.Match))
	assert.Equal(t, KindNew, old.Kind, "a span resent from before the window counts again")
	mail := b.one("mail", 20_000)
	assert.Equal(t, []string{"never_after:read->mail"}, mail.Violated, "the rules forget nothing")
	c := b.end()
	assert.Equal(t, int64(10_002), c.Calls)
	assert.Equal(t, Counts{Match: 3335, Incomplete: 3334, Mismatch: 3333}, c.Counts)
	assert.Equal(t, truth.Mismatch, c.Verdict)
	assert.Contains(t, c.Caveats, CaveatWindowPassed)
	assert.Equal(t, int64(10_002), c.Policies[0].Calls)
	assert.Equal(t, int64(10_002), c.Policies[0].Seen)
	assert.Equal(t, sequence.Violated, c.Policies[0].Records[0].Outcome)
	assert.Equal(t, 10_000, c.Policies[0].Records[0].SpannedTotal)
	require.NotEmpty(t, c.Cited)
	assert.LessOrEqual(t, len(c.Cited), 100)
	assert.Equal(t, int64(10_001), c.Cited[len(c.Cited)-1].Order, "the last are cited")
	assert.Equal(t, c.Calls, int64(len(c.Cited))+c.Uncited, "and the others counted")
}

func TestALongRunGoesOnAfterARestart(t *testing.T) {
	play := func(restarts bool) string {
		b := newBook(t, Options{Records: 40, Window: 16}, lawRules...)
		for i := 1; i <= 300; i++ {
			b.one(toolNames[i%3], i, given(fmt.Sprintf(`{"a":%d}`, i%7)), deciding(truth.Verdicts()[i%2]))
			if restarts && i%7 == 0 {
				restart(t, b)
			}
		}
		return tell(b.end())
	}
	assert.Equal(t, play(false), play(true))
}

func TestArgumentsThatComeLateReachTheRules(t *testing.T) {
	b := newBook(t, Options{}, `{type: never_after, trigger: {tool: read, args_match: {a: "1"}}, forbidden: mail}`)
	b.one("read", 1, lasting(100))
	b.one("mail", 50)
	p := b.one("read", 2, as(LayerMCPServer), below(1), given(`{"a":1}`))
	assert.Equal(t, KindReplaced, p.Kind)
	assert.Equal(t, []string{"never_after:read[a]->mail"}, p.Violated, "the call turned the rule violated")
	c := b.end()
	assert.Equal(t, []string{"never_after:read[a]->mail violated [0 1]"}, outcomes(c))
	assert.Empty(t, caveatsOf(c))
}

func TestArgumentsThatComeTooLateForTheRules(t *testing.T) {
	b := newBook(t, Options{Window: 1000}, `{type: require, tool: {tool: read, args_match: {a: "1"}}}`)
	b.one("read", 1, lasting(100_000))
	for i := 2; i < 600; i++ {
		b.one("pay", i)
	}
	p := b.one("read", 1000, as(LayerMCPServer), below(1), given(`{"a":1}`))
	assert.Equal(t, KindReplaced, p.Kind)
	c := b.end()
	assert.Equal(t, "rules_behind", caveatsOf(c)[strings.Index(caveatsOf(c), "rules"):])
	assert.Equal(t, int64(1), c.Policies[0].Behind, "the record says that its rules have not seen it")
	assert.Equal(t, sequence.Partial, c.Extent)
}

func TestACallThatIsRenamed(t *testing.T) {
	prefixed := func(a, b string) bool { return a == "mcp__bank__"+b }
	rename := func(b *book) Placement {
		b.one("pay", 2, as(LayerMCPServer), below(1))
		return b.one("mcp__bank__pay", 1, lasting(9), given(`{"a":1}`))
	}
	t.Run("rules that read no arguments are evaluated anew", func(t *testing.T) {
		b := newBook(t, Options{SameTool: prefixed}, `{type: max_calls, tool: pay, max: 0}`, `{type: require, tool: mcp__bank__pay}`)
		p := rename(b)
		assert.Equal(t, KindReplaced, p.Kind)
		assert.Empty(t, p.Violated)
		c := b.end()
		assert.Equal(t, []string{"max_calls:pay<=0 held []", "require:mcp__bank__pay held [0]"}, outcomes(c))
		assert.Empty(t, caveatsOf(c))
	})
	t.Run("rules that do keep the name that they know, and say so", func(t *testing.T) {
		b := newBook(t, Options{SameTool: prefixed, Records: 9}, `{type: require, tool: {tool: pay, args_match: {a: "1"}}}`)
		p := rename(b)
		assert.Equal(t, KindReplaced, p.Kind)
		restart(t, b)
		again := b.one("mcp__bank__pay", 1, lasting(9), given(`{"a":2}`), saying(3))
		assert.Equal(t, KindChanged, again.Kind)
		c := b.end()
		assert.Equal(t, []string{"require:pay[a] violated []"}, outcomes(c), "the arguments it had last")
		assert.Equal(t, "rules_behind", caveatsOf(c))
		assert.Equal(t, int64(2), c.Policies[0].Behind)
	})
}

func TestADecisionByANewPolicyLeavesTheOldRulesBehind(t *testing.T) {
	b := newBook(t, evidence, `{type: max_calls, tool: pay, max: 0}`)
	b.one("pay", 1)
	changed := policyOf(t, "main", `{type: max_calls, tool: pay, max: 3}`)
	p := b.one("pay", 1, saying(2), by(changed), given(`{}`))
	assert.Equal(t, KindChanged, p.Kind)
	assert.Equal(t, changed, p.Policy)
	assert.Empty(t, p.Violated)
	c := b.end()
	assert.Equal(t, "policy_changed rules_behind", caveatsOf(c))
	assert.Equal(t, []int64{0, 1}, []int64{c.Policies[0].Calls, c.Policies[1].Calls})
	assert.Equal(t, []int64{1, 1}, []int64{c.Policies[0].Behind, c.Policies[1].Behind})
	assert.Equal(t, changed, c.Cited[0].Policy)
}

func TestMorePoliciesThanARunTellsApart(t *testing.T) {
	b := newBook(t, evidence)
	for i := range 300 {
		b.one("pay", i+1, by(NewPolicy(fmt.Sprint("p", i), "", nil)))
	}
	c := b.end()
	assert.Len(t, c.Policies, maxPolicies)
	assert.Equal(t, int64(300), c.Calls)
	assert.Contains(t, c.Caveats, CaveatRulesBehind)
}

func TestNamesAreSharedUpToABound(t *testing.T) {
	b := newBook(t, Options{Shards: 1, Window: 64})
	long := strings.Repeat("x", 5000)
	for i := range 3 * maxShared {
		b.one(fmt.Sprint("tool", i), i+1)
	}
	s := b.shards[0]
	assert.Len(t, s.names.list, maxShared)
	r := s.runs[runOf(1)]
	assert.LessOrEqual(t, len(r.more.rare.names), 64, "what a run has of its own goes with its calls")

	b.one(long+"a", 5001, withID("c"))
	assert.Equal(t, KindJoined, b.one(long+"a", 5002, at(5001), withID("c")).Kind)
	assert.Equal(t, KindNew, b.one(long+"b", 5003, at(5001), withID("c")).Kind, "long names are told apart")
	for _, name := range r.more.rare.names {
		assert.LessOrEqual(t, len(name), maxNameLen)
	}
	restart(t, b)
	assert.Equal(t, KindResent, b.one(long+"a", 5001, withID("c")).Kind)
}

func TestSpansOfOneCallAreBounded(t *testing.T) {
	b := newBook(t, evidence)
	g := called("pay", 1)
	for i := range 100 {
		g.Members = append(g.Members, called("pay", 100+i, as(LayerMCPServer), below(1)).Members...)
	}
	b.place(g)
	for i := range 100 {
		b.one("pay", 300+i, as(LayerMCPClient), below(299-i*0))
	}
	assert.LessOrEqual(t, len(b.shardOf(runOf(1)).runs[runOf(1)].edges()), maxMembers+100)
	assert.Equal(t, KindResent, b.one("pay", 1).Kind)
}

func TestHopsAreBounded(t *testing.T) {
	b := newBook(t, evidence)
	b.one("pay", 1, lasting(100))
	for i := range 10 * maxHops {
		b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Hops: []Hop{{spanOf(100 + i), spanOf(1)}}}})
	}
	assert.Len(t, b.shardOf(runOf(1)).runs[runOf(1)].hops(), maxHops)
	assert.Equal(t, KindNew, b.one("pay", 2, as(LayerMCPServer), below(100)).Kind, "the oldest are gone")
	assert.Equal(t, KindJoined, b.one("pay", 3, as(LayerMCPServer), below(100+10*maxHops-1)).Kind)
	restart(t, b)
}

func TestWhatIsSeenBeforeACallIsBounded(t *testing.T) {
	b := newBook(t, Options{MaxRuns: 100})
	for i := range 1000 {
		b.placeSeen(rootOf(i + 1))
	}
	s := b.shards[0]
	assert.LessOrEqual(t, len(s.early.now)+len(s.early.old), 100)
	b.one("a", 1, inRun(1000))
	assert.Equal(t, sequence.Complete, b.end().Extent)
}

func TestMemoryStaysWithinItsBoundWhileRunsComeAndGo(t *testing.T) {
	const most = 3 << 20
	b := newBook(t, Options{MaxRuns: 5000, MaxBytes: most, Records: 100, Stored: true}, tenRules...)
	closed, worst := 0, int64(0)
	for i := range 30_000 {
		b.one(toolNames[i%5], i+1, inRun(i/3+1))
		closed += len(b.ended.Closed)
		b.ended = Ended{}
		if i%1000 == 0 {
			closed += len(b.later(time.Second))
		}
		worst = max(worst, b.Stats().Bytes)
	}
	assert.LessOrEqual(t, worst, int64(most)*101/100)
	assert.Positive(t, closed)
	for _, s := range b.shards {
		total := int64(0)
		for _, r := range s.runs {
			total += r.size()
		}
		if len(b.shards) == 1 {
			assert.Equal(t, total, b.Stats().Bytes, "the account is right")
		}
	}
}

func TestTheAccountOfMemoryIsRight(t *testing.T) {
	b := newBook(t, Options{MaxRuns: 40, Records: 8, Window: 8, Shards: 4}, tenRules...)
	for i := range 5000 {
		p := b.one(toolNames[i%5], i+1, inRun(i*7%90+1), given(fmt.Sprintf(`{"path":"/etc%d"}`, i)))
		_ = p
		for j := range b.ended.Closed {
			b.Issued(&b.ended.Closed[j], Sum{1})
		}
		b.ended = Ended{}
		if i%300 == 0 {
			b.later(40 * time.Second)
		}
	}
	total, open, closed := int64(0), 0, 0
	for _, s := range b.shards {
		for _, r := range s.runs {
			total += r.size()
			if r.is(closedBit) {
				closed++
			} else {
				open++
			}
		}
	}
	assert.Equal(t, Stats{Open: int64(open), Closed: int64(closed), Bytes: total}, b.Stats())
}

const closedBit = closed

func TestGroupsThatHaveNoPlace(t *testing.T) {
	b := newBook(t, evidence)
	ps, _ := b.Place(noon, Batch{Groups: []Group{{Run: runOf(1), Policy: b.policy}, {Run: runOf(1), Members: []Member{{}}}, called("a", 1, by(b.policy))}})
	assert.Equal(t, []Kind{0, 0, KindNew}, []Kind{ps[0].Kind, ps[1].Kind, ps[2].Kind})
	b.Settle(ps, nil)
	assert.Equal(t, []ID{runOf(1)}, Runs(ps))
	_, ok := b.KnownAs(&Group{})
	assert.False(t, ok)
	_, ok = b.KnownAs(&Group{Run: runOf(5), Members: []Member{{}}})
	assert.False(t, ok)
	b.Issued(&Closed{}, Sum{})
	assert.True(t, b.Knows(runOf(1)))
	assert.False(t, b.Knows(runOf(5)))
	_, ok = b.AppendRun(nil, runOf(9))
	assert.False(t, ok)
}

func TestOrdersEndBeforeADoubleLosesThem(t *testing.T) {
	b := newBook(t, evidence)
	b.one("a", 1)
	r := b.shardOf(runOf(1)).runs[runOf(1)]
	r.next = maxOrder
	r.calls = nil
	assert.Equal(t, int64(maxOrder), b.one("a", 2).Order)
	assert.Equal(t, Kind(0), b.one("a", 3).Kind)
	assert.Equal(t, KindResent, b.one("a", 2).Kind)
}
