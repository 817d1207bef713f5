// SPDX-License-Identifier: Apache-2.0

package ledger

// noteGroup takes in what a group says about its run, apart from the call.
func (s *shard) noteGroup(r *run, o *sighting) {
	if s.options.lost(o.start) {
		r.caveats.add(CaveatStateLost)
	}
	if o.Trace == Trace(r.id) {
		if !r.is(ofTrace) {
			r.set(ofTrace, true)
			s.noteFacts(r, s.early.take(r.id), o.Trace)
		}
		return
	}
	rare := r.needRare()
	rare.trace = o.Trace
	if rare.at(o.fold) >= 0 || len(rare.traces) > maxTraces {
		return
	}
	rare.traces = append(rare.traces, rootedTrace{fold: o.fold})
	s.noteFacts(r, s.early.take(earlyKey(r.id, o.Trace)), o.Trace)
}

// noteSeen takes in what a batch says about a run that is known.
func (s *shard) noteSeen(r *run, seen *Seen) {
	f := seen.facts(s.options)
	fold := foldTrace(seen.Trace)
	known := seen.Trace == Trace(r.id) || r.rare() != nil && r.rare().at(fold) >= 0
	if !known {
		s.early.note(earlyKey(r.id, seen.Trace), f&factRoot)
		f &^= factRoot
	}
	s.noteFacts(r, f, seen.Trace)
	for _, h := range seen.Hops {
		r.advance(fold.key(h.Span, 0), fold.key(h.Parent, 0))
	}
}

func (s *shard) noteFacts(r *run, f fact, trace Trace) {
	if f&factSampled != 0 {
		r.caveats.add(CaveatSampled)
	}
	if f&factLost != 0 {
		r.caveats.add(CaveatStateLost)
	}
	if f&factRoot == 0 {
		return
	}
	if trace == Trace(r.id) {
		r.set(rooted, true)
	} else if i := r.rare().at(foldTrace(trace)); i >= 0 {
		r.rare().traces[i].root = true
	}
}

func (x *rare) at(fold traceFold) int {
	for i := range x.traces {
		if x.traces[i].fold == fold {
			return i
		}
	}
	return -1
}

// rootsSeen reports whether the root span of every trace of r came.
func (r *run) rootsSeen() bool {
	if r.is(ofTrace) && !r.is(rooted) {
		return false
	}
	if rare := r.rare(); rare != nil {
		for _, t := range rare.traces {
			if !t.root {
				return false
			}
		}
	}
	return true
}
