// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"cmp"
	"math/bits"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tool-decision-truth/collector/internal/truth"
)

// A reading is one candidate span on its way to an Observation.
type reading struct {
	*view
	*Observation
	matched dialectSet
	dialect *compiled
	noAgent string // what stands for no agent
	early   bool   // a status OK says nothing
}

// observe reads every field from the first place, in the order of precedence,
// that some matching dialect knows and that holds a usable value.
func (r *Recognizer) observe(v *view, d *compiled, matched dialectSet) *Observation {
	o := &Observation{Dialect: d.Name, Layer: d.Layer, Companion: d.Companion, Scope: v.scope.Name()}
	n := &reading{view: v, Observation: o, matched: matched, dialect: d}
	n.each(func(c *compiled) {
		n.noAgent = cmp.Or(n.noAgent, c.NoAgent)
		n.early = n.early || c.Early
	})
	n.readTool()
	n.readCallID()
	n.readMarks()
	n.readArgs()
	n.readContext()
	o.Result = n.result()
	n.readConflicts()
	n.spread()
	return o
}

// each calls do for every dialect that holds, in order.
func (n *reading) each(do func(*compiled)) {
	for word, set := range n.matched {
		for ; set != 0; set &= set - 1 {
			do(&n.r.dialects[word<<6+bits.TrailingZeros64(set)])
		}
	}
}

// best visits the sources that pick selects, the first in precedence first,
// until take is satisfied. A place that two dialects name is visited once.
// Ranks are below 256.
func (n *reading) best(pick func(*compiled) []ranked, take func(*ranked) bool) {
	var seen [4]uint64
	for {
		var next *ranked
		n.each(func(c *compiled) {
			for i := range pick(c) {
				s := &pick(c)[i]
				if seen[s.rank>>6]&(1<<(s.rank&63)) == 0 && (next == nil || s.rank < next.rank) {
					next = s
				}
			}
		})
		if next == nil {
			return
		}
		seen[next.rank>>6] |= 1 << (next.rank & 63)
		if take(next) {
			return
		}
	}
}

func (n *reading) readTool() {
	n.best(func(c *compiled) []ranked { return c.tool }, func(s *ranked) bool {
		name := n.stringAt(s)
		switch {
		case name == "" && s.Key != "" && s.Event == "" && n.has(s.slot) && n.values[s.slot].Type() != pcommon.ValueTypeStr && n.values[s.slot].Type() != pcommon.ValueTypeEmpty:
			n.Name |= NameWrongType
		case name == "":
		case n.Tool == "":
			n.Tool, n.ToolFrom = name, s.From()
		case s.Span == "" && !sameTool(n.Tool, name):
			n.Conflict |= ConflictTool
		}
		return false
	})
	n.Name |= FlagName(n.Tool)
	if classNames[n.Tool] {
		n.Name |= NamePlaceholder
	}
}

// classNames are classes of tools, not names of tools. Some instrumentations
// know no better.
var classNames = map[string]bool{"DynamicStructuredTool": true, "DynamicTool": true, "StructuredTool": true, "Tool": true, "FunctionTool": true}

func (n *reading) readCallID() {
	n.best(func(c *compiled) []ranked { return c.callID }, func(s *ranked) bool {
		if s.Path != "" && n.CallID != "" {
			return true
		}
		id := n.stringAt(s)
		if id == "" || placeholderIDs[id] || n.madeUp(id) {
			return false
		}
		switch n.CallID {
		case "":
			n.CallID, n.CallIDFrom = id, s.From()
		case id:
		default:
			n.Conflict |= ConflictCallID
		}
		return false
	})
}

// madeUp reports whether an emitter is known to put the id of a run where it
// does not know the call's: OpenLIT and langchain-azure, a UUID.
func (n *reading) madeUp(id string) bool {
	switch n.dialect.Name {
	case "openlit", "langchain_azure":
		return isUUID(id)
	}
	return false
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// stringAt returns the string at a source of names or ids.
func (n *reading) stringAt(s *ranked) string {
	switch {
	case s.Span != "":
		if rest, ok := star(s.Span, n.name); ok {
			return rest
		}
		return ""
	case s.Event != "":
		return n.eventString(s)
	}
	text, ok := n.str(s.slot)
	switch {
	case !ok:
		return ""
	case s.As == EncToolCallText:
		return toolCallText(text, s.Path)
	case s.Path != "":
		return n.pathString(text, s.Path)
	case s.Key == "fastmcp.component.key":
		return bareComponent(text)
	case s.Key == "traceloop.entity.name" && strings.HasPrefix(text, "FunctionTool"):
		return ""
	}
	return text
}

func (n *reading) eventString(s *ranked) string {
	for _, event := range n.span.Events().All() {
		if s.Event != "*" && event.Name() != s.Event {
			continue
		}
		if value, ok := event.Attributes().Get(s.Key); ok && value.Type() == pcommon.ValueTypeStr && value.Str() != "" {
			return value.Str()
		}
	}
	return ""
}

// pathString follows a dotted path into JSON text. What is no such text has
// nothing there.
func (n *reading) pathString(text, path string) string {
	doc, why := n.r.parse(text)
	if why != "" {
		return ""
	}
	node, ok := follow(doc.Root(), path)
	if !ok {
		return ""
	}
	return node.Str()
}

func (n *reading) readContext() {
	o := n.r.orders
	for _, slot := range o.agent {
		if agent, ok := n.str(slot); ok && agent != n.noAgent {
			n.Agent = agent
			break
		}
	}
	for i, slot := range o.session {
		if session, ok := n.str(slot); ok {
			n.Session, n.SessionFrom = session, sessionOrder[i]
			break
		}
	}
	for i := 0; i < len(resourceSessions) && n.Session == ""; i++ {
		if value, ok := n.resource.Attributes().Get(resourceSessions[i]); ok && value.Type() == pcommon.ValueTypeStr {
			n.Session, n.SessionFrom = value.Str(), "resource "+resourceSessions[i]
		}
	}
	n.MCPSession, _ = n.str(n.r.own.mcpSession)
	n.RequestID, _ = n.text(n.r.own.requestID)
	for _, slot := range o.attempt {
		if n.has(slot) && n.values[slot].Type() == pcommon.ValueTypeInt {
			n.Attempt = int(n.values[slot].Int())
			break
		}
	}
}

// readConflicts looks for repeated keys among those that were read: all that
// some dialect or this package names are in the view, but only those of
// dialects that hold count, or an unrelated key could spoil a call.
func (n *reading) readConflicts() {
	if n.repeated == [maxSlots / 64]uint64{} {
		return
	}
	n.each(func(c *compiled) {
		for _, sources := range [][]ranked{c.tool, c.callID, c.args} {
			for i := range sources {
				if sources[i].Key != "" && sources[i].Event == "" && n.isRepeated(sources[i].slot) {
					n.Conflict |= ConflictRepeatedKey
				}
			}
		}
		for i := range c.when {
			if c.when[i].Attr+c.when[i].Same != "" && n.isRepeated(c.when[i].slot) {
				n.Conflict |= ConflictRepeatedKey
			}
		}
	})
	if n.inDoubt() {
		n.Conflict |= ConflictRepeatedKey
	}
	o := n.r.orders
	for _, slots := range [][]uint16{o.session, o.agent, {n.r.own.mcpMethod, n.r.own.errorType}} {
		for _, slot := range slots {
			if n.isRepeated(slot) {
				n.Conflict |= ConflictRepeatedKey
			}
		}
	}
}

// result is what the emitter says of the outcome: an error type or an ERROR
// status, then its own words, then a status OK where that means something.
func (n *reading) result() truth.ResultStatus {
	if n.Marks&(Deferred|Interrupted) != 0 {
		return truth.ResultNA
	}
	if t, ok := n.str(n.r.own.errorType); ok && t != "" || n.span.Status().Code() == 2 {
		return truth.ResultError
	}
	for i, slot := range n.r.own.signals {
		if text, ok := n.text(slot); ok && text == signals[i].value {
			return n.unlessFailed(signals[i].result)
		}
	}
	if n.bodyFailed() || n.early && n.threw() {
		return truth.ResultError
	}
	if n.span.Status().Code() == 1 && !n.early {
		return truth.ResultOK
	}
	return truth.ResultNA
}

func (n *reading) unlessFailed(says truth.ResultStatus) truth.ResultStatus {
	if n.bodyFailed() {
		return truth.ResultError
	}
	return says
}

func (n *reading) bodyFailed() bool {
	for i, slot := range n.r.own.bodies {
		text, ok := n.str(slot)
		if !ok || !strings.Contains(text, bodySignals[i].value) {
			continue
		}
		doc, why := n.r.parse(text)
		if why != "" {
			continue
		}
		if node, ok := follow(doc.Root(), bodySignals[i].path); ok && (node.Str() == bodySignals[i].value || node.Bool() && bodySignals[i].value == "true") {
			return true
		}
	}
	return false
}

func (n *reading) threw() bool {
	for _, event := range n.span.Events().All() {
		if event.Name() == "exception" {
			return true
		}
	}
	return false
}

func (n *reading) readMarks() {
	if n.span.EndTimestamp() == 0 {
		n.Marks |= Unfinished
	}
	for i, slot := range n.r.own.markers {
		if text, ok := n.text(slot); ok && (markers[i].value == "" || markers[i].value == text) {
			n.Marks |= markers[i].marks
		}
	}
	for _, event := range n.span.Events().All() {
		if event.Name() == "exception" {
			n.Marks |= interruption(event.Attributes())
		}
	}
}

// interruption looks at an exception's type, or at its message where it has
// none.
func interruption(attrs pcommon.Map) Marks {
	value, ok := attrs.Get("exception.type")
	if !ok {
		value, ok = attrs.Get("exception.message")
	}
	if !ok || value.Type() != pcommon.ValueTypeStr {
		return 0
	}
	for _, i := range interrupts {
		if strings.Contains(value.Str(), i.word) {
			return i.marks
		}
	}
	return 0
}
