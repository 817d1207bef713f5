// SPDX-License-Identifier: Apache-2.0

package sequence

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestArgsMatch(t *testing.T) {
	const selector = `{tool: run, args_match: {cmd: '^ls', n: '^1$'}}`
	for _, tt := range []struct {
		name string
		call Call
		want bool
	}{
		{"every named argument matches", withArgs(t, "run", `{"n":1,"cmd":"ls -l","more":0}`), true},
		{"a string is matched as it is", withArgs(t, "run", `{"n":"1","cmd":"ls"}`), true},
		{"one does not match", withArgs(t, "run", `{"n":1.0,"cmd":"ls"}`), false},
		{"one is absent", withArgs(t, "run", `{"cmd":"ls"}`), false},
		{"one is null", withArgs(t, "run", `{"n":1,"cmd":null}`), false},
		{"a list is matched as its text", withArgs(t, "run", `{"n":1,"cmd":["ls"]}`), false},
		{"another tool", withArgs(t, "ran", `{"n":1,"cmd":"ls"}`), false},
		{"no arguments", Call{Name: "run"}, false},
		{"arguments that are no object", withArgs(t, "run", `["ls",1]`), false},
		{"null is no object", withArgs(t, "run", "null"), false},
		{"arguments that say to be there and are not", Call{Name: "run", HasArgs: true}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			records := flow(t, "", "{type: require, tool: "+selector+"}").Evaluate([]Call{tt.call}, Complete)
			assert.Equal(t, tt.want, records[0].Outcome == Held)
		})
	}
}

func TestAnEmptyArgsMatchMatchesEveryCallOfTheTool(t *testing.T) {
	r := flow(t, "", "{type: max_calls, tool: {tool: run, args_match: {}}, max: 9}")
	calls := []Call{{Name: "run"}, withArgs(t, "run", "[]"), {Name: "other"}, withArgs(t, "run", `{"a":1}`)}
	assert.Equal(t, "max_calls:run[]<=9 held [0 1 3]", brief(r.Evaluate(calls, Complete)[0]))
}

func TestALargeArgumentIsNotKept(t *testing.T) {
	r := flow(t, "", "{type: require, tool: {tool: run, args_match: {list: 'needle'}}}")
	x := &scratch{symbol: make(symbol, 1)}
	call := withArgs(t, "run", `{"list":["`+strings.Repeat("hay", maxScratch)+`needle"]}`)
	assert.True(t, r.read(&call, x).has(0))
	assert.Greater(t, cap(x.text), maxScratch)
	r.giveBack(x)
	assert.Nil(t, x.text)
}

func TestRulesMayBeUsedByMany(t *testing.T) {
	r := argRules(t)
	calls := append(named("a b c"), withArgs(t, "a", `{"x":1}`), withArgs(t, "b", `{"x":[2]}`))
	want := r.Evaluate(calls, Complete)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				assert.Equal(t, want, play(r, 0, calls).Records(Complete))
			}
		})
	}
	wg.Wait()
}

func TestARegexThatDoesNotCompileMatchesNothing(t *testing.T) {
	l := read(t, "sequences: [{type: require, tool: {tool: run, args_match: {cmd: '(?=l)'}}}]")
	assert.NotEmpty(t, l.faults)
	assert.Zero(t, l.fatal())
	assert.Equal(t, "require:run[cmd] violated [] never_called",
		brief(l.rules.Evaluate([]Call{withArgs(t, "run", `{"cmd":"ls"}`)}, Complete)[0]))
}

func TestRulesThatMeanTheSameCallsShareASelector(t *testing.T) {
	r := flow(t, "x: [b, a, b], y: [a, b]", "{type: require, tool: x}", "{type: max_calls, tool: y, max: 1}",
		"{type: require, tool: {tool: y, args_match: {}}}", "{type: require, tool: {tool: y, args_match: {n: '1'}}}")
	assert.Len(t, r.selectors, 2)
}

func TestABlocklistSearchesTheName(t *testing.T) {
	r := flow(t, "del: [x]", "{type: blocklist, pattern: del}", "{type: blocklist, pattern: 'd*'}", "{type: blocklist, pattern: ''}")
	assert.Equal(t, []string{"blocklist:del violated [0 1] blocked_name", "blocklist:d* violated [2] blocked_name", "blocklist: violated [0 1 2 3] blocked_name"},
		briefs(r.Evaluate(named("delete undelete d*x x"), Complete)))
}
