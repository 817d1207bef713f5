// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"archive/tar"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// An archiveSource is the decompressed archive of a bundle, within its limits.
// It keeps errors of the reader below apart from those of a bad bundle.
type archiveSource struct {
	compressed *boundedReader
	ahead      *bufio.Reader
	gzip       *gzip.Reader
	archive    *boundedReader
}

var (
	errCompressedLimit   = errors.New("compressed bytes beyond the limit")
	errDecompressedLimit = errors.New("decompressed bytes beyond the limit")
)

// openArchive opens r, which must begin like gzip.
func openArchive(r io.Reader, limits BundleLimits) (*archiveSource, error) {
	s := &archiveSource{compressed: &boundedReader{from: r, left: limits.Compressed, beyond: errCompressedLimit}}
	s.ahead = bufio.NewReaderSize(s.compressed, 1<<16)
	const magic = "\x1f\x8b"
	switch start, err := s.ahead.Peek(len(magic)); {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, s.explain(err)
	case string(start) != magic[:len(start)]:
		return nil, refuse(FaultNotGzip, "")
	}
	z, err := gzip.NewReader(s.ahead)
	if err != nil {
		return nil, s.explain(err)
	}
	z.Multistream(false)
	s.gzip = z
	s.archive = &boundedReader{from: z, left: limits.Decompressed, beyond: errDecompressedLimit}
	return s, nil
}

// Read reads the decompressed archive.
func (s *archiveSource) Read(p []byte) (int, error) { return s.archive.Read(p) }

// checkEnd reads what is behind the archive's last entry: zeros that fill it
// up, and then nothing. Only that shows that the checksum is right.
func (s *archiveSource) checkEnd() error {
	buf := make([]byte, 1<<12)
	for {
		n, err := s.Read(buf)
		for _, c := range buf[:n] {
			if c != 0 {
				return refuse(FaultTrailingData, "")
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	switch _, err := s.ahead.ReadByte(); {
	case err == nil:
		return refuse(FaultTrailingData, "")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

// explain turns an error of the standard library into the refusal it means,
// and leaves refusals and errors of the reader below as they are.
func (s *archiveSource) explain(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, errCompressedLimit), errors.Is(err, errDecompressedLimit):
		return &FaultError{Fault: FaultTooLarge, Cause: err}
	case s.compressed.failed != nil:
		return fmt.Errorf("read bundle: %w", s.compressed.failed)
	case isRefusal(err):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return refuse(FaultTruncated, "")
	case errors.Is(err, gzip.ErrHeader):
		return refuse(FaultNotGzip, "")
	case errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return refuse(FaultCorrupt, "")
	case errors.Is(err, tar.ErrHeader):
		return refuse(FaultNotTar, "")
	}
	return err
}

func isRefusal(err error) bool {
	_, _, ok := FaultOf(err)
	return ok
}

// A boundedReader fails with beyond once more than left bytes were asked for
// and there are more, and keeps the error of the reader below.
type boundedReader struct {
	from   io.Reader
	left   int64
	beyond error
	failed error
}

// Read reads up to one byte beyond the limit, to tell an end from a cut.
func (b *boundedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	if int64(n) > b.left {
		return int(b.left), b.beyond
	}
	b.left -= int64(n)
	return n, err
}
