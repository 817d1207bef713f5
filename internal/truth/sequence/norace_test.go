// SPDX-License-Identifier: Apache-2.0

//go:build !race

package sequence

// racing says that the race detector is on.
const racing = false
