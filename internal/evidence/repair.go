// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"io"
	"io/fs"
)

// A repair is what has to be done to a segment before the journal goes on. It
// can be done again when it was interrupted.
type repair struct {
	segment     uint64
	keep        int64 // bytes that stay
	size        int64 // bytes that are there; those behind keep are set aside
	rewriteFrom int64 // what lies from here to keep is written and synced again
	remove      bool  // the segment itself goes
	missing     uint64
	aside       string // name of the side file, once it is there
}

// start does all repairs and makes sure that a segment is there to write to.
// It may be called again after an error.
func (w *writer) start() error {
	for len(w.repairs) > 0 {
		r := &w.repairs[0]
		if err := w.repair(r); err != nil {
			return err
		}
		if gap, ok := r.gap(); ok {
			w.torn, w.found = append(w.torn, gap), append(w.found, gap)
			w.counts.torn.Add(1)
		}
		w.repairs = w.repairs[1:]
	}
	w.started = true
	if err := w.commit(nil, want{segment: true}); err != nil {
		return err
	}
	w.writePosition(true)
	return nil
}

// gap returns the record of what the repair found missing or set aside.
func (r *repair) gap() (Gap, bool) {
	if r.missing == 0 && r.aside == "" {
		return Gap{}, false
	}
	return Gap{
		Cause: ReasonTornTail, Bytes: r.size - r.keep, File: r.aside, Records: r.missing,
		Schema: TypeGap, Segment: r.segment,
	}, true
}

func (w *writer) repair(r *repair) error {
	f, closeIt, err := w.fileOf(r.segment)
	if errors.Is(err, fs.ErrNotExist) && r.remove {
		return nil
	}
	if err != nil {
		return err
	}
	if r.size > r.keep && r.aside == "" {
		if r.aside, err = w.setAside(f, r); err != nil {
			return errors.Join(err, closeIt())
		}
	}
	if r.remove {
		return errors.Join(closeIt(), w.dir.remove(segmentName(r.segment)), w.dir.sync())
	}
	return errors.Join(r.trim(f), closeIt())
}

// fileOf returns the open segment, or opens it.
func (w *writer) fileOf(segment uint64) (f file, closeIt func() error, err error) {
	if w.file != nil && w.end.segment == segment {
		return w.file, func() error { return nil }, nil
	}
	f, _, err = w.dir.open(segmentName(segment))
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// setAside copies what lies behind r.keep into a side file.
func (w *writer) setAside(f file, r *repair) (name string, err error) {
	var side file
	for try := 0; ; try++ {
		name = tornName(r.segment, r.keep, try)
		side, err = w.dir.create(name)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	err = copyRange(side, f, r.keep, r.size)
	if err := errors.Join(err, side.Sync(), side.Close()); err != nil {
		return "", errors.Join(err, w.dir.remove(name))
	}
	return name, w.dir.sync()
}

// copyRange writes what src has in [from, to) to the start of dst.
func copyRange(dst io.WriterAt, src io.ReaderAt, from, to int64) error {
	_, err := io.Copy(io.NewOffsetWriter(dst, 0), io.NewSectionReader(src, from, to-from))
	return err
}

// trim ends the segment behind r.keep and makes it durable up to there.
func (r *repair) trim(f file) error {
	if r.size > r.keep {
		if err := f.Truncate(r.keep); err != nil {
			return err
		}
	}
	src := io.NewSectionReader(f, r.rewriteFrom, r.keep-r.rewriteFrom)
	if _, err := io.Copy(io.NewOffsetWriter(f, r.rewriteFrom), src); err != nil {
		return err
	}
	return f.Sync()
}
