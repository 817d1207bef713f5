// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"math"
	"strconv"
)

// exactDigits is how many decimal digits every integer of that length survives
// in a double, and in which ECMAScript prints it as it is written.
const exactDigits = 15

// A numberShape is how a number is written.
type numberShape struct {
	whole, exponent int  // how many digits
	fraction        bool // it has a decimal point
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
	if shape.whole <= exactDigits && !shape.fraction && shape.exponent == 0 && text != "-0" {
		n.flags |= shortInteger
	}
	r.scalar(n)
	return end
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
		s.fraction = true
		i, end = end+1, r.skipDigits(end+1)
		if end == i {
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
