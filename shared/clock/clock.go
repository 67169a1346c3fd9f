// Package clock is the host's time as the claim protocol uses it: for deadlines and
// waits only. Leases are measured by the store's clock, never by this one.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and lets it pass. All methods are safe for concurrent use.
type Clock interface {
	// Now has a monotonic reading, so that differences survive a step of the wall clock.
	Now() time.Time
	// WithTimeout is context.WithTimeout on this clock.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// Sleep waits for d, or until ctx ends and then answers with its error.
	Sleep(ctx context.Context, d time.Duration) error
}

// System is the host's own clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return time.Now() }

// WithTimeout implements Clock.
func (System) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// Sleep implements Clock.
func (System) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
