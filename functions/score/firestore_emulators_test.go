//go:build emulators

package score_test

import (
	"crypto/rand"
	"net/http"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/functions/score"
	"onceway.internal/shared/backlog"
	"onceway.internal/shared/route/firestoreroute"
	"onceway.internal/test/servers"
)

func TestMain(m *testing.M) { servers.Main(m) }

// Two runs at once on the real state, each with a sample of another age: the newest stands.
func TestRunsAtOnceOnFirestoreLeaveTheNewestSample(t *testing.T) {
	t.Parallel()
	conn, err := grpc.NewClient(servers.Firestore(t), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	c, err := firestore.NewClient(t.Context(), "demo-project", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	state, err := firestoreroute.New(c, firestoreroute.Config{Prefix: rand.Text() + "-", Shards: 4})
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, 2)
	now := time.Now().UTC().Truncate(time.Millisecond)
	var all sync.WaitGroup
	for i := range 2 {
		h := s.handler(t, func(cfg *score.Config) {
			cfg.Store, cfg.Now, cfg.Gauges = state, time.Now, nil
			cfg.Source = answering{sample: backlog.Sample{At: now.Add(-time.Duration(i) * time.Minute), Undelivered: int64(100 + i)}, heavy: "dg02"}
		})
		all.Go(func() {
			if status, body, _ := call(t, h); status != http.StatusOK {
				t.Errorf("status %d: %s", status, body)
			}
		})
	}
	all.Wait()
	snap, err := state.Read(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	if f := snap.Figures["dg01"]["inbox"]; f.Backlog != 100 || !f.At.Equal(now) {
		t.Errorf("figure %+v, want the newest, 100", f)
	}
	r, at, err := state.Recommendation(t.Context(), "inbox")
	if err != nil || !r.ValidUntil.After(at) || len(r.Topics) == 0 {
		t.Errorf("recommendation %+v at %s, error %v", r, at, err)
	}
	past, err := state.History(t.Context(), now.Add(-time.Hour))
	if err != nil || len(past) == 0 || len(past) > 2 { // two where the minute ends meanwhile
		t.Errorf("%d entries of history, error %v", len(past), err)
	}
}
