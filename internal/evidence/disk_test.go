// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A disk is a directory in memory that fails as it is told, and that can lose
// its power: what was not synced is then there in part or not at all.
type disk struct {
	mu       sync.Mutex
	files    map[string]*diskFile
	names    map[string]*diskFile // durable
	capacity int                  // bytes, 0 unlimited

	// The hooks are asked before an operation, with the file's name; an error
	// is what the operation returns. They run without the lock.
	onWrite, onSync, onTruncate, onCreate, onRemove, onDirSync func(name string) error

	closed bool
}

type diskFile struct {
	d      *disk
	name   string
	data   []byte
	synced []byte
}

func newDisk() *disk {
	return &disk{files: map[string]*diskFile{}, names: map[string]*diskFile{}}
}

// diskOf returns a disk on which files are durable.
func diskOf(files map[string][]byte) *disk {
	d := newDisk()
	for name, data := range files {
		f := &diskFile{d: d, name: name, data: bytes.Clone(data), synced: bytes.Clone(data)}
		d.files[name], d.names[name] = f, f
	}
	return d
}

// ask asks one of the hooks of d.
func (d *disk) ask(hook *func(string) error, name string) error {
	d.mu.Lock()
	h := *hook
	d.mu.Unlock()
	if h == nil {
		return nil
	}
	return h(name)
}

func (d *disk) segments() ([]segmentFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []segmentFile
	for name, f := range d.files {
		if n, ok := segmentNumber(name); ok {
			list = append(list, segmentFile{number: n, size: int64(len(f.data)), regular: true})
		}
	}
	sortSegments(list)
	return list, nil
}

func (d *disk) create(name string) (file, error) {
	if err := d.ask(&d.onCreate, name); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EEXIST}
	}
	d.files[name] = &diskFile{d: d, name: name}
	return d.files[name], nil
}

func (d *disk) openOrCreate(name string) (file, error) {
	f, _, err := d.open(name)
	if err == nil {
		return f, nil
	}
	return d.create(name)
}

func (d *disk) open(name string) (file, int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	if f == nil {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	return f, int64(len(f.data)), nil
}

func (d *disk) remove(name string) error {
	if err := d.ask(&d.onRemove, name); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOENT}
	}
	delete(d.files, name)
	return nil
}

func (d *disk) sync() error {
	if err := d.ask(&d.onDirSync, segmentPrefix); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.names)
	for name, f := range d.files {
		d.names[name] = f
	}
	return nil
}

func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return nil
}

func (d *disk) used() int {
	n := 0
	for _, f := range d.files {
		n += len(f.data)
	}
	return n
}

func (f *diskFile) ReadAt(p []byte, off int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes as much as the disk has room for. When the hook fails, half of
// it is written: a short write.
func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	err := f.d.ask(&f.d.onWrite, f.name)
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	n := len(p)
	if err != nil {
		n /= 2
	}
	if grow := int(off) + n - len(f.data); f.d.capacity > 0 && grow > 0 {
		if room := f.d.capacity - f.d.used(); grow > room {
			n, err = max(n-(grow-room), 0), syscall.ENOSPC
		}
	}
	if need := int(off) + n - len(f.data); need > 0 && n > 0 {
		f.data = append(f.data, make([]byte, need)...)
	}
	copy(f.data[min(int(off), len(f.data)):], p[:n])
	return n, err
}

func (f *diskFile) Truncate(size int64) error {
	if err := f.d.ask(&f.d.onTruncate, f.name); err != nil {
		return err
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if size < int64(len(f.data)) {
		f.data = f.data[:size:size]
	}
	return nil
}

func (f *diskFile) Sync() error {
	if err := f.d.ask(&f.d.onSync, f.name); err != nil {
		return err
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.synced = bytes.Clone(f.data)
	return nil
}

func (f *diskFile) Close() error { return nil }

// copyTo writes the disk's files into a real directory, for what only reads.
func (d *disk) copyTo(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp(tb.TempDir(), "copy")
	require.NoError(tb, err)
	d.copyInto(tb, dir)
	return dir
}

// copyInto makes dir have the disk's files and no others.
func (d *disk) copyInto(tb testing.TB, dir string) {
	tb.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range readDir(tb, dir) {
		if d.files[name] == nil {
			require.NoError(tb, os.Remove(filepath.Join(dir, name)))
		}
	}
	for name, f := range d.files {
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name), f.data, 0o600))
	}
}

// page is the unit in which a disk loses data.
const page = 512

// powerLoss returns what is there after the power was lost: durable names, and
// of each file what was synced, mixed with pages that had been written since.
// A file that shrank may have its old length back.
func (d *disk) powerLoss(rng *rand.Rand) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := newDisk()
	for name, f := range d.names {
		out.files[name] = &diskFile{d: out, name: name, data: mix(rng, f.synced, f.data)}
		out.files[name].synced = bytes.Clone(out.files[name].data)
		out.names[name] = out.files[name]
	}
	return out
}

// mix returns now, in which some pages are as they were, or zero where there
// was nothing.
func mix(rng *rand.Rand, was, now []byte) []byte {
	size := len(was)
	if len(now) != len(was) && rng.IntN(3) > 0 {
		low, high := min(len(was), len(now)), max(len(was), len(now))
		size = low + rng.IntN(high-low+1)
	}
	out := make([]byte, size)
	for at := 0; at < size; at += page {
		from := was
		if rng.IntN(2) == 0 {
			from = now
		}
		if at < len(from) {
			copy(out[at:min(at+page, size)], from[at:])
		}
	}
	return out
}

func openDisk(tb testing.TB, d *disk, cfg Config) *Journal {
	tb.Helper()
	j, err := openIn(d, cfg.withDefaults())
	require.NoError(tb, err)
	return j
}

// diskConfig is testConfig for a journal in memory.
func diskConfig(tb testing.TB) Config { return testConfig(tb, "in memory") }

var errDisk = errors.New("the disk fails, as it was told")

// failFor returns a hook that fails left times for names with the prefix: the
// last of these times, when there are several.
func failFor(left *int, prefix string) func(string) error {
	return func(name string) error {
		if *left == 0 || !strings.HasPrefix(name, prefix) {
			return nil
		}
		*left--
		if *left > 0 {
			return nil
		}
		return errDisk
	}
}

func copyDisk(d *disk) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := newDisk()
	for name, f := range d.files {
		out.files[name] = &diskFile{d: out, name: name, data: bytes.Clone(f.data), synced: bytes.Clone(f.synced)}
	}
	for name := range d.names {
		out.names[name] = out.files[name]
	}
	return out
}
