// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadata"
)

// journal is the processor's journal: it is opened at the start, and reports
// its health as the component's status.
type journal struct {
	config  evidence.Config
	logger  *zap.Logger
	metrics *metadata.TelemetryBuilder
	host    component.Host
	open    atomic.Pointer[evidence.Journal]
}

// errMalformedKey says no more: what was given is a secret.
var errMalformedKey = errors.New("it is malformed")

// newJournal checks the configuration and opens nothing: whoever validates a
// configuration must not touch the disk of a running instance.
func newJournal(set *component.TelemetrySettings, id component.ID, cfg *Config, version string) (*journal, error) {
	j := &journal{logger: set.Logger}
	signer, err := signerOf(cfg)
	if err != nil {
		return nil, err
	}
	mode := evidence.PassThrough
	if cfg.Evidence.OnFailure == FailureBlock {
		mode = evidence.Block
	}
	j.config = evidence.Config{
		Directory: cfg.Evidence.Directory, OnFailure: mode,
		Source: "urn:otelcol:processor:" + id.String(), Producer: "otelcol-tdt", ProducerVersion: version, Git: "unknown",
		Signers: []note.Signer{signer}, Now: time.Now,
		SegmentBytes: cfg.Evidence.MaxSegmentBytes, SegmentAge: cfg.Evidence.MaxSegmentAge,
		Retention: evidence.Retention{
			Segments: cfg.Evidence.Retain.Segments, Bytes: cfg.Evidence.Retain.Bytes, Age: cfg.Evidence.Retain.Age,
		},
		CheckpointAge: cfg.Evidence.CheckpointInterval, Wait: cfg.Evidence.WaitTimeout,
		OnHealth: j.health, OnCheckpoint: j.checkpoint,
	}
	return j, j.config.Validate()
}

// signerOf returns what signs checkpoints: the signing key, or the HMAC key.
func signerOf(cfg *Config) (note.Signer, error) {
	if cfg.Evidence.SigningKey == "" {
		return evidence.NewMAC(cfg.HMAC.KeyID, []byte(cfg.HMAC.Key))
	}
	signer, err := note.NewSigner(string(cfg.Evidence.SigningKey))
	if err != nil {
		return nil, fmt.Errorf("signing_key: %w: want a key as golang.org/x/mod/sumdb/note writes it", errMalformedKey)
	}
	return signer, nil
}

// start opens the journal. One that is not safe, in use, or, with block,
// changed or not writable is refused.
func (j *journal) start(host component.Host, metrics *metadata.TelemetryBuilder) error {
	j.host, j.metrics = host, metrics
	open, err := evidence.Open(j.config)
	if err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	j.open.Store(open)
	for _, torn := range open.Recovery().Torn {
		j.logger.Warn("the journal's end was torn and is set aside", zap.Any("torn", torn))
	}
	return nil
}

// Append implements engine.Journal.
func (j *journal) Append(ctx context.Context, events []carrier.Event) error {
	receipt, err := j.open.Load().Append(ctx, events)
	if err != nil {
		j.metrics.ProcessorTdtEvidenceFailures.Add(ctx, 1)
		return err
	}
	j.metrics.ProcessorTdtEvidenceRecords.Add(ctx, int64(len(receipt.Seqs)-receipt.Duplicates))
	return nil
}

func (j *journal) shutdown(ctx context.Context) error {
	if open := j.open.Load(); open != nil {
		return open.Close(ctx)
	}
	return nil
}

func (j *journal) health(h evidence.Health) {
	if h.OK() {
		j.logger.Info("the journal works again")
		componentstatus.ReportStatus(j.host, componentstatus.NewEvent(componentstatus.StatusOK))
		return
	}
	j.logger.Error("the journal does not work", zap.String("reason", h.Reason.String()), zap.Error(h.Err))
	componentstatus.ReportStatus(j.host, componentstatus.NewRecoverableErrorEvent(fmt.Errorf("evidence: %s: %w", h.Reason, h.Err)))
}

// checkpoint sends the checkpoint out by two ways, so that a journal whose
// newest file is gone can be told from a whole one.
func (j *journal) checkpoint(c evidence.Checkpoint) {
	j.logger.Info("journal checkpoint", zap.String("note", c.Note))
	j.metrics.ProcessorTdtEvidenceTreeSize.Record(context.Background(), int64(c.Size))
}
