package explore

import (
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"onceway.internal/shared/claim"
)

var full = flag.Bool("explore.full", false, "explore within the full bounds: minutes instead of seconds")

// scenarios are explored within bounds of two sizes: quick ones for every run of the
// tests, full ones for the suite `claims`.
var scenarios = []struct {
	scenario
	full bounds
}{
	{scenario{name: "at-least-once: crowd", policy: claim.AtLeastOnce, bounds: bounds{onA: 2, switches: 1}},
		bounds{onA: 2, onB: 1, switches: 2}},
	{scenario{name: "at-least-once: faults", policy: claim.AtLeastOnce, bounds: bounds{onA: 1, faults: 1}},
		bounds{onA: 1, onB: 1, faults: 2, switches: 1}},
	{scenario{name: "at-least-once: mishaps", policy: claim.AtLeastOnce, bounds: bounds{onA: 2, mishaps: 1}},
		bounds{onA: 1, onB: 1, faults: 1, mishaps: 1, switches: 1}},
	{scenario{name: "at-least-once, begins", policy: claim.AtLeastOnce, begins: true, replay: true, bounds: bounds{onA: 2, mishaps: 1}},
		bounds{onA: 2, mishaps: 1, acts: 1, switches: 1}},
	{scenario{name: "at-most-once: Verify, faults", policy: claim.AtMostOnce, sweep: true, bounds: bounds{onA: 1, onB: 1, acts: 1}},
		bounds{onA: 1, onB: 1, faults: 1, acts: 1, switches: 1}},
	{scenario{name: "at-most-once: Verify, mishaps", policy: claim.AtMostOnce, sweep: true, panics: true, bounds: bounds{onA: 2, mishaps: 1, acts: 1}},
		bounds{onA: 1, onB: 1, mishaps: 1, acts: 1, switches: 1}},
	{scenario{name: "at-most-once: Verify, faults and mishaps", policy: claim.AtMostOnce, sweep: true, bounds: bounds{onA: 1, mishaps: 1, acts: 1}},
		bounds{onA: 1, onB: 1, faults: 1, mishaps: 1, acts: 1}},
	{scenario{name: "at-most-once: person, crowd", policy: claim.AtMostOnce, person: true, bounds: bounds{onA: 1, onB: 1, acts: 1}},
		bounds{onA: 2, onB: 1, acts: 1, switches: 2}},
	{scenario{name: "at-most-once: person, faults", policy: claim.AtMostOnce, person: true, bounds: bounds{onA: 1, faults: 1}},
		bounds{onA: 1, onB: 1, faults: 2, acts: 1}},
	{scenario{name: "at-most-once: person and Verify", policy: claim.AtMostOnce, person: true, sweep: true, bounds: bounds{onA: 1, mishaps: 1, acts: 1}},
		bounds{onA: 1, onB: 1, mishaps: 1, acts: 2, switches: 1}},
	{scenario{name: "after begin: replay", policy: claim.AtMostOnceAfterBegin, begins: true, replay: true, bounds: bounds{onA: 1, mishaps: 1, acts: 1}},
		bounds{onA: 1, onB: 1, mishaps: 2, acts: 1, switches: 1}},
	{scenario{name: "after begin: person, faults", policy: claim.AtMostOnceAfterBegin, begins: true, person: true, bounds: bounds{onA: 1, faults: 1}},
		bounds{onA: 1, onB: 1, faults: 1, acts: 1, switches: 1}},
	{scenario{name: "after begin: Verify, faults and mishaps", policy: claim.AtMostOnceAfterBegin, begins: true, sweep: true, bounds: bounds{onA: 1, mishaps: 1, acts: 1}},
		bounds{onA: 1, onB: 1, faults: 1, mishaps: 1, acts: 1}},
	{scenario{name: "after begin: giving up at once", policy: claim.AtMostOnceAfterBegin, begins: true, finishBudget: 40e6, bounds: bounds{onA: 1, faults: 1}},
		bounds{onA: 1, onB: 1, faults: 1, switches: 1}},
	{scenario{name: "late duplicates", policy: claim.AtMostOnce, replay: true, person: true, bounds: bounds{onA: 2, again: 1}},
		bounds{onA: 2, onB: 1, mishaps: 1, acts: 1, again: 1}},
	{scenario{name: "a release that can't read it", policy: claim.AtMostOnce, poisonOnA: true, replay: true, bounds: bounds{onA: 1, onB: 1, acts: 1}},
		bounds{onA: 1, onB: 1, faults: 1, acts: 1, switches: 1}},
	{scenario{name: "two payloads under one key", policy: claim.AtLeastOnce, twoPayloads: true, bounds: bounds{onA: 1, onB: 1}},
		bounds{onA: 1, onB: 2, faults: 1}},
	{scenario{name: "a clock an hour off", policy: claim.AtLeastOnce, skewB: 3600e9, bounds: bounds{onA: 1, onB: 1}},
		bounds{onA: 1, onB: 1, faults: 1, switches: 1}},
	{scenario{name: "heartbeat", policy: claim.AtMostOnceAfterBegin, begins: true, beats: true, bounds: bounds{onB: 1}},
		bounds{onA: 1, onB: 1, faults: 1, switches: 1}},
}

func TestEveryStateKeepsWhatClaimsPromise(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	schedules, states := 0, 0
	taken := map[claim.Transition]int{}
	for _, e := range scenarios {
		s := e.scenario
		if *full {
			s.bounds = e.full
		}
		f := search(s, 1<<30, true)
		schedules, states = schedules+f.schedules, states+f.states
		for transition, n := range f.taken {
			taken[transition] += n
		}
		fmt.Printf("%-42s %8d schedules %8d states, up to %2d steps; %s\n", s.name, f.schedules, f.states, f.depth, s.bounds)
		if f.violated != nil {
			t.Fatalf("%s: violation %q: %s\n%s", s.name, f.violated.kind, f.violated.text, tell(s, f.trace))
		}
	}
	fmt.Println("Transitions, and how often they were taken:")
	for _, transition := range claim.Transitions() {
		fmt.Printf("%-13s --%-9s--> %-13s %8d\n", or(transition.From, "(absent)"), transition.Act, transition.To, taken[transition])
		if *full && taken[transition] == 0 {
			t.Errorf("never taken: %v", transition)
		}
	}
	fmt.Printf("distinct states: %d\n", states)
	fmt.Printf("explored %d schedules, 0 violations\n", schedules)
}

func or(s claim.State, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return string(s)
}

func (b bounds) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{b.onA, "deliveries on A"}, {b.onB, "on B"}, {b.faults, "faults"}, {b.mishaps, "handler failures"},
		{b.acts, "sweeps and people"}, {b.again, "late duplicates"}, {b.switches, "switches"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}
