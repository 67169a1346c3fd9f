package claimtest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"onceway.internal/shared/claim"
)

const racers = 50

// race runs f for each racer, the even ones on one replica, the odd ones on the other.
func race(t *testing.T, h Harness, space string, n int, f func(i int, s Backend)) {
	t.Helper()
	replicas := [2]Backend{h.Open(t, space), h.Open(t, space)}
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			f(i, replicas[i%2])
		})
	}
	close(start)
	wg.Wait()
}

// onlyWinner checks that one racer succeeded and the others got the answer
// losing, and returns the winner's number. A loser may also be left without an answer,
// as a store under contention does: that nothing was written the caller then sees.
func onlyWinner(t *testing.T, errs []error, losing error) int {
	t.Helper()
	winner, winners, answered := -1, 0, 0
	for i, err := range errs {
		switch {
		case err == nil:
			winner, winners = i, winners+1
		case errors.Is(err, losing):
			answered++
		case definite(err):
			t.Errorf("racer %d got %v, want %v", i, err, losing)
		}
	}
	if winners != 1 {
		t.Fatalf("%d of %d won, want 1", winners, len(errs))
	}
	if answered == 0 {
		t.Errorf("no loser was answered %v", losing)
	}
	return winner
}

func definite(err error) bool {
	for _, d := range []error{claim.ErrExists, claim.ErrNotFound, claim.ErrConflict, claim.ErrFull, claim.ErrUnreadable} {
		if errors.Is(err, d) {
			return true
		}
	}
	return false
}

func testCreateRace(t *testing.T, h Harness, space string) {
	records, errs, got := make([]claim.Record, racers), make([]error, racers), make([]claim.Stored, racers)
	for i := range records {
		records[i] = sample("a") // each with an owner and a write ID of its own
	}
	race(t, h, space, racers, func(i int, s Backend) { got[i], errs[i] = s.Create(t.Context(), records[i]) })
	w := onlyWinner(t, errs, claim.ErrExists)
	holds(t, h.Open(t, space), records[w], got[w].Version)
}

func testSwapRace(t *testing.T, h Harness, space string) {
	records, errs, got := make([]claim.Record, racers), make([]error, racers), make([]claim.Stored, racers)
	for i := range records {
		records[i] = sample("a")
	}
	before := mustCreate(t, h.Open(t, space), bare("a", claim.Retry))
	race(t, h, space, racers, func(i int, s Backend) {
		got[i], errs[i] = s.Swap(t.Context(), records[i].ID, before.Version, records[i])
	})
	w := onlyWinner(t, errs, claim.ErrConflict)
	holds(t, h.Open(t, space), records[w], got[w].Version)
}

// testReplicas has writers on two replicas count in one record. A swap that
// passed on a version already replaced would lose a count.
func testReplicas(t *testing.T, h Harness, space string) {
	const writers, each = 8, 5
	r := bare("a", claim.Claimed)
	mustCreate(t, h.Open(t, space), r)
	errs := make([]error, writers)
	race(t, h, space, writers, func(i int, s Backend) {
		for range each {
			errs[i] = errors.Join(errs[i], count(t.Context(), s, r.ID))
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	got, err := h.Open(t, space).Get(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.Attempts != writers*each {
		t.Errorf("counted %d, want %d: updates were lost", got.Attempts, writers*each)
	}
}

// count adds one to the record's attempts, however often others are faster.
func count(ctx context.Context, s claim.Store, id string) error {
	for {
		cur, err := s.Get(ctx, id)
		if err != nil {
			return err
		}
		next := cur.Record
		next.Attempts++
		next.WriteID = claim.NewToken()
		if _, err = s.Swap(ctx, id, cur.Version, next); !errors.Is(err, claim.ErrConflict) {
			return err
		}
	}
}

// testZombie has an owner finish after a thief on another replica took over.
func testZombie(t *testing.T, h Harness, space string) {
	owner, thief := h.Open(t, space), h.Open(t, space)
	mine := sample("a")
	first := mustCreate(t, owner, mine)
	theirs := mine
	theirs.Owner, theirs.WriteID, theirs.Epoch = claim.NewToken(), claim.NewToken(), mine.Epoch+1
	taken := mustSwap(t, thief, first.Version, theirs)

	done := mine
	done.State, done.WriteID = claim.Done, claim.NewToken()
	_, err := owner.Swap(t.Context(), mine.ID, first.Version, done)
	is(t, "Swap by the replaced owner", err, claim.ErrConflict)
	holds(t, owner, theirs, taken.Version)
}
