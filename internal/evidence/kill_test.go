// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// killDir tells the test binary to be the process that is killed.
const killDir = "TDT_TEST_KILL_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		writeUntilKilled(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// writeUntilKilled appends with many goroutines, and prints the digest of each
// record once it is durable, as a span would show it.
func writeUntilKilled(dir string) {
	mac, err := NewMAC(testKeyID, []byte(testSecret))
	if err != nil {
		panic(err)
	}
	j, err := Open(Config{
		Directory: dir, OnFailure: Block, Source: "urn:example:tdt:test", Signers: []note.Signer{mac}, Now: time.Now,
		SegmentBytes: 256 << 10, CheckpointRecords: 200, RetryWindow: 1000,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var mu sync.Mutex
	fmt.Println("ready")
	for w := range 16 {
		go func() {
			for i := 0; ; i += 8 {
				events := testEvents(fmt.Sprintf("run-%d-%d", os.Getpid(), w), i, 8)
				if _, err := j.Append(context.Background(), events); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				var claims strings.Builder
				for _, e := range events {
					fmt.Fprintf(&claims, "%s %s\n", e.ID(), canon.Sum(e.Data))
				}
				mu.Lock()
				_, _ = os.Stdout.WriteString(claims.String())
				mu.Unlock()
			}
		}()
	}
	select {}
}

// TestTortureKilledWritersKeepTheirWord kills a writing process at random
// moments, again and again in one journal. Each record that was claimed to be
// durable is there afterwards, once, and the journal is sound.
func TestTortureKilledWritersKeepTheirWord(t *testing.T) {
	dir := journalDir(t)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	claims := map[string]string{}
	kills := rounds(5, 200)
	for range kills {
		runAndKill(t, dir, time.Duration(rng.IntN(60_000))*time.Microsecond, claims)
	}
	cfg := testConfig(t, dir)
	j := openJournal(t, cfg)
	assert.Nil(t, j.Recovery().Corrupt)
	closeJournal(t, j)

	report := mustBeSound(t, dir, VerifyOptions{Carriers: true})
	require.NotEmpty(t, claims)
	found := map[string]int{}
	for _, rec := range readAll(t, dir, Filter{}) {
		id := rec.ID()
		found[id]++
		if digest, claimed := claims[id]; claimed {
			require.Equal(t, digest, string(canon.Sum(rec.Data)), id)
		}
	}
	for id := range claims {
		require.Equal(t, 1, found[id], "%s was claimed to be durable", id)
	}
	t.Logf("%d kills, %d records claimed, %d there, %d gaps, %d segments", kills, len(claims), report.Records, report.GapsTotal, report.Segments)
}

// runAndKill starts a writer, kills it after a while, and adds what it claimed.
func runAndKill(t *testing.T, dir string, after time.Duration, claims map[string]string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killDir+"="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan(), "the writer did not start: %s", stderr.String())
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	for lines.Scan() {
		id, digest, whole := strings.Cut(lines.Text(), " ")
		if whole && len(digest) == len(canon.Sum(nil)) {
			claims[id] = digest
		}
	}
	timer.Stop()
	_ = cmd.Wait()
	require.Empty(t, stderr.String())
}

func TestTwoJournalsCannotHaveOneDirectory(t *testing.T) {
	dir := journalDir(t)
	used, err := InUse(filepath.Dir(dir))
	require.NoError(t, err)
	assert.False(t, used)
	j := openJournal(t, testConfig(t, dir))
	used, err = InUse(dir)
	require.NoError(t, err)
	assert.True(t, used)
	_, err = Open(testConfig(t, dir))
	require.ErrorIs(t, err, ErrInUse)
	assert.Contains(t, err.Error(), fmt.Sprintf("(process %d)", os.Getpid()))
	closeJournal(t, j)
	used, err = InUse(dir)
	require.NoError(t, err)
	assert.False(t, used)
	closeJournal(t, openJournal(t, testConfig(t, dir)))
}
