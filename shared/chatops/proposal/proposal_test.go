package proposal_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/chatops/proposal"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
)

// lossy loses the answer of a Create after it was written.
type lossy struct {
	claim.Store
	losses int
}

var errLost = errors.New("the answer is lost")

func (l *lossy) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	s, err := l.Store.Create(ctx, r)
	if err == nil && l.losses > 0 {
		l.losses--
		return claim.Stored{}, errLost
	}
	return s, err
}

func open(t *testing.T, losses int) (*proposal.Book, *memclaim.Store) {
	t.Helper()
	store, err := memclaim.New(100, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	b, err := proposal.New(&lossy{Store: store, losses: losses}, time.Now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return b, store
}

func TestOneOfManyPressesTakesAProposal(t *testing.T) {
	t.Parallel()
	b, store := open(t, 0)
	var wg sync.WaitGroup
	takers := make([]proposal.Taken, 16)
	for i := range takers {
		wg.Go(func() {
			mine := proposal.Taken{Operation: string(rune('a' + i)), Decision: "confirm"}
			got, err := b.Take(t.Context(), "p1", mine)
			if err != nil {
				t.Error(err)
			}
			takers[i] = got
		})
	}
	wg.Wait()
	for _, got := range takers {
		if got != takers[0] {
			t.Fatalf("two were told that they have it: %v", takers)
		}
	}
	if other, err := b.Take(t.Context(), "p2", proposal.Taken{Operation: "z", Decision: "cancel"}); err != nil || other.Operation != "z" {
		t.Errorf("another proposal: %v, %v", other, err)
	}
	s, err := store.Get(t.Context(), claim.ID(proposal.Handler, "p1"))
	if err != nil || s.State != claim.Done || s.ExpireAt.IsZero() {
		t.Errorf("its claim: %v in %s, expires %v", err, s.State, s.ExpireAt)
	}
}

func TestALostAnswerIsFoundToBeOnesOwn(t *testing.T) {
	t.Parallel()
	b, _ := open(t, 1)
	mine := proposal.Taken{Operation: "mine", Decision: "confirm"}
	if _, err := b.Take(t.Context(), "p", mine); !errors.Is(err, errLost) {
		t.Fatalf("%v", err)
	}
	if got, err := b.Take(t.Context(), "p", mine); err != nil || got != mine {
		t.Errorf("%v, %v", got, err)
	}
}
