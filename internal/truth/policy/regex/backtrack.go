// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"slices"
	"unicode/utf8"
)

// maxSteps bounds the instructions that backtracking takes for one text. It is
// some 50 ms on a slow machine; a pattern that needs more does not match (spec
// section 5).
const maxSteps = 1 << 22

// A backtracker finds whether a program matches a text, one alternative after
// the other.
type backtracker struct {
	*program
	text      string
	registers []int
	choices   []choice
	steps     int
}

// A choice is where to go on when the present attempt fails: at an instruction
// or, if that is negative, by giving register ^at back the value.
type choice struct{ at, value int }

// match reports whether the program matches somewhere in text, within the
// budget.
func (b *backtracker) match(text string) bool {
	b.text, b.steps = text, 0
	for i := 0; ; {
		b.registers = slices.Grow(b.registers[:0], b.program.registers)[:b.program.registers]
		for r := range b.registers {
			b.registers[r] = -1
		}
		b.choices = b.choices[:0]
		if b.run(b.start, i) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if size == 0 || b.steps > maxSteps {
			return false
		}
		i += size
	}
}

// run follows the program from at, with the text at i, and reports whether it
// comes to a match. If so, the choices it leaves can still undo what it did;
// if not, all is as before.
func (b *backtracker) run(at, i int) bool {
	base := len(b.choices)
	for {
		if b.steps++; b.steps > maxSteps {
			return false
		}
		in := &b.insts[at]
		if in.op == opMatch {
			return true
		}
		var ok bool
		if i, ok = b.do(in, i); ok {
			at = in.next
			continue
		}
		if at, i, ok = b.retreat(base); !ok {
			return false
		}
	}
}

// do does what in says at i and returns the position after it.
func (b *backtracker) do(in *inst, i int) (int, bool) {
	switch in.op {
	case opSet:
		return b.consume(in, i)
	case opSplit:
		b.choices = append(b.choices, choice{in.other, i})
	case opSave:
		b.set(in.arg, i)
	case opClear:
		for r := in.arg; r < in.arg2; r++ {
			b.set(r, -1)
		}
	case opMoved:
		return i, b.registers[in.arg] != i
	case opBack:
		return b.again(in, i)
	case opLook:
		return i, b.look(b.looks[in.arg], i)
	default:
		return i, asserts(in, b.text, i)
	}
	return i, true
}

// retreat goes back to the last choice since base.
func (b *backtracker) retreat(base int) (at, i int, ok bool) {
	for len(b.choices) > base {
		c := b.choices[len(b.choices)-1]
		b.choices = b.choices[:len(b.choices)-1]
		if c.at >= 0 {
			return c.at, c.value, true
		}
		b.registers[^c.at] = c.value
	}
	return 0, 0, false
}

// set changes a register so that a retreat changes it back.
func (b *backtracker) set(register, value int) {
	b.choices = append(b.choices, choice{^register, b.registers[register]})
	b.registers[register] = value
}

// consume reads one character, backward in a program part that was written so:
// such an instruction has arg 1.
func (b *backtracker) consume(in *inst, i int) (int, bool) {
	r, size := utf8.DecodeRuneInString(b.text[i:])
	if in.arg == 1 {
		r, size = utf8.DecodeLastRuneInString(b.text[:i])
		size = -size
	}
	return i + size, size != 0 && in.set.has(r)
}

// again reads what was captured before. What was not captured is empty.
func (b *backtracker) again(in *inst, i int) (int, bool) {
	from, to := b.registers[2*in.arg], b.registers[2*in.arg+1]
	if from < 0 || to < 0 {
		return i, true
	}
	captured := b.text[from:to]
	b.steps += len(captured)
	if in.arg2 == 1 {
		begin := i - len(captured)
		return begin, begin >= 0 && b.text[begin:i] == captured
	}
	end := i + len(captured)
	return end, end <= len(b.text) && b.text[i:end] == captured
}

// look finds whether an assertion holds at i. What it captured stays, unless
// it is negated; how else it could have held is not tried.
func (b *backtracker) look(l look, i int) bool {
	base := len(b.choices)
	matched := b.run(l.start, i)
	if !matched {
		return l.negated && b.steps <= maxSteps
	}
	if l.negated {
		for ok := true; ok; {
			_, _, ok = b.retreat(base)
		}
		return false
	}
	kept := b.choices[:base]
	for _, c := range b.choices[base:] {
		if c.at < 0 {
			kept = append(kept, c)
		}
	}
	b.choices = kept
	return true
}
