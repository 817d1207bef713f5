// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"slices"

	"github.com/transparency-dev/merkle/compact"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A walker goes through the lines of a journal in order and checks each against
// all before it: the link, the sequence number, the content hash, and at each
// checkpoint the tree. It needs the same memory however long the journal is.
//
// What it was told of the first segment it reads, it believes: a later
// checkpoint has to confirm it.
type walker struct {
	known  note.Verifiers       // keys of checkpoints
	visit  compact.VisitFn      // told of the tree's nodes; may be nil
	onHead func(*head) *Finding // told of each head before it is compared; may be nil

	at     *cursor // nil before the first head, and after a fault until the next one
	name   string  // of the segment
	number uint64
	lineNo int
	head   head
	sealed bool

	checkpoint     *Checkpoint // in the line that was read last, else nil
	gap            *Gap        // likewise
	signatureKnown bool        // of checkpoint

	chain   *chain
	hash    hash.Hash
	sum     [hashSize]byte
	decoder carrier.Decoder
}

func newWalker(known note.Verifiers) *walker {
	return &walker{known: known, hash: sha256.New()}
}

// enter begins a segment.
func (k *walker) enter(number uint64) {
	k.name, k.number, k.lineNo, k.sealed = segmentName(number), number, 0, false
	k.chain = newChain()
	k.head = head{}
}

// finding returns a fault at the line that was read last.
func (k *walker) finding(f Fault, format string, args ...any) *Finding {
	out := &Finding{Fault: f, File: k.name, Line: k.lineNo, Detail: fmt.Sprintf(format, args...)}
	if k.at != nil {
		out.Seq = k.at.seq()
	}
	return out
}

// next takes the segment's next line. After a finding the rest of the segment
// proves nothing.
func (k *walker) next(text []byte) (line, *Finding) {
	k.lineNo++
	k.checkpoint, k.gap = nil, nil
	linked := k.chain.follows(text)
	l, ok := parseLine(text)
	switch {
	case !linked && ok && k.at != nil && l.seq != k.at.seq():
		return l, k.finding(FaultLink, "the line has sequence number %d, want %d", l.seq, k.at.seq())
	case !linked:
		return l, k.finding(FaultLink, "")
	case !ok:
		return l, k.finding(FaultMalformed, "")
	case k.sealed:
		return l, k.finding(FaultAfterSeal, "")
	}
	if f := k.check(&l); f != nil {
		return l, f
	}
	k.at.tree.add(text, k.visit)
	k.at.took(int64(len(text) + 1))
	if k.checkpoint != nil {
		k.at.open = 0
	}
	return l, nil
}

// check makes the checks that need more than the line's own bytes.
func (k *walker) check(l *line) *Finding {
	if k.lineNo == 1 {
		if f := k.checkHead(l); f != nil {
			return f
		}
	}
	if l.seq != k.at.seq() {
		return k.finding(FaultSequence, "sequence number %d, want %d", l.seq, k.at.seq())
	}
	if !l.contentMatches(k.hash, &k.sum) && !k.contentMatchesExactly(l) {
		return k.finding(FaultContent, "")
	}
	if !l.isOwn() {
		return nil
	}
	switch string(l.eventType) {
	case TypeHead:
		if k.lineNo > 1 {
			return k.finding(FaultHead, "a head that is not the first line")
		}
		return nil
	case TypeGap:
		k.gap = new(Gap)
		if readPayload(l.data, k.gap) != nil || k.gap.Schema != TypeGap {
			return k.finding(FaultMalformed, "the payload is no gap")
		}
		return nil
	case TypeCheckpoint, TypeSeal:
		return k.checkCheckpoint(l)
	}
	return k.finding(FaultMalformed, "a type that the journal does not write")
}

// contentMatchesExactly reads the event in full, for payloads whose text is not
// what their hash sees.
func (k *walker) contentMatchesExactly(l *line) bool {
	_, err := k.decoder.Parse(string(l.event) + "}")
	return err == nil
}

// checkHead reads the segment's head and, where the journal was followed up to
// here, compares it with what was found.
func (k *walker) checkHead(l *line) *Finding {
	var h head
	if !l.is(TypeHead) || readPayload(l.data, &h) != nil || h.Schema != TypeHead {
		return k.finding(FaultHead, "the first line is no head")
	}
	if k.number == 0 { // a segment by itself, whatever its file is called
		k.number = h.Segment
	}
	if h.Segment != k.number {
		return k.finding(FaultHead, "the head is of segment %d, want %d", h.Segment, k.number)
	}
	state, err := parseTreeState(h.Size, h.Range)
	if err != nil {
		return k.finding(FaultHead, "%v", err)
	}
	at, err := newCursor(h.Journal, state)
	if err != nil {
		return k.finding(FaultHead, "%v", err)
	}
	if k.onHead != nil {
		if f := k.onHead(&h); f != nil {
			return f
		}
	}
	if f := k.checkSuccession(&h); f != nil {
		return f
	}
	at.enter(k.number, parseTime(l.time))
	at.chain = k.chain
	k.at, k.head = at, h
	return nil
}

// checkSuccession compares a head with the end of the segment before, if that
// is known. A new journal may begin only behind a segment that was left as
// corrupt.
func (k *walker) checkSuccession(h *head) *Finding {
	corrupt := h.Previous != nil && h.Previous.State == leftCorrupt
	switch {
	case corrupt || h.Segment == 1:
		if h.Size != 0 {
			return k.finding(FaultHead, "a new journal begins with line %d, want 0", h.Size)
		}
		return nil
	case h.Previous == nil:
		return k.finding(FaultHead, "the head names no segment before it")
	case h.Previous.Journal != h.Journal:
		return k.finding(FaultHead, "the head continues another journal than its own")
	case k.at == nil:
		return nil
	case k.at.journal != h.Journal:
		return k.finding(FaultHead, "the head is of another journal")
	case k.at.seq() != h.Size:
		return k.finding(FaultSequence, "the head counts %d lines before it, want %d", h.Size, k.at.seq())
	case !slices.Equal(k.at.tree.state().hexHashes(), h.Range):
		return k.finding(FaultRoot, "the head names another tree")
	}
	return nil
}

// checkCheckpoint compares a checkpoint's tree with the one that was built, and
// verifies its signatures as far as the keys are known.
func (k *walker) checkCheckpoint(l *line) *Finding {
	var r checkpointRecord
	if readPayload(l.data, &r) != nil || r.Schema != string(l.eventType) || r.Segment != k.number {
		return k.finding(FaultMalformed, "the payload is no checkpoint of this segment")
	}
	c, err := ParseCheckpoint(r.Note, k.known)
	var f *Finding
	if errors.As(err, &f) && f.Fault != FaultKeyUnknown {
		return k.finding(f.Fault, "%s", f.Detail)
	}
	root := k.at.tree.root()
	switch {
	case c.Origin != origin(k.at.journal):
		return k.finding(FaultRoot, "the checkpoint is of another journal")
	case c.Size != k.at.seq():
		return k.finding(FaultRoot, "the checkpoint covers %d lines, want %d", c.Size, k.at.seq())
	case c.Root != root, !slices.Equal(k.at.tree.state().hexHashes(), r.Range):
		return k.finding(FaultRoot, "the root is %x, want %x", root, c.Root)
	}
	k.checkpoint, k.signatureKnown = &c, err == nil
	k.sealed = l.is(TypeSeal)
	return nil
}
