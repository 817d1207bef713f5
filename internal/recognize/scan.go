// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"math/bits"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A scanner is what one pass over the attributes of a span needs: which keys
// select dialects by their value, and which beginnings of keys matter. Most
// keys are told apart by their first eight bytes and one load.
type scanner struct {
	heads    [1 << headBits]headUse
	mult     uint64
	index    [1 << scanBits]uint8 // place of a key to its trigger, from 1
	triggers []trigger
	names    nameTriggers
}

// A headUse says what keys that begin with the same eight bytes, or with
// others that share their place, may be.
type headUse uint8

const (
	headOfTrigger headUse = 1 << iota
	headOfPrefix
)

const (
	scanBits = 10
	headBits = 11
	headMult = 0x9e3779b97f4a7c15
)

func headPlace(head uint64) uint64 { return head * headMult >> (64 - headBits) }

// place hashes a key of n bytes by its first and last eight.
func (s *scanner) place(head, tail uint64, n int) uint64 {
	return ((tail ^ bits.RotateLeft64(head, 29)) + uint64(n)) * s.mult >> (64 - scanBits)
}

// A trigger is a key that selects dialects by its value, or by being there, or
// holds messages.
type trigger struct {
	key     string
	seen    Seen
	present dialectSet
	values  []triggerValue
}

type triggerValue struct {
	value    string
	dialects dialectSet
}

// prefixes are the beginnings of keys that a pass looks for.
var prefixes = []string{reservedPrefix, reservedKey, messagePrefixes[0], messagePrefixes[1], messagePrefixes[2]}

// scan is the one pass: which dialects may hold, and what else is there.
func (s *scanner) scan(sp ptrace.Span) (candidates dialectSet, seen Seen) {
	for key, value := range sp.Attributes().All() {
		n := len(key)
		if n < 8 {
			continue
		}
		head := eight(key)
		use := s.heads[headPlace(head)]
		if use == 0 {
			continue
		}
		if use&headOfPrefix != 0 {
			seen |= begun(key)
		}
		if i := s.index[s.place(head, eight(key[n-8:]), n)]; i != 0 {
			seen |= s.triggers[i-1].hit(key, value, &candidates)
		}
	}
	s.names.hit(sp.Name(), &candidates)
	return candidates, seen
}

// begun looks at a key whose first eight bytes may be those of a known
// beginning.
func begun(key string) Seen {
	switch {
	case Reserved(key):
		return SeenReserved
	case strings.HasPrefix(key, messagePrefixes[0]), strings.HasPrefix(key, messagePrefixes[1]), strings.HasPrefix(key, messagePrefixes[2]):
		return SeenMessages
	}
	return 0
}

// Reserved reports whether key belongs to the namespace that only this
// project writes, and is to be stripped wherever it comes in.
func Reserved(key string) bool { return strings.HasPrefix(key, reservedPrefix) || key == reservedKey }

func (t *trigger) hit(key string, v pcommon.Value, candidates *dialectSet) Seen {
	if t.key != key {
		return 0
	}
	if t.present.any() {
		candidates.merge(t.present)
	}
	if len(t.values) > 0 && v.Type() == pcommon.ValueTypeStr {
		s := v.Str()
		for i := range t.values {
			if t.values[i].value == s {
				candidates.merge(t.values[i].dialects)
			}
		}
	}
	return t.seen
}

// build chooses a multiplier under which no two triggers share a place.
func (s *scanner) build() error {
	for _, prefix := range prefixes {
		s.heads[headPlace(eight(prefix))] |= headOfPrefix
	}
	for _, t := range s.triggers {
		s.heads[headPlace(eight(t.key))] |= headOfTrigger
	}
	for try := range uint64(1 << 16) {
		s.mult = (try*2 + 1) * headMult
		if s.fill() {
			return nil
		}
	}
	return errKeysAlike
}

func (s *scanner) fill() bool {
	s.index = [1 << scanBits]uint8{}
	for i, t := range s.triggers {
		n := len(t.key)
		p := &s.index[s.place(eight(t.key), eight(t.key[n-8:]), n)]
		if *p != 0 {
			return false
		}
		*p = uint8(i + 1)
	}
	return true
}

// trigger returns the trigger of key, a new one for a new key.
func (s *scanner) trigger(key string) *trigger {
	for i := range s.triggers {
		if s.triggers[i].key == key {
			return &s.triggers[i]
		}
	}
	s.triggers = append(s.triggers, trigger{key: key})
	return &s.triggers[len(s.triggers)-1]
}

// add makes dialect a candidate where p, about an attribute or about the span's
// name, holds.
func (s *scanner) add(p Predicate, dialect int) {
	for _, pattern := range p.Span {
		s.names.add(pattern, dialect)
	}
	if p.Attr == "" {
		return
	}
	t := s.trigger(p.Attr)
	if len(p.In) == 0 {
		t.present.add(dialect)
	}
	for _, value := range p.In {
		t.add(value, dialect)
	}
}

func (t *trigger) add(value string, dialect int) {
	for i := range t.values {
		if t.values[i].value == value {
			t.values[i].dialects.add(dialect)
			return
		}
	}
	v := triggerValue{value: value}
	v.dialects.add(dialect)
	t.values = append(t.values, v)
}

// nameTriggers are the dialects that a span's name selects.
type nameTriggers struct {
	byFirst [256][]namePattern
	bySuf   []namePattern
	sufLast [256]bool
}

type namePattern struct {
	text     string
	open     bool // more may follow, or stand before
	dialects dialectSet
}

func (n *nameTriggers) hit(name string, candidates *dialectSet) {
	if name == "" {
		return
	}
	for i := range n.byFirst[name[0]] {
		p := &n.byFirst[name[0]][i]
		if name == p.text || p.open && strings.HasPrefix(name, p.text) {
			candidates.merge(p.dialects)
		}
	}
	if n.sufLast[name[len(name)-1]] {
		for i := range n.bySuf {
			if strings.HasSuffix(name, n.bySuf[i].text) {
				candidates.merge(n.bySuf[i].dialects)
			}
		}
	}
}

func (n *nameTriggers) add(pattern string, dialect int) {
	p := namePattern{text: strings.Trim(pattern, "*"), open: strings.Contains(pattern, "*")}
	p.dialects.add(dialect)
	if strings.HasPrefix(pattern, "*") {
		n.bySuf = append(n.bySuf, p)
		n.sufLast[p.text[len(p.text)-1]] = true
		return
	}
	list := &n.byFirst[p.text[0]]
	for i := range *list {
		if (*list)[i].text == p.text && (*list)[i].open == p.open {
			(*list)[i].dialects.add(dialect)
			return
		}
	}
	*list = append(*list, p)
}
