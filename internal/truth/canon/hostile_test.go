// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limits are those that the processor has by default.
var limits = Limits{Bytes: 256 << 10, Members: 4096}

func flatObject(members int) string {
	var b strings.Builder
	for i := range members {
		fmt.Fprintf(&b, `,"k%d":0`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// A hostileText is refused, and would cost much if it were read first and
// refused later.
type hostileText struct {
	name   string
	text   string
	within time.Duration
}

func hostileTexts() []hostileText {
	const fits = 256 << 10
	long := strings.Repeat("a", 100<<10)
	quick, slow := time.Millisecond, 100*time.Millisecond // slow is only to tell from quadratic
	return []hostileText{
		{"40000 members", flatObject(40_000), quick},
		{"as many members as fit", flatObject(22_000), quick},
		{"2 million brackets", strings.Repeat("[", 2_000_000), quick},
		{"as many brackets as fit", strings.Repeat("[", fits), quick},
		{"100 MB", strings.Repeat("a", 100<<20), quick},
		{"a cut string as long as fits", `"` + strings.Repeat("a", fits-1), quick},
		{"two equal names of 100 KB", `{"` + long + `":0,"` + long + `":0}`, quick},
		{"nothing but space", strings.Repeat(" ", fits), slow},
		{"a bad byte at the end", strings.Repeat(" ", fits-1) + "\xff", slow},
		{"an exponent as long as fits", "1e" + strings.Repeat("9", fits-2), slow},
		{"an integer as long as fits", strings.Repeat("9", fits), slow},
		{"a cut number as long as fits", "[0." + strings.Repeat("0", fits-4) + "1", slow},
		{"4096 names with one repeated", strings.Replace(flatObject(4096), `"k4095"`, `"k0"`, 1), slow},
		{"a number that is out of range, after many", "[" + strings.Repeat("1e300,", 40_000) + "1e400]", slow},
	}
}

// best returns the shortest of several runs of do, which is the one that the
// machine disturbed least.
func best(do func()) time.Duration {
	shortest := time.Hour
	for range 25 {
		start := time.Now()
		do()
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}

func TestHostileTextsAreRefusedQuickly(t *testing.T) {
	for _, tt := range hostileTexts() {
		t.Run(tt.name, func(t *testing.T) {
			var d Doc
			took := best(func() { require.Error(t, d.Parse(tt.text, limits)) })
			if !raceEnabled {
				assert.Less(t, took, tt.within)
			}
		})
	}
}

// TestTooLargeTextsCostNothing holds what is above the limit to no work at all.
func TestTooLargeTextsCostNothing(t *testing.T) {
	text := strings.Repeat("[", 2_000_000)
	var d Doc
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = d.Parse(text, limits) }), 1.0)
	assert.Zero(t, cap(d.nodes))
}

// TestCostIsLinear compares objects of one and four thousand members: each
// member costs the same, but for the steps of sorting.
func TestCostIsLinear(t *testing.T) {
	if raceEnabled {
		t.Skip("no times under the race detector")
	}
	cost := func(members int) float64 {
		text, dst := flatObject(members), []byte(nil)
		var d Doc
		return float64(best(func() {
			require.NoError(t, d.Parse(text, limits))
			dst = d.Root().AppendJCSWithoutSecrets(dst[:0])
		})) / float64(members)
	}
	small, large := cost(1024), cost(4096)
	assert.Less(t, large, 2*small, "per member")
}

func BenchmarkHostile(b *testing.B) {
	for _, bb := range hostileTexts() {
		b.Run(bb.name, func(b *testing.B) {
			var d Doc
			b.ReportAllocs()
			for b.Loop() {
				if d.Parse(bb.text, limits) == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}

// BenchmarkCostlyAccepted has texts within the limits that cost the most to
// read and write.
func BenchmarkCostlyAccepted(b *testing.B) {
	for name, text := range map[string]string{
		"4096 members":              flatObject(4096),
		"long names alike":          longNames(4096, 50),
		"numbers near the smallest": "[" + strings.Repeat("2.22507385850720112e-308,", 10_000) + "0]",
		"ties of doubles":           "[" + strings.Repeat("9007199254740993.0000000000000000000000001,", 6_000) + "0]",
		"elements":                  "[" + strings.Repeat("0,", 128<<10-2) + "0]",
		"escapes":                   `"` + strings.Repeat(`\u00e9`, 43_000) + `"`,
	} {
		b.Run(name, func(b *testing.B) {
			var d Doc
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Parse(text, limits); err != nil {
					b.Fatal(err)
				}
				dst = d.Root().AppendJCSWithoutSecrets(dst[:0])
			}
		})
	}
}

func longNames(members, length int) string {
	var b strings.Builder
	for i := range members {
		fmt.Fprintf(&b, `,"%s%d":0`, strings.Repeat("n", length), (i*2654435761)%1_000_003)
	}
	return "{" + b.String()[1:] + "}"
}
