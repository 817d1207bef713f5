// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// readOperands reads what a rule of the kind must and may have.
func (l *loader) readOperands(n *policy.Node, path string, kind Kind) given {
	var g given
	for _, o := range kinds[kind].operands {
		node := member(n, o.name)
		switch {
		case node != nil:
			l.readOperand(node, path+"."+o.name, o.form, &g)
		case o.form == formBound && o.optional:
			g.bound = o.fallback
		case !o.optional:
			l.fault(n, path, "a %s rule needs %q: %s", kind, o.name, wanted(o.form))
		}
	}
	return g
}

func (l *loader) readOperand(n *policy.Node, path string, f form, g *given) {
	switch f {
	case formSelector:
		l.readSelector(n, path, g)
	case formSelectors:
		l.readSelectors(n, path, g)
	case formText:
		l.readText(n, path, g)
	case formBound:
		g.bound = l.readBound(n, path)
	case formFlag:
		g.strict = l.readFlag(n, path)
	}
}

func (l *loader) readSelectors(n *policy.Node, path string, g *given) {
	if n.Kind != canon.KindArray {
		l.fault(n, path, "got %s, want %s", describe(n), wanted(formSelectors))
		return
	}
	for i, item := range n.Items {
		l.readSelector(item, at(path, i), g)
	}
}

func (l *loader) readText(n *policy.Node, path string, g *given) {
	if n.Kind != canon.KindString {
		l.fault(n, path, "got %s, want %s", describe(n), wanted(formText))
		return
	}
	l.add(selector{byText: true, text: n.Str}, n.Str, g)
}

func (l *loader) readFlag(n *policy.Node, path string) bool {
	if n.Kind != canon.KindBool {
		l.fault(n, path, "got %s, want %s", describe(n), wanted(formFlag))
		return false
	}
	return n.Str == "true"
}

// readBound accepts integer tokens only: 1.0 is none, and neither is "1".
func (l *loader) readBound(n *policy.Node, path string) uint32 {
	if n.Kind == canon.KindNumber {
		if bound, err := strconv.ParseUint(n.Str, 10, 32); err == nil {
			return uint32(bound)
		}
	}
	l.fault(n, path, "got %s, want %s", describe(n), wanted(formBound))
	return 0
}

// readSelector reads a tool's name, or {tool, args_match}. Both members of the
// second form are needed: a selector that lost its args_match would match more
// than its author meant.
func (l *loader) readSelector(n *policy.Node, path string, g *given) {
	switch n.Kind {
	case canon.KindString:
		l.add(selector{names: l.resolve(n.Str)}, n.Str, g)
		return
	case canon.KindObject:
	default:
		l.fault(n, path, "got %s, want %s", describe(n), wanted(formSelector))
		return
	}
	l.refuseForeignInSelector(n, path)
	tool := l.readSelectorTool(n, path)
	args := l.readArgsMatch(n, path)
	l.add(selector{names: l.resolve(tool), args: args}, labelWithArgs(tool, args), g)
}

func (l *loader) readSelectorTool(n *policy.Node, path string) string {
	node := member(n, "tool")
	switch {
	case node == nil:
		l.fault(n, path, "a selector needs %q: the name of a tool or an alias", "tool")
		return ""
	case node.Kind != canon.KindString:
		l.fault(node, path+".tool", "got %s, want the name of a tool or an alias", describe(node))
		return ""
	}
	return node.Str
}

func (l *loader) readArgsMatch(n *policy.Node, path string) []argMatch {
	node := member(n, "args_match")
	if node == nil {
		l.fault(n, path, "a selector needs %q: a mapping from argument names to regexes; without it, write the tool's name alone", "args_match")
		return nil
	}
	path += ".args_match"
	if node.Kind != canon.KindObject {
		l.fault(node, path, "got %s, want a mapping from argument names to regexes", describe(node))
		return nil
	}
	args := make([]argMatch, 0, len(node.Keys))
	for i, name := range node.Keys {
		args = append(args, l.readArgMatch(name, node.Items[i], under(path, name)))
	}
	slices.SortFunc(args, func(a, b argMatch) int { return strings.Compare(a.name, b.name) })
	return args
}

// readArgMatch reads one regex. One that does not compile is a fault, and the
// entry then matches nothing.
func (l *loader) readArgMatch(name string, n *policy.Node, path string) argMatch {
	if n.Kind != canon.KindString {
		l.fault(n, path, "got %s, want a regex", describe(n))
		return argMatch{name: name}
	}
	re, err := compileRegex(n.Str)
	if err != nil {
		l.badRegex(n, path, err)
	}
	return argMatch{name: name, pattern: n.Str, re: re}
}

func (l *loader) refuseForeignInSelector(n *policy.Node, path string) {
	known := []string{"tool", "args_match"}
	for i, name := range n.Keys {
		if !slices.Contains(known, name) {
			l.faultAt(keyPlace(n, i), under(path, name), "a selector has no such member, %s", advice(name, known))
		}
	}
}

// resolve returns the tools that name stands for: the members of an alias and
// those alone, or the tool itself. Aliases are looked through once.
func (l *loader) resolve(name string) []string {
	members, ok := l.aliases[name]
	if !ok {
		return []string{name}
	}
	sorted := slices.Sorted(slices.Values(members))
	return slices.Compact(sorted)
}

// add gives the rule the selector s, which it shares with every rule that
// means the same calls.
func (l *loader) add(s selector, label string, g *given) {
	key := s.key()
	n, ok := l.bySelect[key]
	if !ok {
		n = len(l.rules.selectors)
		l.bySelect[key] = n
		l.rules.selectors = append(l.rules.selectors, s)
	}
	g.selectors = append(g.selectors, n)
	g.labels = append(g.labels, label)
}

func labelWithArgs(tool string, args []argMatch) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.name
	}
	return tool + "[" + strings.Join(names, ",") + "]"
}
