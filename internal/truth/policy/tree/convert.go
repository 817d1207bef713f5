// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

const (
	msgTag = "a tag of your own has no meaning here"
	msgKey = "a name must be a string: quote it"
)

// A converter turns the parser's nodes into a tree. It goes on after a fault,
// so that one reading shows them all; only what makes the document too large
// ends it.
type converter struct {
	file  string
	marks map[Pos]bool // where a tag is a mere !
	slashes
	errs Errors

	done    map[*yaml.Node]*Node // anchored nodes; nil while one is being read
	nesting int
	stopped bool
}

func (c *converter) fail(at *yaml.Node, path Path, msg string) *Node {
	if !c.stopped && len(c.errs) <= maxErrors {
		c.errs = append(c.errs, &Error{c.file, at.Line, at.Column, path.String(), msg})
	}
	return &Node{Kind: canon.KindNull, Line: at.Line, Column: at.Column, size: 1}
}

// stop ends the conversion with a fault of the document as a whole.
func (c *converter) stop(at *yaml.Node, path Path, msg string) *Node {
	n := c.fail(at, path, msg)
	c.stopped = true
	return n
}

func (c *converter) document(doc *yaml.Node) *Node {
	c.done = map[*yaml.Node]*Node{}
	root := doc
	if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 {
		root = doc.Content[0]
	}
	if root.Kind != yaml.MappingNode {
		return c.fail(root, Path{}, "a policy is a mapping, this is something else")
	}
	return c.node(root, Path{})
}

func (c *converter) node(y *yaml.Node, path Path) *Node {
	if y.Kind == yaml.AliasNode {
		return c.alias(y, path)
	}
	if y.Anchor != "" {
		c.done[y] = nil
	}
	n := c.value(y, path)
	if y.Anchor != "" {
		c.done[y] = n
	}
	return n
}

func (c *converter) alias(y *yaml.Node, path Path) *Node {
	n, known := c.done[y.Alias]
	switch {
	case n != nil:
		if c.nesting+n.height > maxNesting {
			return c.stop(y, path, msgNesting)
		}
		return n
	case known:
		return c.fail(y, path, "an alias inside of what it stands for")
	}
	return c.fail(y, path, "an alias for nothing")
}

var msgNesting = "more than " + strconv.Itoa(maxNesting) + " nested lists and mappings"

func (c *converter) value(y *yaml.Node, path Path) *Node {
	n := &Node{Line: y.Line, Column: y.Column, size: 1}
	if strings.HasPrefix(y.Tag, "!") && strings.ContainsAny(y.Tag, ",[]{}") {
		// The parser takes [!!str, x] for one element, others take it for two.
		return c.fail(y, path, "a tag and the comma or bracket behind it need a space between them")
	}
	if c.localTag(y) {
		n.fault = &fault{n.Pos(), msgTag}
	}
	if y.Kind == yaml.ScalarNode {
		return c.scalar(y, n, path)
	}
	if c.nesting++; c.nesting > maxNesting {
		return c.stop(y, path, msgNesting)
	}
	n.Kind = canon.KindArray
	if y.Kind == yaml.MappingNode {
		n.Kind = canon.KindObject
		c.members(y, n, path)
	} else {
		c.elements(y, n, path)
	}
	c.nesting--
	n.height++
	return n
}

func (c *converter) elements(y *yaml.Node, n *Node, path Path) {
	n.Items = make([]*Node, 0, len(y.Content))
	for i, element := range y.Content {
		if c.stopped {
			return
		}
		c.add(element, n, path.Index(i))
	}
}

func (c *converter) members(y *yaml.Node, n *Node, path Path) {
	n.Items = make([]*Node, 0, len(y.Content)/2)
	n.Keys, n.KeyPos = make([]string, 0, cap(n.Items)), make([]Pos, 0, cap(n.Items))
	seen := make(map[scalar]bool, cap(n.Items))
	for i := 0; i+1 < len(y.Content) && !c.stopped; i += 2 {
		key := c.node(y.Content[i], path)
		name, pos := scalar{key.Kind, key.name()}, Pos{y.Content[i].Line, y.Content[i].Column}
		if key.Kind != canon.KindString && (n.fault == nil || n.fault.msg != msgKey) {
			n.fault = &fault{pos, msgKey}
		}
		if seen[name] {
			c.fail(y.Content[i], path.Key(name.str), "the second of this name in one mapping")
		}
		seen[name] = true
		n.Keys, n.KeyPos = append(n.Keys, name.str), append(n.KeyPos, pos)
		c.add(y.Content[i+1], n, path.Key(name.str))
	}
}

// name returns what makes n, as a key, the same as another key of its kind.
func (n *Node) name() string {
	if n.Kind == canon.KindString {
		return n.Str
	}
	return string(n.AppendJSON(nil))
}

func (c *converter) add(y *yaml.Node, n *Node, path Path) {
	item := c.node(y, path)
	n.Items = append(n.Items, item)
	n.size += item.size
	n.height = max(n.height, item.height)
	if n.size > MaxValues {
		c.stop(y, Path{}, "more than "+strconv.Itoa(MaxValues)+" values when aliases are written out")
	}
}

func (c *converter) scalar(y *yaml.Node, n *Node, path Path) *Node {
	y.Value = c.restore(y.Value, y.Style&yaml.DoubleQuotedStyle != 0)
	s, ok := scalar{canon.KindString, y.Value}, true
	quoted := y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	switch {
	case y.Style&yaml.TaggedStyle != 0 && n.fault == nil:
		s, ok = tagged(y.Tag, y.Value)
	case !quoted:
		s, ok = plain(y.Value)
	}
	if !ok {
		if y.Style&yaml.TaggedStyle != 0 {
			return c.fail(y, path, "the value is not what its tag says")
		}
		return c.fail(y, path, "an integer that 64 bits do not hold")
	}
	n.Kind, n.Str = s.kind, s.str
	return n
}

// localTag reports whether y has a tag of the operator's own, or the tag that
// asks for one: those have no meaning in a policy. Other tags say how to read a
// scalar.
func (c *converter) localTag(y *yaml.Node) bool {
	if y.Style&yaml.TaggedStyle != 0 {
		return strings.HasPrefix(y.Tag, "!") && !strings.HasPrefix(y.Tag, "!!")
	}
	if y.Kind == yaml.MappingNode && y.Style&yaml.FlowStyle == 0 {
		return false // it begins where its first name does, whose tag it would be
	}
	return c.marks[Pos{y.Line, y.Column}]
}
