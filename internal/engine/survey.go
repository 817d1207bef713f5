// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// A survey is what a batch says about its traces, calls aside. It can be used
// again for another batch.
type survey struct {
	key    RunKey
	at     map[pcommon.TraceID]int32
	traces []surveyed
	spans  []int32 // the trace of each span, in the order of the batch
	last   int32   // spans of one trace mostly lie side by side
}

// A surveyed is one trace.
type surveyed struct {
	facts    ledger.Seen // but for the run
	run      ledger.ID   // the first that is named, zero: none is
	more     []ledger.ID // further ones, each once
	spans    int32
	begin    int32 // of its spans in the ancestry
	followed bool  // it has calls, here or in a run that is known
}

// look goes through all spans once.
func (s *survey) look(key RunKey, td ptrace.Traces) {
	if s.at == nil {
		s.at = map[pcommon.TraceID]int32{}
	}
	clear(s.at)
	clear(s.traces)
	s.key, s.traces, s.spans, s.last = key, s.traces[:0], s.spans[:0], 0
	eachSpan(td, func(at Located) {
		i := s.index(at.Span.TraceID())
		s.spans = append(s.spans, i)
		t := &s.traces[i]
		t.spans++
		t.facts.Sampled = t.facts.Sampled || sampled(at.Span)
		if at.Span.ParentSpanID().IsEmpty() {
			t.facts.Root, t.facts.Start = true, uint64(at.Span.StartTimestamp())
		}
		if len(key) > 0 {
			if run, ok := key.named(at); ok {
				t.addRun(run)
			}
		}
	})
}

// index returns the place of a trace, which is new if it has to be.
func (s *survey) index(trace pcommon.TraceID) int32 {
	if int(s.last) < len(s.traces) && pcommon.TraceID(s.traces[s.last].facts.Trace) == trace {
		return s.last
	}
	i, ok := s.at[trace]
	if !ok {
		i = int32(len(s.traces))
		s.at[trace] = i
		s.traces = append(s.traces, surveyed{facts: ledger.Seen{Trace: ledger.Trace(trace)}})
	}
	s.last = i
	return i
}

// of returns what is known of a trace. It is good until the next call.
func (s *survey) of(trace pcommon.TraceID) *surveyed { return &s.traces[s.index(trace)] }

func (t *surveyed) addRun(run ledger.ID) {
	switch {
	case t.run == ledger.ID{}:
		t.run = run
	case t.run != run && !slices.Contains(t.more, run):
		t.more = append(t.more, run)
	}
}

// followKnown follows the traces of runs that the ledger knows: their spans may
// lie between spans of one call that are in other batches.
func (s *survey) followKnown(l *ledger.Ledger) {
	for i := range s.traces {
		t := &s.traces[i]
		t.followed = t.followed || l.Knows(ledger.ID(t.facts.Trace)) ||
			t.run != ledger.ID{} && l.Knows(t.run) || slices.ContainsFunc(t.more, l.Knows)
	}
}

// seen adds what the ledger is told of each trace, for every run that has calls
// of it.
func (s *survey) seen(all []ledger.Seen) []ledger.Seen {
	for i := range s.traces {
		t := &s.traces[i]
		t.facts.Run = t.first()
		all = append(all, t.facts)
		for _, run := range t.more {
			t.facts.Run = run
			all = append(all, t.facts)
		}
	}
	return all
}

// first returns the first run of the trace, which is the trace itself where
// none is named.
func (t *surveyed) first() ledger.ID {
	if t.run == (ledger.ID{}) {
		return ledger.ID(t.facts.Trace)
	}
	return t.run
}

// sampled reports whether span says that others like it were left out: a
// sampling threshold above zero in its trace state.
func sampled(span ptrace.Span) bool {
	state := span.TraceState().AsRaw()
	if state == "" {
		return false
	}
	for entry := range strings.SplitSeq(state, ",") {
		value, ok := strings.CutPrefix(strings.TrimSpace(entry), "ot=")
		if !ok {
			continue
		}
		for field := range strings.SplitSeq(value, ";") {
			if th, ok := strings.CutPrefix(field, "th:"); ok && strings.Trim(th, "0") != "" {
				return true
			}
		}
	}
	return false
}
