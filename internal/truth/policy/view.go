// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A Rule is one line of a list: what a verdict cites when that line decides.
type Rule struct {
	Field        string // the list as it is written, such as tools.deny
	Index        int    // its place in that list, from 0
	Pattern      Pattern
	Line, Column int
}

// A list is one list of patterns or classes.
type list struct {
	field   string
	present bool // an empty list is present
	items   []Rule
	texts   []string
}

// add adds the element at i of a list in the document.
func (l *list) add(i int, n *tree.Node) {
	l.items = append(l.items, Rule{l.field, i, ParsePattern(n.Str), n.Line, n.Column})
	l.texts = append(l.texts, n.Str)
}

// An entry is the schema of one tool as it was declared.
type entry struct {
	tool       string
	schema     *tree.Node
	pos        tree.Pos
	constraint bool // made from a legacy constraint
}

// A view is what a policy declares, normalised (spec section 2): the one thing
// that is digested and that is judged by.
type view struct {
	name          string
	version       string
	lists         map[string]list // by field
	unconstrained Unconstrained
	schemas       []entry // sorted by tool, $defs among them
	classes       map[string][]string
	sequences     *tree.Node
	aliases       *tree.Node
	ignored       tree.Errors
}

// sharedDefs is the key of schemas under which no tool stands, but definitions
// for all of them.
const sharedDefs = "$defs"

// normalise ends the reading of a document, the faults of which are in d.
func (d *decoder) normalise() {
	for _, name := range []string{"allow", "deny"} {
		d.appendRoot(name)
	}
	for _, e := range d.view.schemas {
		if c, both := d.constrained[e.tool]; both {
			d.fail(c.pos, tree.Path{}.Key("constraints").Key(c.tool),
				"the tool has a schema too: which of the two holds cannot be told, merge them")
		}
	}
	d.view.schemas = slices.AppendSeq(d.view.schemas, maps.Values(d.constrained))
	slices.SortFunc(d.view.schemas, func(a, b entry) int { return cmp.Compare(a.tool, b.tool) })
	if d.view.version == "" || d.view.version == "1.0" {
		d.view.version = "2.0"
	}
}

// appendRoot appends the legacy list at the root to the one under tools.
func (d *decoder) appendRoot(name string) {
	root := d.view.lists[name]
	if !root.present {
		return
	}
	l := d.view.lists["tools."+name]
	l.field, l.present = "tools."+name, true
	l.items = slices.Concat(l.items, root.items)
	l.texts = slices.Concat(l.texts, root.texts)
	d.view.lists[l.field] = l
}

func (v *view) list(name string) list { return v.lists["tools."+name] }
