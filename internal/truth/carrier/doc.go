// SPDX-License-Identifier: Apache-2.0

// Package carrier holds the formats in which a decision becomes evidence: the
// carrier, the recipe row that cites it, the event envelope around both, the
// bundle of events, and the lossy projection for trace viewers (spec sections
// 7, 9, 11 and 12).
//
// It is pure: it reads from an io.Reader, writes to an io.Writer, and knows
// neither files nor clocks nor policies. Each format has one encoder and one
// strict decoder; what the encoder writes the decoder accepts, and each refusal
// is a FaultError with a word of a closed vocabulary and the field it concerns.
//
// That a record verifies says that it is the record its digests name and that
// its parts agree. It does not say that the call took place, nor that the
// verdict was derived from the policy: only judging again shows that.
package carrier
