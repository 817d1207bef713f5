// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// A caseStep is a batch that arrives, time that passes, a restart after it was
// down for so long, or a file that changes.
type caseStep struct {
	Wait    string
	Batch   []caseSpan
	Restart bool
	Kill    bool              // a restart without a shutdown
	Write   map[string]string // new texts of files in $DIR, which are read again

	Instance int // that the batch goes to, where there are several
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
	got := map[string]string{"out": runCase(t, dir, strings.ReplaceAll(parts["config.yaml"], "$DIR", dir), steps)}
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

// runCase drives the processor through its factory's own parts.
func runCase(t *testing.T, dir, config string, steps []caseStep) string {
	s := &stage{t: t, dir: dir, config: config, storage: newFakeStorage(), instances: map[int]*tdtProcessor{}}
	s.clock.Store(1_000_000)
	s.instance(0)
	for i, step := range steps {
		s.play(i+1, &step)
	}
	for _, i := range slices.Sorted(maps.Keys(s.instances)) {
		require.NoError(t, s.instances[i].shutdown(context.Background()))
	}
	if rest := s.sink.take(); rest != "" {
		fmt.Fprintf(&s.out, "== at shutdown\n%s", rest)
	}
	return s.out.String()
}

// A stage is where a case is played: with a clock of its own, in whole seconds,
// and a storage that outlives the processor.
type stage struct {
	t           *testing.T
	dir, config string
	clock       atomic.Int64
	storage     *fakeStorage
	sink        caseSink
	instances   map[int]*tdtProcessor
	out         strings.Builder
}

func (s *stage) instance(i int) *tdtProcessor {
	if p, ok := s.instances[i]; ok {
		return p
	}
	p, _ := newTestProcessor(s.t, s.config)
	p.now = func() time.Time { return time.Unix(s.clock.Load(), 0) }
	p.every, p.emit = time.Hour, s.sink.runs
	require.NoError(s.t, p.start(context.Background(), hostWith(s.storage)))
	s.instances[i] = p
	return p
}

func (s *stage) play(n int, step *caseStep) {
	ctx, p := context.Background(), s.instance(step.Instance)
	pass := func() {
		d, err := time.ParseDuration(cmp.Or(step.Wait, "0"))
		require.NoError(s.t, err)
		s.clock.Add(int64(d.Seconds()))
	}
	switch {
	case step.Restart:
		require.NoError(s.t, p.shutdown(ctx))
		s.tell("restart", s.sink.take())
	case step.Kill:
		s.kill(p)
		s.tell("killed", "")
	case step.Wait != "":
		pass()
		for _, i := range slices.Sorted(maps.Keys(s.instances)) {
			s.instances[i].sweep(ctx)
		}
		s.tell("after "+step.Wait, s.sink.take())
	case step.Write != nil:
		for name, text := range step.Write {
			require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600))
		}
		p.reloader.reload()
		s.tell("reload", "")
	default:
		s.tell(fmt.Sprintf("batch %d", n), s.consume(p, step.Batch))
	}
	if step.Restart || step.Kill {
		pass()
		delete(s.instances, step.Instance)
		s.instance(step.Instance)
	}
}

func (s *stage) tell(what, then string) { fmt.Fprintf(&s.out, "== %s\n%s", what, then) }

func (s *stage) consume(p *tdtProcessor, batch []caseSpan) string {
	got, err := p.processTraces(context.Background(), tracesOf(s.t, batch))
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	return renderTraces(got) + s.sink.take()
}

// kill ends a processor without closing its runs. Only what a dead process lets
// go of by itself is let go of.
func (s *stage) kill(p *tdtProcessor) {
	p.stop()
	p.done.Wait()
	p.reloader.shutdown()
	if p.journal != nil {
		require.NoError(s.t, p.journal.shutdown(context.Background()))
	}
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
