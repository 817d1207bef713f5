// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/tool-decision-truth/collector/internal/truth/policy/schema"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// A Schema checks the arguments of one tool.
type Schema = schema.Schema

// A SchemaResult is what such a check found.
type SchemaResult = schema.Result

// An Outcome is what a check comes to.
type Outcome = schema.Outcome

// The outcomes of a check.
const (
	Valid     = schema.Valid
	Violated  = schema.Violated
	Malformed = schema.Malformed
)

// A SchemaFault says why and where a schema is malformed.
type SchemaFault = schema.Fault

// A PatternUse is a regular expression of a schema.
type PatternUse = schema.PatternUse

// A ToolSchema is the schema of one tool, as it is declared and as it is
// compiled.
type ToolSchema struct {
	Tool       string
	Pos        tree.Pos // of the tool's name
	Constraint bool     // made from a legacy constraint
	Declared   *Node
	*Schema
}

// compileSchemas compiles the schema of every tool.
func (v *view) compileSchemas() (list []ToolSchema, byTool map[string]*Schema) {
	var shared *tree.Node
	for _, e := range v.schemas {
		if e.tool == sharedDefs {
			shared = e.schema
		}
	}
	loader := schema.NewLoader(shared)
	byTool = make(map[string]*Schema, len(v.schemas))
	for _, e := range v.schemas {
		if e.tool == sharedDefs {
			continue
		}
		s := loader.Load(e.schema)
		byTool[e.tool] = s
		list = append(list, ToolSchema{e.tool, e.pos, e.constraint, e.schema, s})
	}
	return list, byTool
}

// Schema returns the schema of a tool, nil when the policy has none for it.
func (p *Policy) Schema(tool string) *Schema { return p.byTool[tool] }

// Schemas returns every tool with a schema, sorted by name. Whether a schema
// is malformed is its Fault's to say. The caller must not change the list.
func (p *Policy) Schemas() []ToolSchema { return p.schemas }

// SharedDefinitions returns schemas.$defs as it is written, nil when the policy
// has none.
func (p *Policy) SharedDefinitions() *Node {
	for _, e := range p.view.schemas {
		if e.tool == sharedDefs {
			return e.schema
		}
	}
	return nil
}
