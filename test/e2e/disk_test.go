// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// run runs a program of the system, and says whether it could.
func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// smallDisk mounts a filesystem of 1 MiB and returns where. Where this user may
// not mount, the test is skipped, and says so.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "disk")
	require.NoError(t, os.Mkdir(dir, 0o700))
	if err := run("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", dir); err != nil {
		t.Skipf("a full disk is not tested: no filesystem can be mounted here (%v)", err)
	}
	t.Cleanup(func() { _ = run("umount", "-l", dir) })
	return dir
}

// enlarge gives the disk more room.
func enlarge(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, run("mount", "-o", "remount,size=16m", dir))
}

// neverHalfALine holds that what is durable in a journal that is being written
// is whole lines, one behind the other, and its tree the one that was signed.
func neverHalfALine(t *testing.T, dir string) {
	t.Helper()
	report, err := evidence.Verify(dir, evidence.VerifyOptions{Keys: nodeKeys(t), Live: true})
	require.NoError(t, err)
	require.Zero(t, report.FindingsTotal, "%+v", report.Findings)
}

func TestAFullDiskLetsTelemetryPass(t *testing.T) {
	disk := smallDisk(t)
	dir := filepath.Join(disk, "journal")
	n := newNode(t, dir, "  on_failure: pass_through", "")
	n.start()
	sent := 0
	send := func() {
		sent++
		require.NoError(t, n.send(callBatch(1, sent, 20)), "telemetry goes on")
	}
	for n.metric("evidence_failures") == 0 {
		require.Less(t, sent, 200, "the disk is not full yet")
		send()
	}
	n.sink.drain()
	send()
	for _, span := range n.sink.drain() {
		assert.Equal(t, "failed", attr(span, "assay.tdt.evidence"))
		assert.Equal(t, "match", attr(span, "assay.tdt.decision_verdict"))
		assert.Empty(t, attr(span, carrier.AttrContent))
		assert.Empty(t, attr(span, carrier.AttrObservedInput))
	}
	assert.Zero(t, n.metric("evidence_healthy"))
	assert.Contains(t, n.status(), `"status":"StatusRecoverableError","error":"evidence: disk_full`)
	assert.Contains(t, n.status(), "500 ", "who includes recoverable errors learns of it from the health check")
	neverHalfALine(t, dir)

	enlarge(t, disk)
	require.Eventually(t, func() bool { return n.metric("evidence_healthy") == 1 }, 20*time.Second, 50*time.Millisecond, "it recovers by itself")
	assert.Contains(t, n.status(), "200 ")
	send()
	for _, span := range n.sink.drain() {
		assert.Equal(t, "recorded", attr(span, "assay.tdt.evidence"))
	}
	n.stop()
	report := sound(t, dir)
	require.NotEmpty(t, report.Gaps, "the journal says what it does not hold")
	assert.Equal(t, evidence.ReasonDiskFull, report.Gaps[0].Cause)
	assert.Contains(t, n.log.String(), "the journal does not work")
	assert.Contains(t, n.log.String(), "the journal works again")
}

func TestAFullDiskBlocksAndLosesNothing(t *testing.T) {
	disk := smallDisk(t)
	dir := filepath.Join(disk, "journal")
	n := newNode(t, dir, "  on_failure: block", "")
	n.start()
	sent := 0
	var refused error
	for refused == nil {
		sent++
		require.Less(t, sent, 200, "the disk is not full yet")
		refused = n.send(callBatch(1, sent, 20))
	}
	assert.Equal(t, codes.Unavailable, status.Code(refused), "senders try again: %v", refused)
	assert.Zero(t, n.metric("evidence_healthy"))
	citesWhatIsRecorded(t, n.sink.drain(), heldIn(t, dir))
	for range 3 {
		require.Error(t, n.send(callBatch(1, sent, 20)))
	}
	assert.Empty(t, n.sink.drain(), "nothing goes on without its evidence")
	neverHalfALine(t, dir)

	enlarge(t, disk)
	require.Eventually(t, func() bool { return n.send(callBatch(1, sent, 20)) == nil }, 20*time.Second, 50*time.Millisecond, "it recovers by itself")
	n.stop()
	sound(t, dir)
	journal := heldIn(t, dir)
	assert.Equal(t, 20, citesWhatIsRecorded(t, n.sink.drain(), journal))
	carriers := 0
	for _, h := range journal {
		if h.eventType == carrier.TypeCarrier {
			carriers++
		}
	}
	assert.Equal(t, 20*sent, carriers, "each call that was sent is recorded, and once")
}

// TestTortureAStalledDisk freezes the filesystem under a journal while spans
// come. The long version does so for 30 seconds.
func TestTortureAStalledDisk(t *testing.T) {
	stall := 6 * time.Second
	if long() {
		stall = 30 * time.Second
	}
	for _, mode := range []string{"pass_through", "block"} {
		t.Run(mode, func(t *testing.T) { stallDisk(t, mode, stall) })
	}
}

func stallDisk(t *testing.T, mode string, stall time.Duration) {
	disk, freeze, thaw := freezableDisk(t)
	dir := filepath.Join(disk, "journal")
	n := newNode(t, dir, "  on_failure: "+mode+"\n  wait_timeout: 1s", "")
	n.start()
	require.NoError(t, n.send(callBatch(1, 1, 20)))
	before := n.memory()
	freeze()
	end := time.Now().Add(stall)
	var flood sync.WaitGroup
	var longest time.Duration
	var mu sync.Mutex
	for w := range 8 {
		flood.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				began := time.Now()
				err := n.send(callBatch(2+w, i, 500))
				mu.Lock()
				longest = max(longest, time.Since(began))
				mu.Unlock()
				if mode == "block" {
					assert.Equal(t, codes.Unavailable, status.Code(err))
					time.Sleep(50 * time.Millisecond)
				} else {
					assert.NoError(t, err)
				}
			}
		})
	}
	flood.Wait()
	grown := n.memory() - before
	healthy, said := n.metric("evidence_healthy"), n.status()
	thaw()
	assert.Less(t, grown, int64(400<<20), "memory is bounded by the queue")
	assert.Less(t, longest, 5*time.Second, "nobody waits much longer than wait_timeout")
	assert.Zero(t, healthy)
	assert.Contains(t, said, `"error":"evidence: stalled"`)
	citesWhatIsRecorded(t, n.sink.drain(), heldIn(t, dir))
	require.Eventually(t, func() bool { return n.metric("evidence_healthy") == 1 }, 20*time.Second, 50*time.Millisecond, "it recovers by itself")
	require.NoError(t, n.send(callBatch(1, 2, 20)))
	n.stop()
	sound(t, dir)
	recorded := citesWhatIsRecorded(t, n.sink.drain(), heldIn(t, dir))
	assert.Positive(t, recorded)
	t.Logf("stalled for %s: %d MB more memory, no batch waited longer than %s", stall, grown>>20, longest.Round(time.Millisecond))
}

// freezableDisk mounts a filesystem that can be frozen. Where that cannot be
// done the test is skipped, and says so.
func freezableDisk(t *testing.T) (dir string, freeze, thaw func()) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "disk")
	image := filepath.Join(t.TempDir(), "image")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(image, nil, 0o600))
	require.NoError(t, os.Truncate(image, 64<<20))
	for _, cmd := range [][]string{{"mkfs.ext4", "-q", image}, {"mount", "-o", "loop", image, dir}, {"fsfreeze", "--freeze", dir}, {"fsfreeze", "--unfreeze", dir}} {
		if err := run(cmd[0], cmd[1:]...); err != nil {
			t.Skipf("a stalled disk is not tested: no filesystem can be frozen here (%v)", err)
		}
		if cmd[0] == "mount" {
			t.Cleanup(func() { _ = run("umount", "-l", dir) })
		}
	}
	frozen := false
	thaw = func() {
		if frozen {
			frozen = false
			assert.NoError(t, run("fsfreeze", "--unfreeze", dir))
		}
	}
	// A process that waits for a frozen disk cannot even be killed.
	t.Cleanup(thaw)
	return dir, func() {
		require.NoError(t, run("fsfreeze", "--freeze", dir))
		frozen = true
	}, thaw
}

// memory returns the resident memory of the Collector.
func (n *node) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}
