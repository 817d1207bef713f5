// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.uber.org/zap"

	"github.com/tool-decision-truth/collector/internal/recognize"
	"github.com/tool-decision-truth/collector/internal/truth"
)

// minKeyBytes is the shortest key that keeps short arguments from being
// guessed once digests are known.
const minKeyBytes = 32

var keyIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// publicKeys are the test keys that are published with the vectors: whoever
// holds the vectors could guess arguments that they key.
var publicKeys = []string{
	"tool-decision-truth-vectors-key-v0",
	"tdt-otel-snapshot-key-v0",
	"interop-test-key-v0",
	"differential-key-v0",
	"speed-test-key-0001",
}

// faults collects what is wrong below one path of the configuration.
type faults struct{ errs []error }

func (f *faults) check(ok bool, format string, args ...any) {
	if !ok {
		f.errs = append(f.errs, fmt.Errorf(format, args...))
	}
}

func (f *faults) add(path string, err error) {
	if err != nil {
		f.errs = append(f.errs, fmt.Errorf("%s: %w", path, err))
	}
}

// attributes checks a list of attributes of which the first present one counts.
func (f *faults) attributes(path string, names []string) {
	for i, name := range names {
		f.check(name != "", "%s[%d]: got an empty name, want that of an attribute", path, i)
		f.check(name == "" || slices.Index(names, name) == i, "%s[%d]: %q is there already, so this one never counts: take it out", path, i, name)
		f.check(!recognize.Reserved(name),
			"%s[%d]: %q is a reserved name, which is removed from all that comes in: want an attribute that its sender writes", path, i, name)
	}
}

func (f *faults) join() error { return errors.Join(f.errs...) }

// Validate reports every fault that can be found without reading a file. The
// policies themselves are read when the processor is built.
func (cfg *Config) Validate() error {
	var f faults
	f.check(len(cfg.Policies) > 0, "policies: at least one is needed, for example `policies: [{file: policy.yaml}]`")
	f.check(cfg.ReloadInterval >= 0, "reload_interval: got %s, want 0 (never) or more", cfg.ReloadInterval)
	f.check(slices.Contains([]ArgumentsMode{ArgumentsKeep, ArgumentsRemove}, cfg.Arguments),
		"arguments: got %q, want keep or remove", cfg.Arguments)
	for i, v := range cfg.MarkStatus {
		_, ok := truth.ParseVerdict(v)
		f.check(ok, "mark_status[%d]: got %q, want match, incomplete, mismatch or invalid", i, v)
	}
	f.check(cfg.Evidence.Directory == "" || cfg.HMAC.KeyID != "",
		"evidence: a journal needs `hmac`: set hmac.key and hmac.key_id")
	f.check(!cfg.Identity.Required || len(cfg.Identity.Attributes) > 0,
		"identity: attributes: must be set where required is, else no call can have an identity")
	cfg.validateNames(&f)
	cfg.validateExpressions(&f)
	cfg.validateRemoval(&f)
	return f.join()
}

func (cfg *Config) validateNames(f *faults) {
	seen := map[string]int{}
	for i := range cfg.Policies {
		name := cfg.Policies[i].name()
		if at, ok := seen[name]; ok && name != "" {
			f.check(false, "policies[%d]: the name %q is taken by policies[%d]; set `name`", i, name, at)
		}
		seen[name] = i
	}
}

// validateExpressions compiles all OTTL once, to tell the position of a fault.
func (cfg *Config) validateExpressions(f *faults) {
	e, err := newExpressions(component.TelemetrySettings{Logger: zap.NewNop()})
	if err != nil {
		f.add("recognize", err)
		return
	}
	_, err = e.conditions(cfg.Boundaries)
	f.add("boundaries", err)
	for i := range cfg.Policies {
		if when := cfg.Policies[i].When; when != "" {
			_, err := e.condition(when)
			f.add(fmt.Sprintf("policies[%d].when", i), err)
		}
	}
	_, err = compileCustom(e, cfg.Recognize.Custom)
	f.add("recognize", err)
	_, err = compileFacts(e, &cfg.Facts)
	f.add("facts", err)
}

// name returns the policy's name, by default its file's without extension.
func (cfg *PolicyConfig) name() string {
	if cfg.Name != "" {
		return cfg.Name
	}
	base := filepath.Base(cfg.File)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Validate wants a file.
func (cfg *PolicyConfig) Validate() error {
	if cfg.File == "" {
		return errors.New("file: the path of a policy must be set")
	}
	return nil
}

// Validate wants a key and its id, or neither, and refuses keys that can be
// guessed. It never shows the key.
func (cfg *HMACConfig) Validate() error {
	var f faults
	if cfg.Key == "" && cfg.KeyID == "" {
		return nil
	}
	f.check(cfg.Key != "", "key: must be set where key_id is; give it as ${env:NAME}")
	f.check(keyIDPattern.MatchString(cfg.KeyID),
		"key_id: got %d characters, want one or more of A-Z a-z 0-9 . _ -", len(cfg.KeyID))
	f.check(cfg.Key == "" || len(cfg.Key) >= minKeyBytes,
		"key: got %d bytes, want at least %d random ones", len(cfg.Key), minKeyBytes)
	f.check(!slices.Contains(publicKeys, string(cfg.Key)), "key: this is a published test key, want a secret one")
	return f.join()
}

// Validate checks the vocabulary and the bounds.
func (cfg *EvidenceConfig) Validate() error {
	var f faults
	f.check(slices.Contains([]FailureMode{FailurePassThrough, FailureBlock}, cfg.OnFailure),
		"on_failure: got %q, want pass_through or block", cfg.OnFailure)
	f.check(cfg.MaxSegmentBytes >= 4096, "max_segment_bytes: got %d, want at least 4096", cfg.MaxSegmentBytes)
	positive(&f, "max_segment_age", cfg.MaxSegmentAge)
	positive(&f, "checkpoint_interval", cfg.CheckpointInterval)
	positive(&f, "wait_timeout", cfg.WaitTimeout)
	f.check(cfg.Retain.Segments >= 0, "retain: segments: got %d, want 0 (no bound) or more", cfg.Retain.Segments)
	f.check(cfg.Retain.Bytes >= 0, "retain: bytes: got %d, want 0 (no bound) or more", cfg.Retain.Bytes)
	f.check(cfg.Retain.Age >= 0, "retain: age: got %s, want 0s (no bound) or more", cfg.Retain.Age)
	f.check(cfg.Directory != "" || cfg.OnFailure != FailureBlock, "directory: must be set where on_failure is block")
	f.check(cfg.Directory != "" || cfg.SigningKey == "", "directory: must be set where signing_key is")
	return f.join()
}

// Validate checks the vocabulary and the bounds.
func (cfg *RunsConfig) Validate() error {
	var f faults
	f.check(slices.Contains([]RunScope{ScopeStream, ScopeBatch}, cfg.Scope),
		"scope: got %q, want stream or batch", cfg.Scope)
	f.check(len(cfg.Key) > 0, "key: got an empty list, want [trace_id] or the names of attributes")
	f.attributes("key", cfg.Key)
	if i := slices.Index(cfg.Key, traceIDKey); i >= 0 {
		f.check(i == len(cfg.Key)-1, "key[%d]: trace_id is there on every span, so what follows it would never count: put it last", i)
	}
	positive(&f, "idle_timeout", cfg.IdleTimeout)
	positive(&f, "max_lifetime", cfg.MaxLifetime)
	f.check(cfg.MaxLifetime <= 0 || cfg.IdleTimeout <= cfg.MaxLifetime,
		"idle_timeout: got %s, want at most max_lifetime: a run is closed at the age of %s in any case", cfg.IdleTimeout, cfg.MaxLifetime)
	f.check(cfg.MaxRuns > 0, "max_runs: got %d, want more than 0", cfg.MaxRuns)
	f.check(cfg.Storage == nil || cfg.Scope == ScopeStream,
		"storage: scope batch keeps no run over batches, so it needs no storage")
	return f.join()
}

// Validate wants attributes that can be there.
func (cfg *IdentityConfig) Validate() error {
	var f faults
	f.attributes("attributes", cfg.Attributes)
	return f.join()
}

// Validate checks names of dialects and the bounds.
func (cfg *RecognizeConfig) Validate() error {
	var f faults
	known := recognize.DialectNames()
	for _, name := range slices.Sorted(maps.Keys(cfg.Dialects)) {
		f.check(slices.Contains(known, name), "dialects: %q is not built in%s", name, nearest(name, known))
	}
	for i, name := range cfg.Order {
		f.check(slices.Contains(known, name), "order[%d]: %q is not built in%s", i, name, nearest(name, known))
		f.check(slices.Index(cfg.Order, name) == i, "order[%d]: %q is there already", i, name)
		on, named := cfg.Dialects[name]
		f.check(on || !named, "order[%d]: %q is switched off in dialects: take it out here, or switch it on", i, name)
	}
	for i := range cfg.Custom {
		name := cfg.Custom[i].Name
		taken := func(c CustomDialectConfig) bool { return c.Name == name }
		f.check(!slices.Contains(known, name), "custom[%d]: name: %q is that of a built-in dialect", i, name)
		f.check(name == "" || slices.IndexFunc(cfg.Custom, taken) == i, "custom[%d]: name: %q is there already", i, name)
	}
	f.check(!slices.Contains(cfg.StripPrefixes, ""), "strip_prefixes: an empty prefix takes nothing off, and hides those after it")
	f.check(cfg.MaxArgumentBytes > 0, "max_argument_bytes: got %d, want more than 0", cfg.MaxArgumentBytes)
	f.check(cfg.MaxArgumentMembers > 0, "max_argument_members: got %d, want more than 0", cfg.MaxArgumentMembers)
	return f.join()
}

func positive(f *faults, path string, d time.Duration) {
	f.check(d > 0, "%s: got %s, want more than 0", path, d)
}
