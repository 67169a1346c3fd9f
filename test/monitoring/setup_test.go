package monitoring_test

import (
	"sync"
	"testing"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"onceway.internal/test/monitoring"
)

const sub = "projects/demo-project/subscriptions/dg01-personalizer"

// bench is a stand-in with a clock and figures that the test moves, and the real client on it.
type bench struct {
	*monitoring.Server
	client *client.MetricClient

	mu      sync.Mutex
	now     time.Time
	figures map[string]monitoring.Figures
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{
		now:     time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		figures: map[string]monitoring.Figures{},
	}
	s, err := monitoring.New(monitoring.Config{Now: b.time, Source: b.source})
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
	b.Server, b.client = s, c
	return b
}

func (b *bench) time() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) source() map[string]monitoring.Figures {
	b.mu.Lock()
	defer b.mu.Unlock()
	copied := map[string]monitoring.Figures{}
	for k, v := range b.figures {
		copied[k] = v
	}
	return copied
}

func (b *bench) set(name string, f monitoring.Figures) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.figures[name] = f
}

// pass moves the clock by d.
func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// minute takes a sample and lets a period pass.
func (b *bench) minute() {
	b.Sample()
	b.pass(time.Minute)
}

func (b *bench) request(filter string) *monitoringpb.ListTimeSeriesRequest {
	return &monitoringpb.ListTimeSeriesRequest{
		Name:   "projects/demo-project",
		Filter: filter,
		Interval: &monitoringpb.TimeInterval{
			StartTime: timestamppb.New(b.time().Add(-10 * time.Minute)),
			EndTime:   timestamppb.New(b.time()),
		},
	}
}
