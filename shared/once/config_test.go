package once_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/once"
)

func TestConfigNamesEveryFaultAtOnce(t *testing.T) {
	t.Parallel()
	err := once.Config{HandlerTimeout: -1, Margin: -1, WaitBound: -1, CacheSize: -1}.Validate()
	if err == nil {
		t.Fatal("an empty configuration is valid")
	}
	for _, part := range []string{"claims:", "dead letters:", "clock:", "log:", "lifetime:", "handler time-out", "margin", "publish time-out", "wait bound", "wait poll", "slots", "cache size"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no word of %q in:\n%v", part, err)
		}
	}
}

func TestTimesAreCheckedAgainstEachOther(t *testing.T) {
	t.Parallel()
	mem, err := memclaim.New(1, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	m, err := claim.NewMachine(claim.Config{
		Store: mem, Clock: clock.System{}, Lease: time.Minute, TTL: time.Hour, MaxAttempts: 1,
		StoreTimeout: time.Second, FinishBudget: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	good := once.Config{
		Claims: m, DeadLetters: &topic{}, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Lifetime: context.Background(),
		HandlerTimeout: 30 * time.Second, PublishTimeout: time.Second, WaitPoll: time.Second, Slots: 1,
		AckDeadline: 100 * time.Second, Margin: 10 * time.Second,
	}
	if err := good.Validate(); err != nil {
		t.Fatalf("a good configuration is refused: %v", err)
	}
	for name, c := range map[string]struct {
		change func(*once.Config)
		word   string
	}{
		"handler outlasts its lease":              {func(c *once.Config) { c.HandlerTimeout = time.Minute }, "shorter than the lease"},
		"takeover does not fit the ack deadline":  {func(c *once.Config) { c.AckDeadline = 99 * time.Second }, "fit into the ack deadline"},
		"heartbeat too slow for the lease":        {func(c *once.Config) { c.Heartbeat = 21 * time.Second }, "a third of the lease"},
		"heartbeat runs backwards":                {func(c *once.Config) { c.Heartbeat = -1 }, "a third of the lease"},
		"heartbeat does not excuse a short lease": {func(c *once.Config) { c.Heartbeat, c.HandlerTimeout = time.Second, time.Hour }, "fit into the ack deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := good
			c.change(&bad)
			if _, err := once.NewRunner(bad); err == nil || !strings.Contains(err.Error(), c.word) {
				t.Errorf("answered %v, want a word of %q", err, c.word)
			}
		})
	}
}
