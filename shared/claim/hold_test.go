package claim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
)

// ends are the writes that an owner insists on, with the state that each leaves.
var ends = map[string]struct {
	policy claim.Policy
	want   claim.State
	do     func(context.Context, *claim.Hold) error
}{
	"finish":    {claim.AtMostOnce, claim.Done, func(ctx context.Context, h *claim.Hold) error { return h.Finish(ctx, []byte("r")) }},
	"release":   {claim.AtLeastOnce, claim.Retry, func(ctx context.Context, h *claim.Hold) error { return h.Release(ctx, errBroken, false) }},
	"no effect": {claim.AtMostOnce, claim.Retry, func(ctx context.Context, h *claim.Hold) error { return h.Release(ctx, errBroken, true) }},
	"park":      {claim.AtMostOnce, claim.Indeterminate, func(ctx context.Context, h *claim.Hold) error { return h.Park(ctx, "indeterminate", errBroken) }},
	"kill":      {claim.AtLeastOnce, claim.Dead, func(ctx context.Context, h *claim.Hold) error { return h.Kill(ctx, "permanent", errBroken) }},
}

func TestInsistedWritesSurviveLostReplies(t *testing.T) {
	for name, end := range ends {
		for _, when := range []claimtest.When{claimtest.Before, claimtest.After} {
			for _, deaf := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s, deaf %v", name, when, deaf), func(t *testing.T) {
					bubble(t, func(t *testing.T) {
						b := newBench(t)
						h := b.take(t, request(end.policy), claim.Taken).Hold
						plan := []claimtest.Fault{{Op: claimtest.Swap, Call: 1, When: when, Err: claimtest.ErrDown}}
						if deaf {
							plan = append(plan, claimtest.Fault{Op: claimtest.Get, Call: 1, Err: claimtest.ErrDown})
						}
						b.store.Plan(plan...)
						ctx, cancel := context.WithCancel(t.Context())
						cancel() // the caller is gone: the write is made all the same
						if err := end.do(ctx, h); err != nil {
							t.Errorf("gave up: %v", err)
						}
						s := b.stored(t)
						if s.State != end.want || s.WriteID != h.Stored().WriteID {
							t.Errorf("stored %s, want %s", s.State, end.want)
						}
						if ttl := !s.ExpireAt.IsZero(); ttl != (s.State == claim.Done || s.State == claim.Dead) {
							t.Errorf("%s with expiry %v", s.State, s.ExpireAt)
						}
					})
				})
			}
		}
	}
}

func TestInsistedWritesGiveUpAtTheirBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := b.take(t, request(claim.AtMostOnce), claim.Taken).Hold
		b.store.Plan(claimtest.Fault{Op: claimtest.Any, Err: claimtest.ErrDown})
		start := time.Now()
		err := h.Finish(t.Context(), nil)
		if took := time.Since(start); !errors.Is(err, claim.ErrUnresolved) || took != 10*time.Second {
			t.Errorf("answered %v after %v", err, took)
		}
	})
}

func TestNoWriteOfAZombieStands(t *testing.T) {
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				q := request(end.policy)
				h := b.take(t, q, claim.Taken).Hold
				rob(t, b)
				if err := end.do(t.Context(), h); !errors.Is(err, claim.ErrLost) {
					t.Errorf("answered %v, want ErrLost", err)
				}
				if s := b.stored(t); s.Owner != "thief" {
					t.Errorf("the zombie wrote %s", s.State)
				}
			})
		})
	}
}

func rob(t *testing.T, b *bench) {
	t.Helper()
	s := b.stored(t)
	r := s.Record
	r.Owner, r.WriteID, r.Epoch = "thief", "thief", r.Epoch+1
	_, err := b.mem.Swap(t.Context(), id, s.Version, r)
	check(t, err)
}

func TestOwnerAndEpochProveNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := b.take(t, request(claim.AtMostOnce), claim.Taken).Hold
		// The write never arrives, and the record still shows this owner and epoch.
		b.store.Plan(claimtest.Fault{Op: claimtest.Swap, Err: claimtest.ErrDown})
		if err := h.Finish(t.Context(), nil); err == nil {
			t.Error("a write that never arrived counts as made")
		}
	})
}

func TestFenceOfTransitions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := b.take(t, request(claim.AtMostOnce), claim.Taken).Hold
		if err := h.Kill(t.Context(), "permanent", errBroken); !errors.Is(err, claim.ErrState) {
			t.Errorf("DEAD out of an at-most-once EFFECT: %v", err)
		}
		if err := h.Release(t.Context(), errBroken, false); !errors.Is(err, claim.ErrState) {
			t.Errorf("RETRY out of an at-most-once EFFECT: %v", err)
		}
		if s := b.stored(t); s.State != claim.Effect {
			t.Errorf("state %s", s.State)
		}
	})
}

func TestOwnLateBeginIsAdopted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := b.take(t, request(claim.AtMostOnceAfterBegin), claim.Taken).Hold
		b.store.Plan(
			claimtest.Fault{Op: claimtest.Swap, Call: 1, When: claimtest.After, Err: claimtest.ErrDown},
			claimtest.Fault{Op: claimtest.Get, Call: 1, Err: claimtest.ErrDown},
		)
		if err := h.Begin(t.Context()); !errors.Is(err, claim.ErrUnresolved) {
			t.Fatalf("begin: %v", err)
		}
		check(t, h.Release(t.Context(), errBroken, true))
		want := []claim.Transition{{From: claim.Effect, Act: claim.ActNoEffect, To: claim.Retry}}
		if !slices.Equal(b.taken[1:], want) || b.stored(t).State != claim.Retry {
			t.Errorf("taken %v, state %s", b.taken, b.stored(t).State)
		}
	})
}

func TestExtendRenewsTheLeaseByTheStoresClock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := b.take(t, request(claim.AtLeastOnce), claim.Taken).Hold
		before := h.ProtectedUntil()
		pass(lease - 1)
		check(t, h.Extend(t.Context()))
		pass(lease)
		b.take(t, request(claim.AtLeastOnce), claim.Held)
		if h.ProtectedUntil() != before.Add(lease-1) {
			t.Errorf("protected until %v, before %v", h.ProtectedUntil(), before)
		}
		pass(1)
		b.take(t, request(claim.AtLeastOnce), claim.Taken)
		if err := h.Extend(t.Context()); !errors.Is(err, claim.ErrLost) {
			t.Errorf("extending a lost claim: %v", err)
		}
	})
}

func TestParkedClaimSaysWhenItsLeaseEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		written := b.take(t, request(claim.AtMostOnce), claim.Taken).Hold.Stored().Written
		pass(10 * lease)
		s, err := b.m.Abandoned(t.Context(), b.stored(t), "indeterminate")
		check(t, err)
		if want := written.Add(lease); !s.LeaseEnd.Equal(want) {
			t.Errorf("lease end %v, want %v", s.LeaseEnd, want)
		}
		s.LeaseEnd = time.Time{}
		if err := b.m.MayRetry(s); !errors.Is(err, claim.ErrUnreadable) {
			t.Errorf("a record without its lease end: %v", err)
		}
	})
}

func TestTraceStaysShortAndTextsAreCut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, func(c *claim.Config) { c.MaxAttempts = 1000 })
		q := request(claim.AtLeastOnce)
		q.Subject = strings.Repeat("ä", claim.MaxSubject)
		for range 20 {
			h := b.take(t, q, claim.Taken).Hold
			check(t, h.Release(t.Context(), errors.New(strings.Repeat("x\xff", claim.MaxError)), false))
		}
		s := b.stored(t)
		if len(s.Trace) != claim.MaxTrace || s.Trace[0].From != "" || s.Trace[claim.MaxTrace-1].Epoch != 20 {
			t.Errorf("trace of %d steps: %+v", len(s.Trace), s.Trace)
		}
		if len(s.Subject) != claim.MaxSubject || len(s.LastError) > claim.MaxError || strings.ToValidUTF8(s.LastError, "") != s.LastError {
			t.Errorf("subject of %d bytes, error of %d", len(s.Subject), len(s.LastError))
		}
	})
}
