// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// duties are the lists that attach something to tools.
var duties = []string{"approval_required", "restrict_scope", "redact_args"}

func (l *linter) lintTools() {
	for _, list := range l.lists {
		for i := range list.lines {
			l.lintPattern(&list.lines[i])
			l.lintShadow(list.lines, i)
		}
	}
	l.lintEmptyLists()
	if len(l.allow()) == 0 && l.policy.UnconstrainedTools() == policy.Deny {
		l.lintNothingAllowed()
		return
	}
	l.lintEffects()
	l.lintUnconstrained()
}

// lintPattern finds patterns that hardly mean a tool.
func (l *linter) lintPattern(r *line) {
	name := r.Pattern.String()
	switch {
	case r.Pattern.LiteralStar():
		l.add(ToolsLiteralStar, r.at(), r.path(),
			"the star inside %q is a character like any: %s. Stars count at the ends alone", name, r.onlyNames())
	case name == "":
		l.add(ToolsUnlikelyName, r.at(), r.path(), "the empty pattern means the tool whose name is empty")
	case strings.TrimFunc(name, unicode.IsSpace) != name:
		l.add(ToolsUnlikelyName, r.at(), r.path(), "%q begins or ends with white space, which a name must have too", name)
	}
}

// onlyNames says what a line with a literal star means.
func (r *line) onlyNames() string {
	if r.exact() {
		return "the line means the one tool of that very name"
	}
	return "the line means only names that have a star there"
}

// lintShadow finds a line that another one of its list makes needless. Of two
// lines that mean the same, the later one is needless.
func (l *linter) lintShadow(lines []line, i int) {
	r := &lines[i]
	for j := range lines {
		other := &lines[j]
		if j == i || !other.covers(r.shape) || j > i && r.covers(other.shape) {
			continue
		}
		l.add(ToolsShadowed, r.at(), r.path(), "%s means all that %q means", other.cite(), r.Pattern.String())
		return
	}
}

// lintEmptyLists finds lists that are written and constrain as little as none.
func (l *linter) lintEmptyLists() {
	path := tree.Path{}
	l.lintEmptyList(l.root, path, "allow")
	if tools, ok := l.root.Get("tools"); ok {
		l.lintEmptyList(tools, path.Key("tools"), "allow")
		l.lintEmptyList(tools, path.Key("tools"), "allow_classes")
	}
}

func (l *linter) lintEmptyList(n *tree.Node, path tree.Path, name string) {
	list, ok := n.Get(name)
	if !ok || list.Kind != canon.KindArray || len(list.Items) > 0 {
		return
	}
	if name == "allow" && len(l.allow()) > 0 {
		return
	}
	l.add(ToolsEmptyList, list.Pos(), path.Key(name), "an empty list allows as much as none at all: it does not forbid everything")
}

func (l *linter) lintNothingAllowed() {
	at, path := l.root.Pos(), tree.Path{}.Key("enforcement").Key("unconstrained_tools")
	if enforcement, ok := l.root.Get("enforcement"); ok {
		at = enforcement.Pos()
	}
	l.add(ToolsNothingAllowed, at, path, "no call can match: there is no tools.allow, and what no list has is denied")
}

// lintEffects finds lines that change no verdict.
func (l *linter) lintEffects() {
	for i := range l.deny() {
		r := &l.deny()[i]
		if len(l.allow()) > 0 && firstLine(l.allow(), func(a *line) bool { return a.meets(r.shape) }) == nil {
			l.add(ToolsDenyWithoutEffect, r.at(), r.path(),
				"no line of tools.allow lets pass what %q denies, so every such call is a mismatch anyway", r.Pattern.String())
		}
	}
	for i := range l.allow() {
		r := &l.allow()[i]
		if d := l.denies(r.shape); d != nil {
			l.add(ToolsAllowWithoutEffect, r.at(), r.path(), "%s denies all that %q allows", d.cite(), r.Pattern.String())
		}
	}
	for _, list := range l.lists {
		if !slices.Contains(duties, list.name) {
			continue
		}
		for i := range list.lines {
			r := &list.lines[i]
			if why := l.unreachable(r.shape); why != "" {
				l.add(ObligationWithoutEffect, r.at(), r.path(), "the duty never decides a verdict: %s", why)
			}
		}
	}
}

// lintUnconstrained finds allowed tools without a schema. A pattern allows
// tools that no schema can name, which only shows when their calls match all
// the same.
func (l *linter) lintUnconstrained() {
	mode := l.policy.UnconstrainedTools()
	for i := range l.allow() {
		r := &l.allow()[i]
		name := r.Pattern.String()
		switch {
		case l.denies(r.shape) != nil, r.exact() && l.policy.Schema(name) != nil:
		case mode == policy.Deny && !l.hasSchema(r):
			l.add(ToolsNeverMatch, r.at(), r.path(),
				"%q means no tool with a schema, and enforcement.unconstrained_tools denies arguments that nothing constrains: no call can match", name)
		case r.exact() && mode != policy.Deny:
			l.add(ToolsUnconstrained, r.at(), r.path(), "%q has no schema: its calls are %s whatever their arguments", name, argsVerdict(mode))
		case mode == policy.Allow:
			l.add(ToolsUnconstrained, r.at(), r.path(), "tools that %q allows and that have no schema match whatever their arguments", name)
		}
	}
	if len(l.allow()) == 0 && mode == policy.Allow {
		l.add(ToolsUnconstrained, l.root.Pos(), tree.Path{}.Key("tools").Key("allow"),
			"there is no tools.allow, and enforcement.unconstrained_tools allows what no list has: every tool that is not denied matches")
	}
}

// hasSchema reports whether some tool that r means has a schema.
func (l *linter) hasSchema(r *line) bool {
	return slices.ContainsFunc(l.policy.Schemas(), func(s policy.ToolSchema) bool { return r.match(s.Tool) })
}

func argsVerdict(mode policy.Unconstrained) string {
	if mode == policy.Allow {
		return "a match"
	}
	return "incomplete at best"
}

// fieldNames splits the name of a list, as rules have it.
func fieldNames(field string) []string { return strings.Split(field, ".") }
