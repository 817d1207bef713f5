// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tool-decision-truth/collector/internal/recognize"
)

// newRecognizer compiles what the configuration says about recognition.
func newRecognizer(e *expressions, cfg *RecognizeConfig) (*recognize.Recognizer, error) {
	custom, err := compileCustom(e, cfg.Custom)
	if err != nil {
		return nil, err
	}
	opts := recognize.Options{
		First: cfg.Order, Custom: custom,
		MaxArgBytes: cfg.MaxArgumentBytes, MaxArgMembers: cfg.MaxArgumentMembers,
	}
	for name, on := range cfg.Dialects {
		if !on {
			opts.Off = append(opts.Off, name)
		}
	}
	return recognize.New(opts)
}

// compileCustom compiles every custom dialect and joins the faults, each with
// its path and the position in the expression.
func compileCustom(e *expressions, cfgs []CustomDialectConfig) ([]recognize.Custom, error) {
	var errs error
	custom := make([]recognize.Custom, len(cfgs))
	for i := range cfgs {
		c, err := cfgs[i].compile(e)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("custom[%d]: %w", i, err))
		}
		custom[i] = c
	}
	return custom, errs
}

type getter = func(ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) (pcommon.Value, bool)

func (cfg *CustomDialectConfig) compile(e *expressions) (recognize.Custom, error) {
	var f faults
	f.check(cfg.Name != "", "name: must be set")
	f.check(cfg.When != "", "when: must be set, an OTTL condition in span context")
	f.check(cfg.ToolName != "", "tool_name: must be set, an OTTL expression in span context")
	c := recognize.Custom{Name: cfg.Name}
	if cfg.When != "" {
		when, err := e.condition(cfg.When)
		f.add("when", err)
		conditions := []*condition{when}
		c.When = func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) bool {
			return anyHolds(context.Background(), conditions, located{Resource: rs, Scope: ss, Span: sp})
		}
	}
	for _, field := range []struct {
		path, text string
		to         *getter
	}{
		{"tool_name", cfg.ToolName, &c.Tool},
		{"arguments", cfg.Arguments, &c.Args},
		{"call_id", cfg.CallID, &c.CallID},
		{"session", cfg.Session, &c.Session},
	} {
		if field.text == "" {
			continue
		}
		v, err := e.value(field.text)
		f.add(field.path, err)
		if err == nil {
			*field.to = getterOf(v)
		}
	}
	return c, f.join()
}

// getterOf returns a function that evaluates v. What OTTL cannot evaluate, and
// nil, is nothing.
func getterOf(v *value) getter {
	return func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, sp ptrace.Span) (pcommon.Value, bool) {
		return toValue(evaluate(context.Background(), v, located{Resource: rs, Scope: ss, Span: sp}))
	}
}

// toValue turns what OTTL yields into a value of the span model.
func toValue(got any) (pcommon.Value, bool) {
	switch got := got.(type) {
	case nil:
		return pcommon.Value{}, false
	case pcommon.Value:
		return got, got.Type() != pcommon.ValueTypeEmpty
	case pcommon.Map:
		v := pcommon.NewValueMap()
		got.CopyTo(v.Map())
		return v, true
	case pcommon.Slice:
		v := pcommon.NewValueSlice()
		got.CopyTo(v.Slice())
		return v, true
	}
	v := pcommon.NewValueEmpty()
	if err := v.FromRaw(got); err != nil {
		return pcommon.Value{}, false
	}
	return v, true
}
