// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"math"
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// appendCompact appends the compact JSON text that args_match searches (spec
// section 10): members in written order, integers as they are, other numbers
// as the shortest text of their double. It is not the canonical text, which
// sorts members and prints numbers otherwise.
func appendCompact(dst []byte, n canon.Node) []byte {
	switch n.Kind() {
	case canon.KindNull:
		return append(dst, "null"...)
	case canon.KindBool:
		return strconv.AppendBool(dst, n.Bool())
	case canon.KindNumber:
		return appendNumber(dst, n)
	case canon.KindString:
		return canon.AppendString(dst, n.Str())
	case canon.KindArray:
		return append(appendElements(append(dst, '['), n), ']')
	case canon.KindObject:
		return append(appendElements(append(dst, '{'), n), '}')
	default:
		return dst
	}
}

func appendElements(dst []byte, n canon.Node) []byte {
	named, first := n.Kind() == canon.KindObject, true
	for key, value := range n.All() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if named {
			dst = append(canon.AppendString(dst, key), ':')
		}
		dst = appendCompact(dst, value)
	}
	return dst
}

// appendNumber keeps an integer that 64 bits hold, signed or not. -0 is none:
// only a double has it.
func appendNumber(dst []byte, n canon.Node) []byte {
	text := n.Number()
	if isInteger64(text) {
		return append(dst, text...)
	}
	return appendDouble(dst, n.Float())
}

func isInteger64(text string) bool {
	if text == "-0" || strings.ContainsAny(text, ".eE") {
		return false
	}
	var err error
	if text[0] == '-' {
		_, err = strconv.ParseInt(text, 10, 64)
	} else {
		_, err = strconv.ParseUint(text, 10, 64)
	}
	return err == nil
}

// appendDouble writes the shortest text of f: with a decimal point for
// 1e-5 <= |f| < 1e16, else with an exponent of no leading zeros.
func appendDouble(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs != 0 && (abs < 1e-5 || abs >= 1e16) {
		return trimExponent(strconv.AppendFloat(dst, f, 'e', -1, 64))
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// trimExponent drops the zero that strconv puts before an exponent of one
// digit.
func trimExponent(dst []byte) []byte {
	if n := len(dst); n >= 2 && dst[n-2] == '0' && (dst[n-3] == '+' || dst[n-3] == '-') {
		dst[n-2] = dst[n-1]
		return dst[:n-1]
	}
	return dst
}
