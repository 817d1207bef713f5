// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"bytes"
	"errors"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// faultReasons name why a text is no usable JSON.
var faultReasons = map[canon.Fault]truth.Reason{
	canon.FaultSyntax: truth.ArgsNotJSON, canon.FaultUTF8: truth.ArgsInvalidUTF8, canon.FaultSurrogate: truth.ArgsLoneSurrogate,
	canon.FaultDuplicateKey: truth.ArgsDuplicateKey, canon.FaultNumberRange: truth.ArgsNumberOutOfRange, canon.FaultDepth: truth.ArgsTooDeep,
	canon.FaultSize: truth.ArgsTooLarge, canon.FaultMembers: truth.ArgsTooManyMembers,
}

// decoded is what a decoder makes of a place: arguments, or why there are none.
type decoded struct {
	text string
	doc  *canon.Doc
	why  truth.Reason
}

func unusable(why truth.Reason) decoded { return decoded{why: why} }

// parse reads strict JSON within the caps.
func (r *Recognizer) parse(text string) (*canon.Doc, truth.Reason) {
	doc := new(canon.Doc)
	err := doc.Parse(text, r.limits)
	if err == nil {
		return doc, ""
	}
	var fault *canon.TextError
	if !errors.As(err, &fault) {
		return nil, truth.ArgsNotJSON
	}
	if fault.Fault == canon.FaultSyntax && fault.Offset >= len(text) && text != "" {
		return nil, truth.ArgsTruncated
	}
	if why, ok := faultReasons[fault.Fault]; ok {
		return nil, why
	}
	return nil, truth.ArgsNotJSON
}

// readArgs takes the arguments from the first usable place. Two places with
// different arguments leave none: nobody knows which of them ran. What is
// unusable in one place does not speak against another.
func (n *reading) readArgs() {
	n.Args = Args{Why: truth.ArgsAbsent, Source: truth.SourceReported}
	first := unusable(truth.ArgsAbsent)
	n.best(func(c *compiled) []ranked { return c.args }, func(s *ranked) bool {
		got := n.decode(s)
		switch {
		case got.doc != nil && n.Args.Doc == nil:
			n.Args.Doc, n.Args.Text, n.Args.Why, n.Args.From = got.doc, got.text, "", s.From()
		case got.doc != nil:
			if !sameValue(n.Args, got) {
				n.Conflict |= ConflictArgs
			}
		case got.why != truth.ArgsAbsent && first.why == truth.ArgsAbsent:
			first = got
			if n.Args.Doc == nil {
				n.Args.Why, n.Args.From = got.why, s.From()
			}
		}
		return false
	})
	if n.Conflict.Has(ConflictArgs) {
		n.Args = Args{Why: truth.ArgsAmbiguous, From: n.Args.From, Source: n.Args.Source}
	}
}

func sameValue(a Args, b decoded) bool {
	return a.Text == b.text || bytes.Equal(a.Doc.Root().AppendJCS(nil), b.doc.Root().AppendJCS(nil))
}

// decode reads one place.
func (n *reading) decode(s *ranked) decoded {
	switch {
	case s.As == EncFlat || s.As == EncTypedParameters:
		if !n.flat {
			return unusable(truth.ArgsAbsent)
		}
		return n.decodePrefixed(s)
	case s.Event != "":
		return n.decodeEvents(s)
	case !n.has(s.slot):
		return unusable(truth.ArgsAbsent)
	}
	return n.decodeValue(n.values[s.slot], s.As)
}

// decodeEvents reads the events of a name. Several that differ leave nothing.
// An event with the id of another call is about that one.
func (n *reading) decodeEvents(s *ranked) decoded {
	found, other := unusable(truth.ArgsAbsent), false
	for _, event := range n.span.Events().All() {
		if event.Name() != s.Event {
			continue
		}
		value, ok := event.Attributes().Get(s.Key)
		if !ok {
			continue
		}
		if id, ok := event.Attributes().Get("id"); ok && id.Type() == pcommon.ValueTypeStr && n.otherCall(id.Str()) {
			other = true
			continue
		}
		got := n.decodeValue(value, s.As)
		switch {
		case got.why == truth.ArgsAbsent:
		case found.why == truth.ArgsAbsent:
			found = got
		case found.doc == nil || got.doc == nil || !sameValue(Args{Doc: found.doc, Text: found.text}, got):
			return unusable(truth.ArgsAmbiguous)
		}
	}
	if other && found.why == truth.ArgsAbsent {
		return unusable(truth.ArgsUnmatchedCallID)
	}
	return found
}

// otherCall reports whether id, which stands beside arguments, is that of
// another call than the span's.
func (n *reading) otherCall(id string) bool {
	return id != "" && n.CallID != "" && id != n.CallID && !placeholderIDs[id]
}

// decodeValue reads one attribute value as written.
func (n *reading) decodeValue(value pcommon.Value, as Encoding) decoded {
	if as == EncPartial || as == EncToolCallText {
		return unusable(truth.ArgsNotExact)
	}
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return n.decodeText(value.Str(), as)
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		text, why := n.r.typedText(value)
		if why != "" {
			return unusable(why)
		}
		return n.decodeText(text, as)
	case pcommon.ValueTypeEmpty:
		return unusable(truth.ArgsAbsent)
	default:
		return unusable(truth.ArgsWrongType)
	}
}

// decodeText reads text: placeholders and marks of a cut first, then what the
// encoding says.
func (n *reading) decodeText(text string, as Encoding) decoded {
	if why := standIn(text); why != "" {
		return unusable(why)
	}
	if n.r.limits.Bytes > 0 && len(text) > n.r.limits.Bytes {
		return unusable(truth.ArgsTooLarge)
	}
	got := n.dispatch(text, as)
	if got.doc != nil {
		if why := altered(got.text); why != "" {
			return unusable(why)
		}
	}
	return got
}

func (n *reading) dispatch(text string, as Encoding) decoded {
	switch as {
	case EncHeaded:
		return n.headed(text)
	case EncMIME, EncStrictMIME, EncMIMEKwargs:
		return n.declared(text, as)
	case EncParts:
		return n.parts(text)
	case EncParameters:
		return n.parameters(text)
	case EncToolInvoker:
		return n.toolInvoker(text)
	case EncPython:
		return n.python(text)
	default:
		return n.wrapped(text, as)
	}
}

// object parses text, which must be an object, perhaps encoded twice or three
// times.
func (n *reading) object(text string) decoded {
	got := n.value(text)
	if got.doc == nil {
		return got
	}
	switch got.doc.Root().Kind() {
	case canon.KindObject:
		return got
	case canon.KindArray:
		return unusable(truth.ArgsPositional)
	case canon.KindNull:
		return unusable(truth.ArgsAbsent)
	default:
		return unusable(truth.ArgsWrongType)
	}
}

// value parses text, which is any JSON value: a model may write what is no
// object, and that is what the tool was called with. An object or a list that
// is encoded twice or three times is itself, another string the string.
func (n *reading) value(text string) decoded {
	var written decoded
	for range 3 {
		doc, why := n.r.parse(text)
		if why != "" {
			return unusable(why)
		}
		root := doc.Root()
		if written.doc == nil {
			written = decoded{text: text, doc: doc}
		}
		switch root.Kind() {
		case canon.KindObject, canon.KindArray:
			return decoded{text: text, doc: doc}
		case canon.KindString:
			if why := standIn(root.Str()); why != "" {
				return unusable(why)
			}
			if !looksLikeContainer(root.Str()) {
				return written
			}
			text = root.Str()
		default:
			return written
		}
	}
	return unusable(truth.ArgsWrongType)
}

func looksLikeContainer(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
		default:
			return s[i] == '{' || s[i] == '[' || s[i] == '"'
		}
	}
	return false
}
