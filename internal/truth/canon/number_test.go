// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNumbersOfRFC8785 is the table of appendix B, doubles by their bits.
func TestNumbersOfRFC8785(t *testing.T) {
	for _, tt := range []struct {
		bits uint64
		want string
	}{
		{0x0000000000000000, "0"},
		{0x8000000000000000, "0"},
		{0x0000000000000001, "5e-324"},
		{0x8000000000000001, "-5e-324"},
		{0x7fefffffffffffff, "1.7976931348623157e+308"},
		{0xffefffffffffffff, "-1.7976931348623157e+308"},
		{0x4340000000000000, "9007199254740992"},
		{0xc340000000000000, "-9007199254740992"},
		{0x4430000000000000, "295147905179352830000"},
		{0x44b52d02c7e14af5, "9.999999999999997e+22"},
		{0x44b52d02c7e14af6, "1e+23"},
		{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
		{0x444b1ae4d6e2ef4e, "999999999999999700000"},
		{0x444b1ae4d6e2ef4f, "999999999999999900000"},
		{0x444b1ae4d6e2ef50, "1e+21"},
		{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
		{0x3eb0c6f7a0b5ed8d, "0.000001"},
		{0x41b3de4355555553, "333333333.3333332"},
		{0x41b3de4355555554, "333333333.33333325"},
		{0x41b3de4355555555, "333333333.3333333"},
		{0x41b3de4355555556, "333333333.3333334"},
		{0x41b3de4355555557, "333333333.33333343"},
		{0xbecbf647612f3696, "-0.0000033333333333333333"},
		{0x43143ff3c1cb0959, "1424953923781206.2"},
	} {
		f := math.Float64frombits(tt.bits)
		assert.Equal(t, tt.want, string(AppendNumber(nil, f)), "bits %016x", tt.bits)
		assert.Equal(t, tt.want, canonical(t, strconv.FormatFloat(f, 'g', -1, 64)), "bits %016x, read back", tt.bits)
	}
}

func TestNumberTexts(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"1.0", "1"}, {"10e0", "10"}, {"1E2", "100"}, {"1e+2", "100"}, {"0.1e-6", "1e-7"}, {"100e-8", "0.000001"},
		{"999999999999999", "999999999999999"}, {"1000000000000001", "1000000000000001"},
		{"9007199254740993", "9007199254740992"}, {"-9223372036854775808", "-9223372036854776000"},
		{"18446744073709551615", "18446744073709552000"}, {"1e20", "100000000000000000000"}, {"1e21", "1e+21"},
		{"-1.5E-10", "-1.5e-10"}, {"106726.40000000001", "106726.40000000001"}, {"1e00000000000000000002", "100"},
		{"0.000001", "0.000001"}, {"0.0000001", "1e-7"}, {"0.000010", "0.00001"}, {"-0.5", "-0.5"}, {"-0.50", "-0.5"}, {"0.000000", "0"},
		{"123456789.123456", "123456789.123456"}, {"1234567890.123456", "1234567890.123456"}, {"12345678901.123456", "12345678901.123455"},
		{"4.9e-324", "5e-324"}, {"2.4703282292062327e-324", "0"}, {"2.4703282292062329e-324", "5e-324"},
	} {
		assert.Equal(t, tt.want, canonical(t, tt.text), tt.text)
		assert.Equal(t, tt.want, canonical(t, "["+tt.text+"]")[1:len(tt.want)+1], tt.text)
	}
}

// TestShortNumbersAreTheirOwnForm compares the texts that are copied as they
// are with what their doubles print as.
func TestShortNumbersAreTheirOwnForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	copied := 0
	for range 50_000 {
		text := strconv.FormatInt(rng.Int64()>>rng.IntN(63), 10)
		if rng.IntN(3) > 0 {
			text += "." + strconv.Itoa(1_000_000 + rng.IntN(1_000_000))[1:1+1+rng.IntN(6)]
		}
		d := parsed(t, text)
		if d.nodes[0].flags&canonicalText != 0 {
			copied++
		}
		require.Equal(t, string(AppendNumber(nil, d.Root().Float())), string(d.Root().AppendJCS(nil)), text)
	}
	require.Greater(t, copied, 10_000)
}

func TestAppendNumberWithoutANumber(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		assert.Equal(t, "null", string(AppendNumber(nil, f)))
	}
}

// TestAppendNumberAgainstTheLibrary compares with another implementation, on
// doubles of every magnitude and around the borders of the forms.
func TestAppendNumberAgainstTheLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(f float64) {
		want, err := jcs.NumberToJSON(f)
		require.NoError(t, err)
		require.Equal(t, want, string(AppendNumber(nil, f)))
	}
	for range 50_000 {
		if f := math.Float64frombits(rng.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			check(f)
		}
		check(float64(rng.Int64()))
		check(rng.NormFloat64() * 1e6)
	}
	for e := -330; e <= 308; e++ {
		f := math.Pow10(e)
		for range 3 {
			check(f)
			check(-f)
			f = math.Nextafter(f, 0)
		}
	}
}

// TestLongNumbers has texts whose digits make up for an exponent that strconv
// does not count to its end. A reader that goes wrong here judges another number
// than the one a tool gets.
func TestLongNumbers(t *testing.T) {
	const many = 123456
	zeros := strings.Repeat("0", many)
	for _, tt := range []struct{ name, text, want string }{
		{"a small number times a large power", "0." + zeros[1:] + "1e123456", "1"},
		{"a large number times a small power", "1" + zeros + "e-123456", "1"},
		{"the same, negative", "-25" + zeros + "e-123456", "-25"},
		{"with a fraction", "12" + zeros + ".5e-123456", "12"},
		{"zero however long", "0." + zeros, "0"},
		{"minus zero however long", "-0." + zeros + "e5", "0"},
		{"a long integer's last digit decides a tie", "9007199254740993" + zeros + "1e-123457", "9007199254740994"},
		{"a tie goes to even", "9007199254740993" + zeros + "0e-123457", "9007199254740992"},
		{"an exponent beyond 64 bits, small", "1" + zeros + "e-99999999999999999999", "0"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, canonical(t, tt.text)) })
	}
	for name, text := range map[string]string{
		"an exponent beyond 64 bits, large": "0." + zeros + "1e99999999999999999999",
		"one place too many":                "1" + zeros + "e-123147",
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, FaultNumberRange, faultOf(t, text, Limits{}).Fault) })
	}
}

// TestExactDoubles compares with strconv, which is exact on numbers of ordinary
// length, on those that parseDouble does not give it.
func TestExactDoubles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = '0' + byte(rng.IntN(10))
		}
		return string(b)
	}
	check := func(text string) {
		want, _ := strconv.ParseFloat(text, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		require.Equal(t, want, exactDouble(mantissa, exponent), text)
		require.Equal(t, -want, parseDouble("-"+text), text)
	}
	for range 3_000 {
		check("1" + digits(rng.IntN(30)) + "." + digits(1+rng.IntN(30)) + "e" + strconv.Itoa(rng.IntN(700)-360))
		check("0." + digits(1+rng.IntN(900)) + digits(rng.IntN(900)) + "e" + strconv.Itoa(rng.IntN(40)-20))
	}
	for range 3_000 { // the middle between two doubles, a little less, a little more
		f := math.Float64frombits(rng.Uint64() >> (1 + rng.IntN(60)))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		middle := new(big.Float).SetPrec(54).Add(big.NewFloat(f), big.NewFloat(math.Nextafter(f, 1)))
		middle.SetPrec(1100).Quo(middle, big.NewFloat(2))
		text := middle.Text('e', 780)
		check(text)
		check(strings.Replace(text, "e", strings.Repeat("0", 100)+"1e", 1))
		check(text[:18] + text[strings.Index(text, "e"):])
	}
	for _, text := range []string{
		"1.7976931348623158079e308", "1.7976931348623158080e308", "4.9406564584124654e-324", "2.4703282292062327208e-324",
		"2.4703282292062327209e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "0.0e-400", "00000e500", "1e-330", "1e-331",
		"9e310", "9e309", "0.0000000000000000000000000000000000000000000000000000001e54",
	} {
		check(text)
	}
}

func BenchmarkParseDouble(b *testing.B) {
	for _, text := range []string{
		"0.125", "-106726.40000000001", "2.5e-7", "9007199254740993.00000000001", "2.22507385850720112e-308", "1e300", "5e-324",
	} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				parseDouble(text)
			}
		})
	}
}
