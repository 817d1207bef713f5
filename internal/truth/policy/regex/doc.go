// SPDX-License-Identifier: Apache-2.0

// Package regex implements the regular expressions of JSON Schema: ECMA-262 in
// Unicode mode, without flags, and a few listed spellings beyond it (spec
// section 5).
//
// Whether a text matches must not depend on how busy a machine is, so nothing
// here looks at a clock. A pattern takes the first of four ways that fits:
//
//   - one look at each character, for whole texts of which it is clear where
//     each part ends;
//   - Go's regexp, for what it can say exactly;
//   - a simulation of all alternatives at once, linear in the text, for what
//     needs look-around or more repetitions than Go's regexp has;
//   - backtracking, for back-references alone, up to a fixed number of steps. A
//     pattern that needs more does not match.
package regex
