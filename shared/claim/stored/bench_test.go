package stored_test

import (
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/stored"
)

// finished is a claim as most are: DONE, with a small result.
func finished() claim.Record {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	return claim.Record{
		ID: claim.ID("bench", "key"), Key: "key", Handler: "bench", Policy: claim.AtLeastOnce, State: claim.Done,
		Owner: claim.NewToken(), Epoch: 1, WriteID: claim.NewToken(), Attempts: 1, Lease: 5 * time.Minute,
		PayloadHash: claim.PayloadHash([]byte("data")), OperationID: claim.OperationID("bench", "key"),
		Result: []byte(`{"key":"key","run":1}`), CreatedAt: at, ExpireAt: at.AddDate(0, 0, 38),
		Trace: []claim.Step{{At: at, To: claim.Claimed, By: "owner", Epoch: 1}, {At: at, From: claim.Claimed, To: claim.Done, By: "owner", Epoch: 1}},
	}
}

func BenchmarkEncodeRecord(b *testing.B) {
	r := finished()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stored.EncodeRecord(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeRecord(b *testing.B) {
	encoded, err := stored.EncodeRecord(finished())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stored.DecodeRecord("id", encoded); err != nil {
			b.Fatal(err)
		}
	}
}
