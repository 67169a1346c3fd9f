//go:build chaos

package chaos_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"onceway.internal/test/servers"
)

// bareEnv makes this test binary a subscriber without claims.
const bareEnv = "ONCEWAY_TEST_BARE"

func TestMain(m *testing.M) {
	if os.Getenv(bareEnv) == "" {
		servers.Main(m)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := bare(ctx, os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
