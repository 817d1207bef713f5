// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"hash/crc32"
	"io"
)

// A position says up to where a journal is durable. It is written after each
// sync and not synced itself: who reads it finds what is durable at least. With
// it a reader stops at the last durable line of a journal that is being written,
// and Open tells a write that was never finished from a change made later.
type position struct {
	segment uint64
	offset  int64
	seq     uint64 // of the next line
}

const positionForm = "%010d %020d %020d"

// positionSize is the length of the file, the same for all positions, so that
// writing one never needs space.
const positionSize = 10 + 1 + 20 + 1 + 20 + 1 + 8 + 1

func (p position) text() string {
	s := fmt.Sprintf(positionForm, p.segment, p.offset, p.seq)
	return fmt.Sprintf("%s %08x\n", s, crc32.ChecksumIEEE([]byte(s)))
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

// readPosition reads a position file; a torn read is tried again, since the
// writer may be at it.
func readPosition(r io.ReaderAt) (position, bool) {
	buf := make([]byte, positionSize)
	for range 3 {
		n, _ := r.ReadAt(buf, 0)
		if p, ok := parsePosition(string(buf[:n])); ok {
			return p, true
		}
	}
	return position{}, false
}
