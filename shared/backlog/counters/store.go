package counters

import (
	"context"
	"time"

	"onceway.internal/shared/backlog"
)

// Note is a counter as a reader saw it.
type Note struct {
	At    time.Time
	Count int64
}

// Counter is what a store knows of one counter.
type Counter struct {
	Count int64
	// Notes are the last ones, in any order.
	Notes []Note
	// Corrected is when it was last created or corrected; zero for never, or long ago.
	Corrected time.Time
}

// Store keeps counters. Times are the store's own. Methods block until the store
// answers or ctx ends and are safe for concurrent use, by many processes at once.
type Store interface {
	// Add adds n, which may be negative, and answers with the result. An absent
	// counter counts as zero. After an error it may have happened.
	Add(ctx context.Context, name string, n int64) (int64, error)

	// Read answers with the counters that exist, and the store's time.
	Read(ctx context.Context, names []string) (counters map[string]Counter, now time.Time, err error)

	// Note keeps what was read, for later comparisons; the last MaxNotes of each counter, for KeepNotes.
	Note(ctx context.Context, at time.Time, counts map[string]int64) error

	// Correct adds by to a counter because of a figure sampled at sampled, unless
	// it was corrected at or after that: then it answers false. The counter's
	// corrected time becomes the store's time of now.
	Correct(ctx context.Context, name string, by int64, sampled time.Time) (bool, error)

	// Create sets a counter that is absent, and its corrected time; false when it exists.
	Create(ctx context.Context, name string, count int64) (bool, error)
}

// Bounds of what a store keeps beside a counter.
const (
	MaxNotes  = 30
	KeepNotes = time.Hour
)

// Name is the name of a queue's counter, and its key in Redis.
func Name(q backlog.Queue) string { return q.Group + "-" + q.Name }
