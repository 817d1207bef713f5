// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The reasons for which Open refuses a directory.
var (
	// ErrInUse says that another process, or another Journal of this one, has
	// the directory open.
	ErrInUse = errors.New("evidence directory is in use by another instance")

	// ErrUnsafe says that others than the owner of the process could have
	// changed what is in the directory, or would be able to read it.
	ErrUnsafe = errors.New("evidence directory is not safe")

	// ErrUnsupported says that this system lacks the locks and checks that a
	// journal needs.
	ErrUnsupported = errors.New("evidence journals are not supported on this system")
)

// The names in a journal's directory.
const (
	segmentPrefix = "journal-"
	segmentSuffix = ".ndjson"
	segmentDigits = 10
	tornPrefix    = "torn-"
	tornSuffix    = ".bin"
	lockName      = "lock"
	positionName  = "position"
)

// maxSegment is the largest number that a segment's name can hold.
const maxSegment = 9_999_999_999

// A file is one file of a journal. It is read and written at explicit places,
// so that after a failed write the next one cannot land behind its remains.
type file interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// A directory is the journal's hold on its directory: a flat set of names, all
// of them regular files that belong to this process's user and to nobody else.
// Tests put a failing one in its place.
type directory interface {
	segments() ([]segmentFile, error)
	create(name string) (file, error)           // the name must be free
	open(name string) (file, int64, error)      // for reading and writing, with its size
	openOrCreate(name string) (f file, e error) // for reading and writing
	remove(name string) error
	sync() error  // makes creations and removals durable
	close() error // releases the lock
}

// A segmentFile is one segment as it lies in the directory.
type segmentFile struct {
	number  uint64
	size    int64
	regular bool
}

func segmentName(number uint64) string {
	return fmt.Sprintf("%s%0*d%s", segmentPrefix, segmentDigits, number, segmentSuffix)
}

// tornName names the side file for what was found at offset of a segment; try
// tells apart the side files of recoveries that were themselves interrupted.
func tornName(segment uint64, offset int64, try int) string {
	name := fmt.Sprintf("%s%0*d-%d", tornPrefix, segmentDigits, segment, offset)
	if try > 0 {
		name += "-" + strconv.Itoa(try)
	}
	return name + tornSuffix
}

// segmentNumber returns the number in a segment's name, and false for a name
// that segmentName does not make.
func segmentNumber(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, segmentPrefix)
	if !ok {
		return 0, false
	}
	digits, ok = strings.CutSuffix(digits, segmentSuffix)
	if !ok || len(digits) != segmentDigits {
		return 0, false
	}
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, err == nil && number > 0
}

// looksLikeSegment reports whether name is one that a log shipper would take
// for a segment's.
func looksLikeSegment(name string) bool {
	return strings.HasPrefix(name, segmentPrefix) && strings.HasSuffix(name, segmentSuffix)
}

func sortSegments(list []segmentFile) {
	slices.SortFunc(list, func(a, b segmentFile) int { return cmp.Compare(a.number, b.number) })
}
