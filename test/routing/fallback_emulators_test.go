//go:build emulators

package routing_test

import (
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"
	"google.golang.org/grpc/codes"

	"onceway.internal/functions/score"
	"onceway.internal/shared/backlog/monitoring"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
	standin "onceway.internal/test/monitoring"
	"onceway.internal/test/servers"
)

// metrics is Cloud Monitoring's stand-in, whose clock may be behind.
type metrics struct {
	*standin.Server
	behind  atomic.Int64 // nanoseconds
	backlog atomic.Int64 // of every queue that is seen
	client  *client.MetricClient
}

// newMetrics serves what the groups hold: backlog messages in every queue but
// those of groups that it has never seen.
func newMetrics(t *testing.T, c groups.Config, backlog int64, unseen ...string) *metrics {
	t.Helper()
	skip := map[string]bool{}
	for _, id := range unseen {
		skip[id] = true
	}
	m := &metrics{}
	m.backlog.Store(backlog)
	figures := func() map[string]standin.Figures {
		all := map[string]standin.Figures{}
		for _, g := range c.Groups {
			for _, q := range g.Queues {
				if !skip[g.ID] {
					all[q.SubscriptionName()] = standin.Figures{Undelivered: m.backlog.Load()}
				}
			}
		}
		return all
	}
	var err error
	m.Server, err = standin.New(standin.Config{
		Source: figures,
		Period: time.Minute, MinLag: time.Nanosecond, MaxLag: time.Nanosecond,
		Now: func() time.Time { return time.Now().Add(-time.Duration(m.behind.Load())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	addr, stop, err := m.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	if m.client, err = client.NewMetricClient(t.Context(), standin.Options(addr)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.client.Close() })
	return m
}

// sampledAgo takes a sample that age old, which is visible at once.
func (m *metrics) sampledAgo(age time.Duration) {
	m.behind.Store(int64(age))
	m.Sample()
	m.behind.Store(0)
}

// scored runs Score as Cloud Scheduler would.
func (b *bench) scored(t *testing.T, m *metrics) error {
	t.Helper()
	reader, err := monitoring.NewReader(monitoring.Config{Dial: monitoring.Given(m.client), Timeout: 2 * time.Second, Window: 25 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	h, err := score.New(score.Config{Groups: b.groups, Source: reader, Store: b.state, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Run(t.Context())
	return err
}

func (b *bench) must(t *testing.T, m *metrics) {
	t.Helper()
	if err := b.scored(t, m); err != nil {
		t.Fatalf("score: %v", err)
	}
}

func TestTheDocumentedRuleAnswers(t *testing.T) {
	addr := servers.Firestore(t)
	all := func(c groups.Config) (ids []string) {
		for _, g := range c.Groups {
			ids = append(ids, g.ID)
		}
		return ids
	}
	gap := func(m *metrics, c groups.Config) {
		for _, g := range c.Groups {
			for _, q := range g.Queues {
				m.Gap(q.SubscriptionName())
			}
		}
	}
	gone := func(m *metrics) { m.Fail(standin.Fault{Code: codes.Unavailable}) }
	tests := map[string]struct {
		arrange func(t *testing.T, b *bench)
		rule    route.Rule
		data    route.Data // of the group that was chosen
	}{
		"Monitoring as it should be": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 10)
			m.sampledAgo(2 * time.Minute)
			b.must(t, m)
		}, route.ByCorrected, route.Fresh},
		"zero series": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 10)
			m.sampledAgo(4 * time.Minute) // a queue that never had a message has no series
			m.backlog.Store(0)
			m.sampledAgo(2 * time.Minute)
			b.must(t, m)
		}, route.ByCorrected, route.Zero},
		"Monitoring gone since eight minutes": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 10)
			m.sampledAgo(8 * time.Minute)
			b.must(t, m)
			gone(m)
			if err := b.scored(t, m); err == nil {
				t.Error("Score says nothing about Monitoring being gone")
			}
		}, route.ByHeldStale, route.Stale},
		"stale figures": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 10)
			m.sampledAgo(7 * time.Minute)
			b.must(t, m)
		}, route.ByHeldStale, route.Stale},
		"series missing since two minutes": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 10)
			m.sampledAgo(2 * time.Minute)
			b.must(t, m)
			b.forgetSeries(t)
		}, route.ByHeldMissing, route.Missing},
		"series missing for longer than they are held": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 10)
			m.sampledAgo(12 * time.Minute)
			b.must(t, m)
			b.forgetSeries(t)
		}, route.ByCapacity, route.Missing},
		"Monitoring gone from the start": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 10)
			gone(m)
			_ = b.scored(t, m)
		}, route.ByCapacity, route.Never},
		"no series at all": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 10, all(b.groups)...)
			gap(m, b.groups)
			b.must(t, m)
		}, route.ByCapacity, route.Never},
		"one new group without a series": {func(t *testing.T, b *bench) {
			m := newMetrics(t, b.groups, 1e6, "dg05")
			m.sampledAgo(time.Minute)
			b.must(t, m)
		}, route.ByProbe, route.Never},
		"Score never ran": {func(*testing.T, *bench) {}, route.ByCapacity, route.Never},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, addr)
			tt.arrange(t, b)
			r, err := b.router(nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := r.Assign(t.Context(), route.Campaign{ID: "c", Customer: "globex", Size: 100})
			if err != nil {
				t.Fatal(err)
			}
			if a.Rule != tt.rule || !a.Recorded {
				t.Errorf("rule %s (%s), recorded %v; want rule %s", a.Rule, a.Reason, a.Recorded, tt.rule)
			}
			if d := a.Candidates[0].Data; a.Candidates[0].Group != a.Group || d != tt.data {
				t.Errorf("chosen for its %s figures, want %s", d, tt.data)
			}
		})
	}
}

// forgetSeries runs Score on a Monitoring that answers and has no series.
func (b *bench) forgetSeries(t *testing.T) {
	t.Helper()
	b.must(t, newMetrics(t, b.groups, 0, func() (ids []string) {
		for _, g := range b.groups.Groups {
			ids = append(ids, g.ID)
		}
		return ids
	}()...))
}

func TestFirestoreGone(t *testing.T) {
	server, err := servers.StartFirestore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop := func() {
		if !stopped {
			stopped = true
			if err := server.Stop(); err != nil {
				t.Error(err)
			}
		}
	}
	defer stop()

	b := newBench(t, server.Addr)
	b.sampled(t)
	soon := func(c *route.Config) { c.ReadTimeout, c.CommitTimeout = 3*time.Second, 3*time.Second }
	r, err := b.router(soon)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := r.Assign(t.Context(), route.Campaign{ID: "before", Size: 100}); err != nil || a.Rule != route.ByCorrected {
		t.Fatalf("before: %+v, %v", a, err)
	}
	stop()

	briefly := func(c *route.Config) { c.ReadTimeout, c.CommitTimeout = 200*time.Millisecond, 200*time.Millisecond }
	tests := map[string]struct {
		groups func(groups.Config) groups.Config
		rule   route.Rule
	}{
		"nothing known: open groups": {func(c groups.Config) groups.Config { return c }, route.ByStateDownOpen},
		"nothing known and none open: the default topic": {func(c groups.Config) groups.Config {
			c.Groups = append([]groups.Group(nil), c.Groups...)
			for i := range c.Groups {
				c.Groups[i].Open = false
			}
			return c
		}, route.ByStateDownDefault},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fresh, err := b.router(func(c *route.Config) { briefly(c); c.Groups = tt.groups(c.Groups) })
			if err != nil {
				t.Fatal(err)
			}
			a, err := fresh.Assign(t.Context(), route.Campaign{ID: "new", Size: 100})
			if err != nil || a.Rule != tt.rule || a.Recorded || a.Topic == "" {
				t.Errorf("%+v, %v; want rule %s, unrecorded", a, err, tt.rule)
			}
		})
	}
	t.Run("groups and reservations as last known", func(t *testing.T) {
		var last route.Assignment
		deadline := time.Now().Add(time.Minute)
		for last.Rule != route.ByStateDown && time.Now().Before(deadline) {
			if last, err = r.Assign(t.Context(), route.Campaign{ID: "after", Size: 100}); err != nil {
				t.Fatal(err)
			}
		}
		if last.Rule != route.ByStateDown || last.Recorded || last.Group == "" {
			t.Errorf("%+v", last)
		}
	})
}
