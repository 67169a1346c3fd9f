package memclaim_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
)

func TestNewRefusesWhatItCannotWorkWith(t *testing.T) {
	t.Parallel()
	if _, err := memclaim.New(0, time.Now); err == nil {
		t.Error("New took a capacity of 0")
	}
	if _, err := memclaim.New(1, nil); err == nil {
		t.Error("New took a nil clock")
	}
	if _, err := memclaim.NewLetters(0, time.Now); err == nil {
		t.Error("NewLetters took a capacity of 0")
	}
	if _, err := memclaim.NewLetters(1, nil); err == nil {
		t.Error("NewLetters took a nil clock")
	}
}

func TestFullStoreForgetsOnlyDoneOldestWriteFirst(t *testing.T) {
	t.Parallel()
	ctx, store := t.Context(), open(t, 3)
	create(t, store, "live", claim.Effect)
	first := create(t, store, "first", claim.Done)
	create(t, store, "second", claim.Done)
	// The write counts, not the creation: "second" is now the oldest.
	if _, err := store.Swap(ctx, "first", first.Version, first.Record); err != nil {
		t.Fatal(err)
	}
	create(t, store, "third", claim.Retry)
	if got, want := present(t, store), []string{"first", "live", "third"}; !cmp.Equal(got, want) {
		t.Errorf("held %v, want %v", got, want)
	}
	create(t, store, "fourth", claim.Dead)
	if _, err := store.Create(ctx, claim.Record{ID: "fifth", State: claim.Claimed}); !errors.Is(err, claim.ErrFull) {
		t.Errorf("a store full of claims that matter answered %v, want ErrFull", err)
	}
	if got, want := present(t, store), []string{"fourth", "live", "third"}; !cmp.Equal(got, want) {
		t.Errorf("held %v, want %v", got, want)
	}
}

func TestVersionOfAForgottenRecordNeverReturns(t *testing.T) {
	t.Parallel()
	store := open(t, 1)
	old := create(t, store, "a", claim.Done)
	create(t, store, "b", claim.Done)
	create(t, store, "a", claim.Claimed)
	if _, err := store.Swap(t.Context(), "a", old.Version, old.Record); !errors.Is(err, claim.ErrConflict) {
		t.Errorf("swap on a version of an earlier life answered %v, want ErrConflict", err)
	}
}

func TestStoreTimeStaysWhenTheClockStepsBack(t *testing.T) {
	t.Parallel()
	clock := time.Unix(1000, 0)
	store, err := memclaim.New(10, func() time.Time { return clock })
	if err != nil {
		t.Fatal(err)
	}
	made := create(t, store, "a", claim.Claimed)
	clock = clock.Add(-time.Hour)
	got, err := store.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got.Now.Before(made.Written) {
		t.Errorf("store time went back from %v to %v", made.Written, got.Now)
	}
}

func TestDoneWrittenOverAndOverKeepsTheStoreSmall(t *testing.T) {
	t.Parallel()
	store := open(t, 2)
	s := create(t, store, "a", claim.Done)
	for range 1000 {
		var err error
		if s, err = store.Swap(t.Context(), "a", s.Version, s.Record); err != nil {
			t.Fatal(err)
		}
	}
	if n := memclaim.DoneListed(store); n > 20 {
		t.Errorf("the list of DONE records grew to %d for one record", n)
	}
}

func TestSnapshotBringsBackContentTimeAndVersions(t *testing.T) {
	t.Parallel()
	clock := time.Unix(1000, 0)
	store, err := memclaim.New(10, func() time.Time { return clock })
	if err != nil {
		t.Fatal(err)
	}
	a := create(t, store, "a", claim.Claimed)
	snap := store.Snapshot()
	twin := store.Clone()

	replay := func(s *memclaim.Store) claim.Stored {
		r := a.Record
		r.State, r.Trace = claim.Done, append(r.Trace, claim.Step{To: claim.Done})
		got, err := s.Swap(t.Context(), "a", a.Version, r)
		if err != nil {
			t.Fatal(err)
		}
		create(t, s, "b", claim.Claimed)
		return got
	}
	first := replay(store)
	store.Restore(snap)
	if got, want := present(t, store), []string{"a"}; !cmp.Equal(got, want) {
		t.Fatalf("restored %v, want %v", got, want)
	}
	for name, s := range map[string]*memclaim.Store{"restored": store, "clone": twin} {
		if diff := cmp.Diff(first, replay(s)); diff != "" {
			t.Errorf("%s store repeats the calls differently (-first +again):\n%s", name, diff)
		}
	}
	store.Restore(memclaim.Snapshot{})
	create(t, store, "a", claim.Claimed)
}

func TestCallersCannotReachIntoTheStore(t *testing.T) {
	t.Parallel()
	store := open(t, 1)
	r := claim.Record{ID: "a", Result: []byte("kept"), Trace: []claim.Step{{By: "owner"}}}
	if _, err := store.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Result[0], r.Trace[0].By = 'X', "X"
	got, _ := store.Get(t.Context(), "a")
	got.Result[1], got.Trace[0].By = 'X', "X"
	again, _ := store.Get(t.Context(), "a")
	if string(again.Result) != "kept" || again.Trace[0].By != "owner" {
		t.Errorf("stored record changed to %q, %+v", again.Result, again.Trace)
	}
}

func BenchmarkCreateSwap(b *testing.B) {
	store, err := memclaim.New(10_000, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	ids := make([]string, 1<<16)
	for i := range ids {
		ids[i] = claim.ID("bench", fmt.Sprint(i))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := claim.Record{ID: ids[i%len(ids)], State: claim.Claimed, Trace: make([]claim.Step, 1)}
		s, err := store.Create(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		s.State = claim.Done
		if _, err := store.Swap(b.Context(), s.ID, s.Version, s.Record); err != nil {
			b.Fatal(err)
		}
	}
}
