package once

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/claim"
)

// ErrLeaseLost is the cause of a handler's cancelled context when its claim could
// not be kept.
var ErrLeaseLost = errors.New("lease lost")

// heartbeat renews the lease beside the handler until the answered function is
// called, which waits for it to end. When the claim is lost, or could not be renewed
// for so long that its lease is about to end, the handler is cancelled.
func (d *delivery) heartbeat(ctx context.Context, hold *claim.Hold, cancel context.CancelCauseFunc) (stop func()) {
	every := d.r.c.Heartbeat
	if every == 0 {
		return func() {}
	}
	ctx, quit := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for d.r.c.Clock.Sleep(ctx, every) == nil {
			err := hold.Extend(ctx)
			lost := errors.Is(err, claim.ErrLost) || errors.Is(err, claim.ErrState)
			late := hold.ProtectedUntil().Sub(d.r.c.Clock.Now()) <= every
			if err != nil && (lost || late) {
				cancel(fmt.Errorf("%w: %w", ErrLeaseLost, err))
				return
			}
		}
	}()
	return func() {
		quit()
		<-ended
	}
}
