// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

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
// refused later. BenchmarkHostile shows what it costs.
type hostileText struct{ name, text string }

func hostileTexts() []hostileText {
	const fits = 256 << 10
	long := strings.Repeat("a", 100<<10)
	return []hostileText{
		{"40000 members", flatObject(40_000)},
		{"as many members as fit", flatObject(22_000)},
		{"2 million brackets", strings.Repeat("[", 2_000_000)},
		{"as many brackets as fit", strings.Repeat("[", fits)},
		{"100 MB", strings.Repeat("a", 100<<20)},
		{"a cut string as long as fits", `"` + strings.Repeat("a", fits-1)},
		{"two equal names of 100 KB", `{"` + long + `":0,"` + long + `":0}`},
		{"nothing but space", strings.Repeat(" ", fits)},
		{"a bad byte at the end", strings.Repeat(" ", fits-1) + "\xff"},
		{"an exponent as long as fits", "1e" + strings.Repeat("9", fits-2)},
		{"an integer as long as fits", strings.Repeat("9", fits)},
		{"a cut number as long as fits", "[0." + strings.Repeat("0", fits-4) + "1"},
		{"4096 names with one repeated", strings.Replace(flatObject(4096), `"k4095"`, `"k0"`, 1)},
		{"a number that is out of range, after many", "[" + strings.Repeat("1e300,", 40_000) + "1e400]"},
	}
}

func TestHostileTextsAreRefused(t *testing.T) {
	for _, tt := range hostileTexts() {
		t.Run(tt.name, func(t *testing.T) {
			var d Doc
			require.Error(t, d.Parse(tt.text, limits))
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

// BenchmarkCostIsLinear has objects of one and four thousand members: each
// member costs the same, but for the steps of sorting.
func BenchmarkCostIsLinear(b *testing.B) {
	for _, members := range []int{1024, 4096} {
		b.Run(strconv.Itoa(members), func(b *testing.B) {
			text, dst := flatObject(members), []byte(nil)
			var d Doc
			for b.Loop() {
				if err := d.Parse(text, limits); err != nil {
					b.Fatal(err)
				}
				dst = d.Root().AppendJCSWithoutSecrets(dst[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(members), "ns/member")
		})
	}
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
