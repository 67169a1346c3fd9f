//go:build emulators

package redisclaim_test

import (
	"testing"

	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/redisclaim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/letter/lettertest"
	"onceway.internal/test/servers"
)

func TestMain(m *testing.M) { servers.Main(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	conform(t, servers.Redis(t))
}

func conform(t *testing.T, url string) {
	claimtest.Run(t, claimtest.Harness{
		Open: func(t *testing.T, space string) claimtest.Backend { return open(t, connect(t, url), space+":") },
		Spoil: func(t *testing.T, space, id string) {
			key := redisclaim.ClaimKey(space+":", id)
			if err := connect(t, url).HSet(t.Context(), key, "record", `{"lease":5}`).Err(); err != nil {
				t.Fatal(err)
			}
		},
	})
	lettertest.Run(t, func(t *testing.T, space string) letter.Store {
		s, err := redisclaim.NewLetters(connect(t, url), space+":")
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
