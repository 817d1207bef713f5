// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// toolClasses reads which classes each tool belongs to. The field is
// operational, so that what has another shape is no fault; it is no evidence
// either.
func (d *decoder) toolClasses(n *tree.Node, _ tree.Path) {
	d.view.classes = map[string][]string{}
	if _, odd := n.OddKey(); odd {
		return
	}
	for i, tool := range n.Keys {
		if classes, ok := classSet(n.Items[i]); ok {
			d.view.classes[tool] = classes
		}
	}
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
