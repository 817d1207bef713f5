// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

const (
	proofHeader = "c2sp.org/tlog-proof@v1"
	proofExtra  = "extra "
	proofIndex  = "index "

	// maxProof bounds the text of a proof: the longest line in base64, a
	// checkpoint, and a hash for each level of the largest tree.
	maxProof    = 2*maxLine + maxNote + 64*64
	maxProofLen = 64 // hashes
)

// A Proof shows that a line is in a journal, to somebody who has neither the
// journal nor access to it. Its text is the C2SP proof format, with the line as
// the extra data.
type Proof struct {
	Line       string // without its newline
	Index      uint64 // the line's sequence number
	Hashes     [][hashSize]byte
	Checkpoint string // the signed note
}

// String returns the proof's text.
func (p *Proof) String() string {
	var b strings.Builder
	b.WriteString(proofHeader + "\n" + proofExtra + base64.StdEncoding.EncodeToString([]byte(p.Line)) + "\n")
	b.WriteString(proofIndex + strconv.FormatUint(p.Index, 10) + "\n")
	for _, h := range p.Hashes {
		b.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
	}
	b.WriteString("\n" + p.Checkpoint)
	return b.String()
}

// MarshalText returns the proof's text.
func (p *Proof) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

var errProofText = errors.New("text is not a proof")

// ParseProof reads what String writes, and nothing else. It verifies nothing.
func ParseProof(text string) (*Proof, error) {
	if len(text) > maxProof {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", errProofText, maxProof)
	}
	body, checkpoint, ok := strings.Cut(text, "\n\n")
	lines := strings.Split(body, "\n")
	if !ok || len(lines) < 3 || len(lines) > 3+maxProofLen || lines[0] != proofHeader {
		return nil, fmt.Errorf("%w: want %s, extra, index, hashes and a checkpoint", errProofText, proofHeader)
	}
	p := &Proof{Checkpoint: checkpoint}
	extra, ok := strings.CutPrefix(lines[1], proofExtra)
	record, err := base64.StdEncoding.Strict().DecodeString(extra)
	if !ok || err != nil {
		return nil, fmt.Errorf("%w: the extra data is not base64", errProofText)
	}
	p.Line = string(record)
	index, ok := strings.CutPrefix(lines[2], proofIndex)
	if p.Index, err = parseCount(index); !ok || err != nil {
		return nil, fmt.Errorf("%w: the index is no count", errProofText)
	}
	for i, s := range lines[3:] {
		h, err := parseHash(s)
		if err != nil {
			return nil, fmt.Errorf("%w: hash %d is no hash", errProofText, i+1)
		}
		p.Hashes = append(p.Hashes, h)
	}
	if p.String() != text {
		return nil, fmt.Errorf("%w: %w", errProofText, errNotCanonical)
	}
	return p, nil
}

// A Proven is a record that a proof has shown to be in a journal.
type Proven struct {
	Record carrier.Event
	Seq    uint64

	// Digest is the digest of the record's payload: of a carrier its content
	// digest, which rows cite and spans show.
	Digest canon.Digest

	Checkpoint Checkpoint
}

// VerifyProof verifies the text of a proof with the keys that are known. The
// error is a *Finding for a proof that does not hold. With FaultKeyUnknown the
// result is there all the same: the record is in the tree of that checkpoint,
// but who signed it is not known.
func VerifyProof(text string, known note.Verifiers) (Proven, error) {
	p, err := ParseProof(text)
	if err != nil {
		return Proven{}, &Finding{Fault: FaultMalformed, Detail: err.Error()}
	}
	checkpoint, signature := ParseCheckpoint(p.Checkpoint, known)
	var f *Finding
	if errors.As(signature, &f) && f.Fault != FaultKeyUnknown {
		return Proven{}, signature
	}
	if err := p.lead(&checkpoint); err != nil {
		return Proven{}, err
	}
	l, ok := parseLine([]byte(p.Line))
	if !ok {
		return Proven{}, &Finding{Fault: FaultMalformed, Seq: p.Index, Detail: "the record is not a line of a journal"}
	}
	if l.seq != p.Index {
		return Proven{}, &Finding{Fault: FaultRecordDiffers, Seq: p.Index, Detail: fmt.Sprintf("the record says that it is line %d", l.seq)}
	}
	e, err := carrier.ParseEvent(p.Line)
	if err != nil {
		return Proven{}, &Finding{Fault: FaultContent, Seq: p.Index}
	}
	return Proven{Record: e, Seq: p.Index, Digest: canon.Sum(l.data), Checkpoint: checkpoint}, signature
}

// lead computes the root that line and hashes lead to.
func (p *Proof) lead(c *Checkpoint) error {
	if p.Index >= c.Size {
		return &Finding{Fault: FaultProof, Seq: p.Index, Detail: fmt.Sprintf("the checkpoint covers %d lines", c.Size)}
	}
	hashes := make([][]byte, len(p.Hashes))
	for i := range p.Hashes {
		hashes[i] = p.Hashes[i][:]
	}
	leaf := rfc6962.DefaultHasher.HashLeaf([]byte(p.Line))
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, p.Index, c.Size, leaf, hashes, c.Root[:]); err != nil {
		return &Finding{Fault: FaultProof, Seq: p.Index}
	}
	return nil
}
