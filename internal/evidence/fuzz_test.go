// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// seedJournal returns the segments of a small journal.
func seedJournal(f *testing.F) map[string][]byte {
	f.Helper()
	d := newDisk()
	cfg := diskConfig(f)
	cfg.SegmentBytes, cfg.CheckpointRecords = 4<<10, 2
	cfg.newID = func() (string, error) { return "00112233445566778899aabbccddeeff", nil } // the same in each process
	j := openDisk(f, d, cfg)
	for i := range 4 {
		appendEvents(f, j, testEvents("run-1", i, 1))
	}
	closeJournal(f, j)
	out := map[string][]byte{}
	for name, file := range d.files {
		out[name] = file.data
	}
	return out
}

// FuzzLine reads lines. One that is accepted by the journal's own reader and has
// a right content hash is an event for everybody.
func FuzzLine(f *testing.F) {
	for _, text := range seedJournal(f) {
		for _, line := range bytes.Split(text, newline) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"assaycontenthash":"","assaygit":"\"","data":{}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, ok := parseLine(text)
		if !ok {
			return
		}
		k := newWalker(nil)
		if !l.contentMatches(k.hash, &k.sum) {
			return
		}
		require.Equal(t, l.eventType, text[len(l.event)-1-len(l.eventType):len(l.event)-1])
		e, err := carrier.ParseEvent(string(text))
		if err != nil {
			return // strict JSON has more rules than the end of a payload needs
		}
		require.Equal(t, string(canon.AppendString(nil, e.Type)), `"`+string(l.eventType)+`"`)
		require.True(t, bytes.Equal(e.Data, l.data))
	})
}

// FuzzSegment verifies, reads and opens a directory with any segment in it.
func FuzzSegment(f *testing.F) {
	files := seedJournal(f)
	for name, text := range files {
		f.Add(text, files[positionName])
		if name == segmentName(1) {
			f.Add(text[:len(text)-3], []byte{})
			f.Add(append(append([]byte(nil), text...), text...), []byte("0"))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, position []byte) {
		files := map[string][]byte{segmentName(1): text, positionName: position}
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
		r, err := Verify(dir, VerifyOptions{Keys: testKeys(t), Carriers: true})
		require.NoError(t, err)
		readFuzzed(t, dir)
		_, err = Prove(dir, Wanted{Digest: string(canon.Sum(nil))})
		require.Error(t, err)

		cfg := diskConfig(t)
		j, err := openIn(diskOf(files), cfg.withDefaults())
		if err != nil {
			var corrupt *CorruptError
			require.ErrorAs(t, err, &corrupt)
			require.Equal(t, Unsound, r.Outcome, "%v", corrupt)
			return
		}
		appendEvents(t, j, testEvents("run-9", 0, 1))
		closeJournal(t, j)
	})
}

func readFuzzed(t *testing.T, dir string) {
	t.Helper()
	rd, err := OpenReader(dir, Filter{})
	require.NoError(t, err)
	for {
		if _, err = rd.Next(); err != nil {
			break
		}
	}
	var finding *Finding
	require.True(t, errors.Is(err, io.EOF) || errors.As(err, &finding), "%v", err)
	require.NoError(t, rd.Close())
}

// FuzzProof reads texts of proofs and checkpoints.
func FuzzProof(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "journal")
	require.NoError(f, os.Mkdir(dir, 0o700))
	for name, text := range seedJournal(f) {
		require.NoError(f, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	p, err := Prove(dir, Wanted{Digest: string(canon.Sum(testEvent("run-1", 1).Data))})
	require.NoError(f, err)
	f.Add(p.String())
	f.Add(p.Checkpoint)
	f.Add(strings.Replace(p.String(), "index ", "index 1", 1))
	keys := testKeys(f)
	f.Fuzz(func(t *testing.T, text string) {
		if parsed, err := ParseProof(text); err == nil {
			require.Equal(t, text, parsed.String())
		}
		_, err := VerifyProof(text, keys)
		if err == nil {
			require.Equal(t, p.Line, parsedLine(t, text), "only what the key has signed is proved")
		}
		if c, err := ParseCheckpoint(text, keys); err == nil {
			require.Equal(t, text, c.Note)
		}
	})
}

func parsedLine(t *testing.T, text string) string {
	t.Helper()
	p, err := ParseProof(text)
	require.NoError(t, err)
	return p.Line
}

// FuzzKeys reads key files, whose errors must not quote them.
func FuzzKeys(f *testing.F) {
	f.Add("hmac-sha256 id text:secret")
	f.Add("# x\nname+00000000+AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := ParseKeys(text)
		if err == nil {
			return
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) > 40 {
				require.NotContains(t, err.Error(), line)
			}
		}
	})
}
