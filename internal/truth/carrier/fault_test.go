// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

func TestFaultsAreAClosedVocabulary(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Faults() {
		assert.Regexp(t, `^[a-z0-9_]+$`, f.String())
		assert.NotEmpty(t, f.Meaning(), f)
		assert.False(t, seen[f.String()], "%v stands twice", f)
		seen[f.String()] = true
	}
	assert.Equal(t, FaultRootDiffers, Faults()[len(Faults())-1])
	for _, none := range []Fault{0, FaultRootDiffers + 1, 255} {
		assert.Equal(t, "not_json", none.String(), "what is no fault is still a refusal")
	}
}

func TestFaultsOfTextsKeepTheirWords(t *testing.T) {
	for _, f := range canon.Faults() {
		err := refuseText(&canon.TextError{Fault: f, Offset: 3})
		assert.Equal(t, f.String(), err.Fault.String())
	}
	assert.Equal(t, FaultNotJSON, refuseText(errors.New("other")).Fault)
}

func TestFaultErrorSaysFieldFaultGotAndWant(t *testing.T) {
	err := &FaultError{Fault: FaultWrongType, Field: "evidence_ref.digest", Got: "null", Want: "string"}
	assert.Equal(t, "evidence_ref.digest: wrong_type, got null, want string", err.Error())
	_, textErr := Import("{")
	assert.Equal(t, "not_json: json text: not_json: cut off at byte 1", textErr.Error())
	var cause *canon.TextError
	require.ErrorAs(t, textErr, &cause)

	fault, field, ok := FaultOf(fmt.Errorf("line 3: %w", err))
	assert.True(t, ok)
	assert.Equal(t, "wrong_type evidence_ref.digest", fault.String()+" "+field)
	_, _, ok = FaultOf(errors.New("disk"))
	assert.False(t, ok)
}

func TestRecordKinds(t *testing.T) {
	for kind, want := range map[RecordKind]string{0: "set", KindCarrier: "carrier", KindRow: "row", KindEvent: "event", 9: "set"} {
		assert.Equal(t, want, kind.String())
	}
}
