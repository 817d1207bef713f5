// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A field is one name that a mapping of the policy may have, and how its value
// is read.
type field struct {
	name string
	read func(*decoder, *tree.Node, tree.Path)
}

// rootFields returns the fields of the document's root. Operational fields are
// accepted in any shape: they are outside of every digest and verdict.
func rootFields() []field {
	return []field{
		{"version", (*decoder).version},
		{"tools", (*decoder).tools},
		{"schemas", (*decoder).schemas},
		{"enforcement", (*decoder).enforcement},
		{"allow", (*decoder).list},
		{"deny", (*decoder).list},
		{"constraints", (*decoder).constraints},
		{"sequences", (*decoder).sequences},
		{"aliases", (*decoder).aliases},
		{"tool_classes", (*decoder).toolClasses},
		{"name", (*decoder).name},
		{"limits", (*decoder).operational},
		{"signatures", (*decoder).operational},
		{"tool_pins", (*decoder).operational},
		{"discovery", (*decoder).operational},
		{"runtime_monitor", (*decoder).operational},
		{"kill_switch", (*decoder).operational},
	}
}

// toolFields returns the fields of tools.
func toolFields() []field {
	fields := []field{
		{"restrict_scope_contract", (*decoder).operational},
		{"redact_args_contract", (*decoder).operational},
	}
	for _, name := range listNames {
		fields = append(fields, field{name, (*decoder).list})
	}
	return fields
}

// listNames are the lists under tools that constrain, in the order in which
// the declared digest holds them.
var listNames = [...]string{
	"allow", "allow_classes", "approval_required", "approval_required_classes", "deny", "deny_classes",
	"redact_args", "redact_args_classes", "restrict_scope", "restrict_scope_classes",
}

// maxFaults bounds how many faults are collected. A document with more is no
// policy, and reading on would only cost time.
const maxFaults = 1000

// A decoder reads the tree of a document into the normalised view. It collects
// faults and reads on.
type decoder struct {
	file        string
	errs        tree.Errors
	view        view
	constrained map[string]entry // the schemas that constraints make, the last of each tool
}

func (d *decoder) fail(at tree.Pos, path tree.Path, format string, args ...any) {
	d.errs = append(d.errs, &tree.Error{
		File: d.file, Line: at.Line, Column: at.Column, Path: path.String(), Msg: fmt.Sprintf(format, args...),
	})
}

// want reports whether n is of the kind, and otherwise says so.
func (d *decoder) want(n *tree.Node, kind canon.Kind, path tree.Path) bool {
	if n.Kind == kind {
		return true
	}
	d.fail(n.Pos(), path, "got %s, want %s", spell(n.Kind), spell(kind))
	return false
}

// given reports whether n is there: null means the default. Under a tag of the
// operator's own it might mean anything.
func (d *decoder) given(n *tree.Node, path tree.Path) bool {
	if n.Kind == canon.KindNull && n.Tagged() {
		d.fail(n.Pos(), path, "a tag of your own has no meaning here")
	}
	return n.Kind != canon.KindNull
}

// spell names kinds as an operator calls them.
func spell(k canon.Kind) string {
	switch k {
	case canon.KindArray:
		return "a list"
	case canon.KindObject:
		return "a mapping"
	case canon.KindNull:
		return "nothing (null)"
	}
	return "a " + k.String()
}

// object reads the members of n by name.
func (d *decoder) object(n *tree.Node, path tree.Path, fields []field) {
	if !d.want(n, canon.KindObject, path) {
		return
	}
	odd, _ := d.names(n, path)
	for i, key := range n.Keys {
		if len(d.errs) >= maxFaults {
			return
		}
		f := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
		if f < 0 && n.KeyPos[i] == odd {
			continue // it has been said
		}
		if f < 0 {
			d.fail(n.KeyPos[i], path.Key(key), "unknown field, %s", advice(key, fields))
			continue
		}
		fields[f].read(d, n.Items[i], path.Key(key))
	}
}

// names refuses a name in n that is no string, and returns its place.
func (d *decoder) names(n *tree.Node, path tree.Path) (pos tree.Pos, odd bool) {
	if pos, odd = n.OddKey(); odd {
		d.fail(pos, path, "a name must be a string: quote it")
	}
	return pos, odd
}

// advice says what an unknown field should have been. A name that belongs to
// another mapping is found there.
func advice(key string, fields []field) string {
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.name
	}
	if slices.Contains(listNames[:], key) {
		return "it belongs under tools"
	}
	if key == unconstrainedField {
		return "it belongs under enforcement"
	}
	if best, ok := nearest(key, known); ok {
		return fmt.Sprintf("did you mean %s?", best)
	}
	slices.Sort(known)
	return "known here are " + strings.Join(known, ", ")
}

// json refuses what JSON has no word for anywhere in n.
func (d *decoder) json(n *tree.Node, path tree.Path) bool {
	found := n.Strict(d.file, path)
	d.errs = append(d.errs, found...)
	return found == nil
}

func (d *decoder) operational(*tree.Node, tree.Path) {}

func (d *decoder) name(n *tree.Node, _ tree.Path) {
	if n.Kind == canon.KindString {
		d.view.name = n.Str
	}
}

func (d *decoder) version(n *tree.Node, path tree.Path) {
	if d.want(n, canon.KindString, path) {
		d.view.version = n.Str
	}
}

func (d *decoder) tools(n *tree.Node, path tree.Path) {
	if d.given(n, path) {
		d.object(n, path, toolFields())
	}
}

const unconstrainedField = "unconstrained_tools"

func (d *decoder) enforcement(n *tree.Node, path tree.Path) {
	if d.given(n, path) {
		d.object(n, path, []field{{unconstrainedField, (*decoder).unconstrained}})
	}
}

func (d *decoder) unconstrained(n *tree.Node, path tree.Path) {
	for u := Warn; u <= Allow; u++ {
		if n.Kind == canon.KindString && n.Str == u.String() && !n.Tagged() {
			d.view.unconstrained = u
			return
		}
	}
	d.fail(n.Pos(), path, "must be one of warn, deny, allow")
}

// list reads a list of names, at the root or under tools.
func (d *decoder) list(n *tree.Node, path tree.Path) {
	if !d.given(n, path) || !d.want(n, canon.KindArray, path) {
		return
	}
	l := list{field: path.String(), present: true}
	for i, item := range n.Items {
		if d.want(item, canon.KindString, path.Index(i)) {
			l.add(i, item)
		}
	}
	d.view.lists[l.field] = l
}

func (d *decoder) schemas(n *tree.Node, path tree.Path) {
	if !d.given(n, path) || !d.want(n, canon.KindObject, path) {
		return
	}
	d.names(n, path)
	for i, tool := range n.Keys {
		if d.json(n.Items[i], path.Key(tool)) {
			d.view.schemas = append(d.view.schemas, entry{tool, n.Items[i], n.KeyPos[i], false})
		}
	}
}

func (d *decoder) sequences(n *tree.Node, path tree.Path) {
	d.json(n, path)
	d.view.sequences = n
}

func (d *decoder) aliases(n *tree.Node, path tree.Path) {
	d.json(n, path)
	d.view.aliases = n
}
