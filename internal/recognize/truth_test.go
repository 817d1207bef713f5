// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A recording is one capture as the Recognizer and Fold see it.
type recording struct {
	truthCapture
	spans  []Span
	names  map[int]string
	values map[int]string // all attribute values of a span, to look for ids in
	index  map[string]int
	groups []Group
	group  map[int]int // span to group
}

func record(t testing.TB, r *Recognizer, c truthCapture) *recording {
	t.Helper()
	rec := &recording{truthCapture: c, names: map[int]string{}, values: map[int]string{}, index: map[string]int{}, group: map[int]int{}}
	for i, p := range readCapture(t, filepath.Join(captures, c.File)) {
		o, _ := r.Inspect(p.rs, p.ss, p.span)
		rec.spans = append(rec.spans, SpanOf(p.span, o))
		rec.names[i], rec.index[p.id()] = p.span.Name(), i
		rec.values[i] = fmt.Sprint(p.span.Attributes().AsRaw())
		for _, e := range p.span.Events().All() {
			rec.values[i] += fmt.Sprint(e.Attributes().AsRaw())
		}
	}
	rec.groups = Fold(rec.spans)
	for g, group := range rec.groups {
		for _, m := range group.Members {
			rec.group[m] = g
		}
	}
	return rec
}

// A score counts what of the executions with a span was found right, and what
// was taken that is no call.
type score struct{ want, right, taken, wrong int }

func (s score) precision() float64 { return 1 - ratio(s.wrong, s.taken) }
func (s score) recall() float64    { return 1 - ratio(s.want-s.right, s.want) }

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// TestCapturesGolden holds everything that testdata/captures/truth.json says of the
// recordings: each execution that has a span is found, with its tool, its
// arguments and its call id as its spans carry them; nothing else is taken;
// its duplicates are folded where that can be proven. It prints precision and
// recall per framework, and compares what cannot be proven with
// docs/duplicates.md.
func TestCapturesGolden(t *testing.T) {
	r := newRecognizer(t, Options{})
	scores := map[string]score{}
	var unproven []string
	for _, c := range readTruth(t) {
		rec := record(t, r, c)
		s := scores[c.Framework]
		unproven = append(unproven, rec.executions(t, &s)...)
		rec.others(t, &s)
		scores[c.Framework] = s
	}
	var total score
	for _, framework := range slices.Sorted(maps.Keys(scores)) {
		s := scores[framework]
		t.Logf("%-62s precision %.3f  recall %.3f  (%d of %d executions)", framework, s.precision(), s.recall(), s.right, s.want)
		assert.InDelta(t, 1, s.precision(), 0, "precision of %s", framework)
		assert.InDelta(t, 1, s.recall(), 0, "recall of %s", framework)
		total = score{total.want + s.want, total.right + s.right, total.taken + s.taken, total.wrong + s.wrong}
	}
	t.Logf("%-62s precision %.3f  recall %.3f  (%d of %d executions)", "all", total.precision(), total.recall(), total.right, total.want)
	golden(t, "../../docs/duplicates.md", duplicatesDocument(unproven))
}

// executions checks every execution that has a span, and lists the duplicates
// that stay apart.
func (rec *recording) executions(t *testing.T, s *score) (unproven []string) {
	owner := map[int]int{}
	for _, e := range rec.Executions {
		if e.Span == nil {
			continue
		}
		s.want++
		at := rec.index[e.Span.id()]
		g, found := rec.group[at]
		if !assert.True(t, found, "%s: execution %d: span %q is not taken", rec.File, e.Order, e.Span.Name) {
			continue
		}
		if other, taken := owner[g]; taken && rec.spans[at].Observation.Others == nil && rec.spans[at].Observation.Tool != "" {
			assert.Fail(t, "two executions in one call", "%s: %d and %d", rec.File, other, e.Order)
		}
		owner[g] = e.Order
		if rec.execution(t, e.Order, rec.pick(g, e.CallID, e.Args)) {
			s.right++
		}
		for _, d := range e.Duplicates {
			i := rec.index[d.id()]
			if dup, taken := rec.group[i]; !taken || dup != g {
				unproven = append(unproven, fmt.Sprintf("%s\t%s\t%s", rec.File, d.Name, e.Span.Name))
			}
		}
	}
	return unproven
}

// pick returns the call of group g, or, where its span covers several, the one
// that is meant.
func (rec *recording) pick(g int, callID *string, args json.RawMessage) Observation {
	call := rec.groups[g].Call(rec.spans)
	for _, o := range call.Others {
		if callID != nil && o.CallID == *callID || o.Args.Captured() && canonical(string(args)) == canonical(o.Args.Text) {
			return o
		}
	}
	return call
}

func (rec *recording) execution(t *testing.T, order int, got Observation) bool {
	e := rec.Executions[slices.IndexFunc(rec.Executions, func(e execution) bool {
		return e.Order == order
	})]
	where := fmt.Sprintf("%s: execution %d (%s)", rec.File, order, got.Dialect)
	carried := rec.carried(append([]truthSpan{*e.Span}, e.Duplicates...))

	var named *string
	if e.NameOnSpan != nil {
		require.NoError(t, json.Unmarshal(e.NameOnSpan, &named))
	}
	ok := assert.True(t, nameFits(got.Tool, e.Tool, named, carried), "%s: tool %q", where, got.Tool)
	ok = rec.argsFit(t, where, got.Args, string(e.Args), e.Recorded) && ok
	if e.CallID != nil && strings.Contains(carried, *e.CallID) {
		ok = assert.Equal(t, *e.CallID, got.CallID, "%s: call id", where) && ok
	}
	if e.Outcome == "error" {
		ok = assert.NotEqual(t, truth.ResultOK, got.Result, "%s: a failure that its emitter shows is called ok", where) && ok
	} else {
		ok = assert.NotEqual(t, truth.ResultError, got.Result, "%s: a success is called error", where) && ok
	}
	return assert.Zero(t, got.Conflict, "%s: conflict", where) && ok
}

// carried is everything that the spans of one execution say.
func (rec *recording) carried(spans []truthSpan) string {
	var all strings.Builder
	for _, s := range spans {
		i := rec.index[s.id()]
		all.WriteString(rec.names[i] + " " + rec.values[i] + " ")
	}
	return all.String()
}

// nameFits: the tool's name, or the name that the span has for it, which may
// have a server's or plugin's name before it. A span without the name has none.
func nameFits(got, tool string, named *string, carried string) bool {
	switch {
	case got == tool, named != nil && got == *named:
		return true
	case got == "":
		return !strings.Contains(carried, tool)
	}
	return endsWithTool(got, tool) && strings.Contains(carried, got)
}

// argsFit: exactly the true arguments where they are recorded, never others
// where they are not. {} is right for a call without arguments. Where an
// emitter writes {} for every call, it cannot be told from a placeholder.
func (rec *recording) argsFit(t *testing.T, where string, got Args, want, recorded string) bool {
	empty := canonical(want) == "{}"
	if got.Captured() {
		return assert.NotEqual(t, "altered", recorded, "%s: altered arguments", where) &&
			assert.JSONEq(t, canonical(want), canonical(got.Text), "%s: arguments", where)
	}
	assert.NotEmpty(t, got.Why, "%s: no reason", where)
	switch {
	case recorded == "json" && empty:
		return assert.Contains(t, []truth.Reason{truth.ArgsPlaceholder, truth.ArgsAbsent}, got.Why, where)
	case recorded == "json" || recorded == "per_parameter":
		return assert.Fail(t, "arguments not read", "%s: %s from %s", where, got.Why, got.From)
	}
	return true
}

// others checks that everything that was taken is an execution or an attempt,
// and that each attempt is one call.
func (rec *recording) others(t *testing.T, s *score) {
	known := map[int]bool{}
	for _, e := range rec.Executions {
		for _, sp := range e.Duplicates {
			known[rec.index[sp.id()]] = true
		}
		if e.Span != nil {
			known[rec.index[e.Span.id()]] = true
		}
	}
	for _, l := range rec.Lookalikes {
		i := rec.index[l.id()]
		switch l.Kind {
		case "never":
			assert.Nil(t, rec.spans[i].Observation, "%s: %q must not be taken: %s", rec.File, l.Name, l.Reason)
		case "attempt":
			known[i] = true
		}
	}
	for _, group := range rec.groups {
		s.taken++
		if !slices.ContainsFunc(group.Members, func(m int) bool { return known[m] }) {
			s.wrong++
			assert.Fail(t, "taken and no call", "%s: %q", rec.File, rec.names[group.Members[0]])
		}
	}
}

func canonical(text string) string {
	var doc canon.Doc
	if doc.Parse(text, canon.Limits{}) != nil {
		return "not JSON"
	}
	return string(doc.Root().AppendJCS(nil))
}

func duplicatesDocument(unproven []string) string {
	counts := map[string]int{}
	for _, u := range unproven {
		counts[u]++
	}
	var b strings.Builder
	b.WriteString(`# Duplicates that stay apart

Some instrumentations write several spans for one call. They become one decision where something proves that they are one
(see ` + "`docs/dialects.md`" + `). This is what nothing proves, in the recordings under ` + "`testdata/captures`" + `: the spans lie in different traces
and share neither the model's call id nor a link, so that two equal calls would look just the same. Each of these spans is
judged as a call of its own, and counts as one in rules about numbers and order.

| recording | span | stands beside | calls |
|---|---|---|---|
`)
	for _, u := range slices.Sorted(maps.Keys(counts)) {
		f := strings.Split(u, "\t")
		fmt.Fprintf(&b, "| %s | `%s` | `%s` | %d |\n", f[0], f[1], f[2], counts[u])
	}
	b.WriteString(`
Who needs them as one call either turns one of the two instrumentations off, or propagates the trace context into it.
`)
	return b.String()
}

// golden compares text with a generated file, or writes it for make golden.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if os.Getenv("TDT_UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run make golden, then read the difference")
	was, is := strings.Split(string(want), "\n"), strings.Split(text, "\n")
	for i := range min(len(was), len(is)) {
		require.Equal(t, was[i], is[i], "%s:%d: run make golden, then read the difference", path, i+1)
	}
	require.Len(t, is, len(was), "%s: run make golden, then read the difference", path)
}
