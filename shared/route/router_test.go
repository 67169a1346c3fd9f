package route_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

var errDown = errors.New("unavailable")

func TestCampaignsAtOnceSpread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
	r := w.router(t, nil, nil)
	var wg sync.WaitGroup
	for i := range 120 {
		wg.Go(func() { assign(t, r, route.Campaign{ID: fmt.Sprint("c", i), Size: 1000}) })
	}
	wg.Wait()
	for g, size := range w.ledger(t) {
		if size < 19_000 || size > 21_000 { // ties are drawn
			t.Errorf("%s got %d messages of 120,000, want about 20,000: choices are not counted at once", g, size)
		}
	}
}

func TestChoicesCountOnceWhenTheLedgerShowsThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
	r := w.router(t, nil, nil)
	a := assign(t, r, route.Campaign{ID: "c1", Size: 60_000})
	w.pass(2 * time.Second)
	v, err := r.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Candidates {
		if c.Group == a.Group && (c.Score < 590 || c.Score > 600) {
			t.Errorf("score %v two seconds after 600 s of work were routed", c.Score)
		}
	}
}

func TestRedeliveredCampaignKeepsItsGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
	first := assign(t, w.router(t, nil, nil), route.Campaign{ID: "c1", Size: 1000})
	w.figures(t, seen(60, 9e6, 9e6, 9e6, 9e6, 9e6, 9e6))
	r := w.router(t, nil, nil)
	for range 5 {
		again := assign(t, r, route.Campaign{ID: "c1", Size: 1000})
		if again.Group != first.Group || !again.Repeated || !again.Recorded || again.Token != first.Token {
			t.Errorf("again: %+v, first %+v", again, first)
		}
	}
	if l := w.ledger(t); len(l) != 1 || l[first.Group] != 1000 {
		t.Errorf("ledger %v, want %s once", l, first.Group)
	}
}

func TestRepeatsTakeTheirChoiceBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 1e4, 1e4, 1e4, 1e4, 1e4)) // dg01 is the emptiest
	r := w.router(t, nil, nil)
	for range 50 {
		assign(t, r, route.Campaign{ID: "c1", Size: 1000})
	}
	// Had the repeats stayed counted, dg01 would look full.
	if a := assign(t, r, route.Campaign{ID: "c2", Size: 1000}); a.Group != "dg01" {
		t.Errorf("the next campaign went to %s: repeats are still counted for dg01", a.Group)
	}
}

func TestAHostClockAheadLosesNoLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
	a := assign(t, w.router(t, nil, nil), route.Campaign{ID: "c1", Size: 1_000_000})
	f := &faulty{State: w.store}
	r := w.router(t, f, func(_ *route.Config, d *route.Deps) {
		d.Now = func() time.Time { return w.clock().Add(3 * time.Hour) }
	})
	v, err := r.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Candidates {
		if c.Group == a.Group && c.Score < 9000 {
			t.Errorf("score of %s is %v: its ledger was not read", c.Group, c.Score)
		}
	}
	if !v.At.Equal(w.clock()) {
		t.Errorf("store time %v, want %v", v.At, w.clock())
	}
	if b := assign(t, r, route.Campaign{ID: "c2", Size: 10}); !b.At.Equal(w.clock()) {
		t.Errorf("the bucket is timed %v by a host's clock, not %v", b.At, w.clock())
	}
}

func TestSettingsChangeWithoutRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
	r := w.router(t, nil, nil)
	version := ""
	for policy, rule := range map[route.Policy]route.Rule{
		route.Corrected: route.ByCorrected, route.TwoChoices: route.ByTwoChoices, route.RoundRobin: route.ByRoundRobin,
		route.WeightedRoundRobin: route.ByWeightedRoundRobin, route.Lowest: route.ByLowest, route.Static: route.ByStatic,
	} {
		s := route.DefaultSettings()
		s.Policy, s.Static, s.Version = policy, "dg04", version
		if err := w.store.PutSettings(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		a := assign(t, r, route.Campaign{ID: string(policy), Size: 10})
		if a.Rule != rule || a.Policy != policy || policy == route.Static && a.Group != "dg04" {
			t.Errorf("policy %s answered %s by %s (%s)", policy, a.Group, a.Rule, a.Reason)
		}
		snap, err := w.store.Read(t.Context(), at(0))
		if err != nil {
			t.Fatal(err)
		}
		version = snap.Settings.Version
	}
	bad := route.Settings{Policy: "guess", Version: version}
	if err := w.store.PutSettings(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Second)
	if a := assign(t, r, route.Campaign{ID: "bad", Size: 10}); a.Rule != route.ByCorrected || !strings.Contains(w.logged(), "routing.bad-settings") {
		t.Errorf("unusable settings: rule %s, log %s", a.Rule, w.logged())
	}
}

func TestPlainLowestHerdsAndCorrectedDoesNot(t *testing.T) {
	t.Parallel()
	shares := func(p route.Policy) int {
		w := newWorld(t, six())
		w.figures(t, seen(0, 0, 200, 200, 200, 200, 200))
		r := w.router(t, nil, func(c *route.Config, _ *route.Deps) { c.Settings.Policy = p })
		for i := range 60 {
			assign(t, r, route.Campaign{ID: fmt.Sprint("c", i), Size: 1000})
		}
		return int(w.ledger(t)["dg01"]) / 1000
	}
	if n := shares(route.Lowest); n != 60 {
		t.Errorf("plain lowest sent %d of 60 to the lowest", n)
	}
	if n := shares(route.Corrected); n < 9 || n > 12 {
		t.Errorf("corrected sent %d of 60 to the lowest, want about 10", n)
	}
}

func TestReservationsHold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 9e6, 9e6, 9e6, 9e6, 9e6))
	w.change(t, func(l *groups.Live) {
		l.Reservations["dg01"] = groups.Reservation{Group: "dg01", Customers: []string{"acme"}, Until: at(60)}
		l.Reservations["dg06"] = groups.Reservation{Group: "dg06", Customers: []string{"globex"}}
	})
	r := w.router(t, nil, nil)
	if a := assign(t, r, route.Campaign{ID: "a", Customer: "other", Size: 1}); a.Group == "dg01" || a.Group == "dg06" {
		t.Errorf("other's campaign went to %s", a.Group)
	}
	if a := assign(t, r, route.Campaign{ID: "b", Customer: "globex", Size: 1}); a.Group != "dg06" {
		t.Errorf("globex' campaign went to %s, though dg06 is kept for it", a.Group)
	}
	w.pass(61 * time.Second)
	if a := assign(t, r, route.Campaign{ID: "c", Customer: "other", Size: 1}); a.Group != "dg01" {
		t.Errorf("after the reservation's end: %s, want the empty dg01", a.Group)
	}
}

func TestInvalidCampaigns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	r := w.router(t, nil, nil)
	for _, c := range []route.Campaign{{}, {ID: strings.Repeat("x", route.MaxID+1)}, {ID: "c", Size: -1}, {ID: "c", Size: route.MaxSize + 1}} {
		if _, err := r.Assign(t.Context(), c); err == nil {
			t.Errorf("campaign %.20v was assigned", c)
		}
	}
}

func TestPreviewChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
	r := w.router(t, nil, nil)
	for range 20 {
		if a, err := r.Preview(t.Context(), route.Campaign{ID: "c", Size: 1000}); err != nil || a.Group == "" || a.Recorded {
			t.Fatalf("preview: %+v, %v", a, err)
		}
	}
	if l := w.ledger(t); len(l) != 0 {
		t.Errorf("ledger after previews: %v", l)
	}
	if _, _, err := w.store.Assignment(t.Context(), "c"); !errors.Is(err, route.ErrNotFound) {
		t.Errorf("a preview is recorded: %v", err)
	}
}

func TestAWaiterCanLeave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	inside, leave := make(chan struct{}), make(chan struct{})
	f := &faulty{State: w.store, onRead: func() error { close(inside); <-leave; return nil }}
	r := w.router(t, f, nil)
	done := make(chan error, 1)
	go func() {
		_, err := r.Assign(context.WithoutCancel(t.Context()), route.Campaign{ID: "a", Size: 1})
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Assign(ctx, route.Campaign{ID: "b", Size: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("waiter: %v", err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Errorf("reader: %v", err)
	}
}
