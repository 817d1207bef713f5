// SPDX-License-Identifier: Apache-2.0

// Package evidence keeps the journal: the durable, tamper-evident record of
// decisions that a span only gives a view of.
//
// A journal is a directory of segments. Each line of a segment is one
// CloudEvent (spec section 12) followed by its place in the journal and a link,
// the digest of all bytes of the file before it. Each segment begins with a
// head that names the digest of the segment before. Every line is a leaf of one
// Merkle tree (RFC 6962), whose root is signed from time to time in a
// checkpoint. docs/evidence.md has the format, and says what each of these
// finds and what none of them can.
//
// Journal.Append returns when its records are on disk, so a digest may be shown
// once it has returned and not before. Verify checks a journal, Prove and
// VerifyProof show one record of it to somebody who has no access to the rest,
// and a Reader reads it while it is being written.
//
// The package knows neither policies nor telemetry. It stores what it is given:
// digests of arguments, never arguments.
package evidence
