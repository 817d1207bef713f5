// SPDX-License-Identifier: Apache-2.0

// Package truth judges one observed tool call against a declared policy: the
// lattice of verdicts and the gate of seven axes (spec sections 1, 5, 6 and 8).
//
// It is pure: no Collector, no files, no clock, no environment. A verdict says
// how a call compares with the policy. It does not say that the call was safe,
// authorized, intended, or that it ran.
package truth
