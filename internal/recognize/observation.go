// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// An Observation is what one span says of one tool call, read as its emitter
// wrote it. It does not say that the tool ran (see Marks) nor that it was
// allowed to.
type Observation struct {
	// Dialect is the name of the dialect that took the span.
	Dialect string

	// Scope is the name of the instrumentation scope.
	Scope string

	// Layer says from where the span describes the call.
	Layer Layer

	// Companion spans only add to a call that another span describes. One
	// without such a span is no call, and is not judged.
	Companion bool

	// Tool is the name byte for byte as written, empty where the span has
	// none. Name says what a careful reader should know about it.
	Tool     string
	ToolFrom string
	Name     NameFlags

	Args Args

	// CallID is the id that the model gave the call. Placeholders and ids that
	// emitters make up are no ids and leave it empty.
	CallID     string
	CallIDFrom string

	// Result is what the emitter says of the outcome, and n/a where it is
	// known to be silent or to say the same of every call.
	Result truth.ResultStatus

	// Agent and Session are what the span itself, or failing that its
	// resource, says. Ancestors are the caller's to ask.
	Agent       string
	Session     string
	SessionFrom string

	// MCPSession and RequestID identify a JSON-RPC request: they pair client
	// and server of one call, and nothing else.
	MCPSession string
	RequestID  string

	// Attempt is the emitter's own count of tries, 0 where it does not count.
	Attempt int

	Marks    Marks
	Conflict Conflict

	// Others are further calls that the same span covers. Few emitters write
	// such spans: one span for all parallel calls of a turn.
	Others []Observation
}

// Args is the arguments of a call, or why there are none.
type Args struct {
	// Doc is the parsed arguments: an object, or whatever JSON value a model
	// wrote in its place. It is nil where they are absent or unusable.
	Doc *canon.Doc

	// Text is the JSON text that Doc was parsed from.
	Text string

	// Why says why Doc is nil: truth.ArgsAbsent where there was nothing.
	Why truth.Reason

	// From names where the arguments, or what stands in their place, lie.
	From string

	// Source is inferred where they come from a model's message.
	Source truth.SourceClass
}

// Captured reports whether the arguments are there and usable.
func (a *Args) Captured() bool { return a.Doc != nil }

// Marks are what an emitter says of a call besides its outcome.
type Marks uint16

// The marks. Append only.
const (
	// Unfinished spans have no end time, or announce a span that is still
	// running. They are not judged: the finished span follows.
	Unfinished Marks = 1 << iota
	// Deferred calls wait for an approval or for somebody else to run them.
	Deferred
	// Interrupted calls stopped to ask a human.
	Interrupted
	// Resumed calls go on after an interruption.
	Resumed
	// Refused calls did not pass the check of their arguments.
	Refused
	// Aborted calls were given up.
	Aborted
)

var markNames = [...]string{"unfinished", "deferred", "interrupted", "resumed", "refused", "aborted"}

// Has reports whether m has all of want.
func (m Marks) Has(want Marks) bool { return m&want == want }

// Names lists the marks of m.
func (m Marks) Names() []string { return bitNames(markNames[:], uint16(m)) }

// Conflict says what on a span contradicts itself.
type Conflict uint8

// The conflicts. Append only.
const (
	// ConflictRepeatedKey is an attribute key among those read that occurs
	// twice with different values. It makes the identity of the call invalid:
	// readers differ about which of the two they show.
	ConflictRepeatedKey Conflict = 1 << iota
	// ConflictTool is two fields with different names of the tool, of which
	// neither is the other with a server's name before it.
	ConflictTool
	// ConflictArgs is two fields with different arguments. There are none then.
	ConflictArgs
	// ConflictCallID is two fields with different call ids.
	ConflictCallID
)

var conflictNames = [...]string{"repeated_key", "tool", "args", "call_id"}

// Has reports whether c has all of want.
func (c Conflict) Has(want Conflict) bool { return c&want == want }

// Names lists the conflicts of c.
func (c Conflict) Names() []string { return bitNames(conflictNames[:], uint16(c)) }

func bitNames(names []string, bits uint16) []string {
	var set []string
	for i, name := range names {
		if bits&(1<<i) != 0 {
			set = append(set, name)
		}
	}
	return set
}

// Seen is what one pass over a span's attributes found besides a tool call.
type Seen uint8

// What a pass finds. Append only.
const (
	// SeenReserved: a key of the reserved namespace is there, to be stripped.
	SeenReserved Seen = 1 << iota
	// SeenMessages: messages of a model are there, for a MessageIndex.
	SeenMessages
)

// Has reports whether s has all of want.
func (s Seen) Has(want Seen) bool { return s&want == want }
