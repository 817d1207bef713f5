// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// completeVariable is set where everything that make builds was built, as before
// a change lands: what is missing there fails.
const completeVariable = "TDT_COMPLETE"

// built returns the path of a program under dist that the target of the Makefile
// builds. Without it the test is skipped, and says what is missing.
func built(t testing.TB, name, target string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "dist", name))
	require.NoError(t, err)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv(completeVariable) != "" {
		t.Fatalf("dist/%s is missing, and %s says that nothing is: make %s", name, completeVariable, target)
	}
	t.Skipf("dist/%s is not built: make %s", name, target)
	return ""
}
