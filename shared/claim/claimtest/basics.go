package claimtest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
)

func testCreate(t *testing.T, h Harness, space string) {
	s, r := h.Open(t, space), sample("a")
	got := mustCreate(t, s, r)
	answered(t, "Create", got, r)
	read := holds(t, s, r, got.Version)
	if !read.Written.Equal(got.Written) {
		t.Errorf("Get answered written %v, Create %v", read.Written, got.Written)
	}
}

func testCreateExists(t *testing.T, h Harness, space string) {
	s := h.Open(t, space)
	for _, state := range claim.States {
		r := bare(string(state), state)
		first := mustCreate(t, s, r)
		other := sample(r.Key)
		met, err := s.Create(t.Context(), other)
		is(t, "Create over "+string(state), err, claim.ErrExists)
		if met.Version != "" { // it may show what stands
			met.Now = met.Written
			answered(t, "Create over "+string(state), met, r)
		}
		_, err = s.Create(t.Context(), r)
		is(t, "Create again by the same writer", err, claim.ErrExists)
		holds(t, s, r, first.Version)
	}
}

func testAbsent(t *testing.T, h Harness, space string) {
	s, r := h.Open(t, space), sample("a")
	_, err := s.Get(t.Context(), r.ID)
	is(t, "Get", err, claim.ErrNotFound)
	// A version as the backend makes them, but of another record.
	version := mustCreate(t, s, sample("b")).Version
	_, err = s.Swap(t.Context(), r.ID, version, r)
	// A store with one precondition for both can't tell absent from changed.
	if !errors.Is(err, claim.ErrNotFound) && !errors.Is(err, claim.ErrConflict) {
		t.Errorf("Swap answered %v, want ErrNotFound or ErrConflict", err)
	}
	_, err = s.Get(t.Context(), r.ID)
	is(t, "Get after the refused swap", err, claim.ErrNotFound)
}

func testSwap(t *testing.T, h Harness, space string) {
	s := h.Open(t, space)
	full, empty := sample("a"), bare("a", claim.Retry)
	v1 := mustCreate(t, s, full)
	v2 := mustSwap(t, s, v1.Version, empty)
	answered(t, "Swap", v2, empty)
	holds(t, s, empty, v2.Version)
	v3 := mustSwap(t, s, v2.Version, full)
	holds(t, s, full, v3.Version)

	if _, err := s.Swap(t.Context(), full.ID, v3.Version, sample("b")); err == nil {
		t.Error("Swap took a record that has another ID")
	}
	holds(t, s, full, v3.Version)
}

func testSwapConflict(t *testing.T, h Harness, space string) {
	s, r := h.Open(t, space), sample("a")
	v1 := mustCreate(t, s, r)
	r.WriteID = claim.NewToken()
	v2 := mustSwap(t, s, v1.Version, r)
	for _, version := range []string{v1.Version, "", "no version at all"} {
		_, err := s.Swap(t.Context(), r.ID, version, bare("a", claim.Done))
		is(t, "Swap on version "+version, err, claim.ErrConflict)
	}
	holds(t, s, r, v2.Version)
}

func testVersions(t *testing.T, h Harness, space string) {
	s, r := h.Open(t, space), sample("a")
	last := mustCreate(t, s, r)
	seen := map[string]bool{last.Version: true}
	for range 20 {
		r.WriteID = claim.NewToken() // what every writer does; nothing else changes
		next := mustSwap(t, s, last.Version, r)
		if seen[next.Version] {
			t.Fatalf("version %q came back", next.Version)
		}
		seen[next.Version] = true
		_, err := s.Swap(t.Context(), r.ID, last.Version, r)
		is(t, "Swap on the version before", err, claim.ErrConflict)
		last = next
	}
}

// testFull needs no space: a bounded store is its own.
func testFull(t *testing.T, h Harness, _ string) {
	s := h.OpenBounded(t, 3)
	live := mustCreate(t, s, bare("live", claim.Effect))
	mustCreate(t, s, bare("old", claim.Done))
	mustCreate(t, s, bare("new", claim.Done))
	mustCreate(t, s, bare("parked", claim.Indeterminate))
	_, err := s.Get(t.Context(), claim.ID("claimtest", "old"))
	is(t, "Get of the oldest DONE record", err, claim.ErrNotFound)
	mustCreate(t, s, bare("dead", claim.Dead))
	_, err = s.Create(t.Context(), bare("one too many", claim.Claimed))
	is(t, "Create on a store where nothing may be forgotten", err, claim.ErrFull)

	done := live.Record
	done.State = claim.Done
	if got := mustSwap(t, s, live.Version, done); !cmp.Equal(got.State, claim.Done) {
		t.Errorf("Swap on a full store answered state %s", got.State)
	}
	mustCreate(t, s, bare("one too many", claim.Claimed))
}
