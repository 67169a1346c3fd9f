package route_test

import (
	"math"
	"testing"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// two groups of two queues, the second twice as fast; every message makes two of the second queue.
func two() groups.Config {
	g := func(id string, rate float64) groups.Group {
		return groups.Group{ID: id, Queues: []groups.Queue{
			{Name: "first", Topic: id + "-first", Subscription: id + "-first", Project: "demo-project", Rate: rate, Fanout: 1, Weight: 0.2},
			{Name: "second", Topic: id + "-second", Subscription: id + "-second", Project: "demo-project", Rate: rate, Fanout: 2, Weight: 0.8},
		}}
	}
	return groups.Config{Default: "slow", Groups: []groups.Group{g("slow", 10), g("fast", 20)}}
}

func figs(when, first, second float64) map[string]route.Figure {
	return map[string]route.Figure{
		"first":  {Backlog: first, At: at(when), Checked: at(when)},
		"second": {Backlog: second, At: at(when), Checked: at(when)},
	}
}

func bucket(group string, start float64, size int64) route.Bucket {
	return route.Bucket{Group: group, Start: at(start), Size: size, Count: 1, Largest: size}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestSampledScore(t *testing.T) {
	t.Parallel()
	// The second queue owes its own 30 and 2 for each of the first's 10: 50 at 10/s.
	tests := map[route.Mode]float64{route.ModeDrain: 5, route.ModeWeighted: 0.2*10 + 0.8*30, route.ModeSize: 40}
	for mode, want := range tests {
		s := route.DefaultSettings()
		s.Mode = mode
		snap := route.Snapshot{At: at(0), Figures: route.Figures{"slow": figs(0, 10, 30)}, Settings: &s}
		got := route.Rank(two(), snap, route.Campaign{}, at(0))
		near(t, string(mode), got[0].Sampled, want)
		near(t, "capacity, halved by the fanout", got[0].Capacity, 5)
		if got[1].Data != route.Never {
			t.Errorf("a group without figures is %s", got[1].Data)
		}
	}
}

func TestTheFirstQueueMayBeTheBottleneck(t *testing.T) {
	t.Parallel()
	c := two()
	c.Groups[0].Queues[0].Rate = 1
	got := route.Rank(c, route.Snapshot{At: at(0), Figures: route.Figures{"slow": figs(0, 10, 0)}}, route.Campaign{}, at(0))
	near(t, "score", got[0].Sampled, 10)
	near(t, "capacity", got[0].Capacity, 1)
}

func TestLearnedRateReplacesTheNominal(t *testing.T) {
	t.Parallel()
	f := figs(0, 0, 30)
	f["second"] = route.Figure{Backlog: 30, At: at(0), Rate: 3}
	got := route.Rank(two(), route.Snapshot{At: at(0), Figures: route.Figures{"slow": f}}, route.Campaign{}, at(0))
	near(t, "score", got[0].Sampled, 10)
	near(t, "capacity", got[0].Capacity, 1.5)
}

func TestScoreReplaysTheLedger(t *testing.T) {
	t.Parallel()
	const trust = 0.75
	tests := map[string]struct {
		ledger []route.Bucket
		now    float64
		want   float64 // of slow: sample 5 s at 0, capacity 5/s, campaign of 50 = 10 s
	}{
		"no ledger, no time":             {nil, 0, 5 + 10},
		"drained in part":                {nil, 4, 5 - 4*trust + 10},
		"never below empty":              {nil, 60, 10},
		"routed after the sample":        {[]route.Bucket{bucket("slow", 40, 100)}, 60, 20 - 15*trust + 10},
		"another group's does not count": {[]route.Bucket{bucket("fast", 40, 100)}, 60, 10},
		"two, idle between":              {[]route.Bucket{bucket("slow", 40, 10), bucket("slow", 20, 10)}, 60, math.Max(0, 2-15*trust) + 10},
		// The window of 5 s + 100 ms begins at -5.1: 4.1 of the 10 s of this bucket count, at the sample's time.
		"straddling is apportioned": {[]route.Bucket{bucket("slow", -11, 100)}, 0, 5 + 20*0.41 - 0 + 10},
		"retired":                   {[]route.Bucket{bucket("slow", -16, 100)}, 0, 5 + 10},
		"a large campaign is long on its way": {
			[]route.Bucket{bucket("slow", -20, 20_000)}, 0, 5 + 4000 + 10},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snap := route.Snapshot{At: at(tt.now), Figures: route.Figures{"slow": figs(0, 10, 30)}, Ledger: tt.ledger}
			got := route.Rank(two(), snap, route.Campaign{ID: "c", Size: 50}, at(tt.now))[0]
			near(t, "score", got.Score, tt.want)
			near(t, "correction", got.Correction, tt.want-10-5)
		})
	}
}

func TestModesInMessagesAddTheLedgerWithoutDrain(t *testing.T) {
	t.Parallel()
	s := route.DefaultSettings()
	s.Mode = route.ModeSize
	snap := route.Snapshot{At: at(60), Figures: route.Figures{"slow": figs(0, 10, 30)}, Ledger: []route.Bucket{bucket("slow", 40, 100)}, Settings: &s}
	got := route.Rank(two(), snap, route.Campaign{ID: "c", Size: 50}, at(60))[0]
	near(t, "score", got.Score, 40+100+50)
}

func TestAGroupIsInTheWorstStateOfItsQueues(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		first, second route.Figure
		want          route.Data
	}{
		"one queue stale":               {route.Figure{At: at(0), Backlog: 1}, route.Figure{At: at(-400), Backlog: 1}, route.Stale},
		"one queue missing":             {route.Figure{At: at(0), Backlog: 1}, route.Figure{At: at(-60), Gap: true}, route.Missing},
		"all zero":                      {route.Figure{At: at(0)}, route.Figure{At: at(0)}, route.Zero},
		"one not zero":                  {route.Figure{At: at(0)}, route.Figure{At: at(0), Backlog: 1}, route.Fresh},
		"a later queue never had any":   {route.Figure{At: at(0), Backlog: 1}, route.Figure{}, route.Fresh},
		"the first queue never had any": {route.Figure{}, route.Figure{At: at(0), Backlog: 1}, route.Never},
	}
	for name, tt := range tests {
		snap := route.Snapshot{At: at(0), Figures: route.Figures{"slow": {"first": tt.first, "second": tt.second}}}
		if got := route.Rank(two(), snap, route.Campaign{}, at(0))[0].Data; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestExpectedBacklogLeadsTheSample(t *testing.T) {
	t.Parallel()
	snap := route.Snapshot{At: at(60), Figures: route.Figures{"slow": figs(0, 100, 30)}, Ledger: []route.Bucket{bucket("slow", 50, 100)}}
	// The 100 at 10/s are gone after 13.3 s at the trust given; 100 more came at 55, 5 s ago.
	near(t, "expected backlog", route.ExpectedBacklog(two().Groups[0], snap, at(60)), 100-5*0.75*10)
}

func TestRecommendFillsTheEmptiestFirst(t *testing.T) {
	t.Parallel()
	snap := route.Snapshot{At: at(0), Figures: route.Figures{"slow": figs(0, 0, 0), "fast": figs(0, 0, 400)}}
	weights := func(r route.Recommendation) map[string]float64 {
		m := map[string]float64{}
		for _, topic := range r.Topics {
			m[topic.Group] = topic.Weight
		}
		return m
	}
	r := route.Recommend(two(), snap, "first", at(0), time.Minute)
	// Capacities 5 and 10, levels 0 s and 20 s, a minute's 900 messages: the surface is at 73.3 s.
	surface := (900 + 20*10.0) / 15
	near(t, "slow", weights(r)["slow"], surface*5/900)
	near(t, "fast", weights(r)["fast"], (surface-20)*10/900)
	if r.Rule != route.ByCorrected || !r.ValidUntil.Equal(at(180)) {
		t.Errorf("rule %s until %v", r.Rule, r.ValidUntil)
	}

	if r := route.Recommend(two(), snap, "first", at(0), 10*time.Second); !r.ValidUntil.Equal(at(30)) {
		t.Errorf("scored each 10 s, it is valid until %v, want for three of them", r.ValidUntil)
	}

	full := route.Snapshot{At: at(0), Figures: route.Figures{"slow": figs(0, 0, 0), "fast": figs(0, 0, 1e6)}}
	near(t, "everything to the empty one", weights(route.Recommend(two(), full, "second", at(0), time.Minute))["slow"], 1)

	none := route.Recommend(two(), route.Snapshot{At: at(0)}, "first", at(0), time.Minute)
	near(t, "by capacity when nothing is known", weights(none)["fast"], 2.0/3)
	if none.Rule != route.ByCapacity {
		t.Errorf("rule %s", none.Rule)
	}

	held := snap
	held.Live.Reservations = map[string]groups.Reservation{"slow": {Customers: []string{"acme"}}}
	if w := weights(route.Recommend(two(), held, "first", at(0), time.Minute)); w["slow"] != 0 || w["fast"] != 1 {
		t.Errorf("a reserved group is recommended: %v", w)
	}
}

func TestRecommendedWeightsSumToOne(t *testing.T) {
	t.Parallel()
	snap := route.Snapshot{At: at(0), Figures: route.Figures{"fast": figs(0, 5, 400)}} // slow never had a series
	sum := 0.0
	for _, topic := range route.Recommend(two(), snap, "second", at(time.Minute.Seconds()), time.Minute).Topics {
		sum += topic.Weight
	}
	near(t, "sum", sum, 1)
}
