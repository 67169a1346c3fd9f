package load_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"onceway.internal/test/bench/peers/load"
)

// guard keeps answers by key, as a way of running once should.
type guard struct {
	effect load.Effect
	mu     sync.Mutex
	kept   map[string][]byte
}

func (g *guard) call(_ context.Context, e load.Event) ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.kept[e.Key] == nil {
		g.kept[e.Key] = g.effect.Run(e.Key)
	}
	return g.kept[e.Key], nil
}

func serve(t *testing.T, change func(*load.Side), o load.Order) load.Report {
	t.Helper()
	g := &guard{kept: map[string][]byte{}}
	s := load.Side{Call: g.call, Effect: &g.effect}
	if change != nil {
		change(&s)
	}
	order, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := load.Serve(t.Context(), s, bytes.NewReader(order), &out); err != nil {
		t.Fatal(err)
	}
	var r load.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	return r
}

var orders = []load.Order{
	{Kind: load.First, Parallel: 3, Millis: 5, Space: "a"},
	{Kind: load.Repeat, Parallel: 3, Millis: 5, Space: "a"},
	{Kind: load.Race, Parallel: 8, Space: "a"},
}

func TestSideThatRunsOnceIsReported(t *testing.T) {
	t.Parallel()
	for _, o := range orders {
		r := serve(t, nil, o)
		if r.Fault != "" || r.Calls == 0 || o.Kind == load.First && r.Effects != r.Calls {
			t.Errorf("%s: %+v", o.Kind, r)
		}
		if o.Kind != load.Race && (len(r.Latency) == 0 || len(r.Latency) > 1000 || r.Seconds <= 0) {
			t.Errorf("%s: %d latencies of %d calls in %v s", o.Kind, len(r.Latency), r.Calls, r.Seconds)
		}
	}
}

func TestSideThatDoesNotRunOnceIsAtFault(t *testing.T) {
	t.Parallel()
	type call = func(context.Context, load.Event) ([]byte, error)
	for name, c := range map[string]struct {
		spoil func(s *load.Side, inner call) call
		fault map[string]string // by kind of order; absent: this can't be seen there
	}{
		"runs every call": {
			func(s *load.Side, _ call) call {
				return func(_ context.Context, e load.Event) ([]byte, error) { return s.Effect.Run(e.Key), nil }
			},
			map[string]string{load.Repeat: "a repeat got", load.Race: "acted 24 times"},
		},
		"runs every call and keeps it to itself": {
			func(s *load.Side, inner call) call {
				return func(ctx context.Context, e load.Event) ([]byte, error) {
					s.Effect.Run(e.Key)
					return inner(ctx, e)
				}
			},
			map[string]string{load.First: "new events acted", load.Repeat: "repeats acted", load.Race: "acted"},
		},
		"drops new events": {
			func(*load.Side, call) call {
				return func(_ context.Context, e load.Event) ([]byte, error) { return []byte(e.Key), nil }
			},
			map[string]string{load.First: "acted 0 times", load.Race: "acted 0 times"},
		},
		"fails": {
			func(*load.Side, call) call {
				return func(context.Context, load.Event) ([]byte, error) { return nil, errors.New("store down") }
			},
			map[string]string{load.First: "store down", load.Repeat: "store down", load.Race: "store down"},
		},
	} {
		for _, o := range orders {
			r := serve(t, func(s *load.Side) { s.Call = c.spoil(s, s.Call) }, o)
			if want := c.fault[o.Kind]; want != "" && !strings.Contains(r.Fault, want) {
				t.Errorf("%s, %s: fault %q, want %q", name, o.Kind, r.Fault, want)
			}
		}
	}
}

func TestCallsSentAwayInARaceAreCounted(t *testing.T) {
	t.Parallel()
	r := serve(t, func(s *load.Side) {
		inner := s.Call
		var mu sync.Mutex
		seen := map[string]bool{}
		s.Call = func(ctx context.Context, e load.Event) ([]byte, error) {
			mu.Lock()
			again := seen[e.Key]
			seen[e.Key] = true
			mu.Unlock()
			if again {
				return nil, load.ErrInFlight
			}
			return inner(ctx, e)
		}
	}, load.Order{Kind: load.Race, Parallel: 8, Space: "a"})
	if r.Fault != "" || r.InFlight != 21 || r.Effects != 3 {
		t.Errorf("%+v, want 21 of 24 sent away and 3 effects", r)
	}
}
