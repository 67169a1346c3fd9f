package once_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
)

func TestDuplicateOfDoneIsAcknowledgedUnrun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t), &work{policy: claim.AtMostOnce}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Duplicate)
		if n := h.runs.Load(); n != 1 {
			t.Errorf("ran %d times", n)
		}
	})
}

func TestDuplicateWaitsForTheOwnerAndIsAcknowledged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t), &work{policy: claim.AtMostOnce, run: func(context.Context, *once.Delivery) error {
			pass(5 * time.Second)
			return nil
		}}
		var owner, duplicate once.Report
		var wg sync.WaitGroup
		wg.Go(func() { owner = b.runner.Deliver(t.Context(), h, message(t, "p", nil)) })
		synctest.Wait()
		wg.Go(func() { duplicate = b.runner.Deliver(t.Context(), h, message(t, "p", nil)) })
		wg.Wait()
		outcome(t, owner, once.Done)
		outcome(t, duplicate, once.Duplicate)
		if duplicate.Total < 5*time.Second || duplicate.State != claim.Done {
			t.Errorf("the duplicate answered after %v with %s", duplicate.Total, duplicate.State)
		}
	})
}

func TestDuplicateGivesUpAtItsBoundAndIsNotAcknowledged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := &work{policy: claim.AtLeastOnce, run: func(context.Context, *once.Delivery) error {
			pass(29 * time.Second)
			return nil
		}}
		var wg sync.WaitGroup
		wg.Go(func() { b.runner.Deliver(t.Context(), h, message(t, "p", nil)) })
		synctest.Wait()
		rep := b.runner.Deliver(t.Context(), h, message(t, "p", nil))
		outcome(t, rep, once.InFlight)
		if rep.Total != 20*time.Second {
			t.Errorf("it waited %v, its bound is 20s", rep.Total)
		}
		wg.Wait()
	})
}

func TestWaitEndsWhereALaterRunWouldMissTheAckDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, func(_ *claim.Config, c *once.Config) {
			c.AckDeadline, c.WaitBound = 2*time.Minute, time.Hour
		})
		owner := hang(t, b).Hold
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 10 { // renewed, so that nobody takes over
				pass(30 * time.Second)
				if err := owner.Extend(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
		rep := b.runner.Deliver(t.Context(), &work{policy: claim.AtLeastOnce}, message(t, "p", nil))
		wg.Wait()
		outcome(t, rep, once.InFlight)
		if rep.Total != 89*time.Second {
			t.Errorf("it waited %v of an ack deadline of 2m, with a handler time-out of 30s and a margin of 1s", rep.Total)
		}
	})
}

// hang leaves a live claim behind.
func hang(t *testing.T, b *bench) claim.Encounter {
	t.Helper()
	return take(t, b, claim.AtLeastOnce)
}

func take(t *testing.T, b *bench, p claim.Policy) claim.Encounter {
	t.Helper()
	e, err := b.claims.Take(t.Context(), claim.Request{
		Handler: "restart", Key: "k1", Policy: p, PayloadHash: claim.PayloadHash([]byte("p")),
	})
	if err != nil || e.Meeting != claim.Taken {
		t.Fatalf("take: %v, %v", e.Meeting, err)
	}
	return e
}

func TestAtMostHalfOfTheSlotsWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t) // 4 slots
		hang(t, b)
		var mu sync.Mutex
		var waits []time.Duration
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				rep := b.runner.Deliver(t.Context(), &work{policy: claim.AtLeastOnce}, message(t, "p", nil))
				mu.Lock()
				defer mu.Unlock()
				waits = append(waits, rep.Total)
			})
		}
		wg.Wait()
		if diff := cmp.Diff([]time.Duration{0, 20 * time.Second, 20 * time.Second}, waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
	})
}

func TestWaiterTakesOverWhenTheLeaseEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t, func(_ *claim.Config, c *once.Config) { c.WaitBound = 2 * time.Minute }), &work{policy: claim.AtLeastOnce}
		hang(t, b)
		rep := b.runner.Deliver(t.Context(), h, message(t, "p", nil))
		outcome(t, rep, once.Done)
		if rep.Epoch != 2 || rep.Attempt != 2 || h.runs.Load() != 1 {
			t.Errorf("epoch %d, attempt %d, runs %d", rep.Epoch, rep.Attempt, h.runs.Load())
		}
	})
}

func TestVanishedAtMostOnceOwnerIsParkedNotRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t, func(_ *claim.Config, c *once.Config) { c.WaitBound = 2 * time.Minute }), &work{policy: claim.AtMostOnce}
		take(t, b, claim.AtMostOnce)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Parked)
		s := b.stored(t)
		if h.runs.Load() != 0 || s.State != claim.Indeterminate || !s.ExpireAt.IsZero() || s.LeaseEnd.IsZero() {
			t.Errorf("runs %d, state %s, expiry %v, lease end %v", h.runs.Load(), s.State, s.ExpireAt, s.LeaseEnd)
		}
		if diff := cmp.Diff([]string{letter.IndeterminateBy}, b.topic.reasons()); diff != "" {
			t.Errorf("letters (-want +got):\n%s", diff)
		}
	})
}

func TestOtherPayloadUnderTheKeyIsLetteredAndTheClaimStays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t), &work{policy: claim.AtMostOnce}
		b.runner.Deliver(t.Context(), h, message(t, "p", nil))
		before := b.stored(t)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "other", nil)), once.PayloadMismatch)
		if diff := cmp.Diff([]string{letter.PayloadMismatch}, b.topic.reasons()); diff != "" {
			t.Errorf("letters (-want +got):\n%s", diff)
		}
		if b.stored(t).WriteID != before.WriteID || h.runs.Load() != 1 {
			t.Error("the mismatch ran, or changed the claim")
		}
		b.topic.err = errBroken
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "third", nil)), once.Failed)
	})
}

func TestPoisonIsLetteredAtOnceWhateverThePolicy(t *testing.T) {
	for name, plan := range map[string]func(*envelope.Message) (once.Plan, error){
		"error":     func(*envelope.Message) (once.Plan, error) { return once.Plan{Key: "k1"}, errBroken },
		"panic":     func(*envelope.Message) (once.Plan, error) { panic("unreadable") },
		"no policy": func(*envelope.Message) (once.Plan, error) { return once.Plan{Key: "k1"}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b, h := newBench(t), &work{plan: plan}
				m := message(t, "p", map[string]string{letter.AttrKey: "k1"})
				outcome(t, b.runner.Deliver(t.Context(), h, m), once.DeadLettered)
				if s := b.stored(t); s.State != claim.Dead || s.ExpireAt.IsZero() || h.runs.Load() != 0 {
					t.Errorf("state %s, expiry %v, runs %d", s.State, s.ExpireAt, h.runs.Load())
				}
				if diff := cmp.Diff([]string{letter.Poison}, b.topic.reasons()); diff != "" {
					t.Errorf("letters (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestPoisonThatCannotBeLetteredIsRetried(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.topic.err = errBroken
		h := &work{plan: func(*envelope.Message) (once.Plan, error) { return once.Plan{}, errBroken }}
		m := message(t, "p", map[string]string{letter.AttrKey: "k1"})
		outcome(t, b.runner.Deliver(t.Context(), h, m), once.Failed)
		if s := b.stored(t); s.State != claim.Retry {
			t.Errorf("state %s, want RETRY", s.State)
		}
		b.topic.err = nil
		outcome(t, b.runner.Deliver(t.Context(), h, m), once.DeadLettered)
	})
}

func TestAttemptsEndInALetterWithTheLastError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t), &work{policy: claim.AtLeastOnce, run: func(context.Context, *once.Delivery) error { return errBroken }}
		for range 2 {
			outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Failed)
		}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.DeadLettered)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Duplicate)
		if h.runs.Load() != 3 || len(b.topic.letters) != 1 {
			t.Fatalf("runs %d, letters %d", h.runs.Load(), len(b.topic.letters))
		}
		l := b.topic.letters[0]
		got := []any{l.Reason, l.Attempts, l.Key, l.Handler, l.Source, l.Error, string(l.Data)}
		if diff := cmp.Diff([]any{letter.AttemptsSpent, 3, "k1", "restart", subscription, "broken", "p"}, got); diff != "" {
			t.Errorf("letter (-want +got):\n%s", diff)
		}
	})
}

func TestCrashedAttemptsCountToo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t, func(c *claim.Config, _ *once.Config) { c.MaxAttempts = 1 }), &work{policy: claim.AtLeastOnce}
		hang(t, b) // the owner is gone without a word
		pass(2 * time.Minute)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.DeadLettered)
		if h.runs.Load() != 0 {
			t.Error("it ran beyond its attempts")
		}
	})
}

func TestPanicParksAnEffectAndRetriesAnythingElse(t *testing.T) {
	for policy, want := range map[claim.Policy]struct {
		outcome once.Outcome
		state   claim.State
	}{
		claim.AtLeastOnce:          {once.Failed, claim.Retry},
		claim.AtMostOnce:           {once.Parked, claim.Indeterminate},
		claim.AtMostOnceAfterBegin: {once.Failed, claim.Retry},
	} {
		t.Run(string(policy), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b, h := newBench(t), &work{policy: policy, run: func(context.Context, *once.Delivery) error { panic("broken") }}
				outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), want.outcome)
				if s := b.stored(t); s.State != want.state {
					t.Errorf("state %s, want %s", s.State, want.state)
				}
			})
		})
	}
}

func TestHandlerIsCancelledBeforeItsLeaseEndsAndThenParked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var took time.Duration
		b, h := newBench(t), &work{policy: claim.AtMostOnce, run: func(ctx context.Context, _ *once.Delivery) error {
			start := time.Now()
			<-ctx.Done()
			took = time.Since(start)
			return ctx.Err()
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Parked)
		if took != 30*time.Second {
			t.Errorf("cancelled after %v", took)
		}
	})
}

func TestBrokenConnectionDoesNotCancelTheHandler(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b, h := newBench(t), &work{policy: claim.AtMostOnce, run: func(ctx context.Context, _ *once.Delivery) error {
			cancel()
			return ctx.Err()
		}}
		outcome(t, b.runner.Deliver(ctx, h, message(t, "p", nil)), once.Done)
	})
}

func TestEndOfTheProcessCancelsTheHandlerAndCostsNoAttempt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		life, end := context.WithCancel(t.Context())
		b := newBench(t, func(cc *claim.Config, c *once.Config) { c.Lifetime, cc.MaxAttempts = life, 1 })
		h := &work{policy: claim.AtLeastOnce, run: func(ctx context.Context, _ *once.Delivery) error {
			end()
			<-ctx.Done()
			return ctx.Err()
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Failed)
		if s := b.stored(t); s.State != claim.Retry || len(b.topic.letters) != 0 {
			t.Errorf("state %s with %d letters: the shutdown buried it", s.State, len(b.topic.letters))
		}
	})
}

func TestNotMineIsAcknowledgedUnrun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t), &work{policy: claim.AtMostOnce}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", map[string]string{letter.AttrHandler: "other"})), once.NotMine)
		if h.runs.Load() != 0 || b.mem.Len() != 0 {
			t.Error("another handler's event ran or was claimed")
		}
	})
}

func TestCacheAnswersWithoutTheStoreButOnlyForTheSamePayload(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t, func(_ *claim.Config, c *once.Config) { c.CacheSize = 1 }), &work{policy: claim.AtMostOnce}
		b.runner.Deliver(t.Context(), h, message(t, "p", nil))
		b.store.Plan()
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Duplicate)
		if n := b.store.Calls("any"); n != 0 {
			t.Errorf("a remembered duplicate called the store %d times", n)
		}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "other", nil)), once.PayloadMismatch)
	})
}

func TestCacheNeverRemembersWhatIsNotDone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		fail := true
		b := newBench(t, func(_ *claim.Config, c *once.Config) { c.CacheSize = 1 })
		h := &work{policy: claim.AtLeastOnce, run: func(context.Context, *once.Delivery) error {
			if fail {
				return errBroken
			}
			return nil
		}}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Failed)
		fail = false
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
	})
}

func TestCacheForgetsNothingOfADeadOneThatIsReplayed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, func(_ *claim.Config, c *once.Config) { c.CacheSize = 1 })
		answer := once.Permanent(errBroken, "broken")
		h := &work{policy: claim.AtLeastOnce, run: func(context.Context, *once.Delivery) error { return answer }}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.DeadLettered)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Duplicate)
		if _, err := b.claims.Replay(t.Context(), b.stored(t), "operator", "mended"); err != nil {
			t.Fatal(err)
		}
		answer = nil
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Done)
	})
}

func TestExpiredButPresentClaimCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t, func(c *claim.Config, _ *once.Config) { c.TTL = time.Second }), &work{policy: claim.AtMostOnce}
		b.runner.Deliver(t.Context(), h, message(t, "p", nil))
		pass(time.Hour)
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Duplicate)
	})
}

func TestHandlerCannotChangeKeyOrHash(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := &work{policy: claim.AtLeastOnce, run: func(_ context.Context, d *once.Delivery) error {
			d.Message.Data[0] = 'X'
			d.Message.Attributes[letter.AttrKey] = "other"
			return errBroken
		}}
		m := message(t, "p", map[string]string{letter.AttrKey: "k1"})
		b.runner.Deliver(t.Context(), h, m)
		if s := b.stored(t); s.PayloadHash != claim.PayloadHash([]byte("p")) || string(m.Data) != "p" {
			t.Error("the handler changed what its event is")
		}
	})
}

func TestRepeatableOnlyRefusesDestructiveWork(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, func(_ *claim.Config, c *once.Config) { c.RepeatableOnly = true })
		h := &work{policy: claim.AtMostOnce}
		outcome(t, b.runner.Deliver(t.Context(), h, message(t, "p", nil)), once.Failed)
		if h.runs.Load() != 0 || b.mem.Len() != 0 {
			t.Error("it ran, or was claimed")
		}
	})
}

func TestCancelledDeliveryClaimsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("gone"))
		b := newBench(t)
		outcome(t, b.runner.Deliver(ctx, &work{policy: claim.AtMostOnce}, message(t, "p", nil)), once.Failed)
		if b.mem.Len() != 0 {
			t.Error("a delivery that was over before it began left a claim")
		}
	})
}
