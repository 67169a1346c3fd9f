package main

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func base(t *testing.T) regime {
	t.Helper()
	all, _, err := read(regimesFile)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := named(all, "balanced")
	if !ok {
		t.Fatal("no balanced regime")
	}
	r.Warmup, r.Measure = 300, 1200
	return r
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, within)
	}
}

// alone runs one campaign through one pipeline and tells when it was through.
func alone(r regime, c *campaign, plan func(*events, *pipeline)) float64 {
	ev := &events{}
	p := newPipeline(ev, r, 1, func(c *campaign) {
		if c.chunks--; c.chunks == 0 {
			c.through = ev.now
		}
	})
	if plan != nil {
		plan(ev, p)
	}
	ev.at(c.at, func() { publish(ev, r, p, c) })
	ev.runAll()
	return c.through
}

func TestACampaignAloneTakesItsBottleneckAndALastChunkThroughTheRest(t *testing.T) {
	t.Parallel()
	r := base(t)
	// Published 50 a chunk from 0.05 s on; through the first at 60/s, then the
	// bottleneck at 40/s without a pause, then the last chunk alone: 75 messages at 80/s, twice.
	want := 0.05 + 50.0/60 + 1000.0/40 + 75.0/80 + 75.0/80
	near(t, "through", alone(r, &campaign{size: 1000}, nil), want, 1e-6)
}

func TestASlowdownStretchesTheWorkInIt(t *testing.T) {
	t.Parallel()
	r := base(t)
	plain := alone(r, &campaign{size: 1000}, nil)
	slow := alone(r, &campaign{size: 1000}, func(ev *events, p *pipeline) {
		ev.at(5, func() { p.slowed(1, 0.5) })
		ev.at(10, func() { p.slowed(1, 0.5) }) // overlapping: still one
		ev.at(15, func() { p.slowed(-1, 0.5) })
		ev.at(17, func() { p.slowed(-1, 0.5) })
	})
	near(t, "lost in 12 s at half the rate", slow-plain, 6, 1e-6)
}

func TestBacklogAndAcknowledgementsAddUp(t *testing.T) {
	t.Parallel()
	r := base(t)
	alone(r, &campaign{size: 1000}, func(ev *events, p *pipeline) {
		ev.every(0.5, 0.7, 60, func() {
			s := p.stages[0]
			in := s.backlog() + s.acked + p.publishing
			if ev.now > 0.01 {
				near(t, "messages in the first queue, through it and still to come", in, 1000, 1e-6)
			}
			near(t, "first come through, at the stage's rate", p.stages[1].backlog()+p.stages[1].acked, math.Floor(s.acked/50+1e-9)*50, 1e-6)
		})
	})
}

func TestTheOracleKnowsWhenAPipelineIsEmpty(t *testing.T) {
	t.Parallel()
	r := base(t)
	through := alone(r, &campaign{size: 1000}, func(ev *events, p *pipeline) {
		// What is done of a chunk under way stands in neither queue: up to 50 messages at 40/s.
		ev.at(10, func() { near(t, "what is left at 10 s", p.truth(0), 25+0.88-10-0.6, 0.65) })
	})
	near(t, "through", through, 27.8, 0.2)
}

func TestOfferedLoadIsAsAsked(t *testing.T) {
	t.Parallel()
	r := base(t)
	r.Measure, r.Unrouted, r.SizeSpread, r.Factors = 400_000, 0.2, 1, []float64{0.5, 1.5}
	tr := newTraffic(r, 1)
	routed, unrouted := 0.0, 0.0
	for _, c := range tr.campaigns {
		routed += c.size
	}
	for _, b := range tr.batches {
		unrouted += b.size
	}
	able := 80 * tr.end // two groups of 40/s in the mean
	near(t, "load", (routed+unrouted)/able, 0.8, 0.02)
	near(t, "unrouted part", unrouted/(routed+unrouted), 0.2, 0.01)
}

func TestEveryPolicyMeetsTheSameWorldAndRepeatsExactly(t *testing.T) {
	t.Parallel()
	r := base(t)
	r.Slowdowns, r.Unrouted, r.RateError, r.Burst = 4, 0.1, 0.3, 3
	if d := cmp.Diff(newTraffic(r, 7), newTraffic(r, 7), cmp.AllowUnexported(traffic{}, campaign{}, batch{}, slowdown{})); d != "" {
		t.Errorf("one seed made two worlds:\n%s", d)
	}
	for _, policy := range policies() {
		a, err := simulate(r, policy, 7)
		if err != nil {
			t.Fatal(err)
		}
		b, err := simulate(r, policy, 7)
		if err != nil || a != b {
			t.Errorf("%s: one seed gave %+v and %+v, %v", policy, a, b, err)
		}
	}
}

func TestReservationsAreWatchedFromOutside(t *testing.T) {
	t.Parallel()
	r := base(t)
	r.Reserved = map[int][]string{5: {"acme"}, 6: {"acme", "globex"}}
	tests := map[string]struct {
		customer string
		group    int // from 0
		want     bool
	}{
		"its own":                       {"acme", 4, true},
		"its other":                     {"acme", 5, true},
		"elsewhere, though it has some": {"acme", 0, false},
		"another's":                     {"globex", 4, false},
		"nobody's":                      {"other", 0, true},
		"reserved from it":              {"other", 5, false},
	}
	for name, tt := range tests {
		if got := allowed(r, &campaign{customer: tt.customer, group: tt.group}); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	o, err := simulate(mixed(r), "corrected", 3)
	if err != nil || o.violations != 0 {
		t.Errorf("%d violations, %v", o.violations, err)
	}
}

func mixed(r regime) regime {
	r.Rho, r.Customers = 0.5, map[string]int{"acme": 2, "globex": 1, "other": 5}
	return r
}

func TestIntervalsAndPercentiles(t *testing.T) {
	t.Parallel()
	ci := interval([]float64{1, 2, 3, 4, 5})
	near(t, "low", ci[0], 3-2.776*math.Sqrt(2.5/5), 1e-9)
	near(t, "high", ci[1], 3+2.776*math.Sqrt(2.5/5), 1e-9)
	near(t, "t for many", student(100), 1.984, 0.001)
	xs := make([]float64, 100)
	for i := range xs {
		xs[i] = float64(i + 1)
	}
	near(t, "p95", percentile(xs, 0.95), 95, 0)
	near(t, "p99 of one", percentile(xs[:1], 0.99), 1, 0)
}

func TestFlagsAndOutput(t *testing.T) {
	t.Parallel()
	var out, progress strings.Builder
	if err := realMain([]string{"--regime", "nowhere"}, &out, &progress); err == nil {
		t.Error("an unknown regime is simulated")
	}
	names, _, err := read(regimesFile)
	if err != nil || len(names) < 10 || names[2].Name != "realistic" || names[2].Slowdowns != 2 || names[3].Unrouted != names[2].Unrouted {
		t.Errorf("regimes %+v, %v", names, err)
	}
}
