// SPDX-License-Identifier: Apache-2.0

package policy

// Unconstrained says how a policy judges what it neither constrains nor
// forbids. The zero value is none of its words, and judges as Deny.
type Unconstrained uint8

// The words of enforcement.unconstrained_tools. Append only.
const (
	Warn  Unconstrained = iota + 1 // nothing can be said: incomplete
	Deny                           // what is not declared is not declared: mismatch
	Allow                          // what is not declared is welcome: match
)

// String returns the word as a policy has it.
func (u Unconstrained) String() string {
	switch u {
	case Warn:
		return "warn"
	case Allow:
		return "allow"
	}
	return "deny"
}
