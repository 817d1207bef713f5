// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// tree builds spans for Fold: ids are small numbers, times too.
type tree []Span

func (s *tree) add(id, parent, start, end byte, o *Observation) *tree {
	span := Span{Trace: pcommon.TraceID{1}, ID: pcommon.SpanID{id}, Start: pcommon.Timestamp(start), End: pcommon.Timestamp(end), Observation: o}
	if parent != 0 {
		span.Parent = pcommon.SpanID{parent}
	}
	*s = append(*s, span)
	return s
}

func call(layer Layer, tool, args, id string) *Observation {
	o := &Observation{Dialect: "d" + layer.String(), Scope: layer.String(), Layer: layer, Tool: tool, CallID: id, Result: truth.ResultNA}
	if args != "" {
		o.Args.Doc, o.Args.Text = new(canon.Doc), args
		if o.Args.Doc.Parse(args, canon.Limits{}) != nil {
			panic("the test's arguments are no JSON")
		}
	} else {
		o.Args.Why = truth.ArgsAbsent
	}
	return o
}

// ids lists the span ids of each group, the primary first.
func ids(spans []Span) [][]byte {
	var out [][]byte
	for _, g := range Fold(spans) {
		list := []byte{spans[g.Primary].ID[0]}
		for _, m := range g.Members {
			if m != g.Primary {
				list = append(list, spans[m].ID[0])
			}
		}
		out = append(out, list)
	}
	return out
}

func TestFold(t *testing.T) {
	agent := func(args, id string) *Observation { return call(LayerAgent, "refund", args, id) }
	mcpClient := func(args string) *Observation { return call(LayerMCPClient, "refund", args, "") }
	mcpServer := func(args string) *Observation { return call(LayerMCPServer, "refund", args, "") }
	other := func(o *Observation, scope, dialect string) *Observation {
		o.Scope, o.Dialect = scope, dialect
		return o
	}
	companion := &Observation{Layer: LayerHandler, Companion: true}
	tests := []struct {
		name  string
		spans *tree
		want  [][]byte
	}{
		{"agent, client and server of one call, through other spans", new(tree).add(1, 0, 0, 9, nil).add(2, 1, 1, 8, agent(order, "c1")).add(3, 2, 2, 7, mcpClient("")).add(4, 3, 3, 6, nil).add(5, 4, 4, 5, mcpServer("")), [][]byte{{2, 3, 5}}},
		{"the inner one knows the arguments", new(tree).add(1, 0, 1, 8, agent("", "c1")).add(2, 1, 2, 7, mcpClient(order)), [][]byte{{2, 1}}},
		{"parallel calls that are equal stay apart", new(tree).add(1, 0, 0, 9, nil).add(2, 1, 1, 8, agent(order, "")).add(3, 1, 1, 8, agent(order, "")), [][]byte{{2}, {3}}},
		{"a retry stays apart", new(tree).add(1, 0, 0, 9, nil).add(2, 1, 1, 3, agent(order, "c1")).add(3, 1, 4, 6, agent(order, "c2")), [][]byte{{2}, {3}}},
		{"one id twice, one after the other, is no proof", new(tree).add(1, 0, 0, 9, nil).add(2, 1, 1, 3, agent("", "call_0")).add(3, 1, 4, 6, agent("", "call_0")), [][]byte{{2}, {3}}},
		{"one id on overlapping siblings is: two instrumentations", new(tree).add(1, 0, 0, 9, nil).add(2, 1, 1, 6, agent(order, "c1")).add(3, 1, 2, 5, agent("", "c1")), [][]byte{{2, 3}}},
		{"one id, nested: two instrumentations", new(tree).add(1, 0, 0, 9, agent("", "c1")).add(2, 1, 1, 6, agent(order, "c1")), [][]byte{{2, 1}}},
		{"one id and other arguments", new(tree).add(1, 0, 0, 9, agent(`{"a":1}`, "c1")).add(2, 1, 1, 6, agent(order, "c1")), [][]byte{{1}, {2}}},
		{"an agent's call below another's without an id is another call", new(tree).add(1, 0, 0, 9, agent(order, "")).add(2, 1, 1, 6, agent(order, "")), [][]byte{{1}, {2}}},
		{"an inner call of another tool", new(tree).add(1, 0, 0, 9, agent("", "")).add(2, 1, 1, 6, call(LayerMCPClient, "list_orders", "", "")), [][]byte{{1}, {2}}},
		{"an inner call with a name space before its name", new(tree).add(1, 0, 0, 9, call(LayerAgent, "mcp__shop__refund", "", "")).add(2, 1, 1, 6, mcpClient("")), [][]byte{{1, 2}}},
		{"an inner call with other arguments", new(tree).add(1, 0, 0, 9, agent(order, "")).add(2, 1, 1, 6, mcpClient(`{"order":"B2"}`)), [][]byte{{1}, {2}}},
		{"an inner call with what a layer adds", new(tree).add(1, 0, 0, 9, agent(order, "")).add(2, 1, 1, 6, mcpClient(`{"_meta":{"t":1},"order":"A17"}`)), [][]byte{{1, 2}}},
		{"two inner calls are a retry or a fan-out", new(tree).add(1, 0, 0, 9, agent(order, "")).add(2, 1, 1, 3, mcpClient("")).add(3, 1, 4, 6, mcpClient("")), [][]byte{{1}, {2}, {3}}},
		{"two stages of one instrumentation are not", new(tree).add(1, 0, 0, 9, agent(order, "")).add(2, 1, 1, 3, other(mcpClient(""), "openlit", "call")).add(3, 1, 4, 6, other(mcpClient(""), "openlit", "request")), [][]byte{{1, 2, 3}}},
		{"two instrumentations side by side cannot be told from two calls", new(tree).add(1, 0, 0, 9, agent(order, "")).add(2, 1, 1, 3, other(mcpClient(""), "a", "a")).add(3, 1, 1, 3, other(mcpClient(""), "b", "b")), [][]byte{{1}, {2}, {3}}},
		{"a client without a name, as mcp-go writes it", new(tree).add(1, 0, 0, 9, call(LayerMCPClient, "", "", "")).add(2, 1, 1, 6, mcpServer("")).add(3, 2, 2, 5, call(LayerHandler, "refund", "", "")), [][]byte{{1, 2, 3}}},
		{"a companion belongs to the call above it", new(tree).add(1, 0, 0, 9, agent("", "c1")).add(2, 1, 1, 6, companion), [][]byte{{1, 2}}},
		{"a companion without a call is none", new(tree).add(1, 0, 0, 9, nil).add(2, 1, 1, 6, companion), nil},
		{"an approval that is resumed with the same id", new(tree).add(1, 0, 1, 2, func() *Observation { o := agent(order, "c1"); o.Marks = Deferred; return o }()).add(2, 0, 5, 6, agent(order, "c1")), [][]byte{{1, 2}}},
		{"parents in a circle", new(tree).add(1, 2, 1, 2, agent("", "")).add(2, 1, 1, 2, nil), [][]byte{{1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, ids(*tt.spans))
		})
	}
}

func TestFoldAcrossTraces(t *testing.T) {
	spans := *new(tree).add(1, 0, 0, 9, call(LayerAgent, "refund", order, "c1")).add(2, 0, 1, 8, call(LayerMCPServer, "refund", "", ""))
	spans[1].Trace = pcommon.TraceID{2}
	assert.Len(t, Fold(spans), 2, "nothing joins them")
	spans[1].Links = []Link{{spans[0].Trace, spans[0].ID}}
	require.Len(t, Fold(spans), 1, "a link does")
	assert.Equal(t, ProofLink, Fold(spans)[0].Proofs[1])

	spans = *new(tree).add(1, 0, 0, 9, call(LayerAgent, "refund", order, "c1")).add(2, 0, 1, 8, call(LayerAgent, "refund", order, "c1"))
	spans[1].Trace = pcommon.TraceID{2}
	assert.Len(t, Fold(spans), 2, "an id means nothing in another trace")
}

func TestFoldRequests(t *testing.T) {
	client, server := call(LayerMCPClient, "refund", "", ""), call(LayerMCPServer, "refund", "", "")
	client.MCPSession, client.RequestID, server.MCPSession, server.RequestID = "s", "3", "s", "3"
	spans := *new(tree).add(1, 0, 0, 9, client).add(2, 0, 1, 8, server)
	require.Len(t, Fold(spans), 1)
	assert.Equal(t, ProofRequest, Fold(spans)[0].Proofs[1])
	server.RequestID = "4"
	assert.Len(t, Fold(spans), 2)
	client.MCPSession, server.RequestID, server.MCPSession = "", "3", ""
	assert.Len(t, Fold(spans), 2, "request ids count within a session")
}

func TestFanoutIsTold(t *testing.T) {
	spans := *new(tree).add(1, 0, 0, 9, call(LayerAgent, "refund", order, "")).add(2, 1, 1, 3, call(LayerMCPClient, "refund", "", "")).add(3, 1, 4, 6, call(LayerMCPClient, "refund", "", ""))
	groups := Fold(spans)
	assert.True(t, groups[0].Fanout)
	assert.False(t, groups[1].Fanout)
}

// TestCallOfGroup: the outermost says what was asked for, inner ones add what
// only they know.
func TestCallOfGroup(t *testing.T) {
	outer, inner := call(LayerAgent, "mcp__shop__refund", "", "c1"), call(LayerMCPServer, "refund", order, "")
	outer.Result, inner.Result, inner.Session, inner.MCPSession = truth.ResultOK, truth.ResultError, "s1", "m1"
	spans := *new(tree).add(1, 0, 0, 9, outer).add(2, 1, 1, 8, inner)
	groups := Fold(spans)
	require.Len(t, groups, 1)
	got := groups[0].Call(spans)
	assert.Equal(t, []string{"mcp__shop__refund", order, "c1", "s1", "m1"}, []string{got.Tool, got.Args.Text, got.CallID, got.Session, got.MCPSession})
	assert.Equal(t, truth.ResultError, got.Result)
}

// TestSameCallDecidesPairs: what Fold decides of a whole trace, SameCall says
// of a pair as it arrives.
func TestSameCallDecidesPairs(t *testing.T) {
	agent, server := call(LayerAgent, "refund", order, "c1"), call(LayerMCPServer, "refund", "", "")
	assert.Equal(t, ProofAncestry, SameCall(agent, server, Relation{Below: true, SameTrace: true}))
	assert.Zero(t, SameCall(agent, server, Relation{SameTrace: true, Overlap: true}))
	assert.Equal(t, ProofLink, SameCall(agent, server, Relation{Linked: true}))
	later := call(LayerAgent, "refund", "", "c1")
	assert.Equal(t, ProofCallID, SameCall(agent, later, Relation{SameTrace: true, Overlap: true}))
	assert.Zero(t, SameCall(agent, later, Relation{Overlap: true}), "another trace")
	assert.Zero(t, SameCall(agent, later, Relation{SameTrace: true}), "one after the other")
	assert.Zero(t, SameCall(agent, call(LayerMCPServer, "refund", "", "c2"), Relation{Below: true, SameTrace: true}), "another id")
	for p := range ProofRequest {
		assert.NotEmpty(t, (p + 1).String())
	}
	assert.Empty(t, Proof(0).String())
	assert.Empty(t, Proof(99).String())
	assert.Empty(t, Layer(99).String())
	assert.Empty(t, Encoding(99).String())
}

// TestFoldDoesNotDependOnOrder folds the recordings' spans in reverse.
func TestFoldDoesNotDependOnOrder(t *testing.T) {
	r := newRecognizer(t, Options{})
	for _, c := range readTruth(t) {
		rec := record(t, r, c)
		reversed := make([]Span, len(rec.spans))
		for i, s := range rec.spans {
			reversed[len(reversed)-1-i] = s
		}
		assert.Len(t, Fold(reversed), len(rec.groups), c.File)
	}
}

// TestFoldIsLinear folds many spans that all could belong together.
func TestFoldIsLinear(t *testing.T) {
	const many = 20_000
	shapes := map[string]func(i int) Span{
		"inner calls of one span": func(i int) Span {
			return Span{Parent: pcommon.SpanID{255}, Observation: call(LayerMCPClient, "refund", "", "")}
		},
		"one id": func(i int) Span {
			return Span{Observation: call(LayerAgent, "refund", fmt.Sprintf(`{"n":%d}`, i), "c1")}
		},
		"one request": func(i int) Span {
			o := call(LayerMCPClient+Layer(i%2), "tool"+fmt.Sprint(i), "", "")
			o.MCPSession, o.RequestID = "s", "1"
			return Span{Observation: o}
		},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			spans := []Span{{Trace: pcommon.TraceID{1}, ID: pcommon.SpanID{255}, Observation: call(LayerAgent, "refund", "", "")}}
			for i := range many {
				s := shape(i)
				s.Trace, s.ID, s.End = pcommon.TraceID{1}, pcommon.SpanID{1, byte(i >> 16), byte(i >> 8), byte(i)}, 9
				spans = append(spans, s)
			}
			assert.NotEmpty(t, Fold(spans), "what compares all with all would not end within the time of a test")
		})
	}
}
