// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/regex"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// maxSize bounds how many values one schema is, aliases written out and shared
// definitions included.
const maxSize = 50_000

// A Loader compiles the schemas of one policy. It is not safe for concurrent
// use; what it returns is.
type Loader struct {
	shared      *tree.Node // schemas.$defs, nil when there is none
	sharedFault map[draft]*Fault
	approved    map[string]bool // schemas, as JSON, that need not be approved again
	regexes     map[string]compiled
	props       regex.Properties
}

// A compiled is a pattern as it turned out.
type compiled struct {
	re  *regex.Regexp
	err error
}

// NewLoader returns a Loader for a policy whose schemas share the definitions
// shared, nil if it has none.
func NewLoader(shared *tree.Node) *Loader {
	return &Loader{
		shared: shared, sharedFault: map[draft]*Fault{}, approved: map[string]bool{},
		regexes: map[string]compiled{}, props: regex.Properties{},
	}
}

func (l *Loader) regex(pattern string) (*regex.Regexp, error) {
	known, ok := l.regexes[pattern]
	if !ok {
		known.re, known.err = regex.Compile(pattern, l.props)
		l.regexes[pattern] = known
	}
	return known.re, known.err
}

// Load compiles the schema of one tool. It always returns one, which may be
// malformed.
func (l *Loader) Load(tool *tree.Node) (s *Schema) {
	s = &Schema{doc: tool}
	defer func() {
		if r := recover(); r != nil {
			s.root, s.fault = nil, &Fault{Unusable, "", tool.Pos(), "the schema cannot be compiled"}
		}
	}()
	switch tool.Kind {
	case canon.KindObject:
		s.fault = l.object(s, tool)
	case canon.KindBool:
		s.fault = l.boolean(s, tool)
	default:
		s.fault = &Fault{NotASchema, "", tool.Pos(), "a schema is a mapping or a boolean"}
	}
	if s.fault != nil {
		s.root = nil
	}
	return s
}

// boolean loads true or false, beside which the shared definitions are checked.
func (l *Loader) boolean(s *Schema, tool *tree.Node) *Fault {
	s.root = &node{never: tool.Str == "false"}
	if l.shared == nil {
		return nil
	}
	b := tree.Builder{At: tool.Pos()}
	probe := &Schema{}
	return l.object(probe, b.Object())
}

func (l *Loader) object(s *Schema, tool *tree.Node) *Fault {
	doc, fault := l.merge(tool)
	if fault != nil {
		return fault
	}
	s.doc = doc
	if doc.Size() > maxSize {
		return &Fault{TooLarge, "", tool.Pos(), fmt.Sprintf("a schema of %d values, at most %d are compiled", doc.Size(), maxSize)}
	}
	d, fault := dialect(tool)
	if fault != nil {
		return fault
	}
	if fault = l.approve(tool, d); fault != nil {
		return fault
	}
	c := compiler{atlas: survey(doc, d), loader: l, nodes: map[string]*node{}}
	if fault = c.remote(); fault != nil {
		return fault
	}
	s.root = c.compile(place{doc, ""}, c.root, c.root.draft)
	s.dynamic = c.dynamic
	s.uses = c.uses
	slices.SortFunc(s.uses, func(a, b PatternUse) int { return strings.Compare(a.Location, b.Location) })
	markRecurring(c.nodes)
	return c.fault
}

// merge returns a tool's schema with the shared definitions among its own.
func (l *Loader) merge(tool *tree.Node) (*tree.Node, *Fault) {
	if l.shared == nil {
		return tool, nil
	}
	refuse := func(at tree.Pos, location, msg string) (*tree.Node, *Fault) {
		return nil, &Fault{BadDefinitions, location, at, msg}
	}
	if l.shared.Kind != canon.KindObject {
		return refuse(l.shared.Pos(), "/$defs", "the shared definitions are no mapping")
	}
	b := tree.Builder{At: l.shared.Pos()}
	merged := b.Object()
	own, has := tool.Get("$defs")
	if has {
		if own.Kind != canon.KindObject {
			return refuse(own.Pos(), "/$defs", "the definitions are no mapping")
		}
		for i, name := range own.Keys {
			merged.Add(name, own.Items[i])
		}
	}
	for i, name := range l.shared.Keys {
		if has && own.Has(name) {
			return refuse(own.Pos(), "/$defs"+token(name), "a definition that the policy shares has the same name")
		}
		merged.Add(name, l.shared.Items[i])
	}
	return tool.Replace("$defs", merged), nil
}

// dialect returns the dialect of a schema.
func dialect(tool *tree.Node) (draft, *Fault) {
	n, ok := tool.Get("$schema")
	if !ok {
		return draft2020, nil
	}
	d, known := parseDraft(n.Str)
	if !known || n.Kind != canon.KindString {
		return 0, &Fault{UnknownDialect, "/$schema", n.Pos(), "a dialect that is not known: draft-04, 06, 07, 2019-09 and 2020-12 are"}
	}
	return d, nil
}

// approve checks a schema against its dialect's own, which takes longer than
// anything else that is done with it. Policies that are generated repeat one
// schema for many tools, so what has been approved is. The shared definitions
// are checked once for all tools.
func (l *Loader) approve(tool *tree.Node, d draft) *Fault {
	text := string(tool.AppendJSON([]byte{byte(d)}))
	if !l.approved[text] {
		if fault := approve(tool, d); fault != nil {
			return fault
		}
		l.approved[text] = true
	}
	if l.shared == nil {
		return nil
	}
	fault, known := l.sharedFault[d]
	if !known {
		b := tree.Builder{At: l.shared.Pos()}
		fault = approve(b.Object().Add("$defs", l.shared), d)
		l.sharedFault[d] = fault
	}
	return fault
}

// remote finds references to outside of the document, which are malformed even
// where nothing uses them.
func (c *compiler) remote() *Fault {
	if c.atlas.fault != nil {
		return c.atlas.fault
	}
	for _, r := range c.refs {
		if strings.HasPrefix(r.to, "#") {
			continue
		}
		if _, fault := c.find(r); fault != nil && (fault.Reason == RemoteReference || !uriReference(r.to)) {
			return fault
		}
	}
	return nil
}

// known checks a schema that a pointer finds where no keyword says that there
// is one, and which the metaschema has therefore not seen.
func (c *compiler) known(at place) {
	if c.visited[at.location] || at.schema.Kind != canon.KindObject {
		return
	}
	c.visited[at.location] = true
	if fault := approve(at.schema, c.root.draft); fault != nil && c.fault == nil {
		fault.Location = at.location + fault.Location
		c.fault = fault
	}
}

// metaschema compiles a reference to the schema of the document's dialect.
func (c *compiler) metaschema(s *site, r reference, address string) {
	compiled, err := newLibrary().Compile(address)
	if err != nil {
		value, _ := s.schema.Get(r.keyword)
		c.fail(NoTarget, place{value, s.below(r.keyword)}, "a reference to nothing, or to what is no schema")
		return
	}
	s.node.add(r.keyword, &metaRule{compiled})
}

// fragmentName returns the fragment of a reference that is a mere name.
func fragmentName(ref string) string {
	_, name, _ := strings.Cut(ref, "#")
	if u, err := parseAddress("#" + name); err == nil {
		return u.Fragment
	}
	return name
}
