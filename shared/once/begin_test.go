package once_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/once"
)

// beginner calls Begin, and acts if it may.
func beginner(acted *int, before, after func()) *work {
	return &work{policy: claim.AtMostOnceAfterBegin, run: func(ctx context.Context, d *once.Delivery) error {
		before()
		ctx, err := d.Begin(ctx)
		if err != nil {
			return err
		}
		after()
		if ctx.Err() != nil {
			return once.NoEffect(ctx.Err())
		}
		*acted++
		return nil
	}}
}

func nothing() {}

func TestBeginRecordsThePointOfNoReturnBeforeTheEffect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, acted := newBench(t), 0
		h := beginner(&acted, func() {
			if s := b.stored(t); s.State != claim.Claimed {
				t.Errorf("state before Begin %s", s.State)
			}
		}, func() {
			if s := b.stored(t); s.State != claim.Effect {
				t.Errorf("state after Begin %s", s.State)
			}
		})
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
		if acted != 1 {
			t.Errorf("acted %d times", acted)
		}
	})
}

func TestBeginIsRefusedWhenTheTimeIsOver(t *testing.T) {
	for name, begin := range map[string]func(context.Context) context.Context{
		"with the handler's context": func(ctx context.Context) context.Context { return ctx },
		"with a context of its own":  context.WithoutCancel,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				h := &work{policy: claim.AtMostOnceAfterBegin, run: func(ctx context.Context, d *once.Delivery) error {
					pass(31 * time.Second)
					_, err := d.Begin(begin(ctx))
					if err == nil {
						t.Error("Begin allowed an effect after the handler's time")
					}
					if _, again := d.Begin(ctx); !errors.Is(again, err) {
						t.Errorf("the second answer is %v, the first was %v", again, err)
					}
					return err
				}}
				outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Failed)
				if s := b.stored(t); s.State != claim.Retry {
					t.Errorf("state %s, want RETRY: nothing happened", s.State)
				}
			})
		})
	}
}

func TestBeginIsRefusedToAZombie(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, acted := newBench(t), 0
		h := beginner(&acted, func() {
			pass(2 * time.Minute)
			take(t, b, claim.AtMostOnceAfterBegin) // another delivery finds the lease over
		}, nothing)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.InFlight)
		if s := b.stored(t); acted != 0 || s.Epoch != 2 || s.State != claim.Claimed {
			t.Errorf("acted %d times, epoch %d, state %s", acted, s.Epoch, s.State)
		}
	})
}

func TestUnresolvedBeginForbidsTheEffectAndGivesTheClaimBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, acted := newBench(t), 0
		h := beginner(&acted, func() {
			// Begin is written, its answer lost, and the record can't be read back.
			b.store.Plan(
				claimtest.Fault{Op: claimtest.Swap, Call: 1, When: claimtest.After, Err: claimtest.ErrDown},
				claimtest.Fault{Op: claimtest.Get, Call: 1, Err: claimtest.ErrDown},
			)
		}, nothing)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Failed)
		if s := b.stored(t); acted != 0 || s.State != claim.Retry {
			t.Errorf("acted %d times, state %s", acted, s.State)
		}
	})
}

func TestHeartbeatKeepsALongHandlersClaim(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, func(_ *claim.Config, c *once.Config) { c.Heartbeat, c.HandlerTimeout = 20*time.Second, time.Hour })
		h := &work{policy: claim.AtMostOnce, run: func(ctx context.Context, _ *once.Delivery) error {
			pass(10 * time.Minute)
			return ctx.Err()
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
		if n := b.store.Calls(claimtest.Swap); n < 29 {
			t.Errorf("10 minutes with a beat of 20 s swapped %d times", n)
		}
		if s := b.stored(t); s.Epoch != 1 {
			t.Errorf("epoch %d", s.Epoch)
		}
	})
}

func TestHeartbeatThatLosesTheClaimCancelsTheHandlerAndRefusesBegin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, func(_ *claim.Config, c *once.Config) { c.Heartbeat, c.HandlerTimeout = 20*time.Second, time.Hour })
		h := &work{policy: claim.AtMostOnceAfterBegin, run: func(ctx context.Context, d *once.Delivery) error {
			rob(t, b)
			robbed := time.Now()
			<-ctx.Done()
			if late := time.Since(robbed); late > 20*time.Second {
				t.Errorf("cancelled %v after the loss, with a beat of 20s", late)
			}
			if cause := context.Cause(ctx); !errors.Is(cause, once.ErrLeaseLost) {
				t.Errorf("cancelled by %v", cause)
			}
			_, err := d.Begin(context.WithoutCancel(ctx))
			if !errors.Is(err, claim.ErrLost) {
				t.Errorf("Begin answers %v, want ErrLost", err)
			}
			return err
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.InFlight)
	})
}

// rob writes another owner into the claim, as a takeover would.
func rob(t *testing.T, b *bench) {
	t.Helper()
	s := b.stored(t)
	r := s.Record
	r.Owner, r.WriteID, r.Epoch = "another", claim.NewToken(), r.Epoch+1
	if _, err := b.mem.Swap(context.Background(), r.ID, s.Version, r); err != nil {
		t.Error(err)
	}
}

func TestHeartbeatWithoutAStoreCancelsBeforeTheLeaseEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, func(_ *claim.Config, c *once.Config) { c.Heartbeat, c.HandlerTimeout = 20*time.Second, time.Hour })
		var took time.Duration
		h := &work{policy: claim.AtLeastOnce, run: func(ctx context.Context, _ *once.Delivery) error {
			start := time.Now()
			b.store.Plan(claimtest.Fault{Op: claimtest.Any, Err: claimtest.ErrDown})
			<-ctx.Done()
			took = time.Since(start)
			b.store.Plan()
			return ctx.Err()
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Failed)
		if took >= time.Minute {
			t.Errorf("cancelled after %v: the lease of a minute was over", took)
		}
	})
}

func TestResultIsBoundedAndStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := &work{policy: claim.AtLeastOnce, run: func(_ context.Context, d *once.Delivery) error {
			if err := d.SetResult(make([]byte, claim.MaxResult+1)); !errors.Is(err, once.ErrResultTooLarge) {
				t.Errorf("too large a result: %v", err)
			}
			return d.SetResult([]byte("answer"))
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
		rep := b.runner.Deliver(t.Context(), h, message(t, "p", nil))
		if string(rep.Result) != "answer" {
			t.Errorf("the duplicate reports %q", rep.Result)
		}
	})
}
