package route_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/memroute"
)

// world is a store with its own clock, and what its routers log.
type world struct {
	store *memroute.Store
	live  *memgroups.Store
	cfg   groups.Config

	mu    sync.Mutex
	now   time.Time
	lines strings.Builder
	token atomic.Int64
}

func newWorld(t *testing.T, c groups.Config) *world {
	t.Helper()
	w := &world{cfg: c, now: at(0)}
	w.live = memgroups.New(w.clock)
	s, err := memroute.New(w.live, w.clock)
	if err != nil {
		t.Fatal(err)
	}
	w.store = s
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// Write takes the log's lines.
func (w *world) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lines.Write(p)
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lines.String()
}

// router is one process, over s or the world's own store.
func (w *world) router(t *testing.T, s route.State, change func(*route.Config, *route.Deps)) *route.Router {
	t.Helper()
	if s == nil {
		s = w.store
	}
	cfg := route.DefaultConfig(w.cfg)
	rng := rand.New(rand.NewPCG(1, uint64(w.token.Load())))
	deps := route.Deps{
		State: s, Now: w.clock, Rand: rng.Float64, Log: slog.New(slog.NewTextHandler(w, nil)),
		Token: func() string { return fmt.Sprint("token-", w.token.Add(1)) },
	}
	if change != nil {
		change(&cfg, &deps)
	}
	r, err := route.New(cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (w *world) figures(t *testing.T, f route.Figures) {
	t.Helper()
	if _, err := w.store.PutFigures(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func (w *world) change(t *testing.T, apply func(*groups.Live)) {
	t.Helper()
	l, err := w.live.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	apply(&l)
	if _, err := w.live.Swap(t.Context(), l); err != nil {
		t.Fatal(err)
	}
}

// ledger sums messages by group.
func (w *world) ledger(t *testing.T) map[string]int64 {
	t.Helper()
	s, err := w.store.Read(t.Context(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]int64{}
	for _, b := range s.Ledger {
		by[b.Group] += b.Size
	}
	return by
}

func assign(t *testing.T, r *route.Router, c route.Campaign) route.Assignment {
	t.Helper()
	a, err := r.Assign(t.Context(), c)
	if err != nil {
		t.Fatalf("assign %s: %v", c.ID, err)
	}
	return a
}

// six equal groups of one queue of 100/s.
func six() groups.Config {
	c := groups.Config{Default: "dg01"}
	for i := range 6 {
		id := fmt.Sprintf("dg%02d", i+1)
		c.Groups = append(c.Groups, groups.Group{ID: id, Queues: []groups.Queue{
			{Name: "first", Topic: id, Subscription: id, Project: "demo-project", Rate: 100, Fanout: 1, Weight: 1},
		}})
	}
	return c
}

// seen are fresh figures of all groups of six: each with the backlog given.
func seen(when float64, backlogs ...float64) route.Figures {
	f := route.Figures{}
	for i, b := range backlogs {
		f[fmt.Sprintf("dg%02d", i+1)] = map[string]route.Figure{"first": {Backlog: b, At: at(when), Checked: at(when)}}
	}
	return f
}

// faulty is a state whose calls can be broken, and are counted.
type faulty struct {
	route.State
	reads, commits, gets atomic.Int64

	mu       sync.Mutex
	onRead   func() error
	onCommit func(commit func() (time.Time, error)) (time.Time, error)
	onGet    func() error
}

func (f *faulty) breakReads(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onRead = nil
	if err != nil {
		f.onRead = func() error { return err }
	}
}

func (f *faulty) Read(ctx context.Context, after time.Time) (route.Snapshot, error) {
	f.reads.Add(1)
	f.mu.Lock()
	on := f.onRead
	f.mu.Unlock()
	if on != nil {
		if err := on(); err != nil {
			return route.Snapshot{}, err
		}
	}
	return f.State.Read(ctx, after)
}

func (f *faulty) Commit(ctx context.Context, a route.Assignment) (time.Time, error) {
	f.commits.Add(1)
	f.mu.Lock()
	on := f.onCommit
	f.mu.Unlock()
	if on != nil {
		return on(func() (time.Time, error) { return f.State.Commit(ctx, a) })
	}
	return f.State.Commit(ctx, a)
}

func (f *faulty) Assignment(ctx context.Context, campaign string) (route.Assignment, time.Time, error) {
	f.gets.Add(1)
	f.mu.Lock()
	on := f.onGet
	f.mu.Unlock()
	if on != nil {
		if err := on(); err != nil {
			return route.Assignment{}, time.Time{}, err
		}
	}
	return f.State.Assignment(ctx, campaign)
}

// fixed is a state that is always the same.
type fixed struct{ snap route.Snapshot }

func (f fixed) Read(context.Context, time.Time) (route.Snapshot, error) { return f.snap, nil }

func (fixed) Commit(context.Context, route.Assignment) (time.Time, error) { return time.Time{}, nil }

func (fixed) Assignment(context.Context, string) (route.Assignment, time.Time, error) {
	return route.Assignment{}, time.Time{}, route.ErrNotFound
}
