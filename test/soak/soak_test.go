//go:build soak

package soak_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"onceway.internal/test/chaos/rig"
	"onceway.internal/test/servers"
	"onceway.internal/test/wire"
)

const (
	publishEvery = 200 * time.Millisecond // one event of each policy, for each store
	rollEvery    = 8 * time.Second
	patience     = 90 * time.Second
)

func TestMain(m *testing.M) { servers.Main(m) }

// howLong reads ONCEWAY_SOAK_FOR.
func howLong(t *testing.T) time.Duration {
	t.Helper()
	said := os.Getenv("ONCEWAY_SOAK_FOR")
	switch {
	case said == "" && os.Getenv("ONCEWAY_TEST_SHORT") == "1":
		return time.Minute
	case said == "":
		return 5 * time.Minute
	}
	d, err := time.ParseDuration(said)
	if err != nil || d < time.Minute {
		t.Fatalf("ONCEWAY_SOAK_FOR: %q is no duration of at least 1m", said)
	}
	return d
}

func TestWorkersKeepTheirPromisesAndStayAsTheyAre(t *testing.T) {
	d := howLong(t)
	binary := rig.Worker(t)
	for name, start := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, env := start(t)
			logs, err := os.Create(filepath.Join(t.ArtifactDir(), name+".log"))
			if err != nil {
				t.Fatal(err)
			}
			defer logs.Close()
			r, err := rig.Start(t.Context(), rig.Setup{
				Name: "soak-" + name, PubSub: servers.PubSub(t), Worker: binary, Env: env, Replicas: 2, Repeated: 0.2, Log: logs, Service: service(),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := r.Close(); err != nil {
					t.Errorf("clear up: %v", err)
				}
			}()
			s := &soak{rig: r, proxy: proxy, begun: time.Now()}
			if err := s.run(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			drained := r.Drain(t.Context(), patience)
			o := r.Outcome()
			t.Logf("%s: %v | %v", name, o, time.Since(s.begun).Round(time.Second))
			if !drained || !o.OK() {
				t.Errorf("%d messages are left; %d events acted twice or are unaccounted for: %v", r.Pending(), len(o.Wrong), o.Wrong[:min(len(o.Wrong), 20)])
			}
			s.checkLatency(t)
			s.checkGauges(t)
		})
	}
}

// service is mostly quick. Some requests take longer than a worker waits, and then
// have acted all the same.
func service() rig.Service {
	return rig.Service{
		Takes: func(event string) (before, after time.Duration) {
			switch d := rig.Draw(event, "takes"); {
			case d < 0.005:
				return 0, 3500 * time.Millisecond
			case d < 0.03:
				return 500 * time.Millisecond, time.Second
			default:
				return time.Duration(d * float64(10*time.Millisecond)), time.Duration(d * float64(20*time.Millisecond))
			}
		},
		Fails:   rig.Share(0.03, "fails"),
		Refuses: rig.Share(0.01, "refuses"),
	}
}

// soak is one store's run.
type soak struct {
	rig     *rig.Rig
	proxy   *wire.Proxy
	begun   time.Time
	outages []cut
	samples []sample
}

// run publishes for a while, with everything else beside it.
func (s *soak) run(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return s.rig.Publish(ctx, math.MaxInt, publishEvery) })
	all.Go(func() error { return s.rig.RollEach(ctx, rollEvery) })
	all.Go(func() error { s.cutEach(ctx, d); return nil })
	all.Go(func() error { return s.sampleEach(ctx) })
	return all.Wait()
}
