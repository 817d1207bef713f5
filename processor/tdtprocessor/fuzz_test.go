// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// fuzzRig is a processor with every setting, whose memory stays small.
func fuzzRig(f *testing.F) *rig {
	f.Helper()
	return newRig(f, withPolicy(f, anyPolicy, everySetting))
}

// FuzzSpans disturbs recorded spans and puts one more attribute onto the last.
func FuzzSpans(f *testing.F) {
	pool := newSpanPool(f)
	for i := range uint64(8) {
		a := pool.attrs[int(i*31)%len(pool.attrs)]
		f.Add(i, uint8(4), a.key, a.value.AsString())
	}
	f.Add(uint64(9), uint8(1), "gen_ai.tool.call.arguments", `{"path":"\ud800"}`)
	f.Add(uint64(10), uint8(2), "assay.tdt.decision_verdict", "match")
	f.Add(uint64(11), uint8(2), "gen_ai.tool.name", "\u202eread_file")
	r := fuzzRig(f)
	f.Fuzz(func(t *testing.T, seed uint64, spans uint8, key, value string) {
		td := pool.batch(t, rand.New(rand.NewPCG(seed, 5)), 1+int(spans%16))
		all := spansOf(td)
		all[len(all)-1].Attributes().PutStr(key, value)
		assertSound(t, td, r)
	})
}

// FuzzWire reads what comes from the wire as it is.
func FuzzWire(f *testing.F) {
	eachCapture(f, func(_ string, batches []ptrace.Traces) {
		if wire := wireOf(f, batches[0]); len(wire) < 16<<10 {
			f.Add([]byte(wire))
		}
	})
	r := fuzzRig(f)
	f.Fuzz(func(t *testing.T, wire []byte) {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
		if err != nil || td.SpanCount() == 0 {
			t.Skip("no spans can be read from this input")
		}
		assertSound(t, td, r)
	})
}

// assertSound sends td through. Whatever it is, no fault of ours shows, nothing
// is altered, and what is added is of the vocabulary.
func assertSound(t *testing.T, td ptrace.Traces, r *rig) {
	t.Helper()
	before := ptrace.NewTraces()
	td.CopyTo(before)
	faults := r.sum(t, "internal_errors")
	assertUnaltered(t, "fuzzed", td, r)
	require.Equal(t, faults, r.sum(t, "internal_errors"), "a fault of our own")
	for _, span := range spansOf(r.sink.AllTraces()[len(r.sink.AllTraces())-1]) {
		word := verdictOf(span)
		if word == "" {
			continue
		}
		verdict, ok := truth.ParseVerdict(word)
		require.True(t, ok, word)
		assert.Contains(t, []string{"disabled"}, attr(span, attrEvidence))
		assert.Equal(t, "derived", attr(span, carrier.AttrClaimClass))
		if attr(span, attrPrimary) != "" || attr(span, attrExplanation) == followsExplanation {
			continue // another span, or an earlier delivery of this one, has the reasons
		}
		assert.NotEmpty(t, attr(span, attrExplanation))
		if verdict != truth.Match {
			assert.NotEmpty(t, attr(span, attrReason), "%s without a reason", word)
		}
	}
}
