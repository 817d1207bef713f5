// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.uber.org/zap"
	"golang.org/x/mod/sumdb/note"

	"github.com/tool-decision-truth/collector/internal/evidence"
	"github.com/tool-decision-truth/collector/internal/truth/carrier"
)

// journal is the processor's journal: it is opened at the start, and reports
// its health as the component's status.
type journal struct {
	config  evidence.Config
	logger  *zap.Logger
	metrics *counters
	status  *statusBoard
	open    atomic.Pointer[evidence.Journal]
}

// statusEvidence is what the journal is called in the component's status.
const statusEvidence = "evidence"

// errMalformedKey says no more: what was given is a secret.
var errMalformedKey = errors.New("it is malformed")

// newJournal checks the configuration of p and opens nothing: whoever validates
// a configuration must not touch the disk of a running instance.
func newJournal(p *tdtProcessor, id component.ID) (*journal, error) {
	j := &journal{logger: p.logger, metrics: p.metrics, status: &p.status}
	signer, err := signerOf(p.cfg)
	if err != nil {
		return nil, err
	}
	cfg := &p.cfg.Evidence
	j.config = evidence.Config{
		Directory: cfg.Directory, OnFailure: onFailureOf(cfg.OnFailure),
		Source: "urn:otelcol:processor:" + id.String(), Producer: "otelcol-tdt", ProducerVersion: p.version, Git: "unknown",
		Signers: []note.Signer{signer}, Now: time.Now,
		SegmentBytes: cfg.MaxSegmentBytes, SegmentAge: cfg.MaxSegmentAge,
		Retention:     evidence.Retention{Segments: cfg.Retain.Segments, Bytes: cfg.Retain.Bytes, Age: cfg.Retain.Age},
		CheckpointAge: cfg.CheckpointInterval, Wait: cfg.WaitTimeout,
		OnHealth: j.health, OnCheckpoint: j.checkpoint,
	}
	if err := j.config.Validate(); err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	return j, nil
}

func onFailureOf(mode FailureMode) evidence.OnFailure {
	if mode == FailureBlock {
		return evidence.Block
	}
	return evidence.PassThrough
}

// signerOf returns what signs checkpoints: the signing key, or the HMAC key.
func signerOf(cfg *Config) (note.Signer, error) {
	if cfg.Evidence.SigningKey == "" {
		return evidence.NewMAC(cfg.HMAC.KeyID, []byte(cfg.HMAC.Key))
	}
	signer, err := note.NewSigner(string(cfg.Evidence.SigningKey))
	if err != nil {
		return nil, fmt.Errorf("evidence: signing_key: %w, want a key as `tdt evidence keygen` writes it", errMalformedKey)
	}
	return signer, nil
}

// start opens the journal. One that is not safe, in use, or, with block,
// changed or not writable is refused.
func (j *journal) start() error {
	open, err := evidence.Open(j.config)
	switch {
	case errors.Is(err, evidence.ErrInUse):
		return fmt.Errorf("evidence: %w; each instance needs a directory of its own, and so does each pipeline that has the processor: name them tdt/a and tdt/b", err)
	case err != nil:
		return fmt.Errorf("evidence: %w", err)
	}
	j.open.Store(open)
	if open.Health().OK() {
		j.metrics.evidenceHealthy(true)
	}
	j.recovered(open.Recovery())
	return nil
}

// recovered tells what was found when the journal was opened.
func (j *journal) recovered(r evidence.Recovery) {
	for i := range r.Torn {
		t := &r.Torn[i]
		j.logger.Warn("the end of the journal was torn, as by a crash, and is set aside",
			zap.Uint64("segment", t.Segment), zap.Int64("bytes", t.Bytes), zap.String("file", t.File), zap.Uint64("records_missing", t.Records))
		j.metrics.builder.ProcessorTdtEvidenceTornTails.Add(context.Background(), 1)
	}
	j.logger.Info("journal opened", zap.String("directory", j.config.Directory),
		zap.Int("segments", r.Segments), zap.Uint64("lines", r.Lines), zap.Bool("new", r.NewJournal))
}

// Append implements engine.Journal.
func (j *journal) Append(ctx context.Context, events []carrier.Event) error {
	receipt, err := j.open.Load().Append(ctx, events)
	if err != nil {
		j.metrics.evidenceFailed(ctx, reasonOf(err))
		return err
	}
	j.metrics.builder.ProcessorTdtEvidenceRecords.Add(ctx, int64(len(receipt.Seqs)-receipt.Duplicates))
	return nil
}

// reasonOf returns the word of a closed vocabulary for why records are not
// durable.
func reasonOf(err error) string {
	if failed, ok := errors.AsType[*evidence.AppendError](err); ok {
		return failed.Reason.String()
	}
	return reasonUnrecordable
}

func (j *journal) shutdown(ctx context.Context) error {
	if open := j.open.Load(); open != nil {
		return open.Close(ctx)
	}
	return nil
}

func (j *journal) health(h evidence.Health) {
	j.metrics.evidenceHealthy(h.OK())
	if h.OK() {
		j.logger.Info("the journal works again")
		j.status.works(statusEvidence)
		return
	}
	err := errors.New(h.Reason.String())
	if h.Err != nil {
		err = fmt.Errorf("%s: %w", h.Reason, h.Err)
	}
	j.logger.Error("the journal does not work", zap.Error(err))
	j.status.fails(statusEvidence, err)
}

// checkpoint sends the checkpoint out by two ways, so that a journal whose
// newest file is gone can be told from a whole one.
func (j *journal) checkpoint(c evidence.Checkpoint) {
	j.logger.Info("journal checkpoint", zap.String("note", c.Note))
	j.metrics.builder.ProcessorTdtEvidenceTreeSize.Record(context.Background(), int64(c.Size))
}
