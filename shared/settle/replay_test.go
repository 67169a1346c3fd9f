package settle_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/settle"
)

var how = settle.Replay{By: "operator ada@acme.example", Why: "fixed"}

func TestReplayRunsADeadEventAgainUnderItsKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		l := b.bury(t)
		if err := b.settler.Replay(t.Context(), l, how); err != nil {
			t.Fatal(err)
		}
		s := b.stored(t)
		if s.State != claim.Retry || s.Epoch != 2 || s.Attempts != 0 || !s.ExpireAt.IsZero() {
			t.Errorf("state %s, epoch %d, attempts %d, expiry %v", s.State, s.Epoch, s.Attempts, s.ExpireAt)
		}
		if last := s.Trace[len(s.Trace)-1]; last.By != how.By {
			t.Errorf("the trace says that it was replayed by %q, want %q", last.By, how.By)
		}
		if len(b.events.sent) != 1 || b.events.sent[0].Attributes[letter.AttrKey] != "k1" || b.kept(t) != 0 {
			t.Errorf("published %+v, letters left %d", b.events.sent, b.kept(t))
		}
	})
}

func TestReplayReportsWhatItMustNotRun(t *testing.T) {
	for name, c := range map[string]struct {
		letter func(*testing.T, *bench) string
		want   error
	}{
		"done": {func(t *testing.T, b *bench) string {
			if err := b.take(t, claim.AtLeastOnce).Finish(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			return b.keep(t, 1, letter.Permanent)
		}, settle.ErrAlreadyDone},
		"parked": {func(t *testing.T, b *bench) string {
			b.park(t)
			return letter.ID(id, 1)
		}, settle.ErrParked},
		"payload mismatch": {func(t *testing.T, b *bench) string {
			b.take(t, claim.AtLeastOnce)
			return b.keep(t, 1, letter.PayloadMismatch)
		}, settle.ErrNeedsKey},
		"claim of another payload": {func(t *testing.T, b *bench) string {
			l := b.bury(t)
			other, _ := b.letters.Get(t.Context(), l)
			other.PayloadHash = "another"
			_ = b.letters.Put(t.Context(), other)
			return l
		}, settle.ErrNeedsKey},
		"forgotten": {func(t *testing.T, b *bench) string { return b.keep(t, 1, letter.Permanent) }, settle.ErrForgotten},
		"without a key": {func(t *testing.T, b *bench) string {
			return foreign(t, b, letter.Letter{})
		}, settle.ErrNeedsKey},
		"forwarded long ago": {func(t *testing.T, b *bench) string {
			l := foreign(t, b, letter.Letter{Key: "k1", Handler: "restart"})
			pass(25 * time.Hour)
			return l
		}, settle.ErrForgotten},
		"no such letter": {func(*testing.T, *bench) string { return "none" }, letter.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				l := c.letter(t, b)
				before := b.kept(t)
				if err := b.settler.Replay(t.Context(), l, how); !errors.Is(err, c.want) {
					t.Errorf("answered %v, want %v", err, c.want)
				}
				if len(b.events.sent) != 0 || b.kept(t) != before {
					t.Errorf("published %d, letters %d", len(b.events.sent), b.kept(t))
				}
			})
		})
	}
}

// foreign stores a letter that Pub/Sub's own policy forwarded.
func foreign(t *testing.T, b *bench, l letter.Letter) string {
	t.Helper()
	l.ID, l.Reason, l.Source = letter.ForeignID("dead", "9"), letter.Forwarded, source
	l.Data, l.PayloadHash, l.PublishedAt = []byte("p"), claim.PayloadHash([]byte("p")), time.Now()
	if err := b.letters.Put(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	return l.ID
}

func TestForwardedLetterReplaysUnderTheClaimThatAPersonMatched(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		b.bury(t)
		l := foreign(t, b, letter.Letter{})
		matched := how
		matched.ClaimID = id
		if err := b.settler.Replay(t.Context(), l, matched); err != nil {
			t.Fatal(err)
		}
		if len(b.events.sent) != 1 || b.events.sent[0].Attributes[letter.AttrKey] != "k1" || b.state(t) != claim.Retry {
			t.Errorf("published %+v, state %s", b.events.sent, b.state(t))
		}
	})
}

func TestForwardedLetterWithoutAClaimReplaysWhileClaimsAreRemembered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		l := foreign(t, b, letter.Letter{Key: "k1", Handler: "restart"})
		if err := b.settler.Replay(t.Context(), l, how); err != nil || len(b.events.sent) != 1 || b.kept(t) != 0 {
			t.Errorf("published %d, letters %d, %v", len(b.events.sent), b.kept(t), err)
		}
	})
}

func TestReplayUnderANewKeyAsksNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		l := b.keep(t, 1, letter.Permanent)
		if err := b.settler.Replay(t.Context(), l, settle.Replay{NewKey: true}); err != nil {
			t.Fatal(err)
		}
		if key := b.events.sent[0].Attributes[letter.AttrKey]; !strings.HasPrefix(key, "replay-") {
			t.Errorf("published under %q", key)
		}
	})
}

// TestReplayKeepsTheLetterOfAnOwnerAboutToParkOrBury: the owner published it already and
// goes on to swap; the duplicate is acknowledged then, and the letter is all that is left.
func TestReplayKeepsTheLetterOfAnOwnerAboutToParkOrBury(t *testing.T) {
	for _, policy := range []claim.Policy{claim.AtMostOnce, claim.AtLeastOnce} {
		t.Run(string(policy), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				b.take(t, policy)
				l := b.keep(t, 1, letter.Permanent)
				if err := b.settler.Replay(t.Context(), l, how); err != nil {
					t.Fatal(err)
				}
				if len(b.events.sent) != 1 || b.kept(t) != 1 {
					t.Errorf("published %d, letters %d, want one each", len(b.events.sent), b.kept(t))
				}
			})
		})
	}
}

func TestReplayOfAnEarlierEpochsLetterBesideALiveClaimRemovesIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		if err := b.take(t, claim.AtLeastOnce).Release(t.Context(), errDown, false); err != nil {
			t.Fatal(err)
		}
		b.take(t, claim.AtLeastOnce) // epoch 2
		l := b.keep(t, 1, letter.Permanent)
		if err := b.settler.Replay(t.Context(), l, how); err != nil || len(b.events.sent) != 1 || b.kept(t) != 0 {
			t.Errorf("published %d, letters %d, %v", len(b.events.sent), b.kept(t), err)
		}
	})
}
