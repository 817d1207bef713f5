// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// A Span is a span of any kind as Fold needs it. Observation is nil for a span
// that is no tool call: such spans are there because ancestry leads through
// them.
type Span struct {
	Trace       pcommon.TraceID
	ID, Parent  pcommon.SpanID
	Start, End  pcommon.Timestamp
	Links       []Link
	Observation *Observation
}

// SpanOf returns what Fold needs of span, of which o is the observation, or
// nil.
func SpanOf(span ptrace.Span, o *Observation) Span {
	s := Span{
		Trace: span.TraceID(), ID: span.SpanID(), Parent: span.ParentSpanID(),
		Start: span.StartTimestamp(), End: span.EndTimestamp(), Observation: o,
	}
	for _, link := range span.Links().All() {
		s.Links = append(s.Links, Link{link.TraceID(), link.SpanID()})
	}
	return s
}

// A Link is the other end of a span link.
type Link struct {
	Trace pcommon.TraceID
	ID    pcommon.SpanID
}

// A Group is one logical call: the indices of the spans that describe it.
type Group struct {
	// Primary is the observation that speaks for the call: one with arguments
	// before one without, then the outermost.
	Primary int
	// Members are all of them, outermost first, Primary included.
	Members []int
	// Proofs has why each member but the first belongs here, by index in
	// Members.
	Proofs []Proof
	// Fanout: the call's outermost span has several inner spans that are not
	// parent and child of each other. It was retried or handed on more than
	// once, and which of them it is cannot be told: they are calls of their own.
	Fanout bool
}

// Fold groups the spans that describe one logical call, and only what the
// rules of SameCall prove. Identical parallel calls, retries and siblings stay
// apart, and companions without a call are left out. It depends on nothing but
// spans; the groups come in the order of their first spans.
func Fold(spans []Span) []Group {
	f := newFolding(spans)
	f.ancestry()
	f.callIDs()
	f.requests()
	return f.groups()
}

type folding struct {
	spans  []Span
	at     map[Link]int
	tools  []int
	outer  []int   // index of the span that a span is folded into, -1 for none
	proof  []Proof // why
	below  []int   // nearest tool span above, through parents or a link, -1 for none
	linked []bool
	fanout map[int]bool
}

func newFolding(spans []Span) *folding {
	f := &folding{spans: spans, at: make(map[Link]int, len(spans)), fanout: map[int]bool{}}
	f.outer, f.below, f.linked, f.proof = make([]int, len(spans)), make([]int, len(spans)), make([]bool, len(spans)), make([]Proof, len(spans))
	for i, s := range spans {
		f.outer[i], f.below[i] = -1, -1
		key := Link{s.Trace, s.ID}
		if _, resent := f.at[key]; !resent {
			f.at[key] = i
		}
		if s.Observation != nil {
			f.tools = append(f.tools, i)
		}
	}
	for _, i := range f.tools {
		f.below[i], f.linked[i] = f.nearest(i)
	}
	return f
}

// maxAncestors bounds a walk through parents, which may run in a circle.
const maxAncestors = 256

// nearest walks up from span i to the nearest tool call's span. Where the
// parents end without one, the links of the spans passed are followed.
func (f *folding) nearest(i int) (above int, linked bool) {
	at, links := i, f.spans[i].Links
	for range maxAncestors {
		s := f.spans[at]
		if s.Parent.IsEmpty() {
			break
		}
		parent, ok := f.at[Link{s.Trace, s.Parent}]
		if !ok || parent == i {
			break
		}
		if f.spans[parent].Observation != nil {
			return parent, false
		}
		at, links = parent, append(links[:len(links):len(links)], f.spans[parent].Links...)
	}
	for _, l := range links {
		if j, ok := f.at[l]; ok && j != i && f.spans[j].Observation != nil {
			return j, true
		}
	}
	return -1, false
}

// ancestry folds inner layers into the nearest tool call above them, unless
// that has several that could be meant.
func (f *folding) ancestry() {
	inner := map[int][]int{}
	for _, i := range f.tools {
		up := f.below[i]
		if up < 0 {
			continue
		}
		if p := SameCall(f.spans[up].Observation, f.spans[i].Observation, f.relation(up, i)); p != 0 {
			f.proof[i] = p
			inner[up] = append(inner[up], i)
		}
	}
	for up, below := range inner {
		rivals := slices.DeleteFunc(slices.Clone(below), func(i int) bool {
			return f.spans[i].Observation.Companion || f.proof[i] == ProofCallID
		})
		if len(rivals) > 1 && !f.stages(rivals) {
			f.fanout[up] = true
			for _, i := range rivals {
				f.proof[i] = 0
			}
		}
		for _, i := range below {
			if f.proof[i] != 0 {
				f.outer[i] = up
			}
		}
	}
}

// stages reports whether spans that lie side by side are the stages of one
// call as one instrumentation writes them: of one scope, and each of another
// dialect. A call that was made twice has each of its stages twice.
func (f *folding) stages(side []int) bool {
	seen := map[string]bool{}
	for _, i := range side {
		o := f.spans[i].Observation
		if seen[o.Dialect] || o.Scope != f.spans[side[0]].Observation.Scope {
			return false
		}
		seen[o.Dialect] = true
	}
	return true
}

func (f *folding) relation(outer, inner int) Relation {
	o, i := f.spans[outer], f.spans[inner]
	return Relation{
		Below: f.below[inner] == outer && !f.linked[inner], Linked: f.below[inner] == outer && f.linked[inner],
		SameTrace: o.Trace == i.Trace, Overlap: overlap(o, i),
	}
}

func overlap(a, b Span) bool { return a.Start <= b.End && b.Start <= a.End }

// callIDs folds observations with one real call id in one trace.
func (f *folding) callIDs() {
	type key struct {
		trace pcommon.TraceID
		id    string
	}
	first := map[key][]int{}
	for _, i := range f.byStart() {
		o := f.spans[i].Observation
		if o.CallID == "" || f.outer[i] >= 0 {
			continue
		}
		k := key{f.spans[i].Trace, o.CallID}
		if j := slices.IndexFunc(first[k], func(j int) bool { return f.join(j, i) }); j < 0 && len(first[k]) < maxNamesakes {
			first[k] = append(first[k], i)
		}
	}
}

// maxNamesakes is with how many calls of one id in one trace another is
// compared. More of them prove nothing but that the id is no id.
const maxNamesakes = 16

// join folds later into earlier where they are one call, and says whether.
func (f *folding) join(earlier, later int) bool {
	a, b := earlier, later
	if f.spans[b].Observation.Layer < f.spans[a].Observation.Layer {
		a, b = b, a
	}
	p := SameCall(f.spans[a].Observation, f.spans[b].Observation, f.relation(a, b))
	if p == 0 || f.root(a) == f.root(b) {
		return p != 0
	}
	f.outer[f.root(b)], f.proof[f.root(b)] = f.root(a), p
	return true
}

// requests folds client and server of one JSON-RPC request.
func (f *folding) requests() {
	type key struct {
		trace            pcommon.TraceID
		session, request string
	}
	clients := map[key][]int{}
	order := f.byStart()
	of := func(i int) (key, bool) {
		o := f.spans[i].Observation
		return key{f.spans[i].Trace, o.MCPSession, o.RequestID}, o.MCPSession != "" && o.RequestID != ""
	}
	for _, i := range order {
		if k, ok := of(i); ok && f.spans[i].Observation.Layer == LayerMCPClient && len(clients[k]) < maxNamesakes {
			clients[k] = append(clients[k], i)
		}
	}
	for _, i := range order {
		k, ok := of(i)
		if !ok || f.spans[i].Observation.Layer != LayerMCPServer || f.outer[i] >= 0 {
			continue
		}
		for _, j := range clients[k] {
			if f.join(j, i) {
				break
			}
		}
	}
}

// byStart lists the tool spans by (start, span id).
func (f *folding) byStart() []int {
	order := slices.Clone(f.tools)
	slices.SortFunc(order, func(a, b int) int {
		x, y := f.spans[a], f.spans[b]
		return cmp.Or(cmp.Compare(x.Start, y.Start), slices.Compare(x.ID[:], y.ID[:]), cmp.Compare(a, b))
	})
	return order
}

// root follows what a span is folded into.
func (f *folding) root(i int) int {
	for range maxAncestors {
		if f.outer[i] < 0 {
			break
		}
		i = f.outer[i]
	}
	return i
}

func (f *folding) groups() []Group {
	members := map[int][]int{}
	for _, i := range f.tools {
		root := f.root(i)
		members[root] = append(members[root], i)
	}
	var out []Group
	for _, root := range f.tools {
		if f.outer[root] >= 0 || f.spans[root].Observation.Companion {
			continue
		}
		out = append(out, f.group(root, members[root]))
	}
	return out
}

func (f *folding) group(root int, members []int) Group {
	slices.SortFunc(members, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.depth(a), f.depth(b)), cmp.Compare(f.spans[a].Start, f.spans[b].Start), cmp.Compare(a, b))
	})
	g := Group{Primary: root, Members: members, Proofs: make([]Proof, len(members)), Fanout: f.fanout[root]}
	for i, m := range members {
		if m != root {
			g.Proofs[i] = f.proof[m]
		}
	}
	for _, m := range members {
		if f.spans[m].Observation.Args.Captured() {
			g.Primary = m
			break
		}
	}
	return g
}

func (f *folding) depth(i int) int {
	depth := 0
	for ; f.outer[i] >= 0 && depth < maxAncestors; depth++ {
		i = f.outer[i]
	}
	return depth
}

// Call is what the group's spans say together: the outermost observation,
// which is what was asked for, with what only inner ones know filled in.
func (g Group) Call(spans []Span) Observation {
	call := *spans[g.Members[0]].Observation
	call.Args = spans[g.Primary].Observation.Args
	for _, m := range g.Members[1:] {
		o := spans[m].Observation
		if call.Tool == "" && o.Tool != "" {
			call.Tool, call.ToolFrom, call.Name = o.Tool, o.ToolFrom, o.Name
		}
		if call.CallID == "" {
			call.CallID, call.CallIDFrom = o.CallID, o.CallIDFrom
		}
		if call.Session == "" {
			call.Session, call.SessionFrom = o.Session, o.SessionFrom
		}
		call.Agent = cmp.Or(call.Agent, o.Agent)
		call.MCPSession = cmp.Or(call.MCPSession, o.MCPSession)
		call.RequestID = cmp.Or(call.RequestID, o.RequestID)
		call.Attempt = max(call.Attempt, o.Attempt)
		call.Marks |= o.Marks
		call.Conflict |= o.Conflict
		call.Result = worseResult(call.Result, o.Result)
	}
	return call
}

// worseResult is error where either is: failures are invisible on most
// outermost spans. An inner ok adds to an outer silence.
func worseResult(a, b truth.ResultStatus) truth.ResultStatus {
	switch {
	case a == truth.ResultError || b == truth.ResultError:
		return truth.ResultError
	case a == truth.ResultOK || b == truth.ResultOK:
		return truth.ResultOK
	}
	return truth.ResultNA
}
