// SPDX-License-Identifier: Apache-2.0

//go:build !race

package canon

// raceEnabled tells tests of time and of allocations that neither is normal.
const raceEnabled = false
