// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
	"github.com/tool-decision-truth/collector/internal/truth/policy/tree"
)

// encodings are the content encodings that are known; any other is not looked
// at.
var encodings = map[string]func(string) ([]byte, error){
	"base64":    base64.StdEncoding.Strict().DecodeString,
	"base64url": base64.URLEncoding.Strict().DecodeString,
	"base32":    base32.StdEncoding.DecodeString,
	"base16":    hex.DecodeString,
}

// contentRules returns the rules that contentEncoding and contentMediaType make,
// each nil where the schema has none. Together they ask about what is encoded.
func contentRules(encoding, media *tree.Node) []boundRule {
	decode := encodings[textOf(encoding)]
	isMedia := textOf(media) == "application/json"
	var rules []boundRule
	if decode != nil {
		rules = append(rules, boundRule{"contentEncoding", &textRule{func(s string) bool {
			_, ok := decoded(s, decode)
			return ok
		}}})
	}
	if isMedia {
		rules = append(rules, boundRule{"contentMediaType", &textRule{func(s string) bool {
			if decode != nil {
				text, ok := decoded(s, decode)
				return !ok || isJSON(text)
			}
			return isJSON(s)
		}}})
	}
	return rules
}

func textOf(n *tree.Node) string {
	if n == nil || n.Kind != canon.KindString {
		return ""
	}
	return n.Str
}

func decoded(s string, decode func(string) ([]byte, error)) (string, bool) {
	if strings.ContainsAny(s, "\r\n") {
		return "", false
	}
	text, err := decode(s)
	return string(text), err == nil
}

// isJSON reports whether s is JSON. A repeated name makes it no worse.
func isJSON(s string) bool {
	var d canon.Doc
	var fault *canon.TextError
	err := d.Parse(s, canon.Limits{})
	return err == nil || errors.As(err, &fault) && fault.Fault == canon.FaultDuplicateKey && json.Valid([]byte(s))
}
