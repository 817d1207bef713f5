// SPDX-License-Identifier: Apache-2.0

// Package canon reads JSON strictly, writes it canonically (RFC 8785), and
// makes the digests of spec sections 3 and 4.
//
// One reader decides what is a usable JSON text, and it runs before anything
// is canonicalized, compared or hashed, so that two readers can never differ
// about a text that has a digest.
package canon
