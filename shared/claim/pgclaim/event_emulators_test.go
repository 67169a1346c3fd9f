//go:build emulators

package pgclaim_test

import (
	"context"
	"net"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/once/oncetest"
	"onceway.internal/test/wire"
)

// TestWhatAnEventCosts: pools ask connections that were idle for a second whether they
// live, which is a round trip more. Here they don't: a busy machine would count it.
func TestWhatAnEventCosts(t *testing.T) {
	t.Parallel()
	oncetest.Costs(t, oncetest.Meter{
		Write: oncetest.RoundTrip, Read: oncetest.RoundTrip,
		Open: func(t *testing.T) (claim.Store, func() oncetest.Calls) {
			config := connect(t, "costs-"+claim.NewToken()).Config()
			config.MaxConns = 1
			config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false }
			to := config.ConnConfig
			proxy := wire.New(t, net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))))
			host, port, err := net.SplitHostPort(proxy.Addr())
			if err != nil {
				t.Fatal(err)
			}
			n, err := strconv.ParseUint(port, 10, 16)
			if err != nil {
				t.Fatal(err)
			}
			to.Host, to.Port = host, uint16(n)
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(pool.Close)
			return open(t, pool), func() oncetest.Calls { return oncetest.RoundTrips(proxy.RoundTrips()) }
		},
	})
}
