package claimtest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/memclaim"
)

var errLost = errors.New("reply lost")

func faulty(t *testing.T, plan ...claimtest.Fault) *claimtest.FaultyStore {
	t.Helper()
	s, err := memclaim.New(10, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return claimtest.Faulty(s, plan...)
}

func TestFaultStrikesTheCallThatThePlanCounts(t *testing.T) {
	t.Parallel()
	s := faulty(t, claimtest.Fault{Op: claimtest.Get, Call: 2, Err: errLost}, claimtest.Fault{Op: claimtest.Any, Call: 5, Err: claimtest.ErrDown})
	if _, err := s.Create(t.Context(), claim.Record{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	var got []error
	for range 4 {
		_, err := s.Get(t.Context(), "a")
		got = append(got, err)
	}
	if diff := cmp.Diff([]error{nil, errLost, nil, claimtest.ErrDown}, got, cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) })); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if s.Calls(claimtest.Get) != 4 || s.Calls(claimtest.Any) != 5 {
		t.Errorf("counted %d gets of %d calls, want 4 of 5", s.Calls(claimtest.Get), s.Calls(claimtest.Any))
	}
}

func TestStoreDownAndUpAgain(t *testing.T) {
	t.Parallel()
	s := faulty(t, claimtest.Fault{Op: claimtest.Any, Err: claimtest.ErrDown})
	for range 3 {
		if _, err := s.Create(t.Context(), claim.Record{ID: "a"}); !errors.Is(err, claimtest.ErrDown) {
			t.Fatalf("a store that is down answered %v", err)
		}
	}
	s.Plan()
	if _, err := s.Create(t.Context(), claim.Record{ID: "a"}); err != nil {
		t.Fatalf("a store that is up again answered %v", err)
	}
}

func TestUnreadableAnswerKeepsVersionAndTimes(t *testing.T) {
	t.Parallel()
	s := faulty(t, claimtest.Fault{Op: claimtest.Get, When: claimtest.After, Err: claim.ErrUnreadable})
	made, err := s.Create(t.Context(), claim.Record{ID: "a", State: claim.Retry, Lease: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), "a")
	if !errors.Is(err, claim.ErrUnreadable) || got.Version != made.Version || got.State != "" || got.Written.IsZero() {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestPausedCallGoesOnOrEndsWithItsContext(t *testing.T) {
	t.Parallel()
	gate, entered := make(chan struct{}), make(chan struct{}, 2)
	s := faulty(t, claimtest.Fault{Op: claimtest.Create, When: claimtest.After, Pause: func(ctx context.Context) {
		entered <- struct{}{}
		claimtest.Until(gate)(ctx)
	}})
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() { _, err := s.Create(ctx, claim.Record{ID: "a"}); answer <- err }()
	<-entered
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("a paused call answered %v to its cancelled context", err)
	}
	go func() { _, err := s.Create(t.Context(), claim.Record{ID: "b"}); answer <- err }()
	close(gate)
	if err := <-answer; err != nil {
		t.Errorf("a paused call answered %v after its pause", err)
	}
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Errorf("a create held up after it happened left nothing: %v", err)
	}
}

func TestDelayTakesItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := faulty(t, claimtest.Fault{Op: claimtest.Get, Pause: claimtest.For(time.Minute)})
		began := time.Now()
		if _, err := s.Get(t.Context(), "a"); !errors.Is(err, claim.ErrNotFound) {
			t.Errorf("Get answered %v", err)
		}
		if passed := time.Since(began); passed != time.Minute {
			t.Errorf("the call took %v, want a minute", passed)
		}
	})
}
