package claimtest

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"onceway.internal/shared/claim"
)

// sample is a record of its own for key, with every field set, times in whole
// microseconds: what every backend keeps.
func sample(key string) claim.Record {
	at := time.Date(2026, 5, 4, 3, 2, 1, 987654000, time.UTC)
	return claim.Record{
		ID:          claim.ID("claimtest", key),
		Key:         key,
		Handler:     "claimtest",
		Subject:     "deployment/payments",
		Policy:      claim.AtMostOnceAfterBegin,
		State:       claim.Claimed,
		Owner:       claim.NewToken(),
		Epoch:       3,
		WriteID:     claim.NewToken(),
		Attempts:    2,
		Lease:       5*time.Minute + 7*time.Nanosecond,
		LeaseEnd:    at.Add(time.Hour),
		PayloadHash: claim.PayloadHash([]byte(key)),
		OperationID: claim.OperationID("claimtest", key),
		Reason:      "attempts-spent",
		LastError:   "post: connection refused",
		Result:      []byte{0, 1, 0xff},
		Republish:   true,
		Trace: []claim.Step{
			{At: at, To: claim.Claimed, By: "owner", Epoch: 1},
			{At: at.Add(time.Microsecond), From: claim.Claimed, To: claim.Retry, By: "owner", Epoch: 1},
		},
		CreatedAt: at,
		ExpireAt:  at.AddDate(100, 0, 0),
		Summary:   "restart payments, from space “Ops”",
	}
}

// bare is a record with hardly any field set.
func bare(key string, state claim.State) claim.Record {
	return claim.Record{
		ID: claim.ID("claimtest", key), Key: key, Handler: "claimtest",
		Policy: claim.AtLeastOnce, State: state, WriteID: claim.NewToken(), Epoch: 1, Lease: time.Minute,
	}
}

// sameRecord compares all that must come back. An empty trace is no trace, but
// an empty result is not no result. Bytes are compared at once: one by one, the
// largest result would take seconds under the race detector.
var sameRecord = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Trace" }, cmpopts.EquateEmpty()),
	cmp.Comparer(func(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }),
}

func mustCreate(t *testing.T, s claim.Store, r claim.Record) claim.Stored {
	t.Helper()
	got, err := s.Create(t.Context(), r)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	return got
}

func mustSwap(t *testing.T, s claim.Store, version string, r claim.Record) claim.Stored {
	t.Helper()
	got, err := s.Swap(t.Context(), r.ID, version, r)
	if err != nil {
		t.Fatalf("Swap: %v", err)
	}
	return got
}

// holds checks that the store holds r at this version.
func holds(t *testing.T, s claim.Store, r claim.Record, version string) claim.Stored {
	t.Helper()
	got, err := s.Get(t.Context(), r.ID)
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	if diff := cmp.Diff(r, got.Record, sameRecord); diff != "" {
		t.Errorf("stored record differs (-want +got):\n%s", diff)
	}
	if got.Version != version {
		t.Errorf("Get answered version %q, the write %q", got.Version, version)
	}
	return got
}

// answered checks what a write answered about itself.
func answered(t *testing.T, op string, got claim.Stored, r claim.Record) {
	t.Helper()
	if diff := cmp.Diff(r, got.Record, sameRecord); diff != "" {
		t.Errorf("%s answered with another record (-want +got):\n%s", op, diff)
	}
	if got.Version == "" {
		t.Errorf("%s answered no version", op)
	}
	if got.Written.IsZero() || !got.Now.Equal(got.Written) {
		t.Errorf("%s answered written %v, now %v; want one time, not zero", op, got.Written, got.Now)
	}
}

func is(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s answered %v, want %v", what, err, want)
	}
}
