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
