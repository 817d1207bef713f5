// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"slices"
	"unicode/utf8"
)

// maxSimulated bounds the instructions that a simulation looks at, all texts
// included that arguments can hold and all patterns but absurd ones.
const maxSimulated = 1 << 26

// A simulation finds whether a program without back-references matches a text.
// It follows all alternatives at once, so the time is linear in the text.
type simulation struct {
	*program
	text  string
	holds [][]uint64 // for each look the positions where it holds
	steps int

	now, then queue
	stack     []int
}

// A queue is a set of instructions, in the order in which they came.
type queue struct {
	list   []int
	member []uint64
}

func (q *queue) reset(n int) {
	q.list = q.list[:0]
	if size := n/64 + 1; cap(q.member) < size {
		q.member = make([]uint64, size)
	} else {
		q.member = q.member[:size]
		clear(q.member)
	}
}

// empty makes q empty in the time that filling it took.
func (q *queue) empty() {
	for _, i := range q.list {
		q.member[i/64] = 0
	}
	q.list = q.list[:0]
}

// add adds i and reports whether it was not there.
func (q *queue) add(i int) bool {
	word, bit := &q.member[i/64], uint64(1)<<(i%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	q.list = append(q.list, i)
	return true
}

// match reports whether the program matches somewhere in text.
func (s *simulation) match(text string) bool {
	s.text, s.steps = text, 0
	if s.holds == nil {
		s.holds = make([][]uint64, len(s.looks))
	}
	for i, l := range s.looks {
		found := slices.Grow(s.holds[i][:0], len(text)/64+1)[:len(text)/64+1]
		clear(found)
		s.scan(l.start, l.behind, func(i int) bool {
			found[i/64] |= 1 << (i % 64)
			return true
		})
		s.holds[i] = found
	}
	matched := false
	s.scan(s.start, true, func(int) bool {
		matched = true
		return false
	})
	return matched && s.steps <= maxSimulated
}

// scan reads the text forward, or backward from its end, and reports each
// position at which the part of the program at start has just matched,
// wherever it began. It ends when report wants no more or when the budget does.
func (s *simulation) scan(start int, forward bool, report func(int) bool) {
	s.now.reset(len(s.insts))
	s.then.reset(len(s.insts))
	i := 0
	if !forward {
		i = len(s.text)
	}
	for s.steps <= maxSimulated {
		if s.follow(&s.now, start, i) && !report(i) {
			return
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if !forward {
			r, size = utf8.DecodeLastRuneInString(s.text[:i])
			size = -size
		}
		if size == 0 {
			return
		}
		s.step(r, i+size)
		i += size
		if s.matchedAt(&s.now) && !report(i) {
			return
		}
	}
}

// step moves all of now that takes r to position i.
func (s *simulation) step(r rune, i int) {
	for _, at := range s.now.list {
		if in := &s.insts[at]; in.op == opSet && in.set.has(r) {
			s.follow(&s.then, in.next, i)
		}
	}
	s.now.empty()
	s.now, s.then = s.then, s.now
}

// matchedAt reports whether q holds a match.
func (s *simulation) matchedAt(q *queue) bool {
	for _, at := range q.list {
		if s.insts[at].op == opMatch {
			return true
		}
	}
	return false
}

// follow adds to q the instruction at start and all that can be reached from
// it at position i, and reports whether a match is newly among them.
func (s *simulation) follow(q *queue, start, i int) bool {
	matched := false
	s.stack = append(s.stack[:0], start)
	for len(s.stack) > 0 {
		at := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if !q.add(at) {
			continue
		}
		s.steps++
		in := &s.insts[at]
		switch in.op {
		case opMatch:
			matched = true
		case opSplit:
			s.stack = append(s.stack, in.other, in.next)
		case opSet:
		default:
			if s.asserts(in, i) {
				s.stack = append(s.stack, in.next)
			}
		}
	}
	return matched
}

func (s *simulation) asserts(in *inst, i int) bool {
	if in.op == opLook {
		return s.holds[in.arg][i/64]&(1<<(i%64)) != 0 != s.looks[in.arg].negated
	}
	return asserts(in, s.text, i)
}

// asserts reports whether what in says about position i of text is so.
func asserts(in *inst, text string, i int) bool {
	switch in.op {
	case opBegin:
		return i == 0
	case opEnd:
		return i == len(text)
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i:])
	between := isWord(before) != isWord(after)
	return between == (in.arg == 0)
}
