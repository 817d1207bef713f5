// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// maxTypedDepth keeps the walk over typed values from running away. It is one
// more than the reader of JSON allows, which then says that it is too deep.
const maxTypedDepth = 128

// typedText writes a typed value as JSON text, for the one reader of JSON to
// accept. An empty value inside is OTLP's null. What JSON has no word for (bytes,
// nan) makes the whole unusable.
func (r *Recognizer) typedText(v pcommon.Value) (string, truth.Reason) {
	var b canon.Builder
	b.Reset(r.limits)
	if why := buildValue(&b, v, 0); why != "" {
		return "", why
	}
	return builtText(&b)
}

func builtText(b *canon.Builder) (string, truth.Reason) {
	text, err := b.Text()
	var fault *canon.TextError
	switch {
	case errors.As(err, &fault):
		return "", faultReasons[fault.Fault]
	case err != nil:
		return "", truth.ArgsNotJSON
	}
	return text, ""
}

func buildValue(b *canon.Builder, v pcommon.Value, depth int) truth.Reason {
	if depth > maxTypedDepth {
		return truth.ArgsTooDeep
	}
	if b.Stopped() {
		return ""
	}
	switch v.Type() {
	case pcommon.ValueTypeStr:
		b.Str(v.Str())
	case pcommon.ValueTypeBool:
		b.Bool(v.Bool())
	case pcommon.ValueTypeInt:
		b.Int(v.Int())
	case pcommon.ValueTypeDouble:
		b.Float(v.Double())
	case pcommon.ValueTypeMap:
		return buildMap(b, v.Map(), depth)
	case pcommon.ValueTypeSlice:
		return buildSlice(b, v.Slice(), depth)
	case pcommon.ValueTypeEmpty:
		b.Null()
	default:
		return truth.ArgsWrongType
	}
	return ""
}

func buildMap(b *canon.Builder, m pcommon.Map, depth int) truth.Reason {
	b.BeginObject()
	for key, value := range m.All() {
		b.Key(key)
		if why := buildValue(b, value, depth+1); why != "" {
			return why
		}
	}
	b.EndObject()
	return ""
}

func buildSlice(b *canon.Builder, s pcommon.Slice, depth int) truth.Reason {
	b.BeginArray()
	for _, value := range s.All() {
		if why := buildValue(b, value, depth+1); why != "" {
			return why
		}
	}
	b.EndArray()
	return ""
}

// decodePrefixed reads arguments that lie in several attributes.
func (n *reading) decodePrefixed(s *ranked) decoded {
	leaves, why := n.leaves(s.Key)
	if why != "" || len(leaves) == 0 {
		return unusable(cmp.Or(why, truth.ArgsAbsent))
	}
	var b canon.Builder
	b.Reset(n.r.limits)
	if s.As == EncTypedParameters {
		why = buildParameters(&b, leaves)
	} else {
		why = buildFlat(&b, leaves, 0)
	}
	if why != "" {
		return unusable(why)
	}
	text, why := builtText(&b)
	if why != "" {
		return unusable(why)
	}
	return n.decodeText(text, EncJSON)
}

// A leaf is one attribute of a flattened value and its path.
type leaf struct {
	path  []string
	value pcommon.Value
}

// maxLeaves and maxLeafDepth bound what is put together from attributes.
const (
	maxLeaves    = 1024
	maxLeafDepth = 32
)

// leaves collects the attributes below prefix, sorted by path.
func (n *reading) leaves(prefix string) ([]leaf, truth.Reason) {
	var out []leaf
	for key, value := range n.span.Attributes().All() {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		path := strings.Split(rest, ".")
		if len(out) >= maxLeaves || len(path) > maxLeafDepth || slices.Contains(path, "") {
			return nil, truth.ArgsAmbiguous
		}
		out = append(out, leaf{path, value})
	}
	slices.SortStableFunc(out, func(a, b leaf) int { return slices.CompareFunc(a.path, b.path, compareSegment) })
	return out, ""
}

// compareSegment sorts numbers by value and before names.
func compareSegment(a, b string) int {
	i, aIs := index(a)
	j, bIs := index(b)
	switch {
	case aIs && bIs:
		return cmp.Compare(i, j)
	case aIs:
		return -1
	case bIs:
		return 1
	}
	return cmp.Compare(a, b)
}

// index reads a list index as flatteners write it.
func index(s string) (int, bool) {
	i, err := strconv.Atoi(s)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == s && i < maxLeaves
}

// buildFlat rebuilds the value whose leaves share their first depth steps:
// steps 0, 1, 2… make a list, names an object. A step that is both a value and
// a container, or a gap in the numbers, has no one reading.
func buildFlat(b *canon.Builder, leaves []leaf, depth int) truth.Reason {
	if len(leaves) == 1 && len(leaves[0].path) == depth {
		return buildValue(b, leaves[0].value, depth)
	}
	list := true
	next := 0
	for _, l := range leaves {
		if len(l.path) <= depth {
			return truth.ArgsAmbiguous
		}
		i, ok := index(l.path[depth])
		switch {
		case !ok || depth == 0:
			list = false
		case i == next:
			next++
		case i != next-1:
			list = false
		}
	}
	if _, ok := index(leaves[0].path[depth]); ok && !list {
		return truth.ArgsAmbiguous
	}
	return buildContainer(b, leaves, depth, list)
}

func buildContainer(b *canon.Builder, leaves []leaf, depth int, list bool) truth.Reason {
	if list {
		b.BeginArray()
	} else {
		b.BeginObject()
	}
	for len(leaves) > 0 {
		step, same := leaves[0].path[depth], 1
		for same < len(leaves) && leaves[same].path[depth] == step {
			same++
		}
		if !list {
			b.Key(step)
		}
		if why := buildFlat(b, leaves[:same], depth+1); why != "" {
			return why
		}
		leaves = leaves[same:]
	}
	if list {
		b.EndArray()
	} else {
		b.EndObject()
	}
	return ""
}

// buildParameters rebuilds an object from <parameter>.value and .type: the
// value of a plain type is itself, that of a container is JSON text. A type
// without a value is a parameter whose value was not captured: of all of them,
// and there are no arguments; of some, and the others are not what ran.
func buildParameters(b *canon.Builder, leaves []leaf) truth.Reason {
	types, values := map[string]string{}, map[string]pcommon.Value{}
	for _, l := range leaves {
		switch {
		case len(l.path) == 2 && l.path[1] == "type":
			types[l.path[0]] = l.value.AsString()
		case len(l.path) == 2 && l.path[1] == "value":
			values[l.path[0]] = l.value
		default:
			return truth.ArgsAmbiguous
		}
	}
	if len(values) == 0 {
		return truth.ArgsAbsent
	}
	for name, typ := range types {
		if _, ok := values[name]; ok {
			continue
		}
		if typ != noneType {
			return truth.ArgsNotExact
		}
		values[name] = pcommon.NewValueEmpty()
	}
	b.BeginObject()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		b.Key(name)
		if why := buildParameter(b, values[name], types[name]); why != "" {
			return why
		}
	}
	b.EndObject()
	return ""
}

// noneType is the type of a parameter whose value is Python's None. An
// attribute cannot hold it, so it may be all that is written.
const noneType = "NoneType"

func buildParameter(b *canon.Builder, v pcommon.Value, typ string) truth.Reason {
	switch {
	case typ == noneType:
		b.Null()
		return ""
	case v.Type() == pcommon.ValueTypeEmpty:
		return truth.ArgsNotExact
	case v.Type() != pcommon.ValueTypeStr:
		return buildValue(b, v, 0)
	}
	switch typ {
	case "str":
		b.Str(v.Str())
	case "dict", "list":
		var doc canon.Doc
		if doc.Parse(v.Str(), canon.Limits{}) != nil {
			return truth.ArgsNotExact
		}
		buildNode(b, doc.Root())
	default:
		return truth.ArgsNotExact
	}
	return ""
}

// buildNode copies a parsed value.
func buildNode(b *canon.Builder, node canon.Node) {
	switch node.Kind() {
	case canon.KindObject:
		b.BeginObject()
		for key, value := range node.All() {
			b.Key(key)
			buildNode(b, value)
		}
		b.EndObject()
	case canon.KindArray:
		b.BeginArray()
		for _, value := range node.All() {
			buildNode(b, value)
		}
		b.EndArray()
	case canon.KindString:
		b.Str(node.Str())
	case canon.KindBool:
		b.Bool(node.Bool())
	case canon.KindNumber:
		if i, err := strconv.ParseInt(node.Number(), 10, 64); err == nil {
			b.Int(i)
			return
		}
		b.Float(node.Float())
	default:
		b.Null()
	}
}
