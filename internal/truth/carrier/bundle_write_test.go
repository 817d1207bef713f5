// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
