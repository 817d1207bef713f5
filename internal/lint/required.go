// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// maxConjuncts bounds how many schemas are taken together.
const maxConjuncts = 64

// required finds names that a schema requires and forbids. A value must pass
// the schema itself, all of its allOf and what its $ref means, so each of them
// may forbid what another one requires.
func (s *schemaLinter) required(n *tree.Node, path tree.Path, d draft) {
	names, ok := n.Get("required")
	if !ok || names.Kind != canon.KindArray || d <= draft7 && hasAny(n, []string{"$ref"}) {
		return
	}
	var all conjunction
	s.conjuncts(&all, n, d)
	for i, name := range names.Items {
		if name.Kind != canon.KindString {
			continue
		}
		for _, c := range all.schemas {
			if why := s.forbids(c, name.Str); why != "" {
				s.add(SchemasRequiredForbidden, name.Pos(), path.Key("required").Index(i),
					"%q is required, and %s (line %d): no arguments are valid", name.Str, why, c.Line)
				break
			}
		}
	}
	s.tooFew(n, path, len(names.Items))
}

// tooFew finds a maxProperties that leaves no room for what is required.
func (s *schemaLinter) tooFew(n *tree.Node, path tree.Path, required int) {
	most, ok := n.Get("maxProperties")
	if !ok || most.Kind != canon.KindNumber {
		return
	}
	if limit, err := strconv.ParseFloat(most.Str, 64); err == nil && limit < float64(required) {
		s.add(SchemasRequiredForbidden, most.Pos(), path.Key("maxProperties"),
			"%d names are required, and at most %s are allowed: no arguments are valid", required, most.Str)
	}
}

// A conjunction is schemas that a value must all pass.
type conjunction struct {
	schemas []*tree.Node
	seen    []*tree.Node // these, and those in which only the $ref counts
}

// conjuncts adds n and the schemas that every value of n passes too. References
// may run in a circle.
func (s *schemaLinter) conjuncts(c *conjunction, n *tree.Node, d draft) {
	if n.Kind != canon.KindObject || len(c.seen) == maxConjuncts || slices.Contains(c.seen, n) {
		return
	}
	c.seen = append(c.seen, n)
	if ref, ok := n.Get("$ref"); ok {
		if target := s.resolve(ref.Str); target != nil {
			s.conjuncts(c, target, d)
		}
		if d <= draft7 {
			return
		}
	}
	c.schemas = append(c.schemas, n)
	if all, ok := n.Get("allOf"); ok && all.Kind == canon.KindArray {
		for _, sub := range all.Items {
			s.conjuncts(c, sub, d)
		}
	}
}

// resolve returns what a reference within the document means, nil where that
// is not plain to see.
func (s *schemaLinter) resolve(ref string) *tree.Node {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' || strings.Contains(pointer, "%") {
		return nil
	}
	if pointer == "" {
		return s.whole
	}
	if n := follow(s.whole, pointer); n != nil {
		return n
	}
	if name, ok := strings.CutPrefix(pointer, "/$defs"); ok && s.shared != nil {
		return follow(s.shared, name)
	}
	return nil
}

func follow(n *tree.Node, pointer string) *tree.Node {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		next, ok := n.Get(token)
		if i, err := strconv.Atoi(token); n.Kind == canon.KindArray && err == nil && 0 <= i && i < len(n.Items) {
			next, ok = n.Items[i], true
		}
		if !ok {
			return nil
		}
		n = next
	}
	return n
}

// forbids returns how a schema forbids a member of the name, or "".
func (s *schemaLinter) forbids(n *tree.Node, name string) string {
	declared := false
	if properties, ok := n.Get("properties"); ok {
		if p, ok := properties.Get(name); ok {
			declared = true
			if acceptsNone(p) {
				return "properties forbids it"
			}
		}
	}
	if patterns, ok := n.Get("patternProperties"); ok {
		for i, key := range patterns.Keys {
			re, err := regex.Compile(key, s.regexes)
			if err != nil {
				return "" // malformed, which is told elsewhere
			}
			if re.MatchString(name) {
				declared = true
				if acceptsNone(patterns.Items[i]) {
					return "patternProperties forbids it"
				}
			}
		}
	}
	if more, ok := n.Get("additionalProperties"); ok && !declared && acceptsNone(more) {
		return "properties does not have it where additionalProperties forbids all others"
	}
	return s.forbidsName(n, name)
}

// forbidsName looks at propertyNames, as far as it is plain.
func (s *schemaLinter) forbidsName(n *tree.Node, name string) string {
	names, ok := n.Get("propertyNames")
	if !ok {
		return ""
	}
	const why = "propertyNames forbids it"
	if acceptsNone(names) {
		return why
	}
	is := func(v *tree.Node) bool { return v.Kind == canon.KindString && v.Str == name }
	if enum, ok := names.Get("enum"); ok && !slices.ContainsFunc(enum.Items, is) {
		return why
	}
	if value, ok := names.Get("const"); ok && !is(value) {
		return why
	}
	if p, ok := names.Get("pattern"); ok {
		if re, err := regex.Compile(p.Str, s.regexes); err == nil && !re.MatchString(name) {
			return why
		}
	}
	return ""
}

// acceptsNone reports whether a schema plainly accepts no value.
func acceptsNone(n *tree.Node) bool {
	if n.Kind == canon.KindBool {
		return n.Str == "false"
	}
	not, ok := n.Get("not")
	return ok && (not.Kind == canon.KindBool && not.Str == "true" || not.Kind == canon.KindObject && len(not.Keys) == 0)
}
