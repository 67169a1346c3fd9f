package claimtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
)

func testList(t *testing.T, h Harness, space string) {
	s := h.Open(t, space)
	want := map[claim.State]map[string]claim.Stored{}
	for i, state := range claim.States {
		want[state] = map[string]claim.Stored{}
		for n := range i * 7 { // none of the first state, 35 of the last
			r := bare(fmt.Sprintf("%s-%d", state, n), state)
			if state == claim.Done || state == claim.Dead {
				r.ExpireAt = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
			}
			want[state][r.ID] = mustCreate(t, s, r)
		}
	}
	// One that moves between states is listed in the last.
	moved := want[claim.Claimed][claim.ID("claimtest", "CLAIMED-0")]
	delete(want[claim.Claimed], moved.ID)
	done := moved.Record
	done.State = claim.Done
	want[claim.Done][done.ID] = mustSwap(t, s, moved.Version, done)

	for _, state := range claim.States {
		for _, limit := range []int{1, 7, 1000} {
			got := listAll(t, s, state, limit)
			for id := range got { // the time of reading is no part of the record
				r := got[id]
				r.Now = r.Written
				got[id] = r
			}
			if diff := cmp.Diff(want[state], got, sameRecord); diff != "" {
				t.Errorf("%s in pages of %d (-want +got):\n%s", state, limit, diff)
			}
		}
	}
}

// listAll pages through a state and refuses a record that comes twice.
func listAll(t *testing.T, s claim.Lister, state claim.State, limit int) map[string]claim.Stored {
	t.Helper()
	all := map[string]claim.Stored{}
	for page, pages := "", 0; ; pages++ {
		records, next, err := s.List(t.Context(), state, page, limit)
		if err != nil {
			t.Fatalf("List %q: %v", state, err)
		}
		if len(records) > limit {
			t.Fatalf("List answered %d records at a limit of %d", len(records), limit)
		}
		for _, r := range records {
			if _, ok := all[r.ID]; ok {
				t.Errorf("%s was listed twice", r.ID)
			}
			if r.Now.Before(r.Written) {
				t.Errorf("%s was listed at %v, before it was written at %v", r.ID, r.Now, r.Written)
			}
			all[r.ID] = r
		}
		if next == "" {
			return all
		}
		if pages > 1000 {
			t.Fatal("List never ends")
		}
		page = next
	}
}

func testListArguments(t *testing.T, h Harness, space string) {
	s := h.Open(t, space)
	for _, limit := range []int{-1, 0, 1001} {
		if _, _, err := s.List(t.Context(), claim.Done, "", limit); err == nil {
			t.Errorf("List took a limit of %d", limit)
		}
	}
	for _, page := range []string{"\xff/\x00", "1 nan x", "1 2 \x00/\xff", strings.Repeat("/", 100), "__a__"} {
		for _, state := range []claim.State{claim.Done, claim.Indeterminate, ""} {
			// Where a page begins after an ID, any text may be one.
			if _, _, err := s.List(t.Context(), state, page, 10); err != nil && !errors.Is(err, claim.ErrPage) {
				t.Errorf("List of state %q from page %q answered %v, want ErrPage", state, page, err)
			}
		}
	}
	if records, next, err := s.List(t.Context(), claim.Done, "", 10); err != nil || len(records) > 0 || next != "" {
		t.Errorf("List of nothing answered %d records, next %q, %v", len(records), next, err)
	}
}

func testUnreadable(t *testing.T, h Harness, space string) {
	s, r := h.Open(t, space), bare("a", claim.Retry)
	mustCreate(t, s, r)
	mustCreate(t, s, bare("whole", claim.Retry))
	h.Spoil(t, space, r.ID)

	got, err := s.Get(t.Context(), r.ID)
	is(t, "Get", err, claim.ErrUnreadable)
	if diff := cmp.Diff(claim.Record{ID: r.ID}, got.Record); diff != "" {
		t.Errorf("an unreadable record came with more than its ID:\n%s", diff)
	}
	if got.Version == "" || got.Written.IsZero() || got.Now.IsZero() {
		t.Errorf("version %q, written %v, now %v: want all three", got.Version, got.Written, got.Now)
	}
	if got.LeaseOver() {
		t.Error("the lease of an unreadable record counts as over")
	}
	_, err = s.Create(t.Context(), r)
	is(t, "Create over an unreadable record", err, claim.ErrExists)

	listed := listAll(t, s, "", 10)
	for _, state := range claim.States {
		for id, rec := range listAll(t, s, state, 10) {
			listed[id] = rec
		}
	}
	if rec, ok := listed[r.ID]; !ok || rec.State != "" {
		t.Errorf("the unreadable record is listed: %t, in state %q; want true and none", ok, rec.State)
	}
	if len(listed) != 2 {
		t.Errorf("%d records are listed, want the unreadable one and the whole one", len(listed))
	}
	// A person may settle it, by its version.
	repaired := mustSwap(t, s, got.Version, r)
	holds(t, s, r, repaired.Version)
}

func testCancelled(t *testing.T, h Harness, space string) {
	s, r := h.Open(t, space), sample("a")
	stored := mustCreate(t, s, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func() error{
		"Create": func() error { _, err := s.Create(ctx, sample("b")); return err },
		"Get":    func() error { _, err := s.Get(ctx, r.ID); return err },
		"Swap":   func() error { _, err := s.Swap(ctx, r.ID, stored.Version, r); return err },
		"List":   func() error { _, _, err := s.List(ctx, claim.Claimed, "", 10); return err },
	}
	for name, call := range calls {
		answer := make(chan error, 1)
		go func() { answer <- call() }()
		select {
		case err := <-answer:
			if err == nil {
				t.Errorf("%s succeeded on a cancelled context", name)
			}
			for _, definite := range []error{claim.ErrExists, claim.ErrNotFound, claim.ErrConflict, claim.ErrFull} {
				if errors.Is(err, definite) {
					t.Errorf("%s answered %v for a cancelled context", name, err)
				}
			}
		case <-time.After(patience):
			t.Errorf("%s did not return on a cancelled context", name)
		}
	}
}
