// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"flag"
	"os"
)

// torture asks for the long versions of the tests that have one:
//
//	go test ./internal/evidence -run Torture -torture -timeout 30m
//
// TDT_TORTURE=1 does the same.
var torture = flag.Bool("torture", os.Getenv("TDT_TORTURE") != "", "run the long versions of tests")

// rounds returns how often a test does what it does.
func rounds(usual, long int) int {
	if *torture {
		return long
	}
	return usual
}
