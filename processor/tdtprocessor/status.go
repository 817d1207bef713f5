// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
)

// A statusBoard reports the status of the component. Its parts fail and recover
// each for itself, and the component is well when all of them are. The zero
// statusBoard is ready; before it has a host it reports to nobody.
type statusBoard struct {
	mu    sync.Mutex
	host  component.Host
	wrong map[string]error // by part
}

// begin reports to host from now on.
func (b *statusBoard) begin(host component.Host) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.host = host
}

// fails reports that a part does not work. It is tried again, so the status is
// recoverable.
func (b *statusBoard) fails(part string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wrong == nil {
		b.wrong = map[string]error{}
	}
	b.wrong[part] = fmt.Errorf("%s: %w", part, err)
	b.report()
}

// works reports that a part works, where it did not.
func (b *statusBoard) works(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, was := b.wrong[part]; !was {
		return
	}
	delete(b.wrong, part)
	b.report()
}

func (b *statusBoard) report() {
	if b.host == nil {
		return
	}
	event := componentstatus.NewEvent(componentstatus.StatusOK)
	if len(b.wrong) > 0 {
		var all []error
		for _, part := range slices.Sorted(maps.Keys(b.wrong)) {
			all = append(all, b.wrong[part])
		}
		event = componentstatus.NewRecoverableErrorEvent(errors.Join(all...))
	}
	componentstatus.ReportStatus(b.host, event)
}
