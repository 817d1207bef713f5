// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A gen makes random inputs. Equal seeds make equal inputs.
type gen struct {
	*rand.Rand
	keywords map[string]keywordGen
}

func newGen(seed, iteration uint64) *gen {
	return &gen{rand.New(rand.NewPCG(seed, iteration)), keywordGens()}
}

// chance is true once in n times.
func (g *gen) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *gen, from []T) T { return from[g.IntN(len(from))] }

// some returns a few of from, in order.
func some[T any](g *gen, from []T) []T {
	var out []T
	for _, v := range from {
		if g.chance(2) {
			out = append(out, v)
		}
	}
	return out
}

// The words from which names are made. They are few, so that they meet.
var (
	toolNames = []string{"read", "read_file", "read_all_file", "send", "send_mail", "pay", "wipe", "wipe_all", "a", "ab", "A", "*", "", "é", "$defs", "日本"}
	patterns  = []string{
		"read", "read_*", "*_file", "*ea*", "*", "**", "***", "a*b", "read_*_file", "", "*wipe", "send*", "**read**", "é*", "*本", "pay", "A", "a",
	}
	classes    = []string{"net", "fs", "money", "NET", ""}
	argNames   = []string{"a", "b", "c", "path", "to", "amount", "é", "aa"}
	secretLike = []string{
		"token", "Access_Token", "api-key", "API KEY", "passWord", "pass wd", "secret", "Client-Secret", "authorization", "credentials",
		"private_key", "to\u212Aen", "tokens", "my_token", "secret\u00A0key", "K\u0131nd", "toKen", "\u017Fecret", "se__cret", "id token",
	}
)

// numbers that are hard to write, to round or to compare.
var oddNumbers = []string{
	"0", "-0", "-0.0", "1", "1.0", "1e0", "10", "1e2", "0.1", "-1", "1e21", "1e-7", "123456789012345680000", "9007199254740991", "9007199254740992",
	"9007199254740993", "-9007199254740993", "18446744073709551615", "18446744073709551616", "9223372036854775807", "-9223372036854775808",
	"1.7976931348623157e308", "5e-324", "2.2250738585072014e-308", "1e-400", "0.30000000000000004", "333333333.33333329", "1E30", "4.50", "2e-3", "1e23",
	"0.000001", "0.0000001", "1e+5", "100", "3", "2.5", "1e400", "-1e400",
}

func (g *gen) number() *node {
	switch g.IntN(4) {
	case 0:
		return num(strconv.Itoa(g.IntN(20) - 5))
	case 1:
		return num(string(canon.AppendNumber(nil, math.Float64frombits(g.finite()))))
	default:
		n := pick(g, oddNumbers)
		if (n == "1e400" || n == "-1e400") && !g.chance(8) {
			n = "7"
		}
		return num(n)
	}
}

// finite returns the bits of a double that is a number.
func (g *gen) finite() uint64 {
	for {
		if bits := g.Uint64(); !math.IsNaN(math.Float64frombits(bits)) && !math.IsInf(math.Float64frombits(bits), 0) {
			return bits
		}
	}
}

var runes = []rune("abzAZ019 _-*\"\\/\n\t\u0000\u001f\u007f\u0085\u00a0éßİıſK\u2028\u2029\ud7ff\ue000\ufffd\uffff𝄞😀")

func (g *gen) text() string {
	if g.chance(3) {
		return pick(g, []string{"", "a", "abc", "read", "ana@example.test", "2026-01-02", "x y", "1", "true", "null"})
	}
	out := make([]rune, g.IntN(6))
	for i := range out {
		out[i] = pick(g, runes)
	}
	return string(out)
}

// value returns a JSON value at most depth containers deep.
func (g *gen) value(depth int) *node {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch g.IntN(kinds) {
	case 0:
		return null()
	case 1:
		return boolean(g.chance(2))
	case 2:
		return g.number()
	case 3:
		return str(g.text())
	case 4:
		list := arr()
		for range g.IntN(4) {
			list.items = append(list.items, g.value(depth-1))
		}
		return list
	}
	return g.object(depth)
}

// object returns an object whose names are those of arguments and of secrets.
// Rarely it repeats one.
func (g *gen) object(depth int) *node {
	o := obj()
	for range g.IntN(5) {
		key := pick(g, argNames)
		switch g.IntN(6) {
		case 0:
			key = pick(g, secretLike)
		case 1:
			key = g.text()
		}
		v := g.value(max(depth-1, 0))
		if g.chance(60) && len(o.keys) > 0 {
			o.keys, o.items = append(o.keys, o.keys[0]), append(o.items, v)
			continue
		}
		o.put(key, v)
	}
	return o
}

func (g *gen) keyHex() string {
	key := make([]byte, g.IntN(80))
	for i := range key {
		key[i] = byte(g.IntN(256))
	}
	return hex.EncodeToString(key)
}

func (g *gen) keyID() string {
	return pick(g, []string{"kid", "k", "A.b_c-9", "prod-2026", "", "a:b", "é", "a b", "kid"})
}

// texts returns a list of some of from, sometimes null or with one twice.
func (g *gen) list(from []string) *node {
	if g.chance(8) {
		return null()
	}
	list := arr()
	for range g.IntN(4) {
		list.items = append(list.items, str(pick(g, from)))
	}
	return list
}

var (
	identities  = []string{"present", "absent", "required_missing", "invalid", "present", "absent", "", "PRESENT", "unknown"}
	sources     = []string{"authoritative_boundary", "reported_trace", "inferred", "reported_trace", "", "guess"}
	results     = []string{"ok", "error", "n/a", "ok", "", "failed"}
	verdictList = []string{"match", "incomplete", "mismatch", "invalid", "match", "Match", "", "allow"}
)

// evidence returns what is known beside a call, nil for nothing.
func (g *gen) evidence() *node {
	if g.chance(3) {
		return null()
	}
	e := obj()
	if g.chance(2) {
		list := arr()
		for _, c := range some(g, classes) {
			list.items = append(list.items, str(c))
		}
		e.put("tool_classes", list)
	}
	for _, fact := range some(g, []string{"approval_obtained", "scope_satisfied", "redaction_applied"}) {
		e.put(fact, boolean(g.chance(2)))
	}
	return e
}

// order returns the place of a call in its run.
func (g *gen) order() int64 {
	if g.chance(10) {
		return pick(g, []int64{1 << 53, 1<<53 + 1, -(1<<53 + 1), math.MaxInt64, math.MinInt64, -1})
	}
	return g.Int64N(20)
}
