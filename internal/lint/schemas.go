// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// sharedDefs is the key of schemas under which definitions for all of them
// stand.
const sharedDefs = "$defs"

// maxSchemas bounds how many schemas are looked at: anchors that repeat each
// other can make very many of few lines.
const maxSchemas = 1 << 16

func (l *linter) lintSchemas() {
	l.lintMalformed()
	schemas, ok := l.root.Get("schemas")
	path := tree.Path{}.Key("schemas")
	if ok && schemas.Kind == canon.KindObject {
		shared, _ := schemas.Get(sharedDefs)
		for i, tool := range schemas.Keys {
			s := &schemaLinter{linter: l, regexes: regex.Properties{}, shared: shared}
			at := path.Key(tool)
			if tool == sharedDefs {
				s.definitions(schemas.Items[i], at)
				continue
			}
			l.lintSchemaOf(tool, schemas.KeyPos[i], at)
			s.tool(tool, schemas.Items[i], at)
		}
	}
	l.lintConstraints()
}

// lintSchemaOf looks at the tool that a schema is for.
func (l *linter) lintSchemaOf(tool string, at tree.Pos, path tree.Path) {
	if strings.Contains(tool, "*") {
		l.add(SchemasLiteralStar, at, path, "%q is the exact name of a tool here, and its star a character like any", tool)
	}
	if len(l.allow()) == 0 && len(l.deny()) == 0 {
		return // nothing is said of any tool
	}
	if why := l.unreachable(shape{inner: tool}); why != "" {
		l.add(SchemasUnreachable, at, path, "no call of %q can match, so its schema decides nothing: %s", tool, why)
	}
}

// lintConstraints looks at the patterns in the legacy constraints.
func (l *linter) lintConstraints() {
	n, ok := l.root.Get("constraints")
	if !ok {
		return
	}
	s := &schemaLinter{linter: l, regexes: regex.Properties{}}
	path := tree.Path{}.Key("constraints")
	for i, item := range n.Items {
		if n.Kind == canon.KindObject {
			s.parameters(item, path.Key(n.Keys[i]))
			continue
		}
		if params, ok := item.Get("params"); ok {
			s.parameters(params, path.Index(i).Key("params"))
		}
	}
}

func (s *schemaLinter) parameters(n *tree.Node, path tree.Path) {
	for i, item := range n.Items {
		at := path.Key(n.Keys[i])
		if matches, ok := item.Get("matches"); ok {
			item, at = matches, at.Key("matches")
		}
		if item.Kind == canon.KindString {
			s.pattern(item.Str, item.Pos(), at)
		}
	}
}

// A schemaLinter looks at the schema of one tool.
type schemaLinter struct {
	*linter
	regexes regex.Properties
	shared  *tree.Node // the definitions for all tools, nil for none
	whole   *tree.Node // the tool's schema
	seen    int
}

func (s *schemaLinter) definitions(n *tree.Node, path tree.Path) {
	s.whole = n
	schemasIn(n, formNamed, path, func(n *tree.Node, at tree.Path) { s.walk(n, at, draftOf(n, draft2020)) })
}

func (s *schemaLinter) tool(name string, n *tree.Node, path tree.Path) {
	s.whole = n
	d := draftOf(n, draft2020)
	if s.policy.Schema(name).Fault() == nil && s.acceptsEverything(n, d) {
		s.add(SchemasAcceptEverything, n.Pos(), path, "the schema accepts every value")
	}
	s.walk(n, path, d)
}

// acceptsAll reports whether a schema says nothing.
func acceptsAll(n *tree.Node, d draft) bool {
	if n.Kind != canon.KindObject {
		return n.Kind == canon.KindBool && n.Str == "true"
	}
	for _, key := range n.Keys {
		if k, known := keywords[key]; known && k.drafts.has(d) && !k.notes {
			return false
		}
	}
	return true
}

// walk looks at a schema and at all in it.
func (s *schemaLinter) walk(n *tree.Node, path tree.Path, outer draft) {
	if s.seen++; n.Kind != canon.KindObject || s.seen > maxSchemas {
		return
	}
	d := draftOf(n, outer)
	s.keywords(n, path, d)
	s.required(n, path, d)
	for i, key := range n.Keys {
		k, known := keywords[key]
		if !known || !k.drafts.has(d) {
			continue
		}
		schemasIn(n.Items[i], k.form, path.Key(key), func(sub *tree.Node, at tree.Path) { s.walk(sub, at, d) })
	}
	s.patterns(n, path)
}

// patterns looks at the regular expressions of a schema.
func (s *schemaLinter) patterns(n *tree.Node, path tree.Path) {
	if p, ok := n.Get("pattern"); ok && p.Kind == canon.KindString {
		s.pattern(p.Str, p.Pos(), path.Key("pattern"))
	}
	if p, ok := n.Get("patternProperties"); ok && p.Kind == canon.KindObject {
		for i, key := range p.Keys {
			s.pattern(key, p.KeyPos[i], path.Key("patternProperties").Key(key))
		}
	}
}

// pattern looks at one regular expression. One that does not compile makes the
// schema malformed, which is told elsewhere.
func (s *schemaLinter) pattern(text string, at tree.Pos, path tree.Path) {
	re, err := regex.Compile(text, s.regexes)
	if err != nil {
		return
	}
	if list := re.Constructs(); len(list) > 0 {
		words := make([]string, len(list))
		for i, c := range list {
			words[i] = "`" + c.String() + "`"
		}
		s.add(SchemasRegexDiffers, at, path, "other regex engines read this differently: %s", strings.Join(words, ", "))
	}
	if re.Backtracks() {
		s.add(SchemasRegexBudget, at, path, "a back-reference needs backtracking, and a text that takes too much of it does not match")
	}
}
