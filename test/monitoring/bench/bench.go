// Package bench is the stand-in for Cloud Monitoring over real gRPC, Google's client on
// it, and a clock and figures that a test moves.
package bench

import (
	"maps"
	"sync"
	"testing"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"

	"onceway.internal/test/monitoring"
)

// Noon is when every Bench begins.
var Noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Bench is safe for concurrent use. It ends with its test.
type Bench struct {
	*monitoring.Server
	Client *client.MetricClient

	mu      sync.Mutex
	now     time.Time
	figures map[string]monitoring.Figures // by subscription
}

// New starts a Bench. scopes is as in monitoring.Config.
func New(t testing.TB, scopes map[string][]string) *Bench {
	t.Helper()
	b := &Bench{now: Noon, figures: map[string]monitoring.Figures{}}
	s, err := monitoring.New(monitoring.Config{Now: b.Now, Source: b.source, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	address, stop, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	c, err := client.NewMetricClient(t.Context(), monitoring.Options(address)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	b.Server, b.Client = s, c
	return b
}

// Now is the clock's time.
func (b *Bench) Now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *Bench) source() map[string]monitoring.Figures {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.figures)
}

// Set gives a subscription, by its full name, figures for the samples to come.
func (b *Bench) Set(subscription string, f monitoring.Figures) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.figures[subscription] = f
}

// Pass moves the clock by d.
func (b *Bench) Pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// Minutes lets n minutes pass, with a sample at the begin of each.
func (b *Bench) Minutes(n int) {
	for range n {
		b.Sample()
		b.Pass(time.Minute)
	}
}
