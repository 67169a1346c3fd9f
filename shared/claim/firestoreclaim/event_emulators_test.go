//go:build emulators

package firestoreclaim_test

import (
	"context"
	"log/slog"
	"path"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
)

type planned struct{ policy claim.Policy }

func (planned) Name() string { return "planned" }
func (p planned) Plan(*envelope.Message) (once.Plan, error) {
	return once.Plan{Policy: p.policy}, nil
}

func (p planned) Run(ctx context.Context, d *once.Delivery) error {
	if p.policy != claim.AtMostOnceAfterBegin {
		return nil
	}
	_, err := d.Begin(ctx)
	return err
}

type noLetters struct{ t *testing.T }

func (n noLetters) Publish(context.Context, letter.Letter) error {
	n.t.Error("a letter was published")
	return nil
}

// TestWhatAnEventCosts counts at the wire what whole deliveries ask of the store.
func TestWhatAnEventCosts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy     claim.Policy
		cache      int
		event, dup map[string]int
	}{
		"at least once":            {claim.AtLeastOnce, 0, map[string]int{"Commit": 2}, map[string]int{"Commit": 1, "BatchGetDocuments": 1}},
		"at most once":             {claim.AtMostOnce, 0, map[string]int{"Commit": 2}, map[string]int{"Commit": 1, "BatchGetDocuments": 1}},
		"at most once after Begin": {claim.AtMostOnceAfterBegin, 0, map[string]int{"Commit": 3}, map[string]int{"Commit": 1, "BatchGetDocuments": 1}},
		"duplicate in the cache":   {claim.AtLeastOnce, 10, map[string]int{"Commit": 2}, map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tap := &wiretap{}
			m, err := claim.NewMachine(claim.Config{
				Store: open(t, connect(t, tap), claim.NewToken()), Clock: clock.System{}, Lease: 2 * time.Minute, TTL: time.Hour,
				MaxAttempts: 5, StoreTimeout: time.Minute, FinishBudget: time.Minute,
			})
			if err != nil {
				t.Fatal(err)
			}
			r, err := once.NewRunner(once.Config{
				Claims: m, DeadLetters: noLetters{t}, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Lifetime: context.Background(),
				HandlerTimeout: time.Minute, PublishTimeout: time.Second, WaitPoll: time.Second, Slots: 1, CacheSize: c.cache,
			})
			if err != nil {
				t.Fatal(err)
			}
			msg, err := envelope.FromPulled(envelope.Pulled{ID: "1", Data: []byte("x")})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []map[string]int{c.event, c.dup} {
				outcome := []once.Outcome{once.Done, once.Duplicate}[i]
				if rep := r.Deliver(t.Context(), planned{c.policy}, msg); rep.Outcome != outcome {
					t.Fatalf("outcome = %s (%v), want %s", rep.Outcome, rep.Err, outcome)
				}
				got := map[string]int{}
				for method, n := range tap.take() {
					got[path.Base(method)] += n
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("RPCs of %s (-want +got):\n%s", outcome, diff)
				}
			}
		})
	}
}
