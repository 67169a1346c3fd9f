package rig

import (
	"fmt"
	"slices"
	"time"

	"onceway.internal/test/witness"
)

// Outcome is what the witness counted.
type Outcome struct {
	AtMostOnce, AtLeastOnce witness.Tally

	Repeated   int // events that were published twice
	Deliveries int // by Pub/Sub
	Kills      int
	Stray      int
	Wrong      []string // events that acted twice or were lost
}

// Outcome counts what was seen so far.
func (r *Rig) Outcome() Outcome {
	o := Outcome{
		AtMostOnce: r.ledger.TallyOf(AtMostOnce.kind()), AtLeastOnce: r.ledger.TallyOf(AtLeastOnce.kind()),
		Stray: r.ledger.Tally().Stray, Wrong: append(r.ledger.Twice(), r.ledger.Lost()...),
	}
	o.Deliveries, _ = r.counts.Counts()
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Repeated, o.Kills = r.repeated, r.kills
	return o
}

// OK reports whether no at-most-once event acted twice, no event is unaccounted for,
// and nothing acted that belongs to no event.
func (o Outcome) OK() bool {
	return o.AtMostOnce.ActedTwice == 0 && o.AtMostOnce.Lost == 0 && o.AtLeastOnce.Lost == 0 && o.Stray == 0
}

// String is the outcome in one line.
func (o Outcome) String() string {
	m, l := o.AtMostOnce, o.AtLeastOnce
	done := settled(m)
	return fmt.Sprintf("%d events, %d published again, %d deliveries, %d kills"+
		" | at most once: %d = %d done + %d parked (%d of them had acted) + %d dead-lettered + %d lost; acted twice: %d"+
		" | at least once: %d = %d done + %d parked + %d dead-lettered + %d lost; acted again: %d",
		m.Published+l.Published, o.Repeated, o.Deliveries, o.Kills,
		m.Published, done, m.Parked, m.Acted-done, m.DeadLettered, m.Lost, m.ActedTwice,
		l.Published, settled(l), l.Parked, l.DeadLettered, l.Lost, l.Repeated)
}

// settled counts the events that acted and left no letter.
func settled(t witness.Tally) int { return t.Published - t.Parked - t.DeadLettered - t.Lost }

// Latencies answers how long each event that was published between two moments took
// until it acted, shortest first; what has not acted is left out.
func (r *Rig) Latencies(from, to time.Time) []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	var took []time.Duration
	for event, at := range r.sent {
		if at.Before(from) || !at.Before(to) {
			continue
		}
		if acts := r.ledger.Acts(event); len(acts) > 0 {
			took = append(took, acts[0].At.Sub(at))
		}
	}
	slices.Sort(took)
	return took
}
