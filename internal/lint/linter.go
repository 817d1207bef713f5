// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A linter collects the findings about one policy.
type linter struct {
	file   string
	policy *policy.Policy
	root   *tree.Node
	lists  []list
	found  []Finding
}

func (l *linter) add(code Code, at tree.Pos, path tree.Path, format string, args ...any) {
	l.found = append(l.found, Finding{code, l.file, at.Line, at.Column, path.String(), fmt.Sprintf(format, args...)})
}

// A line is one entry of a list of patterns.
type line struct {
	policy.Rule
	shape
}

func (r *line) at() tree.Pos { return tree.Pos{Line: r.Line, Column: r.Column} }

func (r *line) path() tree.Path {
	p := tree.Path{}
	for _, name := range fieldNames(r.Field) {
		p = p.Key(name)
	}
	return p.Index(r.Index)
}

// cite names a line in a message.
func (r *line) cite() string {
	return fmt.Sprintf("%s[%d] %q (line %d)", r.Field, r.Index, r.Pattern.String(), r.Line)
}

// A list is one list of patterns, the legacy one at the root appended.
type list struct {
	name  string // under tools
	lines []line
}

func listsOf(p *policy.Policy) []list {
	approval, _ := p.Obligation(policy.Approval)
	scope, _ := p.Obligation(policy.Scope)
	redaction, _ := p.Obligation(policy.Redaction)
	return []list{
		newList("allow", p.Allow()), newList("deny", p.Deny()), newList("approval_required", approval),
		newList("restrict_scope", scope), newList("redact_args", redaction),
	}
}

func newList(name string, rules []policy.Rule) list {
	l := list{name: name}
	for _, r := range rules {
		l.lines = append(l.lines, line{r, shapeOf(r.Pattern)})
	}
	return l
}

func (l *linter) allow() []line { return l.lists[0].lines }
func (l *linter) deny() []line  { return l.lists[1].lines }

// denies returns the line that denies every tool of the shape, if one does.
func (l *linter) denies(s shape) *line {
	return firstLine(l.deny(), func(r *line) bool { return r.covers(s) })
}

// unreachable returns why no call of the tools of the shape can match, or "".
func (l *linter) unreachable(s shape) string {
	if r := l.denies(s); r != nil {
		return r.cite() + " denies it"
	}
	allow := l.allow()
	switch {
	case len(allow) > 0 && firstLine(allow, func(r *line) bool { return r.meets(s) }) == nil:
		return "no line of tools.allow lets it pass"
	case len(allow) == 0 && l.policy.UnconstrainedTools() == policy.Deny:
		return "there is no tools.allow, and enforcement.unconstrained_tools denies what no list has"
	}
	return ""
}

func firstLine(lines []line, holds func(*line) bool) *line {
	for i := range lines {
		if holds(&lines[i]) {
			return &lines[i]
		}
	}
	return nil
}

// notJudged are the fields, by the mapping they stand in, that constrain for
// somebody else.
var notJudged = map[string][]string{
	"":      {"limits", "signatures", "tool_pins", "discovery", "runtime_monitor", "kill_switch"},
	"tools": {"restrict_scope_contract", "redact_args_contract"},
}

func (l *linter) lintFields() {
	l.lintNotJudged(l.root, tree.Path{}, notJudged[""])
	if tools, ok := l.root.Get("tools"); ok {
		l.lintNotJudged(tools, tree.Path{}.Key("tools"), notJudged["tools"])
	}
}

func (l *linter) lintNotJudged(n *tree.Node, path tree.Path, names []string) {
	for i, key := range n.Keys {
		if slices.Contains(names, key) && n.Items[i].Kind != canon.KindNull {
			l.add(FieldsNotJudged, n.KeyPos[i], path.Key(key),
				"no verdict depends on it: it is for a system that enforces")
		}
	}
}
