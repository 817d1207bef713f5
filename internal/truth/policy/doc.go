// SPDX-License-Identifier: Apache-2.0

// Package policy reads a declared policy and answers what it declares (spec
// sections 2, 3 and 5).
//
// Read checks the whole document and reports every fault with its place. What
// it returns is one normalised view, which both the declared digest and the
// verdicts are made from, so that they can never differ about the policy. A
// schema that is malformed is not a fault of the document: it is the verdict
// of its tool, and Schemas says what is wrong with it.
//
// The package is pure: no files, no clock, no environment. A Policy is never
// changed and safe for concurrent use.
package policy
