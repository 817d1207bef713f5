// SPDX-License-Identifier: Apache-2.0

package ledger

import "encoding/binary"

// early remembers, of runs that have no call yet, what their first call must
// know: spans come in any order, and a root can come before any call. Most
// traces never have a call, so it forgets the older half of what it holds when
// it is full.
type early struct {
	limit    int
	now, old map[ID]fact
}

// A fact is something Seen.
type fact uint8

const (
	factRoot fact = 1 << iota
	factSampled
	factLost // something of the run began before the ledger did
)

func (s *Seen) facts(o *Options) (f fact) {
	if s.Root {
		f |= factRoot
	}
	if s.Sampled {
		f |= factSampled
	}
	if o.lost(s.Start) {
		f |= factLost
	}
	return f
}

// earlyKey tells the traces of a run apart where the run is none itself.
func earlyKey(run ID, trace Trace) ID {
	if trace == Trace(run) {
		return run
	}
	for i := range run {
		run[i] ^= trace[i]
	}
	return run
}

func (e *early) note(key ID, f fact) {
	if f == 0 {
		return
	}
	if known, ok := e.now[key]; ok {
		e.now[key] = known | f
		return
	}
	if e.now == nil || len(e.now) >= max(1, e.limit/2) {
		e.old, e.now = e.now, map[ID]fact{}
	}
	e.now[key] = f
}

// take returns what was noted under key, and drops it.
func (e *early) take(key ID) fact {
	f := e.now[key] | e.old[key]
	delete(e.now, key)
	delete(e.old, key)
	return f
}

// forgotten remembers by a hash which runs were dropped, so that one of them
// does not begin anew as if it had no past. It forgets like early.
type forgotten struct {
	limit    int
	now, old map[uint64]struct{}
}

func hashID(id ID) uint64 {
	h := binary.LittleEndian.Uint64(id[:8])*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(id[8:])
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

func (f *forgotten) add(id ID) {
	if f.now == nil || len(f.now) >= max(1, f.limit/2) {
		f.old, f.now = f.now, map[uint64]struct{}{}
	}
	f.now[hashID(id)] = struct{}{}
}

func (f *forgotten) has(id ID) bool {
	h := hashID(id)
	_, now := f.now[h]
	_, old := f.old[h]
	return now || old
}
