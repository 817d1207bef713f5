// SPDX-License-Identifier: Apache-2.0

// Package tdtprocessor is the Collector processor tdt: it judges the tool calls
// that AI agents report as spans against a declared policy, and attaches the
// verdict to the span. It never drops, reorders or blocks telemetry because of
// a verdict.
package tdtprocessor

//go:generate go tool -modfile=../../tools/go.mod mdatagen metadata.yaml
