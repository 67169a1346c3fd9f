// Package routetest is the conformance suite of route.Store: every backend runs it.
package routetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// Harness is one fresh, empty backend.
type Harness struct {
	Route  route.Store
	Groups groups.Store // the live state that Route reads
}

// Run tests the backends that fresh makes.
func Run(t *testing.T, fresh func(t *testing.T) Harness) {
	t.Helper()
	tests := map[string]func(*testing.T, Harness){
		"an empty state tells its time and nothing else":             empty,
		"a snapshot holds figures, settings and live state":          snapshot,
		"a commit stores the record and counts it once":              commit,
		"a second commit of a campaign changes nothing":              commitTwice,
		"of many commits of a campaign one counts":                   commitRace,
		"concurrent campaigns of one bucket are all counted":         sum,
		"an overflowed campaign is recorded without a ledger":        overflow,
		"retired buckets are left out, the largest campaign decides": retired,
		"an older sample never replaces a newer one":                 newer,
		"settings change by compare-and-swap":                        settings,
		"the newest recommendation stays":                            advice,
		"history keeps one entry a minute, oldest first":             history,
		"recent assignments come newest first":                       recent,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

var times = cmpopts.EquateApproxTime(time.Millisecond)

func read(t *testing.T, h Harness) route.Snapshot {
	t.Helper()
	s, err := h.Route.Read(t.Context(), time.Unix(0, 0))
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return s
}

// total sums the ledger by group.
func total(s route.Snapshot) map[string]route.Bucket {
	by := map[string]route.Bucket{}
	for _, b := range s.Ledger {
		sum := by[b.Group]
		by[b.Group] = route.Bucket{Group: b.Group, Size: sum.Size + b.Size, Count: sum.Count + b.Count, Largest: max(sum.Largest, b.Largest)}
	}
	return by
}

func assignment(campaign, group string, size int64, at time.Time) route.Assignment {
	return route.Assignment{
		Campaign: campaign, Customer: "acme", Size: size, Group: group, Topic: "projects/demo-project/topics/" + group,
		Policy: route.Corrected, Rule: route.ByCorrected, Reason: "lowest", At: at.UTC(), Token: "token of " + campaign,
		Candidates: []route.Candidate{{Group: group, Score: 1.5, Data: route.Fresh, SampleAge: time.Minute, Capacity: 10}},
	}
}

func put(t *testing.T, h Harness, a route.Assignment) time.Time {
	t.Helper()
	at, err := h.Route.Commit(t.Context(), a)
	if err != nil {
		t.Fatalf("commit %s: %v", a.Campaign, err)
	}
	return at
}

// persist commits as a router does, again when the store refuses under
// contention, and reports whether the record is a's own.
func persist(t *testing.T, h Harness, a route.Assignment) (won bool) {
	t.Helper()
	var err error
	for range 100 {
		if _, err = h.Route.Commit(t.Context(), a); err == nil {
			return true
		}
		if errors.Is(err, route.ErrAssigned) {
			stored, _, err := h.Route.Assignment(t.Context(), a.Campaign)
			if err != nil {
				t.Errorf("read %s, which is assigned: %v", a.Campaign, err)
			}
			return stored.Token == a.Token
		}
	}
	t.Errorf("commit %s: %v", a.Campaign, err)
	return false
}

func empty(t *testing.T, h Harness) {
	s := read(t, h)
	if s.At.IsZero() {
		t.Error("no store time")
	}
	if s.Figures != nil || s.Settings != nil || len(s.Ledger) != 0 || len(s.Live.Reservations) != 0 {
		t.Errorf("an empty state holds %+v", s)
	}
	if _, _, err := h.Route.Assignment(t.Context(), "c1"); !errors.Is(err, route.ErrNotFound) {
		t.Errorf("assignment of an unknown campaign: %v", err)
	}
}

func snapshot(t *testing.T, h Harness) {
	live, err := h.Groups.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	live.Reservations["dg01"] = groups.Reservation{Group: "dg01", Customers: []string{"acme"}, By: "ann"}
	if _, err := h.Groups.Swap(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	figs := figures("dg01", 5, time.Unix(1000, 0))
	if _, err := h.Route.PutFigures(t.Context(), figs); err != nil {
		t.Fatal(err)
	}
	if err := h.Route.PutSettings(t.Context(), route.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	s := read(t, h)
	if d := cmp.Diff(figs, s.Figures, times); d != "" {
		t.Errorf("figures (-want +got):\n%s", d)
	}
	if !s.Live.Reservations["dg01"].For("acme") || s.Live.Version == "" {
		t.Errorf("live state is not in the snapshot: %+v", s.Live)
	}
	if s.Settings == nil || s.Settings.Policy != route.Corrected || s.Settings.Version == "" {
		t.Errorf("settings: %+v", s.Settings)
	}
}

func commit(t *testing.T, h Harness) {
	now := read(t, h).At
	want := assignment("c1", "dg01", 700, now)
	at := put(t, h, want)
	if at.Before(now) {
		t.Errorf("commit at %v, before the read at %v", at, now)
	}
	got, committed, err := h.Route.Assignment(t.Context(), "c1")
	if err != nil || !committed.Equal(at) {
		t.Fatalf("assignment committed at %v, %v; want %v", committed, err, at)
	}
	want.Recorded = true
	if d := cmp.Diff(want, got, times, cmpopts.IgnoreUnexported(route.Assignment{}, route.Candidate{})); d != "" {
		t.Errorf("record changed on its way (-want +got):\n%s", d)
	}
	s := read(t, h)
	start := now.UTC().Truncate(route.BucketLength)
	wantLedger := []route.Bucket{{Group: "dg01", Start: start, Size: 700, Count: 1, Largest: 700}}
	if d := cmp.Diff(wantLedger, s.Ledger, times); d != "" {
		t.Errorf("ledger (-want +got):\n%s", d)
	}
}

func commitTwice(t *testing.T, h Harness) {
	now := read(t, h).At
	put(t, h, assignment("c1", "dg01", 700, now))
	if _, err := h.Route.Commit(t.Context(), assignment("c1", "dg02", 700, now)); !errors.Is(err, route.ErrAssigned) {
		t.Errorf("second commit: %v", err)
	}
	if d := cmp.Diff(map[string]route.Bucket{"dg01": {Group: "dg01", Size: 700, Count: 1, Largest: 700}}, total(read(t, h))); d != "" {
		t.Errorf("ledger after a repeat (-want +got):\n%s", d)
	}
}

func commitRace(t *testing.T, h Harness) {
	now := read(t, h).At
	var wg sync.WaitGroup
	var won atomic.Int64
	for i := range 10 {
		wg.Go(func() {
			a := assignment("c1", fmt.Sprintf("dg%02d", i), 10, now)
			a.Token = fmt.Sprint("token ", i)
			if persist(t, h, a) {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	got := total(read(t, h))
	if won.Load() != 1 || len(got) != 1 {
		t.Errorf("%d commits won, ledger %v", won.Load(), got)
	}
	for _, b := range got {
		if b.Size != 10 || b.Count != 1 {
			t.Errorf("ledger %v, want one campaign of 10", b)
		}
	}
}

func sum(t *testing.T, h Harness) {
	now := read(t, h).At
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if !persist(t, h, assignment(fmt.Sprint("c", i), "dg01", int64(100+i), now)) {
				t.Errorf("campaign %d has another's record", i)
			}
		})
	}
	wg.Wait()
	want := map[string]route.Bucket{"dg01": {Group: "dg01", Size: 20*100 + 190, Count: 20, Largest: 119}}
	if d := cmp.Diff(want, total(read(t, h))); d != "" {
		t.Errorf("ledger (-want +got):\n%s", d)
	}
}

func overflow(t *testing.T, h Harness) {
	put(t, h, assignment("c1", "", 10, read(t, h).At))
	if got := read(t, h).Ledger; len(got) != 0 {
		t.Errorf("ledger of an overflowed campaign: %v", got)
	}
	if _, _, err := h.Route.Assignment(t.Context(), "c1"); err != nil {
		t.Errorf("its record: %v", err)
	}
}

func retired(t *testing.T, h Harness) {
	start := read(t, h).At.UTC().Truncate(route.BucketLength)
	put(t, h, assignment("small", "dg01", 10, start))
	put(t, h, assignment("large", "dg02", 100_000, start))
	put(t, h, assignment("small too", "dg02", 10, start))
	s, err := h.Route.Read(t.Context(), start.Add(60*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]route.Bucket{"dg02": {Group: "dg02", Size: 100_010, Count: 2, Largest: 100_000}}
	got := total(s)
	// A shard that holds only the small campaign may be left out.
	if b := got["dg02"]; b.Count == 1 {
		want["dg02"] = route.Bucket{Group: "dg02", Size: 100_000, Count: 1, Largest: 100_000}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("ledger a minute later (-want +got):\n%s", d)
	}
}

func recent(t *testing.T, h Harness) {
	now := read(t, h).At
	for i := range 3 {
		put(t, h, assignment(fmt.Sprint("c", i), "dg01", 1, now.Add(time.Duration(i)*time.Second)))
	}
	as, err := h.Route.Recent(t.Context(), 2)
	if err != nil || len(as) != 2 || as[0].Campaign != "c2" || as[1].Campaign != "c1" {
		t.Errorf("recent: %v, %v", as, err)
	}
}
