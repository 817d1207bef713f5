// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"math"
	"strconv"
)

// exactDigits is how many decimal digits survive in a double whatever they are.
const exactDigits = 15

// A numberShape is how a number is written: how many digits each part has.
type numberShape struct {
	whole, fraction, exponent int
}

// number reads the number at i. Only its shape is looked at, unless that leaves
// open whether a double holds it.
func (r *reader) number(i int, n node) int {
	shape, end := r.numberShape(i)
	if end == failed {
		return failed
	}
	text := r.text[i:end]
	// Below 10^200 with an exponent up to 99 nothing is out of range.
	if shape.whole > 200 || shape.exponent > 2 {
		if f := parseDouble(text); math.IsInf(f, 0) {
			return r.outOfRange(i, end)
		}
	}
	n.kind, n.val = KindNumber, span{uint32(i), uint32(end - i)}
	if shape.canonical(text) {
		n.flags |= canonicalText
	}
	r.scalar(n)
	return end
}

// canonical reports that text, of shape s, is its own canonical form. It knows
// integers and short fractions: few enough digits to come back from a double as
// they are, none to leave out, and no magnitude that ECMAScript writes with an
// exponent.
func (s numberShape) canonical(text string) bool {
	switch {
	case s.exponent > 0 || s.whole+s.fraction > exactDigits:
		return false
	case s.fraction == 0:
		return text != "-0"
	}
	return s.fraction <= 6 && text[len(text)-1] != '0'
}

// outOfRange fails at the number between i and end. In a text that ends there
// the number may be the beginning of another one.
func (r *reader) outOfRange(i, end int) int {
	if end == len(r.text) && r.depth > 0 {
		return r.unexpected(end)
	}
	return r.fail(FaultNumberRange, i)
}

// numberShape finds the end of the number at i.
func (r *reader) numberShape(i int) (s numberShape, end int) {
	if r.text[i] == '-' {
		i++
	}
	end = r.skipDigits(i)
	s.whole = end - i
	switch {
	case s.whole == 0:
		return s, r.unexpected(i)
	case s.whole > 1 && r.text[i] == '0':
		return s, r.unexpected(i + 1)
	}
	if r.peek(end) == '.' {
		i = end + 1
		end = r.skipDigits(i)
		if s.fraction = end - i; s.fraction == 0 {
			return s, r.unexpected(i)
		}
	}
	if r.peek(end)|0x20 == 'e' {
		i = end + 1
		if c := r.peek(i); c == '+' || c == '-' {
			i++
		}
		end = r.skipDigits(i)
		if s.exponent = end - i; s.exponent == 0 {
			return s, r.unexpected(i)
		}
	}
	return s, end
}

func (r *reader) skipDigits(i int) int {
	for i < len(r.text) && r.text[i]-'0' <= 9 {
		i++
	}
	return i
}

// AppendNumber appends f as ECMAScript prints it, the form of RFC 8785 section
// 3.2.2.3. f is finite; another f is written as null, as JSON.stringify does.
func AppendNumber(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case abs < 1e15 && f == math.Trunc(f): // -0 too: it is written as 0
		return strconv.AppendInt(dst, int64(f), 10)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// strconv pads the exponent to two digits: e-07 is e-7 here.
	if n := len(dst); dst[n-2] == '0' && dst[n-3] == '-' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
