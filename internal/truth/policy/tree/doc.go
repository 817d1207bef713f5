// SPDX-License-Identifier: Apache-2.0

// Package tree reads the YAML or JSON text of a policy into a strict tree that
// knows where each of its values stands (spec section 2, "Reading the
// document").
//
// The parser of go.yaml.in/yaml/v3 finds the structure. What a scalar means is
// decided here, because a policy has to mean the same to everyone who digests
// it: 010 and yes are strings, and two keys of one name are a fault and not a
// choice.
package tree
