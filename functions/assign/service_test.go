package assign_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"onceway.internal/functions/assign"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/memroute"
)

var errDown = errors.New("unavailable")

// service is the real handler over the real router and state in memory.
type service struct {
	handler *assign.Handler
	store   *memroute.Store
	live    *memgroups.Store
	down    atomic.Bool
}

func (s *service) Read(ctx context.Context, after time.Time) (route.Snapshot, error) {
	if s.down.Load() {
		return route.Snapshot{}, errDown
	}
	return s.store.Read(ctx, after)
}

func (s *service) Commit(ctx context.Context, a route.Assignment) (time.Time, error) {
	if s.down.Load() {
		return time.Time{}, errDown
	}
	return s.store.Commit(ctx, a)
}

func (s *service) Assignment(ctx context.Context, campaign string) (route.Assignment, time.Time, error) {
	if s.down.Load() {
		return route.Assignment{}, time.Time{}, errDown
	}
	return s.store.Assignment(ctx, campaign)
}

func (s *service) Recommendation(ctx context.Context, queue string) (route.Recommendation, time.Time, error) {
	if s.down.Load() {
		return route.Recommendation{}, time.Time{}, errDown
	}
	return s.store.Recommendation(ctx, queue)
}

func three() groups.Config {
	c := groups.Config{Default: "dg01"}
	for i := range 3 {
		id := fmt.Sprintf("dg%02d", i+1)
		c.Groups = append(c.Groups, groups.Group{ID: id, Open: i == 1, Queues: []groups.Queue{
			{Name: "inbox", Topic: id + "-inbox", Subscription: id + "-inbox", Project: "demo-project", Rate: float64(100 * (i + 1)), Fanout: 1},
		}})
	}
	return c
}

func newService(t *testing.T, c groups.Config) *service {
	t.Helper()
	s := &service{live: memgroups.New(time.Now)}
	store, err := memroute.New(s.live, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.store = store
	cfg := route.DefaultConfig(c)
	cfg.CacheFor = 0
	var n atomic.Int64
	log := slog.New(slog.DiscardHandler)
	r, err := route.New(cfg, route.Deps{
		State: s, Now: time.Now, Rand: rand.Float64, Log: log,
		Token: func() string { return fmt.Sprint("t", n.Add(1)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.handler, err = assign.New(assign.Deps{Router: r, Advice: s, Rand: rand.Float64, Log: log}); err != nil {
		t.Fatal(err)
	}
	return s
}

// sampled gives every group a fresh figure.
func (s *service) sampled(t *testing.T) {
	t.Helper()
	f := route.Figures{}
	for _, g := range three().Groups {
		f[g.ID] = map[string]route.Figure{"inbox": {Backlog: 10, At: time.Now().Add(-time.Minute), Checked: time.Now()}}
	}
	if _, err := s.store.PutFigures(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func (s *service) change(t *testing.T, apply func(*groups.Live)) {
	t.Helper()
	l, err := s.live.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	apply(&l)
	if _, err := s.live.Swap(t.Context(), l); err != nil {
		t.Fatal(err)
	}
}

func drainAll(l *groups.Live) {
	for _, g := range three().Groups {
		l.Draining[g.ID] = groups.Drain{}
	}
}
