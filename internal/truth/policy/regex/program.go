// SPDX-License-Identifier: Apache-2.0

package regex

// maxProgram bounds the instructions of one pattern, its repetitions written
// out.
const maxProgram = 1 << 18

// An op says what an instruction does.
type op uint8

const (
	opMatch op = iota + 1
	opSet      // consume one character of set
	opSplit    // go on at next or, if that fails, at other
	opBegin    // at the beginning
	opEnd      // at the end
	opWord     // between a word character and none; arg 1: not so
	opLook     // what look number arg says holds
	// The rest are for backtracking alone.
	opSave  // keep the position in register arg
	opClear // forget the registers from arg to arg2
	opMoved // the position is not the one in register arg
	opBack  // consume what was captured as arg
)

// An inst is one instruction. Where it has no way to fail, or did not, it goes
// on at next.
type inst struct {
	op        op
	next      int
	other     int
	arg, arg2 int
	set       set
}

// A look is an assertion about the text ahead or behind.
type look struct {
	start           int
	behind, negated bool
}

// A program is a pattern as instructions. All its parts lie in insts: the
// pattern itself begins at start, a look where it says.
type program struct {
	insts     []inst
	start     int
	looks     []look // inner ones before those around them
	registers int
	tracking  bool // for backtracking: with captures
}

// A compiler writes a program from its end to its beginning, so that each
// instruction knows where it goes on.
type compiler struct {
	program
	back     bool // what is being written reads the text backward
	tooLarge bool
}

// compile returns n as a program, and false when it is too large.
func compile(n *node, groups int, tracking bool) (*program, bool) {
	c := compiler{program: program{registers: 2 * (groups + 1), tracking: tracking}}
	c.start = c.write(n, c.emit(inst{op: opMatch}))
	return &c.program, !c.tooLarge
}

func (c *compiler) emit(i inst) int {
	if len(c.insts) >= maxProgram {
		c.tooLarge = true
		return 0
	}
	c.insts = append(c.insts, i)
	return len(c.insts) - 1
}

// write writes n so that it goes on at next, and returns where it begins.
func (c *compiler) write(n *node, next int) int {
	if c.tooLarge {
		return 0
	}
	switch n.kind {
	case kindSet:
		return c.emit(inst{op: opSet, arg: flag(c.back), set: n.set, next: next})
	case kindBegin:
		return c.emit(inst{op: opBegin, next: next})
	case kindEnd:
		return c.emit(inst{op: opEnd, next: next})
	case kindWord:
		return c.emit(inst{op: opWord, arg: flag(n.negated), next: next})
	case kindBack:
		return c.emit(inst{op: opBack, arg: n.index, arg2: flag(c.back), next: next})
	case kindLook:
		return c.look(n, next)
	case kindGroup:
		return c.group(n, next)
	case kindAlt:
		return c.alternatives(n, next)
	case kindRepeat:
		return c.repeat(n, next)
	}
	return c.sequence(n, next)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *compiler) sequence(n *node, next int) int {
	for i := range n.subs {
		sub := n.subs[len(n.subs)-1-i]
		if c.back {
			sub = n.subs[i]
		}
		next = c.write(sub, next)
	}
	return next
}

func (c *compiler) alternatives(n *node, next int) int {
	start := c.write(n.subs[len(n.subs)-1], next)
	for i := len(n.subs) - 2; i >= 0; i-- {
		start = c.emit(inst{op: opSplit, next: c.write(n.subs[i], next), other: start})
	}
	return start
}

func (c *compiler) group(n *node, next int) int {
	if !c.tracking {
		return c.write(n.subs[0], next)
	}
	first, last := 2*n.index, 2*n.index+1
	if c.back {
		first, last = last, first
	}
	next = c.emit(inst{op: opSave, arg: last, next: next})
	return c.emit(inst{op: opSave, arg: first, next: c.write(n.subs[0], next)})
}

// look writes the body of an assertion apart. To find out about all positions
// at once, the simulation reads it from the far end: what is ahead backward,
// what is behind forward. Backtracking reads it from where it stands.
func (c *compiler) look(n *node, next int) int {
	around := c.back
	c.back = n.behind == c.tracking
	start := c.write(n.subs[0], c.emit(inst{op: opMatch}))
	c.back = around
	c.looks = append(c.looks, look{start, n.behind, n.negated})
	return c.emit(inst{op: opLook, arg: len(c.looks) - 1, next: next})
}

func (c *compiler) repeat(n *node, next int) int {
	if n.max == unlimited {
		next = c.star(n, next)
	} else {
		end := next
		next = c.times(n.max-n.min, next, func(next int) int {
			return c.optional(n, c.iteration(n, next, true), end)
		})
	}
	return c.times(n.min, next, func(next int) int { return c.iteration(n, next, false) })
}

// times writes something n times, unless it turns out to be nothing.
func (c *compiler) times(n, next int, write func(int) int) int {
	for range n {
		before := len(c.insts)
		next = write(next)
		if len(c.insts) == before {
			break
		}
	}
	return next
}

// optional goes on at body or at end, in the order that n asks for.
func (c *compiler) optional(n *node, body, end int) int {
	if n.lazy {
		body, end = end, body
	}
	return c.emit(inst{op: opSplit, next: body, other: end})
}

func (c *compiler) star(n *node, next int) int {
	split := c.optional(n, 0, next)
	if c.tooLarge {
		return 0
	}
	body := c.iteration(n, split, true)
	if n.lazy {
		c.insts[split].other = body
	} else {
		c.insts[split].next = body
	}
	return split
}

// iteration writes the repeated part once. When backtracking, it forgets what
// an earlier iteration captured, and one that need not be there must consume
// something: otherwise it could go on forever. The simulation has no use for
// either.
func (c *compiler) iteration(n *node, next int, mustMove bool) int {
	sub := n.subs[0]
	if !c.tracking {
		return c.write(sub, next)
	}
	mustMove = mustMove && sub.nullable()
	register := c.registers
	if mustMove {
		c.registers++
		next = c.emit(inst{op: opMoved, arg: register, next: next})
	}
	next = c.write(sub, next)
	if mustMove {
		next = c.emit(inst{op: opSave, arg: register, next: next})
	}
	if from, to := sub.groups(); to > 0 {
		next = c.emit(inst{op: opClear, arg: 2 * from, arg2: 2 * to, next: next})
	}
	return next
}
