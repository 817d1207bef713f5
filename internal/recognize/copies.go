// SPDX-License-Identifier: Apache-2.0

package recognize

// An attribute key can occur twice on a span, with different values. Which of
// them another reader sees is not known, so what selects calls looks at both:
// a call that either shows is taken, and marked with ConflictRepeatedKey.

// copies says of how many copies of a repeated key a condition must hold.
type copies uint8

const (
	anyCopy copies = iota + 1
	everyCopy
)

// isRepeated reports whether the key of slot occurs with different values.
func (v *view) isRepeated(slot uint16) bool {
	return v.repeated[slot>>6]&(1<<(slot&63)) != 0
}

// holdsCopies asks a condition on an attribute of the copies of its key, which
// is repeated. It walks the span again, which only such spans pay for.
func (v *view) holdsCopies(p *condition, which copies) bool {
	for key, value := range v.span.Attributes().All() {
		if key != v.r.keys[p.slot] {
			continue
		}
		if holds := p.fits(plainText(value), true); holds == (which == anyCopy) {
			return holds
		}
	}
	return which == everyCopy
}

// inDoubt reports whether a veto would hold if another copy of a repeated key
// were the one to believe.
func (n *reading) inDoubt() bool {
	for i := range n.r.vetoes {
		if n.holdsAll(n.r.vetoes[i].when, anyCopy) {
			return true
		}
	}
	return false
}
