// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The variables by which make fuzz-reference asks for more.
const (
	durationVariable = "TDT_REFERENCE_FOR"  // how long to compare, such as 10m
	seedVariable     = "TDT_REFERENCE_SEED" // which inputs; random if empty
)

// shortRun is how long the comparison takes among the other tests, where it is
// of equal inputs every time.
const shortRun = 4 * time.Second

// maxSteps bounds how often a case that differs is made smaller.
const maxSteps = 400

// A comparison asks both.
type comparison struct {
	t      *testing.T
	oracle *oracle
	exempt map[string]int // cases by the decision that explains them
	equal  map[string]int // by area
	broke  int            // requests that the other program could not bear
}

// An outcome is what becomes of one case.
type outcome uint8

const (
	different outcome = iota + 1
	equal
	onPurpose // a decision of ours explains the difference
	broken    // the other program has no answer
)

// ask asks both, and compares.
func (c *comparison) ask(a *area, tc *testCase) (o outcome, own, other answer) {
	own = a.ours(tc)
	r, err := c.oracle.ask(tc.request(a.op))
	if errors.Is(err, errBroke) {
		c.broke++
		return broken, own, nil
	}
	require.NoError(c.t, err, "%s: %v", a.op, tc.request(a.op))
	if a.op == "import" || a.op == "verify_row" || a.op == "bundle" {
		if r["error"] != nil {
			return broken, own, other // it does not take such a request
		}
	}
	other = a.theirs(r)
	if maps.Equal(own, other) {
		return equal, own, other
	}
	for _, d := range ours {
		if d.holds(tc, a.op, own) {
			c.exempt[d.name]++
			return onPurpose, own, other
		}
	}
	return different, own, other
}

// reduce makes a case that differs smaller.
func (c *comparison) reduce(a *area, tc *testCase) *testCase {
	for range maxSteps {
		smaller := tc.smaller(func(s *testCase) bool {
			o, _, _ := c.ask(a, s)
			return o == different
		})
		if smaller == nil {
			return tc
		}
		tc = smaller
	}
	return tc
}

func TestAnswersAreThoseOfTheReference(t *testing.T) {
	c := &comparison{t: t, oracle: startOracle(t), exempt: map[string]int{}, equal: map[string]int{}}
	duration, seed := shortRun, uint64(1)
	if testing.Short() {
		duration = time.Second
	}
	if text := os.Getenv(durationVariable); text != "" {
		var err error
		duration, err = time.ParseDuration(text)
		require.NoError(t, err, durationVariable)
		seed = rand.Uint64()
	}
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, seedVariable)
	}
	t.Logf("seed %d, for %v", seed, duration)
	found := map[string]int{}
	for i, end := uint64(0), time.Now().Add(duration); time.Now().Before(end); i++ {
		a := &areas[i%uint64(len(areas))]
		if found[a.name] >= 3 {
			continue // one fault is found again and again
		}
		tc := a.generate(newGen(seed, i)).takeable(a.op)
		switch o, _, _ := c.ask(a, tc); o {
		case different:
			found[a.name]++
			c.report(a, c.reduce(a, tc), seed, i)
		case equal:
			c.equal[a.name]++
		}
	}
	t.Logf("%d requests, of which the other program broke on %d; equal %v; decided otherwise on purpose %v",
		c.oracle.asked, c.broke, c.equal, c.exempt)
	for i := range areas {
		assert.Positive(t, c.equal[areas[i].name], "nothing was compared of %s", areas[i].name)
	}
}

// report fails the test with a request that can be asked again.
func (c *comparison) report(a *area, tc *testCase, seed, iteration uint64) {
	_, own, other := c.ask(a, tc)
	request, err := marshal(tc.request(a.op))
	require.NoError(c.t, err)
	c.t.Errorf("seed %d, input %d: %s\nours   %v\ntheirs %v", seed, iteration, request, own, other)
}

// TestShrinkingFindsTheSmallestInput needs no other program.
func TestShrinkingFindsTheSmallestInput(t *testing.T) {
	c := newCase()
	c.docs["text"] = parse(`{"a":[1,2,{"b":"xyz"}],"c":null,"d":{"e":["y"]}}`)
	c.texts["name"] = "hello"
	c.ints["order"] = 7
	holds := func(s *testCase) bool {
		return s.docs["text"].has(func(_ string, n *node) bool { return n.text == "y" || n.text == "xyz" })
	}
	for {
		s := c.smaller(holds)
		if s == nil {
			break
		}
		c = s
	}
	assert.Equal(t, `"y"`, c.doc("text"))
	assert.Empty(t, c.texts["name"])
	assert.Zero(t, c.ints["order"])
}

func TestEqualSeedsMakeEqualInputs(t *testing.T) {
	for i := range areas {
		for n := range uint64(50) {
			a, b := areas[i].generate(newGen(7, n)), areas[i].generate(newGen(7, n))
			require.Equal(t, a.request("x"), b.request("x"), areas[i].op)
		}
	}
}

func TestEveryDecisionIsNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range ours {
		assert.False(t, seen[d.name], d.name)
		assert.NotEmpty(t, d.why)
		seen[d.name] = true
	}
}
