package claim_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
)

func TestConfigNamesEveryFaultAtOnce(t *testing.T) {
	t.Parallel()
	_, err := claim.NewMachine(claim.Config{SettleAfter: -1})
	joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err)
	if !ok || len(joined.Unwrap()) != 8 {
		t.Errorf("an empty configuration answers %v, want eight faults", err)
	}
}

func TestFirstTakeEntersTheStateOfItsPolicy(t *testing.T) {
	for policy, want := range map[claim.Policy]claim.State{
		claim.AtLeastOnce: claim.Claimed, claim.AtMostOnce: claim.Effect, claim.AtMostOnceAfterBegin: claim.Claimed,
	} {
		t.Run(string(policy), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				s := b.take(t, request(policy), claim.Taken).Hold.Stored()
				if s.State != want || s.Epoch != 1 || s.Attempts != 1 || !s.ExpireAt.IsZero() || s.OperationID != claim.OperationID("restart", "k1") {
					t.Errorf("record %+v", s.Record)
				}
			})
		})
	}
}

func TestPoisonIsTakenAsClaimedWhateverThePolicy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, q := newBench(t), request(claim.AtMostOnce)
		q.Bury = true
		if h := b.take(t, q, claim.Taken).Hold; h.Stored().State != claim.Claimed || !h.Bury() {
			t.Errorf("state %s, bury %v", h.Stored().State, h.Bury())
		}
	})
}

// left brings a claim into a state, by way of the machine.
var left = map[claim.State]func(*testing.T, *bench, claim.Policy){
	claim.Claimed: func(t *testing.T, b *bench, p claim.Policy) {
		q := request(p)
		q.Bury = true
		b.take(t, q, claim.Taken)
	},
	claim.Effect: func(t *testing.T, b *bench, p claim.Policy) {
		check(t, b.take(t, request(p), claim.Taken).Hold.Begin(t.Context()))
	},
	claim.Retry: func(t *testing.T, b *bench, p claim.Policy) {
		check(t, b.take(t, request(p), claim.Taken).Hold.Release(t.Context(), errBroken, true))
	},
	claim.Done: func(t *testing.T, b *bench, p claim.Policy) {
		check(t, b.take(t, request(p), claim.Taken).Hold.Finish(t.Context(), nil))
	},
	claim.Dead: func(t *testing.T, b *bench, p claim.Policy) {
		q := request(p)
		q.Bury = true
		check(t, b.take(t, q, claim.Taken).Hold.Kill(t.Context(), "permanent", errBroken))
	},
	claim.Indeterminate: func(t *testing.T, b *bench, _ claim.Policy) {
		check(t, b.take(t, request(claim.AtMostOnce), claim.Taken).Hold.Park(t.Context(), "indeterminate", errBroken))
	},
}

func TestWhatADeliveryMeets(t *testing.T) {
	type meet struct{ live, over claim.Meeting }
	for state, want := range map[claim.State]map[claim.Policy]meet{
		claim.Claimed:       {claim.AtLeastOnce: {claim.Held, claim.Taken}, claim.AtMostOnce: {claim.Held, claim.Taken}, claim.AtMostOnceAfterBegin: {claim.Held, claim.Taken}},
		claim.Effect:        {claim.AtLeastOnce: {claim.Held, claim.Taken}, claim.AtMostOnce: {claim.Held, claim.Abandoned}, claim.AtMostOnceAfterBegin: {claim.Held, claim.Abandoned}},
		claim.Retry:         {claim.AtLeastOnce: {claim.Taken, claim.Taken}, claim.AtMostOnce: {claim.Taken, claim.Taken}, claim.AtMostOnceAfterBegin: {claim.Taken, claim.Taken}},
		claim.Done:          {claim.AtLeastOnce: {claim.Settled, claim.Settled}, claim.AtMostOnce: {claim.Settled, claim.Settled}, claim.AtMostOnceAfterBegin: {claim.Settled, claim.Settled}},
		claim.Dead:          {claim.AtLeastOnce: {claim.Settled, claim.Settled}, claim.AtMostOnce: {claim.Settled, claim.Settled}, claim.AtMostOnceAfterBegin: {claim.Settled, claim.Settled}},
		claim.Indeterminate: {claim.AtLeastOnce: {claim.Settled, claim.Settled}, claim.AtMostOnce: {claim.Settled, claim.Settled}, claim.AtMostOnceAfterBegin: {claim.Settled, claim.Settled}},
	} {
		for policy, m := range want {
			for _, over := range []bool{false, true} {
				name := string(state) + " " + string(policy) + " live"
				expect := m.live
				if over {
					name, expect = string(state)+" "+string(policy)+" lease over", m.over
				}
				t.Run(name, func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						b := newBench(t)
						left[state](t, b, policy)
						other := request(policy)
						other.PayloadHash = "other"
						b.take(t, other, claim.Mismatch)
						pass(lease)
						if over {
							pass(1)
						}
						b.take(t, request(policy), expect)
					})
				})
			}
		}
	}
}

func TestStrictOwnersEffectIsNotJudgedByALaxerRelease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.take(t, request(claim.AtMostOnce), claim.Taken)
		pass(lease + 1)
		b.take(t, request(claim.AtLeastOnce), claim.Abandoned)
	})
}

func TestUnreadableRecordsAreHeldForEver(t *testing.T) {
	for name, r := range map[string]claim.Record{
		"no lease":       {State: claim.Claimed, Policy: claim.AtLeastOnce, PayloadHash: "h"},
		"unknown state":  {State: "NEW", Policy: claim.AtLeastOnce, PayloadHash: "h", Lease: 1},
		"unknown policy": {State: claim.Retry, Policy: "new", PayloadHash: "h", Lease: 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				r.ID, r.WriteID = id, "w"
				if _, err := b.mem.Create(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				pass(1000 * time.Hour)
				b.take(t, request(claim.AtLeastOnce), claim.Held)
			})
		})
	}
}

func TestTakeoverRaisesEpochAndAttemptsAndSpentAttemptsBury(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		owners := map[string]bool{}
		for n := 1; n <= 3; n++ {
			h := b.take(t, request(claim.AtLeastOnce), claim.Taken).Hold
			if s := h.Stored(); s.Epoch != int64(n) || s.Attempts != n || h.Bury() || owners[s.Owner] {
				t.Errorf("take %d: epoch %d, attempts %d, bury %v", n, s.Epoch, s.Attempts, h.Bury())
			}
			owners[h.Stored().Owner] = true
			pass(lease + 1)
		}
		h := b.take(t, request(claim.AtMostOnce), claim.Taken).Hold
		if s := h.Stored(); !h.Bury() || s.State != claim.Claimed || s.Attempts != 3 || s.Epoch != 4 {
			t.Errorf("spent: bury %v, state %s, attempts %d, epoch %d", h.Bury(), s.State, s.Attempts, s.Epoch)
		}
	})
}

func TestTwoThievesOneWins(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.take(t, request(claim.AtLeastOnce), claim.Taken)
		pass(lease + 1)
		seen := b.stored(t)
		var met []claim.Meeting
		for range 2 {
			e, err := b.m.Meet(t.Context(), request(claim.AtLeastOnce), seen)
			check(t, err)
			met = append(met, e.Meeting)
		}
		if diff := cmp.Diff([]claim.Meeting{claim.Taken, claim.Held}, met); diff != "" {
			t.Errorf("meetings (-want +got):\n%s", diff)
		}
	})
}

func TestLostRepliesOfTake(t *testing.T) {
	for name, c := range map[string]struct {
		plan   []claimtest.Fault
		proven bool
		stored bool
	}{
		"before":                {[]claimtest.Fault{{Op: claimtest.Create, Err: claimtest.ErrDown}}, false, false},
		"after":                 {[]claimtest.Fault{{Op: claimtest.Create, When: claimtest.After, Err: claimtest.ErrDown}}, true, true},
		"after, as exists":      {[]claimtest.Fault{{Op: claimtest.Create, When: claimtest.After, Err: claim.ErrExists}}, true, true},
		"after, no reading":     {[]claimtest.Fault{{Op: claimtest.Create, When: claimtest.After, Err: claimtest.ErrDown}, {Op: claimtest.Get, Err: claimtest.ErrDown}}, false, true},
		"after, unreadable":     {[]claimtest.Fault{{Op: claimtest.Create, When: claimtest.After, Err: claimtest.ErrDown}, {Op: claimtest.Get, When: claimtest.After, Err: claim.ErrUnreadable}}, false, true},
		"full":                  {[]claimtest.Fault{{Op: claimtest.Create, Err: claim.ErrFull}}, false, false},
		"hangs beyond its time": {[]claimtest.Fault{{Op: claimtest.Create, Pause: claimtest.For(time.Hour), Err: claimtest.ErrDown}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				b.store.Plan(c.plan...)
				e, err := b.m.Take(t.Context(), request(claim.AtMostOnce))
				if got := err == nil && e.Meeting == claim.Taken; got != c.proven || (b.mem.Len() == 1) != c.stored {
					t.Errorf("proven %v, stored %d, %v", got, b.mem.Len(), err)
				}
			})
		})
	}
}
