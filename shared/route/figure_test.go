package route_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/route"
)

func at(s float64) time.Time {
	return time.Unix(100_000, 0).UTC().Add(time.Duration(s * float64(time.Second)))
}

func TestDataState(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		figure route.Figure
		now    time.Time
		want   route.Data
	}{
		"no series yet":                   {route.Figure{}, at(0), route.Never},
		"no series yet, asked for":        {route.Figure{Gap: true, Checked: at(0)}, at(0), route.Never},
		"six minutes old":                 {route.Figure{At: at(0), Backlog: 1}, at(360), route.Fresh},
		"older":                           {route.Figure{At: at(0), Backlog: 1}, at(360.001), route.Stale},
		"a real zero":                     {route.Figure{At: at(0)}, at(360), route.Zero},
		"an old zero is no zero":          {route.Figure{At: at(0)}, at(361), route.Stale},
		"a gap":                           {route.Figure{At: at(0), Backlog: 1, Gap: true}, at(60), route.Missing},
		"a gap after a zero is no zero":   {route.Figure{At: at(0), Gap: true}, at(60), route.Missing},
		"a gap stays one however old":     {route.Figure{At: at(0), Gap: true}, at(9999), route.Missing},
		"a sample from ahead of our time": {route.Figure{At: at(10), Backlog: 1}, at(0), route.Fresh},
	}
	for name, tt := range tests {
		if got := tt.figure.Data(tt.now); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestNextNeverReplacesANewerSample(t *testing.T) {
	t.Parallel()
	f := route.Figure{Backlog: 7, At: at(60), Checked: at(120)}
	reading := func(backlog, when float64) *route.Reading { return &route.Reading{Backlog: backlog, At: at(when)} }
	tests := map[string]struct {
		reading *route.Reading
		checked float64
		want    route.Figure
	}{
		"newer":                    {reading(9, 120), 180, route.Figure{Backlog: 9, At: at(120), Checked: at(180)}},
		"the same again":           {reading(9, 60), 180, route.Figure{Backlog: 7, At: at(60), Checked: at(180)}},
		"older, by a late run":     {reading(9, 0), 100, f},
		"a gap keeps the sample":   {nil, 180, route.Figure{Backlog: 7, At: at(60), Checked: at(180), Gap: true}},
		"a late run's gap is none": {nil, 100, f},
		"negative is floored":      {reading(-3, 120), 180, route.Figure{Backlog: 0, At: at(120), Checked: at(180)}},
	}
	for name, tt := range tests {
		if d := cmp.Diff(tt.want, f.Next(tt.reading, at(tt.checked), 10)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	gone := route.Figure{Backlog: 7, At: at(60), Checked: at(120), Gap: true}
	if got := gone.Next(reading(1, 120), at(180), 10); got.Gap {
		t.Error("a series that came back is still a gap")
	}
}

func TestLearnedRate(t *testing.T) {
	t.Parallel()
	weight := 1 - math.Exp(-60.0/600)
	flow := func(acked, before float64) *route.Flow {
		return &route.Flow{From: at(0), To: at(60), Acked: acked, Before: before}
	}
	tests := map[string]struct {
		before route.Figure
		flow   *route.Flow
		want   float64
	}{
		"all that was done was there at the start": {route.Figure{}, flow(240, 240), 10 + weight*(4-10)},
		"goes on from what was learned":            {route.Figure{Rate: 6}, flow(240, 240), 6 + weight*(4-6)},
		"may have been idle between":               {route.Figure{Rate: 6}, flow(240, 239), 6},
		"idle, and yet more than was known":        {route.Figure{Rate: 2}, flow(240, 0), 2 + weight*(4-2)},
		"nothing to do":                            {route.Figure{Rate: 6}, flow(0, 0), 6},
		"stuck: nothing is done":                   {route.Figure{}, flow(0, 100), 10 - weight*10},
		"learned from already":                     {route.Figure{Rate: 6, RateAt: at(60)}, flow(240, 240), 6},
		"not known":                                {route.Figure{Rate: 6}, nil, 6},
		"no time at all":                           {route.Figure{Rate: 6}, &route.Flow{From: at(60), To: at(60), Acked: 9, Before: 9}, 6},
		"clamped below":                            {route.Figure{Rate: 0.5}, flow(0, 100), 0.5},
		"clamped above":                            {route.Figure{}, flow(1e6, 1e6), 20},
	}
	for name, tt := range tests {
		got := tt.before.Next(&route.Reading{At: at(61), Flow: tt.flow}, at(61), 10)
		if math.Abs(got.Rate-tt.want) > 1e-9 {
			t.Errorf("%s: rate %v, want %v", name, got.Rate, tt.want)
		}
	}
}

func TestMergeTakesTheNewerPartOfEach(t *testing.T) {
	t.Parallel()
	old := route.Figures{"dg01": {"a": {Backlog: 1, At: at(0), Rate: 2, Checked: at(60)}}}
	late := route.Figures{"dg01": {"a": {Backlog: 5, At: at(30), Rate: 3, Checked: at(50), Gap: true}}, "dg02": {"b": {At: at(1)}}}
	want := route.Figures{"dg01": {"a": {Backlog: 5, At: at(30), Rate: 3, Checked: at(60)}}, "dg02": {"b": {At: at(1)}}}
	if d := cmp.Diff(want, old.Merge(late)); d != "" {
		t.Errorf("merged (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, late.Merge(old)); d != "" {
		t.Errorf("merged the other way round (-want +got):\n%s", d)
	}
}
