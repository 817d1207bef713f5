// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"
	"unsafe"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A run is what is known of one run. What most runs have lies here, what few
// have in more: a live run of a few calls costs less than 600 bytes.
//
// calls are the recent ones, without gaps: the last has order next-1. Those
// before them are known by count.
type run struct {
	id           ID
	newer, older *run // in the shard's list of open runs or of closed ones

	touched, opened tick

	next   int64  // order of the next call
	latest uint64 // the latest start of a call, in ns since 1970
	calls  []call

	policy *Policy         // the first that judged a call
	state  *sequence.State // of its rules; nil without rules
	more   *more

	flying  uint32 // records that are being written
	caveats caveats
	worst   truth.Verdict
	bits    runBits
}

type runBits uint8

const (
	closed     runBits = 1 << iota // a record of the run is out
	ofTrace                        // calls came that have the run's id as their trace id
	rooted                         // the root span of that trace came
	incomplete                     // some call's decision is incomplete
)

func (r *run) is(b runBits) bool { return r.bits&b != 0 }

func (r *run) set(b runBits, on bool) {
	r.bits &^= b
	if on {
		r.bits |= b
	}
}

// A tick is a tenth of a second. Ticks wrap after 13 years, so only their
// differences mean something.
type tick uint32

const ticksPerSecond = 10

func tickOf(t time.Time) tick {
	return tick(uint64(t.Unix())*ticksPerSecond + uint64(t.Nanosecond())/(1e9/ticksPerSecond))
}

// ticks rounds d up, so that a timeout is never shorter than it was set.
func ticks(d time.Duration) int64 {
	const one = time.Second / ticksPerSecond
	return int64((d + one - 1) / one)
}

// since returns the ticks from then to t, negative where then is later.
func (t tick) since(then tick) int64 { return int64(int32(t - then)) }

// base returns the order of the first call that is kept.
func (r *run) base() int64 { return r.next - int64(len(r.calls)) }

// call returns the call with the given order, nil where it is not kept.
func (r *run) call(order int64) *call {
	i := order - r.base()
	if i < 0 || i >= int64(len(r.calls)) {
		return nil
	}
	return &r.calls[i]
}

// add appends a call.
func (r *run) add(c call) {
	r.calls = appendTight(r.calls, c)
	r.next++
}

// appendTight appends as append does, growing by less: most runs stay small,
// and doubling would waste as much as they hold.
func appendTight[T any](list []T, v T) []T {
	if n := len(list); n == cap(list) {
		more := max(3, n/4)
		if n == 0 {
			more = 2
		}
		grown := make([]T, n, n+more)
		copy(grown, list)
		list = grown
	}
	return append(list, v)
}

// verdict returns the verdict of the run so far (spec section 8): the worst of
// its calls' decisions. What was a mismatch or invalid stays, whatever came of
// the call later.
func (r *run) verdict() truth.Verdict {
	v := r.worst
	if r.is(incomplete) || r.caveats&lossCaveats != 0 {
		v = max(v, truth.Incomplete)
	}
	return truth.Join(max(v, truth.Match))
}

// judge takes in the decision on a call.
func (r *run) judge(v truth.Verdict) {
	switch {
	case v >= truth.Mismatch:
		r.worst = max(r.worst, v)
	case v == truth.Incomplete:
		r.set(incomplete, true)
	}
}

// recount finds out anew whether some decision is incomplete, after one
// changed.
func (r *run) recount() {
	rare := r.rare()
	some := rare != nil && rare.gone[truth.Incomplete] > 0
	for i := range r.calls {
		c := &r.calls[i]
		some = some || c.verdict == truth.Incomplete && !c.is(merged)
	}
	r.set(incomplete, some)
}

// counts returns how many calls have each verdict, and how many orders belong
// to calls that were merged into others.
func (r *run) counts() (by [truth.Invalid + 1]int64, gone int64) {
	if rare := r.rare(); rare != nil {
		by, gone = rare.gone, rare.merged
	}
	for i := range r.calls {
		if c := &r.calls[i]; !c.is(merged) {
			by[c.verdict]++
		}
	}
	return by, gone
}

// extent says whether nothing more is expected of the run, as far as it is
// known here.
func (r *run) extent(known caveats) sequence.Extent {
	if known&partialCaveats != 0 {
		return sequence.Partial
	}
	return sequence.Complete
}

const runSize = int64(unsafe.Sizeof(run{})) + 48 // and its part of the shard's map

// size is about what the run costs in memory.
func (r *run) size() int64 {
	n := runSize + int64(cap(r.calls))*int64(unsafe.Sizeof(call{})) + stateSize(r.state, r.policy)
	if r.more != nil {
		n += r.more.size()
	}
	return n
}

// stateSize estimates a State, whose insides are its own: a cell a rule, and a
// log of the calls that records span.
func stateSize(s *sequence.State, p *Policy) int64 {
	if s == nil {
		return 0
	}
	return 112 + int64(p.Rules.Len())*(12+min(int64(s.Calls()), spannedBound))
}
