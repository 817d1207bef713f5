// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math/bits"
	"strconv"
	"time"

	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// A line is an event as package carrier writes it, with two members more at its
// end: its sequence number in the journal, and the link, which is the digest of
// all bytes of the file before the link's own digits.
const (
	seqIntro  = `,"tdtseq":`
	linkIntro = `,"tdtlink":"sha256:`
	lineOutro = `"}`

	linkDigits = 2 * hashSize
	maxSuffix  = len(seqIntro) + 20 + len(linkIntro) + linkDigits + len(lineOutro)

	// maxEvent is how long an event may be so that its line can still be read as
	// an event by everybody.
	maxEvent = carrier.MaxEventBytes - maxSuffix
	maxLine  = carrier.MaxEventBytes
)

// A chain is the running digest of one segment.
type chain struct {
	hash hash.Hash
	sum  [hashSize]byte
}

func newChain() *chain { return &chain{hash: sha256.New()} }

func (c *chain) write(b []byte) { c.hash.Write(b) }

// digest returns the digest of all that was written.
func (c *chain) digest() [hashSize]byte {
	c.hash.Sum(c.sum[:0])
	return c.sum
}

func (c *chain) clone() (*chain, error) {
	h, err := c.hash.(hash.Cloner).Clone()
	if err != nil {
		return nil, err
	}
	return &chain{hash: h}, nil
}

// appendLine appends the line of an event, given without its closing brace, and
// a newline, and takes both into the chain.
func (c *chain) appendLine(dst, event []byte, seq uint64) []byte {
	start := len(dst)
	dst = append(append(dst, event...), seqIntro...)
	dst = append(strconv.AppendUint(dst, seq, 10), linkIntro...)
	c.write(dst[start:])
	c.hash.Sum(c.sum[:0])
	linkStart := len(dst)
	dst = append(append(hex.AppendEncode(dst, c.sum[:]), lineOutro...), '\n')
	c.write(dst[linkStart:])
	return dst
}

// follows takes line, without its newline, into the chain and reports whether
// its link is the digest of what precedes it.
func (c *chain) follows(line []byte) bool {
	at := len(line) - len(lineOutro) - linkDigits
	if at < 0 {
		c.write(line)
		c.write(newline)
		return false
	}
	c.write(line[:at])
	c.hash.Sum(c.sum[:0])
	var want [linkDigits]byte
	hex.Encode(want[:], c.sum[:])
	c.write(line[at:])
	c.write(newline)
	return string(want[:]) == string(line[at:at+linkDigits])
}

var newline = []byte{'\n'}

// A line as it lies in a segment. The fields are parts of it, strings as they
// are between their quotes.
type line struct {
	contentHash, runID, data, subject, time, traceParent, eventType []byte

	seq        uint64 // in the journal
	runSeq     []byte
	hasSubject bool
	event      []byte // what package carrier wrote, without its closing brace
}

// parseLine reads text, which must be written as the journal writes a line:
// these members in this order, without spaces. What it does not look into is
// the payload, of which it finds the end, and whether an escape is the one that
// a canonical text has. ok is false for anything else.
func parseLine(text []byte) (l line, ok bool) {
	p := lineParser{text: text}
	p.literal(`{"assaycontenthash":"`)
	l.contentHash = p.str()
	p.literal(`,"assaygit":"`)
	p.str()
	p.literal(`,"assaypii":`)
	p.boolean()
	p.literal(`,"assayproducer":"`)
	p.str()
	p.literal(`,"assayproducerversion":"`)
	p.str()
	p.literal(`,"assayrunid":"`)
	l.runID = p.str()
	p.literal(`,"assaysecrets":`)
	p.boolean()
	p.literal(`,"assayseq":`)
	l.runSeq = p.digits()
	p.literal(`,"data":`)
	l.data = p.container()
	p.literal(`,"datacontenttype":"application/json","id":"`)
	p.str()
	p.literal(`,"source":"`)
	p.str()
	p.literal(`,"specversion":"1.0"`)
	l.subject, l.hasSubject = p.optional(`,"subject":"`)
	p.literal(`,"time":"`)
	l.time = p.str()
	l.traceParent, _ = p.optional(`,"traceparent":"`)
	p.literal(`,"type":"`)
	l.eventType = p.str()
	l.event = text[:p.at]
	p.literal(seqIntro)
	l.seq = p.count()
	p.literal(linkIntro)
	p.skip(linkDigits)
	p.literal(lineOutro)
	return l, !p.failed && p.at == len(text)
}

// is reports whether l is an event of type t.
func (l *line) is(t string) bool { return string(l.eventType) == t }

// isOwn reports whether l is of the journal itself.
func (l *line) isOwn() bool {
	return len(l.eventType) > len(JournalTypes) && string(l.eventType[:len(JournalTypes)]) == JournalTypes
}

// contentMatches reports whether the content hash is that of the event, for
// payloads whose text is what the hash sees; that is all but those with
// integers beyond 2^53.
func (l *line) contentMatches(h hash.Hash, sum *[hashSize]byte) bool {
	h.Reset()
	h.Write(contentIntro)
	h.Write(l.data)
	h.Write(contentMiddle)
	if l.hasSubject {
		h.Write(contentSubject)
		h.Write(l.subject)
		h.Write(quote)
	}
	h.Write(contentType)
	h.Write(l.eventType)
	h.Write(contentOutro)
	h.Sum(sum[:0])
	var want [linkDigits]byte
	hex.Encode(want[:], sum[:])
	got, ok := bytes.CutPrefix(l.contentHash, digestIntro)
	return ok && string(got) == string(want[:])
}

// The parts of the text that a content hash is of (spec section 12).
var (
	contentIntro   = []byte(`{"data":`)
	contentMiddle  = []byte(`,"datacontenttype":"application/json","specversion":"1.0"`)
	contentSubject = []byte(`,"subject":"`)
	contentType    = []byte(`,"type":"`)
	contentOutro   = []byte(`"}`)
	quote          = []byte(`"`)
	digestIntro    = []byte("sha256:")
)

// A lineParser goes through a line once. After the first thing that is not as
// expected it has failed and returns nothing more.
type lineParser struct {
	text   []byte
	at     int
	failed bool
}

func (p *lineParser) rest() []byte { return p.text[p.at:] }

func (p *lineParser) literal(s string) {
	if rest := p.rest(); len(rest) < len(s) || string(rest[:len(s)]) != s {
		p.failed = true
		return
	}
	p.at += len(s)
}

func (p *lineParser) skip(n int) {
	if len(p.rest()) < n {
		p.failed = true
		return
	}
	p.at += n
}

// str returns a string whose opening quote was read, and reads its closing one.
func (p *lineParser) str() []byte {
	start := p.at
	for !p.failed {
		p.at = plainEnd(p.text, p.at)
		switch {
		case p.at == len(p.text), p.text[p.at] < ' ':
			p.failed = true
		case p.text[p.at] == '"':
			p.at++
			return p.text[start : p.at-1 : p.at-1]
		default: // a backslash, and what it escapes
			p.skip(2)
		}
	}
	return nil
}

// Strings are looked through eight bytes at a time.
const (
	everyByte = 0x0101010101010101
	highBits  = everyByte << 7
)

// plainEnd returns the place of the first quote, backslash or control character
// from i on, or the end. In each word the high bit of a byte is set where it is
// one of them; a borrow marks at most bytes above one that is rightly marked.
func plainEnd(s []byte, i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		stop := (w - everyByte*' ') | ((w ^ everyByte*'"') - everyByte) | ((w ^ everyByte*'\\') - everyByte)
		if stop &= ^w & highBits; stop != 0 {
			return i + bits.TrailingZeros64(stop)/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// optional returns the string that intro begins, if it is there.
func (p *lineParser) optional(intro string) (s []byte, ok bool) {
	if rest := p.rest(); p.failed || len(rest) < len(intro) || string(rest[:len(intro)]) != intro {
		return nil, false
	}
	p.at += len(intro)
	return p.str(), true
}

func (p *lineParser) digits() []byte {
	rest := p.rest()
	n := 0
	for n < len(rest) && rest[n]-'0' <= 9 {
		n++
	}
	p.at += n
	return rest[:n]
}

// count returns a decimal number without leading zeros.
func (p *lineParser) count() (n uint64) {
	text := p.digits()
	if len(text) == 0 || len(text) > 19 || text[0] == '0' && len(text) > 1 {
		p.failed = true
		return 0
	}
	for _, c := range text {
		n = n*10 + uint64(c-'0')
	}
	return n
}

func (p *lineParser) boolean() {
	if rest := p.rest(); len(rest) > 0 && rest[0] == 't' {
		p.literal("true")
		return
	}
	p.literal("false")
}

// container returns an object or a list with all that is in it.
func (p *lineParser) container() []byte {
	n := containerEnd(p.rest())
	if n < 0 {
		p.failed = true
		return nil
	}
	p.at += n
	return p.text[p.at-n : p.at : p.at]
}

// containerEnd returns the length of the object or list that text begins with,
// or -1. Of what is between the brackets it only looks for strings, whose
// brackets do not count.
func containerEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			for i = plainEnd(text, i+1); i < len(text) && text[i] == '\\'; {
				i = plainEnd(text, min(i+2, len(text)))
			}
			if i == len(text) || text[i] != '"' {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		default:
			if c < ' ' {
				return -1
			}
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}

// parseTime returns the time that a line has, or the zero time.
func parseTime(text []byte) time.Time {
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}
	}
	return t
}
