// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A commandLine is the built command, and the keys of the tests' journals.
type commandLine struct {
	t          testing.TB
	path       string
	keys, hmac string // files
}

func newCommandLine(t testing.TB) *commandLine {
	t.Helper()
	dir := t.TempDir()
	c := &commandLine{t: t, path: filepath.Join(dir, "tdt"), keys: filepath.Join(dir, "keys"), hmac: filepath.Join(dir, "hmac")}
	build := exec.Command("go", "build", "-o", c.path, "./cmd/tdt")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.WriteFile(c.keys, []byte("hmac-sha256 node-1 text:"+nodeKey+"\n"), 0o600))
	require.NoError(t, os.WriteFile(c.hmac, []byte(nodeKey), 0o600))
	return c
}

// run runs the command, which must succeed, and returns what it prints.
func (c *commandLine) run(args ...string) string {
	c.t.Helper()
	cmd := exec.Command(c.path, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(c.t, cmd.Run(), "%v\n%s%s", args, &out, &errs)
	return out.String()
}

// TestTheCommandLineSaysWhatTheCollectorRecorded sends every recording through a
// Collector. The carriers in its journal are those that the command line makes
// of the recordings, in the same order; what is exported verifies; and from the
// spans that left the Collector every carrier can be derived again.
func TestTheCommandLineSaysWhatTheCollectorRecorded(t *testing.T) {
	tdt := newCommandLine(t)
	dir := filepath.Join(t.TempDir(), "journal")
	n := newNode(t, dir, "  on_failure: block\n  checkpoint_interval: 100ms", "")
	n.start()
	files, err := filepath.Glob(filepath.Join(root, "testdata/captures/*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		for _, line := range recording(t, filepath.Base(file)) {
			require.NoError(t, n.send(parse(t, line)))
		}
	}
	require.Eventually(t, func() bool { return n.metric("evidence_tree_size") > 0 }, 10*time.Second, 20*time.Millisecond)
	tdt.run("verify", dir, "--keys", tdt.keys)
	open := filepath.Join(t.TempDir(), "open.tar.gz")
	tdt.run("evidence", "export", dir, "-o", open)
	tdt.run("verify", open)
	n.stop()

	policy := filepath.Join(n.dir, "policy.yaml")
	want := tdt.run(append([]string{"carriers", "--policy", policy, "--key-file", tdt.hmac, "--key-id", "node-1"}, files...)...)
	assert.Equal(t, digestsOf(t, want), standing(t, dir))

	out := filepath.Join(t.TempDir(), "bundles")
	tdt.run("evidence", "export", dir, "-o", out+"/")
	bundles, err := filepath.Glob(filepath.Join(out, "*.tar.gz"))
	require.NoError(t, err)
	tdt.run(append([]string{"verify"}, bundles...)...)
	runs := strings.Count(tdt.run("runs", dir, "--format", "json"), "\n")
	assert.Equal(t, runs, len(bundles))

	spans := filepath.Join(t.TempDir(), "spans.jsonl")
	require.NoError(t, os.WriteFile(spans, []byte(strings.Join(n.sink.requests, "\n")), 0o600))
	said := tdt.run("verify", dir, "--keys", tdt.keys, "--policy", policy, "--traces", spans)
	assert.Contains(t, said, " 0 differ, 0 cannot be verified")

	proof := filepath.Join(t.TempDir(), "proof")
	number, digest := firstCarrier(t, dir) // by its number: calls that are equal share a digest
	tdt.run("evidence", "prove", dir, "--record", strconv.FormatUint(number, 10), "-o", proof)
	assert.Contains(t, tdt.run("verify", "--proof", proof, "--keys", tdt.keys), string(digest))
	t.Logf("%d carriers in %d runs", len(standing(t, dir)), runs)
}

func firstCarrier(t testing.TB, dir string) (number uint64, digest canon.Digest) {
	t.Helper()
	r, err := evidence.OpenReader(dir, evidence.Filter{Types: []string{carrier.TypeCarrier}})
	require.NoError(t, err)
	defer r.Close()
	for rec, err := range r.All() {
		require.NoError(t, err)
		return rec.JournalSeq, canon.Sum(rec.Data)
	}
	t.Fatal("the journal has no carrier")
	return 0, ""
}

func digestsOf(t testing.TB, carriers string) (digests []canon.Digest) {
	lines := bufio.NewScanner(strings.NewReader(carriers))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c, err := carrier.Import(lines.Text())
		require.NoError(t, err)
		digests = append(digests, c.ContentDigest())
	}
	return digests
}

// standing lists the carriers of a journal, each that replaces another one in its
// place.
func standing(t testing.TB, dir string) (digests []canon.Digest) {
	t.Helper()
	r, err := evidence.OpenReader(dir, evidence.Filter{Types: []string{carrier.TypeCarrier, engine.TypeSupersedes}})
	require.NoError(t, err)
	defer r.Close()
	place := map[canon.Digest]int{}
	for rec, err := range r.All() {
		require.NoError(t, err)
		if rec.Type == carrier.TypeCarrier {
			place[canon.Sum(rec.Data)] = len(digests)
			digests = append(digests, canon.Sum(rec.Data))
			continue
		}
		var s struct {
			Carrier    canon.Digest
			Supersedes []canon.Digest
		}
		require.NoError(t, json.Unmarshal(rec.Data, &s))
		for _, earlier := range s.Supersedes {
			digests[place[earlier]] = s.Carrier
			digests[place[s.Carrier]] = ""
		}
	}
	kept := digests[:0]
	for _, d := range digests {
		if d != "" {
			kept = append(kept, d)
		}
	}
	return kept
}
