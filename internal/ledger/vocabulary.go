// SPDX-License-Identifier: Apache-2.0

package ledger

import "fmt"

// A Kind says what a group of spans is to the run it was placed in. The zero
// Kind is none: the group was not placed.
type Kind uint8

// The kinds of placements. Append only.
const (
	KindNew      Kind = iota + 1 // a call that the run did not have
	KindJoined                   // a further observation of a call, which leaves its decision as it is
	KindReplaced                 // a further observation, by which the call is decided anew
	KindResent                   // spans that are known, and say what they said
	KindChanged                  // a span that is known, and now says something else
)

// A Why says why a run was closed. The zero Why is none.
type Why uint8

// Why a run was closed. Append only: the strings are wire format.
const (
	WhyIdle     Why = iota + 1 // no call joined it for the idle timeout
	WhyLifetime                // it was open for the longest time that a run may be
	WhyEvicted                 // its room was needed
	WhyBatch                   // its batch is over, and batches hold whole runs
	WhyShutdown                // the instance stops
	WhyEnd                     // there is no more input
)

// A Caveat is something that a reader of a run's record must know. The zero
// Caveat is none.
type Caveat uint8

// The caveats. Append only: the strings are wire format.
const (
	CaveatRootUnseen      Caveat = iota + 1 // no root span came, so the run may have begun or go on elsewhere
	CaveatSampled                           // spans were sampled away before they came here
	CaveatStateLost                         // what was known of the run was lost, by a restart or for lack of room
	CaveatEvicted                           // the run was evicted, and its calls so far are known by count only
	CaveatLifetime                          // the run was closed for its age and may go on
	CaveatShutdown                          // the run was closed because the instance stops
	CaveatLate                              // calls came after the run had been closed
	CaveatPolicyChanged                     // one policy judged calls of the run in more than one form
	CaveatRulesBehind                       // rules could not take in that a call's decision changed
	CaveatOrderAmbiguous                    // calls began at the same time: their order is that of their span ids
	CaveatOrderByArrival                    // a call came after one that began later: their order is that of arrival
	CaveatCallsMerged                       // calls that counted as two turned out to be one
	CaveatWindowPassed                      // early calls are known by count only: one resent would count again
	CaveatArgumentsUnread                   // a rule reads arguments of a call that had none: to the rule such a call does not match
)

const lastCaveat = CaveatArgumentsUnread

// partialCaveats say that more calls may exist than the run holds, or that the
// rules saw something else than what stands recorded. The others are notes.
const partialCaveats = caveats(1<<CaveatRootUnseen | 1<<CaveatSampled | 1<<CaveatStateLost | 1<<CaveatEvicted | 1<<CaveatLifetime | 1<<CaveatShutdown |
	1<<CaveatLate | 1<<CaveatPolicyChanged | 1<<CaveatRulesBehind)

// lossCaveats say that calls may be missing from the middle: such a run is
// never a match.
const lossCaveats = caveats(1<<CaveatStateLost | 1<<CaveatEvicted)

// A Layer says from where a span describes a call, from the outside in. Only a
// span of an MCP layer may be the inner observation of another span's call.
// The zero Layer is none, and joins nothing.
type Layer uint8

// The layers. Append only.
const (
	LayerAgent     Layer = iota + 1 // who decided to call
	LayerMCPClient                  // who sends the call to an MCP server
	LayerMCPServer                  // who answers it, or a gateway before it
	LayerHandler                    // what runs inside
)

var (
	kindNames   = [...]string{"", "new", "joined", "replaced", "resent", "changed"}
	whyNames    = [...]string{"", "idle", "lifetime", "evicted", "batch", "shutdown", "end"}
	caveatNames = [...]string{
		"", "root_unseen", "sampled", "state_lost", "evicted", "lifetime", "shutdown", "late", "policy_changed",
		"rules_behind", "order_ambiguous", "order_by_arrival", "calls_merged", "window_passed", "arguments_unread",
	}
)

// String returns the kind's word, or "" for what is no Kind.
func (k Kind) String() string { return word(kindNames[:], uint8(k)) }

// String returns the wire form, or "" for what is no Why.
func (w Why) String() string { return word(whyNames[:], uint8(w)) }

// String returns the wire form, or "" for what is no Caveat.
func (c Caveat) String() string { return word(caveatNames[:], uint8(c)) }

// Partial reports whether the caveat alone makes the extent of a run partial.
// A caveat that does not is a note on the order or on what was counted.
func (c Caveat) Partial() bool { return partialCaveats.has(c) }

// Whys lists the wire form of every Why.
func Whys() []string { return whyNames[1:] }

// Caveats lists the wire form of every Caveat.
func Caveats() []string { return caveatNames[1:] }

// MarshalText returns the wire form.
func (w Why) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// MarshalText returns the wire form.
func (c Caveat) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText accepts the wire forms and nothing else.
func (w *Why) UnmarshalText(text []byte) error {
	i, err := index(whyNames[:], text, "why")
	if err == nil {
		*w = Why(i)
	}
	return err
}

// UnmarshalText accepts the wire forms and nothing else.
func (c *Caveat) UnmarshalText(text []byte) error {
	i, err := index(caveatNames[:], text, "caveat")
	if err == nil {
		*c = Caveat(i)
	}
	return err
}

// caveats is a set of them.
type caveats uint16

func (s caveats) has(c Caveat) bool { return c != 0 && s>>c&1 != 0 }

func (s *caveats) add(c Caveat) { *s |= 1 << c }

// list returns the members of s in the order of the vocabulary.
func (s caveats) list() []Caveat {
	var all []Caveat
	for c := CaveatRootUnseen; c <= lastCaveat; c++ {
		if s.has(c) {
			all = append(all, c)
		}
	}
	return all
}

func word(names []string, i uint8) string {
	if int(i) >= len(names) {
		return ""
	}
	return names[i]
}

func index(names []string, text []byte, what string) (int, error) {
	for i, name := range names {
		if i > 0 && name == string(text) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s is not a known word, known are %q", what, names[1:])
}
