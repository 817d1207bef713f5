// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

const placePolicy = `
tools: {allow: [pay, bank_pay, mail], deny: [wipe]}
schemas: {pay: {type: object}, bank_pay: {type: object, required: [eur]}, mail: {type: object}}
`

func kinds(b *Batch) (all []string) {
	for i := range b.Decisions {
		all = append(all, fmt.Sprint(b.Decisions[i].Placed.Kind, " ", b.Decisions[i].Placed.Order))
	}
	return all
}

func TestASpanIsKnownAgainInAnyCompany(t *testing.T) {
	policies := policyOf(t, placePolicy)
	outer := part{trace: 1, id: 2, parent: 1, tool: "pay", start: 1, end: 9}
	inner := part{trace: 1, id: 3, parent: 2, tool: "pay", args: `{"eur":5}`, mcp: true, start: 2, end: 8}
	e := newTestEngine(t)
	assert.Equal(t, []string{"new 0"}, kinds(process(t, e, policies, outer, inner)))
	for _, again := range [][]part{{outer}, {inner}, {outer, inner}, {inner, outer}} {
		b := process(t, e, policies, again...)
		assert.Equal(t, []string{"resent 0"}, kinds(b))
		assert.Equal(t, truth.Match, b.Decisions[0].Verdict())
		assert.Equal(t, EvidenceRecorded, b.Decisions[0].Evidence)
	}
	assert.Len(t, e.set.Journal.(*memory).events, 1)
}

func TestArgumentsOfAMessageDoNotMakeASpanAnotherOne(t *testing.T) {
	policies := policyOf(t, placePolicy)
	asked := map[string]string{
		"gen_ai.operation.name":  "chat",
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"pay","arguments":{"eur":5}}]}]`,
	}
	call := part{trace: 1, id: 3, parent: 1, tool: "pay", start: 2, attrs: map[string]string{"gen_ai.tool.call.id": "c1"}}
	e := newTestEngine(t)
	b := process(t, e, policies, part{trace: 1, id: 2, parent: 1, attrs: asked}, call)
	require.Equal(t, truth.SourceInferred, b.Decisions[0].Source)

	e = newTestEngine(t)
	assert.Equal(t, []string{"new 0"}, kinds(process(t, e, policies, call)))
	process(t, e, policies, part{trace: 1, id: 2, parent: 1, attrs: asked})
	assert.Equal(t, []string{"resent 0"}, kinds(process(t, e, policies, call)), "the span says what it said")
}

func TestWhatLayersAddToArgumentsDoesNotCount(t *testing.T) {
	policies := policyOf(t, placePolicy)
	outer := part{trace: 1, id: 2, parent: 1, tool: "pay", args: `{"eur":5,"to":"x"}`, start: 1, end: 9}
	for args, want := range map[string]string{
		`{"to":"x","eur":5.0,"_meta":{"progressToken":7}}`: "joined 0",
		`{"to":"x","eur":6}`: "new 1",
		`{"to":"x"}`:         "new 1",
	} {
		e := newTestEngine(t)
		process(t, e, policies, outer)
		b := process(t, e, policies, part{trace: 1, id: 3, parent: 2, tool: "pay", args: args, mcp: true, start: 2})
		assert.Equal(t, []string{want}, kinds(b), args)
	}
}

func TestAnInnerSpanIsJudgedUnderTheNameThatWasAskedFor(t *testing.T) {
	policies := policyOf(t, placePolicy)
	e := newTestEngine(t)
	process(t, e, policies, part{trace: 1, id: 2, parent: 1, tool: "bank_pay", start: 1, end: 9})
	b := process(t, e, policies, part{trace: 1, id: 3, parent: 2, tool: "pay", args: `{}`, mcp: true, start: 2})
	d := &b.Decisions[0]
	assert.Equal(t, ledger.KindReplaced, d.Placed.Kind)
	assert.Equal(t, "bank_pay", d.Tool)
	assert.Equal(t, truth.Mismatch, d.Verdict(), "pay needs no eur, bank_pay does")
	assert.Equal(t, []string{"args.schema_violated"}, d.Reasons())

	b = process(t, e, policies, part{trace: 1, id: 4, parent: 1, tool: "pay", args: `{}`, mcp: true, start: 12})
	assert.Equal(t, "pay", b.Decisions[0].Tool, "below no call it has its own name")
}

func TestACallThatWaitsGoesOnInAnotherSpan(t *testing.T) {
	policies := policyOf(t, placePolicy)
	id := map[string]string{"gen_ai.tool.call.id": "c1"}
	waits := map[string]string{"gen_ai.tool.call.id": "c1", "pydantic_ai.tool.deferral.name": "ApprovalRequired"}
	for want, first := range map[string]map[string]string{"joined 0": waits, "new 1": id} {
		e := newTestEngine(t)
		process(t, e, policies, part{trace: 1, id: 2, parent: 1, tool: "pay", args: `{}`, start: 1, attrs: first})
		b := process(t, e, policies, part{trace: 1, id: 3, parent: 1, tool: "pay", args: `{}`, start: 90, attrs: id})
		assert.Equal(t, []string{want}, kinds(b))
	}
}

func TestOneSpanThatCoversMoreCallsThanCanBeNumbered(t *testing.T) {
	policies := policyOf(t, placePolicy)
	messages := `{"messages":[{"role":"assistant","content":[`
	for i := range 300 {
		if i > 0 {
			messages += ","
		}
		messages += fmt.Sprintf(`{"tool_call":{"tool_name":"mail","arguments":{},"id":"c%d"}}`, i)
	}
	span := part{trace: 1, id: 2, parent: 1, start: 1, attrs: map[string]string{
		"haystack.component.type": "ToolInvoker", "haystack.component.input": messages + `]}]}`,
	}}
	e := newTestEngine(t)
	b := process(t, e, policies, span)
	require.Len(t, b.Decisions, 300)
	orders := map[int64]bool{}
	for i := range b.Decisions {
		require.Equal(t, ledger.KindNew, b.Decisions[i].Placed.Kind)
		orders[b.Decisions[i].Placed.Order] = true
	}
	assert.Len(t, orders, 300)
}

func TestWhichRunACallBelongsTo(t *testing.T) {
	policies := policyOf(t, placePolicy)
	session := map[string]string{"session.id": "s"}
	keyed := func(s *Settings) { s.RunKey = RunKey{"session.id", "gen_ai.conversation.id"} }
	run := func(parts ...part) ledger.ID {
		b := process(t, newTestEngine(t, keyed), policies, parts...)
		require.NotEmpty(t, b.Decisions)
		return b.Decisions[len(b.Decisions)-1].Run
	}
	call := func(p part) part { p.tool, p.args, p.id = "pay", `{}`, 9; return p }
	of := run(call(part{trace: 1, attrs: session}))
	assert.NotEqual(t, ledger.ID(traceOf(1)), of)
	for _, tt := range []struct {
		name  string
		parts []part
		same  bool
	}{
		{"the same session in another trace", []part{call(part{trace: 2, attrs: session})}, true},
		{"another session", []part{call(part{trace: 1, attrs: map[string]string{"session.id": "t"}})}, false},
		{"the same value of another attribute", []part{call(part{trace: 1, attrs: map[string]string{"gen_ai.conversation.id": "s"}})}, false},
		{"the first attribute counts", []part{call(part{trace: 1, attrs: map[string]string{"session.id": "s", "gen_ai.conversation.id": "t"}})}, true},
		{"the same session of another service", []part{call(part{trace: 1, attrs: session, service: "other"})}, false},
		{"named by the parent alone", []part{{trace: 3, id: 1, attrs: session}, call(part{trace: 3, parent: 1})}, true},
		{"named by an ancestor behind spans of other kinds", []part{{trace: 3, id: 1, attrs: session}, {trace: 3, id: 2, parent: 1}, call(part{trace: 3, parent: 2})}, true},
		{"named by the nearest of two", []part{{trace: 3, id: 1, attrs: map[string]string{"session.id": "t"}}, {trace: 3, id: 2, parent: 1, attrs: session}, call(part{trace: 3, parent: 2})}, true},
		{"named by a sibling alone", []part{{trace: 3, id: 1}, {trace: 3, id: 2, parent: 1, attrs: session}, call(part{trace: 3, parent: 1})}, false},
		{"named by nobody", []part{call(part{trace: 1})}, false},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.same, run(tt.parts...) == of) })
	}
	assert.Equal(t, ledger.ID(traceOf(7)), run(call(part{trace: 7})), "named by nobody, the trace is the run")
}

func traceOf(n int) pcommon.TraceID {
	td := batchOf(part{trace: n})
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).TraceID()
}

func TestAParentThatIsItsOwnAncestorEndsTheWalk(t *testing.T) {
	keyed := func(s *Settings) { s.RunKey = RunKey{"session.id"} }
	for _, edit := range []func(*Settings){keyed, func(*Settings) {}} {
		b := process(t, newTestEngine(t, edit), policyOf(t, placePolicy),
			part{trace: 1, id: 1, parent: 2}, part{trace: 1, id: 2, parent: 1}, part{trace: 1, id: 3, parent: 1, tool: "pay", args: `{}`})
		assert.Equal(t, []string{"new 0"}, kinds(b))
	}
}

func TestTwoSessionsInOneTraceBothSeeItsRoot(t *testing.T) {
	e := newTestEngine(t, func(s *Settings) { s.RunKey = RunKey{"session.id"} })
	policies := policyOf(t, placePolicy)
	for id, session := range []string{"s", "t"} {
		process(t, e, policies, part{trace: 1, id: 2 + id, parent: 1, tool: "pay", args: `{}`, attrs: map[string]string{"session.id": session}})
	}
	process(t, e, policies, part{trace: 1, id: 1, attrs: map[string]string{"session.id": "s"}})
	process(t, e, policies, part{trace: 1, id: 1, attrs: map[string]string{"session.id": "t"}})
	runs := closeAll(t, e)
	require.Len(t, runs, 2)
	for _, run := range runs {
		assert.Equal(t, sequence.Complete, run.Record.Extent)
	}
}

func TestWhatASamplingThresholdLooksLike(t *testing.T) {
	for state, want := range map[string]bool{
		"": false, "ot=th:8": true, "ot=rv:123;th:c": true, "vendor=1, ot=th:4": true,
		"ot=th:0": false, "ot=th:000": false, "ot=rv:1": false, "ot=": false, "xot=th:8": false, "vendor=th:8": false, "ot": false,
	} {
		span := ptrace.NewSpan()
		span.TraceState().FromRaw(state)
		assert.Equal(t, want, sampled(span), "%q", state)
	}
}

// A saver keeps what it is told to save.
type saver struct {
	engine    *Engine
	saved     []string
	forgotten int
}

func (s *saver) Save(_ context.Context, changed, forgotten []ledger.ID) {
	for _, id := range changed {
		_, known := s.engine.set.Ledger.AppendRun(nil, id)
		s.saved = append(s.saved, fmt.Sprintf("%x known %t, %d records", id[15], known, len(s.engine.set.Journal.(*memory).events)))
	}
	s.forgotten += len(forgotten)
}

func (s *saver) take() []string {
	saved := s.saved
	s.saved = nil
	return saved
}

func newStoredEngine(t *testing.T) (*Engine, *saver) {
	s := &saver{}
	e := newTestEngine(t, func(set *Settings) {
		set.Store = s
		set.Ledger = ledger.NewLedger(ledger.Options{
			Records: 10, Stored: true, MaxRuns: 2, IdleTimeout: time.Minute, MaxLifetime: time.Hour,
		})
	})
	s.engine = e
	return e, s
}

func TestWhatIsStoredAndWhen(t *testing.T) {
	policies := policyOf(t, placePolicy)
	pay := func(trace, id int) part {
		return part{trace: trace, id: id, parent: 1, tool: "pay", args: `{}`, start: id}
	}
	e, s := newStoredEngine(t)
	journal := e.set.Journal.(*memory)

	process(t, e, policies, pay(1, 2), part{trace: 9, id: 1})
	assert.Equal(t, []string{"1 known true, 1 records"}, s.take(), "after its record; a trace without calls is no run")
	process(t, e, policies, part{trace: 1, id: 1})
	assert.Equal(t, []string{"1 known true, 1 records"}, s.take(), "the root of a known run is news of it")

	process(t, e, policies, pay(2, 2), pay(3, 2))
	assert.Equal(t, []string{"2 known true, 3 records", "3 known true, 3 records"}, s.take())
	journal.err = errors.New("disk full")
	b := process(t, e, policies, pay(4, 2))
	require.NotEmpty(t, b.Ended.Closed)
	runs, err := e.End(context.Background(), noon, b.Ended)
	require.Error(t, err)
	assert.Equal(t, []string{"4 known true, 3 records"}, s.take(), "a run whose closing is not recorded is stored as it was")
	journal.err = nil
	require.NoError(t, e.Keep(context.Background(), runs))
	assert.Len(t, s.take(), len(runs), "now it is")

	var closed int
	require.NoError(t, e.Sweep(context.Background(), noon.Add(10*time.Minute), func(runs []*ClosedRun) { closed += len(runs) }))
	assert.Len(t, s.take(), closed)
	require.NoError(t, e.Sweep(context.Background(), noon.Add(10*time.Hour), func([]*ClosedRun) {}))
	assert.Equal(t, 4, s.forgotten)
}

func TestARefusedBatchIsStoredToo(t *testing.T) {
	e, s := newStoredEngine(t)
	e.set.Block = true
	e.set.Journal.(*memory).err = errors.New("disk full")
	_, err := e.Process(context.Background(), noon, policyOf(t, placePolicy), batchOf(part{trace: 1, id: 2, tool: "pay", args: `{}`}))
	require.Error(t, err)
	assert.Equal(t, []string{"1 known true, 0 records"}, s.take(), "so that the order is kept for the batch that comes again")
}
