// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// stream fills batches as an instance sees them: many runs at once, a few calls
// each, then the next runs.
type stream struct {
	policy *Policy
	groups []Group
	spans  []Member
	n      uint64
}

func newStream(p *Policy, batch int) *stream {
	return &stream{policy: p, groups: make([]Group, batch), spans: make([]Member, batch)}
}

// next fills a batch for the runs of lane, of which each gets calls of its own.
func (s *stream) next(lane, runs, callsPerRun uint64) Batch {
	for i := range s.groups {
		n := s.n
		s.n++
		round, of := n/(runs*callsPerRun), n%runs
		var id ID
		binary.BigEndian.PutUint64(id[:], lane<<32|round)
		binary.BigEndian.PutUint64(id[8:], of*0x9e3779b97f4a7c15+1)
		m := &s.spans[i]
		*m = Member{Layer: LayerAgent, Start: uint64(noon.UnixNano()) + n*1e6, End: uint64(noon.UnixNano()) + n*1e6 + 5e5, Content: n + 1}
		binary.BigEndian.PutUint64(m.Span[:], lane<<40|n+1)
		g := &s.groups[i]
		*g = Group{Run: id, Trace: Trace(id), Members: s.spans[i : i+1 : i+1], CallID: "call_0123456789", Policy: s.policy, Verdict: truth.Match}
		g.Call.Name = toolNames[n/runs%uint64(len(toolNames))]
		if lane&1 == 0 {
			g.CallID = string(m.Span[:])
		}
	}
	return Batch{Groups: s.groups}
}

// BenchmarkPlace is what a decision in a run costs over one without: the limit
// is 1 µs. It has 1,000 runs at a time, with 20 calls each.
func BenchmarkPlace(b *testing.B) {
	for _, bb := range []struct {
		name    string
		rules   []string
		records int
	}{
		{"no rules", nil, 0},
		{"ten rules of all kinds", tenRules, 0},
		{"ten rules and records", tenRules, DefaultRecords},
	} {
		b.Run(bb.name, func(b *testing.B) {
			l := NewLedger(Options{IdleTimeout: time.Minute, Records: bb.records})
			s := newStream(policyOf(b, "main", bb.rules...), 64)
			written := make([]Digests, 64)
			for i := range written {
				written[i].Carrier[0] = 1
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i += 64 {
				b.StopTimer()
				batch := s.next(0, 1000, 20)
				b.StartTimer()
				for j := range batch.Groups {
					ps, _ := l.Place(noon, Batch{Groups: batch.Groups[j : j+1]})
					l.Settle(ps, written[:1])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/call")
		})
	}
}

// BenchmarkPlaceParallel shows how throughput rises with cores: run it with
// -cpu 1,2. Runs of different goroutines share nothing but the shards.
func BenchmarkPlaceParallel(b *testing.B) {
	l := NewLedger(Options{IdleTimeout: time.Minute})
	p := policyOf(b, "main", tenRules...)
	var lanes atomic.Uint64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		lane := lanes.Add(2)
		s := newStream(p, 64)
		for pb.Next() {
			l.Place(noon, s.next(lane, 1000, 20))
		}
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/call")
}

// BenchmarkPlaceInALongRun has one run with a full window.
func BenchmarkPlaceInALongRun(b *testing.B) {
	l := NewLedger(Options{IdleTimeout: time.Minute})
	s := newStream(policyOf(b, "main", tenRules...), 64)
	b.ReportAllocs()
	for b.Loop() {
		l.Place(noon, s.next(0, 1, 1<<40))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/call")
}

// BenchmarkResend is a span that is known.
func BenchmarkResend(b *testing.B) {
	l := NewLedger(Options{IdleTimeout: time.Minute})
	batch := newStream(policyOf(b, "main", tenRules...), 64).next(0, 1000, 20)
	b.ReportAllocs()
	for b.Loop() {
		l.Place(noon, batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/call")
}

// BenchmarkSweep closes runs of five calls and five rules.
func BenchmarkSweep(b *testing.B) {
	const runs = 1000
	p := policyOf(b, "main", fiveRules...)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		l := NewLedger(Options{IdleTimeout: time.Minute})
		s := newStream(p, runs)
		for range 5 {
			l.Place(noon, s.next(0, runs, 5))
		}
		b.StartTimer()
		if n := len(l.Sweep(noon.Add(time.Hour), runs).Closed); n != runs {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/runs, "ns/run")
}
