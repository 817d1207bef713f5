// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// argumentPlaces are all the places where a dialect writes arguments.
type argumentPlaces struct {
	keys     map[string]bool
	prefixes []string
	events   map[string]map[string]bool
}

// unreadPrefixes begin keys under which releases of the past wrote arguments
// that nothing reads exactly: OpenLLMetry's for MCP.
var unreadPrefixes = []string{"mcp.request.argument"}

// everyArgumentPlace is made of the table of dialects, once.
var everyArgumentPlace = sync.OnceValue(func() *argumentPlaces {
	p := &argumentPlaces{keys: map[string]bool{}, prefixes: slices.Clone(unreadPrefixes), events: map[string]map[string]bool{}}
	for _, d := range Dialects() {
		for _, s := range d.Args {
			p.add(s)
		}
	}
	return p
})

func (p *argumentPlaces) add(s Source) {
	switch {
	case s.Event != "":
		if p.events[s.Event] == nil {
			p.events[s.Event] = map[string]bool{}
		}
		p.events[s.Event][s.Key] = true
	case s.As == EncFlat || s.As == EncTypedParameters:
		p.prefixes = append(p.prefixes, s.Key)
	case s.As == EncParameters:
		p.keys[s.Key] = true
	case s.Key != "":
		p.keys[s.Key] = true
	}
}

func (p *argumentPlaces) holds(key string) bool {
	if p.keys[key] {
		return true
	}
	for _, prefix := range p.prefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// RemoveArguments removes the raw arguments from the span of a tool call:
// every attribute of the span and its events in which some dialect writes
// them, not only the one that was read. The messages of a model are on spans
// of their own, and are not touched. Results may repeat arguments, and stay.
func RemoveArguments(span ptrace.Span) {
	places := everyArgumentPlace()
	attrs := span.Attributes()
	parameters := parameterNames(attrs)
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool { return parameters[key] || places.holds(key) })
	for _, event := range span.Events().All() {
		keys := places.events[event.Name()]
		event.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return keys[key] || places.holds(key) })
	}
}

// parameterSchema lists the attributes that Logfire names as parameters.
const parameterSchema = "logfire.json_schema"

// parameterNames returns the attributes that hold one parameter each.
func parameterNames(attrs pcommon.Map) map[string]bool {
	v, ok := attrs.Get(parameterSchema)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return nil
	}
	var doc canon.Doc
	if doc.Parse(v.Str(), canon.Limits{Bytes: DefaultMaxArgBytes, Members: DefaultMaxArgMembers}) != nil {
		return nil
	}
	properties, _ := doc.Root().Get("properties")
	names := map[string]bool{}
	for name := range properties.All() {
		names[name] = true
	}
	return names
}
