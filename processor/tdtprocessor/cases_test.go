// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadata"
)

// updateGolden rewrites the expected parts of the cases.
func updateGolden() bool { return os.Getenv("TDT_UPDATE") != "" }

// A caseSpan is a span as a case writes it. Ids are small numbers.
type caseSpan struct {
	Trace      int
	ID         int
	Parent     int
	Name       string
	Kind       string
	Scope      string
	Service    string
	Start, End int // seconds
	Unfinished bool
	Status     string
	State      string // trace state
	Attrs      yaml.Node
	Events     []struct {
		Name  string
		Attrs yaml.Node
	}
}

// A caseStep is a batch that arrives, time that passes, or a restart.
type caseStep struct {
	Wait    string
	Batch   []caseSpan
	Restart bool
}

// TestCasesGolden replays every case: a configuration, policies, and spans in
// the order in which they arrive. What comes out is compared with the case's
// file "out", and what the journal in $DIR/journal holds then with its file
// "records", where it has one.
func TestCasesGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files, "no cases: a moved directory must not pass")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { replayCase(t, file) })
	}
}

func replayCase(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	dir := t.TempDir()
	parts := map[string]string{}
	for _, f := range archive.Files {
		parts[f.Name] = string(f.Data)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), f.Data, 0o600))
	}
	var steps []caseStep
	decoder := yaml.NewDecoder(strings.NewReader(parts["in.yaml"]))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&steps))
	got := map[string]string{"out": runCase(t, strings.ReplaceAll(parts["config.yaml"], "$DIR", dir), steps)}
	if _, ok := parts["records"]; ok {
		got["records"] = renderJournal(t, filepath.Join(dir, "journal"))
	}
	for name, text := range got {
		if updateGolden() {
			rewritePart(archive, name, text)
			continue
		}
		assert.Equal(t, parts[name], text, "run make golden, then read the difference")
	}
	if updateGolden() {
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
	}
}

func rewritePart(archive *txtar.Archive, name, data string) {
	at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if at < 0 {
		archive.Files = append(archive.Files, txtar.File{Name: name})
		at = len(archive.Files) - 1
	}
	archive.Files[at].Data = []byte(data)
}

// runCase drives the processor through its factory's own parts with a clock of
// its own.
func runCase(t *testing.T, config string, steps []caseStep) string {
	clock := time.Unix(1_000_000, 0)
	sink := &caseSink{}
	begin := func() *tdtProcessor {
		p, _ := newTestProcessor(t, config)
		p.now = func() time.Time { return clock }
		p.emit = sink.runs
		require.NoError(t, p.start(context.Background(), componenttest.NewNopHost()))
		return p
	}
	p := begin()
	var out strings.Builder
	for i, step := range steps {
		if step.Restart {
			require.NoError(t, p.shutdown(context.Background()))
			fmt.Fprintf(&out, "== restart\n%s", sink.take())
			p = begin()
			continue
		}
		if step.Wait != "" {
			d, err := time.ParseDuration(step.Wait)
			require.NoError(t, err)
			clock = clock.Add(d)
			p.sweep(context.Background())
			fmt.Fprintf(&out, "== after %s\n%s", step.Wait, sink.take())
			continue
		}
		td := tracesOf(t, step.Batch)
		got, err := p.processTraces(context.Background(), td)
		fmt.Fprintf(&out, "== batch %d\n", i+1)
		if err != nil {
			fmt.Fprintf(&out, "error: %v\n", err)
			continue
		}
		out.WriteString(renderTraces(got))
		out.WriteString(sink.take())
	}
	require.NoError(t, p.shutdown(context.Background()))
	if rest := sink.take(); rest != "" {
		fmt.Fprintf(&out, "== at shutdown\n%s", rest)
	}
	return out.String()
}

type caseSink struct{ got strings.Builder }

func (s *caseSink) runs(_ context.Context, td ptrace.Traces) error {
	s.got.WriteString(renderTraces(td))
	return nil
}

func (s *caseSink) take() string {
	got := s.got.String()
	s.got.Reset()
	return got
}

func newTestProcessor(t testing.TB, config string) (*tdtProcessor, *Config) {
	t.Helper()
	var raw map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(config), &raw))
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.NewFromStringMap(raw).Unmarshal(cfg))
	require.NoError(t, confmap.Validate(cfg))
	p, err := newProcessor(processortest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	return p, cfg
}

var caseKinds = map[string]ptrace.SpanKind{
	"": ptrace.SpanKindInternal, "client": ptrace.SpanKindClient, "server": ptrace.SpanKindServer,
}

// tracesOf builds a batch: spans of one service and scope share a resource.
func tracesOf(t testing.TB, spans []caseSpan) ptrace.Traces {
	td := ptrace.NewTraces()
	groups := map[string]ptrace.SpanSlice{}
	for _, s := range spans {
		key := s.Service + "\x00" + s.Scope
		if _, ok := groups[key]; !ok {
			rs := td.ResourceSpans().AppendEmpty()
			if s.Service != "" {
				rs.Resource().Attributes().PutStr("service.name", s.Service)
			}
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName(s.Scope)
			groups[key] = ss.Spans()
		}
		fillSpan(t, groups[key].AppendEmpty(), s)
	}
	return td
}

func fillSpan(t testing.TB, span ptrace.Span, s caseSpan) {
	span.SetTraceID(pcommon.TraceID{15: byte(max(s.Trace, 1))})
	span.SetSpanID(pcommon.SpanID{7: byte(s.ID)})
	span.SetParentSpanID(pcommon.SpanID{7: byte(s.Parent)})
	span.SetName(s.Name)
	span.SetKind(caseKinds[s.Kind])
	span.TraceState().FromRaw(s.State)
	span.SetStartTimestamp(pcommon.Timestamp((1_000_000 + uint64(s.Start)) * 1e9))
	if !s.Unfinished {
		span.SetEndTimestamp(pcommon.Timestamp((1_000_000 + uint64(max(s.End, s.Start+1))) * 1e9))
	}
	if s.Status == "error" {
		span.Status().SetCode(ptrace.StatusCodeError)
	}
	fillAttrs(t, span.Attributes(), &s.Attrs)
	for _, e := range s.Events {
		event := span.Events().AppendEmpty()
		event.SetName(e.Name)
		fillAttrs(t, event.Attributes(), &e.Attrs)
	}
}

// fillAttrs writes the members of a mapping one by one, so that a case can
// repeat a key as a hostile sender can.
func fillAttrs(t testing.TB, attrs pcommon.Map, node *yaml.Node) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		var raw any
		require.NoError(t, node.Content[i+1].Decode(&raw))
		value := pcommon.NewValueEmpty()
		require.NoError(t, value.FromRaw(raw))
		appendAttr(attrs, node.Content[i].Value, value)
	}
}

// appendAttr adds a key even where it is there already: the wire can carry it
// twice, and the map's own methods cannot write that.
func appendAttr(attrs pcommon.Map, key string, value pcommon.Value) {
	if _, there := attrs.Get(key); !there {
		value.CopyTo(attrs.PutEmpty(key))
		return
	}
	placeholder := "\x00repeated"
	value.CopyTo(attrs.PutEmpty(placeholder))
	renameLast(attrs, placeholder, key)
}

// renameLast gives the attribute named from the name to, by way of the wire.
func renameLast(attrs pcommon.Map, from, to string) {
	td := ptrace.NewTraces()
	attrs.CopyTo(td.ResourceSpans().AppendEmpty().Resource().Attributes())
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	if err != nil {
		panic(err)
	}
	quotedFrom, _ := json.Marshal(from)
	quotedTo, _ := json.Marshal(to)
	again, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(strings.Replace(string(text), string(quotedFrom), string(quotedTo), 1)))
	if err != nil {
		panic(err)
	}
	again.ResourceSpans().At(0).Resource().Attributes().CopyTo(attrs)
}

// renderTraces shows each span with what was added to it, sorted, and nothing
// of what was there before.
func renderTraces(td ptrace.Traces) string {
	var out strings.Builder
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id, trace := span.SpanID(), span.TraceID()
				fmt.Fprintf(&out, "%d/%d %s\n", trace[15], id[7], span.Name())
				var lines []string
				for key, v := range span.Attributes().All() {
					if strings.HasPrefix(key, "assay.") {
						lines = append(lines, fmt.Sprintf("    %s: %s\n", key, v.AsString()))
					}
				}
				slices.Sort(lines)
				out.WriteString(strings.Join(lines, ""))
			}
		}
	}
	return out.String()
}
