//go:build emulators

package firestoreclaim_test

import (
	"testing"

	"cloud.google.com/go/firestore"

	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/firestoreclaim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/letter/lettertest"
	"onceway.internal/test/servers"
)

func TestMain(m *testing.M) { servers.Main(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	claimtest.Run(t, claimtest.Harness{
		Open: func(t *testing.T, space string) claimtest.Backend {
			return open(t, connect(t, nil), space)
		},
		Spoil: func(t *testing.T, space, id string) {
			doc := connect(t, nil).Collection(space + "-claims").Doc(id)
			// A number of minutes, as another program might write it.
			if _, err := doc.Update(t.Context(), []firestore.Update{{Path: "lease", Value: 5}}); err != nil {
				t.Fatal(err)
			}
		},
	})
}

func TestLetterConformance(t *testing.T) {
	t.Parallel()
	lettertest.Run(t, func(t *testing.T, space string) letter.Store {
		s, err := firestoreclaim.NewLetters(connect(t, nil), space+"-")
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
