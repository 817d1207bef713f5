// SPDX-License-Identifier: Apache-2.0

package reference

import "strconv"

// The names of the calls of rules, which are few, and those of their aliases.
var (
	callNames  = []string{"a", "b", "c", "ab"}
	aliasNames = []string{"x", "y", "a"}

	// matchers mean the same to both regex engines, but for the last.
	matchers = []string{"^1", "x", "a.c", "^$", "", "[0-9]+", "true", "null", "^\\{", "1\\.0", "é", "e\\+", "^-", "(", "\\bx"}
)

// selector returns an operand that selects calls.
func (g *gen) selector() *node {
	name := pick(g, append(callNames, aliasNames...))
	if g.chance(3) {
		args := obj()
		for range g.IntN(3) {
			args.put(pick(g, argNames[:3]), str(pick(g, matchers)))
		}
		return obj().put("tool", str(name)).put("args_match", args)
	}
	return str(name)
}

func (g *gen) within() *node {
	if g.chance(30) {
		return num(pick(g, []string{"-1", "1.0", "4294967296", "1e1"}))
	}
	return num(strconv.Itoa(g.IntN(5)))
}

// rule returns one rule, rarely one with a fault.
func (g *gen) rule() *node {
	r := obj()
	switch kind := pick(g, []string{"require", "blocklist", "before", "never_after", "max_calls", "eventually", "after", "sequence"}); kind {
	case "require":
		r.put("type", str(kind)).put("tool", g.selector())
	case "blocklist":
		r.put("type", str(kind)).put("pattern", str(pick(g, []string{"a", "b", "ab", "*", "", "z"})))
	case "before":
		r.put("type", str(kind)).put("first", g.selector()).put("then", g.selector())
	case "never_after":
		r.put("type", str(kind)).put("trigger", g.selector()).put("forbidden", g.selector())
	case "max_calls":
		r.put("type", str(kind)).put("tool", g.selector()).put("max", g.within())
	case "eventually":
		r.put("type", str(kind)).put("tool", g.selector()).put("within", g.within())
	case "after":
		r.put("type", str(kind)).put("trigger", g.selector()).put("then", g.selector())
		if g.chance(2) {
			r.put("within", g.within())
		}
	case "sequence":
		list := arr()
		for range g.IntN(4) {
			list.items = append(list.items, g.selector())
		}
		r.put("type", str(kind)).put("tools", list)
		if g.chance(2) {
			r.put("strict", boolean(g.chance(2)))
		}
	}
	if g.chance(40) {
		switch g.IntN(3) {
		case 0:
			r.put("type", str("unheard_of"))
		case 1:
			r.keys, r.items = r.keys[:len(r.keys)-1], r.items[:len(r.items)-1]
		case 2:
			r.put("max", num("1"))
		}
	}
	return r
}

func (g *gen) sequencePolicy() *node {
	rules := arr()
	for range 1 + g.IntN(4) {
		rules.items = append(rules.items, g.rule())
	}
	p := obj().put("version", str("2.0")).put("sequences", rules)
	if g.chance(2) {
		aliases := obj()
		for _, name := range some(g, aliasNames) {
			list := arr()
			for _, member := range some(g, append(callNames, "x")) {
				list.items = append(list.items, str(member))
			}
			aliases.put(name, list)
		}
		p.put("aliases", aliases)
	}
	return p
}

func (g *gen) calls() *node {
	list := arr()
	for range g.IntN(8) {
		c := obj().put("name", str(pick(g, callNames)))
		switch g.IntN(4) {
		case 0:
			c.put("args", null())
		case 1:
			c.put("args", g.value(2))
		default:
			args := obj()
			for _, name := range some(g, argNames[:3]) {
				args.put(name, g.value(1))
			}
			c.put("args", args)
		}
		list.items = append(list.items, c)
	}
	return list
}
