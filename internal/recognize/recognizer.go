// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// Default caps on arguments, checked before anything is parsed.
const (
	DefaultMaxArgBytes   = 256 << 10
	DefaultMaxArgMembers = 4096
)

// Options say which dialects a Recognizer speaks. The zero Options are all
// built-in dialects in their own order.
type Options struct {
	// Off names built-in dialects that are not tried.
	Off []string
	// First names built-in dialects that are tried before the others, in this
	// order. It decides which dialect names an observation, not where its
	// fields are read.
	First []string
	// Custom dialects are tried before every built-in one.
	Custom []Custom
	// MaxArgBytes and MaxArgMembers cap arguments. 0 means the default.
	MaxArgBytes, MaxArgMembers int
}

// A Custom dialect is an operator's own. Its functions are asked in the order
// of the fields; all but When may be nil. Values they return are read as
// strictly as built-in ones.
type Custom struct {
	Name  string
	Layer Layer
	// When says whether the span is a tool call.
	When func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) bool
	// Tool, CallID, Session and Args return a field, and false where the span
	// has none.
	Tool, CallID, Session, Args func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) (pcommon.Value, bool)
}

// A Recognizer finds tool calls. It is compiled once and safe for concurrent
// use.
type Recognizer struct {
	dialects []compiled
	vetoes   []compiledVeto
	custom   []Custom
	keys     []string
	filter   *keyFilter
	slots    map[string]uint16
	scanner  scanner
	orders   orders
	own      ownKeys
	wrappers map[Encoding][]wrapper
	limits   canon.Limits
	views    sync.Pool // of *view
	flat     []string  // prefixes of flattened values
	patterns []string  // patterns on names, in order
}

// The errors of Options.
var (
	ErrUnknownDialect = errors.New("no such dialect")
	ErrCustomDialect  = errors.New("custom dialect needs a name of its own and a condition")
)

// New compiles a Recognizer, or says which option is wrong.
func New(opts Options) (*Recognizer, error) {
	dialects, err := choose(Dialects(), opts)
	if err != nil {
		return nil, err
	}
	r := &Recognizer{custom: opts.Custom, slots: map[string]uint16{}, wrappers: wrapperTable(), limits: canon.Limits{
		Bytes: cmpOr(opts.MaxArgBytes, DefaultMaxArgBytes), Members: cmpOr(opts.MaxArgMembers, DefaultMaxArgMembers),
	}}
	r.compile(dialects)
	if r.filter, err = newKeyFilter(r.keys); err != nil {
		return nil, err
	}
	if err := r.scanner.build(); err != nil {
		return nil, err
	}
	return r, nil
}

func cmpOr(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// choose applies on/off and order.
func choose(all []Dialect, opts Options) ([]Dialect, error) {
	known := map[string]int{}
	for i, d := range all {
		known[d.Name] = i
	}
	for _, name := range slices.Concat(opts.Off, opts.First) {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("%w: %q", ErrUnknownDialect, name)
		}
	}
	for _, c := range opts.Custom {
		if _, taken := known[c.Name]; taken || c.Name == "" || c.When == nil {
			return nil, fmt.Errorf("%w: %q", ErrCustomDialect, c.Name)
		}
		known[c.Name] = -1
	}
	var chosen []Dialect
	for _, name := range opts.First {
		chosen = append(chosen, all[known[name]])
	}
	for _, d := range all {
		if !slices.Contains(opts.First, d.Name) {
			chosen = append(chosen, d)
		}
	}
	return slices.DeleteFunc(chosen, func(d Dialect) bool { return slices.Contains(opts.Off, d.Name) }), nil
}

// Inspect reads one span. It returns nil for a span that is no tool call, and
// in any case what else its attributes hold. One pass over the attributes
// decides; a span that is no tool call costs no allocation.
func (r *Recognizer) Inspect(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) (*Observation, Seen) {
	candidates, seen := r.scanner.scan(sp)
	if len(r.custom) > 0 {
		if o := r.inspectCustom(rs, ss, sp); o != nil {
			return o, seen
		}
	}
	if candidates.any() {
		candidates = r.narrow(candidates, envelope{sp, ss.Scope(), sp.Name()})
	}
	if !candidates.any() {
		return nil, seen
	}
	v := r.view(rs, ss, sp)
	defer v.release()
	d, matched := r.match(v, candidates)
	if d == nil || r.vetoed(v) != "" {
		return nil, seen
	}
	return r.observe(v, d, matched), seen
}
