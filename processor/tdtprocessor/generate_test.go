// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A spanPool makes spans out of what real emitters write: recorded spans, and
// every recorded attribute to mix into them.
type spanPool struct {
	spans []engineSpan
	attrs []poolAttr
}

type engineSpan struct {
	resource ptrace.ResourceSpans
	scope    ptrace.ScopeSpans
	span     ptrace.Span
}

type poolAttr struct {
	key   string
	value pcommon.Value
}

// reservedCopies is how often a reserved key is put on one place at most.
const reservedCopies = 5

func newSpanPool(t testing.TB) *spanPool {
	p := &spanPool{}
	seen := map[string]int{}
	eachCapture(t, func(_ string, batches []ptrace.Traces) {
		for _, td := range batches {
			for _, rs := range td.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						p.spans = append(p.spans, engineSpan{rs, ss, span})
						for key, value := range span.Attributes().All() {
							if seen[key]++; seen[key] <= 8 {
								p.attrs = append(p.attrs, poolAttr{key, value})
							}
						}
					}
				}
			}
		}
	})
	return p
}

// batch makes n spans. The same source gives the same spans.
func (p *spanPool) batch(t testing.TB, r *rand.Rand, n int) ptrace.Traces {
	td, g := ptrace.NewTraces(), &generator{pool: p, Rand: r, repeats: repeats{}}
	var ss ptrace.ScopeSpans
	for i := range n {
		from := p.spans[r.IntN(len(p.spans))]
		if i == 0 || r.IntN(4) == 0 {
			rs := td.ResourceSpans().AppendEmpty()
			from.resource.Resource().CopyTo(rs.Resource())
			ss = rs.ScopeSpans().AppendEmpty()
			from.scope.Scope().CopyTo(ss.Scope())
			g.spoof(rs.Resource().Attributes())
			g.spoof(ss.Scope().Attributes())
		}
		span := ss.Spans().AppendEmpty()
		from.span.CopyTo(span)
		g.disturb(span)
	}
	return g.repeats.on(t, td)
}

type generator struct {
	*rand.Rand
	pool    *spanPool
	repeats repeats
}

// disturb changes a span in a few of the ways in which spans go wrong.
func (g *generator) disturb(span ptrace.Span) {
	attrs := span.Attributes()
	for range g.IntN(5) {
		a := g.pool.attrs[g.IntN(len(g.pool.attrs))]
		switch g.IntN(6) {
		case 0:
			attrs.Remove(a.key)
		case 1:
			anyType(g.Rand, attrs.PutEmpty(a.key))
		case 2:
			a.value.CopyTo(attrs.PutEmpty(g.repeats.again(a.key, g.IntN(reservedCopies))))
		default:
			a.value.CopyTo(attrs.PutEmpty(a.key))
		}
	}
	if g.IntN(8) == 0 {
		event := span.Events().AppendEmpty()
		event.SetName("event")
		g.spoof(event.Attributes())
	}
	if g.IntN(8) == 0 {
		g.spoof(span.Links().AppendEmpty().Attributes())
	}
	if g.IntN(16) == 0 {
		span.SetEndTimestamp(0)
	}
	if g.IntN(16) == 0 {
		span.SetParentSpanID(span.SpanID())
	}
	g.spoof(attrs)
}

var spoofedKeys = []string{
	"assay.claim_class", "assay.tdt.decision_verdict", "assay.tdt.reasons", "assay.tdt.run_verdict", "assay.tdt.made_up", "assay.tdt.",
}

func (g *generator) spoof(attrs pcommon.Map) {
	if g.IntN(6) > 0 {
		return
	}
	key := spoofedKeys[g.IntN(len(spoofedKeys))]
	anyType(g.Rand, attrs.PutEmpty(key))
	for copies := range g.IntN(reservedCopies) {
		attrs.PutStr(g.repeats.again(key, copies), "match")
	}
}

// anyType gives v a value of any type.
func anyType(r *rand.Rand, v pcommon.Value) {
	switch r.IntN(9) {
	case 0:
		v.SetStr("")
	case 1:
		v.SetStr("\xff\x00text")
	case 2:
		v.SetInt(-1 << 63)
	case 3:
		v.SetDouble(1e308)
	case 4:
		v.SetBool(true)
	case 5:
		v.SetEmptyBytes().FromRaw([]byte(`{"a":1}`))
	case 6:
		v.SetEmptySlice().AppendEmpty().SetStr(`{"a":1}`)
	case 7:
		v.SetEmptyMap().PutEmptyMap("a").PutInt("b", 1)
	}
}

// repeats are attribute keys that are to be there more than once. The maps of
// pdata cannot hold a key twice and the wire can, so a stand-in of the same
// length is put in, by stand-in.
type repeats map[string]string

// repeatMarks stand in place of a key's first byte.
const repeatMarks = "\x01\x02\x03\x04\x05"

// again returns a stand-in for key.
func (r repeats) again(key string, nth int) string {
	standIn := repeatMarks[nth%len(repeatMarks):][:1] + key[1:]
	r[standIn] = key
	return standIn
}

// on puts the keys where their stand-ins are.
func (r repeats) on(t testing.TB, td ptrace.Traces) ptrace.Traces {
	if len(r) == 0 {
		return td
	}
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	for _, standIn := range slices.Sorted(maps.Keys(r)) {
		wire = bytes.ReplaceAll(wire, []byte(standIn), []byte(r[standIn]))
	}
	repeated, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
	require.NoError(t, err)
	return repeated
}
