// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

// A slowRun is what docs/runs.md says, written down without regard to memory
// or time: it keeps every group, compares everything with everything, and
// evaluates the rules over all calls each time.
type slowRun struct {
	calls []*slowCall
	spans []slowSpan // in the order in which they were first seen
	hops  map[Span]Span
	worst truth.Verdict
}

type slowCall struct {
	Group   // whose decision stands
	order   int64
	outer   Layer
	end     uint64
	id      string
	waits   bool
	args    Sum
	hasArgs bool
	gone    bool
	written Sum
	due     bool // the decision has no record
	ruled   sequence.Call
}

type slowSpan struct {
	Member
	call *slowCall
}

func (r *slowRun) owner(s Span) *slowCall {
	for _, known := range r.spans {
		if known.Span == s && s != (Span{}) {
			return known.call
		}
	}
	return nil
}

func (r *slowRun) resolve(s Span) Span {
	for range 100 {
		next, ok := r.hops[s]
		if !ok {
			break
		}
		s = next
	}
	return s
}

func (r *slowRun) hop(h Hop) {
	for i := range r.spans {
		if r.spans[i].Parent == h.Span {
			r.spans[i].Parent = h.Parent
		}
	}
	_, chained := r.hops[h.Parent]
	if h.Parent != (Span{}) && (chained || r.owner(h.Parent) != nil) {
		r.hops[h.Span] = h.Parent
	}
}

func (c *slowCall) agrees(g *Group) bool {
	ids := c.id == "" || g.CallID == "" || c.id == g.CallID
	return ids && (!c.hasArgs || !g.Call.HasArgs || c.args == g.Args) && c.Call.Name == g.Call.Name
}

// straight says that no other span of c hangs right below above.
func (r *slowRun) straight(c *slowCall, above Span, g *Group) bool {
	for _, s := range r.spans {
		mine := slices.ContainsFunc(g.Members, func(m Member) bool { return m.Span == s.Span })
		if s.call == c && s.Layer.inner() && s.Parent == above && !mine {
			return false
		}
	}
	return true
}

// matches returns the calls that g observes. Groups here have one span each,
// and a batch has one group.
func (r *slowRun) matches(g *Group) []*slowCall {
	var found []*slowCall
	add := func(c *slowCall) {
		contradicts := func(d *slowCall) bool {
			return c == d || c.hasArgs && d.hasArgs && c.args != d.args || c.id != "" && d.id != "" && c.id != d.id
		}
		if c != nil && !slices.ContainsFunc(found, contradicts) {
			found = append(found, c)
		}
	}
	m := g.Members[0]
	add(r.owner(m.Span))
	if r.known(g) {
		return found
	}
	for _, c := range r.calls {
		sameID := g.CallID != "" && c.id == g.CallID && c.agrees(g) && (m.Start/1e6 <= c.end/1e6 || c.waits || g.Waits)
		if !c.gone && sameID {
			add(c)
		}
	}
	if above := r.resolve(m.Parent); m.Layer.inner() && above != m.Span {
		if c := r.owner(above); c != nil && c.agrees(g) && r.straight(c, above, g) {
			add(c)
		}
	}
	for _, s := range r.spans {
		below := s.Layer.inner() && s.Parent == m.Span && s.Span != m.Span && m.Parent != m.Span
		all := !slices.ContainsFunc(found, func(c *slowCall) bool { return !r.straight(c, m.Span, g) })
		if below && s.call.agrees(g) && all {
			add(s.call)
			break
		}
	}
	return found
}

func (r *slowRun) known(g *Group) bool {
	return slices.ContainsFunc(r.spans, func(s slowSpan) bool {
		return s.Span == g.Members[0].Span && s.Content == g.Members[0].Content
	})
}

func (r *slowRun) place(g Group) (kind Kind, c *slowCall) {
	known := r.known(&g)
	found := r.matches(&g)
	if len(found) == 0 {
		c = &slowCall{Group: g, order: int64(len(r.calls)), due: true, ruled: g.Call, hasArgs: g.Call.HasArgs, args: g.Args}
		r.calls = append(r.calls, c)
		r.worst = max(r.worst, g.Verdict)
		r.learn(c, &g)
		return KindNew, c
	}
	slices.SortFunc(found, func(a, b *slowCall) int {
		if a.hasArgs != b.hasArgs {
			return map[bool]int{true: -1, false: 1}[a.hasArgs]
		}
		return int(a.order - b.order)
	})
	c = found[0]
	for _, other := range found[1:] {
		r.merge(other, c)
	}
	kind = r.kind(c, &g, known)
	if kind == KindReplaced || kind == KindChanged {
		r.decide(c, &g, kind)
	}
	if kind != KindResent {
		r.learn(c, &g)
	}
	return kind, c
}

func (r *slowRun) merge(from, to *slowCall) {
	for i := range r.spans {
		if r.spans[i].call == from {
			r.spans[i].call = to
		}
	}
	if to.id == "" {
		to.id = from.id
	}
	from.gone, from.id, from.Members = true, "", []Member{{}}
}

// kind follows the sentences of docs/runs.md one by one.
func (r *slowRun) kind(c *slowCall, g *Group, known bool) Kind {
	own := c.Members[0].Span == g.Members[0].Span
	worse := g.Verdict >= truth.Mismatch && g.Verdict > c.Verdict
	outer := g.Members[0].Layer < c.outer
	if known {
		if own && worse && c.Members[0].Content == g.Members[0].Content && c.Policy.same(g.Policy) {
			return KindChanged
		}
		return KindResent
	}
	if own {
		return KindChanged
	}
	if c.Verdict >= truth.Mismatch && g.Verdict < c.Verdict {
		return KindJoined
	}
	if g.Call.HasArgs && !c.hasArgs || outer && worse {
		return KindReplaced
	}
	if outer && g.Call.HasArgs == c.hasArgs && g.Verdict != c.Verdict {
		return KindReplaced
	}
	return KindJoined
}

func (r *slowRun) decide(c *slowCall, g *Group, kind Kind) {
	c.ruled.Name = g.Call.Name
	if g.Call.HasArgs || kind == KindChanged {
		c.ruled.Args, c.ruled.HasArgs = g.Call.Args, g.Call.HasArgs
		c.args, c.hasArgs = g.Args, g.Call.HasArgs
	}
	c.Group = *g
	c.due = true
	if g.Verdict >= truth.Mismatch {
		r.worst = max(r.worst, g.Verdict)
	}
}

func (r *slowRun) learn(c *slowCall, g *Group) {
	m := g.Members[0]
	if c.outer == 0 || m.Layer < c.outer {
		c.outer = m.Layer
	}
	c.end, c.waits = max(c.end, m.End), c.waits || g.Waits
	if c.id == "" {
		c.id = g.CallID
	}
	m.Parent = r.resolve(m.Parent)
	for i := range r.spans {
		if s := &r.spans[i]; s.Span == m.Span && s.Content == m.Content {
			if m.Parent != (Span{}) {
				s.Parent = m.Parent
			}
			return
		}
	}
	r.spans = append(r.spans, slowSpan{m, c})
}

func (r *slowRun) verdict() truth.Verdict {
	v := truth.Match
	if r.worst >= truth.Mismatch {
		v = r.worst
	}
	for _, c := range r.calls {
		if !c.gone {
			v = max(v, c.Verdict)
		}
	}
	return v
}

// randomGroup draws from so few values that everything meets everything. A span
// says one of two things, and the same one most of the time.
func randomGroup(rng *rand.Rand, said map[[2]int]Group) Group {
	pick := func(n int) int { return rng.IntN(n) }
	span, what := 1+pick(7), 1+pick(8)/7
	if g, ok := said[[2]int{span, what}]; ok {
		if pick(9) == 0 {
			g.Verdict = truth.Verdicts()[pick(4)]
		}
		return g
	}
	edits := []edit{as(Layer(1 + pick(3))), saying(what), at(pick(4)), lasting(pick(3))}
	if pick(2) == 0 {
		edits = append(edits, below(pick(12)))
	}
	if pick(3) == 0 {
		edits = append(edits, withID([]string{"x", "y"}[pick(2)]))
	}
	if pick(2) == 0 {
		edits = append(edits, given(fmt.Sprintf(`{"a":%d}`, pick(2))))
	}
	if pick(4) == 0 {
		edits = append(edits, deciding(truth.Verdicts()[pick(4)]))
	}
	if pick(9) == 0 {
		edits = append(edits, waiting)
	}
	g := called([]string{"pay", "pay", "mail"}[pick(3)], span, edits...)
	said[[2]int{span, what}] = g
	return g
}

func TestTheLedgerDoesWhatASlowOneDoes(t *testing.T) {
	rules := []string{
		`{type: max_calls, tool: pay, max: 2}`, `{type: never_after, trigger: pay, forbidden: mail}`,
		`{type: require, tool: {tool: pay, args_match: {a: "1"}}}`, `{type: sequence, tools: [mail, pay]}`,
	}
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	kinds := map[Kind]int{}
	merges := 0
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		b := newBook(t, Options{Records: 64, Shards: 1}, rules[:2+2*(seed%2)]...)
		slow, said := &slowRun{hops: map[Span]Span{}}, map[[2]int]Group{}
		at := fmt.Sprintf("seed %d", seed)
		for range 12 {
			if rng.IntN(5) == 0 && len(slow.calls) > 0 {
				h := Hop{spanOf(8 + rng.IntN(4)), spanOf(rng.IntN(12))}
				b.placeSeen([]Seen{{Run: runOf(1), Trace: traceOf(1), Hops: []Hop{h}}})
				slow.hop(h)
				at += fmt.Sprintf("\n\thop %d below %d", h.Span[7], h.Parent[7])
				continue
			}
			b.written = rng.IntN(6) > 0
			g := randomGroup(rng, said)
			g.Policy = b.policy
			kind, c := slow.place(g)
			p := b.place(g)[0]
			kinds[kind]++
			m := g.Members[0]
			at += fmt.Sprintf("\n\t%s %d below %d %d says %d id %q args %x %s %d-%d: %s %d", g.Call.Name, m.Span[7], m.Parent[7], m.Layer,
				m.Content, g.CallID, g.Args[:1], g.Verdict, m.Start/1e9%100, m.End/1e9%100, kind, c.order)
			require.Equal(t, kind, p.Kind, at)
			require.Equal(t, c.order, p.Order, at)
			require.Equal(t, c.Verdict, p.Verdict, at)
			require.Equal(t, c.Members[0].Span, p.Primary, at)
			require.Equal(t, slow.verdict(), p.RunVerdict, at)
			own := c.Members[0].Span == g.Members[0].Span && c.Members[0].Content == g.Members[0].Content
			require.Equal(t, c.due && own, p.Record, at)
			if p.Record && b.written {
				c.due, c.written = false, carrierOf(&g, c.order).Carrier
			}
			if rng.IntN(4) == 0 {
				restart(t, b)
			}
		}
		for _, c := range slow.calls {
			if c.gone {
				merges++
			}
		}
		if len(slow.calls) > 0 {
			compareEnd(t, b, slow, seed)
		}
	}
	for k := KindNew; k <= KindChanged; k++ {
		assert.Greater(t, kinds[k], 100*rounds/3000, k.String())
	}
	assert.Positive(t, merges)
}

// restart stores the run and goes on in another ledger.
func restart(t *testing.T, b *book) {
	stored, ok := b.AppendRun(nil, runOf(1))
	if !ok {
		return
	}
	b.Ledger = NewLedger(b.options)
	_, err := b.Restore(b.now, stored, []*Policy{b.policy})
	require.NoError(t, err)
	again, _ := b.AppendRun(nil, runOf(1))
	require.Equal(t, stored, again)
}

func compareEnd(t *testing.T, b *book, slow *slowRun, seed int) {
	at := fmt.Sprintf("seed %d", seed)
	c := b.end()
	var want Counts
	var calls []sequence.Call
	var cited []Sum
	for _, call := range slow.calls {
		if call.gone {
			continue
		}
		calls = append(calls, call.ruled)
		switch call.Verdict {
		case truth.Match:
			want.Match++
		case truth.Incomplete:
			want.Incomplete++
		case truth.Mismatch:
			want.Mismatch++
		default:
			want.Invalid++
		}
		if !call.due {
			cited = append(cited, call.written)
		}
	}
	require.Equal(t, want, c.Counts, at)
	require.Equal(t, int64(len(calls)), c.Calls, at)
	require.Equal(t, slow.verdict(), c.Verdict, at)
	var got []Sum
	for _, x := range c.Cited {
		got = append(got, x.Carrier)
	}
	require.Equal(t, cited, got, at)
	if c.Policies[0].Behind == 0 {
		require.Equal(t, b.policy.Rules.Evaluate(calls, c.Extent), c.Policies[0].Records, at)
	} else {
		require.Contains(t, c.Caveats, CaveatRulesBehind, at)
	}
}
