// SPDX-License-Identifier: Apache-2.0

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	directoryMode = 0o700
	fileMode      = 0o600
	othersMode    = 0o077
)

// lockPatience is how long a lock that somebody else has is waited for: who
// only asks whether a journal is in use holds it for a moment.
const lockPatience = 500 * time.Millisecond

// A heldDirectory is a directory that this process has locked. All names are
// opened relative to it and never through a link, so that a directory that is
// swapped under its path is not written to.
type heldDirectory struct {
	path string
	dir  *os.File
	lock *os.File
}

// holdDirectory makes the directory if there is none, checks that it is safe
// and locks it.
func holdDirectory(path string) (directory, error) {
	path = filepath.Clean(path)
	if err := os.MkdirAll(path, directoryMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, refusedDirectory(path, err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, refusedDirectory(path, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	d := &heldDirectory{path: path, dir: os.NewFile(uintptr(fd), path)}
	if err := checkOwn(d.dir, directoryMode); err != nil {
		return nil, errors.Join(err, d.dir.Close())
	}
	if err := d.acquire(); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// refusedDirectory says why the directory cannot be held, and what would be
// right. What is not safe says so itself.
func refusedDirectory(path string, err error) error {
	info, statErr := os.Lstat(path)
	switch {
	case errors.Is(err, ErrUnsafe):
		return err
	case statErr == nil && info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %s is a symbolic link, want a directory", ErrUnsafe, path)
	case statErr == nil && info.Mode().IsRegular():
		return fmt.Errorf("evidence directory %s: it is a regular file, want a directory", path)
	}
	for _, r := range remedies {
		if errors.Is(err, r.fault) {
			return fmt.Errorf("evidence directory %s: %w; want %s", path, err, r.want)
		}
	}
	return fmt.Errorf("evidence directory %s: %w", path, err)
}

// remedies say what would be right where a directory cannot be made, opened or
// locked.
var remedies = []struct {
	fault error
	want  string
}{
	{fs.ErrPermission, fmt.Sprintf("it and all in it to belong to user %d, who runs this, with modes %04o and %04o, below directories that this user may enter",
		os.Geteuid(), directoryMode, fileMode)},
	{unix.EROFS, "a filesystem that is mounted for writing"},
	{unix.ENOTDIR, "nothing but directories above it"},
	{unix.ENOSPC, "room for it on the disk"},
	{unix.EDQUOT, "room for it in the quota"},
	{unix.ENOLCK, "a filesystem that has locks"},
	{unix.ENOTSUP, "a filesystem that has locks"},
}

// checkOwn refuses what is not this user's own, or what others have a right to.
func checkOwn(f *os.File, want fs.FileMode) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%w: the owner of %s is not known", ErrUnsafe, f.Name())
	}
	if int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d, want %d, who runs this", ErrUnsafe, f.Name(), st.Uid, os.Geteuid())
	}
	if mode := info.Mode().Perm(); mode&othersMode != 0 {
		return fmt.Errorf("%w: %s has mode %04o, want %04o", ErrUnsafe, f.Name(), mode, want)
	}
	return nil
}

// acquire locks the directory and leaves the process id for whoever finds it
// locked.
func (d *heldDirectory) acquire() error {
	f, err := d.openFile(lockName, unix.O_RDWR|unix.O_CREAT)
	if err != nil {
		return refusedDirectory(d.path, err)
	}
	d.lock = f
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	for waited := time.Duration(0); errors.Is(err, unix.EWOULDBLOCK) && waited < lockPatience; waited += lockPatience / 10 {
		time.Sleep(lockPatience / 10)
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return fmt.Errorf("%w: %s%s", ErrInUse, d.path, holder(f))
	case err != nil:
		return refusedDirectory(d.path, &fs.PathError{Op: "lock", Path: f.Name(), Err: err})
	}
	// The id is a courtesy: a full disk must not keep the journal from opening.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return nil
}

// holder says which process left its id in the lock file.
func holder(f *os.File) string {
	buf := make([]byte, 16)
	n, _ := f.ReadAt(buf, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

// openFile opens a name in the directory, never through a link, and refuses
// what is not this user's own regular file.
func (d *heldDirectory) openFile(name string, flags int) (*os.File, error) {
	path := filepath.Join(d.path, name)
	fd, err := unix.Openat(int(d.dir.Fd()), name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, fileMode)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%w: %s is a symbolic link, want a file", ErrUnsafe, path)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	if err := checkFile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func checkFile(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is not a regular file", ErrUnsafe, f.Name())
	}
	return checkOwn(f, fileMode)
}

func (d *heldDirectory) segments() ([]segmentFile, error) {
	fd, err := unix.Openat(int(d.dir.Fd()), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: d.path, Err: err}
	}
	dir := os.NewFile(uintptr(fd), d.path)
	list, readErr := readSegments(dir)
	return list, errors.Join(readErr, dir.Close())
}

func (d *heldDirectory) create(name string) (file, error) {
	return asFile(d.openFile(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL))
}

func (d *heldDirectory) openOrCreate(name string) (file, error) {
	return asFile(d.openFile(name, unix.O_RDWR|unix.O_CREAT))
}

func (d *heldDirectory) open(name string) (file, int64, error) {
	f, err := d.openFile(name, unix.O_RDWR)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// asFile keeps a nil *os.File from becoming a file that is not nil.
func asFile(f *os.File, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *heldDirectory) remove(name string) error {
	if err := unix.Unlinkat(int(d.dir.Fd()), name, 0); err != nil {
		return &fs.PathError{Op: "remove", Path: filepath.Join(d.path, name), Err: err}
	}
	return nil
}

func (d *heldDirectory) sync() error { return d.dir.Sync() }

func (d *heldDirectory) close() error {
	if d.lock == nil {
		return d.dir.Close()
	}
	return errors.Join(d.lock.Close(), d.dir.Close())
}

// InUse reports whether a journal has the directory open at this moment.
func InUse(path string) (bool, error) {
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	closeErr := f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, closeErr
	}
	return false, errors.Join(err, closeErr)
}

// isFull reports whether err says that there is no space left.
func isFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}
