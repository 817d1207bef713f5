// SPDX-License-Identifier: Apache-2.0

package carrier

import "slices"

// Finish says what became of the set. The error is nil only if all of it holds;
// else it is the *RecordError of the refused record that comes first, or of the
// set when that holds no row. The Verifier is not used after that.
func (v *Verifier) Finish() (Report, error) {
	alone := make([]int64, 0, len(v.waiting))
	for _, row := range v.waiting {
		alone = append(alone, row.at)
	}
	slices.Sort(alone)
	for _, at := range alone {
		v.refuse(KindRow, at, refuse(FaultCarrierMissing, "evidence_ref.digest"))
	}
	v.waiting = nil
	if v.report.Rows == 0 && v.report.First == nil {
		v.refuse(0, 0, refuse(FaultNoRows, ""))
	}
	if v.report.First != nil {
		return v.report, v.report.First
	}
	return v.report, nil
}
