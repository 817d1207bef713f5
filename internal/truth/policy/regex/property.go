// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"strings"
	"unicode"

	"github.com/dlclark/regexp2/v2/syntax"
)

// Properties holds the Unicode properties that patterns have asked for. Some
// take milliseconds to collect, so patterns that are compiled together share
// one. It is not safe for concurrent use.
type Properties map[string]set

// lookup returns the characters with the property that the text between the
// braces of \p names.
//
// Which names there are, and the tables that Go lacks, come from regexp2. Its
// sets can only be asked about one character, so they are asked about all.
func (props Properties) lookup(name string) (set, bool) {
	if s, known := props[name]; known {
		return s, s != nil
	}
	s := goTable(name)
	if s == nil {
		s = regexp2Table(name)
	}
	props[name] = s
	return s, s != nil
}

// goTable returns the characters of a general category or a script by the
// name that package unicode knows it by.
func goTable(name string) set {
	if table, ok := unicode.Categories[name]; ok {
		return fromTable(table)
	}
	property, value, _ := strings.Cut(name, "=")
	if table, ok := unicode.Scripts[value]; ok && (property == "Script" || property == "sc") {
		return fromTable(table)
	}
	return nil
}

func fromTable(table *unicode.RangeTable) set {
	var spans []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			spans = append(spans, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			spans = append(spans, span{r, r})
		}
	}
	for _, r := range table.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return normal(spans)
}

func regexp2Table(name string) set {
	if !propertyName(name) {
		return nil
	}
	tree, err := syntax.Parse(`\p{`+name+`}`, syntax.ParseOptions{RegexOptions: syntax.ECMAScript | syntax.Unicode})
	if err != nil {
		return nil
	}
	n := tree.Root
	for n.Set == nil && len(n.Children) > 0 {
		n = n.Children[0]
	}
	if n.Set == nil {
		return nil
	}
	s := set{}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		switch last := len(s) - 1; {
		case !n.Set.CharIn(r):
		case last >= 0 && s[last].hi == r-1:
			s[last].hi = r
		default:
			s = append(s, span{r, r})
		}
	}
	return s
}

// propertyName reports whether name is made of what names of properties and
// their values are made of.
func propertyName(name string) bool {
	for _, c := range name {
		if !isWord(c) && c != '=' {
			return false
		}
	}
	return name != ""
}
