// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// An Error is one fault of a policy, with its place and the path of the field.
type Error = tree.Error

// Errors are all the faults of a policy.
type Errors = tree.Errors

// A Node is one value of a policy as it is written, with its place.
type Node = tree.Node

// A Policy is what one document declares. It is never changed and safe for
// concurrent use.
type Policy struct {
	view      view
	canonical []byte
	digest    canon.Digest
	schemas   []ToolSchema
	byTool    map[string]*Schema
	declared  map[string]bool
}

// Read reads a policy from the text of a document (spec section 2). file is a
// label for messages. The error is an *Error, or Errors if there are several:
// all faults are reported, each with its place. Malformed schemas are none:
// see Schemas.
func Read(file string, text []byte) (*Policy, error) {
	root, err := tree.Read(file, text)
	if err != nil {
		return nil, err
	}
	d := decoder{
		file: file, view: view{lists: map[string]list{}, unconstrained: Warn}, constrained: map[string]entry{},
	}
	d.object(root, tree.Path{}, rootFields())
	d.normalise()
	if err := d.errs.Err(); err != nil {
		return nil, err
	}
	canonical, err := d.view.canonical()
	if err != nil {
		return nil, &Error{File: file, Msg: "the policy has no canonical form: " + err.Error()}
	}
	p := &Policy{
		view: d.view, canonical: canonical, digest: canon.Sum(canonical), declared: d.view.declaredTools(),
	}
	p.schemas, p.byTool = p.view.compileSchemas()
	return p, nil
}

// DeclaredDigest returns the digest that names what p declares (spec section
// 3). It says nothing about who declared it, nor whether it is enforced.
func (p *Policy) DeclaredDigest() canon.Digest { return p.digest }

// Canonical returns a copy of the bytes that DeclaredDigest is made of.
func (p *Policy) Canonical() []byte { return slices.Clone(p.canonical) }

// Name returns the policy's own name, if it has one. It is not declared: two
// policies that differ in name alone have one digest.
func (p *Policy) Name() string { return p.view.name }

// Version returns the version as it is digested.
func (p *Policy) Version() string { return p.view.version }

// Allow returns the patterns of allowed tools, tools.allow before the legacy
// list at the root. The caller must not change it.
func (p *Policy) Allow() []Rule { return p.view.list("allow").items }

// Deny returns the patterns of denied tools, as Allow does.
func (p *Policy) Deny() []Rule { return p.view.list("deny").items }

// AllowClasses returns the classes that are allowed.
func (p *Policy) AllowClasses() []string { return p.view.list("allow_classes").texts }

// DenyClasses returns the classes that are denied.
func (p *Policy) DenyClasses() []string { return p.view.list("deny_classes").texts }

// Obligation returns the lists of one obligation: patterns of tool names, and
// classes. An Obligation that is none has neither.
func (p *Policy) Obligation(o Obligation) (names []Rule, classes []string) {
	field := o.field()
	return p.view.list(field).items, p.view.list(field + "_classes").texts
}

// UnconstrainedTools says how tools are judged that nothing constrains.
func (p *Policy) UnconstrainedTools() Unconstrained { return p.view.unconstrained }

// ToolClasses returns the classes that the policy gives a tool, sorted, and
// false when it says nothing of it.
func (p *Policy) ToolClasses(tool string) ([]string, bool) {
	classes, ok := p.view.classes[tool]
	return classes, ok
}

// Ignored returns what is accepted and means nothing: operational fields whose
// shape gives no evidence. They are no reason to refuse a policy, but its author
// will want to know.
func (p *Policy) Ignored() Errors { return p.view.ignored }

// Sequences returns the sequence rules as they are written, nil when the policy
// has no such field. Package sequence gives them meaning.
func (p *Policy) Sequences() *Node { return p.view.sequences }

// Aliases returns the aliases as they are written, nil when the policy has no
// such field.
func (p *Policy) Aliases() *Node { return p.view.aliases }
