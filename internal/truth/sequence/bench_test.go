// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"runtime"
	"testing"
)

// BenchmarkTake takes one call into a run that ten rules of all kinds watch.
func BenchmarkTake(b *testing.B) {
	s := tenRules(b).NewState(0)
	calls := tenRulesCalls(b)
	violations := make([]Violation, 0, 16)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		violations = s.Take(violations[:0], calls[i])
		if i++; i == len(calls) {
			i = 0
		}
	}
}

// BenchmarkTakeWithArgs takes the one call whose arguments a rule reads.
func BenchmarkTakeWithArgs(b *testing.B) {
	s := tenRules(b).NewState(0)
	call := withArgs(b, "pay", `{"to":"acme","amount":12000}`)
	violations := make([]Violation, 0, 16)
	b.ReportAllocs()
	for b.Loop() {
		violations = s.Take(violations[:0], call)
	}
}

// BenchmarkFiveCalls makes a run, as most are: five calls, then its records.
func BenchmarkFiveCalls(b *testing.B) {
	r := fiveRules(b, lastByName)
	calls := named("approve pay receipt read_secret search")
	b.ReportAllocs()
	for b.Loop() {
		play(r, 0, calls).Records(Complete)
	}
}

// BenchmarkLiveRuns reports what a live run costs in memory, of which there may
// be a million.
func BenchmarkLiveRuns(b *testing.B) {
	for name, last := range map[string]string{"by name": lastByName, "by arguments": lastByArgs} {
		b.Run(name, func(b *testing.B) {
			r := fiveRules(b, last)
			calls := named("approve pay receipt read_secret search")
			const runs = 100_000
			for b.Loop() {
				live := make([]*State, runs)
				before := heap()
				for i := range live {
					live[i] = play(r, 0, calls)
				}
				b.ReportMetric(float64(heap()-before)/runs, "B/run")
				runtime.KeepAlive(live)
			}
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkStore(b *testing.B) {
	s := play(fiveRules(b, lastByArgs), 0, named("approve pay receipt read_secret search"))
	var data []byte
	b.ReportAllocs()
	for b.Loop() {
		data, _ = s.AppendBinary(data[:0])
	}
	b.ReportMetric(float64(len(data)), "B/run")
}

func BenchmarkRestore(b *testing.B) {
	s := play(fiveRules(b, lastByArgs), 0, named("approve pay receipt read_secret search"))
	data, _ := s.MarshalBinary()
	b.ReportAllocs()
	for b.Loop() {
		if err := s.UnmarshalBinary(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvaluate1000Calls(b *testing.B) {
	r := tenRules(b)
	var calls []Call
	for len(calls) < 1000 {
		calls = append(calls, tenRulesCalls(b)...)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Evaluate(calls[:1000], Complete)
	}
}
