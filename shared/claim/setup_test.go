package claim_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
)

const (
	lease       = time.Minute
	settleAfter = 5 * time.Minute
)

var (
	errBroken = errors.New("broken")
	id        = claim.ID("restart", "k1")
)

// bench is a machine over a memory store that breaks by plan, in a synctest bubble.
type bench struct {
	mem   *memclaim.Store
	store *claimtest.FaultyStore
	m     *claim.Machine
	taken []claim.Transition
}

func newBench(t *testing.T, change ...func(*claim.Config)) *bench {
	t.Helper()
	mem, err := memclaim.New(10, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{mem: mem, store: claimtest.Faulty(mem)}
	c := claim.Config{
		Store: b.store, Clock: clock.System{}, Lease: lease, TTL: 24 * time.Hour, SettleAfter: settleAfter,
		MaxAttempts: 3, StoreTimeout: time.Second, FinishBudget: 10 * time.Second,
		Observe: func(x claim.Transition) { b.taken = append(b.taken, x) },
	}
	for _, f := range change {
		f(&c)
	}
	if b.m, err = claim.NewMachine(c); err != nil {
		t.Fatal(err)
	}
	return b
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// pass lets time pass in a bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // in a synctest bubble nothing waits for real
}

func request(p claim.Policy) claim.Request {
	return claim.Request{Handler: "restart", Key: "k1", Subject: "deployment payments", Policy: p, PayloadHash: "h"}
}

func (b *bench) take(t *testing.T, q claim.Request, want claim.Meeting) claim.Encounter {
	t.Helper()
	e, err := b.m.Take(t.Context(), q)
	if err != nil || e.Meeting != want || (e.Hold != nil) != (want == claim.Taken) {
		t.Fatalf("take: meeting %d, %v, want %d", e.Meeting, err, want)
	}
	return e
}

func (b *bench) stored(t *testing.T) claim.Stored {
	t.Helper()
	s, err := b.mem.Get(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
