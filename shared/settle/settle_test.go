package settle_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/publish"
	"onceway.internal/shared/settle"
)

func TestConfigNamesEveryFaultAtOnce(t *testing.T) {
	t.Parallel()
	_, err := settle.New(settle.Config{})
	if err == nil {
		t.Fatal("an empty configuration is valid")
	}
	for _, part := range []string{"claims:", "lister:", "letters:", "publisher:", "topics:", "horizon:", "verify time-out:", "pages:"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no word of %q in %v", part, err)
		}
	}
}

func TestDoneEndsAParkedClaimAndDropsItsLetter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.park(t)
		rec, err := b.settler.SettleDone(t.Context(), b.stored(t), "operator", "it acted")
		if err != nil || rec.State != claim.Done || rec.ExpireAt.IsZero() || b.kept(t) != 0 {
			t.Errorf("state %s, expiry %v, letters %d, %v", rec.State, rec.ExpireAt, b.kept(t), err)
		}
		if _, err := b.settler.SettleDone(t.Context(), b.stored(t), "operator", "again"); !errors.Is(err, claim.ErrState) {
			t.Errorf("settling what is DONE: %v", err)
		}
	})
}

func TestRetryIsRefusedUntilTheOwnerCannotActAnyMore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.park(t)
		parked := time.Now()
		for range 3 {
			if _, err := b.settler.SettleRetry(t.Context(), b.stored(t), "operator", "it did not"); !errors.Is(err, claim.ErrTooEarly) {
				t.Fatalf("too early: %v", err)
			}
			if time.Since(parked) < lease+settleAfter { // to the very end, and not beyond it
				pass((lease + settleAfter) / 2)
			}
		}
		if b.state(t) != claim.Indeterminate || len(b.events.sent) != 0 {
			t.Errorf("state %s, %d published", b.state(t), len(b.events.sent))
		}
		pass(1)
		if _, err := b.settler.SettleRetry(t.Context(), b.stored(t), "operator", "it did not"); err != nil {
			t.Errorf("after lease end and settle-after: %v", err)
		}
	})
}

func TestRetryPublishesTheEventWithItsKeyForItsHandlerAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.park(t)
		pass(lease + settleAfter + 1)
		rec, err := b.settler.SettleRetry(t.Context(), b.stored(t), "operator", "it did not")
		if err != nil || rec.State != claim.Retry || rec.Epoch != 2 || rec.Attempts != 0 || rec.Owner != "" {
			t.Errorf("record %+v, %v", rec.Record, err)
		}
		want := []publish.Message{{Data: []byte("p"), Attributes: map[string]string{
			"colour": "blue", letter.AttrKey: "k1", letter.AttrHandler: "restart",
		}}}
		if diff := cmp.Diff(want, b.events.sent); diff != "" {
			t.Errorf("published (-want +got):\n%s", diff)
		}
		if b.events.to[0] != topicName || b.kept(t) != 0 {
			t.Errorf("published to %s, letters left %d", b.events.to[0], b.kept(t))
		}
	})
}

func TestRetryWithoutItsLetterChangesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.park(t)
		if err := b.letters.Delete(t.Context(), letter.ID(id, 1)); err != nil {
			t.Fatal(err)
		}
		pass(lease + settleAfter + 1)
		if _, err := b.settler.SettleRetry(t.Context(), b.stored(t), "operator", "it did not"); !errors.Is(err, settle.ErrNoLetter) {
			t.Errorf("answered %v, want ErrNoLetter", err)
		}
		if b.state(t) != claim.Indeterminate {
			t.Errorf("state %s: the event would be lost", b.state(t))
		}
	})
}

// TestRetryOnAnOldLookIsRefused: what a person saw before the claim changed counts for nothing.
func TestRetryOnAnOldLookIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.park(t)
		pass(lease + settleAfter + 1)
		seen := b.stored(t)
		if _, err := b.settler.SettleRetry(t.Context(), b.stored(t), "operator", "somebody else"); err != nil {
			t.Fatal(err)
		}
		again := b.take(t, claim.AtMostOnce)
		b.keep(t, again.Stored().Epoch, letter.IndeterminateBy)
		if err := again.Park(t.Context(), letter.IndeterminateBy, errDown); err != nil {
			t.Fatal(err)
		}
		pass(lease + settleAfter + 1)
		b.keep(t, 1, letter.IndeterminateBy)
		if _, err := b.settler.SettleRetry(t.Context(), seen, "operator", "late"); !errors.Is(err, claim.ErrConflict) {
			t.Errorf("answered %v, want ErrConflict", err)
		}
	})
}

// TestBrokenOffRetryIsFinishedBySweep breaks off after each step.
func TestBrokenOffRetryIsFinishedBySweep(t *testing.T) {
	for name, c := range map[string]struct {
		broken    func(*bench)
		mend      func(*bench)
		published int // in all
	}{
		"swap's reply lost": {
			func(b *bench) {
				b.store.Plan(claimtest.Fault{Op: claimtest.Swap, When: claimtest.After, Err: errDown}, claimtest.Fault{Op: claimtest.Get, Err: errDown})
			},
			func(b *bench) { b.store.Plan() }, 1,
		},
		"not published": {func(b *bench) { b.events.err = errDown }, func(b *bench) { b.events.err = nil }, 1},
		"letter left":   {func(b *bench) { b.letters.err = errDown }, func(b *bench) { b.letters.err = nil }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				b.park(t)
				pass(lease + settleAfter + 1)
				c.broken(b)
				if _, err := b.settler.SettleRetry(t.Context(), b.stored(t), "operator", "it did not"); err == nil {
					t.Fatal("nothing broke")
				}
				c.mend(b)
				if b.state(t) != claim.Retry || b.kept(t) != 1 {
					t.Fatalf("broken off at %s with %d letters", b.state(t), b.kept(t))
				}
				if sum := b.sweep(t); sum.Finished != 1 {
					t.Errorf("sweep finished %d", sum.Finished)
				}
				if len(b.events.sent) != c.published || b.kept(t) != 0 {
					t.Errorf("published %d times, letters left %d", len(b.events.sent), b.kept(t))
				}
				if sum := b.sweep(t); sum.Finished != 0 || len(b.events.sent) != c.published {
					t.Error("the next sweep published it once more")
				}
			})
		})
	}
}

func TestLettersOfCallsAreNotPublished(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.park(t)
		l, err := b.letters.Get(t.Context(), letter.ID(id, 1))
		if err != nil {
			t.Fatal(err)
		}
		l.Source = "call/restart"
		if !once.FromCall(l) {
			t.Fatal("not the letter of a call")
		}
		if err := b.letters.Put(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		pass(lease + settleAfter + 1)
		rec, err := b.settler.SettleRetry(t.Context(), b.stored(t), "operator", "it did not")
		if err != nil || rec.State != claim.Retry || len(b.events.sent) != 0 || b.kept(t) != 0 {
			t.Errorf("state %s, published %d, letters %d, %v", rec.State, len(b.events.sent), b.kept(t), err)
		}
	})
}
