// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/ledger"
)

// A survey is what a batch says about its traces, calls aside.
type survey struct {
	key      RunKey
	at       map[pcommon.TraceID]int
	traces   []surveyed
	followed int // spans of traces whose ancestry is of interest

	last int // spans of one trace mostly lie side by side
}

// A surveyed is one trace.
type surveyed struct {
	facts    ledger.Seen // but for the run
	runs     []ledger.ID // each once; empty: that of the trace
	spans    int
	followed bool // it has calls, here or in a run that is known
}

// look goes through all spans once.
func (s *survey) look(key RunKey, td ptrace.Traces) {
	s.key, s.at = key, map[pcommon.TraceID]int{}
	eachSpan(td, func(at Located) {
		t := s.of(at.Span.TraceID())
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

// of returns what is known of a trace. It is good until the next call.
func (s *survey) of(trace pcommon.TraceID) *surveyed {
	if s.last < len(s.traces) && pcommon.TraceID(s.traces[s.last].facts.Trace) == trace {
		return &s.traces[s.last]
	}
	i, ok := s.at[trace]
	if !ok {
		i = len(s.traces)
		s.at[trace] = i
		s.traces = append(s.traces, surveyed{facts: ledger.Seen{Trace: ledger.Trace(trace)}})
	}
	s.last = i
	return &s.traces[i]
}

func (t *surveyed) addRun(run ledger.ID) {
	if !slices.Contains(t.runs, run) {
		t.runs = append(t.runs, run)
	}
}

// followKnown follows the traces of runs that the ledger knows: their spans may
// lie between spans of one call that are in other batches.
func (s *survey) followKnown(l *ledger.Ledger) {
	for i := range s.traces {
		t := &s.traces[i]
		t.followed = t.followed || l.Knows(ledger.ID(t.facts.Trace)) || slices.ContainsFunc(t.runs, l.Knows)
		if t.followed {
			s.followed += t.spans
		}
	}
}

// seen returns what the ledger is told of each trace, for every run that has
// calls of it.
func (s *survey) seen(a *ancestry) []ledger.Seen {
	s.hops(a)
	all := make([]ledger.Seen, 0, len(s.traces))
	for i := range s.traces {
		t := &s.traces[i]
		if len(t.runs) == 0 {
			t.runs = append(t.runs, ledger.ID(t.facts.Trace))
		}
		for _, run := range t.runs {
			t.facts.Run = run
			all = append(all, t.facts)
		}
	}
	return all
}

// hops gives each trace its spans that are no call's.
func (s *survey) hops(a *ancestry) {
	list := hopList{all: make([]ledger.Hop, 0, len(a.hops))}
	for _, ref := range a.hops {
		hop := ledger.Hop{Span: ledger.Span(ref.span), Parent: ledger.Span(a.climb(ref.trace, a.spans[ref].parent))}
		list.add(&s.of(ref.trace).facts.Hops, hop)
	}
}

// A hopList holds the hops of all traces of a batch in one piece of memory. The
// hops of a trace lie there while no other trace comes between.
type hopList struct {
	all  []ledger.Hop
	list *[]ledger.Hop // whose hops end all
}

func (h *hopList) add(list *[]ledger.Hop, hop ledger.Hop) {
	switch {
	case len(*list) == 0:
		h.all = append(h.all, hop)
		*list = h.all[len(h.all)-1 : len(h.all) : len(h.all)]
	case h.list == list:
		h.all = append(h.all, hop)
		*list = h.all[len(h.all)-1-len(*list) : len(h.all) : len(h.all)]
	default:
		*list = append(*list, hop)
		return
	}
	h.list = list
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
