// SPDX-License-Identifier: Apache-2.0

// Package reference holds this implementation against another one, the program
// that its evidence must agree with. It is tests alone.
//
// The program answers JSON requests, one a line. Its path is in the variable
// TDT_ORACLE; else it is looked for beside the repository. Where it is missing
// the tests say so and are skipped.
//
// Random policies, arguments, carriers, rows and rule sets are given to both.
// What they answer must be equal, but for an explicit list: the cases in which
// this implementation decides otherwise on purpose, each with its reason. What
// differs is made smaller as long as it still differs, and printed as a request
// that can be asked again.
package reference
