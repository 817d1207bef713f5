// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"regexp"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// oddScalars are plain scalars that readers of YAML like to disagree about.
var oddScalars = []string{
	"yes", "no", "on", "off", "Yes", "y", "true", "True", "TRUE", "tRUE", "null", "Null", "NULL", "~", "", "0x1F", "0o17", "0b101", "010", "-0", "+1", "1_000",
	".5", "5.", "1e3", "1E+3", "-1.5e-3", ".inf", "-.INF", ".nan", "2026-01-02", "12:30:45", "0.1", "1.0", "18446744073709551615", "18446744073709551616",
	"-9223372036854775808", "-9223372036854775809", "0x", "0b2", "1e400", "!!str 5", "!!int \"5\"", "!!float 1", "!!bool \"true\"", "'single '' quote'", "\"a\\tb\"",
	"\"\\u00e9\"", "\"\\x41\"", "a b", "a#b", "a: b", "- a", "<<", "=", "&x 1", "*x", "[a, b]", "{a: 1}", "|\n      text", ">-\n      folded\n      text", "é", "a\\nb",
	"\"a\\/b\"", "? a", "!x 1", "%a", "@a", "`a", "0.0", "00", "0o", "1e", "--1", "+.inf", "!!null ''", "!!map {}",
}

var plainScalar = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_/]*$`)

// yaml returns a policy as YAML text, in some of its many styles.
func (g *gen) yaml() string {
	var b strings.Builder
	p := g.policy()
	for i := len(p.keys) - 1; i >= 0; i-- {
		if k := p.keys[i]; k != "version" && k != "tools" && k != "schemas" && k != "enforcement" {
			p.keys, p.items = append(p.keys[:i], p.keys[i+1:]...), append(p.items[:i], p.items[i+1:]...)
		}
	}
	switch g.IntN(8) {
	case 0:
		b.WriteString("---\n")
	case 1:
		b.WriteString("# a note\n")
	case 2:
		b.WriteString("\ufeff")
	case 3:
		b.WriteString("%YAML 1.2\n---\n")
	}
	if len(p.keys) == 0 {
		return b.String() + "{}\n"
	}
	g.writeBlock(&b, p, 0)
	if g.chance(12) {
		b.WriteString(pick(g, []string{"...\n", "---\n", "# end", "\t\n"}))
	}
	return b.String()
}

// writeBlock writes a mapping or list, indented.
func (g *gen) writeBlock(b *strings.Builder, n *node, indent int) {
	pad := strings.Repeat(" ", indent)
	for i, item := range n.items {
		b.WriteString(pad)
		if n.kind == canon.KindObject {
			b.WriteString(g.key(n.keys[i], indent) + ":")
		} else {
			b.WriteString("-")
		}
		if len(item.items) == 0 || g.chance(3) {
			b.WriteString(" " + g.flow(item) + "\n")
			continue
		}
		b.WriteString("\n")
		g.writeBlock(b, item, indent+2)
	}
}

// key writes a name. One at the root is never odd: that would be an unknown
// field and nothing else.
func (g *gen) key(name string, indent int) string {
	if indent == 0 {
		return g.styled(str(name))
	}
	return g.scalar(str(name))
}

// flow writes a value on one line.
func (g *gen) flow(n *node) string {
	var parts []string
	switch n.kind {
	case canon.KindObject:
		for i, item := range n.items {
			parts = append(parts, g.key(n.keys[i], 1)+": "+g.flow(item))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case canon.KindArray:
		for _, item := range n.items {
			parts = append(parts, g.flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return g.scalar(n)
}

// scalar writes a scalar in one of its styles, rarely another one that is odd.
func (g *gen) scalar(n *node) string {
	if g.chance(25) {
		return pick(g, oddScalars)
	}
	return g.styled(n)
}

func (g *gen) styled(n *node) string {
	if n.kind != canon.KindString {
		return n.String()
	}
	switch {
	case plainScalar.MatchString(n.text) && !g.chance(3):
		return n.text
	case g.chance(2) && !strings.ContainsFunc(n.text, func(r rune) bool { return r < ' ' || r > '~' }):
		return "'" + strings.ReplaceAll(n.text, "'", "''") + "'"
	}
	return n.String()
}
