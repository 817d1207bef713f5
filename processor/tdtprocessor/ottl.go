// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"

	"github.com/tool-decision-truth/collector/internal/engine"
)

// located is what an OTTL expression in span context can see.
type located = engine.Located

// A condition holds for some spans. The nil condition holds for none.
type condition = ottl.Condition[*ottlspan.TransformContext]

// A value is an OTTL expression that yields a value of a span, or nil.
type value = ottl.ValueExpression[*ottlspan.TransformContext]

// An expressions reads OTTL in span context. Paths may name their context
// (`span.attributes`, `resource.attributes`) or leave `span.` out.
type expressions struct {
	bare, prefixed ottl.Parser[*ottlspan.TransformContext]
}

func newExpressions(set component.TelemetrySettings) (*expressions, error) {
	funcs := ottlfuncs.StandardConverters[*ottlspan.TransformContext]()
	bare, err := ottlspan.NewParser(funcs, set)
	if err != nil {
		return nil, fmt.Errorf("OTTL parser: %w", err)
	}
	prefixed, err := ottlspan.NewParser(funcs, set, ottlspan.EnablePathContextNames())
	if err != nil {
		return nil, fmt.Errorf("OTTL parser: %w", err)
	}
	return &expressions{bare: bare, prefixed: prefixed}, nil
}

// condition compiles one condition. The error has the position of the fault.
func (e *expressions) condition(text string) (*condition, error) {
	return either(text, e.prefixed.ParseCondition, e.bare.ParseCondition)
}

// value compiles one value expression. The error has the position of the fault.
func (e *expressions) value(text string) (*value, error) {
	return either(text, e.prefixed.ParseValueExpression, e.bare.ParseValueExpression)
}

// either parses text in the first form, else in the second, whose fault is the
// one that is told: it is the form that documentation uses.
func either[T any](text string, first, second func(string) (T, error)) (T, error) {
	if got, err := first(text); err == nil {
		return got, nil
	}
	return second(text)
}

// conditions compiles all of texts and joins the faults.
func (e *expressions) conditions(texts []string) ([]*condition, error) {
	var errs error
	out := make([]*condition, 0, len(texts))
	for i, text := range texts {
		c, err := e.condition(text)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("[%d]: %w", i, err))
			continue
		}
		out = append(out, c)
	}
	return out, errs
}

// anyHolds reports whether one of conditions holds for at. A condition that
// cannot be evaluated does not hold: nothing is believed by accident.
func anyHolds(ctx context.Context, conditions []*condition, at located) bool {
	if len(conditions) == 0 {
		return false
	}
	tc := ottlspan.NewTransformContext(at.Resource, at.Scope, at.Span)
	defer tc.Close()
	for _, c := range conditions {
		if ok, err := c.Eval(ctx, tc); err == nil && ok {
			return true
		}
	}
	return false
}

// evaluate returns what v yields for at, or nil where it cannot be evaluated.
func evaluate(ctx context.Context, v *value, at located) any {
	if v == nil {
		return nil
	}
	tc := ottlspan.NewTransformContext(at.Resource, at.Scope, at.Span)
	defer tc.Close()
	got, err := v.Eval(ctx, tc)
	if err != nil {
		return nil
	}
	return got
}
