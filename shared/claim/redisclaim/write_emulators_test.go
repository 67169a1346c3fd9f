//go:build emulators

package redisclaim_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/redisclaim"
	"onceway.internal/test/servers"
)

// TestRefusedCreateShowsWhatStands saves a duplicate its second trip.
func TestRefusedCreateShowsWhatStands(t *testing.T) {
	t.Parallel()
	client := connect(t, servers.Redis(t))
	s, r := open(t, client, "shows:"), record("a", claim.Claimed)
	made, err := s.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	met, err := s.Create(t.Context(), record("a", claim.Effect))
	if !errors.Is(err, claim.ErrExists) {
		t.Fatalf("Create answered %v, want ErrExists", err)
	}
	if met.Now.Before(made.Now) {
		t.Errorf("the record stands at %v, and was made at %v", met.Now, made.Now)
	}
	met.Now = made.Now
	if diff := cmp.Diff(made, met); diff != "" {
		t.Errorf("what a refused create shows (-want +got):\n%s", diff)
	}
	if err := client.HSet(t.Context(), redisclaim.ClaimKey("shows:", r.ID), "record", "{").Err(); err != nil {
		t.Fatal(err)
	}
	if met, err = s.Create(t.Context(), r); !errors.Is(err, claim.ErrExists) || met.Version != "" {
		t.Errorf("Create over a damaged record showed version %q and %v", met.Version, err)
	}
}

func TestRecordLeavesItsIndexWhoeverWroteItLast(t *testing.T) {
	t.Parallel()
	client := connect(t, servers.Redis(t))
	s := open(t, client, "left:")
	for name, spoil := range map[string]func(t *testing.T, key string, v claim.Stored) error{
		"this version": func(*testing.T, string, claim.Stored) error { return nil },
		"one that knows no place": func(t *testing.T, key string, _ claim.Stored) error {
			return client.HDel(t.Context(), key, "place").Err()
		},
		"one that left the place of another version": func(t *testing.T, key string, v claim.Stored) error {
			return client.HSet(t.Context(), key, "place", "1 "+string(claim.Done)).Err()
		},
	} {
		r := record(name, claim.Claimed)
		v, err := s.Create(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if err := spoil(t, redisclaim.ClaimKey("left:", r.ID), v); err != nil {
			t.Fatal(err)
		}
		next := r
		next.State, next.WriteID = claim.Retry, claim.NewToken()
		if _, err := s.Swap(t.Context(), r.ID, v.Version, next); err != nil {
			t.Fatal(err)
		}
		for _, state := range claim.States {
			_, err := client.ZScore(t.Context(), redisclaim.StateKey("left:", r.ID, state), r.ID).Result()
			if listed := err == nil; listed != (state == claim.Retry) {
				t.Errorf("written last by %s: listed as %s: %t (%v)", name, state, listed, err)
			}
		}
	}
}

func TestRecordMadeAnewIsNotListedWhereItExpired(t *testing.T) {
	t.Parallel()
	client := connect(t, servers.Redis(t))
	s, r := open(t, client, "anew:"), record("a", claim.Done)
	r.ExpireAt = time.Now().Add(48 * time.Hour)
	if _, err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := client.Del(t.Context(), redisclaim.ClaimKey("anew:", r.ID)).Err(); err != nil { // as expiry does
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), record("a", claim.Claimed)); err != nil {
		t.Fatal(err)
	}
	for state, want := range map[claim.State]int{claim.Done: 0, claim.Claimed: 1} {
		if records, _, err := s.List(t.Context(), state, "", 10); err != nil || len(records) != want {
			t.Errorf("%d records listed as %s, want %d: %v", len(records), state, want, err)
		}
	}
}
