// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// A position says up to where a journal is durable. It is written after each
// sync, and synced itself only when a segment begins: who reads it finds what is
// durable at least. With it a reader stops at the last durable line of a journal
// that is being written, and Open tells a write that was never finished from a
// change made later.
type position struct {
	segment uint64
	offset  int64
	seq     uint64 // of the next line
}

const positionForm = "%010d %020d %020d"

// positionSize is the length of a position's text, the same for all, so that
// writing one never needs space. The file has two, which are written in turns:
// when one is torn, the one before it is there.
const (
	positionSize  = 10 + 1 + 20 + 1 + 20 + 1 + 8 + 1
	positionSlots = 2
)

func (p position) text() string {
	s := fmt.Sprintf(positionForm, p.segment, p.offset, p.seq)
	return fmt.Sprintf("%s %08x\n", s, crc32.ChecksumIEEE([]byte(s)))
}

// before reports whether p was written before q.
func (p position) before(q position) bool {
	return p.segment < q.segment || p.segment == q.segment && p.offset < q.offset
}

// parsePosition reads text, and reports false for one that is torn.
func parsePosition(text string) (p position, ok bool) {
	if len(text) != positionSize {
		return position{}, false
	}
	if _, err := fmt.Sscanf(text, positionForm, &p.segment, &p.offset, &p.seq); err != nil {
		return position{}, false
	}
	return p, p.text() == text
}

// readPosition returns the later position of a file, and nil when there is none.
// Reading while one is being written gives the one before.
func readPosition(r io.ReaderAt) *position {
	var last *position
	buf := make([]byte, positionSize)
	for slot := range int64(positionSlots) {
		n, _ := r.ReadAt(buf, slot*positionSize)
		p, ok := parsePosition(string(buf[:n]))
		if ok && (last == nil || last.before(p)) {
			last = &p
		}
	}
	return last
}

// positionIn returns the position of the journal in a directory that is only
// read, or nil, as in a copy without one.
func positionIn(dir string) *position {
	f, err := openForReading(dir, positionName)
	if err != nil {
		return nil
	}
	p := readPosition(f)
	_ = f.Close()
	return p
}

// noLimit is behind every position.
var noLimit = position{segment: math.MaxUint64}

// durableLimit returns the end of what is durable as the journal's position
// says, or no limit when there is no position.
func durableLimit(dir string) position {
	if p := positionIn(dir); p != nil {
		return *p
	}
	return noLimit
}

// A positionFile is where a writer leaves positions. The zero positionFile
// leaves none.
type positionFile struct {
	file     file
	slot     int64 // that was written last
	unsynced bool
}

// write leaves p. Readers miss it a little when that fails, and nobody else
// does: it is no error. With sync it is made durable, now or when that works.
func (f *positionFile) write(p position, sync bool) {
	if f.file == nil {
		return
	}
	f.unsynced = f.unsynced || sync
	next := (f.slot + 1) % positionSlots
	if _, err := f.file.WriteAt([]byte(p.text()), next*positionSize); err != nil {
		return // the other slot stays, and this one is next again
	}
	f.slot = next
	if f.unsynced {
		f.unsynced = f.file.Sync() != nil
	}
}
