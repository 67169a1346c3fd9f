//go:build emulators

package routing_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/firestoregroups"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/firestoreroute"
	"onceway.internal/test/servers"
)

// A router process is this test binary again, with this variable set.
const processEnv = "ONCEWAY_TEST_ROUTER"

func TestMain(m *testing.M) {
	if os.Getenv(processEnv) != "" {
		if err := routerProcess(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	servers.Main(m)
}

// bench is routing on a Firestore, with collections of its own.
type bench struct {
	groups groups.Config
	client *firestore.Client
	state  *firestoreroute.Store
	live   *firestoregroups.Store
	prefix string
}

func newBench(t *testing.T, addr string, opts ...grpc.DialOption) *bench {
	t.Helper()
	b, stop, err := openBench(t.Context(), addr, rand.Text()+"-", opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return b
}

// openBench connects by itself: with the emulator's variable set, the client
// library would ignore interceptors.
func openBench(ctx context.Context, addr, prefix string, opts ...grpc.DialOption) (*bench, func(), error) {
	c, err := groups.Load("../../infra/groups.yaml")
	if err != nil {
		return nil, nil, err
	}
	conn, err := grpc.NewClient(addr, append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		return nil, nil, err
	}
	client, err := firestore.NewClient(ctx, "demo-project", option.WithGRPCConn(conn))
	if err != nil {
		return nil, nil, err
	}
	b := &bench{groups: c.InProject("demo-project"), client: client, prefix: prefix}
	if b.live, err = firestoregroups.New(client, prefix); err != nil {
		return nil, nil, err
	}
	if b.state, err = firestoreroute.New(client, firestoreroute.Config{Prefix: prefix, Shards: 4}); err != nil {
		return nil, nil, err
	}
	return b, func() { _ = client.Close() }, nil
}

// router is a new one, as a process that has just started has it.
func (b *bench) router(change func(*route.Config)) (*route.Router, error) {
	cfg := route.DefaultConfig(b.groups)
	// The emulator on a busy machine is slower than Firestore.
	cfg.ReadTimeout, cfg.CommitTimeout = 30*time.Second, 30*time.Second
	if change != nil {
		change(&cfg)
	}
	return route.New(cfg, route.Deps{
		State: b.state, Now: time.Now, Rand: mathrand.Float64, Token: rand.Text,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
}

// sampled writes a fresh figure for every queue: an empty one, as of now.
func (b *bench) sampled(t *testing.T) {
	t.Helper()
	snap, err := b.state.Read(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	f := route.Figures{}
	for _, g := range b.groups.Groups {
		f[g.ID] = map[string]route.Figure{}
		for _, q := range g.Queues {
			f[g.ID][q.Name] = route.Figure{At: snap.At, Checked: snap.At}
		}
	}
	if _, err := b.state.PutFigures(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// ledger sums messages and campaigns by group.
func (b *bench) ledger(t *testing.T) (messages, campaigns map[string]int64) {
	t.Helper()
	snap, err := b.state.Read(t.Context(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	messages, campaigns = map[string]int64{}, map[string]int64{}
	for _, k := range snap.Ledger {
		messages[k.Group] += k.Size
		campaigns[k.Group] += k.Count
	}
	return messages, campaigns
}
