package rig

import (
	"os"
	"testing"

	"onceway.internal/test/process"
)

// Worker builds the worker, or takes the one that ONCEWAY_TEST_WORKER names.
func Worker(t testing.TB) string {
	t.Helper()
	if built := os.Getenv("ONCEWAY_TEST_WORKER"); built != "" {
		return built
	}
	binaries, err := process.Build(t.Context(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	return binaries.Worker
}
