// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
)

// Config is the configuration of the processor. `policies` is all that must be
// set; everything else has a default.
type Config struct {
	// Policies are tried in order: the first whose When holds judges the call.
	// A call that none holds for gets no verdict. Required.
	Policies []PolicyConfig `mapstructure:"policies"`

	// ReloadInterval is how often the policy files are looked at for a change.
	// Default 15s; 0 never.
	ReloadInterval time.Duration `mapstructure:"reload_interval"`

	// HMAC keys the digests of arguments. Required by Evidence.
	HMAC HMACConfig `mapstructure:"hmac"`

	// Evidence configures the journal. Off unless its directory is set.
	Evidence EvidenceConfig `mapstructure:"evidence"`

	// Runs configures what a run is and how long it is kept.
	Runs RunsConfig `mapstructure:"runs"`

	// Recognize says which spans are tool calls.
	Recognize RecognizeConfig `mapstructure:"recognize"`

	// Facts says what else is believed about a call, and from which spans.
	// Without it nothing is believed.
	Facts FactsConfig `mapstructure:"facts"`

	// Identity says where the identity of the caller stands on a span.
	Identity IdentityConfig `mapstructure:"identity"`

	// Boundaries are OTTL conditions in span context. A span for which one
	// holds comes from a point that enforces the policy: its source class is
	// authoritative_boundary and not reported_trace. Default none.
	Boundaries []string `mapstructure:"boundaries"`

	// Arguments is keep (default) or remove: whether raw arguments stay on the
	// span once they are judged.
	Arguments ArgumentsMode `mapstructure:"arguments"`

	// MarkStatus lists the verdicts that set a span's status to error, so that
	// backends show the row in red. Default none.
	MarkStatus []string `mapstructure:"mark_status"`

	_ struct{}
}

// PolicyConfig is one policy and the calls that it judges.
type PolicyConfig struct {
	// File is the policy's path. A relative one is taken from the Collector's
	// working directory. Required.
	File string `mapstructure:"file"`

	// Name stands in assay.tdt.policy and in metrics. Default: the file's name
	// without its extension. Names must differ.
	Name string `mapstructure:"name"`

	// When is an OTTL condition in span context. Empty: always.
	When string `mapstructure:"when"`

	_ struct{}
}

// HMACConfig is the key of the argument digests. Both fields are set or
// neither.
type HMACConfig struct {
	// Key is the secret, at least 32 bytes. Give it as ${env:NAME}.
	Key configopaque.String `mapstructure:"key"`

	// KeyID names Key inside each digest, so that keys can rotate.
	KeyID string `mapstructure:"key_id"`

	_ struct{}
}

// EvidenceConfig configures the journal.
type EvidenceConfig struct {
	// Directory holds the journal of this one instance. Empty: no evidence.
	Directory string `mapstructure:"directory"`

	// OnFailure is pass_through (default): telemetry goes on and says that its
	// evidence failed; or block: the batch is refused with a retryable error.
	OnFailure FailureMode `mapstructure:"on_failure"`

	// MaxSegmentBytes and MaxSegmentAge rotate the file that is written.
	// Default 64 MiB and 1h.
	MaxSegmentBytes int64         `mapstructure:"max_segment_bytes"`
	MaxSegmentAge   time.Duration `mapstructure:"max_segment_age"`

	// Retain bounds what is kept. Default: everything.
	Retain RetainConfig `mapstructure:"retain"`

	// CheckpointInterval is the longest time between two checkpoints while
	// records arrive. Default 1m.
	CheckpointInterval time.Duration `mapstructure:"checkpoint_interval"`

	// SigningKey is a signer in the note format of golang.org/x/mod/sumdb/note.
	// Empty: checkpoints are keyed by the HMAC key.
	SigningKey configopaque.String `mapstructure:"signing_key"`

	// WaitTimeout is the longest that a batch waits for the disk. Default 5s.
	WaitTimeout time.Duration `mapstructure:"wait_timeout"`

	_ struct{}
}

// RetainConfig bounds the closed segments that are kept. A zero bound is none.
// What no checkpoint covers is never removed.
type RetainConfig struct {
	Segments int           `mapstructure:"segments"`
	Bytes    int64         `mapstructure:"bytes"`
	Age      time.Duration `mapstructure:"age"`

	_ struct{}
}

// RunsConfig says what a run is.
type RunsConfig struct {
	// Key names what the spans of one run share: trace_id, or attributes of
	// the span or its resource of which the first present one counts. Default
	// [trace_id].
	Key []string `mapstructure:"key"`

	// Scope is stream (default): a run goes on over batches; or batch: each
	// batch holds whole runs, as groupbytrace makes them.
	Scope RunScope `mapstructure:"scope"`

	// IdleTimeout closes a run that no call joined for so long. Default 2m, at
	// most MaxLifetime.
	IdleTimeout time.Duration `mapstructure:"idle_timeout"`

	// MaxLifetime closes a run that is so old. Default 24h.
	MaxLifetime time.Duration `mapstructure:"max_lifetime"`

	// MaxRuns bounds the open runs; beyond it the longest idle one is closed
	// as partial. Default 100000.
	MaxRuns int `mapstructure:"max_runs"`

	// Storage is the id of a storage extension that keeps open runs over a
	// restart. Default none.
	Storage *component.ID `mapstructure:"storage"`

	_ struct{}
}

// RecognizeConfig says which spans are tool calls.
type RecognizeConfig struct {
	// Dialects turns built-in dialects on or off by name. All are on.
	Dialects map[string]bool `mapstructure:"dialects"`

	// Order puts the named built-in dialects before the others. None of them
	// may be off.
	Order []string `mapstructure:"order"`

	// Custom dialects come before all built-in ones.
	Custom []CustomDialectConfig `mapstructure:"custom"`

	// StripPrefixes are prefixes that the operator takes off tool names before
	// they are matched, the first that fits. Default none: names are matched
	// as they are written.
	StripPrefixes []string `mapstructure:"strip_prefixes"`

	// MaxArgumentBytes and MaxArgumentMembers bound the arguments that are
	// read; larger ones are unusable. Default 256 KiB and 4096.
	MaxArgumentBytes   int `mapstructure:"max_argument_bytes"`
	MaxArgumentMembers int `mapstructure:"max_argument_members"`

	_ struct{}
}

// CustomDialectConfig recognizes the spans of an instrumentation of one's own.
// All but Name are OTTL in span context.
type CustomDialectConfig struct {
	Name      string `mapstructure:"name"`
	When      string `mapstructure:"when"`
	ToolName  string `mapstructure:"tool_name"`
	Arguments string `mapstructure:"arguments"`
	CallID    string `mapstructure:"call_id"`
	Session   string `mapstructure:"session"`

	_ struct{}
}

// FactsConfig says what is believed about the obligations of a call.
type FactsConfig struct {
	ApprovalObtained FactConfig `mapstructure:"approval_obtained"`
	ScopeSatisfied   FactConfig `mapstructure:"scope_satisfied"`
	RedactionApplied FactConfig `mapstructure:"redaction_applied"`

	_ struct{}
}

// FactConfig says from which spans one fact is believed and what they say. The
// spans asked are those of the call and their children in the same batch.
type FactConfig struct {
	// Preset names a known emitter whose conditions are filled in.
	Preset string `mapstructure:"preset"`

	// From is an OTTL condition: the spans that are believed. Without it none.
	From string `mapstructure:"from"`

	// TrueWhen and FalseWhen are OTTL conditions; one that holds is enough.
	// Both hold: unknown.
	TrueWhen  []string `mapstructure:"true_when"`
	FalseWhen []string `mapstructure:"false_when"`

	_ struct{}
}

// IdentityConfig says where the identity of the caller stands.
type IdentityConfig struct {
	// Attributes of the span or its resource; the first present one counts.
	Attributes []string `mapstructure:"attributes"`

	// Required makes a call without identity incomplete. Default false.
	Required bool `mapstructure:"required"`

	_ struct{}
}

// An ArgumentsMode says what becomes of raw arguments on a span.
type ArgumentsMode string

// The argument modes.
const (
	ArgumentsKeep   ArgumentsMode = "keep"
	ArgumentsRemove ArgumentsMode = "remove"
)

// A FailureMode says what becomes of telemetry whose evidence cannot be kept.
type FailureMode string

// The failure modes.
const (
	FailurePassThrough FailureMode = "pass_through"
	FailureBlock       FailureMode = "block"
)

// A RunScope says whether a run may go on over batches.
type RunScope string

// The run scopes.
const (
	ScopeStream RunScope = "stream"
	ScopeBatch  RunScope = "batch"
)

func createDefaultConfig() component.Config {
	return &Config{
		ReloadInterval: 15 * time.Second,
		Evidence: EvidenceConfig{
			OnFailure:          FailurePassThrough,
			MaxSegmentBytes:    64 << 20,
			MaxSegmentAge:      time.Hour,
			CheckpointInterval: time.Minute,
			WaitTimeout:        5 * time.Second,
		},
		Runs: RunsConfig{
			Key:         []string{"trace_id"},
			Scope:       ScopeStream,
			IdleTimeout: 2 * time.Minute,
			MaxLifetime: 24 * time.Hour,
			MaxRuns:     100_000,
		},
		Recognize: RecognizeConfig{
			MaxArgumentBytes:   256 << 10,
			MaxArgumentMembers: 4096,
		},
		Arguments: ArgumentsKeep,
	}
}
