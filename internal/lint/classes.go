// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// classLists are the lists of classes, under tools.
var classLists = []string{
	"allow_classes", "deny_classes", "approval_required_classes", "restrict_scope_classes", "redact_args_classes",
}

func (l *linter) lintClasses() {
	known, declared := l.toolClasses()
	tools, ok := l.root.Get("tools")
	if !ok {
		return
	}
	denied := texts(tools, "deny_classes")
	for _, name := range classLists {
		list, ok := tools.Get(name)
		if !ok || list.Kind != canon.KindArray {
			continue
		}
		for i, item := range list.Items {
			path := tree.Path{}.Key("tools").Key(name).Index(i)
			if name == "allow_classes" && slices.Contains(denied, item.Str) {
				l.add(ClassesContradictory, item.Pos(), path, "%q is in tools.deny_classes too, and that wins", item.Str)
			}
			if declared && !slices.Contains(known, item.Str) {
				l.add(ClassesUnknown, item.Pos(), path,
					"no tool in tool_classes has the class %q: the line means nothing unless other evidence names it", item.Str)
			}
		}
	}
}

// toolClasses returns the classes that some tool has, and whether the policy
// gives any. Entries that say nothing are found on the way.
func (l *linter) toolClasses() (known []string, declared bool) {
	n, ok := l.root.Get("tool_classes")
	if !ok || n.Kind == canon.KindNull {
		return nil, false
	}
	path := tree.Path{}.Key("tool_classes")
	if n.Kind != canon.KindObject {
		l.add(ClassesIgnoredEntry, n.Pos(), path, "it is no mapping from a tool to a list of classes, so it says nothing")
		return nil, false
	}
	for i, tool := range n.Keys {
		classes, ok := l.policy.ToolClasses(tool)
		if !ok {
			l.add(ClassesIgnoredEntry, n.KeyPos[i], path.Key(tool), "it is no list of classes, so the classes of the tool are unknown")
		}
		known = append(known, classes...)
	}
	return known, len(known) > 0
}

func texts(n *tree.Node, name string) []string {
	list, ok := n.Get(name)
	if !ok {
		return nil
	}
	var out []string
	for _, item := range list.Items {
		out = append(out, item.Str)
	}
	return out
}
