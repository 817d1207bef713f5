// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"unicode"
)

// maxLocal is the longest part of an address before the @.
const maxLocal = 64

// isEmail reports whether s is a mail address of RFC 5321. Its local part may
// be in Unicode; its domain may not.
func isEmail(s string) bool { return mailbox(s, isHostname, unicode.MaxASCII) }

// isIDNEmail reports whether s is a mail address of RFC 6531.
func isIDNEmail(s string) bool { return mailbox(s, isIDNHostname, unicode.MaxRune) }

// mailbox reports whether s is an address. quoted is the last character that
// may be within quotes.
func mailbox(s string, domain func(string) bool, quoted rune) bool {
	i := strings.LastIndexByte(s, '@')
	if i <= 0 || i > maxLocal {
		return false
	}
	local, host := s[:i], s[i+1:]
	if local[0] == '"' {
		if !quotedLocal(local, quoted) {
			return false
		}
	} else if !dottedLocal(local) {
		return false
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, closed := strings.CutSuffix(literal, "]")
		v6, tagged := strings.CutPrefix(literal, "IPv6:")
		return closed && (tagged && isIPv6(v6) || !tagged && isIPv4(literal))
	}
	return domain(host)
}

// dottedLocal reports whether s is words between dots.
func dottedLocal(s string) bool {
	for word := range strings.SplitSeq(s, ".") {
		if word == "" {
			return false
		}
		for _, r := range word {
			letter := r >= 0x80 || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
			if !letter && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r) {
				return false
			}
		}
	}
	return true
}

// quotedLocal reports whether s is quotes around something, in which a quote
// has a backslash before it.
func quotedLocal(s string, last rune) bool {
	if len(s) < 3 || s[len(s)-1] != '"' {
		return false
	}
	escaped := false
	for _, r := range s[1 : len(s)-1] {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"' || r > last || r < ' ' && r != '\t' || r == 0x7F:
			return false
		}
	}
	return !escaped
}
