// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tool-decision-truth/collector/internal/engine"
	"github.com/tool-decision-truth/collector/internal/truth"
)

// presets are the conditions for emitters whose spans say in so many words who
// approved a call. Naming one says: these are believed.
var presets = map[string]FactConfig{
	// A human decided. What a configuration or a hook let pass is not known to
	// be approved by anybody.
	"claude_code": {
		From: claudeCodeDecision,
		TrueWhen: []string{
			`attributes["decision"] == "accept" and attributes["source"] == "user_temporary"`,
			`attributes["decision"] == "accept" and attributes["source"] == "user_permanent"`,
		},
		FalseWhen: []string{`attributes["decision"] == "reject"`},
	},
	// Whoever decided: a human, the configuration, or a hook.
	"claude_code_any_source": {
		From:      claudeCodeDecision,
		TrueWhen:  []string{`attributes["decision"] == "accept"`},
		FalseWhen: []string{`attributes["decision"] == "reject"`},
	},
}

const claudeCodeDecision = `name == "claude_code.tool.blocked_on_user" and instrumentation_scope.name == "com.anthropic.claude_code.tracing"`

// A fact is one compiled FactConfig. The zero fact believes nobody.
type fact struct {
	from, yes, no []*condition
}

func (f *fact) configured() bool { return len(f.from) > 0 }

// ask returns what the believed ones among spans say.
func (f *fact) ask(spans []engine.Located) truth.Fact {
	if !f.configured() {
		return truth.Unknown
	}
	ctx := context.Background()
	said := truth.Unknown
	for _, at := range spans {
		if !anyHolds(ctx, f.from, at) {
			continue
		}
		said = combine(said, answer(anyHolds(ctx, f.yes, at), anyHolds(ctx, f.no, at)))
	}
	return said
}

func answer(yes, no bool) truth.Fact {
	switch {
	case yes && no:
		return truth.Contradictory
	case yes:
		return truth.Yes
	case no:
		return truth.No
	}
	return truth.Unknown
}

// combine joins what two spans say. To say nothing takes nothing away.
func combine(a, b truth.Fact) truth.Fact {
	switch {
	case a == truth.Unknown:
		return b
	case b == truth.Unknown || a == b:
		return a
	}
	return truth.Contradictory
}

// facts are the three compiled facts.
type facts struct{ approval, scope, redaction fact }

func (f *facts) configured() bool {
	return f.approval.configured() || f.scope.configured() || f.redaction.configured()
}

func (f *facts) believe(spans []engine.Located) engine.Facts {
	return engine.Facts{Approval: f.approval.ask(spans), Scope: f.scope.ask(spans), Redaction: f.redaction.ask(spans)}
}

func compileFacts(e *expressions, cfg *FactsConfig) (*facts, error) {
	var faults faults
	compiled := &facts{}
	for _, field := range []struct {
		path string
		cfg  *FactConfig
		to   *fact
	}{
		{"approval_obtained", &cfg.ApprovalObtained, &compiled.approval},
		{"scope_satisfied", &cfg.ScopeSatisfied, &compiled.scope},
		{"redaction_applied", &cfg.RedactionApplied, &compiled.redaction},
	} {
		f, err := field.cfg.compile(e)
		faults.add(field.path, err)
		*field.to = f
	}
	return compiled, faults.join()
}

// compile fills in the preset and compiles the conditions. Conditions without
// `from` would be believed from anybody, which is refused.
func (cfg *FactConfig) compile(e *expressions) (fact, error) {
	var f faults
	merged := *cfg
	if cfg.Preset != "" {
		preset, ok := presets[cfg.Preset]
		names := slices.Sorted(maps.Keys(presets))
		f.check(ok, "preset: %q is not known%s", cfg.Preset, nearest(cfg.Preset, names))
		f.check(cfg.From == "" && len(cfg.TrueWhen) == 0 && len(cfg.FalseWhen) == 0,
			"preset: it says all of from, true_when and false_when, so these must not be set")
		merged = preset
	}
	says := len(merged.TrueWhen)+len(merged.FalseWhen) > 0
	f.check(merged.From != "" || !says, "from: must be set, an OTTL condition: nobody is believed by default")
	f.check(says || merged.From == "", "true_when: it or false_when must be set where from is")
	var compiled fact
	if merged.From != "" {
		from, err := e.condition(merged.From)
		f.add("from", err)
		compiled.from = []*condition{from}
	}
	var err error
	compiled.yes, err = e.conditions(merged.TrueWhen)
	f.add("true_when", err)
	compiled.no, err = e.conditions(merged.FalseWhen)
	f.add("false_when", err)
	return compiled, f.join()
}

// identity returns what is known of who made a call: the first configured
// attribute that the span or its resource has. One that is there twice with
// different values is invalid.
func (cfg *IdentityConfig) identity(at engine.Located) truth.Identity {
	for _, key := range cfg.Attributes {
		for _, attrs := range []pcommon.Map{at.Span.Attributes(), at.Resource.Resource().Attributes()} {
			switch present, conflict := lookUp(attrs, key); {
			case conflict:
				return truth.IdentityInvalid
			case present:
				return truth.IdentityPresent
			}
		}
	}
	if cfg.Required {
		return truth.IdentityRequiredMissing
	}
	return truth.IdentityAbsent
}

// lookUp walks all of attrs, since a key can be there more than once. An empty
// text names nobody.
func lookUp(attrs pcommon.Map, key string) (present, conflict bool) {
	var first pcommon.Value
	for k, v := range attrs.All() {
		if k != key || v.AsString() == "" {
			continue
		}
		if present && !v.Equal(first) {
			return true, true
		}
		present, first = true, v
	}
	return present, false
}
