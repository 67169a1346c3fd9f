//go:build cost

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/once"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/memroute"
)

// costs bounds the allocations of what happens most, by what was measured. Unlike
// seconds, they are the same on every machine and under any load.
//
// A bound is what was measured, and no more: one allocation too many fails. If a change
// is worth what it costs, raise the bound in the same commit and say there why; if a
// change saves some, lower it, or the next one may take them back unseen.
var costs = []struct {
	name  string
	bound float64
	make  func(t *testing.T) func() error
}{
	{"push request to verdict", 78, pushed},
	{"pulled message to verdict", 70, pulled},
	{"duplicate of a remembered event", 21, remembered},
	{"duplicate that reads its claim", 39, read},
	{"envelope of a wrapped push", 14, decodedEnvelope},
	{"choice among 100 groups", 132, choice},
}

// TestCost says which of them allocates more than its bound. What happens the first
// time alone, like the growing of a map, is averaged away.
func TestCost(t *testing.T) {
	for _, c := range costs {
		t.Run(c.name, func(t *testing.T) {
			work := c.make(t)
			got := testing.AllocsPerRun(500, func() {
				if err := work(); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%.0f allocations, bound %.0f", got, c.bound)
			if got > c.bound {
				t.Errorf("%.0f allocations, %.0f are allowed: see what changed by go test -tags cost -run 'TestCost/%s' -memprofile mem.out -memprofilerate 1 ./test/bench", got, c.bound, c.name)
			}
		})
	}
}

// guard is a runner over memory claims, as production makes it.
func guard(t *testing.T) *once.Runner {
	t.Helper()
	mem, err := memclaim.New(100, time.Now) // small: what is full evicts, and doesn't grow
	if err != nil {
		t.Fatal(err)
	}
	runner, err := newRunner(mem, 1)
	if err != nil {
		t.Fatal(err)
	}
	return runner
}

func pushed(t *testing.T) func() error {
	handler := once.Push(guard(t).Bind(idle{}), logging.New(io.Discard, project))
	next := requests(t)
	return func() error {
		w := &answer{header: http.Header{}}
		handler.ServeHTTP(w, next())
		if w.status != http.StatusNoContent || w.header.Get(once.HeaderOutcome) != string(once.Done) {
			return fmt.Errorf("answered %d, %v", w.status, w.header)
		}
		return nil
	}
}

func pulled(t *testing.T) func() error {
	receiver, ids := guard(t).Bind(idle{}), newEventIDs()
	return func() error { return came(t.Context(), receiver, ids.next(), once.Done) }
}

func remembered(t *testing.T) func() error {
	receiver := guard(t).Bind(idle{})
	if err := came(t.Context(), receiver, "again", once.Done); err != nil {
		t.Fatal(err)
	}
	return func() error { return came(t.Context(), receiver, "again", once.Duplicate) }
}

// read meets a claim that another process finished, and asks the store each time.
func read(t *testing.T) func() error {
	mem, err := memclaim.New(100, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := newRunner(mem, 1, func(c *once.Config) { c.CacheSize = 0 })
	if err != nil {
		t.Fatal(err)
	}
	receiver := runner.Bind(idle{})
	if err := came(t.Context(), receiver, "again", once.Done); err != nil {
		t.Fatal(err)
	}
	return func() error { return came(t.Context(), receiver, "again", once.Duplicate) }
}

func came(ctx context.Context, receiver once.Receiver, id string, want once.Outcome) error {
	m, err := message(id)
	if err != nil {
		return err
	}
	if rep := receiver.Receive(ctx, m); rep.Outcome != want {
		return fmt.Errorf("came to %s, not %s: %w", rep.Outcome, want, rep.Err)
	}
	return nil
}

func decodedEnvelope(t *testing.T) func() error {
	next := requests(t)
	return func() error {
		_, err := envelope.FromRequest(next())
		return err
	}
}

// requests gives push requests as net/http would, each with an ID of its own and
// without allocating for it.
func requests(t *testing.T) func() *http.Request {
	t.Helper()
	p := &pusher{}
	p.request, p.at = pushRequest()
	_, payload, ok := bytes.Cut(p.request, []byte("\r\n\r\n"))
	if !ok {
		t.Fatal("the request has no body")
	}
	src := bytes.NewReader(payload)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://bench.example/", io.NopCloser(src))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = int64(len(payload))
	var n int64
	return func() *http.Request {
		n++
		p.number(n)
		src.Reset(payload)
		return r
	}
}

// answer is a ResponseWriter that keeps the status.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return len(b), nil }
func (a *answer) WriteHeader(status int)      { a.status = status }

// choice is one between two reads of the state, as nearly all are.
func choice(t *testing.T) func() error {
	c := groups.Config{Default: "g0"}
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	figures := route.Figures{}
	for i := range 100 {
		g := groups.Group{ID: fmt.Sprint("g", i)}
		figures[g.ID] = map[string]route.Figure{}
		for k := range 4 {
			name := fmt.Sprint("q", k)
			g.Queues = append(g.Queues, groups.Queue{Name: name, Topic: g.ID + name, Project: project, Rate: 100, Fanout: 1})
			figures[g.ID][name] = route.Figure{Backlog: float64(10 * i), At: now().Add(-time.Minute)}
		}
		c.Groups = append(c.Groups, g)
	}
	state, err := memroute.New(memgroups.New(now), now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := state.PutFigures(t.Context(), figures); err != nil {
		t.Fatal(err)
	}
	router, err := route.New(route.DefaultConfig(c), route.Deps{
		State: state, Now: now, Rand: func() float64 { return 0.5 }, Token: func() string { return "t" }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() error {
		_, err := router.Preview(t.Context(), route.Campaign{ID: "c", Size: 1000})
		return err
	}
}
