// SPDX-License-Identifier: Apache-2.0

// Package lint finds what in a policy silently constrains nothing, or cannot
// mean what it seems to: a star that is no wildcard, a deny that changes no
// verdict, a schema that no call reaches, a required argument that is forbidden.
//
// Each finding is proven from the rules of spec sections 2, 5 and 10. It is no
// error: the policy loads, and is judged as it is written. Nor does a policy
// without findings say what its author meant.
//
// The package is pure, and knows nothing of what was observed.
package lint
