package backlog

import (
	"context"
	"time"
)

// Queue names one queue of a group. It is comparable and used as a map key.
type Queue struct {
	Group        string // group ID, as "dg01"
	Name         string // queue within the group, as "personalizer"
	Project      string // project ID that owns the subscription
	Subscription string // short subscription ID
}

// Sample is a queue's figures at one time.
type Sample struct {
	At          time.Time // when the figures were true, by the source's clock
	Undelivered int64     // messages not yet acknowledged; never negative
	// Oldest is the age of the oldest of them at At; 0 when there is none or it is not known.
	Oldest time.Duration
	// Earlier is the sample before this one, of the same source; its At is zero when there is none.
	Earlier Point
	// Flow is the last stretch that acknowledgements were counted over; nil when unknown.
	Flow *Flow
	// Live says that the figure was counted and is as old as the call, not sampled minutes ago.
	Live bool
}

// Point is a backlog at one time.
type Point struct {
	At          time.Time
	Undelivered int64
}

// Flow is what went through a queue in a stretch of time, for learning its rate.
type Flow struct {
	From, To time.Time
	Acked    int64 // messages acknowledged in (From, To]
	// Before and After are the backlog at From and To. The flow is the queue's
	// own speed only when it had work at both ends.
	Before, After int64
}

// Reading is what a Source answered.
type Reading struct {
	// Samples holds the newest sample of each queue that has one. Absent means
	// that there is none: a new idle queue, a gap, or an error; see Unknown.
	Samples map[Queue]Sample
	// Errors are what went wrong, one for each thing that failed. Samples beside them are good.
	Errors []*Error
	// Drifts are corrections that counters needed; nil for other sources.
	Drifts []Drift
	// Calls counts requests to Cloud Monitoring, pages included.
	Calls int
}

// Drift is how far a counter was off. Counted minus what Monitoring saw, at At.
type Drift struct {
	Queue     Queue
	At        time.Time
	Off       int64 // above zero: the counter had too much
	Corrected bool  // false when another reader corrected it first
}

// Source answers with the newest figures of queues. Read blocks until all are
// in or ctx ends; it may be called from many goroutines, and repeats nothing on
// its own that costs quota. It has no error of its own: see Reading.Errors.
type Source interface {
	Read(ctx context.Context, queues []Queue) Reading
}
