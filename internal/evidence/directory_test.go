// SPDX-License-Identifier: Apache-2.0

//go:build linux

package evidence

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestUnsafeDirectoriesAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"open to a group", func(t *testing.T, dir string) { require.NoError(t, os.Chmod(dir, 0o750)) }, "has mode 0750, want 0700"},
		{"open to all", func(t *testing.T, dir string) { require.NoError(t, os.Chmod(dir, 0o701)) }, "has mode 0701, want 0700"},
		{"a link to a directory", func(t *testing.T, dir string) {
			target := t.TempDir()
			require.NoError(t, os.Remove(dir))
			require.NoError(t, os.Symlink(target, dir))
		}, "is a symbolic link, want a directory"},
		{"of another user", func(t *testing.T, dir string) { chown(t, dir) }, "belongs to user 12345"},
		{"with a linked segment", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "target"), nil, 0o600))
			require.NoError(t, os.Symlink("target", filepath.Join(dir, segmentName(1))))
		}, "is not a regular file"},
		{"with a linked lock", func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("target", filepath.Join(dir, lockName)))
		}, "is a symbolic link, want a file"},
		{"with a segment that others can read", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(1)), nil, 0o600))
			require.NoError(t, os.Chmod(filepath.Join(dir, segmentName(1)), 0o640))
		}, "has mode 0640, want 0600"},
		{"with a segment of another user", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(1)), nil, 0o600))
			chown(t, filepath.Join(dir, segmentName(1)))
		}, "belongs to user 12345"},
		{"with a pipe as a segment", func(t *testing.T, dir string) {
			require.NoError(t, syscall.Mkfifo(filepath.Join(dir, segmentName(1)), 0o600))
		}, "is not a regular file"},
		{"with a pipe as a lock", func(t *testing.T, dir string) {
			require.NoError(t, syscall.Mkfifo(filepath.Join(dir, lockName), 0o600))
		}, "is not a regular file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := journalDir(t)
			require.NoError(t, os.Mkdir(dir, 0o700))
			tt.make(t, dir)
			for _, mode := range []OnFailure{Block, PassThrough} {
				cfg := testConfig(t, dir)
				cfg.OnFailure = mode
				_, err := Open(cfg)
				require.ErrorIs(t, err, ErrUnsafe)
				assert.Contains(t, err.Error(), tt.want)
				assert.Contains(t, err.Error(), dir)
			}
		})
	}
}

func chown(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	require.NoError(t, os.Chown(path, 12345, 12345))
}

// refusedInBothModes opens a journal that neither mode may open.
func refusedInBothModes(t *testing.T, dir string, want ...string) {
	t.Helper()
	for _, mode := range []OnFailure{Block, PassThrough} {
		cfg := testConfig(t, dir)
		cfg.OnFailure = mode
		_, err := Open(cfg)
		require.Error(t, err)
		for _, part := range append(want, "evidence directory "+dir+": ") {
			assert.Contains(t, err.Error(), part)
		}
	}
}

func TestWhatIsNoDirectoryIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	refusedInBothModes(t, path, "it is a regular file, want a directory")
	refusedInBothModes(t, filepath.Join(path, "below"), "mkdir "+path+": not a directory; want nothing but directories above it")
}

func TestADirectoryThatCannotBeWrittenIsRefused(t *testing.T) {
	for name, prepare := range map[string]func(dir string){
		"it cannot be made":   func(dir string) { require.NoError(t, os.Mkdir(filepath.Dir(dir), 0o500)) },
		"it cannot be opened": func(dir string) { require.NoError(t, os.MkdirAll(dir, 0o700)); require.NoError(t, os.Chmod(dir, 0)) },
		"it has no lock yet": func(dir string) {
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.NoError(t, os.Chmod(dir, 0o500))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "above", "journal")
			unprivileged(t, func() {
				prepare(dir)
				refusedInBothModes(t, dir, "permission denied; want it and all in it to belong to user", "with modes 0700 and 0600")
			})
		})
	}
}

// unprivileged runs fn without root's right to read and write everywhere.
func unprivileged(t *testing.T, fn func()) {
	t.Helper()
	if os.Geteuid() == 0 {
		runtime.LockOSThread() // the thread ends with the test's goroutine
		hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		require.NoError(t, unix.Capset(&hdr, &none[0]))
	}
	fn()
}

func TestADirectoryOnAReadOnlyMountIsRefused(t *testing.T) {
	mount := t.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", mount).CombinedOutput()
	if err != nil {
		t.Skipf("a read-only mount is not tested: no filesystem can be mounted here: %s", strings.TrimSpace(string(out)))
	}
	defer func() { require.NoError(t, exec.Command("umount", mount).Run()) }()
	dir := filepath.Join(mount, "journal")
	closeJournal(t, openJournal(t, testConfig(t, dir)))
	require.NoError(t, exec.Command("mount", "-o", "remount,ro", mount).Run())
	const want = "read-only file system; want a filesystem that is mounted for writing"
	refusedInBothModes(t, dir, "open "+filepath.Join(dir, lockName)+": "+want)
	refusedInBothModes(t, filepath.Join(mount, "other"), "mkdir "+filepath.Join(mount, "other")+": "+want)
}

func TestReadersDoNotFollowLinks(t *testing.T) {
	dir := journalDir(t)
	j := openJournal(t, testConfig(t, dir))
	appendEvents(t, j, testEvents("run-1", 0, 1))
	closeJournal(t, j)
	elsewhere := filepath.Join(t.TempDir(), "segment")
	require.NoError(t, os.Rename(filepath.Join(dir, segmentName(1)), elsewhere))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, segmentName(1))))
	r, err := OpenReader(dir, Filter{})
	require.NoError(t, err)
	_, err = r.Next()
	require.Error(t, err)
	report, err := Verify(dir, VerifyOptions{})
	require.NoError(t, err)
	assert.Equal(t, FaultForeignFile, report.First().Fault)
}

// TestAFilesystemThatIsFull fills a real one.
func TestAFilesystemThatIsFull(t *testing.T) {
	mount := t.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", mount).CombinedOutput()
	if err != nil {
		t.Skipf("no filesystem can be mounted here: %s", strings.TrimSpace(string(out)))
	}
	defer func() { require.NoError(t, exec.Command("umount", mount).Run()) }()
	cfg := testConfig(t, filepath.Join(mount, "journal"))
	cfg.OnFailure = PassThrough
	health := &healthLog{}
	cfg.OnHealth = health.add
	j := openJournal(t, cfg)
	durable := map[string]bool{}
	refused := 0
	for i := range 100 {
		events := testEvents("run-1", i*16, 16)
		if _, err := j.Append(context.Background(), events); err != nil {
			requireReason(t, err, ReasonDiskFull)
			refused++
			continue
		}
		for _, e := range events {
			durable[e.ID()] = true
		}
	}
	require.NotEmpty(t, durable)
	require.Positive(t, refused)
	assert.Equal(t, ReasonDiskFull, j.Health().Reason)
	whole, err := Verify(cfg.Directory, VerifyOptions{Keys: testKeys(t)})
	require.NoError(t, err)
	assert.Empty(t, whole.Findings, "no part of a line is left")
	require.NoError(t, exec.Command("mount", "-o", "remount,size=8m", mount).Run())
	require.Eventually(t, func() bool { return j.Health().OK() }, 20*time.Second, 20*time.Millisecond)
	for i := range 100 {
		appendEvents(t, j, testEvents("run-1", i*16, 16))
	}
	closeJournal(t, j)
	r := mustBeSound(t, cfg.Directory, VerifyOptions{Carriers: true})
	assert.EqualValues(t, 1600, r.Records)
	assert.Positive(t, r.GapsTotal)
	assert.Equal(t, []Reason{ReasonDiskFull, 0}, health.reasons())
}
