// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/tool-decision-truth/collector/internal/truth/policy"
)

// maxPolicyFile is more than a policy may have, so that the reader itself says
// what is too much.
const maxPolicyFile = 16 << 20

// readPolicy reads the policy in a file. Its error names every fault, with file
// and line.
func (s streams) readPolicy(name string) (*policy.Policy, error) {
	label, text, err := s.read(name, maxPolicyFile)
	if err != nil {
		return nil, err
	}
	return policy.Read(label, text)
}
