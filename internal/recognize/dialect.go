// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A Dialect is one way of writing a tool call into a span: how such a span is
// told apart, and where what it says lies. It is data. To teach the package
// another emitter, add one value to a table in dialects_*.go, one recording
// under testdata, and one row to the documentation, which is generated.
type Dialect struct {
	// Name identifies the dialect in configuration, telemetry and output.
	Name string

	// Title is the framework or instrumentation as people call it.
	Title string

	// Note says in a few words what a reader of the table should know.
	Note string

	// Layer says from where spans of the dialect describe a call.
	Layer Layer

	// Companion spans only add to a call that another span describes.
	Companion bool

	// When holds for spans of the dialect: all of it, and nothing of Unless.
	// The first of When selects candidates, so it is about an attribute's
	// value, or failing that about the span's name, or about an attribute that
	// few other spans have.
	When   []Predicate
	Unless []Predicate

	// Where the fields lie. Which of several wins is not decided here but by
	// the one order of precedence of all dialects (see precedence.go), since a
	// span often speaks several dialects at once.
	Tool, CallID, Args []Source

	// Early emitters set the span's status before the outcome is known, or to
	// OK whatever it is: a status OK of theirs says nothing.
	Early bool

	// NoAgent is a constant that some releases write where the agent's name
	// should be.
	NoAgent string
}

// A Predicate is one condition on a span. Exactly one of Attr, Scope, Span and
// Kind is set.
type Predicate struct {
	// Attr is an attribute: there at all, or a string among In, or one that
	// begins with Prefix. With Absent it is not there.
	Attr   string
	In     []string
	Prefix string
	Absent bool

	// Scope is the instrumentation scope's name: one of these, of which each
	// may end in *.
	Scope []string

	// Span is the span's name: one of these, of which each may begin or end
	// in *. Where Same names an attribute, what the * stands for equals it.
	Span []string
	Same string

	// Kind is the span's kind.
	Kind ptrace.SpanKind
}

// A Source is one place where a field may lie, and how it is written there.
type Source struct {
	// Key is the attribute: of the span, or of the events named Event.
	Key   string
	Event string

	// Span is a pattern on the span's name, of which the * is the value.
	Span string

	// Path leads into the JSON text that stands there: member names with dots.
	Path string

	// As is how arguments are written. Names and ids are plain strings.
	As Encoding
}

// From names the place, for output. It is made of declared keys only.
func (s Source) From() string {
	switch {
	case s.Span != "":
		return "span name"
	case s.Event != "":
		return "event " + s.Event + ", " + s.Key
	case s.Path != "":
		return s.Key + " $." + s.Path
	}
	return s.Key
}

func is(key string, values ...string) Predicate { return Predicate{Attr: key, In: values} }

func has(key string) Predicate { return Predicate{Attr: key} }

func begins(key, prefix string) Predicate { return Predicate{Attr: key, Prefix: prefix} }

func scope(names ...string) Predicate { return Predicate{Scope: names} }

func span(patterns ...string) Predicate { return Predicate{Span: patterns} }

func kind(k ptrace.SpanKind) Predicate { return Predicate{Kind: k} }

func at(key string) Source { return Source{Key: key} }

func in(key, path string) Source { return Source{Key: key, Path: path} }

func named(pattern string) Source { return Source{Span: pattern} }

func written(key string, as Encoding) Source { return Source{Key: key, As: as} }
