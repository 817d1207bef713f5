// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// toolClasses reads which classes each tool belongs to. The field is
// operational, so that what has another shape is no fault; it is no evidence
// either, and Ignored says so.
func (d *decoder) toolClasses(n *tree.Node, path tree.Path) {
	d.view.classes = map[string][]string{}
	if _, odd := n.OddKey(); odd || n.Kind != canon.KindObject {
		d.ignore(n, path, "not a mapping from tool to a list of classes, and no evidence")
		return
	}
	for i, tool := range n.Keys {
		if classes, ok := classSet(n.Items[i]); ok {
			d.view.classes[tool] = classes
		} else {
			d.ignore(n.Items[i], path.Key(tool), "not a list of classes, and no evidence")
		}
	}
}

func (d *decoder) ignore(n *tree.Node, path tree.Path, msg string) {
	d.view.ignored = append(d.view.ignored, &tree.Error{
		File: d.file, Line: n.Line, Column: n.Column, Path: path.String(), Msg: msg,
	})
}

func classSet(n *tree.Node) ([]string, bool) {
	if n.Kind != canon.KindArray {
		return nil, false
	}
	set := make([]string, 0, len(n.Items))
	for _, item := range n.Items {
		if item.Kind != canon.KindString {
			return nil, false
		}
		set = append(set, item.Str)
	}
	slices.Sort(set)
	return slices.Compact(set), true
}
