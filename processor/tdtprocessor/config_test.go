// SPDX-License-Identifier: Apache-2.0

package tdtprocessor

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/otelcol/otelcoltest"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.yaml.in/yaml/v3"

	"github.com/tool-decision-truth/collector/processor/tdtprocessor/internal/metadata"
)

func TestEveryFaultOfTheConfigurationIsTold(t *testing.T) {
	const base = "policies: [{file: p.yaml}]\n"
	for _, tt := range []struct {
		name, config string
		want         []string
	}{
		{"no policy", "{}", []string{"policies: at least one is needed", "policies: [{file: policy.yaml}]"}},
		{"a policy without a file", "policies: [{name: x}]", []string{"policies::0: file: the path of a policy must be set"}},
		{
			"two policies of one name", "policies: [{file: a/p.yaml}, {file: b/p.json}]",
			[]string{`policies[1]: the name "p" is taken by policies[0]`, "set `name`"},
		},
		{"a condition that is no OTTL", "policies: [{file: p.yaml, when: 'attributes[\"a\" =='}]", []string{"policies[0].when: ", "1:11"}},
		{"a condition with an unknown path", "policies: [{file: p.yaml, when: 'nonsense == 1'}]", []string{"policies[0].when: ", "nonsense"}},
		{"a negative interval", base + "reload_interval: -1s", []string{"reload_interval: got -1s, want 0 (never) or more"}},
		{"an unknown mode of arguments", base + "arguments: drop", []string{`arguments: got "drop", want keep or remove`}},
		{"an unknown verdict", base + "mark_status: [mismatch, bad]", []string{`mark_status[1]: got "bad", want match, incomplete, mismatch or invalid`}},
		{"a journal without a key", base + "evidence: {directory: d}", []string{"evidence: a journal needs `hmac`: set hmac.key and hmac.key_id"}},
		{"a key without its id", base + "hmac: {key: " + testKey + "}", []string{"hmac: key_id: got 0 characters, want one or more of A-Z a-z 0-9 . _ -"}},
		{"an id without its key", base + "hmac: {key_id: k1}", []string{"hmac: key: must be set where key_id is; give it as ${env:NAME}"}},
		{"a key id with a colon", base + "hmac: {key: " + testKey + ", key_id: 'a:b'}", []string{"hmac: key_id: got 3 characters"}},
		{"a short key", base + "hmac: {key: hunter2hunter2, key_id: k1}", []string{"hmac: key: got 14 bytes, want at least 32 random ones"}},
		{"a published key", base + "hmac: {key: tool-decision-truth-vectors-key-v0, key_id: k1}", []string{"hmac: key: this is a published test key, want a secret one"}},
		{"an unknown failure mode", base + "evidence: {on_failure: ignore}", []string{`evidence: on_failure: got "ignore", want pass_through or block`}},
		{"a tiny segment", base + "evidence: {max_segment_bytes: 1}", []string{"evidence: max_segment_bytes: got 1, want at least 4096"}},
		{
			"times that are no times", base + "evidence: {max_segment_age: 0s, checkpoint_interval: -1s, wait_timeout: 0s}",
			[]string{"evidence: max_segment_age: got 0s, want more than 0", "checkpoint_interval: got -1s", "wait_timeout: got 0s"},
		},
		{
			"negative bounds", base + "evidence: {retain: {segments: -1, bytes: -2, age: -3s}}",
			[]string{"evidence: retain: segments: got -1, want 0 (no bound) or more", "retain: bytes: got -2", "retain: age: got -3s"},
		},
		{"a refusal without a journal", base + "evidence: {on_failure: block}", []string{"evidence: directory: must be set where on_failure is block"}},
		{"a signer without a journal", base + "evidence: {signing_key: hunter2}", []string{"evidence: directory: must be set where signing_key is"}},
		{"an attribute that never counts", base + "runs: {key: [trace_id, session.id]}", []string{"runs: key[0]: trace_id is there on every span", "put it last"}},
		{"an identity that nobody can have", base + "identity: {required: true}", []string{"identity: attributes: must be set where required is"}},
		{"a dialect twice in the order", base + "recognize: {order: [gen_ai, gen_ai]}", []string{`recognize: order[1]: "gen_ai" is there already`}},
		{
			"custom dialects with taken names",
			base + "recognize: {custom: [{name: gen_ai, when: 'true', tool_name: name}, {name: x, when: 'true', tool_name: name}, {name: x, when: 'true', tool_name: name}]}",
			[]string{`recognize: custom[0]: name: "gen_ai" is that of a built-in dialect`, `custom[2]: name: "x" is there already`},
		},
		{"an empty prefix", base + "recognize: {strip_prefixes: ['', 'a_']}", []string{"recognize: strip_prefixes: an empty prefix takes nothing off"}},
		{"an unknown scope", base + "runs: {scope: trace}", []string{`runs: scope: got "trace", want stream or batch`}},
		{"no run key", base + "runs: {key: []}", []string{"runs: key: got an empty list, want [trace_id] or the names of attributes"}},
		{"an empty run key", base + "runs: {key: ['']}", []string{"runs: key[0]: got an empty name, want that of an attribute"}},
		{"a run key twice", base + "runs: {key: [a, b, a]}", []string{`runs: key[2]: "a" is there already, so this one never counts: take it out`}},
		{
			"a reserved run key", base + "runs: {key: [assay.tdt.run, assay.claim_class]}",
			[]string{`runs: key[0]: "assay.tdt.run" is a reserved name`, `key[1]: "assay.claim_class" is a reserved name`, "want an attribute that its sender writes"},
		},
		{
			"an identity that is never there", base + "identity: {attributes: ['', assay.tdt.user, a, a]}",
			[]string{
				"identity: attributes[0]: got an empty name", `attributes[1]: "assay.tdt.user" is a reserved name`, `attributes[3]: "a" is there already`,
			},
		},
		{
			"idleness beyond the lifetime", base + "runs: {max_lifetime: 1m}",
			[]string{"runs: idle_timeout: got 2m0s, want at most max_lifetime: a run is closed at the age of 1m0s in any case"},
		},
		{
			"an order of what is switched off", base + "recognize: {dialects: {gen_ai: false}, order: [mcp_client, gen_ai]}",
			[]string{`recognize: order[1]: "gen_ai" is switched off in dialects: take it out here, or switch it on`},
		},
		{
			"runs that never end", base + "runs: {idle_timeout: 0s, max_lifetime: 0s, max_runs: 0}",
			[]string{"runs: idle_timeout: got 0s, want more than 0", "max_lifetime: got 0s", "max_runs: got 0, want more than 0"},
		},
		{"storage that holds nothing", base + "runs: {scope: batch, storage: file_storage}", []string{"runs: storage: scope batch keeps no run over batches"}},
		{
			"a dialect that is not built in", base + "recognize: {dialects: {genai: false}, order: [mcp, zzzzzzzz]}",
			[]string{
				`recognize: dialects: "genai" is not built in, near are "gen_ai", "gen_ai_mcp"`,
				`order[0]: "mcp" is not built in, near are "mcp_`, `order[1]: "zzzzzzzz" is not built in, docs/dialects.md lists all`,
			},
		},
		{
			"no room for arguments", base + "recognize: {max_argument_bytes: 0, max_argument_members: -5}",
			[]string{"recognize: max_argument_bytes: got 0, want more than 0", "max_argument_members: got -5"},
		},
		{
			"a custom dialect that says nothing", base + "recognize: {custom: [{}]}",
			[]string{"recognize: custom[0]: name: must be set", "when: must be set, an OTTL condition in span context", "tool_name: must be set"},
		},
		{
			"a custom dialect with a fault in each expression",
			base + "recognize: {custom: [{name: x, when: '(', tool_name: ')', arguments: '[', call_id: '==', session: '1 +'}]}",
			[]string{"custom[0]: when: ", "tool_name: ", "arguments: ", "call_id: ", "session: "},
		},
		{
			"facts from nobody", base + "facts: {approval_obtained: {true_when: ['true']}}",
			[]string{"facts: approval_obtained: from: must be set, an OTTL condition: nobody is believed by default"},
		},
		{
			"a believed one that says nothing", base + "facts: {scope_satisfied: {from: 'true'}}",
			[]string{"facts: scope_satisfied: true_when: it or false_when must be set where from is"},
		},
		{
			"an unknown preset", base + "facts: {redaction_applied: {preset: nobody}}",
			[]string{`facts: redaction_applied: preset: "nobody" is not known, known are [`, `"claude_code"`},
		},
		{
			"a preset and conditions", base + "facts: {approval_obtained: {preset: claude_code, from: 'true'}}",
			[]string{"preset: it says all of from, true_when and false_when, so these must not be set"},
		},
		{"a boundary that is no condition", base + "boundaries: ['true', '(']", []string{"boundaries: [1]: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := confmap.Validate(readConfig(t, tt.config))
			require.Error(t, err)
			for _, want := range tt.want {
				assert.Contains(t, err.Error(), want)
			}
			assert.NotContains(t, err.Error(), "hunter2")
			assert.NotContains(t, err.Error(), testKey)
		})
	}
}

func TestAllFaultsAreToldAtOnce(t *testing.T) {
	err := confmap.Validate(readConfig(t, "arguments: drop\nruns: {scope: x}\nhmac: {key_id: k}\nreload_interval: -1s"))
	require.Error(t, err)
	for _, want := range []string{"policies:", "arguments:", "runs: scope:", "hmac: key:", "reload_interval:"} {
		assert.Contains(t, err.Error(), want)
	}
}

func TestASettingThatDoesNotExistIsRefused(t *testing.T) {
	for _, text := range []string{"policy: p.yaml", "runs: {timeout: 1s}", "policies: [{path: p.yaml}]", "facts: {approval: {}}"} {
		var raw map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &raw))
		err := confmap.NewFromStringMap(raw).Unmarshal(createDefaultConfig())
		assert.ErrorContains(t, err, "invalid keys", text)
	}
}

func TestDefaultsAreThoseOfTheDocumentation(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, componenttest.CheckConfigStruct(cfg))
	assert.Equal(t, 15*time.Second, cfg.ReloadInterval)
	assert.Equal(t, FailurePassThrough, cfg.Evidence.OnFailure)
	assert.EqualValues(t, 64<<20, cfg.Evidence.MaxSegmentBytes)
	assert.Equal(t, time.Hour, cfg.Evidence.MaxSegmentAge)
	assert.Equal(t, time.Minute, cfg.Evidence.CheckpointInterval)
	assert.Equal(t, 5*time.Second, cfg.Evidence.WaitTimeout)
	assert.Equal(t, []string{"trace_id"}, cfg.Runs.Key)
	assert.Equal(t, ScopeStream, cfg.Runs.Scope)
	assert.Equal(t, 2*time.Minute, cfg.Runs.IdleTimeout)
	assert.Equal(t, 24*time.Hour, cfg.Runs.MaxLifetime)
	assert.Equal(t, 100_000, cfg.Runs.MaxRuns)
	assert.Equal(t, 256<<10, cfg.Recognize.MaxArgumentBytes)
	assert.Equal(t, 4096, cfg.Recognize.MaxArgumentMembers)
	assert.Equal(t, ArgumentsKeep, cfg.Arguments)
	assert.Empty(t, cfg.Evidence.Directory, "no journal unless somebody asks for it")
	assert.Empty(t, cfg.MarkStatus)
}

// TestTheSampleConfiguration loads testdata/config.yaml, which has every
// setting once, both as a part of a whole Collector's configuration and alone.
func TestTheSampleConfiguration(t *testing.T) {
	t.Setenv("ASSAY_TDT_HMAC_KEY", testKey)
	factories, err := otelcoltest.NopFactories()
	require.NoError(t, err)
	factories.Processors[metadata.Type] = NewFactory()
	whole, err := otelcoltest.LoadConfigAndValidate("testdata/config.yaml", factories)
	require.NoError(t, err)

	minimal := whole.Processors[component.NewID(metadata.Type)].(*Config)
	want := createDefaultConfig().(*Config)
	want.Policies = []PolicyConfig{{File: "testdata/policy.yaml"}}
	assert.Equal(t, want, minimal, "what is not set has its default")

	all := whole.Processors[component.NewIDWithName(metadata.Type, "all")].(*Config)
	assert.Equal(t, "payments", all.Policies[0].Name)
	assert.Equal(t, testKey, string(all.HMAC.Key))
	assert.Equal(t, FailureBlock, all.Evidence.OnFailure)
	assert.Equal(t, component.MustNewID("file_storage"), *all.Runs.Storage)
	assert.Equal(t, "acme", all.Recognize.Custom[0].Name)
	assert.Equal(t, "claude_code", all.Facts.ApprovalObtained.Preset)

	conf, err := confmaptest.LoadConf("testdata/config.yaml")
	require.NoError(t, err)
	sub, err := conf.Sub("processors::tdt/all")
	require.NoError(t, err)
	for _, path := range settingPaths() {
		if !strings.ContainsAny(path, "[*") {
			assert.True(t, sub.IsSet(strings.ReplaceAll(path, ".", "::")), "the sample does not show %s", path)
		}
	}
}

func TestAFileOfAPolicyIsAllThatIsNeeded(t *testing.T) {
	r := newRig(t, "policies: [{file: testdata/policy.yaml}]")
	out := r.consume(t, callOf("delete_all", "{}"))
	assert.Equal(t, "mismatch", verdictOf(firstSpan(out)))
	assert.Equal(t, "policy", attr(firstSpan(out), attrPolicy), "a policy is called like its file")
	assert.Equal(t, "disabled", attr(firstSpan(out), attrEvidence))
}

func TestAPolicyThatDoesNotLoadRefusesTheStart(t *testing.T) {
	good := writeFile(t, "good.yaml", "tools: {allow: [a]}")
	bad := writeFile(t, "bad.yaml", "tools:\n  alow: [a]\n  deny: [1, b]\n")
	for _, tt := range []struct {
		name, config string
		want         []string
	}{
		{"a missing file", "policies: [{file: /no/such/file.yaml}]", []string{"policies[0]: ", "/no/such/file.yaml"}},
		{"a directory", "policies: [{file: " + t.TempDir() + "}]", []string{"policies[0]: ", "it is not a file"}},
		{
			"two faults, each with its line and field", "policies: [{file: " + good + "}, {file: " + bad + "}]",
			[]string{"policies[1]: ", "bad.yaml:2:", "tools.alow", "bad.yaml:3:", "tools.deny"},
		},
		{"an empty file", "policies: [{file: " + writeFile(t, "empty.yaml", "") + "}]", []string{"policies[0]: ", "empty.yaml"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := readConfig(t, tt.config)
			require.NoError(t, confmap.Validate(cfg), "what needs a file is not a fault of the configuration")
			_, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
			require.Error(t, err)
			for _, want := range tt.want {
				assert.Contains(t, err.Error(), want)
			}
		})
	}
}

func TestNoFormOfTheConfigurationShowsAKey(t *testing.T) {
	const signer = "PRIVATE+KEY+checkpoints+1234abcd+secretsecretsecret"
	cfg := readConfig(t, withPolicy(t, "tools: {allow: [a]}", "hmac: {key: "+testKey+", key_id: k1}\nevidence: {directory: "+t.TempDir()+", signing_key: "+signer+"}"))
	asYAML, err := yaml.Marshal(cfg)
	require.NoError(t, err)
	asJSON, err := json.Marshal(cfg)
	require.NoError(t, err)
	conf := confmap.New()
	require.NoError(t, conf.Marshal(cfg))
	_, malformed := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.Error(t, malformed, "a signing key in the wrong form is refused")
	assert.ErrorContains(t, malformed, "signing_key")
	for form, text := range map[string]string{
		"%v": fmt.Sprintf("%v", cfg), "%+v": fmt.Sprintf("%+v", cfg), "%#v": fmt.Sprintf("%#v", cfg), "%s of a part": fmt.Sprintf("%s", cfg.HMAC),
		"YAML": string(asYAML), "JSON": string(asJSON), "the effective configuration": fmt.Sprint(conf.ToStringMap()), "an error": malformed.Error(),
	} {
		assert.NotContains(t, text, testKey, form)
		assert.NotContains(t, text, "secretsecretsecret", form)
	}
}
