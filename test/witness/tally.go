package witness

import "strings"

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
	t := l.count(func(string) bool { return true })
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Stray += l.stray
	return t
}

// TallyOf counts what was seen of the events of one kind.
func (l *Ledger) TallyOf(kind string) Tally {
	return l.count(func(name string) bool { return strings.HasPrefix(name, "sample-"+kind+"-") })
}

func (l *Ledger) count(of func(name string) bool) Tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := Tally{ByGroup: map[string]int{}}
	for name, e := range l.published {
		if of(name) {
			t.add(e, l.acts[name], l.letters[name])
		}
	}
	for name := range l.acts {
		if _, known := l.published[name]; !known && of(name) {
			t.Stray++
		}
	}
	return t
}

// add counts one event; letter is the reason of its dead letter, empty for none.
func (t *Tally) add(e Event, acts []Act, letter string) {
	t.Published++
	t.Acted += operations(e, acts)
	switch {
	case e.twice(acts):
		t.ActedTwice++
	case e.repeated(acts):
		t.Repeated++
	}
	switch {
	case letter == Indeterminate:
		t.Parked++
	case letter != "":
		t.DeadLettered++
	case !e.complete(acts):
		t.Lost++
	}
	if group := firstGroup(acts); group != "" {
		t.Assigned++
		t.ByGroup[group]++
	}
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
