// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

var errNothingToRemove = errors.New("arguments: the expression names no attribute of the span, " +
	`so that the setting "arguments: remove" could not remove what it reads; want attributes["KEY"] in it, or "arguments: keep"`)

// spanAttribute finds attributes of the span in an OTTL expression, with or
// without the context before them. Those of a resource or scope have another.
var spanAttribute = regexp.MustCompile(`(?:^|[^.\w])(?:span\.)?attributes\[("(?:[^"\\]|\\.)*")\]`)

// argumentKeys returns the attributes of the span that the dialect's arguments
// are read from, whole ones where the expression goes into one.
func (cfg *CustomDialectConfig) argumentKeys() (keys []string) {
	for _, found := range spanAttribute.FindAllStringSubmatch(cfg.Arguments, -1) {
		if key, err := strconv.Unquote(found[1]); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// argumentsOfCustom returns for each custom dialect what `arguments: remove`
// removes beside the places of the built-in ones.
func argumentsOfCustom(custom []CustomDialectConfig) map[string][]string {
	keys := make(map[string][]string, len(custom))
	for i := range custom {
		keys[custom[i].Name] = custom[i].argumentKeys()
	}
	return keys
}

// validateRemoval refuses to promise what cannot be kept: arguments are removed
// where the expression names the attribute.
func (cfg *Config) validateRemoval(f *faults) {
	if cfg.Arguments != ArgumentsRemove {
		return
	}
	for i := range cfg.Recognize.Custom {
		c := &cfg.Recognize.Custom[i]
		if c.Arguments != "" && len(c.argumentKeys()) == 0 {
			f.add(fmt.Sprintf("recognize: custom[%d]", i), errNothingToRemove)
		}
	}
}
