// Package groupstest is the conformance suite of groups.Store: every backend runs it.
package groupstest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"onceway.internal/shared/groups"
)

// Run tests the stores that fresh makes; each must be empty.
func Run(t *testing.T, fresh func(t *testing.T) groups.Store) {
	t.Helper()
	tests := map[string]func(*testing.T, groups.Store){
		"an empty store answers an empty state with its time": empty,
		"what was swapped in is loaded":                       roundTrip,
		"a swap on an old version conflicts":                  conflict,
		"of many swaps on one version one succeeds":           race,
		"a swap that changes nothing changes the version":     sameAgain,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

func load(t *testing.T, s groups.Store) groups.Live {
	t.Helper()
	l, err := s.Load(t.Context())
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return l
}

func swap(t *testing.T, s groups.Store, l groups.Live) groups.Live {
	t.Helper()
	l, err := s.Swap(t.Context(), l)
	if err != nil {
		t.Fatalf("swap: %v", err)
	}
	return l
}

func empty(t *testing.T, s groups.Store) {
	l := load(t, s)
	if l.Version != "" || len(l.Reservations)+len(l.Draining) != 0 {
		t.Errorf("state of an empty store: %+v", l)
	}
	if l.ReadAt.IsZero() {
		t.Error("no store time on an empty state")
	}
}

func roundTrip(t *testing.T, s groups.Store) {
	l := load(t, s)
	l.Reservations["dg01"] = groups.Reservation{
		Group: "dg01", Customers: []string{"acme", "globex"}, Since: l.ReadAt.UTC().Truncate(time.Millisecond),
		Until: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), Note: "launch", By: "ann",
	}
	l.Draining["dg02"] = groups.Drain{Note: "upgrade", By: "bob"}
	l.Seeded["dg01"] = true
	done := swap(t, s, l)
	got := load(t, s)
	ignore := cmpopts.IgnoreFields(groups.Live{}, "ReadAt", "Version")
	if d := cmp.Diff(l, got, ignore); d != "" {
		t.Errorf("state changed on its way (-want +got):\n%s", d)
	}
	if got.Version != done.Version {
		t.Errorf("version %q after a swap that answered %q", got.Version, done.Version)
	}
}

func conflict(t *testing.T, s groups.Store) {
	first := load(t, s)
	second := swap(t, s, first)
	if _, err := s.Swap(t.Context(), first); !errors.Is(err, groups.ErrConflict) {
		t.Errorf("swap on the version before the first: %v, want a conflict", err)
	}
	swap(t, s, second)
	if _, err := s.Swap(t.Context(), second); !errors.Is(err, groups.ErrConflict) {
		t.Errorf("swap on an old version: %v, want a conflict", err)
	}
}

func race(t *testing.T, s groups.Store) {
	l := swap(t, s, load(t, s))
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for range cap(errs) {
		wg.Go(func() {
			_, err := s.Swap(t.Context(), l)
			for errors.Is(err, groups.ErrBusy) {
				_, err = s.Swap(t.Context(), l)
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	won := 0
	for err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, groups.ErrConflict):
			t.Errorf("swap: %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d of 8 swaps on one version succeeded", won)
	}
}

func sameAgain(t *testing.T, s groups.Store) {
	a := swap(t, s, load(t, s))
	b := swap(t, s, a)
	if a.Version == b.Version {
		t.Error("two swaps answered one version")
	}
}
