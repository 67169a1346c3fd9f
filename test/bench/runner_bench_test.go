package main

import (
	"testing"
	"time"

	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/once"
)

// BenchmarkDeliver is one new event through the runner on memory claims: what to
// profile when the bench store shows that the runner costs too much.
func BenchmarkDeliver(b *testing.B) {
	mem, err := memclaim.New(100_000, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	runner, err := newRunner(mem, 1)
	if err != nil {
		b.Fatal(err)
	}
	ids := newEventIDs()
	b.ReportAllocs()
	for b.Loop() {
		m, err := message(ids.next())
		if err != nil {
			b.Fatal(err)
		}
		if rep := runner.Deliver(b.Context(), idle{}, m); rep.Outcome != once.Done {
			b.Fatal(rep.Outcome, rep.Err)
		}
	}
}
