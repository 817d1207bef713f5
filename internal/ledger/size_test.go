// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// fiveRules are of five kinds; tenRules have every kind and read arguments.
var (
	fiveRules = []string{
		`{type: require, tool: read}`, `{type: max_calls, tool: pay, max: 3}`, `{type: before, first: approve, then: pay}`,
		`{type: never_after, trigger: secret, forbidden: mail}`, `{type: blocklist, pattern: delete}`,
	}
	tenRules = append(append([]string(nil), fiveRules...),
		`{type: eventually, tool: done, within: 50}`, `{type: after, trigger: pay, then: notify, within: 3}`,
		`{type: sequence, tools: [read, approve, pay]}`, `{type: sequence, tools: [read, pay], strict: true}`,
		`{type: never_after, trigger: {tool: read, args_match: {path: "^/etc"}}, forbidden: mail}`)
	toolNames = []string{"read", "approve", "pay", "notify", "search"}
)

// churn is a source of runs whose calls are as telemetry has them.
type churn struct{ policy *Policy }

func (c churn) fill(g *Group, m *Member, run, i int) {
	var id ID
	sum := sha256.Sum256(fmt.Appendf(nil, "run %d", run))
	copy(id[:], sum[:])
	*m = Member{Layer: LayerAgent, Start: uint64(noon.UnixNano()) + uint64(i)*1e9, Content: uint64(run*64 + i + 1)}
	m.End = m.Start + 2e8
	binary.LittleEndian.PutUint64(m.Span[:], binary.LittleEndian.Uint64(sum[16:])+uint64(i))
	*g = Group{Run: id, Trace: Trace(id), Members: []Member{*m}, CallID: "call_" + m.Span.text(), Policy: c.policy, Verdict: truth.Match}
	g.Call.Name = toolNames[i%len(toolNames)]
}

func (s Span) text() string { return fmt.Sprintf("%x", s[:]) }

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// perRun returns what one of n live runs of five calls costs.
func perRun(t testing.TB, o Options, n int, rules ...string) (bytes, estimate float64) {
	o.MaxRuns, o.MaxBytes = 2*n, 1<<40
	before := heap()
	l := NewLedger(o)
	c := churn{policyOf(t, "main", rules...)}
	var g Group
	var m Member
	for i := range 5 {
		for run := range n {
			c.fill(&g, &m, run, i)
			ps, _ := l.Place(noon, Batch{Groups: []Group{g}})
			l.Settle(ps, []Digests{{Carrier: Sum{1}, Observed: Sum{2}}})
		}
	}
	after := heap()
	stats := l.Stats()
	assert.Equal(t, int64(n), stats.Open)
	runtime.KeepAlive(l)
	return float64(after-before) / float64(n), float64(stats.Bytes) / float64(n)
}

func TestALiveRunIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads the heap with 100,000 runs in it")
	}
	for _, tt := range []struct {
		name  string
		o     Options
		rules []string
		most  float64
	}{
		{"five calls, no rules", Options{}, nil, 450},
		{"five calls and five rules", Options{}, fiveRules, 600},
		{"five calls and ten rules, one of which reads arguments", Options{}, tenRules, 800},
		{"five calls, five rules and five records", Options{Records: DefaultRecords}, fiveRules, 1100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, estimate := perRun(t, tt.o, 100_000, tt.rules...)
			t.Logf("%.0f bytes a run, estimated %.0f", got, estimate)
			assert.LessOrEqual(t, got, tt.most)
			assert.InEpsilon(t, got, estimate, 0.3, "the estimate is what bounds the memory")
		})
	}
}

func TestSizes(t *testing.T) {
	assert.EqualValues(t, 40, unsafe.Sizeof(call{}))
	assert.EqualValues(t, 112, unsafe.Sizeof(run{}))
}
