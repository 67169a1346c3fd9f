package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
)

// outside says what w looks like, without anything of what processes remember.
func (w *world) outside() string {
	var b strings.Builder
	if r := w.rec; r != nil {
		// Once nobody owns or parked it, time means nothing any more.
		over := (r.State.Owned() || r.State == claim.Indeterminate) && w.now.After(w.leaseEnd)
		fmt.Fprintf(&b, "%s %d %d %v %v", r.State, r.Epoch, r.Attempts, r.Republish, over)
		if w.remembered(w.owner) {
			b.WriteString(w.owner)
		}
	}
	fmt.Fprintf(&b, " effects %d", w.effects)
	for _, m := range w.messages {
		fmt.Fprintf(&b, " %s %v", m.m.ID, m.acked)
	}
	for _, l := range append(slices.Clone(w.topic), w.kept...) {
		b.WriteString(" " + short(l.id))
	}
	for _, p := range w.procs {
		if p.live {
			fmt.Fprintf(&b, " %s@%s", p.name, p.at)
		}
	}
	return b.String()
}

// TestNothingIsLostByForgetting: what the search forgets, to take states for one that
// go on alike, hides none: with everything remembered it meets the same ones.
func TestNothingIsLostByForgetting(t *testing.T) {
	t.Parallel()
	scenarios := []scenario{
		{name: "sweep", policy: claim.AtMostOnce, sweep: true, bounds: bounds{onA: 2, mishaps: 1, acts: 1}},
		{name: "crowd", policy: claim.AtLeastOnce, bounds: bounds{onA: 2, onB: 1, switches: 1}},
		{name: "faults", policy: claim.AtMostOnce, bounds: bounds{onA: 1, onB: 1, faults: 1}},
		{name: "begin", policy: claim.AtMostOnceAfterBegin, begins: true, bounds: bounds{onA: 1, onB: 1, mishaps: 1}},
	}
	if !*full {
		scenarios = scenarios[:1]
	}
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.looks = true
			fast := search(s, 1<<20, false)
			s.whole = true
			slow := search(s, 1<<20, false)
			if fast.schedules >= slow.schedules {
				t.Errorf("forgetting saved nothing: %d schedules of %d", fast.schedules, slow.schedules)
			}
			t.Logf("%d schedules for %d, %d states as seen from outside", fast.schedules, slow.schedules, len(fast.outside))
			if diff := cmp.Diff(slices.Sorted(maps.Keys(slow.outside)), slices.Sorted(maps.Keys(fast.outside))); diff != "" {
				t.Errorf("states (-all +met):\n%s", diff)
			}
		})
	}
}
