// SPDX-License-Identifier: Apache-2.0

package ledger

import "github.com/tool-decision-truth/collector/internal/truth"

// A Placement says what a group is to its run, and what the group's spans are
// to be annotated with: the decision as it is known now, which may be that of
// another observation of the same call.
type Placement struct {
	Kind  Kind
	Late  bool  // the run had been closed, so its record is out
	Order int64 // of the call in its run, from 0, never beyond 2^53

	// Record asks for a carrier of this group's decision, at Order. It is true
	// for a decision that has none, also where an earlier attempt to write it
	// failed, and always false where the ledger keeps no records.
	Record bool

	// Supersedes names the carriers that a carrier of this decision replaces.
	Supersedes []Sum

	// The decision. Where it is that of another observation, Primary is the
	// span of that one.
	Verdict truth.Verdict
	Detail  uint64
	Policy  *Policy
	Primary Span

	// Digests are those of the decision's carrier where that is written. Settle
	// fills them in.
	Digests Digests

	// Violated holds the rule_id of each rule that the call violated.
	Violated []string

	// RunVerdict is the run's so far.
	RunVerdict truth.Verdict

	run     *run
	shard   *shard
	span    spanKey
	content content
	settled bool
}

// Ended is what is over: the runs that were closed, each with what its record
// must say, and those that are remembered no more, whose stored form can go.
type Ended struct {
	Closed    []Closed
	Forgotten []ID
}
