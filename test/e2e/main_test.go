//go:build emulators

package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	"onceway.internal/test/process"
	"onceway.internal/test/servers"
)

// binaries are built once for all tests: TestMain has no other way to hand them on.
var binaries process.Binaries

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "onceway-e2e-")
	if err == nil {
		// As the image's are, and everything that tests build: the race detector has these
		// tests compiled with C, which their children don't need.
		err = os.Setenv("CGO_ENABLED", "0")
	}
	if err == nil {
		binaries, err = process.Build(context.Background(), dir, false)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	code := 1
	func() {
		defer os.RemoveAll(dir)
		code = servers.Run(m)
	}()
	os.Exit(code)
}
