// SPDX-License-Identifier: Apache-2.0

// Package ledger keeps the books of runs over live telemetry: which call an
// observation belongs to, the order of calls, the verdict of a run so far, what
// the sequence rules saw, and which records stand.
//
// Telemetry is late, doubled, cut into batches and interrupted by restarts.
// What happens in each of these cases is defined in docs/runs.md, row by row.
//
// The ledger does no I/O, starts no goroutine and reads no clock. Memory is
// bounded in runs, in bytes, and for each run. It is safe for concurrent use:
// runs lie in shards, each with a lock of its own.
//
// A batch goes through in four steps: Place gives every group of spans its call
// and says which records to write; the caller writes them; Settle tells the
// ledger their digests; the caller annotates the spans. Sweep closes idle runs.
//
// A closed run says what was observed. It does not say that nothing else
// happened, not even where its extent is complete.
package ledger
