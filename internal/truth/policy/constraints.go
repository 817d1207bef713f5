// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// constraints reads the legacy field, which is a list of rules or a mapping
// from tool to parameters, into schemas (spec section 2).
func (d *decoder) constraints(n *tree.Node, path tree.Path) {
	if n.Kind == canon.KindNull || !d.json(n, path) {
		return
	}
	switch n.Kind {
	case canon.KindArray:
		for i, item := range n.Items {
			d.constraintRule(item, path.Index(i))
		}
	case canon.KindObject:
		for i, tool := range n.Keys {
			d.constraintTool(n, i, path.Key(tool))
		}
	default:
		d.fail(n.Pos(), path, "got %s, want a list of rules or a mapping from tool to parameters", spell(n.Kind))
	}
}

// constraintRule reads {tool, params: {NAME: {matches: REGEX}}}.
func (d *decoder) constraintRule(n *tree.Node, path tree.Path) {
	var tool, params *tree.Node
	d.object(n, path, []field{
		{"tool", func(d *decoder, n *tree.Node, path tree.Path) {
			if d.want(n, canon.KindString, path) {
				tool = n
			}
		}},
		{"params", func(d *decoder, n *tree.Node, path tree.Path) {
			if d.want(n, canon.KindObject, path) {
				params = n
			}
		}},
	})
	if n.Kind != canon.KindObject {
		return
	}
	for _, name := range []string{"tool", "params"} {
		if _, has := n.Get(name); !has {
			d.fail(n.Pos(), path, "the field %s is missing", name)
		}
	}
	if tool == nil || params == nil {
		return
	}
	rules := make([]parameter, 0, len(params.Keys))
	for i, name := range params.Keys {
		rules = append(rules, parameter{name, d.matches(params.Items[i], path.Key("params").Key(name))})
	}
	d.constrained[tool.Str] = entry{tool.Str, constraintSchema(tool.Pos(), rules), tool.Pos(), true}
}

// constraintTool reads member i of the mapping: TOOL: {NAME: REGEX}, where a
// REGEX may also be {matches: REGEX}.
func (d *decoder) constraintTool(n *tree.Node, i int, path tree.Path) {
	params := n.Items[i]
	if !d.want(params, canon.KindObject, path) {
		return
	}
	rules := make([]parameter, 0, len(params.Keys))
	for j, name := range params.Keys {
		value := params.Items[j]
		if value.Kind != canon.KindString {
			value = d.matches(value, path.Key(name))
		}
		rules = append(rules, parameter{name, value})
	}
	d.constrained[n.Keys[i]] = entry{n.Keys[i], constraintSchema(n.KeyPos[i], rules), n.KeyPos[i], true}
}

// matches returns the regular expression of {matches: REGEX}, nil for none.
func (d *decoder) matches(n *tree.Node, path tree.Path) (regex *tree.Node) {
	d.object(n, path, []field{{"matches", func(d *decoder, n *tree.Node, path tree.Path) {
		if n.Kind != canon.KindNull && d.want(n, canon.KindString, path) {
			regex = n
		}
	}}})
	return regex
}

// A parameter is one constrained argument; regex is nil when nothing is.
type parameter struct {
	name  string
	regex *tree.Node
}

// constraintSchema returns the schema that the rules for one tool stand for.
func constraintSchema(at tree.Pos, rules []parameter) *tree.Node {
	b := tree.Builder{At: at}
	properties, required := b.Object(), []*tree.Node(nil)
	slices.SortFunc(rules, func(x, y parameter) int { return cmp.Compare(x.name, y.name) })
	for _, rule := range rules {
		if rule.regex == nil {
			continue
		}
		p := tree.Builder{At: rule.regex.Pos()}
		properties.Add(rule.name, p.Object().
			Add("type", p.String("string")).
			Add("pattern", rule.regex).
			Add("minLength", p.Integer("1")))
		required = append(required, p.String(rule.name))
	}
	return b.Object().
		Add("type", b.String("object")).
		Add("additionalProperties", b.True()).
		Add("properties", properties).
		Add("required", b.Array(required...))
}
