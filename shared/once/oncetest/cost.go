package oncetest

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
)

// Calls are round trips by what they are called at the wire.
type Calls map[string]int

// RoundTrips are calls where the wire has no name for them.
func RoundTrips(n int) Calls {
	if n == 0 {
		return Calls{}
	}
	return Calls{RoundTrip: n}
}

// RoundTrip is what RoundTrips calls them.
const RoundTrip = "round trips"

// Meter counts what deliveries ask of a store.
type Meter struct {
	// Write and Read are what one write and one read are called; they may be the same.
	Write, Read string
	// Shows says that a refused create answers with what stands, so that a duplicate
	// reads nothing.
	Shows bool
	// Open returns an empty store and a function that answers with the calls that
	// left this process since it was last asked.
	Open func(t *testing.T) (s claim.Store, since func() Calls)
}

// kind is an event whose deliveries are counted.
type kind struct {
	policy claim.Policy
	cache  int
	writes int // of its first delivery, which reads nothing
	// of a second delivery, after DONE
	dupWrites, dupReads int
}

var kinds = map[string]kind{
	"at least once":            {policy: claim.AtLeastOnce, writes: 2, dupWrites: 1, dupReads: 1},
	"at most once":             {policy: claim.AtMostOnce, writes: 2, dupWrites: 1, dupReads: 1},
	"at most once after Begin": {policy: claim.AtMostOnceAfterBegin, writes: 3, dupWrites: 1, dupReads: 1},
	"duplicate in the cache":   {policy: claim.AtLeastOnce, cache: 10, writes: 2},
}

// Costs delivers events through a Runner, each twice, and checks and prints how many
// round trips that took. What a connection costs at first (its handshake, statements
// to prepare, scripts to load) is paid before by another event.
func Costs(t *testing.T, m Meter) {
	t.Helper()
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, since := m.Open(t)
			r, h := runner(t, store, k.cache), planned{k.policy}
			deliver(t, r, h, "first", once.Done)
			deliver(t, runner(t, store, 0), h, "first", once.Duplicate)
			since()
			deliver(t, r, h, "event", once.Done)
			event := since()
			deliver(t, r, h, "event", once.Duplicate)
			dup := since()
			t.Logf("%s: an event costs %v, a duplicate of it %v", name, event, dup)
			if diff := cmp.Diff(m.calls(k.writes, 0), event); diff != "" {
				t.Errorf("round trips of an event (-want +got):\n%s", diff)
			}
			if m.Shows {
				k.dupReads = 0
			}
			if diff := cmp.Diff(m.calls(k.dupWrites, k.dupReads), dup); diff != "" {
				t.Errorf("round trips of a duplicate (-want +got):\n%s", diff)
			}
		})
	}
}

func (m Meter) calls(writes, reads int) Calls {
	c := Calls{}
	if writes > 0 {
		c[m.Write] += writes
	}
	if reads > 0 {
		c[m.Read] += reads
	}
	return c
}

func runner(t *testing.T, store claim.Store, cache int) *once.Runner {
	t.Helper()
	m, err := claim.NewMachine(claim.Config{
		Store: store, Clock: clock.System{}, Lease: 2 * time.Minute, TTL: time.Hour,
		MaxAttempts: 5, StoreTimeout: time.Minute, FinishBudget: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := once.NewRunner(once.Config{
		Claims: m, DeadLetters: noLetters{}, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Lifetime: context.Background(),
		HandlerTimeout: time.Minute, PublishTimeout: time.Second, WaitPoll: time.Second, Slots: 1, CacheSize: cache,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func deliver(t *testing.T, r *once.Runner, h once.Handler, id string, want once.Outcome) {
	t.Helper()
	msg, err := envelope.FromPulled(envelope.Pulled{ID: id, Data: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	if rep := r.Deliver(t.Context(), h, msg); rep.Outcome != want {
		t.Fatalf("outcome = %s (%v), want %s", rep.Outcome, rep.Err, want)
	}
}

// planned is a handler that does nothing under its policy.
type planned struct{ policy claim.Policy }

func (planned) Name() string { return "planned" }

func (p planned) Plan(*envelope.Message) (once.Plan, error) { return once.Plan{Policy: p.policy}, nil }

func (p planned) Run(ctx context.Context, d *once.Delivery) error {
	if p.policy != claim.AtMostOnceAfterBegin {
		return nil
	}
	_, err := d.Begin(ctx)
	return err
}

type noLetters struct{}

func (noLetters) Publish(_ context.Context, l letter.Letter) error {
	return fmt.Errorf("no letter is expected, got one for %s", l.Reason)
}
