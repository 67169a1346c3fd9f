package once_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/once"
)

// TestLostRepliesNeitherRepeatNorLoseTheEffect breaks each call of an at-most-once
// delivery once, before and after the store did it, and then delivers it again.
func TestLostRepliesNeitherRepeatNorLoseTheEffect(t *testing.T) {
	for _, policy := range []claim.Policy{claim.AtMostOnce, claim.AtMostOnceAfterBegin} {
		for _, op := range []claimtest.Op{claimtest.Create, claimtest.Swap} {
			for _, when := range []claimtest.When{claimtest.Before, claimtest.After} {
				for call := 1; call <= 2; call++ {
					t.Run(fmt.Sprintf("%s/%s %d %s", policy, op, call, when), func(t *testing.T) {
						bubble(t, func(t *testing.T) {
							b, acted := newBench(t), 0
							h := beginner(&acted, nothing, nothing)
							h.policy = policy
							b.store.Plan(claimtest.Fault{Op: op, Call: call, When: when, Err: claimtest.ErrDown})
							for range 3 {
								if rep := b.runner.Deliver(t.Context(), h, message(t, "p", nil)); rep.Outcome.Ack() {
									break
								}
								pass(2 * time.Minute)
							}
							if s := b.stored(t); acted != 1 || s.State != claim.Done {
								t.Errorf("acted %d times, state %s", acted, s.State)
							}
						})
					})
				}
			}
		}
	}
}

func TestStoreDownRunsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t), &work{policy: claim.AtLeastOnce}
		b.store.Plan(claimtest.Fault{Op: claimtest.Any, Err: claimtest.ErrDown})
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.StoreDown)
		if h.runs.Load() != 0 {
			t.Error("it ran without a proven claim")
		}
	})
}

func TestFinishThatFailsIsNeverAcknowledgedNorReleased(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := &work{policy: claim.AtMostOnce, run: func(context.Context, *once.Delivery) error {
			b.store.Plan(claimtest.Fault{Op: claimtest.Swap, Err: claimtest.ErrDown})
			return nil
		}}
		rep := b.runner.Deliver(t.Context(), h, message(t, "p", nil))
		outcome(t, rep, once.StoreDown)
		if s := b.stored(t); s.State != claim.Effect {
			t.Errorf("state %s: an effect that could not be recorded was given back", s.State)
		}
		if rep.Total < 5*time.Second {
			t.Errorf("it gave up after %v of a budget of 10s", rep.Total)
		}
		b.store.Plan()
		pass(2 * time.Minute)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Parked)
	})
}

func TestFinishIsTriedAgainWithinItsBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := &work{policy: claim.AtMostOnce, run: func(context.Context, *once.Delivery) error {
			b.store.Plan(
				claimtest.Fault{Op: claimtest.Swap, Call: 1, Err: claimtest.ErrDown},
				claimtest.Fault{Op: claimtest.Swap, Call: 2, When: claimtest.After, Err: claimtest.ErrDown},
				claimtest.Fault{Op: claimtest.Get, Call: 2, Err: claimtest.ErrDown},
			)
			return nil
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
		if s := b.stored(t); s.State != claim.Done {
			t.Errorf("state %s", s.State)
		}
	})
}

func TestZombieThatActedFinishesItsParkedClaim(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		other := &work{policy: claim.AtMostOnce}
		h := &work{policy: claim.AtMostOnce, run: func(context.Context, *once.Delivery) error {
			pass(2 * time.Minute)
			outcome(t, b.runner.Deliver(t.Context(), other, message(t, "p", nil)), once.Parked)
			return nil
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
		if s := b.stored(t); s.State != claim.Done || other.runs.Load() != 0 {
			t.Errorf("state %s, the other ran %d times", s.State, other.runs.Load())
		}
	})
}

func TestZombieCannotWriteOverItsSuccessor(t *testing.T) {
	for name, answer := range map[string]error{
		"done": nil, "failed": errBroken, "gone for good": once.Permanent(errBroken, "broken"),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				h := &work{policy: claim.AtLeastOnce, run: func(context.Context, *once.Delivery) error {
					pass(2 * time.Minute)
					take(t, b, claim.AtLeastOnce)
					return answer
				}}
				outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.InFlight)
				if s := b.stored(t); s.Epoch != 2 || s.State != claim.Claimed {
					t.Errorf("the zombie left epoch %d, state %s", s.Epoch, s.State)
				}
			})
		})
	}
}

// skewed is a clock an hour off.
type skewed struct{ by time.Duration }

func (c skewed) Now() time.Time { return time.Now().Add(c.by) }

func (c skewed) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func (c skewed) Sleep(_ context.Context, d time.Duration) error {
	pass(d)
	return nil
}

func TestHostClockAnHourOffNeitherStealsNorStarves(t *testing.T) {
	for name, by := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t, func(cc *claim.Config, c *once.Config) { cc.Clock, c.Clock = skewed{by}, skewed{by} })
				hang(t, b)
				h := &work{policy: claim.AtLeastOnce}
				outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.InFlight)
				pass(time.Minute)
				outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
			})
		})
	}
}
