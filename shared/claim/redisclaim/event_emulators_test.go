//go:build emulators

package redisclaim_test

import (
	"net/url"
	"testing"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/once/oncetest"
	"onceway.internal/test/servers"
	"onceway.internal/test/wire"
)

func TestWhatAnEventCosts(t *testing.T) {
	t.Parallel()
	oncetest.Costs(t, oncetest.Meter{
		Write: oncetest.RoundTrip, Read: oncetest.RoundTrip, Shows: true,
		Open: func(t *testing.T) (claim.Store, func() oncetest.Calls) {
			u, err := url.Parse(servers.Redis(t))
			if err != nil {
				t.Fatal(err)
			}
			proxy := wire.New(t, u.Host)
			u.Host = proxy.Addr()
			return open(t, connect(t, u.String()), claim.NewToken()+":"), func() oncetest.Calls {
				return oncetest.RoundTrips(proxy.RoundTrips())
			}
		},
	})
}
