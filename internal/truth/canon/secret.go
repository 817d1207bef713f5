// SPDX-License-Identifier: Apache-2.0

package canon

import "strings"

// The lengths of the shortest and the longest word of secretWord.
const (
	shortestSecret = len("token")
	longestSecret  = len("secretaccesskey")
)

// firstLetters are those of the words of secretWord, a bit each. The first
// letter settles most names.
const firstLetters = uint32(1<<('t'-'a') | 1<<0 | 1<<('r'-'a') | 1<<('i'-'a') | 1<<('s'-'a') | 1<<('p'-'a') | 1<<('c'-'a'))

// kelvin is the one character outside ASCII whose simple lowercase mapping lies
// inside it. U+0130 maps to i and a combining dot by the full mapping, which is
// two characters, and so makes no secret word either.
const kelvin = "\u212A"

// SecretKey reports whether a member named name is secret-like: whether its
// letters, lowercased one by one and without underscores, hyphens and spaces,
// are one of the words of spec section 4. It allocates nothing.
func SecretKey(name string) bool {
	if len(name) < shortestSecret {
		return false
	}
	var word [longestSecret]byte
	n := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == ' ':
			continue
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c >= 0x80:
			if !strings.HasPrefix(name[i:], kelvin) {
				return false
			}
			c, i = 'k', i+len(kelvin)-1
		}
		if n == len(word) || n == 0 && firstLetters>>(c-'a')&1 == 0 {
			return false
		}
		word[n] = c
		n++
	}
	return secretWord(word[:n])
}

// secretWord holds the words of spec section 4.
func secretWord(word []byte) bool {
	switch string(word) {
	case "token", "accesstoken", "refreshtoken", "authtoken", "idtoken", "sessiontoken",
		"password", "passwd", "apikey", "secret", "clientsecret", "secretkey", "authorization",
		"credential", "credentials", "privatekey", "secretaccesskey":
		return true
	}
	return false
}
