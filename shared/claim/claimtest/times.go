package claimtest

import (
	"testing"
	"time"

	"onceway.internal/shared/claim"
)

const (
	patience  = 10 * time.Second // for a call to return
	overdue   = 2 * time.Second  // for a lease of milliseconds to end, once it is read
	pollEvery = 5 * time.Millisecond
)

// testTime writes records whose own times jump by hours, as hosts with wrong
// clocks would. The store's times must not follow them.
func testTime(t *testing.T, h Harness, space string) {
	replicas := [2]Backend{h.Open(t, space), h.Open(t, space)}
	r := sample("a")
	last := mustCreate(t, replicas[0], r)
	first, began := last.Written, time.Now()
	for i, skew := range []time.Duration{time.Hour, -time.Hour, 0, 24 * time.Hour, -24 * time.Hour} {
		r.WriteID = claim.NewToken()
		r.CreatedAt = time.Now().Add(skew).Truncate(time.Microsecond)
		r.LeaseEnd = r.CreatedAt
		s := replicas[i%2]
		next := mustSwap(t, s, last.Version, r)
		if next.Written.Before(last.Written) {
			t.Errorf("written went back from %v to %v", last.Written, next.Written)
		}
		read := holds(t, s, r, next.Version)
		if !read.Written.Equal(next.Written) {
			t.Errorf("Get answered written %v, Swap %v", read.Written, next.Written)
		}
		if read.Now.Before(read.Written) {
			t.Errorf("a read at %v was before the write at %v", read.Now, read.Written)
		}
		last = next
	}
	if passed := last.Written.Sub(first); passed > time.Since(began)+time.Second {
		t.Errorf("the store's clock went %v while %v passed", passed, time.Since(began))
	}
}

func testLease(t *testing.T, h Harness, space string) {
	s := h.Open(t, space)
	held, short := bare("held", claim.Claimed), bare("short", claim.Claimed)
	held.Lease, short.Lease = time.Hour, 50*time.Millisecond
	// Of a host whose clock is an hour ahead, which must not matter.
	short.CreatedAt = time.Now().Add(time.Hour)
	mustCreate(t, s, held)
	began := time.Now()
	mustCreate(t, s, short)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		got, err := s.Get(t.Context(), short.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.LeaseOver() {
			break
		}
		if time.Since(began) > overdue {
			t.Fatalf("a lease of %v is not over after %v: written %v, now %v", short.Lease, time.Since(began), got.Written, got.Now)
		}
		<-tick.C
	}
	if passed := time.Since(began); passed < short.Lease {
		t.Errorf("a lease of %v was over after %v", short.Lease, passed)
	}
	if got, err := s.Get(t.Context(), held.ID); err != nil || got.LeaseOver() {
		t.Errorf("a lease of an hour is over, or unreadable: %v", err)
	}
}

func testExpired(t *testing.T, h Harness, space string) {
	s := h.Open(t, space)
	for _, state := range []claim.State{claim.Done, claim.Dead} {
		r := bare("expired "+string(state), state)
		r.ExpireAt = time.Now().Add(-time.Minute).Truncate(time.Microsecond)
		first := mustCreate(t, s, r)
		holds(t, s, r, first.Version)
		_, err := s.Create(t.Context(), bare(r.Key, claim.Claimed))
		is(t, "Create over a record past its TTL", err, claim.ErrExists)

		r.WriteID = claim.NewToken()
		second := mustSwap(t, s, first.Version, r)
		live := bare(r.Key, claim.Retry)
		third := mustSwap(t, s, second.Version, live)
		holds(t, s, live, third.Version)
	}
}
