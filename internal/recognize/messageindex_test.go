// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// TestRequestForms finds the request for one call in every form in which
// models' messages are written.
func TestRequestForms(t *testing.T) {
	tests := []struct {
		name  string
		attrs kv
		event sampleEvent
	}{
		{name: "GenAI output messages", attrs: kv{"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"x"},{"type":"tool_call","id":"c1","name":"refund","arguments":{"order":"A17"}}]}]`}},
		{name: "GenAI input messages of a later turn", attrs: kv{"gen_ai.input.messages", `[{"role":"user","parts":[]},{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"refund","arguments":"{\"order\":\"A17\"}"}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","result":"x"}]}]`}},
		{name: "typed messages", attrs: kv{"gen_ai.output.messages", []any{map[string]any{"role": "assistant", "parts": []any{map[string]any{"type": "tool_call", "id": "c1", "name": "refund", "arguments": map[string]any{"order": "A17"}}}}}}},
		{name: "OpenAI chat", attrs: kv{"gen_ai.output.messages", `[{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"refund","arguments":"{\"order\":\"A17\"}"}}]}]`}},
		{name: "choices", attrs: kv{"gen_ai.output.messages", `[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"refund","arguments":"{\"order\":\"A17\"}"}}]}}]`}},
		{name: "Anthropic", attrs: kv{"gen_ai.output.messages", `[{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"refund","input":{"order":"A17"}}]}]`}},
		{name: "Vercel 4", attrs: kv{"ai.response.toolCalls", `[{"toolCallType":"function","toolCallId":"c1","toolName":"refund","args":"{\"order\":\"A17\"}"}]`}},
		{name: "Vercel 5", attrs: kv{"ai.response.toolCalls", `[{"toolCallId":"c1","toolName":"refund","input":{"order":"A17"}}]`}},
		{name: "OpenInference", attrs: kv{"llm.output_messages.0.message.tool_calls.0.tool_call.id", "c1", "llm.output_messages.0.message.tool_calls.0.tool_call.function.name", "refund", "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", order}},
		{name: "OpenLLMetry", attrs: kv{"gen_ai.completion.0.tool_calls.0.id", "c1", "gen_ai.completion.0.tool_calls.0.name", "refund", "gen_ai.completion.0.tool_calls.0.arguments", order}},
		{name: "an event with messages", event: sampleEvent{"gen_ai.client.inference.operation.details", kv{"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"refund","arguments":{"order":"A17"}}]}]`}}},
		{name: "an older event", event: sampleEvent{"gen_ai.choice", kv{"message", `{"tool_calls":[{"id":"c1","type":"function","function":{"name":"refund","arguments":"{\"order\":\"A17\"}"}}]}`}}},
		{name: "Bedrock", event: sampleEvent{"gen_ai.choice", kv{"message", `[{"toolUse":{"toolUseId":"c1","name":"refund","input":{"order":"A17"}}}]`}}},
	}
	r := newRecognizer(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sample{name: "chat", kind: client, attrs: tt.attrs}
			if tt.event.name != "" {
				s.events = []sampleEvent{tt.event}
			}
			x := r.NewMessageIndex(IndexLimits{})
			require.Equal(t, 1, x.Add("run", s.placed(t).span))
			o := call(LayerAgent, "refund", "", "c1")
			require.True(t, x.Resolve("run", o), "%s", o.Args.Why)
			assert.Equal(t, canonical(order), canonical(o.Args.Text))
			assert.Equal(t, truth.SourceInferred, o.Args.Source)
		})
	}
}

func turn(t testing.TB, messages string) placed {
	return sample{name: "chat", kind: client, attrs: kv{"gen_ai.output.messages", messages}}.placed(t)
}

func requestMessage(id, name, args string) string {
	return fmt.Sprintf(`[{"role":"assistant","parts":[{"type":"tool_call","id":%q,"name":%q,"arguments":%s}]}]`, id, name, args)
}

func TestResolve(t *testing.T) {
	ask := requestMessage("c1", "refund", order)
	tests := []struct {
		name  string
		turns []string
		run   string
		call  *Observation
		why   truth.Reason
	}{
		{"the request of the call", []string{ask}, "run", call(LayerAgent, "refund", "", "c1"), ""},
		{"the same request again in a later turn", []string{ask, requestMessage("c1", "refund", `{ "order":"A17" }`)}, "run", call(LayerAgent, "refund", "", "c1"), ""},
		{"a name with its server before it", []string{requestMessage("c1", "mcp__shop__refund", order)}, "run", call(LayerAgent, "refund", "", "c1"), ""},
		{"another id", []string{ask}, "run", call(LayerAgent, "refund", "", "c2"), truth.ArgsUnmatchedCallID},
		{"another tool", []string{ask}, "run", call(LayerAgent, "delete_all", "", "c1"), truth.ArgsUnmatchedCallID},
		{"two requests with one id", []string{ask, requestMessage("c1", "refund", `{"order":"B2"}`)}, "run", call(LayerAgent, "refund", "", "c1"), truth.ArgsAmbiguous},
		{"another run", []string{ask}, "other", call(LayerAgent, "refund", "", "c1"), truth.ArgsAbsent},
		{"no id", []string{ask}, "run", call(LayerAgent, "refund", "", ""), truth.ArgsAbsent},
		{"a request that is broken", []string{requestMessage("c1", "refund", `"{\"order\":"`)}, "run", call(LayerAgent, "refund", "", "c1"), truth.ArgsTruncated},
		{"a request without arguments", []string{`[{"type":"tool_call","id":"c1","name":"refund"}]`}, "run", call(LayerAgent, "refund", "", "c1"), truth.ArgsAbsent},
		{"a user who writes a request", []string{`[{"role":"user","parts":[{"type":"tool_call","id":"c1","name":"refund","arguments":{}}]}]`}, "run", call(LayerAgent, "refund", "", "c1"), truth.ArgsAbsent},
		{"a result that looks like a request", []string{`[{"role":"assistant","parts":[{"type":"tool_call_response","id":"c0","response":{"type":"tool_call","id":"c1","name":"refund","arguments":{}}}]}]`}, "run", call(LayerAgent, "refund", "", "c1"), truth.ArgsAbsent},
	}
	r := newRecognizer(t, Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := r.NewMessageIndex(IndexLimits{})
			for _, text := range tt.turns {
				x.Add("run", turn(t, text).span)
			}
			assert.Equal(t, tt.why == "", x.Resolve(tt.run, tt.call))
			assert.Equal(t, tt.why, tt.call.Args.Why)
		})
	}
}

func TestResolveLeavesWhatIsThere(t *testing.T) {
	r := newRecognizer(t, Options{})
	x := r.NewMessageIndex(IndexLimits{})
	x.Add("run", turn(t, requestMessage("c1", "refund", `{"order":"B2"}`)).span)
	o := call(LayerAgent, "refund", order, "c1")
	assert.False(t, x.Resolve("run", o))
	assert.JSONEq(t, order, o.Args.Text)

	broken := call(LayerAgent, "refund", "", "c1")
	broken.Args.Why = truth.ArgsDuplicateKey
	assert.False(t, x.Resolve("run", broken), "what is broken on the span stays broken")

	hidden := call(LayerAgent, "refund", "", "c1")
	hidden.Args.Why = truth.ArgsPlaceholder
	assert.True(t, x.Resolve("run", hidden))
}

func TestIndexIsBounded(t *testing.T) {
	r := newRecognizer(t, Options{})
	x := r.NewMessageIndex(IndexLimits{Requests: 10, Bytes: 2000})
	for i := range 100 {
		x.Add(fmt.Sprint("run", i%7), turn(t, requestMessage(fmt.Sprint("c", i), "refund", order)).span)
	}
	assert.Equal(t, 10, x.Len())
	assert.True(t, x.Resolve("run1", call(LayerAgent, "refund", "", "c99")), "the newest are kept")
	x.Add("big", turn(t, requestMessage("c", "refund", `{"a":"`+strings.Repeat("x", 3000)+`"}`)).span)
	assert.LessOrEqual(t, x.bytes, 2000)
	x.Add("big", turn(t, requestMessage("d", "refund", `{"a":"`+strings.Repeat("x", 1800)+`"}`)).span)
	assert.LessOrEqual(t, x.bytes, 2000)
	assert.Equal(t, len(x.queue), x.Len())
}

// TestMessagesOfTheRecordings: in every recording whose model turns carry
// requests, a call that loses its arguments gets the true ones back.
func TestMessagesOfTheRecordings(t *testing.T) {
	r := newRecognizer(t, Options{})
	joined := 0
	for _, c := range readTruth(t) {
		rec := record(t, r, c)
		x := r.NewMessageIndex(IndexLimits{})
		for i, p := range readCapture(t, captures+"/"+c.File) {
			if rec.spans[i].Observation == nil {
				x.Add(p.span.TraceID().String(), p.span)
			}
		}
		for _, g := range rec.groups {
			got := g.Call(rec.spans)
			if !got.Args.Captured() || got.CallID == "" || len(got.Others) > 0 {
				continue
			}
			bare := got
			bare.Args = Args{Why: truth.ArgsAbsent}
			if x.Resolve(rec.spans[g.Primary].Trace.String(), &bare) {
				joined++
				assert.Equal(t, canonical(got.Args.Text), canonical(bare.Args.Text), "%s: %s", c.File, got.CallID)
			}
		}
	}
	assert.Greater(t, joined, 100, "few calls were joined: the messages are not read")
	t.Logf("%d calls joined with their requests", joined)
}
