// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// The parameters of Punycode (RFC 3492).
const (
	punyBase    = 36
	punyTMin    = 1
	punyTMax    = 26
	punySkew    = 38
	punyDamp    = 700
	punyBias    = 72
	punyInitial = 128
)

const punyDigits = "abcdefghijklmnopqrstuvwxyz0123456789"

// punyThreshold is the smallest digit that goes on, at position k.
func punyThreshold(k, bias int) int { return min(max(k-bias, punyTMin), punyTMax) }

func punyAdapt(delta, points int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > (punyBase-punyTMin)*punyTMax/2; k += punyBase {
		delta /= punyBase - punyTMin
	}
	return k + (punyBase-punyTMin+1)*delta/(delta+punySkew)
}

// fromPunycode decodes what follows xn-- in a label.
func fromPunycode(s string) ([]rune, bool) {
	var out []rune
	if i := strings.LastIndexByte(s, '-'); i >= 0 {
		out, s = []rune(s[:i]), s[i+1:]
	}
	n, bias, at := punyInitial, punyBias, 0
	for s != "" {
		before, weight := at, 1
		for k := punyBase; ; k += punyBase {
			if s == "" {
				return nil, false
			}
			digit := strings.IndexByte(punyDigits, s[0])
			s = s[1:]
			if digit < 0 || digit > (math.MaxInt32-at)/weight {
				return nil, false
			}
			at += digit * weight
			t := punyThreshold(k, bias)
			if digit < t {
				break
			}
			if weight *= punyBase - t; weight > math.MaxInt32 {
				return nil, false
			}
		}
		points := len(out) + 1
		bias = punyAdapt(at-before, points, before == 0)
		n += at / points
		at %= points
		if n > unicode.MaxRune {
			return nil, false
		}
		out = slices.Insert(out, at, rune(n))
		at++
	}
	return out, len(out) > 0
}

// toPunycode encodes a label, without xn--.
func toPunycode(label []rune) string {
	var b strings.Builder
	for _, r := range label {
		if r < punyInitial {
			b.WriteRune(r)
		}
	}
	basic := b.Len()
	if basic > 0 {
		b.WriteByte('-')
	}
	n, delta, bias := punyInitial, 0, punyBias
	for done := basic; done < len(label); n, delta = n+1, delta+1 {
		next := math.MaxInt32
		for _, r := range label {
			if int(r) >= n {
				next = min(next, int(r))
			}
		}
		delta += (next - n) * (done + 1)
		n = next
		for _, r := range label {
			if int(r) < n {
				delta++
			}
			if int(r) != n {
				continue
			}
			writePuny(&b, delta, bias)
			bias = punyAdapt(delta, done+1, done == basic)
			delta = 0
			done++
		}
	}
	return b.String()
}

// writePuny writes delta as a number of variable length.
func writePuny(b *strings.Builder, delta, bias int) {
	for k := punyBase; ; k += punyBase {
		t := punyThreshold(k, bias)
		if delta < t {
			b.WriteByte(punyDigits[delta])
			return
		}
		b.WriteByte(punyDigits[t+(delta-t)%(punyBase-t)])
		delta = (delta - t) / (punyBase - t)
	}
}
