// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"cmp"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// An ID names a run: its trace id, or a hash of what else its spans share and
// of whom they come from, so that strangers never share a run.
type ID [16]byte

// A Trace is a trace id.
type Trace [16]byte

// A Span is a span id. The zero Span is none.
type Span [8]byte

// A Batch is what one batch of telemetry says about runs.
type Batch struct {
	Groups []Group
	Seen   []Seen

	// Room is where the placements may go, so that a caller can use it again.
	Room []Placement
}

// A Group is the finished spans of one logical call in one batch, and the
// decision on it. Spans that still run belong to no Group: they are placed
// once they are finished.
type Group struct {
	Run   ID
	Trace Trace

	// Members are the call's spans, the primary first: the one that the
	// decision speaks of. At least one, each once.
	Members []Member

	// Part numbers the calls that one span covers, from 1, where it covers
	// several. What lies below such a span is of none of them.
	Part uint8

	// CallID is the id that the model gave the call, "" where there is none or
	// a placeholder.
	CallID string

	// Waits says that the call stopped to wait for somebody: a later span with
	// its id goes on with it.
	Waits bool

	// Call is the call as the sequence rules see it. Nothing of its arguments
	// is kept.
	Call sequence.Call

	// Args is a digest of the arguments, without what layers between model and
	// tool add to them; meaningless where there are none. Where it is keyed, no
	// emitter can make two arguments pass for equal.
	Args Sum

	Policy  *Policy // which judged it; never nil
	Verdict truth.Verdict

	// Detail is kept with the decision and given back with it, for what the
	// caller shows beside the verdict. The ledger does not look at it.
	Detail uint64
}

// A Member is one span of a Group.
type Member struct {
	Span Span

	// Parent is the nearest ancestor that is a tool call's span, else the first
	// one that the batch does not hold. It is zero where the ancestors end in a
	// root, and may be a span that this one links to.
	Parent Span

	Layer      Layer
	Start, End uint64 // in ns since 1970

	// Content is a hash of what the span says. Two spans with one id and one
	// Content count as one span delivered twice, so make it with a key.
	Content uint64
}

// Seen is what else a batch tells about a run. Runs without a call are not
// kept, but some of what is Seen before the first call is.
type Seen struct {
	Run   ID
	Trace Trace

	Root    bool   // the trace's root span is in the batch
	Start   uint64 // the root's, in ns since 1970
	Sampled bool   // spans of the run were sampled away, as far as the batch tells

	// Hops are the batch's spans that are no tool call's, for following the
	// ancestors of inner spans that came before or will come. Spans that
	// nothing in another batch can hang below may be left out.
	Hops []Hop
}

// A Hop is a span that is no tool call's, and its Parent as in Member.
type Hop struct{ Span, Parent Span }

// began returns the span of g that began first.
func (g *Group) began() (first Member) {
	for i, m := range g.Members {
		if i == 0 || cmp.Or(cmp.Compare(m.Start, first.Start), bytes.Compare(m.Span[:], first.Span[:])) < 0 {
			first = m
		}
	}
	return first
}

// compareGroups sorts by run, and within one by when the call began. Equal
// times are told apart by span ids, so that the order does not depend on the
// order within a batch.
func compareGroups(a, b *Group) int {
	if c := bytes.Compare(a.Run[:], b.Run[:]); c != 0 {
		return c
	}
	x, y := a.began(), b.began()
	return cmp.Or(cmp.Compare(x.Start, y.Start), bytes.Compare(x.Span[:], y.Span[:]))
}
