package claimtest

import (
	"errors"
	"testing"

	"onceway.internal/shared/claim"
)

var errLost = errors.New("reply lost")

// testLostReplies shows that whoever lost a reply finds out by its write ID,
// and only by that, what became of the write.
func testLostReplies(t *testing.T, h Harness, space string) {
	for _, when := range []When{Before, After} {
		backend, r := h.Open(t, space), sample(string(when))
		s := Faulty(backend,
			Fault{Op: Create, Call: 1, When: when, Err: errLost},
			Fault{Op: Get, Call: 1, When: when, Err: errLost},
			Fault{Op: Swap, Call: 1, When: when, Err: errLost})
		_, err := s.Create(t.Context(), r)
		is(t, "Create", err, errLost)
		_, err = s.Get(t.Context(), r.ID)
		is(t, "Get", err, errLost)
		got, err := s.Get(t.Context(), r.ID)
		if when == Before {
			is(t, "Get after a create that never happened", err, claim.ErrNotFound)
			got = mustCreate(t, s, r)
		} else {
			_, again := s.Create(t.Context(), r)
			is(t, "Create again", again, claim.ErrExists)
		}
		if got.WriteID != r.WriteID {
			t.Errorf("read back write ID %q, want the lost write's %q", got.WriteID, r.WriteID)
		}
		loseSwap(t, s, got, when)
	}
}

// loseSwap leaves owner, epoch and state as they are: the write ID alone tells.
func loseSwap(t *testing.T, s claim.Store, before claim.Stored, when When) {
	t.Helper()
	next := before.Record
	next.WriteID = claim.NewToken()
	_, err := s.Swap(t.Context(), next.ID, before.Version, next)
	is(t, "Swap", err, errLost)
	got, err := s.Get(t.Context(), next.ID)
	if err != nil {
		t.Fatal(err)
	}
	if happened := got.WriteID == next.WriteID; happened != (when == After) {
		t.Errorf("reply lost %s the swap: it happened: %t", when, happened)
	}
	if _, err = s.Swap(t.Context(), next.ID, before.Version, next); when == After {
		is(t, "Swap again", err, claim.ErrConflict)
	} else if err != nil {
		t.Errorf("Swap again: %v", err)
	}
}
