// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"math"
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A scalar is what a scalar of the document means.
type scalar struct {
	kind canon.Kind
	str  string
}

var null = scalar{kind: canon.KindNull}

// plain returns the meaning of an untagged plain scalar (spec section 2): what
// is not null, a boolean or a number is a string. The only plain scalar that is
// refused is an integer that 64 bits do not hold.
func plain(text string) (s scalar, ok bool) {
	if text == "" || isNull(text) {
		return null, true
	}
	if b := boolean(text); b != "" {
		return scalar{canon.KindBool, b}, true
	}
	if digits, integer := integerToken(text); integer {
		n, ok := parseInteger(digits)
		return scalar{canon.KindNumber, n}, ok
	}
	if s, ok := parseFloat(text); ok && !decimal(strings.TrimLeft(text, "+-")) {
		return s, true
	}
	return scalar{canon.KindString, text}, true
}

// tagged returns the meaning of a scalar under one of the four tags that force
// a kind, quoted or not, and false when it is not of that kind.
func tagged(tag, text string) (scalar, bool) {
	switch tag {
	case "!!null":
		return null, isNull(text)
	case "!!bool":
		b := boolean(text)
		return scalar{canon.KindBool, b}, b != ""
	case "!!int":
		digits, integer := integerToken(text)
		if !integer {
			return scalar{}, false
		}
		n, ok := parseInteger(digits)
		return scalar{canon.KindNumber, n}, ok
	case "!!float":
		return parseFloat(text)
	}
	return scalar{canon.KindString, text}, true
}

func isNull(text string) bool {
	switch text {
	case "null", "Null", "NULL", "~":
		return true
	}
	return false
}

// boolean returns true or false for a boolean, otherwise nothing.
func boolean(text string) string {
	switch text {
	case "true", "True", "TRUE":
		return "true"
	case "false", "False", "FALSE":
		return "false"
	}
	return ""
}

// An integer is an integer token apart.
type integer struct {
	negative bool
	base     int
	digits   string
}

// integerToken splits text if it is an integer: decimal without leading zeros,
// or 0x, 0o or 0b. A zero before other digits makes a string, not an octal.
func integerToken(text string) (integer, bool) {
	n := integer{base: 10, digits: text}
	switch {
	case strings.HasPrefix(text, "-"):
		n.negative, n.digits = true, text[1:]
	case strings.HasPrefix(text, "+"):
		n.digits = text[1:]
	}
	if len(n.digits) > 2 && n.digits[0] == '0' {
		switch n.digits[1] {
		case 'x':
			n.base, n.digits = 16, n.digits[2:]
		case 'o':
			n.base, n.digits = 8, n.digits[2:]
		case 'b':
			n.base, n.digits = 2, n.digits[2:]
		default:
			return n, false
		}
	}
	if n.digits == "" || n.base == 10 && len(n.digits) > 1 && n.digits[0] == '0' {
		return n, false
	}
	for _, c := range []byte(n.digits) {
		if digitValue(c) >= n.base {
			return n, false
		}
	}
	return n, true
}

func digitValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return math.MaxInt
}

// parseInteger returns n in decimal if 64 bits hold it, signed or not.
func parseInteger(n integer) (string, bool) {
	u, err := strconv.ParseUint(n.digits, n.base, 64)
	switch {
	case err != nil:
		return "", false
	case !n.negative || u == 0:
		return strconv.FormatUint(u, 10), true
	case u > -math.MinInt64:
		return "", false
	}
	return "-" + strconv.FormatUint(u, 10), true
}

// parseFloat returns the meaning of a number with a point or an exponent. A
// number that no finite double holds is none, and stays text; the infinities
// and not-a-number become null, which is all that JSON has for them.
func parseFloat(text string) (scalar, bool) {
	switch strings.TrimPrefix(text, "+") {
	case ".inf", ".Inf", ".INF":
		return null, true
	}
	switch text {
	case "-.inf", "-.Inf", "-.INF", ".nan", ".NaN", ".NAN":
		return null, true
	}
	if !floatToken(text) {
		return scalar{}, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return scalar{}, false
	}
	return scalar{canon.KindNumber, floatText(f)}, true
}

// floatToken reports whether text is a decimal number, in which the point may
// also be first or last.
func floatToken(text string) bool {
	text = strings.TrimLeft(text[:min(1, len(text))], "+-") + text[min(1, len(text)):]
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
		if exponent != "" && strings.Contains("+-", exponent[:1]) {
			exponent = exponent[1:]
		}
		if !decimal(exponent) || exponent == "" {
			return false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return decimal(whole) && decimal(fraction) && whole+fraction != ""
}

func decimal(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// floatText writes f so that it shows that it is no integer token.
func floatText(f float64) string {
	if f == 0 {
		return "0.0"
	}
	text := string(canon.AppendNumber(nil, f))
	if strings.ContainsAny(text, ".e") {
		return text
	}
	return text + ".0"
}
