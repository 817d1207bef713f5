// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"bytes"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A Proof says why two observations are of one logical call. The zero Proof is
// none: without one they are two calls.
type Proof uint8

// The proofs. Append only: the strings are shown to users.
const (
	// ProofAncestry: an inner layer's span lies below the outer's, and nothing
	// speaks against it.
	ProofAncestry Proof = iota + 1
	// ProofCallID: both have the model's id of the call, in one trace.
	ProofCallID
	// ProofLink: an inner layer's span is linked to the outer's.
	ProofLink
	// ProofRequest: client and server of one JSON-RPC request in one session.
	ProofRequest
)

var proofNames = [...]string{"", "ancestry", "call_id", "link", "request"}

// String returns the proof's name, or "" for a value that is no proof.
func (p Proof) String() string {
	if int(p) >= len(proofNames) {
		return ""
	}
	return proofNames[p]
}

// A Relation is how the span of an inner observation lies to that of an outer.
type Relation struct {
	// Below: the inner span is a descendant of the outer, with no other tool
	// call's span between them. Spans of other kinds may be.
	Below bool
	// Linked: the inner span has a link to the outer, or an ancestor below
	// which no tool call's span lies has.
	Linked bool
	// SameTrace: both are in one trace.
	SameTrace bool
	// Overlap: the two were going on at the same time, as far as clocks of
	// different hosts allow to say.
	Overlap bool
}

// SameCall says what proves that outer and inner are observations of one
// logical call, which is nothing in most cases. It decides pairs, so a later
// observation can be compared with one that was judged. What only the whole
// trace shows is left to Fold: that one span has two inner spans that are not
// parent and child, and so is retried or fans out.
func SameCall(outer, inner *Observation, rel Relation) Proof {
	if !compatible(outer, inner) {
		return 0
	}
	inside := inner.Companion || inner.Layer > LayerAgent
	switch {
	case inner.Companion && rel.Below:
		return ProofAncestry
	case inner.Companion && sameID(outer, inner) && rel.SameTrace:
		return ProofCallID
	case sameID(outer, inner) && rel.SameTrace && namesAgree(outer, inner) && (rel.Below || rel.Overlap || outer.waits()):
		return ProofCallID
	case inside && rel.Below && (namesAgree(outer, inner) || nameless(outer, inner)):
		return ProofAncestry
	case inside && rel.Linked && namesAgree(outer, inner):
		return ProofLink
	case rel.SameTrace && outer.Layer == LayerMCPClient && inner.Layer == LayerMCPServer && sameRequest(outer, inner) && namesAgree(outer, inner):
		return ProofRequest
	}
	return 0
}

// compatible reports whether nothing says that the two are different calls.
func compatible(a, b *Observation) bool {
	if len(a.Others) > 0 || len(b.Others) > 0 {
		return false
	}
	if a.CallID != "" && b.CallID != "" && a.CallID != b.CallID {
		return false
	}
	return !a.Args.Captured() || !b.Args.Captured() || equalArgs(a, b)
}

// injected are members that layers between model and tool add to arguments.
var injected = []string{"_meta"}

// Injected reports whether layers between model and tool add this member to
// arguments, so that it says nothing about whether two calls are one.
func Injected(key string) bool { return contains(injected, key) }

// equalArgs compares canonical forms, apart from injected members.
func equalArgs(a, b *Observation) bool {
	if a.Args.Text == b.Args.Text {
		return true
	}
	x, y := a.Args.Doc.Root(), b.Args.Doc.Root()
	if bytes.Equal(x.AppendJCS(nil), y.AppendJCS(nil)) {
		return true
	}
	if x.Kind() != canon.KindObject || y.Kind() != canon.KindObject {
		return false
	}
	common := 0
	for key, value := range x.All() {
		if contains(injected, key) {
			continue
		}
		other, ok := y.Get(key)
		if !ok || !bytes.Equal(value.AppendJCS(nil), other.AppendJCS(nil)) {
			return false
		}
		common++
	}
	for key := range y.All() {
		if !contains(injected, key) {
			common--
		}
	}
	return common == 0
}

func sameID(a, b *Observation) bool { return a.CallID != "" && a.CallID == b.CallID }

// waits reports whether the call may go on in a later span.
func (o *Observation) waits() bool { return o.Marks&(Deferred|Interrupted) != 0 }

func namesAgree(a, b *Observation) bool { return sameTool(a.Tool, b.Tool) }

// nameless reports whether one of the two has no name, and so cannot differ.
func nameless(a, b *Observation) bool { return a.Tool == "" || b.Tool == "" }

func sameRequest(a, b *Observation) bool {
	return a.MCPSession != "" && a.MCPSession == b.MCPSession && a.RequestID != "" && a.RequestID == b.RequestID
}
