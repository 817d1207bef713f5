// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// lintNothing finds a policy that says nothing of any tool, such as one with
// nothing but a version. Where what it does not speak of is allowed or denied,
// that is told elsewhere.
func (l *linter) lintNothing() {
	if l.policy.UnconstrainedTools() != policy.Warn || l.constrains() {
		return
	}
	l.add(ToolsUnconstrained, l.root.Pos(), tree.Path{}.Key("tools"),
		"the policy constrains nothing, so every call is incomplete at best: want a list under tools, schemas or sequences")
}

// constrains reports whether some list, schema or rule says anything.
func (l *linter) constrains() bool {
	p := l.policy
	classes := slices.Concat(p.AllowClasses(), p.DenyClasses())
	for _, o := range policy.Obligations() {
		_, more := p.Obligation(o)
		classes = append(classes, more...)
	}
	rules := p.Sequences()
	return len(classes) > 0 || len(p.Schemas()) > 0 || rules != nil && len(rules.Items) > 0 ||
		slices.ContainsFunc(l.lists, func(x list) bool { return len(x.lines) > 0 })
}

// acceptsEverything reports whether the tool's schema says nothing: by itself, or as
// one that only refers, to such a one or in a circle. A circle of $ref alone
// matches (spec section 5).
func (s *schemaLinter) acceptsEverything(n *tree.Node, d draft) bool {
	for seen := []*tree.Node(nil); n != nil; n = s.onlyRefers(n, d) {
		if acceptsAll(n, d) || slices.Contains(seen, n) {
			return true
		}
		seen = append(seen, n)
	}
	return false
}

// onlyRefers returns what n refers to, nil where n says something beside its
// $ref or where the target is not plain to see. A target with an address of its
// own is not: what it refers to would be looked up there.
func (s *schemaLinter) onlyRefers(n *tree.Node, d draft) *tree.Node {
	ref, ok := n.Get("$ref")
	if !ok || ref.Kind != canon.KindString {
		return nil
	}
	says := func(key string) bool {
		k, known := keywords[key]
		return key != "$ref" && known && k.drafts.has(d) && !k.notes
	}
	if d > draft7 && slices.ContainsFunc(n.Keys, says) {
		return nil
	}
	target := s.resolve(ref.Str)
	if target == nil || target != s.whole && hasAny(target, []string{"$id", "id", "$schema"}) {
		return nil
	}
	return target
}
