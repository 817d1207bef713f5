// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strconv"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// escaper writes a name as one token of a JSON pointer (RFC 6901).
var escaper = strings.NewReplacer("~", "~0", "/", "~1")

func token(name string) string { return "/" + escaper.Replace(name) }

func index(i int) string { return "/" + strconv.Itoa(i) }

// unescape returns the name that a token stands for.
func unescape(token string) (string, bool) {
	for i := 0; i < len(token); i++ {
		if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), true
}

// child returns the value that one token of a pointer finds in n.
func child(n *tree.Node, token string) (*tree.Node, bool) {
	name, ok := unescape(token)
	switch {
	case !ok:
		return nil, false
	case n.Kind == canon.KindObject:
		return n.Get(name)
	case n.Kind != canon.KindArray || name == "" || len(name) > 1 && name[0] == '0':
		return nil, false
	}
	i, err := strconv.ParseUint(name, 10, 31)
	if err != nil || int(i) >= len(n.Items) {
		return nil, false
	}
	return n.Items[i], true
}

// lookup returns the value that pointer finds in n, or the last one on the way
// to it.
func lookup(n *tree.Node, pointer string) (found *tree.Node, ok bool) {
	for pointer != "" {
		token, rest, _ := strings.Cut(pointer[1:], "/")
		next, ok := child(n, token)
		if !ok {
			return n, false
		}
		n, pointer = next, pointer[len(token)+1:]
		if rest == "" && pointer == "/" {
			next, ok := child(n, "")
			if !ok {
				return n, false
			}
			return next, true
		}
	}
	return n, true
}
