// SPDX-License-Identifier: Apache-2.0

package lint

import "github.com/tool-decision-truth/collector/internal/truth/policy/tree"

// lintMalformed tells the schemas that cannot be used, and why.
func (l *linter) lintMalformed() {
	for _, s := range l.policy.Schemas() {
		fault := s.Fault()
		if fault == nil {
			continue
		}
		field := "schemas"
		if s.Constraint {
			field = "constraints"
		}
		at := fault.Pos
		if at.Line == 0 {
			at = s.Pos
		}
		l.add(SchemasMalformed, at, tree.Path{}.Key(field).Key(s.Tool),
			"%v: %s; every call of %q with arguments is invalid", fault.Reason, fault.Error(), s.Tool)
	}
}
