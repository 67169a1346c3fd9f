package monitoring_test

import (
	"maps"
	"sync"
	"testing"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/monitoring"
	standin "onceway.internal/test/monitoring"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// bench is the stand-in over real gRPC, with a clock and figures that the test moves.
type bench struct {
	*standin.Server
	client *client.MetricClient

	mu      sync.Mutex
	now     time.Time
	figures map[string]standin.Figures
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{now: noon, figures: map[string]standin.Figures{}}
	s, err := standin.New(standin.Config{
		Now: b.time, Source: b.source, Scopes: map[string][]string{"demo-project": {"globex-project"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	address, stop, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	c, err := client.NewMetricClient(t.Context(), standin.Options(address)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	b.Server, b.client = s, c
	return b
}

func (b *bench) time() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) source() map[string]standin.Figures {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.figures)
}

func (b *bench) set(q backlog.Queue, f standin.Figures) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.figures["projects/"+q.Project+"/subscriptions/"+q.Subscription] = f
}

// minutes lets n minutes pass, with a sample at the begin of each.
func (b *bench) minutes(n int) {
	for range n {
		b.Sample()
		b.mu.Lock()
		b.now = b.now.Add(time.Minute)
		b.mu.Unlock()
	}
}

func (b *bench) reader(t *testing.T, change func(*monitoring.Config)) *monitoring.Reader {
	t.Helper()
	cfg := monitoring.Config{Dial: monitoring.Given(b.client), Now: b.time}
	if change != nil {
		change(&cfg)
	}
	r, err := monitoring.NewReader(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func queue(project, subscription string) backlog.Queue {
	return backlog.Queue{Group: "dg01", Name: "personalizer", Project: project, Subscription: subscription}
}
