// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// variantFaults says how each variant of a bundle that is refused as a whole is
// refused here.
var variantFaults = map[string][2]string{
	"bad_root":         {"root_differs", "manifest.json:bundle_id"},
	"blank_line":       {"blank_line", ""},
	"deep_payload":     {"too_deep", ""},
	"dot_prefix":       {"unexpected_entry", ""},
	"duplicate_member": {"duplicate_key", ""},
	"event_count":      {"count_differs", "manifest.json:event_count"},
	"gap":              {"sequence_gap", "assayseq"},
	"no_git":           {"missing", "assaygit"},
	"no_hash":          {"missing", "assaycontenthash"},
	"no_producer":      {"missing", "assayproducer"},
	"other_run":        {"other_run", "assayrunid"},
	"source_not_uri":   {"malformed", "source"},
}

func TestVariantsAreAnsweredAsTheReferenceDoes(t *testing.T) {
	var expected map[string]struct {
		Note          string   `json:"note"`
		Exit          int      `json:"exit"`
		Refused       string   `json:"refused"`
		OK            bool     `json:"ok"`
		Carriers      int      `json:"carriers"`
		Rows          int      `json:"rows"`
		Verified      int      `json:"verified_rows"`
		Failed        []string `json:"failed"`
		ProjectExit   int      `json:"project_exit"`
		ProjectWrites bool     `json:"project_writes"`
	}
	unmarshalStrict(t, readVector(t, "interop/variants/expected.json"), &expected)
	files, err := filepath.Glob(filepath.Join(vectorDir, "interop/variants/*.tar.gz"))
	require.NoError(t, err)
	require.Len(t, files, len(expected))
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			bundle := readVector(t, "interop/variants/"+name+".tar.gz")
			_, report, err := VerifyBundle(bytes.NewReader(bundle), BundleLimits{})
			assert.Equal(t, want.Exit == 0, err == nil, "%v", err)
			if want.Refused != "" {
				fault, field, ok := FaultOf(err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, variantFaults[name], [2]string{fault.String(), field})
			} else {
				assert.Equal(t, [3]int{want.Carriers, want.Rows, want.Verified}, [3]int{report.Carriers, report.Rows, report.Verified})
			}
			projection, err := projectBundle(bundle)
			assert.Equal(t, want.ProjectWrites, err == nil && projection != nil)
		})
	}
}

func projectBundle(bundle []byte) (*Projection, error) {
	p := NewProjector()
	_, err := ReadBundle(bytes.NewReader(bundle), BundleLimits{}, func(e *Event) error { p.AddEvent(e); return nil })
	if err != nil {
		return nil, err
	}
	return p.Project()
}

func TestInteropBundles(t *testing.T) {
	for _, name := range []string{"bundle_0", "bundle_1"} {
		m, report, err := VerifyBundle(bytes.NewReader(readVector(t, "interop/"+name+".tar.gz")), BundleLimits{})
		require.NoError(t, err)
		assert.Equal(t, Report{Carriers: 1, Rows: 1, Verified: 1}, report)
		assert.Equal(t, "assay-cli 5.4.0", m.Producer+" "+m.ProducerVersion)
	}
	_, _, err := VerifyBundle(bytes.NewReader(readVector(t, "interop/bundle_tampered.tar.gz")), BundleLimits{})
	requireRefusal(t, err)

	projection, err := projectBundle(readVector(t, "interop/bundle_0.tar.gz"))
	require.NoError(t, err)
	want := string(readVector(t, "interop/projection_0.json"))
	assert.JSONEq(t, withoutProse(t, want), withoutProse(t, projectionText(t, projection)))
	prose := strings.Index(want, `  "non_claims"`)
	assert.Equal(t, want[:prose], projectionText(t, projection)[:prose], "and laid out alike")
}

// importedBundle is what the reference's import makes of a bare carrier.
func importedBundle(t testing.TB, carrier, runID string) []byte {
	t.Helper()
	rec, err := Import(carrier)
	require.NoError(t, err)
	row, err := BindImported(&rec, EventRef(runID, 0))
	require.NoError(t, err)
	e := Event{
		Source: "urn:assay:external:tool-decision-truth", Time: "2026-01-02T03:04:05Z", RunID: runID,
		Producer: "assay-cli", ProducerVersion: "5.4.0", Git: "unknown",
	}
	return bundleOf(t, e, func(w *BundleWriter) {
		e.SetRecord(&rec)
		addEvent(t, w, &e)
		e.Seq = 1
		e.SetRow(&row)
		addEvent(t, w, &e)
	})
}

func bundleOf(t testing.TB, e Event, fill func(*BundleWriter)) []byte {
	t.Helper()
	var spool memoryFile
	w := NewBundleWriter(&spool)
	fill(w)
	var out bytes.Buffer
	_, err := w.Finish(&out, e.Producer, e.ProducerVersion)
	require.NoError(t, err)
	return out.Bytes()
}

func addEvent(t testing.TB, w *BundleWriter, e *Event) {
	t.Helper()
	line, err := AppendEvent(nil, e)
	require.NoError(t, err)
	require.NoError(t, w.Add(string(line)))
}

// A memoryFile is a spool in memory.
type memoryFile struct {
	body []byte
	at   int
}

func (m *memoryFile) Write(p []byte) (int, error) { m.body = append(m.body, p...); return len(p), nil }

func (m *memoryFile) Read(p []byte) (int, error) {
	if m.at == len(m.body) {
		return 0, io.EOF
	}
	n := copy(p, m.body[m.at:])
	m.at += n
	return n, nil
}

func (m *memoryFile) Seek(offset int64, _ int) (int64, error) { m.at = int(offset); return offset, nil }

func TestBundlesAreWrittenAsTheReferenceWritesThem(t *testing.T) {
	for i, name := range []string{"0", "1"} {
		got := untar(t, importedBundle(t, string(readVector(t, "interop/carrier_"+name+".json")), "interop-"+name))
		want := untar(t, readVector(t, "interop/bundle_"+name+".tar.gz"))
		assert.Equal(t, want, got, "bundle %d, byte for byte", i)
	}
}

// plainBundle is a bundle that verifies, as entries to be spoiled.
func plainBundle(t testing.TB) (manifest, events string) {
	t.Helper()
	entries := untar(t, readVector(t, "interop/variants/plain.tar.gz"))
	return entries[entryManifest], entries[entryEvents]
}

type entry struct {
	name, body string
	kind       byte
}

func archiveOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	a := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Size: int64(len(e.body)), Mode: 0o644, Typeflag: tar.TypeReg}
		if e.kind != 0 {
			h.Typeflag, h.Linkname = e.kind, "x"
		}
		require.NoError(t, a.WriteHeader(h))
		_, err := a.Write([]byte(e.body))
		require.NoError(t, err)
	}
	require.NoError(t, a.Close())
	require.NoError(t, z.Close())
	return out.Bytes()
}

func gzipped(t testing.TB, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(body)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.Bytes()
}

func TestArchivesThatAreNoBundle(t *testing.T) {
	manifest, events := plainBundle(t)
	m, ev := entry{name: entryManifest, body: manifest}, entry{name: entryEvents, body: events}
	plain := archiveOf(t, m, ev)
	_, _, err := VerifyBundle(bytes.NewReader(plain), BundleLimits{})
	require.NoError(t, err)
	raw, err := io.ReadAll(must(gzip.NewReader(bytes.NewReader(plain))))
	require.NoError(t, err)
	flipped := bytes.Clone(plain)
	flipped[len(flipped)-6] ^= 1
	for _, tt := range []struct {
		name   string
		bundle []byte
		fault  Fault
		field  string
	}{
		{"nothing", nil, FaultTruncated, ""},
		{"a text", []byte("{}"), FaultNotGzip, ""},
		{"one byte", []byte("\x1f"), FaultTruncated, ""},
		{"a gzip header that is none", []byte("\x1f\x8b" + strings.Repeat("x", 20)), FaultNotGzip, ""},
		{"a gzip of a text", gzipped(t, bytes.Repeat([]byte("x"), 2048)), FaultNotTar, ""},
		{"a gzip of nothing", gzipped(t, nil), FaultMissingEntry, entryManifest},
		{"a wrong checksum", flipped, FaultCorrupt, ""},
		{"a tar that ends early", gzipped(t, raw[:2000]), FaultTruncated, ""},
		{"something behind the archive", gzipped(t, append(bytes.Clone(raw), 'x')), FaultTrailingData, ""},
		{"something behind the gzip", append(bytes.Clone(plain), 0), FaultTrailingData, ""},
		{"two bundles", append(bytes.Clone(plain), plain...), FaultTrailingData, ""},
		{"an empty archive", archiveOf(t), FaultMissingEntry, entryManifest},
		{"no events", archiveOf(t, m), FaultMissingEntry, entryEvents},
		{"no manifest", archiveOf(t, ev), FaultEntryOrder, entryEvents},
		{"events first", archiveOf(t, ev, m), FaultEntryOrder, entryEvents},
		{"two manifests", archiveOf(t, m, m, ev), FaultDuplicateEntry, entryManifest},
		{"two events", archiveOf(t, m, ev, ev), FaultDuplicateEntry, entryEvents},
		{"a third entry", archiveOf(t, m, ev, entry{name: "x"}), FaultUnexpectedEntry, ""},
		{"another entry first", archiveOf(t, entry{name: "x"}, m, ev), FaultUnexpectedEntry, ""},
		{"an entry that leaves the archive", archiveOf(t, entry{name: "../manifest.json", body: manifest}, ev), FaultUnsafePath, ""},
		{"an entry that leaves it further down", archiveOf(t, m, entry{name: "a/../../b"}), FaultUnsafePath, ""},
		{"an entry that leaves it the other way", archiveOf(t, m, entry{name: `..\b`}), FaultUnsafePath, ""},
		{"an absolute entry", archiveOf(t, m, entry{name: "/etc/passwd"}), FaultUnsafePath, ""},
		{"a capital letter", archiveOf(t, entry{name: "Manifest.json", body: manifest}, ev), FaultUnexpectedEntry, ""},
		{"a link", archiveOf(t, entry{name: entryManifest, kind: tar.TypeSymlink}, ev), FaultUnexpectedEntry, ""},
		{"a directory", archiveOf(t, entry{name: entryManifest, kind: tar.TypeDir}, ev), FaultUnexpectedEntry, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := VerifyBundle(bytes.NewReader(tt.bundle), BundleLimits{})
			requireFault(t, err, tt.fault, tt.field)
			_, _, again := VerifyBundle(iotest.OneByteReader(bytes.NewReader(tt.bundle)), BundleLimits{})
			assert.Equal(t, err, again, "however it is read")
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestEveryTruncationIsRefused(t *testing.T) {
	bundle := readVector(t, "interop/bundle_0.tar.gz")
	for n := range len(bundle) {
		_, _, err := VerifyBundle(bytes.NewReader(bundle[:n]), BundleLimits{})
		requireFault(t, err, FaultTruncated, "")
	}
}

func TestEveryFlippedByteIsRefusedOrDoesNotMatter(t *testing.T) {
	bundle := readVector(t, "interop/bundle_0.tar.gz")
	want, _, err := VerifyBundle(bytes.NewReader(bundle), BundleLimits{})
	require.NoError(t, err)
	for i := range bundle {
		spoiled := bytes.Clone(bundle)
		spoiled[i] ^= 0x41
		m, _, err := VerifyBundle(bytes.NewReader(spoiled), BundleLimits{})
		if err == nil { // a byte of the gzip header, such as its time
			require.Less(t, i, 10)
			require.Equal(t, want, m)
			continue
		}
		requireRefusal(t, err)
	}
}

func TestManifestsThatLie(t *testing.T) {
	manifest, events := plainBundle(t)
	other := quote(string(canon.Sum(nil)))
	mutations := []mutation{
		{field: "schema_version", value: "2", fault: FaultUnexpectedValue},
		{field: "schema_version", value: "1.0", fault: FaultNotInteger},
		{field: "bundle_id", value: other, fault: FaultRootDiffers},
		{field: "run_root", value: other, fault: FaultRootDiffers, in: "bundle_id"},
		{field: "event_count", value: "-1", fault: FaultNotInteger},
		{field: "event_count", value: "7", fault: FaultCountDiffers},
		{field: "event_count", value: "6.0", fault: FaultNotInteger},
		{field: "algorithms.canon", value: `"x"`, fault: FaultUnexpectedValue},
		{field: "algorithms.hash", value: `"sha512"`, fault: FaultUnexpectedValue},
		{field: "algorithms.root", value: `""`, fault: FaultUnexpectedValue},
		{field: "files.x", value: "{}", fault: FaultUnexpectedEntry, in: "files"},
		{field: "run_id", value: `"other"`, fault: FaultOtherRun, in: "assayrunid"},
		{field: "run_id", value: `""`, fault: FaultOtherRun, in: "assayrunid"},
		{field: "x-note", value: "{}"},
		{field: "producer.git", value: `"abc"`},
		{field: "producer.name", value: `"x"`},
	}
	for _, f := range []string{"run_id", "producer.name", "producer.version", "algorithms.canon", "algorithms.hash", "algorithms.root"} {
		mutations = append(mutations, typeMutations(f, "string")...)
	}
	for _, f := range []string{"algorithms", "files", "producer"} {
		mutations = append(mutations, typeMutations(f, "object")...)
	}
	for _, f := range []string{"schema_version", "event_count"} {
		mutations = append(mutations, typeMutations(f, "number")...)
	}
	for _, f := range []string{"bundle_id", "run_root"} {
		mutations = append(mutations, typeMutations(f, "string")...)
		mutations = append(mutations, digestMutations(f, string(canon.Sum(nil)))...)
	}
	for _, m := range mutations {
		t.Run(m.field+" is "+m.value, func(t *testing.T) { requireLie(t, withMember(t, manifest, m.field, m.value), events, m) })
	}
}

// requireLie requires the bundle of manifest and events to be refused for the
// mutation m of the manifest.
func requireLie(t *testing.T, manifest, events string, m mutation) {
	t.Helper()
	_, _, err := VerifyBundle(bytes.NewReader(archiveOf(t, entry{name: entryManifest, body: manifest}, entry{name: entryEvents, body: events})), BundleLimits{})
	if m.fault == 0 {
		require.NoError(t, err)
		return
	}
	if m.in == "" {
		m.in = m.field
	}
	if !strings.HasPrefix(m.in, "assay") {
		m.in = "manifest.json:" + m.in
	}
	requireFault(t, err, m.fault, m.in)
}

func TestManifestsThatLieOfTheFile(t *testing.T) {
	manifest, events := plainBundle(t)
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(manifest), &doc))
	for _, tt := range []struct {
		member string
		value  any
		fault  Fault
	}{
		{"path", "x", FaultUnexpectedValue},
		{"path", nil, FaultWrongType},
		{"sha256", string(canon.Sum(nil)), FaultHashDiffers},
		{"sha256", "", FaultMalformed},
		{"bytes", 1, FaultSizeDiffers},
		{"bytes", -1, FaultNotInteger},
		{"bytes", "6423", FaultWrongType},
	} {
		file := doc["files"].(map[string]any)[entryEvents].(map[string]any)
		before := file[tt.member]
		file[tt.member] = tt.value
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		file[tt.member] = before
		requireLie(t, string(text), events, mutation{field: "files.events.ndjson." + tt.member, fault: tt.fault})
	}
	for name, text := range map[string]string{
		"no text": "", "a list": "[]", "a member twice": `{"run_id":"x",` + manifest[1:],
	} {
		_, _, err := VerifyBundle(bytes.NewReader(archiveOf(t, entry{name: entryManifest, body: text}, entry{name: entryEvents, body: events})), BundleLimits{})
		_, field, ok := FaultOf(err)
		require.True(t, ok, name)
		assert.Equal(t, entryManifest, field, name)
	}
}

// sealed is a bundle of these lines whose manifest says the truth of them.
func sealed(t testing.TB, events string) []byte {
	t.Helper()
	m := Manifest{Producer: "x", ProducerVersion: "1", RunID: "run-1", EventsBytes: int64(len(events)), EventsDigest: canon.Sum([]byte(events))}
	var root strings.Builder
	for line := range strings.Lines(events) {
		m.EventCount++
		var e struct {
			Hash string `json:"assaycontenthash"`
		}
		if json.Unmarshal([]byte(line), &e) == nil {
			root.WriteString(e.Hash + "\n")
		}
	}
	m.RunRoot = canon.Sum([]byte(root.String()))
	return archiveOf(t, entry{name: entryManifest, body: string(m.AppendJSON(nil))}, entry{name: entryEvents, body: events})
}

func exampleLine(t testing.TB, seq int64, mutate func(*Event)) string {
	t.Helper()
	e := exampleEvent()
	e.Seq = seq
	if mutate != nil {
		mutate(&e)
	}
	line, err := AppendEvent(nil, &e)
	require.NoError(t, err)
	return string(line)
}

func TestEventsOfABundle(t *testing.T) {
	first := exampleLine(t, 0, nil) + "\n"
	for _, tt := range []struct {
		name, events string
		fault        Fault // 0: accepted
		field        string
		at           int64 // -1: not about one event
	}{
		{"one event", first, 0, "", 0},
		{"a last line without its end", first + exampleLine(t, 1, nil), 0, "", 0},
		{"lines that end in CR LF", strings.ReplaceAll(first, "\n", "\r\n"), 0, "", 0},
		{"no event", "", FaultNoEvents, entryEvents, -1},
		{"a first event that is not 0", exampleLine(t, 1, nil) + "\n", FaultSequenceGap, "assayseq", 0},
		{"an event twice", first + first, FaultSequenceGap, "assayseq", 1},
		{"a gap", first + exampleLine(t, 2, nil), FaultSequenceGap, "assayseq", 1},
		{"another run", first + exampleLine(t, 1, func(e *Event) { e.RunID = "run-2" }), FaultOtherRun, "assayrunid", 1},
		{"another source", first + exampleLine(t, 1, func(e *Event) { e.Source = "urn:other" }), FaultOtherSource, "source", 1},
		{"a blank line first", "\n" + first, FaultBlankLine, "", 0},
		{"a blank line last", first + "\n", FaultBlankLine, "", 1},
		{"a blank line with CR", first + "\r\n", FaultBlankLine, "", 1},
		{"a line of spaces", first + "  \n", FaultNotJSON, "", 1},
		{"a byte order mark", "\ufeff" + first, FaultNotJSON, "", 0},
		{"a line that is too long", first + strings.Repeat("x", MaxEventBytes+5), FaultLineTooLong, "", 1},
		{"a line that is a little too long", first + strings.Repeat("x", MaxEventBytes+1), FaultLineTooLong, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadBundle(bytes.NewReader(sealed(t, tt.events)), BundleLimits{}, func(*Event) error { return nil })
			if tt.fault == 0 {
				require.NoError(t, err)
				return
			}
			requireFault(t, err, tt.fault, tt.field)
			var where *RecordError
			if tt.at < 0 {
				assert.NotErrorAs(t, err, &where)
				return
			}
			require.ErrorAs(t, err, &where)
			assert.Equal(t, tt.at, where.Position)
			assert.Equal(t, KindEvent, where.Kind)
		})
	}
}

func TestBundleLimits(t *testing.T) {
	manifest, events := plainBundle(t)
	plain := archiveOf(t, entry{name: entryManifest, body: manifest}, entry{name: entryEvents, body: events})
	raw, err := io.ReadAll(must(gzip.NewReader(bytes.NewReader(plain))))
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		limits BundleLimits
		field  string
	}{
		{"compressed", BundleLimits{Compressed: int64(len(plain)) - 1}, ""},
		{"decompressed", BundleLimits{Decompressed: int64(len(raw)) - 1}, ""},
		{"manifest", BundleLimits{Manifest: int64(len(manifest)) - 1}, entryManifest},
		{"events", BundleLimits{Events: int64(len(events)) - 1}, entryEvents},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := VerifyBundle(bytes.NewReader(plain), tt.limits)
			requireFault(t, err, FaultTooLarge, tt.field)
		})
	}
	exact := BundleLimits{Compressed: int64(len(plain)), Decompressed: int64(len(raw)), Manifest: int64(len(manifest)), Events: int64(len(events))}
	_, _, err = VerifyBundle(bytes.NewReader(plain), exact)
	require.NoError(t, err)
}

// zeros is an endless stream.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestBombsAreRefusedByTheirSize(t *testing.T) {
	manifest, _ := plainBundle(t)
	behind := func(n int64) []byte {
		var out bytes.Buffer
		z := must(gzip.NewWriterLevel(&out, gzip.BestSpeed))
		a := tar.NewWriter(z)
		require.NoError(t, a.WriteHeader(&tar.Header{Name: entryManifest, Size: int64(len(manifest)), Mode: 0o644, Typeflag: tar.TypeReg}))
		_, err := a.Write([]byte(manifest))
		require.NoError(t, err)
		require.NoError(t, a.Flush())
		_, err = io.CopyN(z, zeros{}, n)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return out.Bytes()
	}
	_, _, err := VerifyBundle(bytes.NewReader(behind(64<<20)), BundleLimits{Decompressed: 16 << 20})
	requireRefusal(t, err)

	huge := archiveOf(t, entry{name: entryManifest, body: strings.Repeat(" ", 11<<20)})
	_, _, err = VerifyBundle(bytes.NewReader(huge), BundleLimits{})
	requireFault(t, err, FaultTooLarge, entryManifest)
}

func TestTooManyEvents(t *testing.T) {
	b := bundleReader{visit: func(*Event) error { return nil }, log: newEventLog()}
	b.log.count, b.log.source = MaxBundleEvents-1, "urn:example:tdt"
	require.NoError(t, b.event(exampleLine(t, MaxBundleEvents-1, nil)))
	requireFault(t, b.event(exampleLine(t, MaxBundleEvents, nil)), FaultTooManyEvents, "")

	w := NewBundleWriter(&memoryFile{})
	w.log.count = MaxBundleEvents
	requireFault(t, w.Add(exampleLine(t, MaxBundleEvents, nil)), FaultTooManyEvents, "")
}

func TestReadBundleReturnsErrorsOfOthersAsTheyAre(t *testing.T) {
	bundle := readVector(t, "interop/bundle_0.tar.gz")
	mine := errors.New("mine")
	for _, want := range []error{mine, io.EOF, io.ErrUnexpectedEOF, gzip.ErrChecksum} {
		_, err := ReadBundle(bytes.NewReader(bundle), BundleLimits{}, func(*Event) error { return want })
		assert.Equal(t, want, err, "of the visitor")
	}
	for _, n := range []int{0, 1, 9, 10, 100, len(bundle) - 1} {
		broken := io.MultiReader(bytes.NewReader(bundle[:n]), iotest.ErrReader(mine))
		_, err := ReadBundle(broken, BundleLimits{}, func(*Event) error { return nil })
		require.ErrorIs(t, err, mine, "of the reader after %d bytes", n)
		assert.False(t, isRefusal(err), "a disk that fails is no bad bundle")
	}
}

func TestBundleWriterRefusesWhatReadBundleWould(t *testing.T) {
	w := NewBundleWriter(&memoryFile{})
	_, err := w.Finish(io.Discard, "x", "1")
	requireFault(t, err, FaultNoEvents, entryEvents)
	requireFault(t, w.Add("{"), FaultNotJSON, "")
	requireFault(t, w.Add(exampleLine(t, 1, nil)), FaultSequenceGap, "assayseq")
	require.NoError(t, w.Add(exampleLine(t, 0, nil)))
	requireFault(t, w.Add(exampleLine(t, 0, nil)), FaultSequenceGap, "assayseq")
	requireFault(t, w.Add(exampleLine(t, 1, func(e *Event) { e.RunID = "other" })), FaultOtherRun, "assayrunid")
	requireFault(t, w.Add(exampleLine(t, 1, func(e *Event) { e.Source = "urn:other" })), FaultOtherSource, "source")
	requireFault(t, w.Add(strings.Replace(exampleLine(t, 1, nil), ",", ",\n", 1)), FaultMalformed, "")
	var out bytes.Buffer
	_, err = w.Finish(&out, "\xff", "1")
	require.NoError(t, err, "what is no UTF-8 is replaced")
	_, err = ReadBundle(&out, BundleLimits{}, func(*Event) error { return nil })
	require.NoError(t, err)
}

func TestBundleWriterReportsASpoolOrWriterThatFails(t *testing.T) {
	full := NewBundleWriter(&fullFile{})
	err := full.Add(exampleLine(t, 0, nil))
	for seq := int64(1); err == nil; seq++ {
		err = full.Add(exampleLine(t, seq, nil))
	}
	require.ErrorIs(t, err, errFull)
	for after := range 3 {
		w := NewBundleWriter(&memoryFile{})
		require.NoError(t, w.Add(exampleLine(t, 0, nil)))
		_, err := w.Finish(&failingWriter{after: after * 50}, "x", "1")
		require.ErrorIs(t, err, errFull)
	}
}

// A fullFile takes nothing.
type fullFile struct{ memoryFile }

func (*fullFile) Write([]byte) (int, error) { return 0, errFull }

func TestEqualEventsMakeEqualBundles(t *testing.T) {
	carrier := string(readVector(t, "interop/carrier_0.json"))
	assert.Equal(t, importedBundle(t, carrier, "r"), importedBundle(t, carrier, "r"))
}

func TestBundleHoldsOrdersThatNoDoubleHolds(t *testing.T) {
	in := exampleInput(t)
	in.Order = 1<<63 - 1
	rec, err := Build(in)
	require.NoError(t, err)
	foreign := withMember(t, string(rec.AppendJSON(nil)), "note", "1.50")
	for _, carrier := range []string{string(rec.AppendJSON(nil)), foreign} {
		bundle := importedBundle(t, carrier, "r")
		_, report, err := VerifyBundle(bytes.NewReader(bundle), BundleLimits{})
		require.NoError(t, err)
		assert.Equal(t, 1, report.Verified)
		assert.Contains(t, untar(t, bundle)[entryEvents], `"order":9223372036854775807`)
	}
}

func FuzzReadBundle(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(vectorDir, "interop/variants/*.tar.gz"))
	require.NoError(f, err)
	for _, name := range files {
		entries := untar(f, readVector(f, "interop/variants/"+filepath.Base(name)))
		f.Add(entries[entryManifest], entries[entryEvents], uint64(0))
	}
	f.Fuzz(func(t *testing.T, manifest, events string, seed uint64) {
		bundle := archiveOf(t, entry{name: entryManifest, body: manifest}, entry{name: entryEvents, body: events})
		if seed != 0 {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 1 + r.IntN(4) {
				bundle[r.IntN(len(bundle))] ^= byte(1 + r.IntN(255))
			}
		}
		var v Verifier
		m, err := ReadBundle(bytes.NewReader(bundle), BundleLimits{Decompressed: 1 << 24}, func(e *Event) error { v.AddEvent(e); return nil })
		if err != nil {
			require.True(t, isRefusal(err), "every refusal has a fault: %v", err)
			return
		}
		if _, err := v.Finish(); err != nil {
			require.True(t, isRefusal(err))
		}
		_, err = ParseManifest(string(m.AppendJSON(nil)))
		require.NoError(t, err)
	})
}

// benchEvents is the events of n decisions.
func benchEvents(b *testing.B, n int) (lines []string, size int64) {
	b.Helper()
	s := newTestSet(b, n)
	e := exampleEvent()
	for i := range s.rows {
		rec, err := Import(s.carriers[i])
		require.NoError(b, err)
		row, err := ReadRow(s.rows[i])
		require.NoError(b, err)
		for k, set := range []func(){func() { e.SetRecord(&rec) }, func() { e.SetRow(&row) }} {
			e.Seq = int64(2*i + k)
			set()
			line, err := AppendEvent(nil, &e)
			require.NoError(b, err)
			lines = append(lines, string(line))
			size += int64(len(line)) + 1
		}
	}
	return lines, size
}

func BenchmarkBundleWrite(b *testing.B) {
	lines, size := benchEvents(b, 2000)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		w := NewBundleWriter(&memoryFile{})
		for _, line := range lines {
			if err := w.Add(line); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := w.Finish(io.Discard, "x", "1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBundleVerify(b *testing.B) {
	lines, size := benchEvents(b, 2000)
	bundle := bundleOf(b, exampleEvent(), func(w *BundleWriter) {
		for _, line := range lines {
			require.NoError(b, w.Add(line))
		}
	})
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := VerifyBundle(bytes.NewReader(bundle), BundleLimits{}); err != nil {
			b.Fatal(err)
		}
	}
}
