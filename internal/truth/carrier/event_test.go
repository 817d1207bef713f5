// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func exampleEvent() Event {
	e := Event{
		Source: "urn:example:tdt", Time: "2026-01-02T03:04:05Z", RunID: "run-1", Seq: 7,
		Producer: "tdt", ProducerVersion: "0.1.0", Git: "unknown",
	}
	if err := e.SetData("example.note.v0", `{"b":[1,2.50],"a":"é"}`); err != nil {
		panic(err)
	}
	return e
}

func TestEventLinesOfTheReferenceAreReadAndWrittenAlike(t *testing.T) {
	for _, bundle := range []string{"bundle_0", "bundle_1", "variants/plain", "variants/time_fraction", "variants/time_offset"} {
		for _, line := range interopEvents(t, bundle) {
			e, err := ParseEvent(line)
			require.NoError(t, err)
			out, err := AppendEvent(nil, &e)
			require.NoError(t, err)
			require.Equal(t, line, string(out))
		}
	}
}

func TestEventIsWrittenAsItsDecoderReadsIt(t *testing.T) {
	plain, full := exampleEvent(), exampleEvent()
	full.Subject, full.TraceParent, full.PII, full.Secrets = "send \"x\"\n", "00-ab-cd-01", true, true
	full.Seq = 1<<63 - 1
	full.ContentHash = ContentHash(&full, full.Data)
	for _, e := range []Event{plain, full} {
		line, err := AppendEvent(nil, &e)
		require.NoError(t, err)
		assert.NotContains(t, string(line), "\n")
		canonical, err := canon.Transform(line)
		require.NoError(t, err)
		if e.Seq == plain.Seq {
			assert.Equal(t, string(canonical), string(line), "the line is canonical")
		}
		got, err := ParseEvent(string(line))
		require.NoError(t, err)
		got.payload = canon.Node{}
		assert.Equal(t, e, got)
		assert.Contains(t, string(line), `"id":"`+e.ID()+`"`)
	}
}

func TestEventRefusesEachMutatedMember(t *testing.T) {
	good := exampleEvent()
	good.Subject, good.TraceParent = "send", "00-ab-cd-01"
	good.ContentHash = ContentHash(&good, good.Data)
	line, err := AppendEvent(nil, &good)
	require.NoError(t, err)
	for field, want := range map[string]map[string]string{ // field -> JSON value, "" for missing -> fault [field]
		"specversion":     {"": "missing", "null": "wrong_type", "1": "wrong_type", `"1.1"`: "unexpected_value", `"1"`: "unexpected_value"},
		"type":            {"": "missing", "null": "wrong_type", "[]": "wrong_type", `"other"`: "not_recomputed assaycontenthash"},
		"source":          {"": "missing", "null": "wrong_type", "1": "wrong_type", `"here"`: "malformed", `":x"`: "malformed", `""`: "malformed"},
		"id":              {"": "missing", "null": "wrong_type", "7": "wrong_type", `"run-1:8"`: "malformed", `"run-1"`: "malformed", `"run-1:07"`: "malformed", `"RUN-1:7"`: "malformed", `"run-1:7 "`: "malformed"},
		"time":            {"": "missing", "null": "wrong_type", "1": "wrong_type", `"now"`: "malformed", `"2026-13-02T03:04:05Z"`: "malformed"},
		"datacontenttype": {"": "missing", "null": "wrong_type", `"text/plain"`: "unexpected_value"},
		"subject":         {"": "not_recomputed assaycontenthash", "null": "not_recomputed assaycontenthash", "1": "wrong_type", `""`: "not_recomputed assaycontenthash", `"SEND"`: "not_recomputed assaycontenthash"},
		"traceparent":     {"1": "wrong_type", "{}": "wrong_type"},
		"assayrunid":      {"": "missing", "null": "wrong_type", "1": "wrong_type", `"run:1"`: "malformed", `"run-2"`: "malformed id"},
		"assayseq":        {"": "missing", "null": "wrong_type", `"7"`: "wrong_type", "8": "malformed id", "7.0": "not_integer", "-1": "not_integer", "7e0": "not_integer", "9223372036854775808": "not_integer"},
		"assayproducer":   {"": "missing", "null": "wrong_type", "1": "wrong_type"},

		"assayproducerversion": {"": "missing", "null": "wrong_type", "1": "wrong_type"},
		"assaygit":             {"": "missing", "null": "wrong_type", "1": "wrong_type"},
		"assaypii":             {"": "missing", "null": "wrong_type", `"false"`: "wrong_type", "0": "wrong_type"},
		"assaysecrets":         {"": "missing", "null": "wrong_type", `"false"`: "wrong_type"},
		"assaycontenthash": {
			"": "missing", "null": "wrong_type", `""`: "malformed", `"` + strings.ToUpper(string(good.ContentHash)) + `"`: "malformed",
			`"` + string(good.ContentHash[:70]) + `"`: "malformed", `"` + string(canon.Sum(nil)) + `"`: "not_recomputed",
		},
		"data": {"": "missing", "null": "not_recomputed assaycontenthash", "{}": "not_recomputed assaycontenthash"},
	} {
		for value, fault := range want {
			if !strings.Contains(fault, " ") {
				fault += " " + field
			}
			t.Run(field+" is "+value, func(t *testing.T) {
				_, err := ParseEvent(withMember(t, string(line), field, value))
				f, in, ok := FaultOf(err)
				require.True(t, ok, "got %v", err)
				assert.Equal(t, fault, f.String()+" "+in)
			})
		}
	}
	for _, field := range eventFields {
		if field != "traceparent" {
			assert.NotEqual(t, withMember(t, string(line), field, ""), string(line), "%s is in the line", field)
		}
	}
}

func TestEventReadsWhatItNeedNotKnow(t *testing.T) {
	e := exampleEvent()
	e.TraceParent = "00-ab-cd-01"
	line, err := AppendEvent(nil, &e)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"a foreign member":     withMember(t, string(line), "note", `{"x":[1]}`),
		"a null subject":       withMember(t, string(line), "subject", "null"),
		"no trace parent":      withMember(t, string(line), "traceparent", ""),
		"a null trace parent":  withMember(t, string(line), "traceparent", "null"),
		"white space":          " " + strings.ReplaceAll(string(line), `,"assaygit"`, ` , "assaygit"`) + "\t",
		"another exact number": strings.Replace(string(line), "2.5", "25e-1", 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseEvent(text)
			require.NoError(t, err)
		})
	}
}

func TestEventWithAnEmptySubjectIsNotOneWithout(t *testing.T) {
	e := exampleEvent()
	without := e.ContentHash
	e.subjectIsEmpty = true
	e.ContentHash = ContentHash(&e, e.Data)
	assert.NotEqual(t, without, e.ContentHash)
	line, err := AppendEvent(nil, &e)
	require.NoError(t, err)
	assert.Contains(t, string(line), `"subject":"",`)
	got, err := ParseEvent(string(line))
	require.NoError(t, err)
	again, err := AppendEvent(nil, &got)
	require.NoError(t, err)
	assert.Equal(t, string(line), string(again))
}

func TestEventTextThatIsNoEvent(t *testing.T) {
	e := exampleEvent()
	line, err := AppendEvent(nil, &e)
	require.NoError(t, err)
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tt := range []struct {
		name, text string
		want       Fault
	}{
		{"nothing", "", FaultNotJSON},
		{"half an event", string(line[:len(line)/2]), FaultNotJSON},
		{"an array", "[]", FaultNotObject},
		{"a member twice", `{"assaypii":true,` + string(line[1:]), FaultDuplicateKey},
		{"a member twice in the payload", strings.Replace(string(line), `"a":`, `"b":1,"a":`, 1), FaultDuplicateKey},
		{"half a surrogate pair", strings.Replace(string(line), `"a":"`, `"a":"\ud800`, 1), FaultLoneSurrogate},
		{"bytes that are not UTF-8", strings.Replace(string(line), `"a":"`, "\"a\":\"\xff", 1), FaultInvalidUTF8},
		{"65 nested containers", withMember(t, string(line), "x", nested(64)), FaultTooDeep},
		{"a line of more than a mebibyte", withMember(t, string(line), "x", `"`+strings.Repeat("x", MaxEventBytes)+`"`), FaultLineTooLong},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseEvent(tt.text)
			requireFault(t, err, tt.want, "")
		})
	}
	_, err = ParseEvent(withMember(t, string(line), "x", nested(63)))
	require.NoError(t, err, "64 nested containers are allowed")
	_, err = ParseEvent(withMember(t, string(line), "x", `"`+strings.Repeat(`[{\"`, 100)+`"`))
	require.NoError(t, err, "brackets in a string do not nest")
}

func TestAppendEventRefusesWhatParseEventWould(t *testing.T) {
	for _, tt := range []struct {
		name   string
		mutate func(*Event)
		fault  Fault
		field  string
	}{
		{"no source", func(e *Event) { e.Source = "" }, FaultMalformed, "source"},
		{"no time", func(e *Event) { e.Time = "" }, FaultMalformed, "time"},
		{"a colon in the run id", func(e *Event) { e.RunID = "a:b" }, FaultMalformed, "assayrunid"},
		{"a negative sequence number", func(e *Event) { e.Seq = -1 }, FaultNotInteger, "assayseq"},
		{"no content hash", func(e *Event) { e.ContentHash = "" }, FaultMalformed, "assaycontenthash"},
		{"no data", func(e *Event) { e.Data = nil }, FaultMissing, "data"},
		{"data of two lines", func(e *Event) { e.Data = []byte("{\n}") }, FaultMalformed, "data"},
		{"data of 64 nested containers", func(e *Event) { e.Data = []byte(strings.Repeat("[", 64) + strings.Repeat("]", 64)) }, FaultTooDeep, "data"},
		{"a producer that is not UTF-8", func(e *Event) { e.Producer = "\xff" }, FaultInvalidUTF8, "assayproducer"},
		{"a line that is too long", func(e *Event) { e.Git = strings.Repeat("x", MaxEventBytes) }, FaultLineTooLong, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := exampleEvent()
			tt.mutate(&e)
			out, err := AppendEvent([]byte("kept"), &e)
			requireFault(t, err, tt.fault, tt.field)
			assert.Equal(t, "kept", string(out))
		})
	}
	e := exampleEvent()
	requireFault(t, e.SetData("x", "{"), FaultNotJSON, "")
}

func TestTimes(t *testing.T) {
	for _, good := range []string{
		"2026-01-02T03:04:05Z", "2026-01-02t03:04:05z", "2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.123456789123+14:00",
		"2024-02-29T23:59:59-00:00", "2016-12-31T23:59:60Z", "0000-01-01T00:00:00Z",
	} {
		assert.True(t, isRFC3339(good), good)
	}
	for _, bad := range []string{
		"", "Z", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-1-02T03:04:05Z", "2026-01-02T03:04:05.Z",
		"2026-01-02T03:04:05,1Z", "2026-02-29T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-13-01T00:00:00Z",
		"2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z", "2026-01-02T03:04:61Z", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+01:60",
		"2026-01-02T03:04:05+0100", "2026-01-02T03:04:05Zz", "2026-01-02T03:04:05Z ", " 2026-01-02T03:04:05Z", "+2026-01-02T03:04:05Z",
	} {
		assert.False(t, isRFC3339(bad), bad)
	}
}

// withMember returns the JSON object text with the member field, a path with
// dots, set to the JSON value, or without it when value is empty.
func withMember(t testing.TB, text, field, value string) string {
	t.Helper()
	head, rest, nested := strings.Cut(field, ".")
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &members))
	switch {
	case nested:
		members[head] = json.RawMessage(withMember(t, string(members[head]), rest, value))
	case value == "":
		delete(members, head)
	default:
		members[head] = json.RawMessage(value)
	}
	out, err := json.Marshal(members)
	require.NoError(t, err)
	return string(out)
}

func FuzzParseEvent(f *testing.F) {
	for _, bundle := range []string{"bundle_0", "variants/extra_event_field", "variants/time_offset"} {
		for _, line := range interopEvents(f, bundle) {
			f.Add(line)
		}
	}
	f.Add("")
	f.Add(`{"assayseq":-0}`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := ParseEvent(line)
		if err != nil {
			_, _, ok := FaultOf(err)
			require.True(t, ok, "every refusal has a fault: %v", err)
			return
		}
		out, err := AppendEvent(nil, &e)
		require.NoError(t, err, "what is read can be written")
		again, err := ParseEvent(string(out))
		require.NoError(t, err)
		assert.Equal(t, e.ContentHash, again.ContentHash)
	})
}

func BenchmarkAppendEvent(b *testing.B) {
	e := exampleEvent()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = AppendEvent(buf[:0], &e)
	}
}

func BenchmarkParseEvent(b *testing.B) {
	line := interopEvents(b, "bundle_0")[0]
	var d Decoder
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := d.Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}
