// SPDX-License-Identifier: Apache-2.0

package sequence_test

import (
	"fmt"

	"github.com/tool-decision-truth/collector/internal/truth/policy"
	"github.com/tool-decision-truth/collector/internal/truth/sequence"
)

const payments = `
aliases:
  read_any: [read_secret, read_vault]
sequences:
  - {type: before, first: approve, then: pay}
  - {type: never_after, trigger: read_any, forbidden: send_mail}
  - {type: after, trigger: pay, then: receipt, within: 2}
`

func rules() *sequence.Rules {
	p, err := policy.Read("payments.yaml", []byte(payments))
	if err != nil {
		panic(err)
	}
	r, err := sequence.Load("payments.yaml", p)
	if err != nil {
		panic(err)
	}
	return r
}

// The records of a run that is over.
func ExampleRules_Evaluate() {
	calls := []sequence.Call{{Name: "approve"}, {Name: "pay"}, {Name: "read_vault"}, {Name: "send_mail"}}
	for _, r := range rules().Evaluate(calls, sequence.Complete) {
		fmt.Println(r.RuleID, r.Outcome, r.Spanned)
	}
	// Output:
	// before:approve->pay held [0 1]
	// never_after:read_any->send_mail violated [2 3]
	// after:pay->receipt@2 violated [1]
}

// A run that goes on: what each call violates, and what may still come.
func ExampleState_Add() {
	r := rules()
	s := r.NewState(sequence.DefaultBound)
	for _, name := range []string{"read_secret", "send_mail", "approve", "pay"} {
		for _, i := range s.Add(sequence.Call{Name: name}) {
			fmt.Println(name, "violates", r.RuleID(i))
		}
	}
	last := s.Records(sequence.Partial)[2]
	fmt.Println(last.RuleID, last.Outcome, last.Reason)
	// Output:
	// send_mail violates never_after:read_any->send_mail
	// after:pay->receipt@2 not_exercised open
}
