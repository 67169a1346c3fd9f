//go:build emulators

package rediscounters_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/counters"
	"onceway.internal/shared/backlog/counters/counterstest"
	"onceway.internal/shared/backlog/counters/rediscounters"
	"onceway.internal/test/servers"
)

func TestMain(m *testing.M) { servers.Main(m) }

func open(t *testing.T) (*redis.Client, *rediscounters.Store) {
	t.Helper()
	o, err := redis.ParseURL(servers.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(o)
	t.Cleanup(func() { _ = client.Close() })
	s, err := rediscounters.New(client)
	if err != nil {
		t.Fatal(err)
	}
	return client, s
}

func TestStoreKeepsWhatCountersNeed(t *testing.T) {
	t.Parallel()
	_, s := open(t)
	counterstest.Run(t, s, func(t *testing.T) string { return strings.ReplaceAll(t.Name(), "/", "-") })
}

func TestWorkersInAnyLanguageCountWithPlainCommands(t *testing.T) {
	t.Parallel()
	client, s := open(t)
	live, err := counters.NewLive(s)
	if err != nil {
		t.Fatal(err)
	}
	q := backlog.Queue{Group: "dg01", Name: "personalizer", Project: "demo-project", Subscription: "dg01-personalizer"}
	for _, command := range [][]any{{"INCR", "dg01-personalizer"}, {"INCRBY", "dg01-personalizer", 4}, {"DECR", "dg01-personalizer"}} {
		if err := client.Do(t.Context(), command...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	got := live.Read(t.Context(), []backlog.Queue{q})
	if len(got.Errors) != 0 || got.Samples[q].Undelivered != 4 || !got.Samples[q].Live {
		t.Errorf("reading %+v, want a live 4", got)
	}
	if ttl := client.TTL(t.Context(), "dg01-personalizer").Val(); ttl != -1 {
		t.Errorf("the counter expires in %s: it would read as absent", ttl)
	}
}

func TestKeyThatIsNoNumberIsAnErrorAndNotAZero(t *testing.T) {
	t.Parallel()
	client, s := open(t)
	live, err := counters.NewLive(s)
	if err != nil {
		t.Fatal(err)
	}
	q := backlog.Queue{Group: "dg77", Name: "inbox"}
	client.Set(t.Context(), "dg77-inbox", "many", 0)
	if got := live.Read(t.Context(), []backlog.Queue{q}); len(got.Errors) != 1 || len(got.Samples) != 0 {
		t.Errorf("reading %+v, want an error and no figure", got)
	}
}
