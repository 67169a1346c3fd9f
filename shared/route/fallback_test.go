package route_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// gap marks a group's series as missing.
func gap(f route.Figures, ids ...string) route.Figures {
	for _, id := range ids {
		fig := f[id]["first"]
		fig.Gap = true
		f[id]["first"] = fig
	}
	return f
}

func only(f route.Figures, ids ...string) route.Figures {
	out := route.Figures{}
	for _, id := range ids {
		out[id] = f[id]
	}
	return out
}

func TestRuleByDataState(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		figures route.Figures
		after   time.Duration
		rule    route.Rule
		group   string // empty: any
	}{
		"fresh":                        {seen(0, 500, 9, 900, 900, 900, 900), 0, route.ByCorrected, "dg02"},
		"a real zero":                  {seen(0, 500, 0, 900, 900, 900, 900), 0, route.ByCorrected, "dg02"},
		"stale is held":                {seen(0, 5e5, 4e4, 9e5, 9e5, 9e5, 9e5), 361 * time.Second, route.ByHeldStale, "dg02"},
		"missing is held":              {gap(seen(0, 5e5, 4e4, 9e5, 9e5, 9e5, 9e5), "dg02"), 300 * time.Second, route.ByHeldMissing, "dg02"},
		"stale for half an hour: gone": {seen(0, 5e5, 4e4, 9e5, 9e5, 9e5, 9e5), 31 * time.Minute, route.ByCapacity, ""},
		"missing everywhere for long":  {gap(seen(0, 0, 0, 0, 0, 0, 0), "dg01", "dg02", "dg03", "dg04", "dg05", "dg06"), 11 * time.Minute, route.ByCapacity, ""},
		"Score never ran":              {route.Figures{}, 0, route.ByCapacity, ""},
		"one group without a series":   {only(seen(0, 900, 900, 900, 900, 900, 900), "dg01", "dg02", "dg03", "dg04", "dg05"), 0, route.ByProbe, "dg06"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, six())
			w.figures(t, tt.figures)
			w.pass(tt.after)
			a := assign(t, w.router(t, nil, nil), route.Campaign{ID: "c", Size: 100})
			if a.Rule != tt.rule || tt.group != "" && a.Group != tt.group {
				t.Errorf("%s by %s (%s), want %s by %s", a.Group, a.Rule, a.Reason, tt.group, tt.rule)
			}
			if !a.Recorded || a.Reason == "" || len(a.Candidates) != 6 {
				t.Errorf("the record does not explain itself: %+v", a)
			}
		})
	}
}

func TestOneProbeEachPeriod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, only(seen(0, 9e4, 9e4, 9e4, 9e4, 9e4, 9e4), "dg01", "dg02", "dg03", "dg04", "dg05"))
	routers := []*route.Router{w.router(t, nil, nil), w.router(t, nil, nil)}
	probes := 0
	for i := range 120 { // two minutes
		if a := assign(t, routers[i%2], route.Campaign{ID: fmt.Sprint("c", i), Size: 10}); a.Rule == route.ByProbe {
			probes++
		}
		w.pass(time.Second)
	}
	if probes != 2 {
		t.Errorf("%d probes in two minutes, want one each", probes)
	}
}

func TestAGroupGoneForLongGetsItsShare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	f := gap(seen(0, 0, 0, 0, 0, 0, 0), "dg03")
	for id := range f {
		if id != "dg03" {
			f[id]["first"] = route.Figure{Backlog: 0, At: at(660)}
		}
	}
	w.figures(t, f)
	w.pass(11 * time.Minute)
	r := w.router(t, nil, nil)
	shares := 0
	for i := range 60 {
		if a := assign(t, r, route.Campaign{ID: fmt.Sprint("c", i), Size: 100}); a.Rule == route.ByCapacityShare {
			shares++
			if a.Group != "dg03" {
				t.Errorf("a capacity share for %s", a.Group)
			}
		}
	}
	if shares < 9 || shares > 11 {
		t.Errorf("%d of 60 campaigns for one group of six", shares)
	}
}

func TestStateDown(t *testing.T) {
	t.Parallel()
	c := six()
	c.Groups[1].Open, c.Groups[2].Open = true, true
	c.Groups[2].Queues[0].Rate = 200

	t.Run("reservations as last known", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, c)
		w.change(t, func(l *groups.Live) {
			l.Reservations["dg01"] = groups.Reservation{Group: "dg01", Customers: []string{"acme"}}
		})
		f := &faulty{State: w.store}
		r := w.router(t, f, nil)
		assign(t, r, route.Campaign{ID: "before", Size: 1})
		f.breakReads(errDown)
		w.pass(time.Second)
		got := map[string]int{}
		for i := range 60 {
			a := assign(t, r, route.Campaign{ID: fmt.Sprint("c", i), Customer: "globex", Size: 1})
			if a.Rule != route.ByStateDown || !a.Recorded {
				t.Fatalf("by %s, recorded %v", a.Rule, a.Recorded)
			}
			got[a.Group]++
		}
		if got["dg01"] != 0 || got["dg03"] < 19 || got["dg03"] > 21 || got["dg02"] < 9 || got["dg02"] > 11 {
			t.Errorf("shares %v, want none for dg01 and twice as many for dg03", got)
		}
		if a := assign(t, r, route.Campaign{ID: "own", Customer: "acme", Size: 1}); a.Group != "dg01" {
			t.Errorf("acme's campaign went to %s", a.Group)
		}
		f.breakReads(nil)
		w.pass(time.Second)
		if a := assign(t, r, route.Campaign{ID: "after", Size: 1}); a.Rule == route.ByStateDown {
			t.Error("the state is back, the rule is not")
		}
	})
	t.Run("nothing known: open groups, unrecorded", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, c)
		f := &faulty{State: w.store}
		f.breakReads(errDown)
		r := w.router(t, f, nil)
		for i := range 10 {
			a := assign(t, r, route.Campaign{ID: fmt.Sprint("c", i), Size: 1})
			if a.Rule != route.ByStateDownOpen || a.Group != "dg02" && a.Group != "dg03" || a.Recorded {
				t.Errorf("%s by %s, recorded %v", a.Group, a.Rule, a.Recorded)
			}
		}
		if n := f.commits.Load(); n != 0 {
			t.Errorf("%d commits without the store's clock", n)
		}
	})
	t.Run("nothing known and none open: the default topic", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, six())
		f := &faulty{State: w.store}
		f.breakReads(errDown)
		a := assign(t, w.router(t, f, nil), route.Campaign{ID: "c", Size: 1})
		if a.Rule != route.ByStateDownDefault || a.Topic != "projects/demo-project/topics/dg01" {
			t.Errorf("%s by %s", a.Topic, a.Rule)
		}
	})
	t.Run("everything down after the choice: answered, unrecorded", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, c)
		f := &faulty{State: w.store}
		r := w.router(t, f, nil)
		assign(t, r, route.Campaign{ID: "before", Size: 1})
		f.mu.Lock()
		f.onCommit = func(func() (time.Time, error)) (time.Time, error) { return time.Time{}, errDown }
		f.onGet = func() error { return errDown }
		f.mu.Unlock()
		if a := assign(t, r, route.Campaign{ID: "c", Size: 1}); a.Recorded || a.Topic == "" {
			t.Errorf("recorded %v, topic %q", a.Recorded, a.Topic)
		}
		if !strings.Contains(w.logged(), "routing.not-recorded") {
			t.Error("nothing is logged")
		}
	})
}

func TestEveryGroupClosed(t *testing.T) {
	t.Parallel()
	for _, topic := range []string{"projects/demo-project/topics/overflow", ""} {
		c := six()
		c.Overflow = topic
		w := newWorld(t, c)
		w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
		r := w.router(t, nil, nil)
		before := assign(t, r, route.Campaign{ID: "before", Size: 1})
		w.change(t, func(l *groups.Live) {
			for _, g := range c.Groups {
				l.Draining[g.ID] = groups.Drain{}
			}
		})
		w.pass(time.Second)
		if again := assign(t, r, route.Campaign{ID: "before", Size: 1}); again.Group != before.Group || !again.Repeated {
			t.Errorf("a redelivered campaign got %+v, before %s", again, before.Group)
		}
		if log := w.logged(); strings.Contains(log, "overflow") {
			t.Errorf("an alarm for a campaign that has its group: %s", log)
		}
		a, err := r.Assign(t.Context(), route.Campaign{ID: "c", Size: 1})
		if topic == "" && !errors.Is(err, route.ErrNoGroup) {
			t.Errorf("without an overflow topic: %+v, %v", a, err)
		}
		if topic != "" && (err != nil || a.Topic != topic || a.Group != "" || a.Rule != route.ByOverflow || !a.Recorded) {
			t.Errorf("with one: %+v, %v", a, err)
		}
		if log := w.logged(); !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "event=routing.overflow") {
			t.Errorf("no alarm in %q", log)
		}
	}
}
