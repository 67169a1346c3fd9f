package counters

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/backlog"
)

// Counts counts for workers written in Go. Counting is best effort: an error is
// for the log and never a reason to hold a message back, as drift is corrected.
type Counts struct{ store Store }

// NewCounts returns Counts on a store.
func NewCounts(s Store) (*Counts, error) {
	if s == nil {
		return nil, errors.New("counts need a store")
	}
	return &Counts{store: s}, nil
}

// Received says that n messages are about to be published to a queue's topic.
func (c *Counts) Received(ctx context.Context, q backlog.Queue, n int64) error {
	if _, err := c.store.Add(ctx, Name(q), n); err != nil {
		return fmt.Errorf("count %d received by %s: %w", n, Name(q), err)
	}
	return nil
}

// Acked says that n messages of a queue were acknowledged.
func (c *Counts) Acked(ctx context.Context, q backlog.Queue, n int64) error {
	if _, err := c.store.Add(ctx, Name(q), -n); err != nil {
		return fmt.Errorf("count %d acknowledged by %s: %w", n, Name(q), err)
	}
	return nil
}
