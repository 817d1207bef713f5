// SPDX-License-Identifier: Apache-2.0

// Package sequence evaluates a policy's sequence rules over the ordered calls
// of a run (spec section 10): one record a rule, no score, no aggregate.
//
// A call is read once into the set of selectors that it matches, its symbol.
// The eight kinds of rules are small machines over symbols and never see a
// call. So a State costs a few bytes a rule however long the run is, holds no
// arguments, and can go back to a call whose arguments became known later.
//
// A record says how the calls that were seen compare with a rule. It does not
// say that the calls ran, nor that there were no others.
package sequence
