package score_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"

	"onceway.internal/functions/score"
	"onceway.internal/shared/backlog/monitoring"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/memroute"
	standin "onceway.internal/test/monitoring"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// site is Score with everything beneath it real: the client library on the
// stand-in over gRPC, and the state in memory. The test moves the clock.
type site struct {
	*standin.Server
	groups groups.Config
	store  *memroute.Store
	client *client.MetricClient
	reader *monitoring.Reader
	log    *slog.Logger // one for all handlers: it takes turns at the buffer
	logged *bytes.Buffer

	mu      sync.Mutex
	now     time.Time
	figures map[string]standin.Figures
}

// newSite has n groups of four queues; every second group is in another project.
func newSite(t *testing.T, n int) *site {
	t.Helper()
	s := &site{now: noon, figures: map[string]standin.Figures{}, groups: config(n), logged: &bytes.Buffer{}}
	s.log = slog.New(slog.NewTextHandler(s.logged, nil))
	var err error
	if s.Server, err = standin.New(standin.Config{Now: s.time, Source: s.source}); err != nil {
		t.Fatal(err)
	}
	address, stop, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	if s.client, err = client.NewMetricClient(t.Context(), standin.Options(address)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.client.Close() })
	if s.reader, err = monitoring.NewReader(monitoring.Config{Dial: monitoring.Given(s.client), Now: s.time}); err != nil {
		t.Fatal(err)
	}
	if s.store, err = memroute.New(memgroups.New(s.time), s.time); err != nil {
		t.Fatal(err)
	}
	return s
}

func config(n int) groups.Config {
	c := groups.Config{Default: "dg01"}
	for i := range n {
		g := groups.Group{ID: fmt.Sprintf("dg%02d", i+1)}
		project := []string{"demo-project", "globex-project"}[i%2]
		for _, name := range []string{"personalizer", "device-mapper", "delivery", "inbox"} {
			id := g.ID + "-" + name
			g.Queues = append(g.Queues, groups.Queue{
				Name: name, Topic: id, Subscription: id, Project: project, Rate: 10, Fanout: 1,
			})
		}
		c.Groups = append(c.Groups, g)
	}
	return c
}

func (s *site) time() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *site) source() map[string]standin.Figures {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.figures)
}

// set gives every queue of a group the same figures.
func (s *site) set(group string, f standin.Figures) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, _ := s.groups.Group(group)
	for _, q := range g.Queues {
		s.figures[q.SubscriptionName()] = f
	}
}

func (s *site) minutes(n int) {
	for range n {
		s.Sample()
		s.mu.Lock()
		s.now = s.now.Add(time.Minute)
		s.mu.Unlock()
	}
}

// handler makes Score; change may put other parts in.
func (s *site) handler(t *testing.T, change func(*score.Config)) *score.Handler {
	t.Helper()
	gauges, err := monitoring.NewWriter(monitoring.Given(s.client), "demo-project", 0)
	if err != nil {
		t.Fatal(err)
	}
	cfg := score.Config{
		Groups: s.groups, Source: s.reader, Store: s.store, Gauges: gauges, Now: s.time,
		Log: s.log,
	}
	if change != nil {
		change(&cfg)
	}
	h, err := score.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// call does what Cloud Scheduler does.
func call(t *testing.T, h http.Handler) (status int, body string, sum score.Summary) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	r.Header.Set("X-CloudScheduler", "true")
	r.Header.Set("X-CloudScheduler-JobName", "score")
	r.Header.Set("X-CloudScheduler-ScheduleTime", "2026-03-01T12:00:00Z")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	into := any(&sum)
	if w.Code != http.StatusOK {
		into = &struct {
			Summary *score.Summary `json:"summary"`
		}{&sum}
	}
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatalf("answer %q: %v", w.Body, err)
	}
	return w.Code, w.Body.String(), sum
}

func (s *site) snapshot(t *testing.T) route.Snapshot {
	t.Helper()
	snap, err := s.store.Read(context.Background(), s.time().Add(-route.Horizon))
	if err != nil {
		t.Fatal(err)
	}
	return snap
}
