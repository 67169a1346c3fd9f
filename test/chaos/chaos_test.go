//go:build chaos

package chaos_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"onceway.internal/test/chaos/rig"
	"onceway.internal/test/servers"
)

// size is how much is done to one store.
type size struct {
	events   int // of each policy
	every    time.Duration
	replicas int // of each policy
	parked   int // at least so many must be parked, or no kill landed in a handler
	patience time.Duration
}

var (
	full  = size{events: 3000, every: 24 * time.Millisecond, replicas: 4, parked: 21, patience: patience}
	short = size{events: 200, every: 40 * time.Millisecond, replicas: 2, parked: 1, patience: patience}
)

const (
	killEvery = time.Second
	repeated  = 0.3
	patience  = 90 * time.Second
)

func isShort() bool { return os.Getenv("ONCEWAY_TEST_SHORT") == "1" }

func TestNoEventActsTwiceOrIsLostWhileWorkersAreKilled(t *testing.T) {
	sz := full
	if isShort() {
		sz = short
	}
	binary := rig.Worker(t)
	for _, store := range []struct {
		name string
		env  func(testing.TB) map[string]string
	}{
		{"firestore", func(t testing.TB) map[string]string {
			return map[string]string{"ONCEWAY_CLAIMS": "firestore", "FIRESTORE_EMULATOR_HOST": servers.Firestore(t)}
		}},
		{"redis", func(t testing.TB) map[string]string {
			return map[string]string{"ONCEWAY_CLAIMS": "redis", "ONCEWAY_REDIS_URL": servers.Redis(t)}
		}},
		{"postgres", func(t testing.TB) map[string]string {
			return map[string]string{"ONCEWAY_CLAIMS": "postgres", "ONCEWAY_POSTGRES_URL": servers.Postgres(t)}
		}},
	} {
		t.Run(store.name, func(t *testing.T) {
			o := play(t, store.name, sz, binary, store.env(t))
			if !o.OK() {
				t.Errorf("%d events acted twice or are unaccounted for: %v", len(o.Wrong), o.Wrong[:min(len(o.Wrong), 20)])
			}
			if o.AtMostOnce.Published != sz.events || o.AtLeastOnce.Published != sz.events {
				t.Errorf("%d and %d events were published, want %d each", o.AtMostOnce.Published, o.AtLeastOnce.Published, sz.events)
			}
			if o.AtMostOnce.Parked < sz.parked || o.AtLeastOnce.Parked > 0 {
				t.Errorf("%d at-most-once events were parked, want at least %d; %d at-least-once, want none", o.AtMostOnce.Parked, sz.parked, o.AtLeastOnce.Parked)
			}
		})
	}
}

// TestSubscribersWithoutClaimsActTwice is the control: what the suite looks for is there
// to be seen.
func TestSubscribersWithoutClaimsActTwice(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := play(t, "control", short, self, map[string]string{bareEnv: "1"})
	if o.AtMostOnce.ActedTwice < short.events/10 {
		t.Errorf("only %d events acted twice: the suite would not see that claims are missing", o.AtMostOnce.ActedTwice)
	}
	if o.OK() {
		t.Error("the control counts as a success")
	}
}

// play publishes, kills all the while, waits until everything was acknowledged, and
// prints the counts.
func play(t *testing.T, name string, sz size, binary string, env map[string]string) rig.Outcome {
	t.Helper()
	begun := time.Now()
	logs, err := os.Create(filepath.Join(t.ArtifactDir(), name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	r, err := rig.Start(t.Context(), rig.Setup{
		Name: "chaos-" + name, PubSub: servers.PubSub(t), Worker: binary, Env: env, Replicas: sz.replicas, Repeated: repeated, Log: logs,
		Service: rig.Service{Takes: func(event string) (before, after time.Duration) {
			return part(rig.Draw(event, "before")), part(rig.Draw(event, "after"))
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Errorf("clear up: %v", err)
		}
	}()
	kill, stop := context.WithCancel(t.Context())
	killed := make(chan error, 1)
	go func() { killed <- r.KillEach(kill, killEvery) }()
	perr := r.Publish(t.Context(), sz.events, sz.every)
	stop()
	if err := <-killed; err != nil || perr != nil {
		t.Fatalf("kill: %v; publish: %v", err, perr)
	}
	r.Drain(t.Context(), sz.patience)
	o := r.Outcome()
	t.Logf("%s: %v | %v", name, o, time.Since(begun).Round(time.Second))
	if left := r.Pending(); left > 0 {
		t.Errorf("%d messages are left, and nothing happens any more", left)
	}
	return o
}

// part is one half of a handler's 5 to 200 ms.
func part(draw float64) time.Duration {
	return 2500*time.Microsecond + time.Duration(draw*float64(97500*time.Microsecond))
}
