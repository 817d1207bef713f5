// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// Declares reports whether p names tool exactly: in a list, not by a wildcard,
// as the tool of a schema or of classes, in an alias or in a sequence rule.
// These names may be shown where names from arguments and spans may not: they
// are the operator's own, and there are only so many.
func (p *Policy) Declares(tool string) bool { return p.declared[tool] }

// operands are the members of a sequence rule that name tools.
var operands = []string{"tool", "tools", "first", "then", "trigger", "forbidden"}

// declaredTools collects the names that Declares knows.
func (v *view) declaredTools() map[string]bool {
	names := map[string]bool{}
	for _, field := range [...]string{"allow", "deny", "approval_required", "restrict_scope", "redact_args"} {
		for _, r := range v.list(field).items {
			if r.Pattern.Exact() {
				names[r.Pattern.text] = true
			}
		}
	}
	for _, e := range v.schemas {
		if e.tool != sharedDefs {
			names[e.tool] = true
		}
	}
	for tool := range v.classes {
		names[tool] = true
	}
	if v.aliases != nil {
		for _, members := range v.aliases.Items {
			addTools(names, members)
		}
	}
	if v.sequences != nil {
		for _, rule := range v.sequences.Items {
			for _, operand := range operands {
				if n, ok := rule.Get(operand); ok {
					addTools(names, n)
				}
			}
		}
	}
	return names
}

// addTools adds the tools of an operand: a name, a selector with a name, or a
// list of those.
func addTools(names map[string]bool, n *tree.Node) {
	switch n.Kind {
	case canon.KindString:
		names[n.Str] = true
	case canon.KindArray:
		for _, item := range n.Items {
			addTools(names, item)
		}
	case canon.KindObject:
		if tool, ok := n.Get("tool"); ok && tool.Kind == canon.KindString {
			names[tool.Str] = true
		}
	}
}
