// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"slices"
	"strings"
)

// A dialectSet is a set of dialects.
type dialectSet [2]uint64

func (b *dialectSet) add(i int)          { b[i>>6] |= 1 << (i & 63) }
func (b *dialectSet) merge(c dialectSet) { b[0] |= c[0]; b[1] |= c[1] }
func (b dialectSet) any() bool           { return b[0]|b[1] != 0 }

// maxDialects is what a set can hold. TestDialectsFit fails before it is full.
const maxDialects = 128

// compiled is a Dialect with its sources resolved to slots and ranks.
type compiled struct {
	Dialect
	when, unless       []condition
	outside            []Predicate // those of when that are not about attributes
	tool, callID, args []ranked
}

// A condition is a Predicate with the slot of the attribute that it is about.
type condition struct {
	Predicate
	slot uint16
}

// ranked is a Source with the rank that precedence gives it.
type ranked struct {
	Source
	slot uint16
	rank int
}

type compiledVeto struct {
	Veto
	when []condition
}

// ownKeys are the slots of keys that are read for their own sake.
type ownKeys struct {
	errorType, mcpSession, requestID, mime, adkResult, completion, hideInputs, scrubbed, jsonSchema, parts, mcpMethod uint16

	signals, bodies, markers []uint16
}

// orders are the keys of precedence.go that are read for every call.
type orders struct{ session, agent, attempt []uint16 }

func (r *Recognizer) compile(dialects []Dialect) {
	for i, d := range dialects {
		c := compiled{Dialect: d}
		c.tool, c.callID, c.args = r.sources(d.Tool, toolOrder), r.sources(d.CallID, callIDOrder), r.sources(d.Args, argsOrder)
		c.when, c.unless = r.conditions(d.When), r.conditions(d.Unless)
		c.outside = outsideOf(d.When)
		r.dialects = append(r.dialects, c)
		r.scanner.add(d.When[0], i)
	}
	for _, v := range Vetoes() {
		r.vetoes = append(r.vetoes, compiledVeto{v, r.conditions(v.When)})
	}
	r.orders = orders{r.slotsOf(sessionOrder), r.slotsOf(agentOrder), r.slotsOf(attemptOrder)}
	r.addOwnKeys()
	for _, key := range messageKeys {
		r.scanner.trigger(key).seen |= SeenMessages
	}
}

// outsideOf returns the predicates that an envelope alone can answer.
func outsideOf(when []Predicate) (outside []Predicate) {
	for _, p := range when {
		if p.Attr == "" && p.Same == "" {
			outside = append(outside, p)
		}
	}
	return outside
}

// addOwnKeys gives a slot to every key that is read for its own sake.
func (r *Recognizer) addOwnKeys() {
	r.own = ownKeys{
		errorType: r.slotOf(keyErrorType), mcpSession: r.slotOf(keyMCPSession), requestID: r.slotOf(keyRequestID), mime: r.slotOf(keyMIME),
		adkResult: r.slotOf(keyADKResult), completion: r.slotOf(keyCompletion), hideInputs: r.slotOf(keyHideInputs), scrubbed: r.slotOf(keyScrubbed),
		jsonSchema: r.slotOf(keyJSONSchema), parts: r.slotOf(keyParts), mcpMethod: r.slotOf(mcpMethodKey),
	}
	for _, s := range signals {
		r.own.signals = append(r.own.signals, r.slotOf(s.key))
	}
	for _, s := range bodySignals {
		r.own.bodies = append(r.own.bodies, r.slotOf(s.key))
	}
	for _, m := range markers {
		r.own.markers = append(r.own.markers, r.slotOf(m.key))
	}
}

func (r *Recognizer) conditions(predicates []Predicate) []condition {
	out := make([]condition, len(predicates))
	for i, p := range predicates {
		out[i].Predicate = p
		if key := p.Attr + p.Same; key != "" {
			out[i].slot = r.slotOf(key)
		}
	}
	return out
}

func (r *Recognizer) sources(sources []Source, order []string) []ranked {
	out := make([]ranked, 0, len(sources))
	for _, s := range sources {
		k := ranked{Source: s, rank: slices.Index(order, s.From())}
		switch {
		case s.Span != "":
			k.rank += r.patternRank(s.Span)
		case strings.HasSuffix(s.Key, "."):
			if !slices.Contains(r.flat, s.Key) {
				r.flat = append(r.flat, s.Key)
			}
		case s.Key != "" && s.Event == "":
			k.slot = r.slotOf(s.Key)
		}
		out = append(out, k)
	}
	return out
}

// patternRank orders the patterns on a span's name, which all stand at the end
// of an order: as they come, and the whole name last.
func (r *Recognizer) patternRank(pattern string) int {
	if pattern == "*" {
		return maxPatterns
	}
	if !slices.Contains(r.patterns, pattern) {
		r.patterns = append(r.patterns, pattern)
	}
	return slices.Index(r.patterns, pattern)
}

// maxPatterns is more than there are patterns on names.
const maxPatterns = 64

func (r *Recognizer) slotsOf(keys []string) []uint16 {
	out := make([]uint16, len(keys))
	for i, key := range keys {
		out[i] = r.slotOf(key)
	}
	return out
}

// slotOf returns the slot of key, a new one for a new key.
func (r *Recognizer) slotOf(key string) uint16 {
	if slot, ok := r.slots[key]; ok {
		return slot
	}
	slot := uint16(len(r.keys))
	r.slots[key] = slot
	r.keys = append(r.keys, key)
	return slot
}
