// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"unicode"
)

// maxLocal is the longest part of an address before the @.
const maxLocal = 64

// isEmail reports whether s is a mail address of RFC 5321. Its local part may
// have letters and digits of any script; its domain may not.
func isEmail(s string) bool { return mailSyntax{isHostname, false}.address(s) }

// isIDNEmail reports whether s is a mail address of RFC 6531.
func isIDNEmail(s string) bool { return mailSyntax{isIDNHostname, true}.address(s) }

// A mailSyntax says what an address may be made of beyond ASCII: if wide,
// anything.
type mailSyntax struct {
	domain func(string) bool
	wide   bool
}

func (m mailSyntax) address(s string) bool {
	i := strings.LastIndexByte(s, '@')
	if i <= 0 || i > maxLocal {
		return false
	}
	local, host := s[:i], s[i+1:]
	if local[0] == '"' && !m.quoted(local) || local[0] != '"' && !m.dotted(local) {
		return false
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, closed := strings.CutSuffix(literal, "]")
		v6, tagged := strings.CutPrefix(literal, "IPv6:")
		return closed && (tagged && isIPv6(v6) || !tagged && isIPv4(literal))
	}
	return m.domain(host)
}

// dotted reports whether s is words between dots.
func (m mailSyntax) dotted(s string) bool {
	for word := range strings.SplitSeq(s, ".") {
		if word == "" {
			return false
		}
		for _, r := range word {
			beyond := r > unicode.MaxASCII && m.wide
			if !beyond && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r) {
				return false
			}
		}
	}
	return true
}

// quoted reports whether s is quotes around something, in which a quote has a
// backslash before it.
func (m mailSyntax) quoted(s string) bool {
	if len(s) < 3 || s[len(s)-1] != '"' {
		return false
	}
	escaped := false
	for _, r := range s[1 : len(s)-1] {
		switch {
		case r > unicode.MaxASCII && !m.wide || r < ' ' && r != '\t' || r == 0x7F:
			return false
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '"':
			return false
		}
	}
	return !escaped
}
