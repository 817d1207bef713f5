// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// readSegments returns the segments in dir by number. What has a segment's
// name without being a regular file is listed as not regular; a name that only
// looks like a segment's has number 0.
func readSegments(dir *os.File) ([]segmentFile, error) {
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var list []segmentFile
	for _, e := range entries {
		if !looksLikeSegment(e.Name()) {
			continue
		}
		number, _ := segmentNumber(e.Name())
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed by retention since it was listed
		}
		if err != nil {
			return nil, err
		}
		list = append(list, segmentFile{number: number, size: info.Size(), regular: info.Mode().IsRegular()})
	}
	sortSegments(list)
	return list, nil
}

// listSegments returns the segments in a directory that is only read.
func listSegments(path string) ([]segmentFile, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	list, err := readSegments(dir)
	return list, errors.Join(err, dir.Close())
}

// openForReading opens a file of a journal without following a link that
// somebody may have put in its place.
func openForReading(path, name string) (*os.File, error) {
	full := filepath.Join(path, name)
	before, err := os.Lstat(full)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", full)
	}
	f, err := os.Open(full)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("%s was replaced while it was opened", full)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
