// SPDX-License-Identifier: Apache-2.0

package ledger

import "time"

// Begin tells the ledger, before its first Place, that it begins to see
// telemetry now, and since when nothing was lost: now, where runs end with the
// process, or when their storage began. It sets Options.Start.
//
// No run is idle for longer than the ledger sees telemetry: while the instance
// was down, spans wait at whoever sends them.
func (l *Ledger) Begin(now, since time.Time) {
	l.options.Start, l.options.began = since, now
}

// Lost tells the ledger that what was known of a run is lost, as when its
// stored form cannot be read.
func (l *Ledger) Lost(id ID) {
	s := l.shardOf(id)
	s.lock()
	defer s.unlock()
	s.lost.add(id)
}
