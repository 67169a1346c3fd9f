package witness

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"
)

// Channel is where an event's effect shows.
type Channel string

// The channels.
const (
	HTTP  Channel = "http"  // relay and webhook
	Chat  Channel = "chat"  // a message in a space
	Queue Channel = "queue" // messages in a group's first queue
)

// Event is a published event that has an effect outside.
type Event struct {
	Name    string // "sample-KIND-NUMBER", see Name
	Channel Channel
	// Repeatable says that its policy is at-least-once: a second act is no fault.
	Repeatable bool
	// Units is how many distinct keys a campaign sends; others act as one unit.
	Units int
}

// Act is one effect that the witness saw.
type Act struct {
	Event     string
	Channel   Channel
	Unit      string // the message's key for a campaign, else empty
	Operation string // what downstream deduplicates by
	Epoch     string // the fencing token, where it came along
	Group     string // for campaigns
	At        time.Time
}

var namePattern = regexp.MustCompile(`sample-[a-z]+-\d+`)

// Name makes the name of a sample event.
func Name(kind string, number int) string { return fmt.Sprintf("sample-%s-%06d", kind, number) }

// Identify finds a sample event's name in the first text that holds one, else answers "".
func Identify(texts ...string) string {
	for _, text := range texts {
		if name := namePattern.FindString(text); name != "" {
			return name
		}
	}
	return ""
}

// Ledger holds what was published and what was seen. Its methods are safe for concurrent use.
type Ledger struct {
	now func() time.Time

	mu        sync.Mutex
	published map[string]Event
	acts      map[string][]Act // by event
	letters   map[string]string
	stray     int // acts without a known event or operation
}

// NewLedger returns an empty ledger on the given clock.
func NewLedger(now func() time.Time) *Ledger {
	if now == nil {
		panic("witness: a ledger needs a clock")
	}
	return &Ledger{now: now, published: map[string]Event{}, acts: map[string][]Act{}, letters: map[string]string{}}
}

// Publishing records an event before it is published; a repeat changes nothing.
func (l *Ledger) Publishing(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Units = max(e.Units, 1)
	l.published[e.Name] = e
}

// Withdraw forgets an event whose publishing failed for certain.
func (l *Ledger) Withdraw(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.published, name)
}

// Saw records an act. One that names no sample event or brings no operation is a stray.
func (l *Ledger) Saw(a Act) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.At = l.now()
	if a.Event == "" || a.Operation == "" {
		l.stray++
		return
	}
	l.acts[a.Event] = append(l.acts[a.Event], a)
}

// Letter records a dead letter by what names its event, and why it was given up.
func (l *Ledger) Letter(event, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if event == "" {
		l.stray++
		return
	}
	if _, there := l.letters[event]; !there {
		l.letters[event] = reason
	}
}

// Reason answers why an event was dead-lettered, empty when it was not.
func (l *Ledger) Reason(event string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.letters[event]
}

// Acts answers with what was seen of one event.
func (l *Ledger) Acts(event string) []Act {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.acts[event])
}

// Lost names the published events that neither acted nor were kept as a dead letter.
func (l *Ledger) Lost() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lost []string
	for name, e := range l.published {
		if _, kept := l.letters[name]; !kept && !e.complete(l.acts[name]) {
			lost = append(lost, name)
		}
	}
	slices.Sort(lost)
	return lost
}

// Twice names the at-most-once events that acted more than once.
func (l *Ledger) Twice() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var twice []string
	for _, name := range slices.Sorted(maps.Keys(l.acts)) {
		if e, known := l.published[name]; known && e.twice(l.acts[name]) {
			twice = append(twice, name)
		}
	}
	return twice
}

// complete reports whether every unit acted on the event's own channel.
func (e Event) complete(acts []Act) bool {
	units := map[string]bool{}
	for _, a := range acts {
		if a.Channel == e.Channel {
			units[a.Unit] = true
		}
	}
	return len(units) >= e.Units
}

// repeated reports whether a unit acted more than once on a channel.
func (e Event) repeated(acts []Act) bool {
	type place struct {
		channel Channel
		unit    string
	}
	seen := map[place]bool{}
	for _, a := range acts {
		p := place{a.Channel, a.Unit}
		if seen[p] {
			return true
		}
		seen[p] = true
	}
	return false
}

// twice reports a fault: an event that may not be repeated was, or a campaign went to two groups.
func (e Event) twice(acts []Act) bool {
	if e.repeated(acts) && !e.Repeatable {
		return true
	}
	groups := map[string]bool{}
	for _, a := range acts {
		if a.Group != "" {
			groups[a.Group] = true
		}
	}
	return len(groups) > 1
}
