// SPDX-License-Identifier: Apache-2.0

package sequence

// sound reports whether s is a state that its rules could have come to, as far
// as its parts can tell: every cell by itself, the log against the cells, and
// the tape against both. It is what keeps a damaged store from breaking the
// methods of State.
func (s *State) sound() bool {
	every := func(int) bool { return true }
	if s.bound == 0 || !s.core.sound(s.rules, slot{s.calls, s.bound}, every) {
		return false
	}
	return s.past == nil || s.past.sound(s)
}

// sound checks that base and tape lead to what s knows of the dependent rules.
func (p *past) sound(s *State) bool {
	r, onTape := s.rules, s.calls-p.first
	if onTape >= 2*ReplaceWindow || len(p.tape) != onTape*r.stride() || !r.cleanTape(p.tape) {
		return false
	}
	start := core{cells: make([]cell, len(r.rules))}
	if p.first > 0 {
		used := func(i int) bool { return r.rules[i].dependent }
		if p.first%ReplaceWindow != 0 || onTape < ReplaceWindow || !p.base.sound(r, slot{p.first, s.bound}, used) {
			return false
		}
		copy(start.cells, p.base.cells)
	}
	p.replay(r, &start, p.tape, s.bound)
	for _, i := range r.dependent {
		if start.cells[i] != s.core.cells[i] {
			return false
		}
	}
	return true
}

// cleanTape reports whether no call on tape has a bit that means nothing.
func (r *Rules) cleanTape(tape []byte) bool {
	stride := r.stride()
	used := byte(0xff) >> (-len(r.taped) & 7)
	for i := stride - 1; i < len(tape); i += stride {
		if tape[i]&^used != 0 {
			return false
		}
	}
	return true
}

// sound checks k after end.index calls. Rules that are not used must be as at
// the start.
func (k *core) sound(r *Rules, end slot, used func(int) bool) bool {
	logged, ok := k.logged(end.index)
	if !ok {
		return false
	}
	for i, c := range k.cells {
		want := c.kept
		if r.rules[i].grows {
			want = min(want, end.bound)
		}
		switch {
		case logged[i] != want, uint64(c.kept) > uint64(end.index):
			return false
		case used(i) && !r.rules[i].sound(c, end.index), !used(i) && c != cell{}:
			return false
		}
	}
	return true
}

// logged counts the entries of each rule. It reports false where the log is
// none: a rule that is not there, or indices that do not rise up to the calls.
func (k *core) logged(calls int) ([]uint32, bool) {
	counts := make([]uint32, len(k.cells))
	last := make([]int, len(k.cells))
	for log := k.log; len(log) > 0; {
		rule, index, rest, ok := nextEntry(log)
		if !ok || rule >= len(counts) || index >= calls || counts[rule] > 0 && index <= last[rule] {
			return nil, false
		}
		counts[rule]++
		last[rule] = index
		log = rest
	}
	return counts, true
}
