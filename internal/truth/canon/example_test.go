// SPDX-License-Identifier: Apache-2.0

package canon_test

import (
	"errors"
	"fmt"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func ExampleDoc_Parse() {
	var d canon.Doc
	for _, text := range []string{`{"b": 1.0, "a": "\u00e9"}`, `{"a": 1, "\u0061": 2}`, `{"a": [1, 2`} {
		err := d.Parse(text, canon.Limits{Bytes: 256 << 10, Members: 4096})
		var fault *canon.TextError
		if errors.As(err, &fault) {
			fmt.Println(fault.Fault, fault.Truncated)
			continue
		}
		fmt.Printf("%s\n", d.Root().AppendJCS(nil))
	}
	// Output:
	// {"a":"é","b":1}
	// duplicate_key false
	// not_json true
}

func ExampleKey_ArgsDigest() {
	key, err := canon.NewKey("diff-kid-v0", []byte("differential-key-v0"))
	if err != nil {
		fmt.Println(err)
		return
	}
	var with, without canon.Doc
	_ = with.Parse(`{"keep": 1, "Access-Token": "v"}`, canon.Limits{})
	_ = without.Parse(`{"keep": 1}`, canon.Limits{})
	fmt.Println(key.ArgsDigest(&with) == key.ArgsDigest(&without))
	fmt.Println(key.ArgsDigest(nil) == key.ArgsDigest(&without), "without arguments")
	// Output:
	// true
	// false without arguments
}

func ExampleBuilder() {
	var b canon.Builder
	b.BeginObject()
	b.Key("limit")
	b.Int(250)
	b.Key("tags")
	b.BeginArray()
	b.Str("a \"quoted\" word")
	b.Null()
	b.EndArray()
	b.EndObject()
	fmt.Println(b.Text())
	// Output:
	// {"limit":250,"tags":["a \"quoted\" word",null]} <nil>
}
