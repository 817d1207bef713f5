// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A number is a number as schemas compare it: an integer token of 64 bits is
// exact, anything else is its double (spec section 4).
type number struct {
	integer  bool
	negative bool // of an integer
	abs      uint64
	float    float64 // of what is no integer
}

// numberOf returns the value of a number among the arguments.
func numberOf(n canon.Node) number {
	if i, ok := parseInteger(n.Number()); ok {
		return i
	}
	return number{float: n.Float()}
}

// parseNumber returns the number that a token of the declaration stands for.
func parseNumber(text string) number {
	if i, ok := parseInteger(text); ok {
		return i
	}
	f, _ := strconv.ParseFloat(text, 64)
	return number{float: f}
}

// parseInteger returns the integer of 64 bits that a token stands for. Minus
// zero is a double, for want of an integer that is it.
func parseInteger(text string) (number, bool) {
	abs, negative := strings.CutPrefix(text, "-")
	u, ok := parseUint(abs)
	if !ok || negative && (u == 0 || u > 1<<63) {
		return number{}, false
	}
	return number{integer: true, negative: negative, abs: u}, true
}

// parseUint reads an unsigned integer token.
func parseUint(text string) (uint64, bool) {
	if len(text) == 0 || len(text) > 20 {
		return 0, false
	}
	if len(text) < 19 {
		n := uint64(0)
		for i := range len(text) {
			c := text[i] - '0'
			if c > 9 {
				return 0, false
			}
			n = n*10 + uint64(c)
		}
		return n, true
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil
}

// whole reports whether n is mathematically an integer.
func (n number) whole() bool { return n.integer || n.float == math.Trunc(n.float) }

// compare compares exactly.
func (n number) compare(m number) int {
	switch {
	case n.integer && m.integer:
		if n.negative != m.negative {
			return sign(n.negative, 1)
		}
		return sign(n.negative, cmp.Compare(n.abs, m.abs))
	case n.integer:
		return n.compareFloat(m.float)
	case m.integer:
		return -m.compareFloat(n.float)
	}
	return cmp.Compare(n.float, m.float)
}

// sign returns order, or its opposite among negative numbers.
func sign(negative bool, order int) int {
	if negative {
		return -order
	}
	return order
}

// compareFloat compares the integer n with a double.
func (n number) compareFloat(f float64) int {
	if n.negative != (f < 0) && (n.abs != 0 || f != 0) {
		return sign(n.negative, 1)
	}
	abs := math.Abs(f)
	if abs >= 1<<64 {
		return sign(n.negative, -1)
	}
	floor := math.Floor(abs)
	order := cmp.Compare(n.abs, uint64(floor))
	if order == 0 && abs > floor {
		order = -1
	}
	return sign(n.negative, order)
}

// A decimal is digits times ten to the power of exponent.
type decimal struct {
	digits   *big.Int
	exponent int
}

// decimal returns n as it is printed: the shortest digits that mean it.
func (n number) decimal() decimal {
	if n.integer {
		return decimal{new(big.Int).SetUint64(n.abs), 0}
	}
	text := strconv.FormatFloat(math.Abs(n.float), 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, _ := new(big.Int).SetString(whole+fraction, 10)
	e, _ := strconv.Atoi(exponent)
	return decimal{digits, e - len(fraction)}
}

// multipleOf reports whether n is a whole number of times m. Where m is whole
// the remainder tells, of integers exactly, of doubles by their value. Where it
// is not, their decimal digits do: 0.07 is 7 times 0.01, whatever the doubles
// are.
func (n number) multipleOf(m number) bool {
	switch {
	case n.integer && m.integer:
		return m.abs != 0 && n.abs%m.abs == 0
	case m.whole():
		return math.Mod(n.double(), m.double()) == 0
	}
	a, b := n.decimal(), m.decimal()
	low := min(a.exponent, b.exponent)
	x, y := a.scaled(low), b.scaled(low)
	return y.Sign() != 0 && x.Rem(x, y).Sign() == 0
}

// double returns the double nearest to the size of n.
func (n number) double() float64 {
	if n.integer {
		return float64(n.abs)
	}
	return math.Abs(n.float)
}

// scaled returns d as a multiple of ten to the power of exponent.
func (d decimal) scaled(exponent int) *big.Int {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.exponent-exponent)), nil)
	return power.Mul(power, d.digits)
}
