//go:build emulators

package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
)

var errRefused = errors.New("refused for good")

// dead leaves an event that was given up and answers with its claim's and letter's IDs.
func (b *bench) dead(t *testing.T) (id, letterID string) {
	t.Helper()
	h := b.take(t, "k1", letter.Permanent)
	if err := h.Release(t.Context(), errRefused, true); err != nil {
		t.Fatal(err)
	}
	e, err := b.claims.Take(t.Context(), claim.Request{Handler: "relay", Key: "k1", PayloadHash: claim.PayloadHash(data), Policy: claim.AtMostOnce, Bury: true})
	if err != nil || e.Meeting != claim.Taken {
		t.Fatalf("take again: %v, %v", e.Meeting, err)
	}
	if err := e.Hold.Kill(t.Context(), letter.Permanent, errRefused); err != nil {
		t.Fatal(err)
	}
	return h.Stored().ID, letter.ID(h.Stored().ID, 1)
}

func TestLettersAreListedAndShownWithoutObeyingThem(t *testing.T) {
	b := newBench(t)
	_, l := b.dead(t)
	for name, args := range map[string][]string{"list": {"deadletters", "list"}, "show": {"deadletters", "show", l}} {
		r := ctl(t, b.env, "", args...)
		if r.status != 0 || !strings.Contains(r.out, l) || strings.Contains(r.out, "payments") {
			t.Errorf("%s: exit %d, said %q, printed %s", name, r.status, r.err, r.out)
		}
		inert(t, r.out)
	}
	if r := ctl(t, b.env, "", "deadletters", "show", l, "--body"); !strings.Contains(r.out, string(data)) {
		t.Errorf("no body in %s", r.out)
	}
	var list struct{ Letters []letter.Letter }
	if r := ctl(t, b.env, "", "-o", "json", "deadletters", "list"); json.Unmarshal([]byte(r.out), &list) != nil || len(list.Letters) != 1 || list.Letters[0].ID != l {
		t.Errorf("list: exit %d, printed %s", r.status, r.out)
	}
	var one letter.Letter
	if r := ctl(t, b.env, "", "-o", "json", "deadletters", "show", l); json.Unmarshal([]byte(r.out), &one) != nil || one.Key != "k1" || one.Data != nil {
		t.Errorf("show: exit %d, printed %s", r.status, r.out)
	}
}

func TestReplayIsConfirmedAndRunsADeadEventUnderItsKey(t *testing.T) {
	b := newBench(t)
	id, l := b.dead(t)
	if r := ctl(t, b.env, "no\n", "--why", "fixed", "deadletters", "replay", l); r.status != exitNo || b.state(t, id) != claim.Dead || len(b.audited(t)) != 0 {
		t.Errorf("refused: exit %d, state %s, audited %v", r.status, b.state(t, id), b.audited(t))
	}
	if r := ctl(t, b.env, "", "--yes", "--why", "fixed", "deadletters", "replay", l); r.status != 0 {
		t.Fatalf("exit %d, said %s", r.status, r.err)
	}
	got := b.published(t)
	if len(got) != 1 || got[0].Attributes[letter.AttrKey] != "k1" || b.state(t, id) != claim.Retry {
		t.Errorf("published %v, state %s", got, b.state(t, id))
	}
	if want := []string{"replay done", "replay started"}; !cmp.Equal(b.audited(t), want) {
		t.Errorf("audited %v, want %v", b.audited(t), want)
	}
}

func TestLetterOfWhatIsDoneIsReportedAndNotRun(t *testing.T) {
	b := newBench(t)
	h := b.take(t, "k1", letter.Permanent)
	if err := h.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	l := letter.ID(h.Stored().ID, 1)
	r := ctl(t, b.env, "", "--yes", "--why", "fixed", "deadletters", "replay", l)
	if r.status != exitRefused || !strings.Contains(r.err, "already done") || b.state(t, h.Stored().ID) != claim.Done {
		t.Errorf("exit %d, said %s", r.status, r.err)
	}
	if _, err := b.letters(t).Get(t.Context(), l); err != nil {
		t.Errorf("the letter is gone: %v", err)
	}
	if want := []string{"replay started", "replay unknown"}; !cmp.Equal(b.audited(t), want) {
		t.Errorf("audited %v, want %v", b.audited(t), want)
	}
}

func TestDroppingIsConfirmedAndAudited(t *testing.T) {
	b := newBench(t)
	_, l := b.dead(t)
	if r := ctl(t, b.env, "\n", "--why", "junk", "deadletters", "drop", l); r.status != exitNo {
		t.Errorf("exit %d", r.status)
	} else {
		inert(t, r.err)
	}
	if _, err := b.letters(t).Get(t.Context(), l); err != nil {
		t.Errorf("dropped without a yes: %v", err)
	}
	if r := ctl(t, b.env, "y\n", "--why", "junk", "deadletters", "drop", l); r.status != 0 {
		t.Errorf("exit %d, said %s", r.status, r.err)
	}
	if _, err := b.letters(t).Get(t.Context(), l); !errors.Is(err, letter.ErrNotFound) {
		t.Errorf("still there: %v", err)
	}
	if want := []string{"drop done", "drop started"}; !cmp.Equal(b.audited(t), want) {
		t.Errorf("audited %v, want %v", b.audited(t), want)
	}
	if r := ctl(t, b.env, "", "--yes", "--why", "junk", "deadletters", "drop", l); r.status != exitRefused {
		t.Errorf("dropping what is gone: exit %d", r.status)
	}
}
