// SPDX-License-Identifier: Apache-2.0

package ledger

// Knows reports whether there is such a run, open or closed.
func (l *Ledger) Knows(id ID) bool {
	s := l.shardOf(id)
	s.lock()
	defer s.unlock()
	return s.runs[id] != nil
}

// KnownAs returns the name of the tool under which a call is recorded, where g
// is a further observation of it from further inside. What was asked for is
// the outer name, so g is then to be judged and placed under that, with its own
// arguments: the verdict is the one that a batch with both would have. Ask
// before judging, for groups of inner layers only.
func (l *Ledger) KnownAs(g *Group) (tool string, ok bool) {
	if len(g.Members) == 0 {
		return "", false
	}
	s := l.shardOf(g.Run)
	s.lock()
	defer s.unlock()
	r := s.runs[g.Run]
	if r == nil {
		return "", false
	}
	var o sighting
	o.look(g)
	m := s.find(r, &o, r.next)
	if m.n == 0 {
		return "", false
	}
	c := &r.calls[s.survivor(r, &m)]
	tool = s.name(r, c.tool)
	return tool, c.layer < o.layer && tool != "" && len(tool) < maxNameLen
}
