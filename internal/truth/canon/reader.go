// SPDX-License-Identifier: Apache-2.0

package canon

// A reader makes one pass over a text that is known to be UTF-8 and fills the
// nodes of a Doc. Its methods take the position to read at and return the
// position after what they read, or failed once r.fault says why. Recursion is
// bounded by maxDepth.
type reader struct {
	doc        *Doc
	text       string
	maxMembers int // 0: unlimited
	members    int
	depth      int

	fault     Fault
	at        int
	truncated bool
}

const failed = -1

// read reads the whole text and reports whether it is usable.
func (r *reader) read() bool {
	i := r.skipSpace(0)
	if i == len(r.text) {
		r.fail(FaultSyntax, i)
		return false
	}
	i = r.value(i, node{})
	if i == failed {
		return false
	}
	if i = r.skipSpace(i); i < len(r.text) {
		r.fail(FaultSyntax, i)
		return false
	}
	return true
}

func (r *reader) fail(f Fault, at int) int {
	r.fault, r.at = f, at
	return failed
}

// unexpected fails at i, where the text ends or goes on with the wrong byte.
func (r *reader) unexpected(i int) int {
	r.truncated = i >= len(r.text)
	return r.fail(FaultSyntax, i)
}

// peek returns the byte at i, or 0, which no JSON token contains, at the end.
func (r *reader) peek(i int) byte {
	if i < len(r.text) {
		return r.text[i]
	}
	return 0
}

func (r *reader) skipSpace(i int) int {
	for i < len(r.text) {
		switch r.text[i] {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// value reads the value at i into n, which may already hold a key.
func (r *reader) value(i int, n node) int {
	switch r.peek(i) {
	case '"':
		return r.stringValue(i, n)
	case '{':
		return r.object(i, n)
	case '[':
		return r.array(i, n)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.number(i, n)
	case 't':
		n.kind, n.flags = KindBool, n.flags|isTrue
		return r.literal(i, "true", n)
	case 'f':
		n.kind = KindBool
		return r.literal(i, "false", n)
	case 'n':
		n.kind = KindNull
		return r.literal(i, "null", n)
	}
	return r.unexpected(i)
}

func (r *reader) literal(i int, word string, n node) int {
	for k := range len(word) {
		if r.peek(i+k) != word[k] {
			return r.unexpected(i + k)
		}
	}
	r.scalar(n)
	return i + len(word)
}

// scalar adds n, which contains no other value.
func (r *reader) scalar(n node) {
	n.next = uint32(len(r.doc.nodes)) + 1
	r.doc.nodes = append(r.doc.nodes, n)
}

// enter adds the container n that opens at i, to be completed by leave.
func (r *reader) enter(i int, n node) (self int, ok bool) {
	self = len(r.doc.nodes)
	n.val.at = uint32(i)
	r.doc.nodes = append(r.doc.nodes, n)
	r.depth++
	return self, r.depth <= maxDepth
}

func (r *reader) leave(self, count int) *node {
	r.depth--
	n := &r.doc.nodes[self]
	n.next = uint32(len(r.doc.nodes))
	n.val.n = uint32(count)
	return n
}

func (r *reader) array(i int, n node) int {
	n.kind = KindArray
	self, ok := r.enter(i, n)
	if !ok {
		return r.fail(FaultDepth, i)
	}
	count := 0
	if i = r.skipSpace(i + 1); r.peek(i) == ']' {
		r.leave(self, count)
		return i + 1
	}
	for {
		if i = r.value(i, node{}); i == failed {
			return failed
		}
		count++
		switch i = r.skipSpace(i); r.peek(i) {
		case ',':
			i = r.skipSpace(i + 1)
		case ']':
			r.leave(self, count)
			return i + 1
		default:
			return r.unexpected(i)
		}
	}
}

func (r *reader) object(i int, n node) int {
	n.kind = KindObject
	self, ok := r.enter(i, n)
	if !ok {
		return r.fail(FaultDepth, i)
	}
	count := 0
	if i = r.skipSpace(i + 1); r.peek(i) == '}' {
		return r.closeObject(self, count, i)
	}
	for {
		if i = r.member(i); i == failed {
			return failed
		}
		count++
		switch i = r.skipSpace(i); r.peek(i) {
		case ',':
			i = r.skipSpace(i + 1)
		case '}':
			return r.closeObject(self, count, i)
		default:
			return r.unexpected(i)
		}
	}
}

// closeObject ends the object whose brace closes at i. Its members are put in
// canonical order here, once: repeated names become neighbors, and every later
// writer and lookup finds the order ready.
func (r *reader) closeObject(self, count, i int) int {
	n := r.leave(self, count)
	open := int(n.val.at)
	n.val.at = uint32(len(r.doc.order))
	if !r.doc.sortMembers(uint32(self)) {
		return r.fail(FaultDuplicateKey, open)
	}
	return i + 1
}

// member reads a name, a colon and a value.
func (r *reader) member(i int) int {
	if r.peek(i) != '"' {
		return r.unexpected(i)
	}
	if r.members++; r.maxMembers > 0 && r.members > r.maxMembers {
		return r.fail(FaultMembers, i)
	}
	var n node
	key, decoded, i := r.str(i)
	if i == failed {
		return failed
	}
	n.key = key
	if decoded {
		n.flags = keyDecoded
	}
	if i = r.skipSpace(i); r.peek(i) != ':' {
		return r.unexpected(i)
	}
	return r.value(r.skipSpace(i+1), n)
}
