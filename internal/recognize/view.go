// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// maxSlots is how many keys a view can hold. TestDialectsFit fails before it
// is full.
const maxSlots = 192

// An envelope is what is known of a span without its attributes.
type envelope struct {
	span  ptrace.Span
	scope pcommon.InstrumentationScope
	name  string
}

// A view is a candidate span with the attributes that dialects read.
type view struct {
	envelope
	r        *Recognizer
	resource pcommon.Resource
	values   [maxSlots]pcommon.Value
	present  [maxSlots / 64]uint64
	repeated [maxSlots / 64]uint64 // keys that occur with different values
	flat     bool                  // keys with a flattened prefix are there
}

func (r *Recognizer) view(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) *view {
	v, _ := r.views.Get().(*view)
	if v == nil {
		v = new(view)
	}
	v.r, v.envelope, v.resource = r, envelope{sp, ss.Scope(), sp.Name()}, rs.Resource()
	for key, value := range sp.Attributes().All() {
		slot, ok := r.filter.slot(key)
		if !ok {
			v.flat = v.flat || r.isFlat(key)
			continue
		}
		word, bit := slot>>6, uint64(1)<<(slot&63)
		switch {
		case v.present[word]&bit == 0:
			v.present[word] |= bit
			v.values[slot] = value
		case !v.values[slot].Equal(value):
			v.repeated[word] |= bit
		}
	}
	return v
}

// release lets go of the span and gives the view back.
func (v *view) release() {
	for word, set := range v.present {
		for ; set != 0; set &= set - 1 {
			v.values[word<<6+bits.TrailingZeros64(set)] = pcommon.Value{}
		}
	}
	r := v.r
	v.present, v.repeated, v.flat = [maxSlots / 64]uint64{}, [maxSlots / 64]uint64{}, false
	v.envelope, v.resource = envelope{}, pcommon.Resource{}
	r.views.Put(v)
}

func (r *Recognizer) isFlat(key string) bool {
	for _, prefix := range r.flat {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

func (v *view) has(slot uint16) bool { return v.present[slot>>6]&(1<<(slot&63)) != 0 }

// text returns a string, and numbers and truth values as they are written in
// JSON: for comparison with declared values only.
func (v *view) text(slot uint16) (string, bool) {
	if !v.has(slot) {
		return "", false
	}
	return plainText(v.values[slot]), true
}

func plainText(value pcommon.Value) string {
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return value.Str()
	case pcommon.ValueTypeBool:
		return strconv.FormatBool(value.Bool())
	case pcommon.ValueTypeInt:
		return strconv.FormatInt(value.Int(), 10)
	default:
		return ""
	}
}

// str returns a non-empty string and nothing else.
func (v *view) str(slot uint16) (string, bool) {
	if !v.has(slot) || v.values[slot].Type() != pcommon.ValueTypeStr {
		return "", false
	}
	s := v.values[slot].Str()
	return s, s != ""
}

// narrow leaves the candidates whose conditions about scope, name and kind
// hold. They are asked before any attribute is: a key that other spans have,
// too, must not make these spans dear.
func (r *Recognizer) narrow(candidates dialectSet, e envelope) (left dialectSet) {
	for word, set := range candidates {
		for ; set != 0; set &= set - 1 {
			i := word<<6 + bits.TrailingZeros64(set)
			if e.holdsAll(r.dialects[i].outside) {
				left.add(i)
			}
		}
	}
	return left
}

// holdsAll reports whether all conditions hold, none of which is about attributes.
func (e *envelope) holdsAll(outside []Predicate) bool {
	for i := range outside {
		if !e.holds(&outside[i]) {
			return false
		}
	}
	return true
}

// holds asks a condition that is not about attributes.
func (e *envelope) holds(p *Predicate) bool {
	switch {
	case len(p.Scope) > 0:
		return slices.ContainsFunc(p.Scope, func(pattern string) bool { return fitsStar(pattern, e.scope.Name()) })
	case len(p.Span) > 0:
		return slices.ContainsFunc(p.Span, func(pattern string) bool { return fitsStar(pattern, e.name) })
	}
	return e.span.Kind() == p.Kind
}

// match returns the first dialect that holds, and all that do.
func (r *Recognizer) match(v *view, candidates dialectSet) (first *compiled, matched dialectSet) {
	for word, set := range candidates {
		for ; set != 0; set &= set - 1 {
			i := word<<6 + bits.TrailingZeros64(set)
			d := &r.dialects[i]
			if !v.holdsAll(d.when, anyCopy) || v.holdsAny(d.unless) {
				continue
			}
			if first == nil {
				first = d
			}
			matched[word] |= 1 << (i & 63)
		}
	}
	return first, matched
}

// vetoed returns the name of the veto that holds, or "". Under a key that
// occurs twice with different values a veto holds only where both say so: a
// second copy must not hide a call.
func (r *Recognizer) vetoed(v *view) string {
	if r.otherMethod(v) {
		return otherMethods
	}
	for i := range r.vetoes {
		if v.holdsAll(r.vetoes[i].when, everyCopy) {
			return r.vetoes[i].Name
		}
	}
	return ""
}

func (r *Recognizer) otherMethod(v *view) bool {
	method, ok := v.text(r.own.mcpMethod)
	if !ok || method == mcpToolsCall {
		return false
	}
	call := condition{Predicate{Attr: mcpMethodKey, In: []string{mcpToolsCall}}, r.own.mcpMethod}
	return !v.isRepeated(r.own.mcpMethod) || !v.holdsCopies(&call, anyCopy)
}

func (v *view) holdsAll(predicates []condition, which copies) bool {
	for i := range predicates {
		if !v.holds(&predicates[i], which) {
			return false
		}
	}
	return true
}

// holdsAny reports whether an exception of a dialect holds, whatever is made
// of keys that occur twice.
func (v *view) holdsAny(predicates []condition) bool {
	for i := range predicates {
		if v.holds(&predicates[i], everyCopy) {
			return true
		}
	}
	return false
}

func (v *view) holds(p *condition, which copies) bool {
	switch {
	case p.Attr != "" && v.isRepeated(p.slot):
		return v.holdsCopies(p, which)
	case p.Attr != "":
		text, ok := v.text(p.slot)
		return p.fits(text, ok)
	case p.Same != "":
		return v.holdsName(p)
	}
	return v.envelope.holds(&p.Predicate)
}

// fits reports whether an attribute with this text, or none where ok is false,
// is what p asks for.
func (p *Predicate) fits(text string, ok bool) bool {
	switch {
	case p.Absent:
		return !ok || text == ""
	case !ok:
		return false
	case p.Prefix != "":
		return strings.HasPrefix(text, p.Prefix)
	}
	for _, value := range p.In {
		if text == value {
			return true
		}
	}
	return len(p.In) == 0
}

// holdsName asks a condition on the span's name and an attribute that says the
// same.
func (v *view) holdsName(p *condition) bool {
	for _, pattern := range p.Span {
		rest, ok := star(pattern, v.name)
		switch {
		case !ok:
		case v.isRepeated(p.slot):
			return v.holdsCopies(&condition{Predicate{Attr: p.Same, In: []string{rest}}, p.slot}, anyCopy)
		default:
			if same, ok := v.text(p.slot); ok && same == rest {
				return true
			}
		}
	}
	return false
}

func fitsStar(pattern, s string) bool {
	_, ok := star(pattern, s)
	return ok
}

// star matches s with a pattern that may begin or end in *, and returns what
// the * stands for, which is never nothing unless it is the whole pattern.
func star(pattern, s string) (string, bool) {
	switch {
	case pattern == "*":
		return s, true
	case strings.HasPrefix(pattern, "*"):
		rest, ok := strings.CutSuffix(s, pattern[1:])
		return rest, ok && rest != "" || strings.HasSuffix(pattern, "*") && strings.Contains(s, strings.Trim(pattern, "*"))
	case strings.HasSuffix(pattern, "*"):
		rest, ok := strings.CutPrefix(s, pattern[:len(pattern)-1])
		return rest, ok && (rest != "" || !strings.HasSuffix(pattern, " *"))
	}
	return "", s == pattern
}
