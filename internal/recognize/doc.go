// SPDX-License-Identifier: Apache-2.0

// Package recognize finds the tool calls in spans of every agent
// instrumentation that has written down, or shows by its code, how it reports
// them.
//
// The knowledge is a table of dialects (see Dialects): how a span of that
// emitter is told apart, and where its fields lie and in which encoding. The
// code around the table is few and small functions. A span that no dialect
// takes is left alone, and it costs one pass over its attributes to know that.
//
// Nothing here guesses. A decoder is exact or it yields nothing: arguments
// that cannot be read exactly are unusable, each kind with its own reason, and
// never become other arguments. No argument value and no attribute key that
// this package does not itself name reaches a reason or an explanation.
package recognize
