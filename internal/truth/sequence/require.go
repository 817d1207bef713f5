// SPDX-License-Identifier: Apache-2.0

package sequence

// requireRule holds once some call matched. It takes no lenient view of a
// partial run: until then it is violated.
type requireRule struct{ tool int }

func (r requireRule) step(_ *cell, in symbol, _ int) effect {
	if in.has(r.tool) {
		return keep
	}
	return 0
}

func (r requireRule) read(c cell, _ int, _ Extent) reading {
	if c.kept == 0 {
		return violated(NeverCalled, spanNone)
	}
	return held(spanKept)
}

func (r requireRule) sound(c cell, _ int) bool { return c.phase == 0 && c.left == 0 }
