// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// shipper returns the path of the stock Collector that ships journals. It is of
// another release than the distribution and built by a target of its own.
func shipper(t *testing.T) string {
	t.Helper()
	return built(t, "shipper/otelcol-shipper", "dist-shipper")
}

// shipperConfig is the configuration in docs/evidence.md.
func shipperConfig(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/evidence.md"))
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)<!-- shipper -->\n```yaml\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, m, "docs/evidence.md has no configuration of the shipper")
	return string(m[1])
}

// TestTheJournalShipsWithStockComponents follows a journal that is being written
// with the documented configuration of a stock Collector. What arrives, put into
// files again, verifies.
func TestTheJournalShipsWithStockComponents(t *testing.T) {
	program := shipper(t)
	dir := filepath.Join(t.TempDir(), "journal")
	n := newNode(t, dir, "  on_failure: block\n  max_segment_bytes: 65536", "")
	n.start()
	archive := newLineArchive(t)
	config := filepath.Join(t.TempDir(), "shipper.yaml")
	require.NoError(t, os.WriteFile(config, []byte(strings.NewReplacer(
		"/var/lib/otelcol/tdt", dir, "/var/lib/otelcol/shipper", t.TempDir(), "https://archive.example.com:4318", archive.server.URL,
	).Replace(shipperConfig(t))), 0o600))
	log := &logBuffer{}
	cmd := exec.Command(program, "--config", config)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}()
	for i := range 20 {
		require.NoError(t, n.send(callBatch(1, i, 20)))
	}
	n.stop()
	files, err := filepath.Glob(filepath.Join(dir, "journal-*.ndjson"))
	require.NoError(t, err)
	require.Greater(t, len(files), 3)
	want := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		want[filepath.Base(file)] = string(text)
	}
	require.Eventually(t, func() bool { return archive.size() >= totalLen(want) }, 30*time.Second, 100*time.Millisecond, log)
	assert.Equal(t, want, archive.files())
	copied := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.Mkdir(copied, 0o700))
	for name, text := range archive.files() {
		require.NoError(t, os.WriteFile(filepath.Join(copied, name), []byte(text), 0o600))
	}
	sound(t, copied)
}

func totalLen(files map[string]string) (n int) {
	for _, text := range files {
		n += len(text)
	}
	return n
}

// A lineArchive takes the lines of files as log records and puts them together
// again.
type lineArchive struct {
	server *httptest.Server

	mu    sync.Mutex
	lines map[string]*strings.Builder
}

func newLineArchive(t *testing.T) *lineArchive {
	a := &lineArchive{lines: map[string]*strings.Builder{}}
	a.server = httptest.NewServer(http.HandlerFunc(a.take))
	t.Cleanup(a.server.Close)
	return a
}

func (a *lineArchive) take(w http.ResponseWriter, r *http.Request) {
	body, err := plainBody(r)
	request := plogotlp.NewExportRequest()
	if err != nil || request.UnmarshalProto(body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, rl := range request.Logs().ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				name, _ := record.Attributes().Get("log.file.name")
				if a.lines[name.Str()] == nil {
					a.lines[name.Str()] = &strings.Builder{}
				}
				a.lines[name.Str()].WriteString(record.Body().Str() + "\n")
			}
		}
	}
	answer, _ := plogotlp.NewExportResponse().MarshalProto()
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(answer)
}

func plainBody(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(r.Body)
	}
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func (a *lineArchive) files() map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	files := map[string]string{}
	for name, lines := range a.lines {
		files[name] = lines.String()
	}
	return files
}

func (a *lineArchive) size() int { return totalLen(a.files()) }
