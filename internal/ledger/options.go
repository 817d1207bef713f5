// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"math"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// Options bound a Ledger. A zero bound takes the default, except where it says
// otherwise.
type Options struct {
	// MaxRuns bounds the open runs. Beyond it the longest idle one is closed as
	// evicted. Victims are found in the shard that needs the room, so a few
	// runs more than that may be open. Default 100,000.
	MaxRuns int

	// MaxClosed bounds the closed runs that are remembered. Default MaxRuns, at
	// most 100,000.
	MaxClosed int

	// MaxBytes bounds the memory of all runs, closed ones going first. It is an
	// estimate within a few percent. Default 2 KiB a run that may be open, at
	// least 512 MiB.
	MaxBytes int64

	// IdleTimeout closes a run that no call joined for so long. 0: never.
	IdleTimeout time.Duration

	// MaxLifetime closes a run that was open for so long. 0: never.
	MaxLifetime time.Duration

	// Remember is how long a closed run is remembered at most. Default
	// MaxLifetime, or a day.
	Remember time.Duration

	// Start is when the ledger began to see telemetry, where nothing of before
	// was kept: a run that began earlier, but not earlier than MaxLifetime
	// before, has lost its state. Zero: nothing was lost.
	Start time.Time

	began time.Time // set by Begin

	// Window bounds the calls of a run that are kept one by one: a further
	// observation of an older one counts as a call of its own. Default 256, at
	// most 16,384.
	Window int

	// Records bounds the carriers of a run that are kept to be cited when it
	// closes. 0: there is no evidence, and none is asked for.
	Records int

	// Extent is the operator's word on whether more calls may come, and then
	// that of every run. Zero: each run has that which was observed.
	Extent sequence.Extent

	// Stored says that runs are kept in storage: Ended then lists what is
	// forgotten.
	Stored bool

	// SameTool reports whether two names can be one tool's as seen from two
	// layers. It must be fast and have no side effect. Default: equal names.
	SameTool func(a, b string) bool

	// Shards is how many parts the ledger has, each with its lock. Default: by
	// MaxRuns, one where that is small. Rounded up to a power of two.
	Shards int
}

// DefaultRecords is a good bound for Options.Records: 280 KB for a run that
// reaches it.
const DefaultRecords = 4096

func (o Options) withDefaults() Options {
	orElse := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	orElse(&o.MaxRuns, 100_000)
	orElse(&o.MaxClosed, min(o.MaxRuns, 100_000))
	orElse(&o.Window, 256)
	orElse(&o.Shards, min(max(1, o.MaxRuns/runsPerShard), 64))
	o.Shards = 1 << bitsFor(o.Shards)
	o.Window = min(max(o.Window, minWindow), maxWindow)
	if o.MaxBytes <= 0 {
		o.MaxBytes = max(512<<20, int64(o.MaxRuns)*2<<10)
	}
	if o.Remember <= 0 {
		o.Remember = o.MaxLifetime
	}
	if o.Remember <= 0 {
		o.Remember = 24 * time.Hour
	}
	o.Records = max(o.Records, 0)
	return o
}

// The bounds of Options.Window. Names of calls are told apart in 15 bits.
const (
	minWindow = 4
	maxWindow = 1 << 14
)

// runsPerShard is what makes another shard worth its eviction being apart.
const runsPerShard = 512

func bitsFor(n int) int { return int(math.Ceil(math.Log2(float64(n)))) }

// lost reports whether a run with something that began at start, in ns since
// 1970, may have begun before the ledger did.
func (o *Options) lost(start uint64) bool {
	if o.Start.IsZero() || start == 0 || start > math.MaxInt64 {
		return false
	}
	began := time.Unix(0, int64(start))
	return began.Before(o.Start) && (o.MaxLifetime <= 0 || o.Start.Sub(began) < o.MaxLifetime)
}
