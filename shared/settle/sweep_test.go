package settle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/settle"
)

func TestSweepAsksVerifyOnceParkedClaimsAreOldEnough(t *testing.T) {
	for name, c := range map[string]struct {
		v       verifier
		want    settle.Summary
		state   claim.State
		letters int
		sent    int
	}{
		"done":     {verifier{answer: once.EffectDone}, settle.Summary{Verified: 1, Done: 1}, claim.Done, 0, 0},
		"not done": {verifier{answer: once.EffectNotDone}, settle.Summary{Verified: 1, Retried: 1}, claim.Retry, 0, 1},
		"unknown":  {verifier{answer: once.Unknown}, settle.Summary{Verified: 1, Waiting: 1}, claim.Indeterminate, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				v := c.v
				b := newBench(t, &v)
				b.park(t)
				if diff := cmp.Diff(settle.Summary{Waiting: 1}, b.sweep(t)); diff != "" || len(v.asked) != 0 {
					t.Errorf("young, asked %d times (-want +got):\n%s", len(v.asked), diff)
				}
				pass(lease + settleAfter + 1)
				if diff := cmp.Diff(c.want, b.sweep(t)); diff != "" {
					t.Errorf("summary (-want +got):\n%s", diff)
				}
				if b.state(t) != c.state || b.kept(t) != c.letters || len(b.events.sent) != c.sent {
					t.Errorf("state %s, letters %d, published %d", b.state(t), b.kept(t), len(b.events.sent))
				}
				if want := "deployment payments " + claim.OperationID("restart", "k1"); v.asked[0] != want {
					t.Errorf("asked about %q", v.asked[0])
				}
			})
		})
	}
}

func TestSweepReportsAVerifierThatFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, &verifier{answer: once.EffectNotDone, err: errDown})
		b.park(t)
		pass(lease + settleAfter + 1)
		sum, err := b.settler.Sweep(t.Context())
		if err == nil || sum.Waiting != 1 || b.state(t) != claim.Indeterminate {
			t.Errorf("%+v, %v, state %s", sum, err, b.state(t))
		}
	})
}

// TestNotDoneIsSwappedOnTheVersionReadBeforeAsking: while Verify looks, the owner
// reports that it acted.
func TestNotDoneIsSwappedOnTheVersionReadBeforeAsking(t *testing.T) {
	bubble(t, func(t *testing.T) {
		v := &verifier{answer: once.EffectNotDone}
		b := newBench(t, v)
		h := b.take(t, claim.AtMostOnce)
		b.keep(t, 1, letter.IndeterminateBy)
		pass(lease + 1)
		if _, err := b.claims.Abandoned(t.Context(), b.stored(t), letter.IndeterminateBy); err != nil {
			t.Fatal(err)
		}
		v.during = func() {
			if err := h.Finish(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
		pass(settleAfter + 1)
		if sum := b.sweep(t); sum.Retried != 0 || sum.Dropped != 1 {
			t.Errorf("summary %+v", sum)
		}
		if b.state(t) != claim.Done || len(b.events.sent) != 0 {
			t.Errorf("state %s, published %d", b.state(t), len(b.events.sent))
		}
	})
}

func TestSweepReportsWhatNobodyRedelivers(t *testing.T) {
	for name, leave := range map[string]func(*testing.T, *bench){
		"owner gone": func(t *testing.T, b *bench) { b.take(t, claim.AtLeastOnce) },
		"effect":     func(t *testing.T, b *bench) { b.take(t, claim.AtMostOnce) },
		"given back": func(t *testing.T, b *bench) {
			if err := b.take(t, claim.AtLeastOnce).Release(t.Context(), errDown, false); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				leave(t, b)
				pass(lease + horizon)
				if sum := b.sweep(t); len(sum.Stranded) != 0 {
					t.Errorf("reported while it could still be redelivered: %v", sum.Stranded)
				}
				pass(1)
				if diff := cmp.Diff([]string{id}, b.sweep(t).Stranded); diff != "" {
					t.Errorf("stranded (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestSweepReportsUnreadableRecords(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		if _, err := b.mem.Create(t.Context(), claim.Record{ID: "x", State: "NEW"}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"x"}, b.sweep(t).Unreadable); diff != "" {
			t.Errorf("unreadable (-want +got):\n%s", diff)
		}
	})
}

func TestSweepDropsLettersOfWhatIsDoneAndNoOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := b.take(t, claim.AtLeastOnce)
		b.keep(t, 1, letter.Permanent)
		foreign(t, b, letter.Letter{})
		other := letter.Letter{ID: "m", Key: "k1", Handler: "restart", Reason: letter.PayloadMismatch, PayloadHash: "other"}
		if err := b.letters.Put(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		if sum := b.sweep(t); sum.Dropped != 0 {
			t.Errorf("dropped %d while the claim is live", sum.Dropped)
		}
		if err := h.Finish(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if sum := b.sweep(t); sum.Dropped != 1 || b.kept(t) != 2 {
			t.Errorf("dropped %d, kept %d", sum.Dropped, b.kept(t))
		}
	})
}
