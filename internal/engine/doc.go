// SPDX-License-Identifier: Apache-2.0

// Package engine is the path from a batch of spans to decisions: it finds the
// tool calls, folds the spans of one call, judges each call by the policy that
// is meant for it, and places it in its run. The Collector processor and the
// command line share it, so that they cannot answer differently.
//
// It knows spans and no components: conditions come as functions, the time is
// passed in, and what is to be written goes to a Journal.
package engine
