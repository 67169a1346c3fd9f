//go:build emulators

package pgclaim_test

import (
	"testing"

	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/pgclaim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/letter/lettertest"
	"onceway.internal/test/servers"
)

func TestMain(m *testing.M) { servers.Main(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	claimtest.Run(t, claimtest.Harness{
		Open: func(t *testing.T, space string) claimtest.Backend { return open(t, connect(t, space)) },
		Spoil: func(t *testing.T, space, id string) {
			_, err := connect(t, space).Exec(t.Context(), `UPDATE onceway_claims SET record = '{"lease": 5}' WHERE id = $1`, id)
			if err != nil {
				t.Fatal(err)
			}
		},
	})
}

func TestLetterConformance(t *testing.T) {
	t.Parallel()
	lettertest.Run(t, func(t *testing.T, space string) letter.Store {
		s, err := pgclaim.NewLetters(t.Context(), connect(t, space))
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
