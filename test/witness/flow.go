package witness

import (
	"sync"
	"time"
)

// Flow knows what went into topics and what was acknowledged, as seen at taps: so
// the backlog of an emulator can be told, which tells none itself.
type Flow struct {
	now func() time.Time

	mu     sync.Mutex
	topics map[string][]arrival
	acked  map[string]map[string]bool // by subscription, message IDs
	oldest map[string]int             // by subscription, index into its topic's arrivals
	acks   map[string]handed          // by ack ID
}

// handed is a message on its way to be acknowledged.
type handed struct {
	id string
	on *call // the StreamingPull that it came by
}

type arrival struct {
	id string
	at time.Time
}

// NewFlow returns an empty Flow on the given clock.
func NewFlow(now func() time.Time) *Flow {
	if now == nil {
		panic("witness: a flow needs a clock")
	}
	return &Flow{now: now, topics: map[string][]arrival{}, acked: map[string]map[string]bool{}, oldest: map[string]int{}, acks: map[string]handed{}}
}

// Backlog answers how much of a topic a subscription has not acknowledged, since
// when, and how much it has. The subscription must be as old as the topic's first message.
func (f *Flow) Backlog(topic, subscription string) (undelivered int64, since time.Time, acked int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	arrivals, done := f.topics[topic], f.acked[subscription]
	i := f.oldest[subscription]
	for i < len(arrivals) && done[arrivals[i].id] {
		i++
	}
	f.oldest[subscription] = i
	if i < len(arrivals) {
		since = arrivals[i].at
	}
	return int64(len(arrivals) - len(done)), since, int64(len(done))
}

func (f *Flow) published(topic string, ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		f.topics[topic] = append(f.topics[topic], arrival{id, f.now()})
	}
}

func (f *Flow) delivered(ackID, id string, on *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acks[ackID] = handed{id, on}
}

// held is what a StreamingPull handed out and nobody has acknowledged.
func (f *Flow) held(on *call) (ackIDs []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ackID, h := range f.acks {
		if h.on == on {
			ackIDs = append(ackIDs, ackID)
		}
	}
	return ackIDs
}

func (f *Flow) acknowledged(subscription string, ackIDs []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.acked[subscription] == nil {
		f.acked[subscription] = map[string]bool{}
	}
	for _, ackID := range ackIDs {
		if h, known := f.acks[ackID]; known {
			f.acked[subscription][h.id] = true
			delete(f.acks, ackID)
		}
	}
}
