// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A testCase is one input of an area: documents, which can be made smaller, and
// plain values.
type testCase struct {
	docs  map[string]*node  // given as JSON texts
	raw   map[string]string // given as bytes, in base64
	texts map[string]string
	ints  map[string]int64

	// absent documents are left out of the request.
	absent map[string]bool
}

func newCase() *testCase {
	return &testCase{map[string]*node{}, map[string]string{}, map[string]string{}, map[string]int64{}, map[string]bool{}}
}

func (c *testCase) clone() *testCase {
	out := &testCase{map[string]*node{}, maps.Clone(c.raw), maps.Clone(c.texts), maps.Clone(c.ints), maps.Clone(c.absent)}
	for name, n := range c.docs {
		out.docs[name] = n.clone()
	}
	return out
}

// doc returns a document as it is given.
func (c *testCase) doc(name string) string { return c.docs[name].String() }

// breakable are the areas in which the other program breaks on documents that
// are not JSON, instead of an answer.
var breakable = []string{"sequence", "row", "verify_row", "bundle"}

// takeable leaves out of a case what an area's question cannot have.
func (c *testCase) takeable(op string) *testCase {
	if slices.Contains(breakable, op) {
		for _, n := range c.docs {
			n.walk("", func(_ string, n *node) {
				if n.kind == canon.KindNumber && strings.HasSuffix(n.text, "1e400") {
					n.text = "7"
				}
			})
		}
	}
	return c
}

// values are documents that are given as JSON values, not as texts.
var values = map[string]bool{"evidence": true, "verdicts": true, "orders": true, "events": true, "decisions": true}

// request returns what the other program is asked.
func (c *testCase) request(op string) map[string]any {
	r := map[string]any{"op": op}
	for name, n := range c.docs {
		switch {
		case c.absent[name]:
		case values[name]:
			r[name] = rawJSON(n.String())
		default:
			r[name] = n.String()
		}
	}
	for name, text := range c.raw {
		r[name+"_b64"] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	for name, text := range c.texts {
		r[name] = text
	}
	for name, n := range c.ints {
		r[name] = n
	}
	return r
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// smaller calls try with cases that are a little smaller than c, until one is
// taken, which it returns. It returns nil when none is.
func (c *testCase) smaller(try func(*testCase) bool) *testCase {
	for _, name := range slices.Sorted(maps.Keys(c.docs)) {
		if s := c.smallerDoc(name, try); s != nil {
			return s
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.texts)) {
		for _, shorter := range shorten(c.texts[name]) {
			s := c.clone()
			s.texts[name] = shorter
			if try(s) {
				return s
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.raw)) {
		shorten := shortenBytes
		if name == "policy" {
			shorten = shortenLines
		}
		for _, shorter := range shorten(c.raw[name]) {
			s := c.clone()
			s.raw[name] = shorter
			if try(s) {
				return s
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.ints)) {
		if c.ints[name] != 0 {
			s := c.clone()
			s.ints[name] = 0
			if try(s) {
				return s
			}
		}
	}
	return nil
}

// smallerDoc makes one document smaller, at any place in it.
func (c *testCase) smallerDoc(name string, try func(*testCase) bool) *testCase {
	places := 0
	c.docs[name].walk("", func(string, *node) { places++ })
	for at := range places {
		for step := 0; ; step++ {
			s := c.clone()
			changed, more := shrinkAt(s.docs[name], at, step)
			if !more {
				break
			}
			if changed && try(s) {
				return s
			}
		}
	}
	return nil
}

// shrinkAt changes the value with index at, in the order of walk, in one of
// several ways. It reports whether it did, and whether there are ways left.
func shrinkAt(root *node, at, step int) (changed, more bool) {
	var n *node
	i := 0
	root.walk("", func(_ string, v *node) {
		if i == at {
			n = v
		}
		i++
	})
	switch {
	case step < len(n.items): // drop one
		n.items = slices.Delete(n.items, step, step+1)
		if len(n.keys) > 0 {
			n.keys = slices.Delete(n.keys, step, step+1)
		}
		return true, true
	case step < 2*len(n.items): // put one in the place of the whole
		*n = *n.items[step-len(n.items)]
		return true, true
	}
	step -= 2 * len(n.items)
	if ways := shorten(n.text); len(n.items) == 0 && len(n.keys) == 0 && n.text != "" && step < len(ways)+1 {
		if step == len(ways) {
			*n = *null()
			return true, true
		}
		if n.kind != str("").kind {
			return false, true
		}
		n.text = ways[step]
		return true, true
	}
	return false, false
}

// shorten returns shorter texts.
func shorten(s string) []string {
	r := []rune(s)
	if len(r) == 0 {
		return nil
	}
	ways := []string{""}
	for i := range min(len(r), 40) {
		ways = append(ways, string(slices.Delete(slices.Clone(r), i, i+1)))
	}
	return ways
}

func shortenBytes(s string) []string {
	var ways []string
	if len(s) > 1 {
		ways = append(ways, s[:len(s)/2], s[len(s)/2:])
	}
	for i := range min(len(s), 60) {
		ways = append(ways, s[:i]+s[i+1:])
	}
	return ways
}

// shortenLines leaves out a line, or a word of one: single bytes would make
// another text of it, one that differs for reasons of its own.
func shortenLines(s string) []string {
	var ways []string
	for _, by := range []string{"\n", " "} {
		parts := strings.Split(s, by)
		for i := range parts {
			ways = append(ways, strings.Join(slices.Delete(slices.Clone(parts), i, i+1), by))
		}
	}
	return ways
}
