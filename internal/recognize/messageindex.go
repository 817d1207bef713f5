// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// IndexLimits bound what a MessageIndex holds. Past them the oldest requests
// are forgotten. The zero limits are DefaultIndexRequests and
// DefaultIndexBytes.
type IndexLimits struct{ Requests, Bytes int }

// The default limits of a MessageIndex.
const (
	DefaultIndexRequests = 16384
	DefaultIndexBytes    = 16 << 20
)

// A MessageIndex remembers the calls that models asked for in messages, so
// that a tool span that has the call's id but not its arguments can get them.
// Requests are found by run and id: the caller says what a run is, and an id
// means nothing outside it. It is not safe for concurrent use.
type MessageIndex struct {
	r        *Recognizer
	limits   IndexLimits
	requests map[requestKey]*asked
	runs     map[string]int
	queue    []requestKey
	bytes    int
}

type requestKey struct{ run, id string }

// asked is a request. Two of one id that differ leave none.
type asked struct {
	name, args string
	ambiguous  bool
}

// NewMessageIndex returns an empty index that reads as r does.
func (r *Recognizer) NewMessageIndex(limits IndexLimits) *MessageIndex {
	limits.Requests = cmpOr(limits.Requests, DefaultIndexRequests)
	limits.Bytes = cmpOr(limits.Bytes, DefaultIndexBytes)
	return &MessageIndex{r: r, limits: limits, requests: map[requestKey]*asked{}, runs: map[string]int{}}
}

// Len returns how many requests the index holds.
func (x *MessageIndex) Len() int { return len(x.requests) }

// roles whose messages hold no requests of a model.
var notModels = []string{"user", "system", "developer", "tool", "function"}

// Add remembers the requests in the messages on span, which is a model's turn
// or an agent's, and returns how many it found. Spans that Inspect takes for
// tool calls are not added.
func (x *MessageIndex) Add(run string, span ptrace.Span) int {
	found := 0
	note := func(q request) {
		if q.id != "" && !placeholderIDs[q.id] {
			found++
			x.note(run, q)
		}
	}
	flat := map[string]*request{}
	for key, value := range span.Attributes().All() {
		switch {
		case contains(messageKeys, key):
			x.read(value, note)
		case strings.Contains(key, "tool_calls."):
			flatRequest(flat, key, value)
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(flat)) {
		note(*flat[prefix])
	}
	for _, event := range span.Events().All() {
		for key, value := range event.Attributes().All() {
			if contains(messageKeys, key) || strings.HasPrefix(event.Name(), "gen_ai.") && (key == "message" || key == "tool_calls" || key == "content") {
				x.read(value, note)
			}
		}
	}
	return found
}

// read finds the requests in one attribute value.
func (x *MessageIndex) read(value pcommon.Value, note func(request)) {
	text := ""
	switch value.Type() {
	case pcommon.ValueTypeStr:
		text = value.Str()
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		text, _ = x.r.typedText(value)
	default:
	}
	if !looksLikeContainer(text) {
		return
	}
	if doc, why := x.r.parse(text); why == "" {
		askedBy(doc.Root(), notModels, note)
	}
}

// flatRequest reads one attribute of a flattened message:
// ….tool_calls.0.tool_call.function.arguments or ….tool_calls.0.arguments.
func flatRequest(flat map[string]*request, key string, value pcommon.Value) {
	i := strings.LastIndex(key, "tool_calls.") + len("tool_calls.")
	at, field, ok := strings.Cut(key[i:], ".")
	if !ok || value.Type() != pcommon.ValueTypeStr {
		return
	}
	prefix := key[:i] + at
	q := flat[prefix]
	if q == nil {
		q = &request{}
		flat[prefix] = q
	}
	switch strings.TrimPrefix(strings.TrimPrefix(field, "tool_call."), "function.") {
	case "id":
		q.id = value.Str()
	case "name":
		q.name = value.Str()
	case "arguments":
		q.args = value.Str()
	}
}

func (x *MessageIndex) note(run string, q request) {
	key := requestKey{run, q.id}
	if known, ok := x.requests[key]; ok {
		x.compare(known, q)
		return
	}
	size := len(run) + len(q.id) + len(q.name) + len(q.args)
	if size > x.limits.Bytes {
		return
	}
	// What is kept must not hold the span's memory.
	key = requestKey{strings.Clone(run), strings.Clone(q.id)}
	x.requests[key] = &asked{name: strings.Clone(q.name), args: strings.Clone(q.args)}
	x.runs[key.run]++
	x.queue = append(x.queue, key)
	x.bytes += size
	for len(x.requests) > x.limits.Requests || x.bytes > x.limits.Bytes {
		x.forget()
	}
}

// compare looks at a request whose id is known: later turns repeat the history
// of a conversation. A repetition without arguments adds nothing.
func (x *MessageIndex) compare(known *asked, q request) {
	switch {
	case q.name == known.name && (q.args == known.args || q.args == ""):
	case q.name == known.name && known.args == "" && x.bytes+len(q.args) <= x.limits.Bytes:
		known.args = strings.Clone(q.args)
		x.bytes += len(q.args)
	case q.name != known.name || !x.sameArgs(known.args, q.args):
		known.ambiguous = true
	}
}

func (x *MessageIndex) sameArgs(a, b string) bool {
	first, second := x.r.decodePlain(a), x.r.decodePlain(b)
	return first.doc != nil && second.doc != nil && sameValue(Args{Doc: first.doc, Text: first.text}, second)
}

func (x *MessageIndex) forget() {
	key := x.queue[0]
	x.queue = x.queue[1:]
	if q := x.requests[key]; q != nil {
		x.bytes -= len(key.run) + len(key.id) + len(q.name) + len(q.args)
		delete(x.requests, key)
	}
	if x.runs[key.run]--; x.runs[key.run] <= 0 {
		delete(x.runs, key.run)
	}
}

// joinable are the reasons for which the arguments of a request may stand in.
// Arguments on the span that are there but broken stay what they are.
var joinable = map[truth.Reason]bool{
	truth.ArgsAbsent: true, truth.ArgsPlaceholder: true, truth.ArgsTruncated: true, truth.ArgsRedacted: true,
	truth.ArgsPositional: true, truth.ArgsNotExact: true, truth.ArgsUnmatchedCallID: true,
}

// Resolve gives o the arguments that a model asked for under o's call id in
// this run, and marks them as inferred. Where the id is not among the run's
// requests, or belongs to another tool, or to two different requests, o has
// none, and says so. It reports whether o now has arguments.
func (x *MessageIndex) Resolve(run string, o *Observation) bool {
	if o.Args.Captured() || o.CallID == "" || !joinable[o.Args.Why] || x.runs[run] == 0 {
		return false
	}
	q, ok := x.requests[requestKey{run, o.CallID}]
	switch {
	case !ok || o.Tool != "" && !sameTool(o.Tool, q.name):
		o.Args.Why = why(o.Args.Why, truth.ArgsUnmatchedCallID)
		return false
	case q.ambiguous:
		o.Args.Why = truth.ArgsAmbiguous
		return false
	}
	got := x.r.decodePlain(q.args)
	if got.doc == nil {
		o.Args.Why = why(o.Args.Why, got.why)
		return false
	}
	o.Args = Args{Doc: got.doc, Text: got.text, From: "message of a model", Source: truth.SourceInferred}
	return true
}

// why keeps what is known of the span's own arguments, where anything is.
func why(own, other truth.Reason) truth.Reason {
	if own == truth.ArgsAbsent {
		return other
	}
	return own
}

// decodePlain reads text as one JSON object.
func (r *Recognizer) decodePlain(text string) decoded {
	n := &reading{view: &view{r: r}, Observation: &Observation{}}
	return n.decodeText(text, EncJSON)
}
