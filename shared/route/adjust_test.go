package route_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// journal remembers what was audited, or refuses.
type journal struct {
	mu     sync.Mutex
	lines  []string
	refuse error
}

func (j *journal) Audit(_ context.Context, by, action, subject, detail string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.refuse == nil {
		j.lines = append(j.lines, strings.Join([]string{by, action, subject, detail}, " "))
	}
	return j.refuse
}

func TestAdjust(t *testing.T) {
	t.Parallel()
	w, j := newWorld(t, six()), &journal{}
	adjust := func(change func(*route.Settings)) error {
		_, err := route.Adjust(t.Context(), w.store, w.cfg, route.DefaultSettings(), j, "ann", change)
		return err
	}
	if err := adjust(func(s *route.Settings) { s.Policy, s.Static = route.Static, "dg02" }); err != nil {
		t.Fatal(err)
	}
	if err := adjust(func(s *route.Settings) { s.DrainTrust = 0.5 }); err != nil {
		t.Fatal(err)
	}
	if a := assign(t, w.router(t, nil, nil), route.Campaign{ID: "c", Size: 1}); a.Group != "dg02" {
		t.Errorf("assigned to %s by %s, want the static dg02: a later change lost an earlier one", a.Group, a.Rule)
	}
	if len(j.lines) != 2 || !strings.HasPrefix(j.lines[0], "ann route settings policy static") {
		t.Errorf("audit %q", j.lines)
	}
	if err := adjust(func(s *route.Settings) { s.Policy = "guess" }); err == nil || !strings.Contains(err.Error(), "policy") {
		t.Errorf("an unknown policy: %v", err)
	}
	if err := adjust(func(s *route.Settings) { s.Static = "dg99" }); !errors.Is(err, groups.ErrUnknownGroup) {
		t.Errorf("an unknown group: %v", err)
	}
	j.refuse = errors.New("audit store down")
	if err := adjust(func(s *route.Settings) { s.Policy = route.Lowest }); !errors.Is(err, j.refuse) {
		t.Errorf("unaudited: %v", err)
	}
	snap, err := w.store.Read(t.Context(), at(0))
	if err != nil || snap.Settings.Policy != route.Static || snap.Settings.DrainTrust != 0.5 {
		t.Errorf("settings %+v, %v", snap.Settings, err)
	}
}

func TestConcurrentAdjustmentsAllHappen(t *testing.T) {
	t.Parallel()
	w, j := newWorld(t, six()), &journal{}
	changes := []func(*route.Settings){
		func(s *route.Settings) { s.Policy = route.TwoChoices },
		func(s *route.Settings) { s.DrainTrust = 0.5 },
		func(s *route.Settings) { s.TypicalSize = 7 },
	}
	var wg sync.WaitGroup
	for _, change := range changes {
		wg.Go(func() {
			if _, err := route.Adjust(t.Context(), w.store, w.cfg, route.DefaultSettings(), j, "ann", change); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	snap, err := w.store.Read(t.Context(), at(0))
	if err != nil || snap.Settings.Policy != route.TwoChoices || snap.Settings.DrainTrust != 0.5 || snap.Settings.TypicalSize != 7 {
		t.Errorf("settings %+v, %v", snap.Settings, err)
	}
}
