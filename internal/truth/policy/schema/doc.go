// SPDX-License-Identifier: Apache-2.0

// Package schema compiles the JSON Schemas of a policy and checks arguments
// against them (spec section 5, "Schemas").
//
// Whether a schema is one is decided by the metaschema of its dialect, with
// github.com/santhosh-tekuri/jsonschema. What it means is compiled here, from
// the declared tree, so that a check leaves no garbage, tells where in the
// declaration a violation is, and gives one answer: there is no second
// evaluator that a verdict could come from. The library holds against this one
// in the tests.
//
// Nothing is ever fetched. What cannot be compiled is malformed, never a panic
// and never a reason not to start.
package schema
