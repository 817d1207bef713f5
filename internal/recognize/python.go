// SPDX-License-Identifier: Apache-2.0

package recognize

import (
	"strings"
	"unicode/utf8"

	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// pythonToJSON takes the text of a Python dict, as str() and repr() write it,
// to the JSON text of the same value. It knows dict, list, str, int, float,
// bool and None, exactly as repr spells them; what else stands there (tuples,
// sets, bytes, objects, nan) has no JSON value, and then there is none for the
// whole. ArgsNotJSON means that the text does not begin like a dict at all.
func pythonToJSON(text string) (string, truth.Reason) {
	p := pythonText{text: strings.TrimSpace(text)}
	if !strings.HasPrefix(p.text, "{") {
		return "", truth.ArgsNotJSON
	}
	p.value(0)
	if p.why == "" && p.at != len(p.text) {
		p.fail()
	}
	if p.why != "" {
		return "", p.why
	}
	return string(p.json), ""
}

// maxPythonDepth is the depth of containers that JSON arguments may have.
const maxPythonDepth = 127

// A pythonText is a reader of a Python literal that writes JSON as it goes.
type pythonText struct {
	text string
	at   int
	json []byte
	why  truth.Reason
}

// fail stops the reader: at the end of the text because it was cut, else
// because something stands there that has no exact JSON value.
func (p *pythonText) fail() {
	if p.why != "" {
		return
	}
	p.why = truth.ArgsNotExact
	if rest := p.text[min(p.at, len(p.text)):]; rest == "" || rest == "," || rest == ":" {
		p.why = truth.ArgsTruncated
	}
}

func (p *pythonText) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *pythonText) eat(s string) bool {
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *pythonText) value(depth int) {
	if depth > maxPythonDepth {
		p.why = truth.ArgsTooDeep
		return
	}
	switch c := p.peek(); {
	case c == '{':
		p.container(depth, '{', '}')
	case c == '[':
		p.container(depth, '[', ']')
	case c == '\'' || c == '"':
		p.str()
	case c == '-' || c >= '0' && c <= '9':
		p.number()
	default:
		p.word()
	}
}

func (p *pythonText) word() {
	for _, w := range [...]struct{ python, json string }{{"True", "true"}, {"False", "false"}, {"None", "null"}} {
		if p.eat(w.python) {
			p.json = append(p.json, w.json...)
			return
		}
	}
	p.fail()
}

// container reads a dict or a list. Members are separated by ", " and names
// from values by ": ", and nothing else: that is how repr writes them.
func (p *pythonText) container(depth int, open, shut byte) {
	p.at++
	p.json = append(p.json, open)
	if p.peek() == shut {
		p.at++
		p.json = append(p.json, shut)
		return
	}
	for p.why == "" {
		if open == '{' {
			p.name()
		}
		p.value(depth + 1)
		switch {
		case p.why != "":
		case p.eat(string(shut)):
			p.json = append(p.json, shut)
			return
		case p.eat(", "):
			p.json = append(p.json, ',')
		default:
			p.fail()
		}
	}
}

// name reads a member's name, which must be a string.
func (p *pythonText) name() {
	if c := p.peek(); c != '\'' && c != '"' {
		p.fail()
		return
	}
	p.str()
	if p.why == "" && !p.eat(": ") {
		p.fail()
	}
	p.json = append(p.json, ':')
}

// number reads what JSON and Python write alike, and leaves the rest.
func (p *pythonText) number() {
	start := p.at
	p.eat("-")
	first := p.at
	if !p.digits() || p.text[first] == '0' && p.at-first > 1 {
		p.fail()
		return
	}
	if p.eat(".") && !p.digits() {
		p.fail()
		return
	}
	if p.eat("e") {
		if !p.eat("-") {
			p.eat("+")
		}
		if !p.digits() {
			p.fail()
			return
		}
	}
	p.json = append(p.json, p.text[start:p.at]...)
}

func (p *pythonText) digits() bool {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > start
}

// str reads a string in either kind of quotes.
func (p *pythonText) str() {
	quote := p.peek()
	p.at++
	var s strings.Builder
	for p.why == "" {
		c := p.peek()
		switch {
		case p.at >= len(p.text):
			p.fail()
		case c == quote:
			p.at++
			p.json = canon.AppendString(p.json, s.String())
			return
		case c == '\\':
			p.escape(&s)
		case c < utf8.RuneSelf:
			if c < 0x20 || c == 0x7f {
				p.fail()
			}
			s.WriteByte(c)
			p.at++
		default:
			p.rune(&s)
		}
	}
}

func (p *pythonText) rune(s *strings.Builder) {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	if r == utf8.RuneError && size <= 1 {
		p.why = truth.ArgsInvalidUTF8
		return
	}
	s.WriteRune(r)
	p.at += size
}

// simpleEscapes are the escapes of one letter that repr writes.
var simpleEscapes = [256]byte{'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 'r': '\r', 't': '\t'}

// escapeSizes are the digits that follow x, u and U.
var escapeSizes = [256]int{'x': 2, 'u': 4, 'U': 8}

// escape reads one escape.
func (p *pythonText) escape(s *strings.Builder) {
	p.at++
	c := p.peek()
	if plain := simpleEscapes[c]; plain != 0 {
		s.WriteByte(plain)
		p.at++
		return
	}
	size := escapeSizes[c]
	if size == 0 || p.at+1+size > len(p.text) {
		if size > 0 {
			p.at = len(p.text)
		}
		p.fail()
		return
	}
	r, ok := hex(p.text[p.at+1 : p.at+1+size])
	switch {
	case !ok:
		p.fail()
	case r >= 0xd800 && r <= 0xdfff:
		p.why = truth.ArgsLoneSurrogate
	case r > utf8.MaxRune:
		p.fail()
	default:
		s.WriteRune(rune(r))
		p.at += 1 + size
	}
}

func hex(s string) (uint32, bool) {
	var n uint32
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint32(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint32(c-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}
