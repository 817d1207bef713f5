// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// An Explanation says how a span was read, for a person whose spans show no
// verdict. It names declared keys and values only, never what a span holds,
// the tool's own name in Observation aside.
type Explanation struct {
	// Observation is nil for a span that is not taken.
	Observation *Observation
	// Because lists the conditions that held, of the dialect that took the
	// span.
	Because []string
	// Also names further dialects that held and whose fields were read too.
	Also []string
	// Veto is the name of the veto that held, and VetoWhy its reason.
	Veto, VetoWhy string
	// Near are the dialects that came closest to a span that is not taken.
	Near []NearMiss
	// Seen is what else the span's attributes hold.
	Seen Seen
}

// A NearMiss is a dialect of which some conditions held.
type NearMiss struct {
	Dialect string
	Held    []string
	Missing []string
}

// maxNearMisses is how many near misses are told.
const maxNearMisses = 3

// Explain reads a span like Inspect, and says why. It is not for hot paths.
func (r *Recognizer) Explain(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) Explanation {
	o, seen := r.Inspect(rs, ss, sp)
	e := Explanation{Observation: o, Seen: seen}
	v := r.view(rs, ss, sp)
	defer v.release()
	if o != nil {
		r.because(v, &e)
		return e
	}
	candidates, _ := r.scanner.scan(sp)
	d, _ := r.match(v, candidates)
	if veto := r.vetoed(v); candidates.any() && (d != nil || veto == otherMethods) {
		e.Veto, e.VetoWhy = veto, vetoReason(veto)
	}
	switch {
	case d != nil:
		e.Because = describe(d.when)
	case e.Veto == "":
		e.Near = r.near(v)
	}
	return e
}

func vetoReason(name string) string {
	if name == otherMethods {
		return otherMethodIs
	}
	for _, v := range Vetoes() {
		if v.Name == name {
			return v.Why
		}
	}
	return ""
}

func (r *Recognizer) because(v *view, e *Explanation) {
	for i := range r.dialects {
		d := &r.dialects[i]
		switch {
		case !v.holdsAll(d.when, anyCopy) || v.holdsAny(d.unless):
		case d.Name == e.Observation.Dialect:
			e.Because = describe(d.when)
		default:
			e.Also = append(e.Also, d.Name)
		}
	}
	if e.Because == nil {
		e.Because = []string{"the condition of the custom dialect"}
	}
}

// near lists the dialects of which most conditions held, at least one of them
// about an attribute or the span's name.
func (r *Recognizer) near(v *view) []NearMiss {
	var all []NearMiss
	for i := range r.dialects {
		d := &r.dialects[i]
		m := NearMiss{Dialect: d.Name}
		telling := false
		for j := range d.when {
			c := &d.when[j]
			switch {
			case v.holds(c, anyCopy):
				m.Held = append(m.Held, c.String())
				telling = telling || len(c.Scope) > 0 || c.Attr != "" || len(c.Span) > 0
			case c.Attr != "" && v.has(c.slot):
				telling = true
				m.Missing = append(m.Missing, c.String()+", which is there with another value")
			default:
				m.Missing = append(m.Missing, c.String())
			}
		}
		for j := range d.unless {
			if v.holds(&d.unless[j], everyCopy) {
				m.Missing = append(m.Missing, "not "+d.unless[j].String())
			}
		}
		if telling {
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b NearMiss) int {
		return len(b.Held)*8 - len(b.Missing) - len(a.Held)*8 + len(a.Missing)
	})
	return all[:min(len(all), maxNearMisses)]
}

func describe(conditions []condition) []string {
	out := make([]string, len(conditions))
	for i := range conditions {
		out[i] = conditions[i].String()
	}
	return out
}

// String says what the predicate asks for, in declared words only.
func (p Predicate) String() string {
	switch {
	case p.Attr != "" && p.Absent:
		return "no " + p.Attr
	case p.Attr != "" && p.Prefix != "":
		return p.Attr + " begins with " + p.Prefix
	case p.Attr != "" && len(p.In) > 0:
		return p.Attr + " = " + strings.Join(p.In, " or ")
	case p.Attr != "":
		return p.Attr
	case len(p.Scope) > 0:
		return "scope " + strings.Join(p.Scope, " or ")
	case len(p.Span) > 0 && p.Same != "":
		return fmt.Sprintf("span name %s, * being %s", strings.Join(p.Span, " or "), p.Same)
	case len(p.Span) > 0:
		return "span name " + strings.Join(p.Span, " or ")
	}
	return "kind " + strings.ToLower(p.Kind.String())
}

// Fields lists what was read, as field, value and place. Arguments are told by
// their size or their reason only. It is for a person to read.
func (o *Observation) Fields() [][3]string {
	fields := [][3]string{{"tool", o.Tool, o.ToolFrom}}
	add := func(name, value, from string) {
		if value != "" {
			fields = append(fields, [3]string{name, value, from})
		}
	}
	add("name flags", strings.Join(o.Name.Names(), ", "), "")
	if o.Args.Captured() {
		add("arguments", fmt.Sprintf("captured, %d bytes", len(o.Args.Text)), o.Args.From)
	} else {
		add("arguments", string(o.Args.Why), o.Args.From)
	}
	add("call id", o.CallID, o.CallIDFrom)
	add("result", o.Result.String(), "")
	add("agent", o.Agent, "")
	add("session", o.Session, o.SessionFrom)
	add("marks", strings.Join(o.Marks.Names(), ", "), "")
	add("conflicts", strings.Join(o.Conflict.Names(), ", "), "")
	return fields
}
