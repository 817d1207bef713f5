// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

var noon = time.Unix(1_900_000_000, 0)

// policyOf returns a policy with the sequence rules given as YAML flow lines.
func policyOf(t testing.TB, name string, lines ...string) *Policy {
	t.Helper()
	text := fmt.Sprintf("version: \"2.0\"\nsequences: [\n%s\n]\n", strings.Join(lines, ",\n"))
	p, err := policy.Read("policy.yaml", []byte(text))
	require.NoError(t, err)
	rules, err := sequence.Load("policy.yaml", p)
	require.NoError(t, err)
	return NewPolicy(name, canon.Sum([]byte(name)), rules)
}

func spanOf(n int) (s Span) {
	if n != 0 {
		binary.BigEndian.PutUint64(s[:], uint64(n))
	}
	return s
}

func traceOf(n int) (t Trace) {
	binary.BigEndian.PutUint64(t[8:], uint64(n))
	t[0] = 0x5a
	return t
}

func runOf(n int) ID { return ID(traceOf(n)) }

// An edit changes a group in a test.
type edit func(*Group)

// called returns the group of one agent span in run 1, which began at its
// number of seconds and has no arguments.
func called(tool string, span int, edits ...edit) Group {
	start := uint64(noon.UnixNano()) + uint64(span)*1e9
	g := Group{
		Run: runOf(1), Trace: traceOf(1),
		Members: []Member{{Span: spanOf(span), Layer: LayerAgent, Start: start, End: start + 5e8, Content: contentOf(tool, span)}},
		Call:    sequence.Call{Name: tool}, Verdict: truth.Incomplete, Detail: uint64(span),
	}
	for _, e := range edits {
		e(&g)
	}
	return g
}

func contentOf(tool string, n int) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, tool, n)
	return h.Sum64()
}

func inRun(n int) edit              { return func(g *Group) { g.Run, g.Trace = runOf(n), traceOf(n) } }
func inTrace(n int) edit            { return func(g *Group) { g.Trace = traceOf(n) } }
func by(p *Policy) edit             { return func(g *Group) { g.Policy = p } }
func withID(id string) edit         { return func(g *Group) { g.CallID = id } }
func as(l Layer) edit               { return func(g *Group) { g.Members[0].Layer = l } }
func below(span int) edit           { return func(g *Group) { g.Members[0].Parent = spanOf(span) } }
func saying(n int) edit             { return func(g *Group) { g.Members[0].Content = uint64(n) } }
func waiting(g *Group)              { g.Waits = true }
func deciding(v truth.Verdict) edit { return func(g *Group) { g.Verdict = v } }

// at moves the group to a second, relative to noon.
func at(second int) edit {
	return func(g *Group) {
		for i := range g.Members {
			long := g.Members[i].End - g.Members[i].Start
			g.Members[i].Start = uint64(noon.UnixNano()) + uint64(second)*1e9
			g.Members[i].End = g.Members[i].Start + long
		}
	}
}

// lasting sets how many seconds the group took.
func lasting(seconds int) edit {
	return func(g *Group) { g.Members[0].End = g.Members[0].Start + uint64(seconds)*1e9 }
}

// given gives the group arguments, and so a decision better than incomplete.
func given(args string) edit {
	return func(g *Group) {
		doc := new(canon.Doc)
		if err := doc.Parse(args, canon.Limits{}); err != nil {
			panic(err)
		}
		g.Call.Args, g.Call.HasArgs = doc.Root(), true
		g.Args, g.Verdict = sha256.Sum256([]byte(args)), truth.Match
	}
}

// A book is a ledger under test and its clock.
type book struct {
	*Ledger
	t       testing.TB
	now     time.Time
	policy  *Policy
	written bool // whether records can be written
	ended   Ended
}

func newBook(t testing.TB, o Options, rules ...string) *book {
	if o.IdleTimeout == 0 {
		o.IdleTimeout = time.Minute
	}
	b := &book{Ledger: NewLedger(o), t: t, now: noon, written: true}
	b.policy = policyOf(t, "main", rules...)
	return b
}

func (b *book) groups(groups []Group) []Group {
	for i := range groups {
		if groups[i].Policy == nil {
			groups[i].Policy = b.policy
		}
	}
	return groups
}

// carrierOf is the digest of the carrier of a decision: of what it says.
func carrierOf(g *Group, order int64) Digests {
	said := fmt.Sprint(g.Call.Name, g.Args, g.Verdict, g.Call.HasArgs, g.Policy.Name, order)
	return Digests{Carrier: sha256.Sum256([]byte(said)), Observed: sha256.Sum256([]byte("observed" + said))}
}

func (b *book) settle(groups []Group, ps []Placement) {
	written := make([]Digests, len(ps))
	for i := range ps {
		if ps[i].Record && b.written {
			written[i] = carrierOf(&groups[i], ps[i].Order)
		}
	}
	b.Settle(ps, written)
}

// place puts groups into one batch, writes what is asked for and settles.
func (b *book) place(groups ...Group) []Placement {
	return b.placeSeen(nil, groups...)
}

func (b *book) placeSeen(seen []Seen, groups ...Group) []Placement {
	b.t.Helper()
	groups = b.groups(groups)
	ps, ended := b.Place(b.now, Batch{Groups: groups, Seen: seen})
	b.settle(groups, ps)
	b.ended.Closed = append(b.ended.Closed, ended.Closed...)
	b.ended.Forgotten = append(b.ended.Forgotten, ended.Forgotten...)
	require.Len(b.t, ps, len(groups))
	return ps
}

// one places one group.
func (b *book) one(tool string, span int, edits ...edit) Placement {
	b.t.Helper()
	return b.place(called(tool, span, edits...))[0]
}

func (b *book) root(run int) {
	b.placeSeen([]Seen{{Run: runOf(run), Trace: traceOf(run), Root: true, Start: uint64(b.now.UnixNano())}})
}

// later lets time pass and sweeps.
func (b *book) later(d time.Duration) []Closed {
	b.now = b.now.Add(d)
	return b.Sweep(b.now, 1<<20).Closed
}

// end lets the run become idle and returns its record.
func (b *book) end() Closed {
	b.t.Helper()
	closed := b.later(time.Hour)
	require.Len(b.t, closed, 1)
	return closed[0]
}

// outcomes prints the rule records of the first policy.
func outcomes(c Closed) []string {
	var out []string
	if len(c.Policies) == 0 {
		return nil
	}
	for _, r := range c.Policies[0].Records {
		out = append(out, fmt.Sprintf("%s %s %v", r.RuleID, r.Outcome, r.Spanned))
	}
	return out
}

// caveatsOf prints the caveats of a run, apart from that of a root unseen,
// which most tests have no reason to send.
func caveatsOf(c Closed) string {
	var words []string
	for _, v := range c.Caveats {
		if v != CaveatRootUnseen {
			words = append(words, v.String())
		}
	}
	return strings.Join(words, " ")
}

func orders(c Closed) []int64 {
	var all []int64
	for _, cited := range c.Cited {
		all = append(all, cited.Order)
	}
	return all
}

// tell prints all that a record of a run says, so that two can be compared.
func tell(c Closed) string {
	var w strings.Builder
	fmt.Fprintf(&w, "%x %x %d %d %s %s %s %v\n", c.Run, c.Trace, c.Last, c.Next, c.Verdict, c.Extent, c.Why, c.Caveats)
	fmt.Fprintf(&w, "%d %+v %d %x\n", c.Calls, c.Counts, c.Uncited, c.Supersedes)
	for _, p := range c.Policies {
		fmt.Fprintf(&w, "%s %d %d %d %v\n", p.Policy.Name, p.Calls, p.Seen, p.Behind, p.Records)
	}
	for _, cited := range c.Cited {
		fmt.Fprintf(&w, "%d %s %x\n", cited.Order, cited.Policy.Name, cited.Digests)
	}
	fmt.Fprintf(&w, "%x\n", c.Superseded)
	return w.String()
}

// say prints all that a placement says.
func say(p Placement) string {
	return fmt.Sprintf("%s late=%t %d record=%t %x %s %d %s %x %x %v %s", p.Kind, p.Late, p.Order, p.Record, p.Supersedes,
		p.Verdict, p.Detail, p.Policy.Name, p.Primary, p.Digests, p.Violated, p.RunVerdict)
}
