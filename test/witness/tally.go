package witness

// Indeterminate is the documented reason of a parked event's dead letter.
const Indeterminate = "indeterminate"

// Tally is what the witness counted.
type Tally struct {
	Published    int `json:"published"`
	Acted        int `json:"acted"`         // distinct operations
	ActedTwice   int `json:"acted_twice"`   // at-most-once events that acted more than once, and campaigns in two groups
	Repeated     int `json:"repeated"`      // at-least-once events that did
	Lost         int `json:"lost"`          // neither acted nor kept
	Parked       int `json:"parked"`        // dead letters that say indeterminate
	DeadLettered int `json:"dead_lettered"` // dead letters for any other reason
	Stray        int `json:"-"`             // what could not be told apart: always a fault

	Assigned int            `json:"-"` // campaigns that reached a group
	ByGroup  map[string]int `json:"-"`
}

// OK reports whether nothing acted twice, was lost or can't be explained.
func (t Tally) OK() bool { return t.ActedTwice == 0 && t.Lost == 0 && t.Stray == 0 }

// Tally counts what was seen so far.
func (l *Ledger) Tally() Tally {
	lost, twice := len(l.Lost()), len(l.Twice())
	l.mu.Lock()
	defer l.mu.Unlock()
	t := Tally{Published: len(l.published), Lost: lost, ActedTwice: twice, Stray: l.stray, ByGroup: map[string]int{}}
	for name, acts := range l.acts {
		e, known := l.published[name]
		if !known {
			t.Stray++
			continue
		}
		t.Acted += operations(e, acts)
		if e.Repeatable && e.repeated(acts) && !e.twice(acts) {
			t.Repeated++
		}
		if group := firstGroup(acts); group != "" {
			t.Assigned++
			t.ByGroup[group]++
		}
	}
	for _, reason := range l.letters {
		if reason == Indeterminate {
			t.Parked++
		} else {
			t.DeadLettered++
		}
	}
	return t
}

// operations counts distinct operations on the event's own channel; a campaign is one.
func operations(e Event, acts []Act) int {
	if e.Channel == Queue {
		return min(len(acts), 1)
	}
	seen := map[string]bool{}
	for _, a := range acts {
		if a.Channel == e.Channel {
			seen[a.Operation] = true
		}
	}
	return len(seen)
}

func firstGroup(acts []Act) string {
	for _, a := range acts {
		if a.Group != "" {
			return a.Group
		}
	}
	return ""
}
