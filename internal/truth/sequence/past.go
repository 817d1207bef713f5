// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"errors"
	"fmt"
	"slices"
)

// ReplaceWindow is how far back State.Replace always reaches. It may reach
// further: every call of a run of fewer than twice as many calls.
const ReplaceWindow = 128

// Why a call cannot be replaced.
var (
	ErrNoCall    = errors.New("no such call in this run")
	ErrTooOld    = errors.New("what the call matched is no longer kept")
	ErrOtherTool = errors.New("the call replaced is of another tool")
)

// A past is how a State can go back to a call whose arguments became known
// later. By then the arguments of all other calls are gone, so it keeps what
// they matched: for the last calls, the part of each symbol that dependent
// rules read, a few bits; and before them, the core as it was when they began.
type past struct {
	base  *core  // of the dependent rules, before the first call on tape; nil: nothing came
	first int    // index of the first call on tape
	tape  []byte // symbols, stride bytes each
}

// stride returns the bytes that one call takes on tape.
func (r *Rules) stride() int { return (len(r.taped) + 7) / 8 }

// push puts a call on tape. A tape that is full twice over is cut to half: its
// older half moves into base.
func (p *past) push(r *Rules, in symbol, at slot) {
	p.tape = appendTaped(p.tape, r, in)
	half := ReplaceWindow * r.stride()
	if len(p.tape) < 2*half {
		return
	}
	if p.base == nil {
		p.base = &core{cells: make([]cell, len(r.rules))}
	}
	p.replay(r, p.base, p.tape[:half], at.bound)
	p.tape = append(p.tape[:0], p.tape[half:]...)
	p.first += ReplaceWindow
}

// replay lets the dependent rules of k take in the calls on tape, which begin
// with the first.
func (p *past) replay(r *Rules, k *core, tape []byte, bound uint32) {
	x := r.borrow()
	defer r.giveBack(x)
	at := slot{p.first, bound}
	for ; len(tape) > 0; tape = tape[r.stride():] {
		readTaped(x.symbol, r, tape)
		for _, i := range r.dependent {
			k.step(r, i, x.symbol, at)
		}
		at.index++
	}
}

func appendTaped(tape []byte, r *Rules, in symbol) []byte {
	start := len(tape)
	tape = append(tape, make([]byte, r.stride())...)
	for i, n := range r.taped {
		if in.has(n) {
			tape[start+i/8] |= 1 << (i % 8)
		}
	}
	return tape
}

// readTaped sets s to what the first call on tape matched.
func readTaped(s symbol, r *Rules, tape []byte) {
	clear(s)
	for i, n := range r.taped {
		if tape[i/8]>>(i%8)&1 != 0 {
			s.add(n)
		}
	}
}

// Replace puts c in the place of the call with the given index, as if the run
// had always had it there. It is for a call whose arguments were absent and
// became known: c must be of the same tool. It returns the rules that are
// violated now and were not before; a rule may also stop being violated.
//
// Rules that do not read the tool's arguments cannot change and are not looked
// at. Where a rule reads them and the call lies too far back, the error is
// ErrTooOld and the state stays as it was: its records then say what was known
// when the call came.
func (s *State) Replace(index int, c Call) (violated []int, err error) {
	switch {
	case index < 0 || index >= s.calls:
		return nil, fmt.Errorf("replace call %d of %d: %w", index, s.calls, ErrNoCall)
	case s.past == nil || !s.rules.DependsOnArgs(c.Name):
		return nil, nil
	case index < s.past.first:
		return nil, fmt.Errorf("replace call %d, kept from %d: %w", index, s.past.first, ErrTooOld)
	}
	changed, err := s.past.put(s.rules, index, &c)
	if err != nil || !changed {
		return nil, err
	}
	return s.rebuild(), nil
}

// put writes what c matches over what the call at index matched, and reports
// whether that differs.
func (p *past) put(r *Rules, index int, c *Call) (changed bool, err error) {
	x := r.borrow()
	defer r.giveBack(x)
	now := appendTaped(nil, r, r.read(c, x))
	at := (index - p.first) * r.stride()
	old := p.tape[at : at+r.stride()]
	if slices.Equal(old, now) {
		return false, nil
	}
	for i, n := range r.taped {
		if (old[i/8]^now[i/8])>>(i%8)&1 != 0 && len(r.selectors[n].args) == 0 {
			return false, fmt.Errorf("replace call %d: %w", index, ErrOtherTool)
		}
	}
	copy(old, now)
	return true, nil
}

// rebuild evaluates the dependent rules anew from base and tape.
func (s *State) rebuild() (violated []int) {
	fresh := core{cells: make([]cell, len(s.core.cells))}
	if base := s.past.base; base != nil {
		copy(fresh.cells, base.cells)
		fresh.log = slices.Clone(base.log)
	}
	s.past.replay(s.rules, &fresh, s.past.tape, s.bound)

	was := make([]bool, len(s.core.cells))
	for _, i := range s.rules.dependent {
		was[i] = s.violated(i)
		s.core.cells[i] = fresh.cells[i]
	}
	s.core.log = append(s.independentLog(), fresh.log...)
	for _, i := range s.rules.dependent {
		if s.violated(i) && !was[i] {
			violated = append(violated, i)
		}
	}
	return violated
}

// independentLog returns the log without the entries of dependent rules.
func (s *State) independentLog() (log []byte) {
	for all := s.core.log; ; {
		rule, index, rest, ok := nextEntry(all)
		if !ok {
			return log
		}
		if !s.rules.rules[rule].dependent {
			log = appendEntry(log, rule, index)
		}
		all = rest
	}
}
