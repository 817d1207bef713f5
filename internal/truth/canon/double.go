// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// quickDigits is how many significant digits strconv reads without falling
// back to arithmetic on decimal digits.
const quickDigits = 19

// parseDouble returns the double nearest to the JSON number text, infinite when
// it is out of range.
//
// Two kinds of numbers are kept from strconv. Those that make it fall back,
// with many digits or near the smallest double, cost it a thousand times more
// than others, which a hostile text could be full of. And it stops counting an
// exponent somewhere above 10,000, which shows where the digits make up for it:
// 10,000 zeros behind the point and then e10001.
func parseDouble(text string) float64 {
	mantissa, exponent := text, ""
	if e := strings.IndexByte(text, 'e'); e >= 0 {
		mantissa, exponent = text[:e], text[e+1:]
	} else if e := strings.IndexByte(text, 'E'); e >= 0 {
		mantissa, exponent = text[:e], text[e+1:]
	}
	if len(exponent) < len("-100") && significantDigits(mantissa) <= quickDigits {
		f, _ := strconv.ParseFloat(text, 64)
		return f
	}
	f := exactDouble(mantissa, exponent)
	if mantissa[0] == '-' {
		return -f
	}
	return f
}

// significantDigits returns how many digits mantissa has from its first one
// that is not zero, or a length that is quick in any case.
func significantDigits(mantissa string) int {
	if len(mantissa) <= quickDigits {
		return len(mantissa)
	}
	digits := strings.TrimLeft(mantissa, "-0.")
	if strings.IndexByte(digits, '.') >= 0 {
		return len(digits) - 1
	}
	return len(digits)
}

// exactDouble returns the double nearest to the magnitude of a number.
func exactDouble(mantissa, exponent string) float64 {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	// An exponent beyond 64 bits comes out as the largest, and no exponent
	// beyond 32 bits can be made up for by the digits of a text.
	power, _ := strconv.ParseInt(exponent, 10, 64)
	power = max(min(power, math.MaxInt32), math.MinInt32) - int64(len(fraction))
	switch below := power + int64(len(digits)); { // the number is less than 10^below
	case digits == "" || below < -330:
		return 0
	case below > 310:
		return math.Inf(1)
	}
	kept := keepDigits(digits)
	return divide(kept, int(power)+len(digits)-len(kept))
}

// keepDigits returns the digits that can matter to the nearest double. Of those
// after 800 it only matters whether there is one that is not zero.
func keepDigits(digits string) string {
	const enough = 800
	if len(digits) <= enough {
		return digits
	}
	rest := strings.TrimLeft(digits[enough:], "0")
	return digits[:enough] + rest[:min(len(rest), 1)]
}

// divide returns the double nearest to digits times 10^power. The quotient has
// two bits or more than any double, and its last bit says whether there is a
// remainder: rounding it once is exact.
func divide(digits string, power int) float64 {
	const bits = 66
	n, _ := new(big.Int).SetString(digits, 10)
	m := big.NewInt(1)
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(power, -power))), nil)
	if power < 0 {
		m = ten
	} else {
		n.Mul(n, ten)
	}
	shift := bits + m.BitLen() - n.BitLen()
	n.Lsh(n, uint(max(shift, 0)))
	m.Lsh(m, uint(max(-shift, 0)))
	q, rest := n.QuoRem(n, m, new(big.Int))
	if rest.Sign() != 0 {
		q.SetBit(q, 0, 1)
	}
	f := new(big.Float).SetInt(q)
	result, _ := f.SetMantExp(f, -shift).Float64()
	return result
}
