// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// A keptCheckpoint is a checkpoint that was kept outside of the journal.
type keptCheckpoint struct {
	Checkpoint
	compared bool // with the journal's own root
	begun    bool // the journal was found
	pruned   bool // the journal begins behind it
}

// readKept reads the checkpoints in the options. One whose signature does not
// hold is a finding: somebody made it up. One of an unknown key still has to
// agree with the journal.
func (a *audit) readKept() error {
	for i, text := range a.o.Checkpoints {
		c, err := ParseCheckpoint(text, a.o.Keys)
		var f *Finding
		if errors.As(err, &f) {
			switch f.Fault {
			case FaultSignature:
				a.report.found(&Finding{Fault: f.Fault, Detail: fmt.Sprintf("checkpoint %d that was kept elsewhere: %s", i+1, f.Detail)})
				continue
			case FaultKeyUnknown:
				a.report.UnknownKeys++
				for _, name := range c.Signers {
					a.report.UnknownSigners[name]++
				}
			default:
				return fmt.Errorf("checkpoint %d: %w", i+1, err)
			}
		}
		a.kept = append(a.kept, keptCheckpoint{Checkpoint: c})
	}
	slices.SortFunc(a.kept, func(x, y keptCheckpoint) int { return cmp.Compare(x.Size, y.Size) })
	return nil
}

// beginKept notes which kept checkpoints are of the journal whose segment
// begins, and which of them it begins behind.
func (a *audit) beginKept(h *head) {
	for i := range a.kept {
		c := &a.kept[i]
		if c.begun || c.Origin != origin(h.Journal) {
			continue
		}
		c.begun = true
		c.pruned = h.Size > 0 && c.Size <= h.Size
		c.compared = c.Size == 0
	}
}

// compareKept compares the tree with the kept checkpoints of its size.
func (a *audit) compareKept() *Finding {
	at := a.walker.at
	for i := range a.kept {
		c := &a.kept[i]
		if c.Size != at.seq() || !c.begun || c.pruned || c.compared || c.Origin != origin(at.journal) {
			continue
		}
		c.compared = true
		if root := at.tree.root(); root != c.Root {
			return a.walker.finding(FaultCheckpoint, "the root of %d lines is %x, want %x", c.Size, root, c.Root)
		}
	}
	return nil
}

// finishKept reports what the journal should have and does not. Where something
// else was found, the lines up to the checkpoint may not have been counted.
func (a *audit) finishKept() {
	for i := range a.kept {
		c := &a.kept[i]
		switch {
		case c.pruned:
			a.report.Pruned++
		case c.compared || a.report.FindingsTotal > 0:
		case !c.begun:
			a.report.found(&Finding{Fault: FaultCheckpoint, Seq: c.Size, Detail: "no journal here has the checkpoint's origin"})
		default:
			a.report.found(&Finding{Fault: FaultNewestMissing, Seq: c.Size, Detail: fmt.Sprintf("the checkpoint covers %d lines", c.Size)})
		}
	}
}
