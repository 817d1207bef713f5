// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// Load reads the rules and aliases that p declares. A policy without any has
// no rules, which is fine; anything that is not exactly a rule is a fault,
// since a rule that never fires is a constraint that silently stopped
// constraining (spec section 10). The error is as policy.Read returns it: every
// fault with its place, in a file that is called file.
func Load(file string, p *policy.Policy) (*Rules, error) {
	l := load(p.Sequences(), p.Aliases())
	if err := l.err(file); err != nil {
		return nil, err
	}
	return l.rules, nil
}

// A loader turns trees into rules. It goes on after a fault, so that the author
// sees all of them at once.
type loader struct {
	rules    *Rules
	aliases  map[string][]string
	bySelect map[string]int // numbers of selectors by their key
	faults   []fault
}

// load builds what it can. Rules with faults are left out, except where a
// regex does not compile: that one matches nothing.
func load(sequences, aliases *policy.Node) *loader {
	l := &loader{rules: &Rules{}, aliases: map[string][]string{}, bySelect: map[string]int{}}
	l.readAliases(aliases)
	l.readSequences(sequences)
	l.rules.index()
	return l
}

func (l *loader) readAliases(n *policy.Node) {
	switch {
	case n == nil:
		return
	case n.Kind != canon.KindObject:
		l.fault(n, "aliases", "got %s, want a mapping from a name to a list of tools", describe(n))
		return
	}
	for i, name := range n.Keys {
		l.readAlias(name, n.Items[i])
	}
}

func (l *loader) readAlias(name string, n *policy.Node) {
	path := under("aliases", name)
	if n.Kind != canon.KindArray {
		l.fault(n, path, "got %s, want a list of tools", describe(n))
		return
	}
	members := make([]string, 0, len(n.Items))
	for i, item := range n.Items {
		if item.Kind != canon.KindString {
			l.fault(item, at(path, i), "got %s, want the name of a tool", describe(item))
			continue
		}
		members = append(members, item.Str)
	}
	l.aliases[name] = members
	l.rules.aliases = append(l.rules.aliases, alias{name, members, place(n)})
}

func (l *loader) readSequences(n *policy.Node) {
	switch {
	case n == nil:
		return
	case n.Kind == canon.KindNull:
		l.fault(n, "sequences", "got null, want a list of rules; [] declares none")
		return
	case n.Kind != canon.KindArray:
		l.fault(n, "sequences", "got %s, want a list of rules", describe(n))
		return
	}
	for i, item := range n.Items {
		if r, ok := l.readRule(item, at("sequences", i)); ok {
			l.rules.rules = append(l.rules.rules, r)
		}
	}
}

// readRule reads one rule. Its faults are in l.
func (l *loader) readRule(n *policy.Node, path string) (rule, bool) {
	if n.Kind != canon.KindObject {
		l.fault(n, path, "got %s, want a rule: a mapping with a type and its operands", describe(n))
		return rule{}, false
	}
	kind, ok := l.readKind(n, path)
	if !ok {
		return rule{}, false
	}
	before := l.fatal()
	r := rule{kind: kind, at: place(n), grows: kinds[kind].grows}
	r.id = l.readID(n, path)
	r.given = l.readOperands(n, path, kind)
	l.refuseForeign(n, path, kind)
	if l.fatal() > before {
		return rule{}, false
	}
	r.ruleID = ruleID(kind, r.given)
	r.machine = kinds[kind].build(r.given)
	return r, true
}

func (l *loader) readKind(n *policy.Node, path string) (Kind, bool) {
	node := member(n, "type")
	switch {
	case node == nil:
		l.fault(n, path, "the rule has no type, %s", advice("", Kinds()))
		return 0, false
	case node.Kind != canon.KindString:
		l.fault(node, path+".type", "got %s, %s", describe(node), advice("", Kinds()))
		return 0, false
	}
	i := slices.Index(kindNames[1:], node.Str)
	if i < 0 {
		l.fault(node, path+".type", "%q is no type of rule, %s", node.Str, advice(node.Str, Kinds()))
		return 0, false
	}
	return Kind(i + 1), true
}

func (l *loader) readID(n *policy.Node, path string) string {
	node := member(n, "id")
	switch {
	case node == nil:
		return ""
	case node.Kind != canon.KindString || node.Str == "":
		l.fault(node, path+".id", "got %s, want a text that is not empty", describe(node))
	}
	return node.Str
}

// refuseForeign reports members that the kind does not have. One that is
// ignored would be a constraint that its author believes in.
func (l *loader) refuseForeign(n *policy.Node, path string, kind Kind) {
	known := kinds[kind].operandNames()
	for i, name := range n.Keys {
		if slices.Contains(known, name) {
			continue
		}
		l.faultAt(keyPlace(n, i), under(path, name), "a %s rule has no such operand, %s", kind, advice(name, known))
	}
}

func member(n *policy.Node, name string) *policy.Node {
	if i := slices.Index(n.Keys, name); i >= 0 {
		return n.Items[i]
	}
	return nil
}

func place(n *policy.Node) position { return position{n.Line, n.Column} }

func keyPlace(n *policy.Node, i int) position { return position{n.KeyPos[i].Line, n.KeyPos[i].Column} }

// at and under are the paths of an element and of a member, as policy writes
// them: a name of odd characters is quoted.
func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func under(path, name string) string {
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-$", r))
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return path + "[" + strconv.Quote(name) + "]"
	}
	return path + "." + name
}
