// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/stretchr/testify/require"
)

// A generator makes patterns that mean something, and texts that they may
// match.
type generator struct{ *rand.Rand }

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) pattern(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.pick("a", "b", "ab", ".", `\d`, `\w`, `\s`, "[ab]", "[^a]", "[a-c1]", `\b`, "^", "$", "é", "", `[\s\S]`, `\W`)
	}
	switch g.IntN(8) {
	case 0, 1:
		return g.pattern(depth-1) + g.pattern(depth-1)
	case 2:
		return "(?:" + g.pattern(depth-1) + "|" + g.pattern(depth-1) + ")"
	case 3, 4:
		return "(?:" + g.pattern(depth-1) + ")" + g.pick("*", "+", "?", "{2}", "{1,2}", "{0,3}", "*?", "+?", "??")
	case 5:
		return "(" + g.pattern(depth-1) + ")"
	case 6:
		return "^" + g.pattern(depth-1) + "$"
	}
	return g.pick("(?=", "(?!", "(?<=", "(?<!") + g.pattern(depth-1) + ")"
}

func (g generator) text() string {
	var b strings.Builder
	for range g.IntN(9) {
		b.WriteString(g.pick("a", "b", "c", "1", " ", "é", "_", "\n", "-"))
	}
	return b.String()
}

// TestAllWaysAgree matches the same patterns in every way that takes them: each
// was written apart from the others, and regexp2 by somebody else.
func TestAllWaysAgree(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	seen := map[string]int{}
	for range 4000 {
		pattern := g.pattern(1 + g.IntN(4))
		n, p, err := parse(pattern, Properties{})
		require.NoError(t, err, pattern)
		reference, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
		require.NoError(t, err, pattern)
		ways := map[string]func(string) bool{}
		if greedy := asGreedy(n); greedy != nil {
			ways["greedy"] = greedy.match
		}
		if native := translate(n); native != nil {
			ways["native"] = native.MatchString
		}
		prog, ok := compile(n, p.groups, false)
		require.True(t, ok)
		ways["simulated"] = (&simulation{program: prog}).match
		prog, ok = compile(n, p.groups, true)
		require.True(t, ok)
		ways["tracked"] = (&backtracker{program: prog}).match
		for range 8 {
			text := g.text()
			want, err := reference.MatchString(text)
			require.NoError(t, err)
			for way, match := range ways {
				seen[way]++
				require.Equal(t, want, match(text), "%s: %q on %q", way, pattern, text)
			}
		}
	}
	for _, way := range []string{"greedy", "native", "simulated", "tracked"} {
		require.Greater(t, seen[way], 500, way)
	}
}

// TestBackReferencesAgree does the same for what backtracking alone can do.
func TestBackReferencesAgree(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(3, 4))}
	for range 3000 {
		pattern := g.pattern(2) + "(" + g.pattern(2) + ")" + g.pick("", "*", "?", "{2}") + g.pattern(1) + `\1` + g.pattern(1)
		if strings.Contains(pattern, "(?<") {
			continue // what regexp2 captures behind is not what ECMA-262 says
		}
		n, p, err := parse(pattern, Properties{})
		require.NoError(t, err, pattern)
		reference, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
		require.NoError(t, err, pattern)
		prog, ok := compile(n, p.groups, true)
		require.True(t, ok)
		b := &backtracker{program: prog}
		for range 8 {
			text := g.text()
			want, err := reference.MatchString(text)
			require.NoError(t, err)
			require.Equal(t, want, b.match(text), "%q on %q", pattern, text)
		}
	}
}
