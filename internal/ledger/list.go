// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"slices"
)

// A list holds runs, the last used first. It is linked through the runs, which
// are in one list at a time. The zero list is empty.
type list struct{ newest, last *run }

func (l *list) pushFront(r *run) {
	r.newer, r.older = nil, l.newest
	if l.newest != nil {
		l.newest.newer = r
	} else {
		l.last = r
	}
	l.newest = r
}

// remove takes out r, which is in l.
func (l *list) remove(r *run) {
	if r.newer != nil {
		r.newer.older = r.older
	} else {
		l.newest = r.older
	}
	if r.older != nil {
		r.older.newer = r.newer
	} else {
		l.last = r.newer
	}
	r.newer, r.older = nil, nil
}

// oldest returns the run unused for longest among those that will do, looking
// at a few only: runs that will not do were used just now.
func (l *list) oldest(will func(*run) bool) *run {
	const few = 16
	r := l.last
	for range few {
		if r == nil || will(r) {
			return r
		}
		r = r.newer
	}
	return nil
}

// sort puts the list in the order of last use.
func (l *list) sort(now tick) {
	var all []*run
	for r := l.last; r != nil; r = r.newer {
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b *run) int { return cmp.Compare(now.since(b.touched), now.since(a.touched)) })
	*l = list{}
	for _, r := range all {
		l.pushFront(r)
	}
}
